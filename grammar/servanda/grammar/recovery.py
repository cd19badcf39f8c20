"""Where reading can go on after a syntax error.

In: a source. Out: the places outside all blocks at which a declaration begins a line, as far as the braces before them are
certain. Trusts nothing: beyond a quoted text without an end or a brace that closes nothing, no place is certain.
"""

import re
from collections.abc import Container
from dataclasses import dataclass

from servanda.grammar.span import Source

MAX_ERRORS = 50
"""How many syntax errors one run reports."""

_PIECE = re.compile(
    r"""(?P<blank>[ \t\r]+)|(?P<line>\n)|(?P<comment>\#[^\n]*)|(?P<quoted>"(?:\\.|[^"\r\n\\])*")|(?P<broken>"[^\n]*)
    |(?P<regex>match(?:es)?[ \t]*/(?:\\.|[^/\r\n\\])+/)|(?P<word>\w+)|(?P<open>\{)|(?P<close>\})|(?P<other>.)""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Landmark:
    """A declaration's first word: its offset and column."""

    offset: int
    column: int


class Landmarks:
    """The certain beginnings of declarations in a source, and `known`: the offset up to which they are certain."""

    def __init__(self, source: Source, openers: Container[str]) -> None:
        self.known = len(source.text) + 1
        self.marks: list[Landmark] = []
        depth = 0
        line_start = 0
        fresh = True
        for piece in _PIECE.finditer(source.text):
            kind = piece.lastgroup
            if kind == "line":
                fresh, line_start = True, piece.end()
                continue
            if kind == "blank":
                continue
            if kind == "word" and fresh and depth == 0 and piece.group() in openers:
                self.marks.append(Landmark(piece.start(), piece.start() - line_start + 1))
            elif kind == "open":
                depth += 1
            elif kind == "close":
                depth -= 1
            fresh = False
            if depth < 0 or (kind == "broken" and ("{" in piece.group() or "}" in piece.group())):
                self.known = piece.start()
                break

    def after(self, offset: int, start: int) -> int | None:
        """Where to go on after an error at `offset` in a reading that began at `start`; None where no place is certain."""
        column = 1
        for mark in self.marks:
            if mark.offset < offset:
                column = mark.column
            elif mark.offset > start and mark.column <= column:
                return mark.offset
        return None
