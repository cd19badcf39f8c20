"""Regular expressions in RE2 syntax as trees.

In: a pattern that RE2 accepts. Out: a tree over sets of code points, or `Unsupported` for the few constructs left out (Unicode properties, case
folding beyond ASCII, very large repetitions). Trusts: RE2 has already refused what is malformed. Greed and captures do not change whether a
pattern is found, so they are dropped.
"""

from dataclasses import dataclass, replace
from typing import Literal as Lit

Ranges = tuple[tuple[int, int], ...]
"""Inclusive ranges of code points, sorted, disjoint."""

LAST = 0x10FFFF
WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
_PERL: dict[str, Ranges] = {"d": ((48, 57),), "w": WORD, "s": ((9, 10), (12, 13), (32, 32))}
_POSIX: dict[str, Ranges] = {
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "alpha": ((65, 90), (97, 122)),
    "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": ((48, 57),),
    "graph": ((33, 126),),
    "lower": ((97, 122),),
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": ((65, 90),),
    "word": WORD,
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}
_CONTROL = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7}


class Unsupported(Exception):
    """The pattern uses a construct that has no tree; the message names it."""


@dataclass(frozen=True, slots=True)
class Chars:
    """One code point of a set."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other; of none, the empty string."""

    parts: tuple["Regex", ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One of several."""

    parts: tuple["Regex", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`least` to `most` times; `most` None for any number."""

    part: "Regex"
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Edge:
    """A condition on a position: the start or end of the text or of a line, or a word boundary."""

    kind: Lit["start", "end", "line start", "line end", "boundary"]


Regex = Chars | Sequence | Either | Repeat | Edge


def normal(ranges: list[tuple[int, int]]) -> Ranges:
    """The ranges sorted and disjoint."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def outside(ranges: Ranges) -> Ranges:
    """All code points not in the ranges."""
    found, start = [], 0
    for low, high in ranges:
        if start < low:
            found.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        found.append((start, LAST))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Flags:
    fold: bool = False
    lines: bool = False
    dotall: bool = False


def parse(pattern: str) -> Regex:
    """The tree of a pattern. Raises `Unsupported`."""
    reader = _Reader(pattern)
    found, _ = reader.alternatives(_Flags())
    if reader.at < len(pattern):
        raise Unsupported(f"`{pattern[reader.at]}` at {reader.at}")
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self, word: str) -> bool:
        return self.text.startswith(word, self.at)

    def take(self, word: str) -> bool:
        if self.peek(word):
            self.at += len(word)
            return True
        return False

    def next(self) -> str:
        if self.at >= len(self.text):
            raise Unsupported("an unfinished pattern")
        self.at += 1
        return self.text[self.at - 1]

    def alternatives(self, flags: _Flags) -> tuple[Regex, _Flags]:
        parts: list[Regex] = []
        while True:
            part, flags = self.sequence(flags)
            parts.append(part)
            if not self.take("|"):
                return (parts[0] if len(parts) == 1 else Either(tuple(parts))), flags

    def sequence(self, flags: _Flags) -> tuple[Regex, _Flags]:
        parts: list[Regex] = []
        while self.at < len(self.text) and not self.peek("|") and not self.peek(")"):
            if self.take("\\Q"):
                end = self.text.find("\\E", self.at)
                stop = len(self.text) if end < 0 else end
                parts += [self.chars(((ord(c), ord(c)),), flags) for c in self.text[self.at : stop]]
                self.at = stop if end < 0 else stop + 2
                if parts:
                    parts[-1] = self.repeated(parts[-1])
                continue
            if self.peek("(?"):
                inner = self.group_flags(flags)
                if isinstance(inner, _Flags):
                    flags = inner
                    continue
                parts.append(self.repeated(inner))
                continue
            parts.append(self.repeated(self.atom(flags)))
        return (parts[0] if len(parts) == 1 else Sequence(tuple(parts))), flags

    def group_flags(self, flags: _Flags) -> Regex | _Flags:
        """A group that starts with `(?`: its tree, or the flags it sets for what follows."""
        self.at += 2
        if self.take("P<") or self.take("<"):
            while self.next() != ">":
                pass
            return self.closed(flags)
        on = True
        while (mark := self.next()) not in ":)":
            if mark == "-":
                on = False
            elif mark == "i":
                flags = replace(flags, fold=on)
            elif mark == "m":
                flags = replace(flags, lines=on)
            elif mark == "s":
                flags = replace(flags, dotall=on)
            elif mark != "U":
                raise Unsupported(f"the group `(?{mark}`")
        return flags if mark == ")" else self.closed(flags)

    def closed(self, flags: _Flags) -> Regex:
        found, _ = self.alternatives(flags)
        if not self.take(")"):
            raise Unsupported("a group without its end")
        return found

    def repeated(self, part: Regex) -> Regex:
        while True:
            if self.take("*"):
                part = Repeat(part, 0, None)
            elif self.take("+"):
                part = Repeat(part, 1, None)
            elif self.take("?"):
                part = Repeat(part, 0, 1)
            elif (counted := self.counts()) is not None:
                part = Repeat(part, *counted)
            else:
                return part
            self.take("?")

    def counts(self) -> tuple[int, int | None] | None:
        if not self.peek("{"):
            return None
        end = self.text.find("}", self.at)
        low, comma, high = self.text[self.at + 1 : end].partition(",")
        if end < 0 or not low.isdecimal() or not (high == "" or high.isdecimal()):
            return None
        self.at = end + 1
        if not comma:
            return int(low), int(low)
        return int(low), (int(high) if high else None)

    def atom(self, flags: _Flags) -> Regex:
        mark = self.next()
        match mark:
            case "(":
                return self.closed(flags)
            case "[":
                return self.set(flags)
            case ".":
                return Chars(((0, LAST),) if flags.dotall else outside(((10, 10),)))
            case "^":
                return Edge("line start" if flags.lines else "start")
            case "$":
                return Edge("line end" if flags.lines else "end")
            case "\\":
                return self.escape(flags)
            case _:
                return self.chars(((ord(mark), ord(mark)),), flags)

    def escape(self, flags: _Flags) -> Regex:
        edges: dict[str, Edge] = {
            "A": Edge("start"),
            "z": Edge("end"),
            "b": Edge("boundary"),
        }
        if self.at < len(self.text) and self.text[self.at] in edges:
            return edges[self.next()]
        return self.chars(self.escaped(), flags)

    def escaped(self) -> Ranges:
        """The code points an escape stands for, the backslash already read."""
        mark = self.next()
        if mark.lower() in _PERL:
            return _PERL[mark] if mark in _PERL else outside(_PERL[mark.lower()])
        if mark in _CONTROL:
            return ((_CONTROL[mark], _CONTROL[mark]),)
        if mark == "x":
            digits = self.braced() if self.take("{") else self.next() + self.next()
            return ((int(digits, 16), int(digits, 16)),)
        if mark in "01234567":
            digits = mark
            while len(digits) < 3 and self.at < len(self.text) and self.text[self.at] in "01234567":
                digits += self.next()
            return ((int(digits, 8), int(digits, 8)),)
        if mark.isalnum():
            # `\B` among them: RE2 finds it between the bytes of one character, where no position of the text is.
            raise Unsupported(f"the escape `\\{mark}`")
        return ((ord(mark), ord(mark)),)

    def braced(self) -> str:
        digits = ""
        while (mark := self.next()) != "}":
            digits += mark
        return digits

    def set(self, flags: _Flags) -> Regex:
        negated = self.take("^")
        ranges: list[tuple[int, int]] = []
        first = True
        while first or not self.peek("]"):
            first = False
            if self.take("[:"):
                inverse = self.take("^")
                name = ""
                while not self.take(":]"):
                    name += self.next()
                ranges += outside(_POSIX[name]) if inverse else _POSIX[name]
                continue
            low = self.escaped() if self.take("\\") else _one(self.next())
            if self.peek("-") and self.text[self.at + 1 : self.at + 2] not in ("]", "") and _single(low):
                self.at += 1
                high = self.escaped() if self.take("\\") else _one(self.next())
                low = ((low[0][0], high[0][0]),)
            ranges += low
        self.at += 1
        found = self.folded(normal(ranges), flags)
        return Chars(outside(found) if negated else found)

    def chars(self, ranges: Ranges, flags: _Flags) -> Chars:
        return Chars(self.folded(ranges, flags))

    def folded(self, ranges: Ranges, flags: _Flags) -> Ranges:
        """The ranges with the other case of each letter, where case is ignored."""
        if not flags.fold:
            return ranges
        added = list(ranges)
        for low, high in ranges:
            # Beyond ASCII only a range that holds every letter is closed under folding without a table.
            if high > 127 and not (low <= 128 and high == LAST):
                raise Unsupported("letters beyond ASCII where case is ignored")
            for a, b, shift in ((65, 90, 32), (97, 122, -32)):
                first, last = max(low, a), min(high, b)
                if first <= last:
                    added.append((first + shift, last + shift))
            # The Kelvin sign folds to k, the long s to s.
            for letters, other in (((75, 107), 0x212A), ((83, 115), 0x17F)):
                if any(low <= letter <= high for letter in letters):
                    added.append((other, other))
            if high == LAST:
                added += [(75, 75), (107, 107), (83, 83), (115, 115)]
        return normal(added)


def _one(char: str) -> Ranges:
    return ((ord(char), ord(char)),)


def _single(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]
