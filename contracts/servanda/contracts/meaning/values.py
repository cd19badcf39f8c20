"""Values of the language, the two ways in which one is missing, and strong Kleene logic over them (language reference §2 and §4).

In: JSON with exact numbers, and a type. Out: values: bool; int or Fraction; str (enum members too); date, datetime, timedelta; tuples for
lists; read-only mappings for records, which hold their declared fields only; an event where a view gives one. Pure.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, assert_never

from servanda.contracts.cell import Hinge
from servanda.contracts.observed import Event, Json
from servanda.contracts.types import (
    BoolType,
    DateType,
    DurationType,
    EnumType,
    EventType,
    ListType,
    MapType,
    Number,
    NumberType,
    RecordType,
    SetType,
    StringType,
    TimeType,
    Type,
    UntypedType,
    number_text,
    type_name,
)


@dataclass(frozen=True, slots=True)
class ViewMiss:
    """A view without a match strictly before the judged event: its instance in contract words (`order("A1")`), the tools whose successful call
    would define it, and whether it has a match elsewhere in the trace. `open`: where that is unknown, what it hangs on (`later` is False)."""

    view: str
    tools: tuple[str, ...]
    later: bool
    open: "Unknown | None" = None


@dataclass(frozen=True, slots=True)
class Undefined:
    """A complete trace supplies no value. `views`: the views whose being undefined alone made it so; empty where anything else did."""

    reason: str
    views: tuple[ViewMiss, ...] = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value exists, or could, and was not recorded. `hinges`: what it hangs on, sorted, each once."""

    hinges: tuple[Hinge, ...]


Plain = bool | Number | str | date | timedelta | tuple[Any, ...] | Mapping[str, Any] | Event
"""A value that is there. Parts of a list or record of arguments may be Undefined where they do not have their type."""

Value = Plain | Undefined | Unknown
Truth = bool | Undefined | Unknown


def unknown(name: str, text: str, key: str = "") -> Unknown:
    """The unknown that hangs on one thing."""
    return Unknown((Hinge(name, text, key),))


def merge_unknown(parts: Iterable[Unknown]) -> Unknown:
    """The unknown that hangs on all that its parts hang on."""
    hinges = {h: None for part in parts for h in part.hinges}
    return Unknown(tuple(sorted(hinges, key=lambda h: (h.name, h.text))))


def merge_undefined(parts: Iterable[Undefined], *, each: bool) -> Undefined:
    """Several undefined operands as one. `each`: all of them would have to be defined (`and`, comparisons), not just one (`or`)."""
    found = tuple(parts)
    reason = "; ".join(dict.fromkeys(p.reason for p in found))
    if each and not all(p.views for p in found):
        return Undefined(reason)
    views = {v: None for p in found for v in p.views}
    return Undefined(reason, tuple(sorted(views, key=lambda v: v.view)))


# ---- strong Kleene -----------------------------------------------------------------------------------------------------


def negation(truth: Truth) -> Truth:
    """`not`."""
    return not truth if isinstance(truth, bool) else truth


def conjunction(truths: Iterable[Truth]) -> Truth:
    """`and`: false wins, then unknown, then undefined. Stops at the first false."""
    unknowns: list[Unknown] = []
    undefined: list[Undefined] = []
    for truth in truths:
        if truth is False:
            return False
        if isinstance(truth, Unknown):
            unknowns.append(truth)
        elif isinstance(truth, Undefined):
            undefined.append(truth)
    if unknowns:
        return merge_unknown(unknowns)
    return merge_undefined(undefined, each=True) if undefined else True


def disjunction(truths: Iterable[Truth]) -> Truth:
    """`or`: true wins, then unknown, then undefined. Stops at the first true."""
    unknowns: list[Unknown] = []
    undefined: list[Undefined] = []
    for truth in truths:
        if truth is True:
            return True
        if isinstance(truth, Unknown):
            unknowns.append(truth)
        elif isinstance(truth, Undefined):
            undefined.append(truth)
    if unknowns:
        return merge_unknown(unknowns)
    return merge_undefined(undefined, each=False) if undefined else False


def missing(*operands: Value) -> Undefined | Unknown | None:
    """What a strict operator gives where an operand is not there: undefined where one is for certain, else unknown; None where all are there."""
    undefined = [o for o in operands if isinstance(o, Undefined)]
    if undefined:
        return merge_undefined(undefined, each=True)
    unknowns = [o for o in operands if isinstance(o, Unknown)]
    return merge_unknown(unknowns) if unknowns else None


def equivalence(left: Truth, right: Truth) -> Truth:
    """`iff`, strict in both."""
    gone = missing(left, right)
    return left is right if gone is None else gone


def settled(truth: Truth) -> bool | Unknown:
    """A condition where it is asked for: undefined counts as false (patterns, guards, `only if`, output rules)."""
    return False if isinstance(truth, Undefined) else truth


# ---- from JSON ---------------------------------------------------------------------------------------------------------


class Mismatch(Exception):
    """A JSON value does not have its type. `path`: a JSON path below the value, empty for itself. `beyond`: it is of the right kind, and only
    outside the declared range or longer than the declared length."""

    def __init__(self, path: str, expected: str, found: str, *, beyond: bool = False) -> None:
        super().__init__(f"{path or 'the value'}: expected {expected}, found {found}")
        self.path = path
        self.expected = expected
        self.found = found
        self.beyond = beyond


LARGEST_EXPONENT: Final = 400
"""Numbers with more digits than this before or behind the point are no amounts of anything."""

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


class Reader:
    """Reads JSON by types. `remarks` gathers what was read all the same: decimals with more digits than declared.

    Strict (`lenient` False): the first misfit raises Mismatch. Lenient: a misfit of kind becomes Undefined in its place, a value beyond its
    range or length is kept, and both are told in `misfits`."""

    def __init__(self, *, lenient: bool = False) -> None:
        self.remarks: list[str] = []
        self.misfits: list[Mismatch] = []
        self._lenient = lenient

    def read(self, json: Json, kind: Type, path: str = "") -> Value:
        """The value. Raises Mismatch where strict."""
        if not self._lenient:
            return self._read(json, kind, path)
        try:
            return self._read(json, kind, path)
        except Mismatch as misfit:
            self.misfits.append(misfit)
            return Undefined(f"{misfit.path or 'the value'} is no {misfit.expected}")

    def _read(self, json: Json, kind: Type, path: str) -> Value:
        match kind:
            case BoolType():
                if isinstance(json, bool):
                    return json
            case NumberType():
                return self._number(json, kind, path)
            case StringType():
                if isinstance(json, str):
                    return json
            case EnumType(_, members):
                if isinstance(json, str) and json in members:
                    return json
            case DateType(low, high):
                day = _day(json)
                if day is not None:
                    self._within(day, low, high, kind, json, path)
                    return day
            case TimeType(low, high):
                instant = _instant(json)
                if instant is not None:
                    self._within(instant, low, high, kind, json, path)
                    return instant
            case ListType(element, most):
                if isinstance(json, list | tuple):
                    self._length(json, most, kind, path)
                    return tuple(self.read(item, element, f"{path}[{i}]") for i, item in enumerate(json))
            case SetType(element):
                if isinstance(json, list | tuple):
                    return tuple(self.read(item, element, f"{path}[{i}]") for i, item in enumerate(json))
            case MapType(element, most):
                if isinstance(json, Mapping):
                    self._length(json, most, kind, path)
                    found = {str(k): self.read(v, element, f"{path}.{k}" if path else str(k)) for k, v in json.items()}
                    return MappingProxyType(found)
            case RecordType():
                if isinstance(json, Mapping):
                    return self._record(json, kind, path)
            case UntypedType():
                return Undefined("it has no declared type")
            case DurationType() | EventType():
                pass
            case _:
                assert_never(kind)
        raise Mismatch(path, type_name(kind), json_text(json))

    def _record(self, json: Mapping[str, Json], kind: RecordType, path: str) -> Mapping[str, Any]:
        found: dict[str, Value] = {}
        for field in kind.fields:
            below = f"{path}.{field.name}" if path else field.name
            given = json.get(field.name)
            there = field.name in json
            if not there or (given is None and not isinstance(field.type, UntypedType)):
                if field.optional:
                    continue
                misfit = Mismatch(below, type_name(field.type), "null" if there else "nothing")
                if not self._lenient:
                    raise misfit
                self.misfits.append(misfit)
                found[field.name] = Undefined(f"{below} is missing")
            else:
                found[field.name] = self.read(given, field.type, below)
        return MappingProxyType(found)

    def _number(self, json: Json, kind: NumberType, path: str) -> Number:
        value = exact(json)
        if value is None or (kind.digits == 0 and Fraction(value).denominator != 1):
            raise Mismatch(path, type_name(kind), json_text(json))
        self._within(value, kind.low, kind.high, kind, json, path)
        if (value * 10**kind.digits).denominator != 1:
            self.remarks.append(f"{path or 'the value'} has more digits than {type_name(kind)}: {number_text(value)}")
        return value

    def _within(self, value: Any, low: Any, high: Any, kind: Type, json: Json, path: str) -> None:
        if (low is not None and value < low) or (high is not None and value > high):
            self._beyond(Mismatch(path, type_name(kind), json_text(json), beyond=True))

    def _length(self, json: Any, most: int, kind: Type, path: str) -> None:
        if len(json) > most:
            self._beyond(Mismatch(path, type_name(kind), f"{len(json)} elements", beyond=True))

    def _beyond(self, misfit: Mismatch) -> None:
        if not self._lenient:
            raise misfit
        self.misfits.append(misfit)


def typed(json: Json, kind: Type) -> Value:
    """The value of JSON that has the type. Raises Mismatch otherwise."""
    return Reader().read(json, kind)


def exact(json: Json) -> Number | None:
    """The number a JSON value is, or None. A bool is none."""
    if isinstance(json, bool):
        return None
    if isinstance(json, int):
        return json
    if isinstance(json, float):
        json = Decimal(repr(json))
    if isinstance(json, Fraction):
        return json.numerator if json.denominator == 1 else json
    if not isinstance(json, Decimal) or not json.is_finite() or abs(json.adjusted()) > LARGEST_EXPONENT:
        return None
    if len(json.as_tuple().digits) > LARGEST_EXPONENT:
        return None
    value = Fraction(json)
    return value.numerator if value.denominator == 1 else value


def _day(json: Json) -> date | None:
    if not isinstance(json, str) or not _DAY.fullmatch(json):
        return None
    try:
        return date.fromisoformat(json)
    except ValueError:
        return None


def _instant(json: Json) -> datetime | None:
    if not isinstance(json, str):
        return None
    try:
        found = datetime.fromisoformat(json)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


# ---- in words ----------------------------------------------------------------------------------------------------------

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST: Final = 80


def show(value: Value, kind: Type | None = None) -> str:
    """A value in contract words: members of enums bare where they are names, other texts in quotes, lists and records cut to one short line."""
    if isinstance(value, Undefined):
        return "undefined"
    if isinstance(value, Unknown):
        return "unknown"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Fraction):
        return number_text(value)
    if isinstance(value, str):
        bare = isinstance(kind, EnumType) and _WORD.fullmatch(value)
        return value if bare else _cut('"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"')
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _duration(value)
    if isinstance(value, Event):
        return f"event {value.index}"
    if isinstance(value, Mapping):
        fields = kind if isinstance(kind, RecordType) else None
        parts = (f"{k}: {show(v, _type_of(fields, k))}" for k, v in value.items())
        return _cut("{ " + "  ".join(parts) + " }") if value else "{ }"
    element = kind.element if isinstance(kind, ListType | SetType) else None
    return _cut("[" + ", ".join(show(item, element) for item in value) + "]")


def _type_of(record: RecordType | None, name: str) -> Type | None:
    found = record.field(name) if record else None
    return found.type if found else None


def _duration(value: timedelta) -> str:
    seconds = value // timedelta(seconds=1)
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def json_text(json: Json) -> str:
    """A JSON value in a few words, for messages about what does not have its type."""
    if json is None:
        return "null"
    if isinstance(json, bool):
        return "true" if json else "false"
    if isinstance(json, Mapping):
        return "an object"
    if isinstance(json, list | tuple):
        return "a list"
    if isinstance(json, str):
        return show(json)
    return _cut(str(json))
