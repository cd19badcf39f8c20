"""Resolved types of the language (language reference §2).

In: built by the resolver. Out: read by every later stage. Two types are the same type iff they are equal.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction

Number = int | Fraction
"""An exact number; never a float."""


@dataclass(frozen=True, slots=True)
class BoolType:
    """`bool`."""


@dataclass(frozen=True, slots=True)
class NumberType:
    """`int` (digits 0) or `decimal(n)`: n digits behind the point; bounds inclusive, None where open."""

    digits: int = 0
    low: Number | None = None
    high: Number | None = None


@dataclass(frozen=True, slots=True)
class DateType:
    """`date`, a calendar day; bounds inclusive."""

    low: date | None = None
    high: date | None = None


@dataclass(frozen=True, slots=True)
class TimeType:
    """`time`, an instant with a zone; bounds inclusive."""

    low: datetime | None = None
    high: datetime | None = None


@dataclass(frozen=True, slots=True)
class DurationType:
    """`duration`, an exact span of time; bounds inclusive."""

    low: timedelta | None = None
    high: timedelta | None = None


@dataclass(frozen=True, slots=True)
class StringType:
    """`string`."""


@dataclass(frozen=True, slots=True)
class EnumType:
    """An enum; `name` is empty where it was written in place. Members in the order of declaration."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetType:
    """`set of E`."""

    element: EnumType


@dataclass(frozen=True, slots=True)
class ListType:
    """`list of T max n`."""

    element: "Type"
    max: int


@dataclass(frozen=True, slots=True)
class MapType:
    """`map of T max n`: an object whose keys are data."""

    element: "Type"
    max: int


@dataclass(frozen=True, slots=True)
class RecordField:
    """One field of a record, a query, a tool's arguments or an output."""

    name: str
    type: "Type"
    optional: bool = False


@dataclass(frozen=True, slots=True)
class RecordType:
    """A record; `name` is empty where it was written in place. A recorded value may carry more keys than declared:
    they are not readable; the given query may not."""

    name: str
    fields: tuple[RecordField, ...]

    def field(self, name: str) -> RecordField | None:
        """The field of that name, or None."""
        return next((f for f in self.fields if f.name == name), None)


@dataclass(frozen=True, slots=True)
class EventType:
    """An event, as an alias or a view over a pattern gives it: `args`, `result`, `text` and `turn` can be read where typed.

    `arguments` and `result` are None where the pattern leaves them open (several tools that differ, or no type)."""

    arguments: RecordType | None
    result: "Type | None"
    message: bool


@dataclass(frozen=True, slots=True)
class UntypedType:
    """JSON without a declared type: it can be passed on in a trace, never read by an expression."""


Type = (
    BoolType | NumberType | DateType | TimeType | DurationType | StringType | EnumType | SetType | ListType | MapType | RecordType
    | EventType | UntypedType
)  # fmt: skip


def type_name(kind: Type) -> str:
    """The type in the words of the language."""
    match kind:
        case BoolType():
            return "bool"
        case NumberType(digits, low, high):
            base = f"decimal({digits})" if digits else "int"
            if low is None or high is None:
                least = "" if low is None else f" of at least {number_text(low)}"
                return f"{base}{least}" if high is None else f"{base} of at most {number_text(high)}"
            return f"{base} in {number_text(low)} .. {number_text(high)}"
        case DateType():
            return "date"
        case TimeType():
            return "time"
        case DurationType():
            return "duration"
        case StringType():
            return "string"
        case EnumType(name, members):
            return name or f"enum {{ {', '.join(members)} }}"
        case SetType(element):
            return f"set of {type_name(element)}"
        case ListType(element, most):
            return f"list of {type_name(element)} max {most}"
        case MapType(element, most):
            return f"map of {type_name(element)} max {most}"
        case RecordType(name):
            return name or "record"
        case EventType():
            return "event"
        case UntypedType():
            return "untyped JSON"


def number_text(value: Number | None) -> str:
    """An exact number as decimal text where it has one, else as a fraction; empty for None."""
    if value is None:
        return ""
    if isinstance(value, int) or value.denominator == 1:
        return str(int(value))
    rest, digits = value.denominator, 0
    while rest % 10 == 0:
        rest, digits = rest // 10, digits + 1
    twos = fives = 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    digits += max(twos, fives)
    scaled = abs(value.numerator) * 10**digits // value.denominator
    text = str(scaled).rjust(digits + 1, "0")
    return f"{'-' if value < 0 else ''}{text[:-digits]}.{text[-digits:]}"
