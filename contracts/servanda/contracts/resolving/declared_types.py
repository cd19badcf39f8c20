"""The types a contract declares, and the types written where one is used.

In: `enum` and `record` declarations, types as written. Out: resolved types; BROKEN for one that was reported. Language reference §2.
"""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from servanda.contracts.resolving.expressions import calendar_day
from servanda.contracts.resolving.faults import Faults
from servanda.contracts.resolving.typing_rules import BROKEN
from servanda.contracts.types import (
    BoolType,
    DateType,
    EnumType,
    ListType,
    Number,
    NumberType,
    RecordField,
    RecordType,
    StringType,
    Type,
    number_text,
)
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Note, nearest
from servanda.grammar.span import Span

MAX_DIGITS = 18
MAX_LIST = 10_000


class DeclaredTypes:
    """Enums and records by name. A record is resolved when it is first asked for, so their order does not matter."""

    def __init__(self, items: Iterable[s.Item], faults: Faults) -> None:
        self._faults = faults
        self._declared: dict[str, s.EnumDecl | s.RecordDecl] = {}
        self._resolved: dict[str, Type] = {}
        self._open: list[str] = []
        for item in items:
            if not isinstance(item, s.EnumDecl | s.RecordDecl):
                continue
            first = self._declared.setdefault(item.name.text, item)
            if first is not item:
                faults.error(
                    "C111",
                    item.name.span,
                    f"the type '{item.name.text}' is declared twice",
                    notes=(Note("it is declared here first", first.name.span),),
                )
                self._members(item) if isinstance(item, s.EnumDecl) else self._record(item)

    def resolve_all(self) -> dict[str, Type]:
        """Every declared type by name."""
        return {name: self._named(name) for name in self._declared}

    def type_of(self, node: s.Type) -> Type:
        """The type as written; BROKEN once a fault is recorded."""
        match node:
            case s.ScalarType():
                return self._scalar(node)
            case s.EnumType(members, span):
                return (
                    EnumType("", self._distinct(members))
                    if members
                    else self._broken("C138", span, "an enum has a member")
                )
            case s.ListType(element, most, span):
                if not 1 <= most <= MAX_LIST:
                    return self._broken("C138", span, f"a list has a `max` of 1 to {MAX_LIST}, not {most}")
                inner = self.type_of(element)
                return BROKEN if inner == BROKEN else ListType(inner, most)
            case s.RecordType(fields):
                return RecordType("", self.fields(fields, "this record"))
            case s.NamedType(name):
                if name.text in self._declared:
                    return self._named(name.text)
                words = ("bool", "int", "decimal", "date", "string", "enum", "list")
                hint = nearest(name.text, (*self._declared, *words))
                return self._broken("C119", name.span, f"no type is called '{name.text}'", hint)
            case s.SetType(element) | s.MapType(element):
                self.type_of(element)
                return BROKEN
            case _:
                assert_never(node)

    def fields(self, fields: tuple[s.Field, ...], owner: str) -> tuple[RecordField, ...]:
        """The resolved fields; a name that stands twice is reported and its first use taken."""
        found: dict[str, RecordField] = {}
        for field in fields:
            kind = self.type_of(field.type)
            if field.key in found:
                self._faults.error("C111", field.name.span, f"{owner} has two fields called '{field.key}'")
                continue
            found[field.key] = RecordField(field.key, kind, field.optional)
        return tuple(found.values())

    def _named(self, name: str) -> Type:
        if name in self._resolved:
            return self._resolved[name]
        item = self._declared[name]
        if isinstance(item, s.EnumDecl):
            self._resolved[name] = EnumType(name, self._members(item))
            return self._resolved[name]
        if name in self._open:
            cycle = " -> ".join([*self._open[self._open.index(name) :], name])
            self._faults.error("C134", item.name.span, f"the record '{name}' holds itself: {cycle}")
            return BROKEN
        self._open.append(name)
        self._resolved[name] = self._record(item)
        self._open.pop()
        return self._resolved[name]

    def _record(self, item: s.RecordDecl) -> Type:
        return RecordType(item.name.text, self.fields(item.fields, f"the record '{item.name.text}'"))

    def _members(self, item: s.EnumDecl) -> tuple[str, ...]:
        return self._distinct(item.members)

    def _distinct(self, members: tuple[s.Name | s.Text, ...]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for member in members:
            text = member.text if isinstance(member, s.Name) else member.value
            if text in found:
                self._faults.error("C111", member.span, f"the member '{text}' stands twice in this enum")
            found[text] = None
        return tuple(found)

    def _scalar(self, node: s.ScalarType) -> Type:
        match node.kind:
            case "bool":
                return BoolType()
            case "string":
                return StringType()
            case "int":
                low, high = self._numbers(node.range, 0)
                return NumberType(0, low, high)
            case "decimal":
                digits = node.digits or 0
                if not 1 <= digits <= MAX_DIGITS:
                    hint = "write `int`" if digits == 0 else ""
                    return self._broken(
                        "C138", node.span, f"a decimal has 1 to {MAX_DIGITS} digits, not {digits}", hint
                    )
                low, high = self._numbers(node.range, digits)
                return NumberType(digits, low, high)
            case "date":
                return self._dates(node.range)
            case "time" | "duration":
                return BROKEN
            case _:
                assert_never(node.kind)

    def _numbers(self, bounds: s.Range | None, digits: int) -> tuple[Number | None, Number | None]:
        if bounds is None:
            return None, None
        found: list[Number] = []
        for end in (bounds.low, bounds.high):
            if (
                not isinstance(end, s.Literal)
                or not isinstance(end.value, int | Decimal)
                or end.kind not in ("int", "decimal")
            ):
                self._faults.error("C135", end.span, "a bound of a number is a number")
                continue
            value = Fraction(end.value)
            if (value * 10**digits).denominator != 1:
                self._faults.error(
                    "C135",
                    end.span,
                    f"this bound has more digits than {f'decimal({digits})' if digits else 'an int'} can have",
                )
                continue
            found.append(value.numerator if value.denominator == 1 else value)
        if len(found) < 2:
            return None, None
        if found[0] > found[1]:
            self._empty(bounds.span, number_text(found[0]), number_text(found[1]))
        return found[0], found[1]

    def _dates(self, bounds: s.Range | None) -> DateType:
        if bounds is None:
            return DateType()
        found: list[date] = []
        for end in (bounds.low, bounds.high):
            day = calendar_day(str(end.value)) if isinstance(end, s.Literal) and end.kind == "date" else None
            if day is None:
                self._faults.error("C135", end.span, "a bound of a date is a day of the calendar, such as 2026-05-01")
            else:
                found.append(day)
        if len(found) < 2:
            return DateType()
        if found[0] > found[1]:
            self._empty(bounds.span, found[0].isoformat(), found[1].isoformat())
        return DateType(found[0], found[1])

    def _empty(self, span: Span, low: str, high: str) -> None:
        self._faults.error("C135", span, f"the range {low} .. {high} holds nothing: its end lies before its start")

    def _broken(self, code: str, span: Span, message: str, hint: str = "") -> Type:
        self._faults.error(code, span, message, help=hint)
        return BROKEN
