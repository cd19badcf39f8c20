"""A valuation read back as a query, in JSON and in the words of the contract.

In: the values of some constants of a vocabulary, the strings chosen for codes. Out: a whole query (what has no value gets the plainest one of its
type) and phrases such as `amount is 500.01`. Trusts nothing: the query is replayed in the reference interpreter before anyone sees it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, assert_never

from servanda.contracts.types import (
    BoolType,
    DateType,
    DurationType,
    EnumType,
    EventType,
    ListType,
    MapType,
    NumberType,
    RecordType,
    SetType,
    StringType,
    TimeType,
    Type,
    UntypedType,
    number_text,
)
from servanda.solver.symbols import DAY
from servanda.solver.vocabulary import Leaf, Path, Probe, Vocabulary, spell

PLAIN_DAY = date(2024, 1, 1)
"""The date a witness takes where the contract leaves the calendar open."""


@dataclass(frozen=True, slots=True)
class Valuation:
    """Values of leaves by name (bool, or the coded whole number), of probes by name within their list, and a string for each other code."""

    leaves: Mapping[str, bool | int]
    probes: Mapping[tuple[str, str], int]
    texts: Mapping[int, str]


def plain(kind: NumberType | DateType | TimeType) -> int:
    """The plainest coded value of a type: zero, or the first day of 2024, or the bound nearest to it."""
    match kind:
        case NumberType(digits, low, high):
            return _clip(0, 10**digits, low, high)
        case DateType(low, high):
            start, end = (None if b is None else b.toordinal() for b in (low, high))
            return PLAIN_DAY.toordinal() if low is None and high is None else _clip(start or 1, 1, start, end)
        case TimeType(low, high):
            if low is None and high is None:
                return PLAIN_DAY.toordinal() * DAY
            return time_code(low or (high or datetime.max.replace(tzinfo=UTC)))


def _clip(value: int, scale: int, low: int | Fraction | None, high: int | Fraction | None) -> int:
    if low is not None and value < low * scale:
        return int(-(-low * scale // 1))
    if high is not None and value > high * scale:
        return int(high * scale // 1)
    return value


def time_code(value: datetime) -> int:
    """An instant as microseconds, ordinal day 1 being day one."""
    return (value.astimezone(UTC) - datetime(1, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) + DAY


class Decoder:
    """Reads one valuation of one vocabulary."""

    def __init__(self, vocabulary: Vocabulary, valuation: Valuation) -> None:
        self._vocabulary = vocabulary
        self._v = valuation
        self._known = {code: text for text, code in vocabulary.texts.items()}
        self._made = dict(valuation.texts)

    def query(self) -> dict[str, Any]:
        """The whole query as JSON, attributes in the order of declaration; numbers are int or Decimal."""
        found: dict[str, Any] = {}
        for name, declared in self._vocabulary.attributes.items():
            paths: tuple[Path, ...] = ((name,),)
            there = not declared.optional or self._there(paths)
            # Left out, an optional attribute that can be observed would be unknown; null says that it is not there.
            found[name] = self._value(paths, declared.type) if there else None
        return found

    # `paths`: the reads of one place of the query; they agree, so the first that has a value tells it.

    def _read(self, paths: tuple[Path, ...], mark: str = "") -> bool | int | None:
        return next((self._v.leaves[n] for p in paths if (n := spell(p) + mark) in self._v.leaves), None)

    def _there(self, paths: tuple[Path, ...]) -> bool:
        return bool(self._read(paths, "?"))

    def _value(self, paths: tuple[Path, ...], kind: Type) -> Any:
        match kind:
            case BoolType():
                return bool(self._read(paths))
            case NumberType() | DateType() | TimeType():
                code = self._read(paths)
                return json_value(kind, plain(kind) if code is None else int(code))
            case EnumType(_, members):
                return members[self._read(paths) or 0]
            case StringType():
                code = self._read(paths)
                return self.text(-1 if code is None else int(code))
            case SetType(element):
                return [m for i, m in enumerate(element.members) if self._read(paths, f"∋{i}")]
            case RecordType(_, fields):
                found: dict[str, Any] = {}
                for field in fields:
                    inner = tuple((*p, field.name) for p in paths)
                    if not field.optional or self._there(inner):
                        found[field.name] = self._value(inner, field.type)
                return found
            case ListType(element, _):
                return [self._value(tuple(self._at(paths, i)), element) for i in range(self._read(paths, "#") or 0)]
            case MapType():
                return {}
            case DurationType() | EventType() | UntypedType():
                return None
            case _:
                assert_never(kind)

    def _at(self, paths: tuple[Path, ...], index: int) -> Iterator[Path]:
        for path in paths:
            yield (*path, index)
            for probe in self._vocabulary.probes.get(path, ()):
                if self._v.probes.get((spell(path), probe.name)) == index:
                    yield (*path, probe)

    def text(self, code: int) -> str:
        """The string of a code: the known one, the one chosen, or a plain one that is neither."""
        if code in self._known:
            return self._known[code]
        if code not in self._made:
            taken = {*self._known.values(), *self._made.values()}
            self._made[code] = next(t for t in _plain_strings() if t not in taken)
        return self._made[code]

    # ---- words -----------------------------------------------------------------------------------------------------

    def phrase(self, leaf: Leaf) -> str:
        """What the leaf says of the query, in contract words."""
        place, value = self._place(leaf.path), self._v.leaves[leaf.name]
        match leaf.role:
            case "index":
                return ""
            case "presence":
                return f"{place} is {'present' if value else 'absent'}"
            case "length":
                return f"{place} has {value} element{'' if value == 1 else 's'}"
            case "member":
                assert isinstance(leaf.type, SetType)
                member = leaf.type.element.members[leaf.member]
                return f"{place} {'contains' if value else 'does not contain'} {member}"
            case "value":
                return f"{place} is {self._literal(leaf.type, value)}"

    def _place(self, path: Path) -> str:
        shown: list[str | int | Probe] = []
        for i, part in enumerate(path):
            if isinstance(part, Probe):
                part = self._v.probes[(spell(path[:i]), part.name)]
            shown.append(part)
        return spell(tuple(shown)) if shown else ""

    def _literal(self, kind: Type, value: bool | int) -> str:
        match kind:
            case BoolType():
                return "true" if value else "false"
            case NumberType(digits):
                return _padded(int(value), digits)
            case EnumType(_, members):
                return members[value]
            case StringType():
                return '"' + self.text(int(value)).replace("\\", "\\\\").replace('"', '\\"') + '"'
            case DateType() | TimeType():
                return str(json_value(kind, int(value)))
            case _:
                return str(value)


def _padded(value: int, digits: int) -> str:
    whole, _, rest = number_text(Fraction(value, 10**digits)).partition(".")
    return f"{whole}.{rest.ljust(digits, '0')}" if digits else whole


def json_value(kind: NumberType | DateType | TimeType, code: int) -> Any:
    """A coded scalar as JSON: int or Decimal, or the text of a date, time or duration."""
    match kind:
        case NumberType(digits):
            return code if digits == 0 else Decimal(code).scaleb(-digits)
        case DateType():
            return date.fromordinal(code).isoformat()
        case TimeType():
            instant = datetime(1, 1, 1, tzinfo=UTC) + timedelta(microseconds=code - DAY)
            return instant.isoformat().replace("+00:00", "Z")


def _plain_strings() -> Iterator[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    number = 0
    while True:
        yield letters[number % 26] + (str(number // 26) if number >= 26 else "")
        number += 1
