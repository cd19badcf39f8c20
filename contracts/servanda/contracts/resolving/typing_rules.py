"""Which types go together: families, comparison, assignment, and the type that covers two others.

In: resolved types. Out: yes or no, or a type. Pure; reports nothing. Language reference §2.
"""

from typing import Final
from typing import Literal as Lit

from servanda.contracts.types import (
    BoolType,
    DateType,
    DurationType,
    EnumType,
    EventType,
    ListType,
    MapType,
    NumberType,
    RecordField,
    RecordType,
    SetType,
    StringType,
    TimeType,
    Type,
    UntypedType,
)

Family = Lit[
    "bool", "number", "date", "time", "duration", "string", "enum", "set", "list", "map", "record", "event", "untyped"
]

BROKEN: Final[Type] = RecordType("<ill-typed>", ())
"""The type of what was already reported: everything that hangs on it is silent. It never leaves the resolver."""

BOOL: Final = BoolType()
SCALARS: Final = ("bool", "number", "date", "time", "duration", "string", "enum")
ORDERED: Final = ("number", "date", "time", "duration")


def family(kind: Type) -> Family:
    """The family a type belongs to; terms of two families are never compared."""
    match kind:
        case BoolType():
            return "bool"
        case NumberType():
            return "number"
        case DateType():
            return "date"
        case TimeType():
            return "time"
        case DurationType():
            return "duration"
        case StringType():
            return "string"
        case EnumType():
            return "enum"
        case SetType():
            return "set"
        case ListType():
            return "list"
        case MapType():
            return "map"
        case RecordType():
            return "record"
        case EventType():
            return "event"
        case UntypedType():
            return "untyped"


def comparable(left: Type, right: Type) -> bool:
    """Whether `==` between terms of these types can ever be of use: one scalar family, and enums share a member."""
    if family(left) != family(right) or family(left) not in SCALARS:
        return False
    if isinstance(left, EnumType) and isinstance(right, EnumType):
        return not set(left.members).isdisjoint(right.members)
    return True


def assignable(value: Type, place: Type) -> bool:
    """Whether values of the one type can stand where the other is declared: as `comparable`, through lists and the fields of records."""
    match value, place:
        case ListType(a), ListType(b):
            return assignable(a, b)
        case RecordType(), RecordType():
            return all(_has_field(value, f) for f in place.fields)
        case _:
            return comparable(value, place)


def _has_field(record: RecordType, wanted: RecordField) -> bool:
    found = record.field(wanted.name)
    return wanted.optional if found is None else assignable(found.type, wanted.type)


def widen(kind: Type) -> Type:
    """The type without its bounds: what a parameter that takes such values has."""
    match kind:
        case NumberType(digits):
            return NumberType(digits)
        case DateType():
            return DateType()
        case ListType(element, most):
            return ListType(widen(element), most)
        case _:
            return kind


def merge(left: Type, right: Type) -> Type | None:
    """The least type that covers both (bounds are dropped where they differ), or None where the families differ.

    Records keep the fields both have, a field is optional where it is in one of them."""
    if left == right:
        return left
    match left, right:
        case NumberType(a), NumberType(b):
            return NumberType(max(a, b))
        case DateType(), DateType():
            return DateType()
        case EnumType(_, members), EnumType(_, others):
            return EnumType("", tuple(sorted({*members, *others})))
        case ListType(a, n), ListType(b, m):
            element = merge(a, b)
            return None if element is None else ListType(element, max(n, m))
        case RecordType(), RecordType():
            return merge_records((left, right))
        case _:
            return None


def merge_records(records: tuple[RecordType, ...]) -> RecordType:
    """The record of the fields that every one of `records` (at least one) has with one type family."""
    if all(r == records[0] for r in records):
        return records[0]
    merged: list[RecordField] = []
    for first in records[0].fields:
        kind: Type | None = first.type
        optional = first.optional
        for other in records[1:]:
            found = other.field(first.name)
            kind = None if found is None or kind is None else merge(kind, found.type)
            optional = optional or found is None or found.optional
        if kind is not None:
            merged.append(RecordField(first.name, kind, optional))
    return RecordType("", tuple(merged))
