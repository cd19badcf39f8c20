"""Random contracts with queries and traces, directed by types: every generated contract is well typed and every generated query fits it.

In: a seeded `random.Random`. Out: `Case`, with the tags of the constructs it uses, so that a run can report what it covered. Conditions are
chosen from a small alphabet of values, so that matches, near misses and ties are common. Nothing here looks at what the evaluator does.
"""

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

TOOLS = """tool ra(k: int optional, j: int optional) -> { v: int  w: int optional } reads
tool rb(k: int optional) -> { v: int } reads
tool wa(k: int optional, j: int optional) -> { v: int  done: bool } writes
tool wb(k: int optional) -> { v: int } writes
tool th(k: int optional) neutral
"""
ARGUMENTS = {"ra": ("k", "j"), "rb": ("k",), "wa": ("k", "j"), "wb": ("k",), "th": ("k",)}
QUERY = """enum Colour { red, green, blue }
query {
  x : int in 0 .. 2
  b : bool
  c : Colour
  amount : decimal(2) in 0 .. 10
  day : date in 2026-01-01 .. 2026-01-09
  seen : int in 0 .. 1 optional
  reqs : list of int in 0 .. 1 max 3
  was : int  observed ra(k: x).v
}
label yes : bool on message user
"""
FIXED = """define warm = c == red or b
define over(a) = a > 5.50
view at(n) = last ra(k: n)
view lastwrite = last call wa where args.k == 1
event agreed = message user where yes
class pair = wa, rb
"""

CONSTRUCTS = frozenset(
    tag.strip()
    for tag in """require|optional|forbid|leaf guard|severity|shared|exclusive|or by|step|decide|when|otherwise|nested decide|any of|nested any of|for each
    for each guard|order|order inside|order within|call|attempt|failed|class|event|message|matches|label|any of pattern|view read|view event
    result|guard compare|guard bool|guard enum|guard in|guard definition|guard parameter|guard decimal|guard date|guard present|guard optional
    guard observed|guard any|guard no|guard all|guard count|guard sum|guard first|guard if|guard contains|and|or|implies|iff|not|never|after
    before|at most|at least|exactly|per|per turn|only if|needs|forbids|earlier|later|anywhere|immediately earlier|immediately later|since|until
    within|alias|rule guard|rule in block|extra|output|unknown attribute|unknown label|unknown outcome|unknown tool|same response|open
    failed outcome""".replace("\n", "|").split("|")
)
"""The constructs a run is to cover, by tag."""


@dataclass
class Case:
    """One triple. `tags` counts the constructs used."""

    contract: str
    query: dict[str, Any]
    trace: dict[str, Any]
    tags: Counter[str] = field(default_factory=Counter)


class _Writer:
    """Writes one contract; `tags` collects what it wrote."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.tags: Counter[str] = Counter()
        self.leaves: list[tuple[str, tuple[str, ...]]] = []
        self.each_depth = 0

    def pick(self, *options: str) -> str:
        """One of the options, each written `tag=>text`; the tag is counted."""
        tag, _, text = self.rng.choice(options).partition("=>")
        self.tags[tag] += 1
        return text

    # ---- conditions --------------------------------------------------------------------------------------------------

    def guard(self, depth: int = 0) -> str:
        g = self.pick(
            "guard compare=>x == 0",
            "guard compare=>x != 1",
            "guard bool=>b",
            "guard enum=>c == green",
            "guard in=>c in { red, blue }",
            "guard definition=>warm",
            "guard parameter=>over(amount)",
            "guard decimal=>amount <= 5.5",
            "guard date=>day - 2026-01-01 > 3d",
            "guard present=>seen is present",
            "guard optional=>seen == 1",
            "guard observed=>was == 1",
            "guard any=>any q in reqs: (q == 1)",
            "guard no=>no q in reqs: (q == x)",
            "guard all=>all q in reqs: (q < 1)",
            "guard count=>count(reqs) > 1",
            "guard sum=>(sum q in reqs: (q)) >= 1",
            "guard first=>(first q in reqs: (q > 0)) == 1",
            "guard if=>(if b then 1 else x) == 1",
            "guard contains=>reqs contains x",
        )
        if depth < 2 and self.rng.random() < 0.35:
            word = self.pick("and=>and", "or=>or", "implies=>implies", "iff=>iff")
            return f"({g}) {word} ({self.guard(depth + 1)})"
        if self.rng.random() < 0.2:
            self.tags["not"] += 1
            return f"not ({g})"
        return g

    def where(self, tool: str, variables: tuple[str, ...], verb: str) -> list[str]:
        out: list[str] = []
        for name in ARGUMENTS[tool]:
            if self.rng.random() < 0.35:
                value = self.rng.choice(["0", "1", "x"] + list(variables) * 2)
                out.append(f"args.{name} == {value}")
        if self.rng.random() < 0.25:
            self.tags["view read"] += 1
            out.append(f"args.k == at({self.rng.choice(['0', '1', 'x'])}).v")
        if self.rng.random() < 0.08:
            self.tags["view event"] += 1
            out.append("args.k == lastwrite.result.v")
        if verb == "call" and tool != "th" and self.rng.random() < 0.12:
            self.tags["result"] += 1
            out.append(f"result.v == {self.rng.choice('01')}")
        return out

    def head(self, variables: tuple[str, ...] = (), rule: bool = False) -> str:
        """A pattern without alias."""
        roll = self.rng.random()
        if roll < 0.62:
            tool = self.rng.choice(["ra", "rb", "wa", "wb", "wa", "ra", "th"])
            verb = (
                self.pick("call=>call", "call=>call", "call=>call", "attempt=>attempt", "failed=>failed")
                if rule
                else (
                    self.pick(
                        "call=>call", "call=>call", "call=>call", "call=>call", "attempt=>attempt", "failed=>failed"
                    )
                )
            )
            atoms = self.where(tool, variables, verb)
            return f"{verb} {tool}" + (" where " + " and ".join(atoms) if atoms else "")
        if roll < 0.72:
            cls = self.pick("class=>of pair", "class=>of writes", "class=>of tools")
            atoms = [f"args.k == {self.rng.choice('01')}"] if cls == "of pair" and self.rng.random() < 0.5 else []
            return f"{self.rng.choice(['call', 'attempt'])} {cls}" + (" where " + atoms[0] if atoms else "")
        if roll < 0.80:
            self.tags["event"] += 1
            return "event agreed"
        if roll < 0.93:
            self.tags["message"] += 1
            role = self.rng.choice(["user", "assistant"])
            atoms = []
            if self.rng.random() < 0.7:
                self.tags["matches"] += 1
                atoms.append(f"text matches /{self.rng.choice(['alpha', 'beta', 'a.*b'])}/")
            if role == "user" and self.rng.random() < 0.4:
                self.tags["label"] += 1
                atoms.append(self.rng.choice(["yes", "not yes"]))
            return f"message {role}" + (" where " + " and ".join(atoms) if atoms else "")
        self.tags["any of pattern"] += 1
        return f"any of {{ {self.simple()}  {self.simple()} }}"

    def simple(self) -> str:
        return self.rng.choice(["call ra", "call wa", "attempt wb", "message assistant", "failed wa where args.k == 1"])

    # ---- duties ------------------------------------------------------------------------------------------------------

    def leaf(self, name: str, path: str, variables: tuple[str, ...] = ()) -> list[str]:
        kind = self.rng.choice(["require"] * 5 + ["optional", "optional", "forbid"])
        self.tags[kind] += 1
        clauses = ""
        if self.rng.random() < 0.2:
            self.tags["leaf guard"] += 1
            clauses += f" if {self.guard()}"
        if self.rng.random() < 0.35:
            clauses += f" severity {self.pick('severity=>high', 'severity=>low')}"
        if kind != "forbid" and self.rng.random() < 0.2:
            clauses += f" {self.pick('shared=>shared', 'exclusive=>exclusive')}"
        lines = [f"{kind} {name}{clauses}", f"  by {self.head(variables)}"]
        if self.rng.random() < 0.2:
            self.tags["or by"] += 1
            lines.append(f"  or by {self.head(variables)}")
        if kind != "forbid":
            self.leaves.append((f"{path}{name}", variables))
        return lines

    def block(self, names: str, path: str, variables: tuple[str, ...] = (), most: int = 2) -> list[str]:
        out: list[str] = []
        for name in names[: self.rng.randint(1, most)]:
            out += self.leaf(name, path, variables)
        return ["  " + line for line in out]

    def decide(self, name: str, path: str, depth: int = 0) -> list[str]:
        self.tags["decide"] += 1
        guards: list[str | None] = self.rng.choice(
            [["x == 0", "x == 1", None], ["b", "not b"], ["c == red", None], ["x == 2", None], ["warm", "not warm"]]
        )
        out = [f"decide {name} {{"]
        for branch, guard in zip("pqs", guards, strict=False):
            self.tags["otherwise" if guard is None else "when"] += 1
            out.append(f"  branch {branch} " + (f"when {guard} {{" if guard else "otherwise {"))
            body = self.block("xy", f"{path}{name}.{branch}.")
            if depth == 0 and self.rng.random() < 0.2:
                self.tags["nested decide"] += 1
                body += ["  " + line for line in self.decide("E", f"{path}{name}.{branch}.", 1)]
            if depth == 0 and self.rng.random() < 0.15:
                self.tags["rule in block"] += 1
                body += [f"  rule in{branch} {self.form()}"]
            out += ["  " + line for line in body] + ["  }"]
        return [*out, "}"]

    def any_of(self, name: str, path: str) -> list[str]:
        self.tags["any of"] += 1
        out = [f"any of {name} {{"]
        for option in "mn":
            out += (
                [f"  option {option} {{"]
                + ["  " + line for line in self.block("uv", f"{path}{name}.{option}.")]
                + ["  }"]
            )
        return [*out, "}"]

    def for_each(self) -> list[str]:
        self.tags["for each"] += 1
        guard = ""
        if self.rng.random() < 0.3:
            self.tags["for each guard"] += 1
            guard = " if r == 1"
        first = len(self.leaves)
        out = [f"for each r in reqs{guard} {{", *self.block("gh", "r.", ("r",))]
        inside = [leaf for leaf, _ in self.leaves[first:]]
        if len(inside) == 2 and self.rng.random() < 0.6:
            self.tags["order inside"] += 1
            out.append(f"  order {inside[0].split('.')[-1]} before {inside[1].split('.')[-1]}")
        if self.rng.random() < 0.2:
            self.tags["nested any of"] += 1
            out += ["  " + line for line in self.any_of("Z", "r.")]
        return [*out, "}"]

    # ---- rules -------------------------------------------------------------------------------------------------------

    def form(self) -> str:
        kind = self.rng.randrange(6)
        if kind == 0:
            self.tags["never"] += 1
            tail = self.pick("plain=>", "after=> after call ra", "before=> before message assistant")
            return f"never {self.head(rule=True)}{tail}"
        if kind == 1:
            word = self.pick("at most=>at most", "at most=>at most", "at least=>at least", "exactly=>exactly")
            per = self.pick("plain=>", "per=> per args.k", "per turn=> per turn")
            head = (
                self.rng.choice(["call wa", "attempt wa", "call ra where args.k == 1"])
                if "args" in per
                else self.head(rule=True)
            )
            return f"{word} 1 {head}{per}"
        if kind == 2:
            self.tags["only if"] += 1
            tool = self.rng.choice(["wa", "wb"])
            condition = self.rng.choice(
                ["at(args.k).v == 1", "args.k == x", "b", "at(0).v == 1 or warm", "lastwrite.result.done"]
            )
            return f"attempt {tool} only if {condition}"
        mode = self.pick("needs=>needs", "needs=>needs", "forbids=>forbids")
        direction = self.pick(
            "earlier=>earlier",
            "earlier=>earlier",
            "later=>later",
            "anywhere=>anywhere",
            "immediately earlier=>immediately earlier",
            "immediately later=>immediately later",
        )
        alias, target = "", self.head(rule=True)
        if self.rng.random() < 0.3:
            self.tags["alias"] += 1
            alias, target = " as w", "call ra where args.k == w.args.k"
        pattern = self.rng.choice(["attempt wa", "call wb", "call rb where args.k == 1", "attempt of pair"])
        head, where, condition = pattern.partition(" where ")
        tail = ""
        if direction in ("earlier", "later", "anywhere") and self.rng.random() < 0.4:
            if direction == "earlier":
                tail = self.pick(
                    "since=> since message assistant", "within=> within 2 turns", "within=> within 1 events"
                )
            elif direction == "later":
                tail = self.pick("until=> until call ra", "within=> within 2 turns")
        return f"each {head}{alias}{where}{condition} {mode} {direction} {target}{tail}"

    def contract(self) -> str:
        body: list[str] = []
        for name in "abcd"[: self.rng.randint(0, 3)]:
            body += self.leaf(name, "")
        if self.rng.random() < 0.15:
            self.tags["step"] += 1
            guard = f" if {self.guard()}" if self.rng.random() < 0.5 else ""
            body += [f"step S{guard} {{", *self.block("tu", "S."), "}"]
        if self.rng.random() < 0.5:
            body += self.decide("D", "")
        if self.rng.random() < 0.35:
            body += self.any_of("O", "")
        if self.rng.random() < 0.3:
            body += self.for_each()
        tops = [path for path, _ in self.leaves]
        for _ in range(self.rng.randint(0, 3)):
            if len(tops) > 1:
                first, last = sorted(self.rng.sample(range(len(tops)), 2))
                groups = [p.split(".")[0:2] for p in (tops[first], tops[last])]
                if groups[0][0] == groups[1][0] and groups[0] != groups[1] and groups[0][0] in ("O", "D"):
                    continue
                if any(line.startswith(f"order {tops[first]} before {tops[last]}") for line in body):
                    continue
                self.tags["order"] += 1
                within = self.pick(
                    "plain=>", "plain=>", "order within=> within 2 turns", "order within=> within 1 events"
                )
                body.append(f"order {tops[first]} before {tops[last]}{within}")
        for number in range(self.rng.choice([0, 0, 1, 1, 2])):
            guard = ""
            if self.rng.random() < 0.25:
                self.tags["rule guard"] += 1
                guard = f" if {self.guard()}"
            body.append(f"rule R{number}{guard} {self.form()}")
        if self.rng.random() < 0.3:
            body.append(
                self.pick("extra=>extra writes allowed", "extra=>extra reads forbidden", "extra=>extra pair forbidden")
            )
        if self.rng.random() < 0.2:
            self.tags["output"] += 1
            body += [
                "output json {",
                "  field n: int",
                "  field m: enum { full, part } optional",
                "  rule big output.n >= 1",
                "  rule maybe output.m is present implies output.m == part",
                "}",
            ]
        return "\n".join(["language 1", 'contract generated "generated" version 1', TOOLS + QUERY + FIXED, *body, ""])


def case(rng: Random) -> Case:
    """One random triple."""
    writer = _Writer(rng)
    text = writer.contract()
    query: dict[str, Any] = {
        "x": rng.choice([0, 1, 2]),
        "b": rng.random() < 0.5,
        "c": rng.choice(["red", "green", "blue"]),
        "amount": rng.choice([5, 0, 10]),
        "day": rng.choice(["2026-01-02", "2026-01-08"]),
        "reqs": [rng.choice([0, 1]) for _ in range(rng.choice([0, 1, 2, 2, 3]))],
        "was": rng.choice([0, 1]),
    }
    if rng.random() < 0.5:
        query["seen"] = rng.choice([0, 1])
    for name in ("x", "b", "c", "was"):
        if rng.random() < 0.06:
            del query[name]
            writer.tags["unknown attribute"] += 1
    events: list[dict[str, Any]] = []
    turn = 0
    for _ in range(rng.choice([0, 1, 2, 3, 3, 4, 4, 5, 5, 6])):
        joined = bool(events) and rng.random() < 0.15 and events[-1].get("role") != "user"
        event = _event(rng, writer.tags)
        if joined and event.get("role") != "user":
            writer.tags["same response"] += 1
        else:
            turn += 1
        event["turn"] = turn
        events.append(event)
    trace: dict[str, Any] = {"id": "g", "events": events, "complete": rng.random() < 0.88}
    if not trace["complete"]:
        writer.tags["open"] += 1
    if "output json" in text and rng.random() < 0.8:
        trace["output"] = rng.choice([{"n": 1}, {"n": 0}, {"n": 2, "m": "part"}, {"n": 1, "m": "full"}, {"n": "1"}])
    return Case(text, query, trace, writer.tags)


def _event(rng: Random, tags: Counter[str]) -> dict[str, Any]:
    if rng.random() < 0.25:
        role = rng.choice(["user", "assistant"])
        event: dict[str, Any] = {
            "kind": "message",
            "role": role,
            "text": rng.choice(["alpha", "beta", "alpha beta", "hello"]),
        }
        if role == "user":
            if rng.random() < 0.8:
                event["labels"] = {"yes": rng.random() < 0.5}
            else:
                tags["unknown label"] += 1
        return event
    tool = rng.choice(["ra", "rb", "wa", "wb", "wa", "wb", "ra", "th", "other"])
    if tool == "other":
        tags["unknown tool"] += 1
    args = {name: rng.choice([0, 1]) for name in ARGUMENTS.get(tool, ("k",)) if rng.random() < 0.75}
    event = {"kind": "call", "tool": tool, "args": args}
    roll = rng.random()
    if roll < 0.86:
        event["outcome"] = "ok"
        event["result"] = {"v": rng.choice([0, 1]), "done": rng.random() < 0.5}
    elif roll < 0.95:
        tags["failed outcome"] += 1
        event["outcome"] = "failed"
    else:
        tags["unknown outcome"] += 1
    return event
