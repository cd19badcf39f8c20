"""Data in a test block: written values to JSON with exact numbers, held against the types they are declared with.

In: a value as written, the type it should have. Out: the JSON value; a fault where it does not have the type. A bare name is an enum
member, that is, a string. Language reference §7.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Any

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
    RecordType,
    StringType,
    Type,
    UntypedType,
    number_text,
    type_name,
)
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import nearest

UNTYPED = UntypedType()


def json_of(node: s.Value) -> Any:
    """The JSON value of written data; dates are ISO text, numbers int or Decimal."""
    match node:
        case s.Literal(_, value):
            return value
        case s.Name(text):
            return text
        case s.ObjectValue(entries):
            return {key_of(k): json_of(v) for k, v in entries}
        case s.ArrayValue(items):
            return [json_of(i) for i in items]
        case s.NullValue():
            return None


def key_of(name: s.Name | s.Text) -> str:
    """A key as text."""
    return name.text if isinstance(name, s.Name) else name.value


class TestValues:
    """Holds written data against types; what does not fit is recorded at its place."""

    __test__ = False

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    def check(self, node: s.Value, kind: Type, what: str, *, optional: bool = False) -> None:
        """Record every part of the value that does not have its type. `what` names the place in messages."""
        if kind in (BROKEN, UNTYPED):
            self._duplicates(node)
            return
        if optional and isinstance(node, s.NullValue):
            return
        match kind, node:
            case BoolType(), s.Literal("bool"):
                return
            case NumberType(), s.Literal("int" | "decimal", int() | Decimal() as value):
                self._number(node, kind, Fraction(value), what)
                return
            case DateType(), s.Literal("date", str() as text):
                self._date(node, kind, text, what)
                return
            case StringType(), s.Literal("string"):
                return
            case EnumType(), s.Name() | s.Literal("string"):
                text = json_of(node)
                if text not in kind.members:
                    hint = nearest(text, kind.members) or f"its members are {', '.join(kind.members)}"
                    self._wrong(node, f"'{text}' is no member of {type_name(kind)}", hint)
                return
            case ListType(element, most), s.ArrayValue(items):
                if len(items) > most:
                    self._wrong(node, f"{what} holds at most {most} elements, not {len(items)}")
                for place, item in enumerate(items):
                    self.check(item, element, f"{what}[{place}]")
                return
            case RecordType(), s.ObjectValue():
                self.check_object(node, kind, what, closed=False)
                return
        hint = "write it in quotes" if isinstance(node, s.Name) and isinstance(kind, StringType) else ""
        self._wrong(node, f"{what} is {type_name(kind)}, not {_seen(node)}", hint)

    def check_object(
        self, node: s.ObjectValue, kind: RecordType, what: str, *, closed: bool, whole: bool = True, types: bool = True
    ) -> None:
        """Hold an object against a record. `closed`: no other keys; `whole`: fields that are not optional are there; `types`: values too."""
        self._duplicates(node)
        seen: set[str] = set()
        for key, value in node.entries:
            name = key_of(key)
            seen.add(name)
            declared = kind.field(name)
            if declared is None:
                if closed:
                    known = [f.name for f in kind.fields]
                    hint = nearest(name, known) or (f"there is {', '.join(known)}" if known else "")
                    self._faults.error("C146", key.span, f"{what} has no '{name}'", help=hint)
                continue
            if types:
                self.check(value, declared.type, name, optional=declared.optional)
        missing = [f.name for f in kind.fields if not f.optional and f.name not in seen]
        if whole and missing:
            self._wrong(node, f"{what} lacks {', '.join(missing)}")

    def _duplicates(self, node: s.Value) -> None:
        match node:
            case s.ObjectValue(entries):
                seen: set[str] = set()
                for key, value in entries:
                    if key_of(key) in seen:
                        self._faults.error("C111", key.span, f"the key '{key_of(key)}' stands twice in this object")
                    seen.add(key_of(key))
                    self._duplicates(value)
            case s.ArrayValue(items):
                for item in items:
                    self._duplicates(item)
            case s.Literal("duration"):
                self._wrong(node, "a duration is no JSON value")

    def _number(self, node: s.Value, kind: NumberType, value: Fraction, what: str) -> None:
        if (value * 10**kind.digits).denominator != 1:
            self._wrong(node, f"{what} is {type_name(kind)}, and {number_text(value)} has more digits")
        elif not _within(value, kind.low, kind.high):
            self._wrong(node, f"{what} is {type_name(kind)}, and {number_text(value)} lies outside")

    def _date(self, node: s.Value, kind: DateType, text: str, what: str) -> None:
        day = calendar_day(text)
        if day is None:
            self._wrong(node, f"{text} is no day of the calendar")
        elif (kind.low and day < kind.low) or (kind.high and day > kind.high):
            self._wrong(node, f"{what} is a date in {kind.low} .. {kind.high}, and {text} lies outside")

    def _wrong(self, node: s.Value, message: str, hint: str = "") -> None:
        self._faults.error("C146", node.span, message, help=hint)


def _within(value: Number, low: Number | None, high: Number | None) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


def _seen(node: s.Value) -> str:
    match node:
        case s.Literal(kind):
            return {
                "bool": "a bool",
                "int": "an int",
                "decimal": "a decimal",
                "string": "a string",
                "date": "a date",
            }.get(kind, kind)
        case s.Name(text):
            return f"the name '{text}'"
        case s.ObjectValue():
            return "an object"
        case s.ArrayValue():
            return "a list"
        case s.NullValue():
            return "null"
