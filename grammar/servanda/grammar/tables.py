"""LALR(1) tables of the contract language: built by Lark, kept as package data, read without Lark.

In: `contract.lark`. Out: `contract.tables`, one line of key and one of JSON, and the `Tables` read from it. The key names the grammar's
digest and the version of Lark that built the tables; a file for another grammar is not used, the tables are built anew (half a second
instead of milliseconds). The installed version of Lark does not matter to reading them: Lark takes no part in parsing.
`python -m servanda.grammar.tables` writes the file after a strict build, which refuses every conflict and every pair of terminals of
equal priority that match the same text. Trusts: Lark's table construction.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lark import Lark

FILE = Path(__file__).with_name("contract.tables")
GRAMMAR = Path(__file__).with_name("contract.lark")
STARTS = ("start", "rest")
"""What may be parsed: a whole contract, or the declarations that follow a mended error."""

END = "$END"


@dataclass(frozen=True, slots=True)
class Terminal:
    """A kind of token: a fixed `word`, or a regular expression. Terminals are listed in the order in which they are tried."""

    name: str
    pattern: str
    fixed: bool


@dataclass(frozen=True, slots=True)
class Production:
    """One rule: on reduction the last `length` values become one.

    `action` names the builder's method; None where the value is spliced into its parent (`splice`) or is its only child. `holes[i]`
    counts the absent optional parts before symbol i (the last entry: behind all), each filled by None.
    """

    origin: str
    action: str | None
    length: int
    splice: bool
    holes: tuple[int, ...] | None
    spliced: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """`shift[state][terminal]`: the next state, or `~i` to reduce by production i. `goto[state][origin]`: the state after it."""

    terminals: tuple[Terminal, ...]
    productions: tuple[Production, ...]
    symbols: tuple[tuple[str, ...], ...]
    shift: tuple[Mapping[str, int], ...]
    goto: tuple[Mapping[str, int], ...]
    starts: Mapping[str, int]
    accepting: Mapping[str, int]


def key(grammar: str) -> str:
    """What tables are kept under: the digest of the grammar and the version of Lark."""
    from importlib.metadata import version

    return f"{digest(grammar)} lark {version('lark')}"


def digest(grammar: str) -> str:
    """The SHA-256 of a grammar's text."""
    return sha256(grammar.encode()).hexdigest()


def build(grammar: str, *, strict: bool = False) -> "Lark":
    """Build the tables with Lark; `strict` needs interegular and refuses conflicts and colliding terminals."""
    from lark import Lark

    return Lark(
        grammar, parser="lalr", lexer="contextual", strict=strict, start=list(STARTS), keep_all_tokens=True, maybe_placeholders=True
    )  # fmt: skip


def plain(lark: "Lark") -> dict[str, Any]:
    """The tables as JSON data, the same bytes whatever the hash seed: states are numbered in the order they are reached."""
    table = lark.parser.parser._parse_table
    rules = sorted(lark.rules, key=lambda r: (r.origin.name, r.order, r.alias or "", [s.name for s in r.expansion]))
    number = {rule: i for i, rule in enumerate(rules)}
    order: dict[Any, int] = {}
    queue = [table.start_states[name] for name in STARTS]
    while queue:
        state = queue.pop(0)
        if state in order:
            continue
        order[state] = len(order)
        row = table.states[state]
        queue.extend(target for symbol in sorted(row) for action, target in [row[symbol]] if action.name == "Shift")
    shift: list[dict[str, int]] = []
    goto: list[dict[str, int]] = []
    for state in order:
        row = table.states[state]
        here: dict[str, int] = {}
        there: dict[str, int] = {}
        for symbol in sorted(row):
            action, target = row[symbol]
            reached = order[target] if action.name == "Shift" else ~number[target]
            (here if symbol.isupper() or symbol == END else there)[symbol] = reached
        shift.append(here)
        goto.append(there)
    terminals = sorted(lark.terminals, key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name))
    return {
        "terminals": [[t.name, t.pattern.value, t.pattern.type == "str"] for t in terminals],
        "productions": [_production(rule) for rule in rules],
        "symbols": [[s.name for s in rule.expansion] for rule in rules],
        "shift": shift,
        "goto": goto,
        "starts": {name: order[table.start_states[name]] for name in STARTS},
        "accepting": {name: order[table.end_states[name]] for name in STARTS},
    }


def _production(rule: Any) -> list[Any]:
    origin = rule.origin.name
    splice = origin.startswith("_")
    action = None if splice or (rule.options.expand1 and not rule.alias) else rule.alias or origin
    empty = "".join("1" if hole else "0" for hole in rule.options.empty_indices)
    holes = [len(part) for part in empty.split("0")] if "1" in empty else None
    spliced = [i for i, s in enumerate(rule.expansion) if not s.is_term and s.name.startswith("_")]
    return [origin, action, len(rule.expansion), splice, holes, spliced]


def read(data: Mapping[str, Any]) -> Tables:
    """The tables from their JSON form."""
    return Tables(
        tuple(Terminal(*t) for t in data["terminals"]),
        tuple(Production(o, a, n, s, tuple(h) if h else None, tuple(i)) for o, a, n, s, h, i in data["productions"]),
        tuple(tuple(s) for s in data["symbols"]),
        tuple(data["shift"]),
        tuple(data["goto"]),
        data["starts"],
        data["accepting"],
    )


@cache
def load() -> Tables:
    """The kept tables; built anew where the file is absent or belongs to another grammar."""
    grammar = GRAMMAR.read_text("utf-8")
    if FILE.is_file():
        head, _, body = FILE.read_text("utf-8").partition("\n")
        if head.partition(" ")[0] == digest(grammar):
            return read(json.loads(body))
    return read(plain(build(grammar)))


def text() -> str:
    """The file that `contract.tables` must be, after a strict build."""
    grammar = GRAMMAR.read_text("utf-8")
    return f"{key(grammar)}\n{json.dumps(plain(build(grammar, strict=True)), separators=(',', ':'))}\n"


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
