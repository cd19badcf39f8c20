"""Which files a person named: paths, folders and patterns, as a list.

In: paths as typed; `-` is standard input. Out: the files, each once, in a stable order, and what cannot be followed. Nothing is opened.
"""

import os
from collections.abc import Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Final

from servanda.contracts.readers.skipped import Skipped

STANDARD_INPUT: Final = "-"
SUFFIXES: Final = (".json", ".jsonl")
"""What is read in a folder; a file that is named itself may end as it likes."""


def named_files(paths: Sequence[str]) -> Iterator[str | Skipped]:
    """The files that the paths lead to, in the order typed, those of a folder or pattern sorted. A file met twice is read once."""
    seen: set[str] = set()
    for path in paths:
        for found in _files(path):
            if isinstance(found, Skipped):
                yield found
                continue
            same = found if found == STANDARD_INPUT else os.path.realpath(found)
            if same not in seen:
                seen.add(same)
                yield found


def _files(path: str) -> Iterator[str | Skipped]:
    if path == STANDARD_INPUT:
        yield path
    elif "\0" in path:
        yield Skipped(
            path.replace("\0", "\\0"), "T101", "a path cannot have a NUL character in it", path.replace("\0", "\\0")
        )
    elif Path(path).is_dir():
        yield from _folder(path)
    elif has_magic(path) and not os.path.lexists(path):
        matches = sorted(glob(path, recursive=True), key=lambda p: Path(p).parts)
        if not matches:
            yield Skipped(path, "T102", f"no file matches {path}", path)
        for match in matches:
            if not Path(match).is_dir():
                yield match
            elif Path(match).name and "**" not in path:
                yield from _folder(match)
    else:
        yield path


def _folder(path: str) -> Iterator[str | Skipped]:
    """All files of traces under a folder; folders that are links are not entered, so that no loop can arise."""
    found: list[str] = []
    closed: list[Skipped] = []

    def refused(error: OSError) -> None:
        where = str(error.filename)
        closed.append(Skipped(where, "T101", f"{where} cannot be read: {error.strerror or error}", where))

    for folder, _, names in os.walk(path, onerror=refused):
        found.extend(str(Path(folder) / name) for name in names if name.lower().endswith(SUFFIXES))
    yield from sorted(closed, key=lambda c: c.path)
    if not found and not closed:
        yield Skipped(path, "T102", f"the folder {path} holds no file that ends in {' or '.join(SUFFIXES)}", path)
    yield from sorted(found, key=lambda f: Path(f).parts)
