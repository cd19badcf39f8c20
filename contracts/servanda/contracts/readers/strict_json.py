"""JSON read exactly, as every reader of traces reads it.

In: JSON text, from anyone. Out: dict, list, str, int, Decimal, bool, None; or `NotJson` with the place. Stricter than RFC 8259 where that
leaves a choice: no key twice, no NaN or Infinity, no half of a surrogate pair, numbers and nesting within the limits below. Numbers keep
their value: whole ones are int, those with a point or an exponent Decimal.
"""

import json
import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import accumulate
from typing import Any, Final, NoReturn

from servanda.contracts.readers.json_fault import DEEPEST, NotJson, find_fault, number_fault

_HALF_PAIR: Final = re.compile(
    r"\\u[dD](?:[89abAB](?![0-9a-fA-F]{2}\\u[dD][c-fC-F])"
    r"|[c-fC-F](?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F])"
    r"|[89a-fA-F](?<=\\\\u[dD][89a-fA-F]))"
)
"""Finds every escaped half of a surrogate pair, and some texts without one (whose backslash is escaped itself)."""
_RAW_HALF: Final = re.compile("[\ud800-\udfff]")
_LITERAL_OR_BRACKET: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)
_STEP: Final = {"[": 1, "{": 1, "]": -1, "}": -1}


class _Suspect(ValueError):
    """Something in the text is refused; where it stands is found by looking again."""


def loads(text: str) -> Any:
    """The value of a JSON text. Raises `NotJson`."""
    if text.count("[") + text.count("{") > DEEPEST and _deep(text):
        _refuse(text)
    halved = _HALF_PAIR.search(text) or (None if text.isascii() else _RAW_HALF.search(text))
    if halved and (fault := find_fault(text)) is not None:
        raise fault
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        _refuse(text)


def _deep(text: str) -> bool:
    steps: Iterable[int] = (_STEP.get(part[0], 0) for part in _LITERAL_OR_BRACKET.finditer(text))
    return any(depth > DEEPEST for depth in accumulate(steps))


def _refuse(text: str) -> NoReturn:
    fault = find_fault(text)
    raise fault if fault is not None else NotJson("it cannot be read in what is left of the stack", 1, 1, "$")


def _whole(word: str) -> int:
    if len(word) > 300 and number_fault(word):
        raise _Suspect
    return int(word)


def _exact(word: str) -> Decimal:
    if number_fault(word):
        raise _Suspect
    return Decimal(word)


def _constant(_: str) -> NoReturn:
    raise _Suspect


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Suspect
    return found


_DECODER: Final = json.JSONDecoder(
    parse_int=_whole, parse_float=_exact, parse_constant=_constant, object_pairs_hook=_object
)
