"""Where text is laid out for a person: width and colour.

In: styled text. Out: a string of lines none of which is wider than the screen, unless a single word is; without trailing blanks; the same for the
same input.
"""

import io
import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.text import Text

PIPED_WIDTH = 80
_WIDEST = 120
_LEAST = 20
_WORD = re.compile(r"\s*\S+\s*")


def cut(text: str, width: int) -> str:
    """The text in at most `width` cells, with an ellipsis where it was cut."""
    if cell_len(text) <= width:
        return text
    kept: list[str] = []
    left = width - 1
    for character in text:
        left -= cell_len(character)
        if left < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _breaks(text: str, first: int, others: int) -> list[int]:
    """Where to break a text at blanks, for a first line of `first` cells and others of `others`. A longer word stays whole: it is a path, and can
    then be copied."""
    offsets: list[int] = []
    left = max(_LEAST, first)
    for word in _WORD.finditer(text):
        needed = cell_len(word.group().rstrip())
        if needed > left and word.start() > (offsets[-1] if offsets else 0):
            offsets.append(word.start())
            left = max(_LEAST, others)
        left -= cell_len(word.group())
    return offsets


@dataclass(frozen=True, slots=True)
class Screen:
    """A width in cells, and whether colours are shown."""

    width: int = PIPED_WIDTH
    colour: bool = False

    def render(self, parts: Iterable[RenderableType]) -> str:
        """Lay the parts out, each from a line of its own."""
        console = self._console()
        for part in parts:
            console.print(part, soft_wrap=isinstance(part, Text))
        lines = console.file.getvalue().split("\n")  # type: ignore[attr-defined]
        return "\n".join(line.rstrip(" ") for line in lines)

    def paragraph(self, text: Text, *, indent: int = 0, hang: int | None = None) -> list[Text]:
        """The text broken at blanks: the first line indented by `indent` cells, the others by `hang` (default the same)."""
        hang = indent if hang is None else hang
        lines: list[Text] = []
        for part in text.split("\n", allow_blank=True):
            for line in part.divide(_breaks(part.plain, self.width - (hang if lines else indent), self.width - hang)):
                line.rstrip()
                lines.append(Text(" " * (hang if lines else indent)).append_text(line) if line.plain else line)
        return lines

    def _console(self) -> Console:
        return Console(
            file=io.StringIO(),
            width=self.width,
            color_system="standard" if self.colour else None,
            force_terminal=self.colour,
            force_jupyter=False,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
            _environ={},
        )


def screen_of(stream: TextIO) -> Screen:
    """The screen behind a stream. Colour only on a terminal that is not dumb, and never where NO_COLOR is set."""
    if not stream.isatty():
        return Screen()
    width = min(_WIDEST, max(40, shutil.get_terminal_size((PIPED_WIDTH, 24)).columns))
    return Screen(width, not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")
