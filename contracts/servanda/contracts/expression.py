"""Typed expressions: what the resolver makes of what was written, and what every later stage evaluates or encodes.

Each node has its `type` and the `span` it came from; spans take no part in comparisons, so two expressions are equal iff they mean the
same term. Names are resolved: no node here has to be looked up by kind. Values (language reference §2): bool; int or Fraction for numbers;
str for strings and enum members; date, datetime (with zone), timedelta; tuple for lists; read-only mappings for records and maps.
"""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Literal as Lit

from servanda.contracts.types import BoolType, Number, NumberType, StringType, Type
from servanda.grammar.span import NOWHERE, Span

Scalar = bool | int | Number | str | date | datetime | timedelta


def _span() -> Span:
    return field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Const:
    """A constant; an enum member is its string with the enum's type."""

    value: Scalar
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Attribute:
    """A query attribute."""

    name: str
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: of a quantifier or fold, of an enclosing `for each`, or a parameter of a definition, event or view."""

    name: str
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Part:
    """`args`, `result`, `text` or `turn` of an event: the judged one (`alias` empty) or a named one (`as x`)."""

    alias: str
    part: Lit["args", "result", "text", "turn"]
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class EventPart:
    """A part of the event that `event` (a view over a pattern, of `EventType`) evaluates to."""

    event: "Expr"
    part: Lit["args", "result", "text", "turn"]
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Label:
    """A label of the judged event, or of the event named `alias`."""

    name: str
    alias: str
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Output:
    """The output of the run: the whole (`field` of it by `Field`)."""

    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class DefinitionCall:
    """A definition, with its arguments."""

    name: str
    arguments: tuple["Expr", ...]
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ViewCall:
    """A view, with its arguments: the value its `last …` has strictly before the judged event, or undefined."""

    name: str
    arguments: tuple["Expr", ...]
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Field:
    """`base.name` of a record; undefined where an optional field is absent."""

    base: "Expr"
    name: str
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Item:
    """`base[key]` of a list (from 0) or map; undefined beyond it."""

    base: "Expr"
    key: "Expr"
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Not:
    """Negation, strong Kleene."""

    operand: "Expr"
    span: Span = _span()
    type: Type = BoolType()


@dataclass(frozen=True, slots=True)
class Logical:
    """`and`, `or` (two or more operands), `implies`, `iff` (two), strong Kleene."""

    op: Lit["and", "or", "implies", "iff"]
    operands: tuple["Expr", ...]
    span: Span = _span()
    type: Type = BoolType()


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two terms of one family; order only for numbers, dates, times, durations."""

    op: Lit["==", "!=", "<", "<=", ">", ">="]
    left: "Expr"
    right: "Expr"
    span: Span = _span()
    type: Type = BoolType()


@dataclass(frozen=True, slots=True)
class OneOf:
    """`item in { … }`."""

    item: "Expr"
    members: tuple["Expr", ...]
    span: Span = _span()
    type: Type = BoolType()


@dataclass(frozen=True, slots=True)
class Contains:
    """`item in container` and `container contains item`: a list's elements, a map's keys, or a part of a string."""

    container: "Expr"
    item: "Expr"
    span: Span = _span()
    type: Type = BoolType()


@dataclass(frozen=True, slots=True)
class Matches:
    """`operand matches /regex/`: RE2 syntax, searched anywhere, case-sensitive."""

    operand: "Expr"
    regex: str
    span: Span = _span()
    type: Type = BoolType()


@dataclass(frozen=True, slots=True)
class Present:
    """`operand is present` (or absent): never undefined itself."""

    operand: "Expr"
    present: bool
    span: Span = _span()
    type: Type = BoolType()


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`+`, `-`, and `*` by a constant; numbers, dates and durations."""

    op: Lit["+", "-", "*"]
    left: "Expr"
    right: "Expr"
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class IfElse:
    """`(if condition then a else b)`; both of one family."""

    condition: "Expr"
    then: "Expr"
    otherwise: "Expr"
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Quantified:
    """`any|all|no x in xs: (body)`; several variables walk lists in parallel."""

    word: Lit["any", "all", "no"]
    variables: tuple[str, ...]
    lists: tuple["Expr", ...]
    body: "Expr"
    span: Span = _span()
    type: Type = BoolType()


@dataclass(frozen=True, slots=True)
class Fold:
    """`count|sum|first x in xs: (body)`: how many fit, the total of the body, the first element that fits (undefined if none)."""

    word: Lit["count", "sum", "first"]
    variable: str
    list: "Expr"
    body: "Expr"
    type: Type
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Size:
    """`count(xs)`."""

    list: "Expr"
    span: Span = _span()
    type: Type = NumberType()


Expr = (
    Const | Attribute | Variable | Part | EventPart | Label | Output | DefinitionCall | ViewCall | Field | Item | Not | Logical | Compare
    | OneOf | Contains | Matches | Present | Arithmetic | IfElse | Quantified | Fold | Size
)  # fmt: skip

TEXT = StringType()


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct operands, in the order written."""
    match expr:
        case Const() | Attribute() | Variable() | Part() | Label() | Output():
            return ()
        case (
            EventPart(event=inner)
            | Field(base=inner)
            | Not(operand=inner)
            | Matches(operand=inner)
            | Present(operand=inner)
            | Size(list=inner)
        ):
            return (inner,)
        case DefinitionCall(arguments=many) | ViewCall(arguments=many) | Logical(operands=many):
            return many
        case (
            Item(base=a, key=b)
            | Compare(left=a, right=b)
            | Arithmetic(left=a, right=b)
            | Contains(container=a, item=b)
            | Fold(list=a, body=b)
        ):
            return (a, b)
        case OneOf(item=item, members=members):
            return (item, *members)
        case IfElse(condition=c, then=a, otherwise=b):
            return (c, a, b)
        case Quantified(lists=lists, body=body):
            return (*lists, body)


def conjuncts(expr: Expr | None) -> tuple[Expr, ...]:
    """The atoms of a condition: the operands of its outermost `and`s; none for no condition."""
    if expr is None:
        return ()
    if isinstance(expr, Logical) and expr.op == "and":
        return tuple(a for o in expr.operands for a in conjuncts(o))
    return (expr,)
