"""The digest of a contract: what it means, and nothing of how it is laid out.

In: a typed contract. Out: SHA-256 in hex. Places, comments, layout and the order of declarations take no part; titles, prose, tools and tests
do. Where order has a meaning (branches, alternatives of evidence, operands, members of an enum, events of a test) it is kept.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from servanda.contracts.model import Contract
from servanda.contracts.types import number_text
from servanda.grammar.span import Span

LEFT_OUT: Final = {
    ("Contract", "source"),
    ("Contract", "digest"),
    # learnt from use, so that they follow from the rest
    ("Definition", "parameters"),
    ("NamedEvent", "parameters"),
    ("View", "parameters"),
}

UNORDERED: Final = {
    ("Contract", "body"),
    ("Contract", "orders"),
    ("Contract", "repairs"),
    ("Contract", "tests"),
    ("Step", "body"),
    ("ForEach", "body"),
    ("Branch", "body"),
    ("Option", "body"),
    ("AnyOf", "options"),
    ("RecordType", "fields"),
    ("OutputContract", "fields"),
    ("OutputContract", "rules"),
    ("QueryAttribute", "observed"),
    ("Read", "arguments"),
    ("Repair", "immutable"),
    ("Repair", "values"),
    ("Repair", "rules"),
    ("Test", "expectations"),
    ("Tool", "classes"),
}
"""Sequences whose order has no meaning."""


def digest(contract: Contract) -> str:
    """SHA-256 (hex) of the contract's canonical rendering."""
    return hashlib.sha256(render(contract).encode()).hexdigest()


def render(value: Any) -> str:
    """A text that two values share iff they mean the same; names of parameters are kept, their types are not."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | Fraction():
            return f"#{number_text(value)}"
        case Decimal():
            return f"#{number_text(Fraction(value))}"
        case str():
            return f"'{len(value)}:{value}"
        case datetime() | date():
            return f"@{value.isoformat()}"
        case timedelta():
            return f"~{value.days}:{value.seconds}:{value.microseconds}"
        case Mapping():
            return "{" + ",".join(f"{render(k)}={render(value[k])}" for k in sorted(value)) + "}"
        case tuple() | list():
            return "[" + ",".join(render(v) for v in value if not isinstance(v, Span)) + "]"
    assert is_dataclass(value)
    return f"{type(value).__name__}(" + ",".join(_fields(value)) + ")"


def _fields(value: Any) -> Iterator[str]:
    owner = type(value).__name__
    for slot in fields(value):
        if not slot.compare or (owner, slot.name) in LEFT_OUT:
            continue
        held = getattr(value, slot.name)
        if (owner, slot.name) in UNORDERED:
            yield f"{slot.name}=<" + ",".join(sorted(render(v) for v in held)) + ">"
        else:
            yield f"{slot.name}={render(held)}"
