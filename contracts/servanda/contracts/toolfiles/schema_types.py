"""JSON Schema and types: the typed view of a schema, and the schema of typed fields.

In: a JSON Schema (with exact numbers) or resolved fields. Out: the other one. The view says what an expression can read; it never replaces
the schema, which is kept whole and is what arguments are judged by. What has no type in the language is untyped: it can be passed on, not read.
"""

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, TypeGuard

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
    RecordField,
    RecordType,
    SetType,
    StringType,
    TimeType,
    Type,
    UntypedType,
)

NUMBER_DIGITS: Final = 18
"""Digits behind the point of a JSON `number`, which has no fixed number of them; more are still compared exactly."""

ARRAY_MAX: Final = 1000
"""Most elements of an array without `maxItems`; a longer list does not have its type."""

DEEPEST: Final = 12
"""Levels of nesting that the typed view follows; deeper values are untyped."""

UNTYPED: Final = UntypedType()


def typed_view(schema: Any) -> RecordType:
    """The record an argument schema describes; one that describes no object gives a record without fields."""
    kind, _ = _view(schema, schema, DEEPEST)
    return kind if isinstance(kind, RecordType) else RecordType("", ())


def type_of_schema(schema: Any) -> Type:
    """The type of the values a schema admits, UntypedType where the language has none."""
    kind, nullable = _view(schema, schema, DEEPEST)
    return UNTYPED if nullable else kind


def _view(schema: Any, root: Any, depth: int) -> tuple[Type, bool]:
    """The type and whether null is admitted too (a field that may be null reads as an optional one)."""
    if not isinstance(schema, Mapping) or depth == 0:
        return UNTYPED, False
    if isinstance(schema.get("$ref"), str):
        target = _local(root, schema["$ref"])
        return _view(target, root, depth - 1) if not set(schema) & {"type", "properties", "enum"} else (UNTYPED, False)
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return _choice(schema, word, root, depth)
    kinds = schema.get("type")
    nullable = False
    if isinstance(kinds, list):
        nullable = "null" in kinds
        rest = [k for k in kinds if k != "null"]
        kinds = rest[0] if len(rest) == 1 else None
    if "enum" in schema or "const" in schema:
        kind, null = _enumeration(schema)
        return kind, null
    match kinds:
        case "string":
            return (DateType() if schema.get("format") == "date" else StringType()), nullable
        case "boolean":
            return BoolType(), nullable
        case "integer":
            return NumberType(
                0, _bound(schema, "minimum", 1, whole=True), _bound(schema, "maximum", -1, whole=True)
            ), nullable
        case "number":
            return NumberType(_digits(schema), _bound(schema, "minimum", 1), _bound(schema, "maximum", -1)), nullable
        case "array":
            element, null = _view(schema.get("items"), root, depth - 1)
            most = schema.get("maxItems")
            return ListType(UNTYPED if null else element, most if isinstance(most, int) else ARRAY_MAX), nullable
        case "object":
            return _record(schema, root, depth), nullable
        case None if isinstance(schema.get("properties"), Mapping):
            return _record(schema, root, depth), nullable
        case _:
            return UNTYPED, nullable


def _record(schema: Mapping[str, Any], root: Any, depth: int) -> RecordType:
    properties = schema.get("properties")
    required = schema.get("required")
    needed = set(required) if isinstance(required, list) else set()
    fields: list[RecordField] = []
    for name, part in properties.items() if isinstance(properties, Mapping) else ():
        kind, nullable = _view(part, root, depth - 1)
        fields.append(RecordField(name, kind, nullable or name not in needed))
    return RecordType("", tuple(fields))


def _choice(schema: Mapping[str, Any], word: str, root: Any, depth: int) -> tuple[Type, bool]:
    """A union with null is its other part; anything else that is composed has no type here."""
    parts = schema[word]
    if not isinstance(parts, list) or set(schema) & {"type", "properties", "items", "enum", "const", "$ref"}:
        return UNTYPED, False
    rest = [p for p in parts if not (isinstance(p, Mapping) and p.get("type") == "null")]
    if len(rest) != 1 or (word == "allOf" and len(parts) != 1):
        return UNTYPED, False
    kind, nullable = _view(rest[0], root, depth - 1)
    return kind, nullable or len(rest) < len(parts)


def _enumeration(schema: Mapping[str, Any]) -> tuple[Type, bool]:
    members = schema["enum"] if "enum" in schema else [schema["const"]]
    if not isinstance(members, list):
        return UNTYPED, False
    texts = [m for m in members if m is not None]
    if texts and all(isinstance(m, str) for m in texts):
        return EnumType("", tuple(dict.fromkeys(texts))), len(texts) < len(members)
    return UNTYPED, False


def _bound(schema: Mapping[str, Any], word: str, step: int, *, whole: bool = False) -> Number | None:
    """The inclusive bound; an exclusive one is moved inwards for whole numbers and kept (as the wider type) for others."""
    exclusive = schema.get("exclusiveMinimum" if word == "minimum" else "exclusiveMaximum")
    found: list[Number] = []
    plain = schema.get(word)
    if _is_number(plain):
        found.append(_rounded(plain, step) if whole else _exact(plain))
    if _is_number(exclusive):
        inner = _rounded(exclusive, step)
        found.append((inner + step if inner == _exact(exclusive) else inner) if whole else _exact(exclusive))
    elif exclusive is True and whole and found:
        found[0] += step if found[0] == plain else 0
    if not found:
        return None
    return max(found) if step > 0 else min(found)


def _rounded(value: int | Decimal, step: int) -> int:
    return math.ceil(Fraction(value)) if step > 0 else math.floor(Fraction(value))


def _digits(schema: Mapping[str, Any]) -> int:
    unit = schema.get("multipleOf")
    if isinstance(unit, int) and not isinstance(unit, bool):
        return 0
    if isinstance(unit, Decimal) and unit.is_finite():
        exponent = unit.normalize().as_tuple().exponent
        return max(0, -exponent) if isinstance(exponent, int) else NUMBER_DIGITS
    return NUMBER_DIGITS


def _is_number(value: Any) -> TypeGuard[int | Decimal]:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _exact(value: int | Decimal) -> Number:
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else exact


def _local(root: Any, reference: str) -> Any:
    """The part of `root` that a reference inside the document names; None for any other."""
    if not reference.startswith("#/"):
        return root if reference == "#" else None
    place = root
    for step in reference[2:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        place = place.get(key) if isinstance(place, Mapping) else None
    return place


def schema_of_fields(fields: Iterable[RecordField]) -> dict[str, Any]:
    """The JSON Schema of an object with these fields and no others."""
    listed = tuple(fields)
    return {
        "type": "object",
        "properties": {f.name: schema_of_type(f.type) for f in listed},
        "required": [f.name for f in listed if not f.optional],
        "additionalProperties": False,
    }


def schema_of_type(kind: Type) -> dict[str, Any]:
    """The JSON Schema of a type."""
    match kind:
        case BoolType():
            return {"type": "boolean"}
        case NumberType(digits, low, high):
            found: dict[str, Any] = {"type": "number" if digits else "integer"}
            if low is not None:
                found["minimum"] = _plain(low)
            if high is not None:
                found["maximum"] = _plain(high)
            return found
        case DateType():
            return {"type": "string", "format": "date"}
        case TimeType():
            return {"type": "string", "format": "date-time"}
        case DurationType():
            return {"type": "string", "format": "duration"}
        case StringType():
            return {"type": "string"}
        case EnumType(_, members):
            return {"type": "string", "enum": list(members)}
        case SetType(element):
            return {"type": "array", "items": schema_of_type(element), "uniqueItems": True}
        case ListType(element, most):
            return {"type": "array", "items": schema_of_type(element), "maxItems": most}
        case MapType(element, most):
            return {"type": "object", "additionalProperties": schema_of_type(element), "maxProperties": most}
        case RecordType(_, fields):
            return {**schema_of_fields(fields), "additionalProperties": True}
        case EventType() | UntypedType():
            return {}


def _plain(value: Number) -> int | Decimal:
    """A bound as a JSON number; bounds are written as decimals, so the quotient is exact."""
    if isinstance(value, int):
        return value
    digits = len(str(value.denominator)) * 4
    return (Decimal(value.numerator).scaleb(digits) / Decimal(value.denominator)).scaleb(-digits).normalize()
