"""Prose sources: the files that clauses point into.

In: `source` items and the folder they are named from; references such as `policy:12-14`. Out: the lines of each file, and checked spans.
A file's digest is that of its bytes. Language reference §1.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from servanda.contracts.model import Prose, ProseSpan
from servanda.contracts.resolving.faults import Faults
from servanda.contracts.toolfiles.files import FileFault, read_text
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Note, nearest


class ProseFiles:
    """The declared sources by name."""

    def __init__(self, items: Iterable[s.Item], base: Path, faults: Faults) -> None:
        self._faults = faults
        self.sources: dict[str, Prose | None] = {}
        first: dict[str, s.SourceDecl] = {}
        for item in items:
            if not isinstance(item, s.SourceDecl):
                continue
            name = item.name.text
            if name in first:
                faults.error(
                    "C111",
                    item.name.span,
                    f"the source '{name}' is declared twice",
                    notes=(Note("it is declared here first", first[name].name.span),),
                )
                continue
            first[name] = item
            self.sources[name] = _read(item, base, faults)

    def span(self, reference: s.ProseRef | None) -> ProseSpan | None:
        """The lines a reference names, or None once its fault is recorded."""
        if reference is None:
            return None
        name = reference.source.text
        if name not in self.sources:
            hint = nearest(name, self.sources) or 'declare it with `source NAME "file"`'
            self._faults.error("C110", reference.source.span, f"no source is called '{name}'", help=hint)
            return None
        source = self.sources[name]
        if source is None:
            return None
        if reference.last > len(source.lines):
            self._faults.error(
                "C145",
                reference.span,
                f"{source.path} has {len(source.lines)} lines, so there is no line {reference.last}",
            )
            return None
        if not any(line.strip() for line in source.lines[reference.first - 1 : reference.last]):
            lines = (
                f"line {reference.first}"
                if reference.first == reference.last
                else f"lines {reference.first}-{reference.last}"
            )
            verb = "is" if reference.first == reference.last else "are"
            self._faults.error(
                "C145", reference.span, f"{lines} of {source.path} {verb} blank: there is nothing to point at"
            )
            return None
        return ProseSpan(name, reference.first, reference.last)


def _read(item: s.SourceDecl, base: Path, faults: Faults) -> Prose | None:
    shown = item.file.value
    found = read_text(base / shown, shown)
    if isinstance(found, FileFault):
        faults.error(found.code, item.file.span, f"the prose file {found.message}")
        return None
    if item.sha256 is not None and not re.fullmatch("[0-9A-Fa-f]{64}", item.sha256.value):
        faults.error(
            "F120", item.sha256.span, f"a SHA-256 has 64 hexadecimal digits; that of {shown} is {found.sha256}"
        )
    elif item.sha256 is not None and item.sha256.value.lower() != found.sha256:
        faults.error(
            "F120",
            item.sha256.span,
            f"{shown} is not the text this contract was written for: its SHA-256 is {found.sha256}",
            help="read what changed, then put the new digest here",
        )
    return Prose(item.name.text, shown, _lines(found.text))


def _lines(text: str) -> tuple[str, ...]:
    """The lines as an editor counts them; a final line end starts none."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return tuple(line.rstrip("\r") for line in lines)
