"""A document of words, breaks and comments to lines of text.

In: a `Sheet`, filled from left to right. Out: its text. A group is set on one line if it fits in `WIDTH`; otherwise its own breaks
become line ends, the groups inside it are tried again, and a filling break only where the next piece does not fit. A comment ends its line,
so the groups around it are broken. Trusts that groups and indents are closed as often as they are opened.
"""

from dataclasses import dataclass, field

WIDTH = 120
"""The longest line, in characters, where the text can be broken; a trailing comment may pass it."""


@dataclass(slots=True)
class Word:
    """A piece of text that is never broken; a blank before it is left out at the start of a line."""

    text: str


@dataclass(slots=True)
class Break:
    """`flat` where its group is on one line, else a line end. `hard`: always a line end, behind `blank` empty lines."""

    flat: str = " "
    fill: bool = False
    hard: bool = False
    blank: int = 0


@dataclass(slots=True)
class Remark:
    """A comment: on its own line behind `blank` empty lines, or at the end of one."""

    text: str
    own: bool
    blank: int = 0


@dataclass(slots=True)
class Group:
    """A part that is on one line or has its breaks broken."""

    parts: list["Doc"] = field(default_factory=list)
    broken: bool = False


@dataclass(slots=True)
class Indent:
    """A part whose lines begin `by` columns further in."""

    by: int
    parts: list["Doc"] = field(default_factory=list)


Doc = Word | Break | Remark | Group | Indent


class Sheet:
    """A document being written."""

    def __init__(self) -> None:
        self._root = Group(broken=True)
        self._open: list[Group | Indent] = [self._root]

    def put(self, doc: Word | Break | Remark) -> None:
        """Add a piece behind the last one."""
        self._open[-1].parts.append(doc)
        if isinstance(doc, Remark) or (isinstance(doc, Break) and doc.hard):
            for part in self._open:
                if isinstance(part, Group):
                    part.broken = True

    def open(self, part: Group | Indent) -> None:
        """Put what follows into `part`."""
        self._open[-1].parts.append(part)
        self._open.append(part)

    def close(self) -> None:
        """End the part opened last."""
        self._open.pop()

    def text(self) -> str:
        """The document in lines, each ended by a line feed."""
        assert self._open == [self._root]
        return _Page().set(self._root)


_Entry = tuple[int, bool, Doc]
"""A piece to set: its indent, whether its group is flat, the piece."""


class _Page:
    """The lines set so far and the one being set; `_ending`: a comment ends it."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line = ""
        self._ending = False

    def set(self, root: Group) -> str:
        rest: list[_Entry] = [(0, False, root)]
        while rest:
            indent, flat, doc = rest.pop()
            if isinstance(doc, Word):
                if self._ending:
                    self._end_line(indent, 0)
                    self._line += doc.text.lstrip(" ")
                else:
                    self._line += doc.text
            elif isinstance(doc, Indent):
                rest.extend((indent + doc.by, flat, part) for part in reversed(doc.parts))
            elif isinstance(doc, Group):
                whole = flat or (not doc.broken and self._fits(doc, indent, rest))
                rest.extend((indent, whole, part) for part in reversed(doc.parts))
            elif isinstance(doc, Remark):
                self._remark(doc, indent)
            elif doc.hard or self._ending:
                self._end_line(indent, doc.blank)
            elif flat or (doc.fill and self._fits(doc, indent, rest)):
                self._line += doc.flat
            else:
                self._end_line(indent, 0)
        return "\n".join([*self._lines, self._line.rstrip(" ")]).strip("\n") + "\n"

    def _end_line(self, indent: int, blank: int) -> None:
        self._lines.append(self._line.rstrip(" "))
        self._lines.extend([""] * blank)
        self._line = " " * indent
        self._ending = False

    def _remark(self, remark: Remark, indent: int) -> None:
        if remark.own:
            if self._ending or self._line.strip(" "):
                self._end_line(indent, remark.blank)
            self._line += remark.text
        else:
            self._line = self._line.rstrip(" ") + "  " + remark.text
        self._ending = True

    def _fits(self, doc: Group | Break, indent: int, rest: list[_Entry]) -> bool:
        """Does the piece, set flat, fit on this line together with what follows up to the next line end?"""
        left = WIDTH - len(self._line)
        stack: list[_Entry] = [(indent, True, doc)]
        below = len(rest)
        while left >= 0:
            if not stack:
                if below == 0:
                    return True
                below -= 1
                stack.append(rest[below])
            inner, flat, part = stack.pop()
            if isinstance(part, Word):
                left -= len(part.text)
            elif isinstance(part, Break):
                if part.hard or not flat:
                    return True
                left -= len(part.flat)
            elif isinstance(part, Remark):
                return True
            else:
                whole = flat and not (isinstance(part, Group) and part.broken)
                stack.extend((inner, whole, p) for p in reversed(part.parts))
        return False
