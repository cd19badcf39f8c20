"""Where the parts of a JSON text begin and end, without building any of them.

In: a text. Out: offsets of the elements of an array or of the members of an object, one after another, so that a corpus in one document is
read record by record and a broken record does not take the others with it. Only brackets and strings are looked at: each part is still to
be read by `strict_json`.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from servanda.contracts.readers.json_fault import NotJson, step

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SCALAR: Final = re.compile(r'[^][{}",: \t\n\r]+')
_BRACKET: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Extent:
    """The half-open range of offsets of one value; `key` is its name in an object, its position in an array."""

    key: str | int
    start: int
    end: int


def value_start(text: str, start: int = 0) -> int:
    """The offset of the first character that is no blank."""
    found = _SPACE.match(text, start)
    return found.end() if found else start


def value_end(text: str, start: int) -> int | None:
    """The offset behind the value that begins at `start`; None where the text ends before the value does, or no value begins."""
    if start >= len(text):
        return None
    if text[start] not in "[{":
        found = _STRING.match(text, start) or _SCALAR.match(text, start)
        return found.end() if found else None
    depth = 0
    for part in _BRACKET.finditer(text, start):
        mark = text[part.start()]
        depth += 1 if mark in "[{" else -1 if mark in "]}" else 0
        if depth == 0:
            return part.end()
    return None


def parts(text: str, start: int) -> Iterator[Extent]:
    """The elements or members of the array or object that begins at `start` and is all of the text from there. Raises `NotJson` where its
    structure breaks, after the parts before that place."""
    named = text[start] == "{"
    closing = "}" if named else "]"
    at = value_start(text, start + 1)
    number = 0
    while number or text[at : at + 1] != closing:
        key: str | int = number
        if named:
            key, at = _key(text, at)
        end = value_end(text, at)
        if end is None:
            raise fault_at(text, at, "the text ends, or breaks, before this value does", step("$", key))
        yield Extent(key, at, end)
        number += 1
        at = value_start(text, end)
        if text[at : at + 1] == closing:
            break
        if text[at : at + 1] != ",":
            raise fault_at(text, at, f"a comma or {closing} should stand here", step("$", key))
        at = value_start(text, at + 1)
    rest = value_start(text, at + 1)
    if rest < len(text):
        raise fault_at(text, rest, "the text should end here", "$")


def _key(text: str, at: int) -> tuple[str, int]:
    found = _STRING.match(text, at)
    colon = value_start(text, found.end()) if found else at
    if found is None or text[colon : colon + 1] != ":":
        raise fault_at(text, at, "a key in double quotes and a colon should stand here", "$")
    try:
        key = str(json.loads(found[0]))
    except ValueError:
        raise fault_at(text, at, "a key that is no string of JSON", "$") from None
    return key, value_start(text, colon + 1)


def fault_at(text: str, at: int, reason: str, path: str) -> NotJson:
    """The fault at an offset of a text."""
    return NotJson(reason, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), path)
