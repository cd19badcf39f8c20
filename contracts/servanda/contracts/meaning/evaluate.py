"""The meaning of expressions (language reference §2 and §4): values where they are there, undefined and unknown by strong Kleene.

In: a typed expression and the scope it stands in. Out: a value. What the run and the query give to read comes through `Reads`, so that
this file knows nothing of traces. Pure; obvious and slow is right.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Protocol, assert_never, cast
from typing import Literal as Lit
from unicodedata import normalize

import re2

from servanda.contracts import expression as x
from servanda.contracts.meaning.values import (
    Truth,
    Undefined,
    Unknown,
    Value,
    conjunction,
    disjunction,
    equivalence,
    missing,
    negation,
)
from servanda.contracts.model import Contract, Pattern
from servanda.contracts.observed import Event
from servanda.contracts.types import Type

Part = Lit["args", "result", "text", "turn"]
NOTHING: Final[Mapping[Any, Any]] = MappingProxyType({})


class Reads(Protocol):
    """What the query and the run give to read."""

    @property
    def contract(self) -> Contract:
        """The contract whose names are read."""

    def attribute(self, name: str) -> Value:
        """A query attribute."""

    def part(self, event: Event, part: Part, kind: Type) -> Value:
        """A part of an event, read as of this type where its tool gives it none."""

    def label(self, event: Event, name: str) -> Value:
        """A label of an event."""

    def view(self, name: str, arguments: tuple[Value, ...], position: Event | None) -> Value:
        """A view strictly before the event at `position`; at the end of the trace for None."""

    def output(self) -> Value:
        """The output of the run."""

    def success(self, event: Event) -> bool | Unknown:
        """Whether an attempt succeeded."""

    def spoken_of(self, pattern: Pattern) -> tuple[Event, ...]:
        """The events of the tools and roles a pattern names, in the order of the trace; no other matches it."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an expression stands. `event`: the one whose parts are read; `position`: the event before which views are read (None: the end)."""

    reads: Reads
    event: Event | None = None
    position: Event | None = None
    variables: Mapping[str, Value] = field(default_factory=lambda: NOTHING)
    aliases: Mapping[str, Event] = field(default_factory=lambda: NOTHING)

    def at(self, event: Event, alias: str = "") -> "Scope":
        """The scope of a condition on this event."""
        aliases = {**self.aliases, alias: event} if alias else self.aliases
        return Scope(self.reads, event, event, self.variables, aliases)

    def reading(self, event: Event) -> "Scope":
        """The parts of this event, views as before."""
        return Scope(self.reads, event, self.position, self.variables, self.aliases)

    def bind(self, variables: Mapping[str, Value]) -> "Scope":
        """The scope of a body that sees these variables and no others, and no event's parts."""
        return Scope(self.reads, None, self.position, variables, NOTHING)

    def within(self, name: str, value: Value) -> "Scope":
        """This scope and one more variable."""
        return Scope(self.reads, self.event, self.position, {**self.variables, name: value}, self.aliases)


def evaluate(expr: x.Expr, scope: Scope) -> Value:
    """The value of an expression."""
    match expr:
        case x.Const():
            return expr.value
        case x.Compare(op, left, right):
            return compare(op, evaluate(left, scope), evaluate(right, scope))
        case x.Field(base, name):
            return _field(evaluate(base, scope), name)
        case x.Part(alias, part, kind):
            event = scope.aliases[alias] if alias else scope.event
            assert event is not None
            return scope.reads.part(event, part, kind)
        case x.Attribute(name):
            return scope.reads.attribute(name)
        case x.Variable(name):
            return scope.variables[name]
        case x.Logical(op, operands):
            return _logical(op, operands, scope)
        case x.Not(operand):
            return negation(truth(operand, scope))
        case x.Matches(operand, regex):
            text = evaluate(operand, scope)
            gone = missing(text)
            return matches(cast(str, text), regex) if gone is None else gone
        case x.DefinitionCall(name, arguments):
            definition = scope.reads.contract.definitions[name]
            names = (p for p, _ in definition.parameters)
            bound = {n: evaluate(a, scope) for n, a in zip(names, arguments, strict=True)}
            return evaluate(definition.body, scope.bind(bound))
        case x.ViewCall(name, arguments):
            return scope.reads.view(name, tuple(evaluate(a, scope) for a in arguments), scope.position)
        case x.Label(name, alias):
            event = scope.aliases[alias] if alias else scope.event
            assert event is not None
            return scope.reads.label(event, name)
        case x.OneOf(item, members):
            one = evaluate(item, scope)
            return disjunction(compare("==", one, evaluate(m, scope)) for m in members)
        case x.Contains(container, item):
            return _contains(evaluate(container, scope), evaluate(item, scope))
        case x.Present(operand, present):
            value = evaluate(operand, scope)
            return value if isinstance(value, Unknown) else isinstance(value, Undefined) != present
        case x.Arithmetic(op, left, right):
            return _arithmetic(op, evaluate(left, scope), evaluate(right, scope))
        case x.IfElse(condition, then, otherwise):
            which = truth(condition, scope)
            return evaluate(then if which else otherwise, scope) if isinstance(which, bool) else which
        case x.Quantified():
            return _quantified(expr, scope)
        case x.Fold():
            return _fold(expr, scope)
        case x.Size(operand):
            xs = evaluate(operand, scope)
            gone = missing(xs)
            return len(cast(tuple[Value, ...], xs)) if gone is None else gone
        case x.Item(base, key):
            return _item(evaluate(base, scope), evaluate(key, scope))
        case x.EventPart(inner, part, kind):
            found = evaluate(inner, scope)
            return scope.reads.part(found, part, kind) if isinstance(found, Event) else found
        case x.Output():
            return scope.reads.output()
        case _:
            assert_never(expr)


def truth(expr: x.Expr, scope: Scope) -> Truth:
    """The truth value of a condition."""
    return cast(Truth, evaluate(expr, scope))


def holds(condition: x.Expr | None, scope: Scope) -> bool | Unknown:
    """A condition where it is asked for: undefined counts as false, conjunct by conjunct; none holds always."""
    unknown: list[Truth] = []
    for atom in x.conjuncts(condition):
        value = truth(atom, scope)
        if value is False or isinstance(value, Undefined):
            return False
        if isinstance(value, Unknown):
            unknown.append(value)
    return cast("bool | Unknown", conjunction(unknown))


# ---- operators -----------------------------------------------------------------------------------------------------------


def compare(op: Lit["==", "!=", "<", "<=", ">", ">="], left: Value, right: Value) -> Truth:
    """A comparison, strict; numbers exactly."""
    gone = missing(left, right)
    if gone is not None:
        return gone
    a, b = cast(Any, left), cast(Any, right)
    match op:
        case "==":
            return bool(a == b)
        case "!=":
            return bool(a != b)
        case "<":
            return bool(a < b)
        case "<=":
            return bool(a <= b)
        case ">":
            return bool(a > b)
        case ">=":
            return bool(a >= b)


def _logical(op: Lit["and", "or", "implies", "iff"], operands: tuple[x.Expr, ...], scope: Scope) -> Truth:
    match op:
        case "and":
            return conjunction(truth(o, scope) for o in operands)
        case "or":
            return disjunction(truth(o, scope) for o in operands)
        case "implies":
            given, then = operands
            return disjunction(t for t in _implication(given, then, scope))
        case "iff":
            left, right = operands
            return equivalence(truth(left, scope), truth(right, scope))


def _implication(given: x.Expr, then: x.Expr, scope: Scope) -> Iterator[Truth]:
    yield negation(truth(given, scope))
    yield truth(then, scope)


def _field(base: Value, name: str) -> Value:
    gone = missing(base)
    if gone is not None:
        return gone
    record = cast(Mapping[str, Value], base)
    return record[name] if name in record else Undefined(f"{name} is absent")


def _item(base: Value, key: Value) -> Value:
    gone = missing(base, key)
    if gone is not None:
        return gone
    if isinstance(base, Mapping):
        name = cast(str, key)
        return cast(Value, base[name]) if name in base else Undefined(f"there is no {name}")
    xs, place = cast(tuple[Value, ...], base), cast(int, key)
    return xs[place] if 0 <= place < len(xs) else Undefined(f"there is no element {place}")


def _contains(container: Value, item: Value) -> Truth:
    gone = missing(container)
    if gone is not None:
        return gone
    if isinstance(container, str):
        gone = missing(item)
        return cast(str, item) in container if gone is None else gone
    if isinstance(container, Mapping):
        gone = missing(item)
        return item in container if gone is None else gone
    return disjunction(compare("==", item, element) for element in cast(tuple[Value, ...], container))


def _arithmetic(op: Lit["+", "-", "*"], left: Value, right: Value) -> Value:
    gone = missing(left, right)
    if gone is not None:
        return gone
    a, b = cast(Any, left), cast(Any, right)
    try:
        match op:
            case "+":
                found = a + b
            case "-":
                found = a - b
            case "*":
                found = a * b
    except OverflowError:
        return Undefined("it lies beyond the calendar")
    return cast(Value, found)


def _quantified(expr: x.Quantified, scope: Scope) -> Truth:
    lists = [evaluate(xs, scope) for xs in expr.lists]
    gone = missing(*lists)
    if gone is not None:
        return gone
    rows = cast(list[tuple[Value, ...]], lists)
    if any(len(row) != len(rows[0]) for row in rows):
        return Undefined("the lists have different lengths")
    bodies = (_body(expr, scope, elements) for elements in zip(*rows, strict=True))
    match expr.word:
        case "any":
            return disjunction(bodies)
        case "all":
            return conjunction(bodies)
        case "no":
            return negation(disjunction(bodies))


def _body(expr: x.Quantified, scope: Scope, elements: tuple[Value, ...]) -> Truth:
    for name, element in zip(expr.variables, elements, strict=True):
        scope = scope.within(name, element)
    return truth(expr.body, scope)


def _fold(expr: x.Fold, scope: Scope) -> Value:
    xs = evaluate(expr.list, scope)
    gone = missing(xs)
    if gone is not None:
        return gone
    elements = cast(tuple[Value, ...], xs)
    bodies = [evaluate(expr.body, scope.within(expr.variable, element)) for element in elements]
    if expr.word == "first":
        for element, body in zip(elements, bodies, strict=True):
            if body is True:
                return element
            if body is not False:
                return body
        return Undefined("no element fits")
    gone = missing(*bodies)
    if gone is not None:
        return gone
    return sum(cast(list[int], bodies)) if expr.word == "sum" else sum(body is True for body in bodies)


# ---- texts ---------------------------------------------------------------------------------------------------------------

_LONE: Final = re.compile("[\ud800-\udfff]")


def matches(text: str, regex: str) -> bool:
    """Whether a text, NFC-normalised, has a match of the expression anywhere (RE2 syntax, case-sensitive)."""
    return _compiled(regex).search(_LONE.sub("\ufffd", normalize("NFC", text))) is not None


@lru_cache(maxsize=1024)
def _compiled(regex: str) -> Any:
    return re2.compile(regex)


# ---- keys ----------------------------------------------------------------------------------------------------------------


def key_of(value: Value) -> object:
    """A hashable stand-in for a value: two values have equal keys iff they are equal."""
    if isinstance(value, Event):
        return "event", value.index
    if isinstance(value, Undefined | Unknown):
        return type(value).__name__, value
    if isinstance(value, Mapping):
        return "record", tuple(sorted((k, key_of(v)) for k, v in value.items()))
    if isinstance(value, tuple):
        return "list", tuple(key_of(v) for v in value)
    if isinstance(value, bool | date | timedelta):
        return type(value).__name__, value
    return value
