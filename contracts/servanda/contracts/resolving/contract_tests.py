"""Test blocks: a small trace and query in the contract, and what is expected of them.

In: `test` items, the facts, the names of duties, the output. Out: the trace record of each test (the JSON shape of a trace, exact numbers)
and its expectations, with every reference resolved to the element a finding would name. Language reference §7.
"""

from collections.abc import Iterable
from typing import Any

from servanda.contracts.model import Expectation, Order, OutputContract, Test, Tool
from servanda.contracts.resolving.contract_test_values import UNTYPED, TestValues, json_of, key_of
from servanda.contracts.resolving.duty_names import DutyName, DutyNames
from servanda.contracts.resolving.names import label
from servanda.contracts.resolving.patterns import ROLES, tool_name
from servanda.contracts.resolving.world import PATTERN, Leaf, Scope, World
from servanda.contracts.types import RecordField, RecordType
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Note, nearest
from servanda.grammar.span import Span

FINDINGS = ("omission", "wrong_branch", "misorder", "redundant", "invariant", "output")


class TestBlocks:
    """Resolves the tests of one contract."""

    __test__ = False

    def __init__(
        self,
        world: World,
        names: DutyNames,
        orders: tuple[Order, ...],
        output: OutputContract | None,
        *,
        output_sound: bool,
    ) -> None:
        self._world = world
        self._names = names
        self._orders = orders
        self._output = output
        self._output_sound = output_sound
        self._values = TestValues(world.faults)
        self._query = RecordType("query", tuple(RecordField(a.name, a.type, True) for a in world.attributes.values()))

    def resolve(self, items: Iterable[s.Item]) -> tuple[Test, ...]:
        """All tests, in the order written."""
        found: list[Test] = []
        titles: dict[str, Span] = {}
        for item in items:
            if not isinstance(item, s.TestDecl):
                continue
            title = item.title.value
            if title in titles:
                self._world.faults.error(
                    "C111",
                    item.title.span,
                    f'two tests are called "{title}"',
                    notes=(Note("the first stands here", titles[title]),),
                )
            titles.setdefault(title, item.title.span)
            found.append(self._test(item))
        return tuple(found)

    def _test(self, item: s.TestDecl) -> Test:
        query: dict[str, Any] = {}
        if item.query is not None:
            self._values.check_object(item.query, self._query, "the query", closed=True, whole=False)
            query = json_of(item.query)
        events: list[dict[str, Any]] = []
        for turn, written in enumerate(item.events):
            parts = written.events if isinstance(written, s.TestTurn) else (written,)
            events.extend({**self._event(part), "turn": turn} for part in parts)
        record: dict[str, Any] = {"id": item.title.value, "query": query, "events": events, "complete": not item.open}
        if item.output is not None:
            record["output"] = json_of(item.output)
            self._values.check(item.output, UNTYPED, "the output")
            if self._output is None and self._output_sound:
                self._world.faults.error("C139", item.output.span, "the contract has no output block to judge this by")
        expectations = tuple(e for e in map(self._expectation, item.expectations) if e is not None)
        self._contradictions(item)
        return Test(item.title.value, record, item.output is not None, expectations, item.title.span)

    def _contradictions(self, item: s.TestDecl) -> None:
        conforms = next((e for e in item.expectations if e.word == "conforms"), None)
        other = next((e for e in item.expectations if e.word in (*FINDINGS, "undecided")), None)
        if conforms is not None and other is not None:
            self._world.faults.error(
                "C147",
                conforms.span,
                f"a run that conforms has nothing `{other.word}`",
                notes=(Note("which stands here", other.span),),
            )

    # ---- events --------------------------------------------------------------------------------------------------------

    def _event(self, node: s.TestCall | s.TestMessage) -> dict[str, Any]:
        found: dict[str, Any]
        if isinstance(node, s.TestMessage):
            role = node.role.text
            if role not in ROLES:
                hint = nearest(role, ROLES) or f"the roles are {', '.join(ROLES)}"
                self._world.faults.error("C110", node.role.span, f"no message has the role '{role}'", help=hint)
            found = {"kind": "message", "role": role, "text": node.text.value}
            leaf = Leaf("message", role)
        else:
            found, leaf = self._call(node)
        if node.labels is not None:
            self._labels(node.labels, leaf)
            found["labels"] = json_of(node.labels)
        return found

    def _call(self, node: s.TestCall) -> tuple[dict[str, Any], Leaf]:
        name = key_of(node.tool)
        tool = self._world.tools.get(name) if tool_name(self._world, node.tool) else None
        if tool is not None:
            self._arguments(node, tool)
        found: dict[str, Any] = {"kind": "call", "tool": name, "args": json_of(node.arguments)}
        if node.result is not None:
            found["result"] = json_of(node.result)
            told = None if tool is None or node.verb == "failed" else tool.result
            kind = UNTYPED if told is None else told
            self._values.check(node.result, kind, f"the result of '{name}'")
        found["outcome"] = "failed" if node.verb == "failed" else "ok" if node.result is not None else "unknown"
        return found, Leaf("call", name, node.verb)

    def _arguments(self, node: s.TestCall, tool: Tool) -> None:
        """The arguments of a successful call are whole and typed; a failed one may have failed for want of that, but names no other keys."""
        succeeded = node.verb == "call"
        self._values.check_object(
            node.arguments, tool.arguments, f"the tool '{tool.name}'", closed=True, whole=succeeded, types=succeeded
        )

    def _labels(self, node: s.ObjectValue, leaf: Leaf) -> None:
        seen: set[str] = set()
        for key, value in node.entries:
            name = key_of(key)
            if name in seen:
                self._world.faults.error("C111", key.span, f"the label '{name}' stands twice here")
            seen.add(name)
            if name not in self._world.labels:
                if name not in self._world.broken:
                    hint = nearest(name, self._world.labels)
                    self._world.faults.error("C110", key.span, f"no label is called '{name}'", help=hint)
                continue
            if leaf.kind == "call" and leaf.name not in self._world.tools:
                continue
            made = label(self._world, Scope(PATTERN, has_event=True), name, "", (leaf,), key.span)
            if made is not None:
                self._values.check(value, made.type, f"the label '{name}'")

    # ---- expectations --------------------------------------------------------------------------------------------------

    def _expectation(self, node: s.Expectation) -> Expectation | None:
        element = self._element(node)
        return None if element is None else Expectation(node.word, element, node.span)

    def _element(self, node: s.Expectation) -> str | None:
        """The element a finding would name; empty where the expectation names none; None once a fault is recorded."""
        word, element = node.word, node.element
        if element is None:
            return ""
        if word == "redundant":
            tool = element if isinstance(element, s.Text) else element.names[0]
            return tool_name(self._world, tool)
        if isinstance(element, s.Text):
            self._cannot(element.span, f"`{word}` names a duty, not a text")
            return None
        if word == "undecided":
            return self._hinge(element)
        if word == "output":
            return self._output_name(element)
        if node.later is not None:
            return self._edge(element, node.later)
        found = self._instance(element)
        if found is None:
            return None
        wanted = {"omission": ("require",), "wrong_branch": ("decide",), "invariant": ("rule", "forbid")}.get(word)
        if wanted is not None and found[0].kind not in wanted:
            what = {
                "omission": "a required duty",
                "wrong_branch": "a decision",
                "invariant": "a rule or a forbidden duty",
            }[word]
            self._cannot(element.span, f"`{word}` is found at {what}, and {found[0].words} is none")
            return None
        return found[1]

    def _hinge(self, element: s.Reference) -> str | None:
        """What a verdict hangs on: an attribute or a label."""
        name = element.text
        known = (*self._world.attributes, *self._world.labels)
        if name in known:
            return name
        if name not in self._world.broken:
            self._world.faults.error(
                "C110", element.span, f"no query attribute or label is called '{name}'", help=nearest(name, known)
            )
        return None

    def _output_name(self, element: s.Reference) -> str | None:
        if self._output is None:
            if self._output_sound:
                self._cannot(element.span, "the contract has no output block")
            return None
        known = [*(f[0] for f in self._output.fields), *(r.name for r in self._output.rules)]
        if element.text in known or not self._output_sound:
            return element.text
        hint = nearest(element.text, known)
        self._world.faults.error("C116", element.span, f"the output has no field or rule '{element.text}'", help=hint)
        return None

    def _edge(self, earlier: s.Reference, later: s.Reference) -> str | None:
        first, second = self._instance(earlier), self._instance(later)
        if first is None or second is None:
            return None
        if not any(o.earlier == first[0].path and o.later == second[0].path for o in self._orders):
            known = "; ".join(f"{o.earlier} before {o.later}" for o in self._orders)
            self._cannot(
                earlier.span.to(later.span),
                f"the contract has no order {first[0].path} before {second[0].path}",
                f"it has {known}" if known else "",
            )
            return None
        return f"{first[1]} before {second[1]}"

    def _instance(self, element: s.Reference) -> tuple[DutyName, str] | None:
        """The duty and the identity of its instance: one index for each `for each` block around it."""
        found = self._names.find(element)
        if found is None:
            return None
        wanted = len(found.loops) + (found.kind == "for each")
        if len(element.indices) != wanted:
            written = found.path + "[0]" * wanted
            blocks = f"{wanted} `for each` block{'' if wanted == 1 else 's'}" if wanted else "no `for each` block"
            self._cannot(element.span, f"{found.words} stands in {blocks}, so an instance of it is written {written}")
            return None
        return found, found.path + "".join(f"[{i}]" for i in element.indices)

    def _cannot(self, span: Span, message: str, hint: str = "") -> None:
        self._world.faults.error("C147", span, message, help=hint)
