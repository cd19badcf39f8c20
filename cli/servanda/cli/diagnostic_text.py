"""Diagnostics for a person: the message, the place with its line shown, further places, and how to mend it.

In: diagnostics and a screen. Out: lines. Trusts the spans to lie in their source.
"""

from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.text import Text

from servanda.cli.screen import Screen, cut
from servanda.cli.visible import visible
from servanda.grammar.diagnostic import Diagnostic, Severity
from servanda.grammar.span import Source, Span

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
_TAB = "    "


def pretty(diagnostics: Iterable[Diagnostic], screen: Screen) -> Iterator[Text]:
    """Each diagnostic as a block, with a blank line between two."""
    for number, diagnostic in enumerate(diagnostics):
        if number:
            yield Text()
        yield from _block(diagnostic, screen)


def _block(diagnostic: Diagnostic, screen: Screen) -> Iterator[Text]:
    style = STYLES[diagnostic.severity]
    head = Text(f"{diagnostic.severity.value}[{diagnostic.code}] ", style)
    yield from screen.paragraph(head.append(visible(diagnostic.message), "bold"), hang=2)
    if diagnostic.source is not None:
        if diagnostic.span is None:
            yield Text(f"  {visible(diagnostic.source.path)}", "dim")
        else:
            yield from _place(diagnostic.source, diagnostic.span, diagnostic.label, style, screen)
    for note in diagnostic.notes:
        yield from screen.paragraph(Text("  note: ", "cyan").append(visible(note.message), "default"), hang=4)
        if note.span is not None and diagnostic.source is not None:
            yield from _place(diagnostic.source, note.span, "", "cyan", screen, indent=4)
    if diagnostic.help:
        yield from screen.paragraph(Text("  help: ", "green").append(visible(diagnostic.help), "default"), hang=4)


def compact(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """Each diagnostic in one line, `file:line:column: error[CODE] message; help`."""
    for d in diagnostics:
        place = f"{visible(d.source.path)}:" if d.source is not None else ""
        if d.source is not None and d.span is not None:
            place += f"{d.span.line}:{d.span.column}:"
        mend = f"; {d.help}" if d.help else ""
        yield f"{place} {d.severity.value}[{d.code}] {visible(d.message + mend)}".lstrip()


def _place(source: Source, span: Span, label: str, style: str, screen: Screen, indent: int = 2) -> Iterator[Text]:
    """`file:line:column`, then the line with carets under the part of the span that stands on it."""
    yield Text(f"{' ' * indent}{visible(source.path)}:{span.line}:{span.column}", "dim")
    line = source.line(span.line)
    if not line.strip():
        return
    start = min(span.column - 1, len(line))
    end = max(start, min(start + span.end - span.start, len(line.rstrip())))
    before, marked, after = (_shown(part) for part in (line[:start], line[start:end], line[end:]))
    left = indent + len(str(span.line)) + 3
    before, marked, after = _window(before, marked, after, screen.width - left)
    gutter = " " * (indent + len(str(span.line))) + " | "
    yield Text(f"{' ' * indent}{span.line} | ", "dim").append(f"{before}{marked}{after}", "default")
    pointer = Text(gutter, "dim").append(" " * cell_len(before)).append("^" * max(1, cell_len(marked)), style)
    if label:
        said = visible(label)
        if cell_len(pointer.plain) + 1 + cell_len(said) <= screen.width:
            yield pointer.append(f" {said}", style)
            return
        yield pointer
        yield from screen.paragraph(Text(said, style), indent=left)
        return
    yield pointer


def _shown(part: str) -> str:
    return visible(part.replace("\t", _TAB))


def _window(before: str, marked: str, after: str, width: int) -> tuple[str, str, str]:
    """The three parts cut to the width: the marked one is kept as far as it fits, with some text before it."""
    if cell_len(before + marked + after) <= width:
        return before, marked, after
    marked = cut(marked, max(1, width - 24))
    spare = width - cell_len(marked)
    if cell_len(before) > spare - 12:
        keep = max(1, spare - 12)
        tail = ""
        for character in reversed(before):
            if cell_len(character + tail) > keep - 1:
                break
            tail = character + tail
        before = f"…{tail}"
    return before, marked, cut(after, max(1, width - cell_len(before + marked)))
