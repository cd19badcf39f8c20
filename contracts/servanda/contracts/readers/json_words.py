"""JSON in words, for messages about what was seen where something else was expected.

In: any JSON value. Out: a short noun phrase; never more than a line.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

from servanda.contracts.observed import Json

_KEYS_SHOWN: Final = 8
_WIDEST: Final = 40


def in_words(value: Json) -> str:
    """`an object with the keys a, b`, `an array of 3 elements`, `the string "x"`, `the number 5`, `true`, `null`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | Decimal():
            return f"the number {_cut(_number(value))}"
        case str():
            return f'the string "{_cut(value)}"'
        case list():
            return "an empty array" if not value else f"an array of {len(value)} element{'s' * (len(value) > 1)}"
        case Mapping():
            if not value:
                return "an empty object"
            return f"an object with the key{'s' * (len(value) > 1)} {listed(value)}"
    return f"a value of the type {type(value).__name__}"


def listed(names: Iterable[str]) -> str:
    """Names with commas, cut after a few."""
    all_names = [_cut(n) for n in names]
    shown = ", ".join(all_names[:_KEYS_SHOWN])
    return shown if len(all_names) <= _KEYS_SHOWN else f"{shown} and {len(all_names) - _KEYS_SHOWN} more"


def _number(value: int | Decimal) -> str:
    return str(value) if not isinstance(value, int) or abs(value) < 10**_WIDEST else f"of {value.bit_length()} bits"


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
