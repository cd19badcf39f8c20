"""The first thing that keeps a text from being JSON in the strict sense, and where it stands.

In: a text that the fast reader refused, or suspects. Out: `NotJson` with line, column and JSON path; None if nothing is wrong with it.
Reads token by token with a stack of its own, so that no nesting can exhaust Python's. The limits are part of the format and documented.
"""

import json
import re
from typing import Final

DEEPEST: Final = 500
"""Arrays and objects within one another."""
INTEGER_DIGITS: Final = 1000
"""Digits of a whole number."""
DECIMAL_DIGITS: Final = 350
"""Digits of a number with a point or an exponent when it is written out in full; every finite double has fewer."""

_TOKEN: Final = re.compile(
    r"""[ \t\n\r]*(?:
      ([\[\]{},:])
    | ("[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")
    | (-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)(?![0-9A-Za-z_.])
    | (true|false|null)(?![0-9A-Za-z_])
    )""",
    re.VERBOSE,
)
_MARK, _STRING, _NUMERAL = 1, 2, 3
"""The groups of a token; the fourth is a word."""
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_BAD_ESCAPE: Final = re.compile(r"\\(?:[^\"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))|\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
    "|(?P<raw>[\ud800-\udfff])",
    re.DOTALL,
)
_NUMBER: Final = re.compile(r"-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?")
_LOOSE_WORD: Final = re.compile(r"-?[A-Za-z_][A-Za-z0-9_]*|[-+.0-9][-+.0-9A-Za-z_]*")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class NotJson(ValueError):
    """The text is no JSON in the strict sense: `reason` in words, `line` and `column` from 1, and the JSON path of the place."""

    def __init__(self, reason: str, line: int, column: int, path: str) -> None:
        self.reason, self.line, self.column, self.path = reason, line, column, path
        super().__init__(f"{reason} (line {line}, column {column}, at {path})")


def step(path: str, key: str | int) -> str:
    """The JSON path of a member or an element of what stands at `path`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if _IDENTIFIER.fullmatch(key) else f"{path}[{json.dumps(key)}]"


def number_fault(word: str) -> str:
    """Why a JSON number is beyond the limits; empty if it is not."""
    if len(word) <= 300 and "e" not in word and "E" not in word:
        return ""
    match = _NUMBER.fullmatch(word)
    if match is None:
        return "it is no number"
    whole, behind, power = match.groups()
    if behind is None and power is None:
        return (
            ""
            if len(whole) <= INTEGER_DIGITS
            else f"a whole number of {len(whole)} digits; at most {INTEGER_DIGITS} are read"
        )
    shift = int(power) if power is not None and len(power) <= 9 else 10**9 if power else 0
    digits = max(len(whole) + max(shift, 0), 1) + max(len(behind or "") - min(shift, 0), 0)
    return (
        "" if digits <= DECIMAL_DIGITS else f"the number {_short(word)} has more than {DECIMAL_DIGITS} digits in full"
    )


def find_fault(text: str) -> NotJson | None:
    """The first fault of a text as JSON, or None."""
    return _Look(text).fault()


class _Look:
    """One pass over a text. `keys` holds, for each open object or array, the key or the index that is being read; `seen` the keys so far."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._keys: list[str | int | None] = []
        self._seen: list[set[str] | None] = []
        self._found: NotJson | None = None

    def fault(self) -> NotJson | None:
        """The first fault, or None."""
        expecting = "value"
        while (match := _TOKEN.match(self._text, self._at)) is not None:
            self._at = match.end()
            group = match.lastindex or 0
            token = match[group]
            if group == _MARK:
                following = self._mark(token, expecting)
            elif group == _STRING and expecting in ("key", "key or }"):
                following = self._key(token)
            elif expecting in ("value", "value or ]"):
                if group == _STRING and ("\\" in token or not token.isascii()):
                    self._string(token)
                elif group == _NUMERAL and (reason := number_fault(token)):
                    self._found = self._here(reason, match.start(group))
                following = "comma" if self._seen else "end"
            else:
                following = ""
            if self._found is not None:
                return self._found
            if not following:
                return self._unexpected(expecting, token, match.start(group))
            expecting = following
        return None if expecting == "end" and self._rest() == len(self._text) else self._strange(expecting)

    def _mark(self, token: str, expecting: str) -> str:
        """What may stand after a mark; nothing where the mark may not stand."""
        if token == "," and expecting == "comma":
            if self._seen[-1] is not None:
                self._keys[-1] = None
                return "key"
            self._keys[-1] = int(self._keys[-1] or 0) + 1
            return "value"
        if token == ":":
            return "value" if expecting == "colon" else ""
        if token in "[{":
            if expecting not in ("value", "value or ]"):
                return ""
            if len(self._seen) == DEEPEST:
                self._found = self._here(f"it is nested deeper than {DEEPEST} levels", self._at - 1)
            self._keys.append(0 if token == "[" else None)
            self._seen.append(None if token == "[" else set())
            return "value or ]" if token == "[" else "key or }"
        if expecting not in ("comma", "value or ]", "key or }") or token != ("]" if self._seen[-1] is None else "}"):
            return ""
        self._keys.pop()
        self._seen.pop()
        return "comma" if self._seen else "end"

    def _key(self, token: str) -> str:
        plain = "\\" not in token and token.isascii()
        if not plain:
            self._string(token)
        key = token[1:-1] if plain or self._found is not None else str(json.loads(token))
        seen = self._seen[-1]
        assert seen is not None
        if self._found is None:
            self._keys[-1] = key
            if key in seen:
                self._found = self._here(f'the key "{_short(key)}" stands twice in one object', self._at - len(token))
            seen.add(key)
        return "colon"

    def _string(self, token: str) -> None:
        start = self._at - len(token)
        for match in _BAD_ESCAPE.finditer(token):
            if match[0][1] not in '"\\/bfnrtu' or match[0] == "\\u":
                self._found = self._here("an escape that JSON does not know", start + match.start())
                return
        for match in _ESCAPE.finditer(token):
            if match["half"] or match["raw"]:
                reason = "half of a surrogate pair, which is no character"
                self._found = self._here(reason, start + match.start())
                return

    def _rest(self) -> int:
        found = _SPACE.match(self._text, self._at)
        return found.end() if found else self._at

    def _strange(self, expecting: str) -> NotJson:
        """The fault of a place where no token of JSON starts."""
        start = self._rest()
        if start == len(self._text):
            return self._here(
                "the text is empty" if not self._at else f"the text ends where {_wanted(expecting)} should stand", start
            )
        if self._text[start] == '"':
            return self._here("a string that does not end, or has a control character in it", start)
        if self._text[start] == "'":
            return self._here("a string in single quotes", start)
        match = _LOOSE_WORD.match(self._text, start)
        return self._unexpected(expecting, match[0] if match else self._text[start], start)

    def _unexpected(self, expecting: str, token: str, start: int) -> NotJson:
        if token in ("NaN", "Infinity", "-Infinity"):
            return self._here(f"{token} is no JSON number", start)
        if token == "}" and expecting == "key" or token == "]" and expecting == "value" and self._seen:
            return self._here(f"a comma before the closing {token}", start)
        return self._here(f"{_short(repr(token))} stands where {_wanted(expecting)} should", start)

    def _here(self, reason: str, start: int) -> NotJson:
        line = self._text.count("\n", 0, start) + 1
        column = start - (self._text.rfind("\n", 0, start) + 1) + 1
        return NotJson(reason, line, column, self._path())

    def _path(self) -> str:
        path = "$"
        for key in self._keys[:8]:
            path = path if key is None else step(path, _short(key) if isinstance(key, str) else key)
        return path + ("…" if len(self._keys) > 8 else "")


def _wanted(expecting: str) -> str:
    return {
        "value": "a value",
        "value or ]": "a value or ]",
        "key": "a key in double quotes",
        "key or }": "a key in double quotes or }",
        "colon": "a colon",
        "comma": "a comma or the closing bracket",
        "end": "the end of the text",
    }[expecting]


def _short(word: str) -> str:
    shown = word.encode("utf-8", "backslashreplace").decode()
    return shown if len(shown) <= 40 else f"{shown[:37]}…"
