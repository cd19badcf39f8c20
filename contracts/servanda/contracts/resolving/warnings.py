"""Warnings about a contract that is well-typed: what may be undefined, and which tools nobody classed.

In: the resolved parts. Out: warnings C150-C152 in the collector. Language reference §2 and §4.
"""

from collections.abc import Mapping

from servanda.contracts import model as m
from servanda.contracts.expression import Expr
from servanda.contracts.resolving.faults import Faults
from servanda.contracts.resolving.undefined import Undefined
from servanda.grammar.span import Span


class Warnings:
    """Walks the duties of one contract."""

    def __init__(self, faults: Faults, undefined: Undefined, events: Mapping[str, m.NamedEvent], text: str) -> None:
        self._faults = faults
        self._undefined = undefined
        self._events = events
        self._text = text

    def body(self, nodes: tuple[m.Node, ...]) -> None:
        """Warn about guards that can be undefined (they count as false then) and forbidding patterns (they do not match then)."""
        for node in nodes:
            match node:
                case m.Duty(kind=kind, guard=guard, by=by):
                    self._guard(guard)
                    if kind == "forbid":
                        for pattern in by:
                            self._pattern(pattern, "the forbid")
                case m.Step(guard=guard, body=inner):
                    self._guard(guard)
                    self.body(inner)
                case m.ForEach(list=listed, guard=guard, body=inner):
                    self._guard(listed)
                    self._guard(guard)
                    self.body(inner)
                case m.Decide(guard=guard, branches=branches):
                    self._guard(guard)
                    for branch in branches:
                        self._guard(branch.guard)
                        self.body(branch.body)
                case m.AnyOf(guard=guard, options=options):
                    self._guard(guard)
                    for option in options:
                        self.body(option.body)
                case m.Rule(guard=guard, form=form):
                    self._guard(guard)
                    match form:
                        case m.Never(pattern=pattern):
                            self._pattern(pattern, "the rule")
                        case m.Each(mode="forbids", target=target):
                            self._pattern(target, "the rule")

    def tools(self, used: Mapping[str, Span], tools: Mapping[str, m.Tool]) -> None:
        """Warn about the tools that are used and in no class."""
        for name, span in used.items():
            tool = tools.get(name)
            if tool is not None and not tool.classes:
                self._faults.warning(
                    "C152",
                    span,
                    f"the tool '{name}' is in no class, so it counts as writing",
                    help=f"class reads|writes|neutral = {name}",
                )

    def _guard(self, guard: Expr | None) -> None:
        found = None if guard is None else self._undefined.first(guard)
        if found is not None:
            self._faults.warning(
                "C150",
                found.span,
                f"'{self._words(found)}' can be absent, and then this guard counts as false",
                help="ask for it with `is present` beside it",
            )

    def _pattern(self, pattern: m.Pattern, what: str) -> None:
        found = None if pattern.where is None else self._undefined.first(pattern.where)
        if found is not None:
            self._faults.warning(
                "C151",
                found.span,
                f"'{self._words(found)}' can be undefined, and then {what} does not see the event",
                help="where the event must not happen unless the value is known, write a rule `… only if …`",
            )
        match pattern.head:
            case m.AnyHead(patterns):
                for part in patterns:
                    self._pattern(part, what)
            case m.NamedHead(name):
                if name in self._events:
                    self._pattern(self._events[name].pattern, what)

    def _words(self, expr: Expr) -> str:
        return " ".join(self._text[expr.span.start : expr.span.end].split())
