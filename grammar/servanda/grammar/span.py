"""Places in a source text.

In: a text and offsets into it. Out: lines, columns, quoted lines. Trusts nothing but the offsets it is given.
"""

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of character offsets in one source; `line` and `column` (both from 1) name its start."""

    start: int
    end: int
    line: int
    column: int

    def to(self, other: "Span") -> "Span":
        """The span from the start of this one to the end of `other`."""
        return Span(self.start, max(self.end, other.end), self.line, self.column)


NOWHERE = Span(0, 0, 1, 1)
"""The start of a file: for diagnostics about the file as a whole."""


@dataclass(frozen=True, slots=True)
class Source:
    """A named text; `path` is what a reader typed, `-` for standard input."""

    path: str
    text: str
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0]
        starts.extend(i + 1 for i, c in enumerate(self.text) if c == "\n")
        object.__setattr__(self, "_starts", tuple(starts))

    def line(self, number: int) -> str:
        """Line `number` (from 1) without its line end; empty beyond the text."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    @property
    def lines(self) -> int:
        """How many lines the text has; a final line end starts no line of its own."""
        return len(self._starts) - (1 if self.text.endswith("\n") else 0)

    def span(self, start: int, end: int) -> Span:
        """The span of the offsets `start` (inclusive) to `end` (exclusive)."""
        line = bisect_right(self._starts, start)
        return Span(start, end, line, start - self._starts[line - 1] + 1)
