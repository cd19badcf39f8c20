"""Reading traces from files: the door through which every run comes in.

In: paths as typed, and the name of a reader or `auto`. Out: traces, and for each record or file that could not be read a `Skipped`, in the
order of the files. Trusts nothing in them; raises only for an unknown reader.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final

from servanda.contracts.observed import Trace
from servanda.contracts.readers.documents import Raw, raw_records
from servanda.contracts.readers.named_files import STANDARD_INPUT, named_files
from servanda.contracts.readers.openai_chat import read_openai
from servanda.contracts.readers.recognise import READERS, recognise
from servanda.contracts.readers.record import read_record
from servanda.contracts.readers.skipped import Skipped
from servanda.contracts.readers.tau import read_tau2, read_tau_bench
from servanda.grammar.diagnostic import Refusal, nearest, refuse

__all__ = ["AUTO", "READERS", "Skipped", "read_traces"]

AUTO: Final = "auto"
_LINE_SUFFIXES: Final = (".jsonl", ".ndjson")
_FAULTS_SHOWN: Final = 3


def read_traces(
    paths: Sequence[str], reader: str = AUTO, *, stdin: BinaryIO | None = None
) -> Iterator[Trace | Skipped]:
    """The traces of files, folders (all `*.json` and `*.jsonl` below them), patterns, and `-` for standard input.

    `reader`: one of `READERS`, or `auto` to tell it from each record. Raises `Refusal` (T107) for another name. An id that a trace before it
    has is made its own by a number, and a note says so."""
    if reader != AUTO and reader not in READERS:
        known = (AUTO, *READERS)
        refuse("T107", f"no reader is called '{reader}'; there are {', '.join(known)}", help=nearest(reader, known))
    return _traces(paths, reader, stdin)


def _traces(paths: Sequence[str], reader: str, stdin: BinaryIO | None) -> Iterator[Trace | Skipped]:
    places: dict[str, str] = {}
    for file in named_files(paths):
        if isinstance(file, Skipped):
            yield file
            continue
        for found in _Alike(_of_file(file, reader, stdin)):
            yield _with_own_id(found, places) if isinstance(found, Trace) else found


def _with_own_id(trace: Trace, places: dict[str, str]) -> Trace:
    """The trace with an id that none before it has; `places` is where each id was met."""
    if trace.id not in places:
        places[trace.id] = trace.path
        return trace
    number = 2
    while (own := f"{trace.id}#{number}") in places:
        number += 1
    places[own] = trace.path
    note = f"the id {trace.id} is that of a trace before it ({places[trace.id]}); this one is called {own}"
    return replace(trace, id=own, notes=(*trace.notes, note))


def _of_file(file: str, reader: str, stdin: BinaryIO | None) -> Iterator[tuple[Trace | Skipped, str]]:
    """What a file holds, each with the name of the foreign format it is of, or an empty one."""
    try:
        if file == STANDARD_INPUT:
            given = stdin if stdin is not None else getattr(sys.stdin, "buffer", None)
            if given is None:
                yield Skipped("stdin", "T101", "standard input is closed", file), ""
                return
            yield from _of_handle(given, file, "stdin", reader)
        else:
            with Path(file).open("rb") as handle:
                yield from _of_handle(handle, file, Path(file).stem, reader)
    except FileNotFoundError:
        yield Skipped(file, "T101", f"{file} does not exist", file), ""
    except OSError as error:
        yield Skipped(file, "T101", f"{file} cannot be read: {error.strerror or error}", file), ""


def _of_handle(handle: BinaryIO, file: str, name: str, reader: str) -> Iterator[tuple[Trace | Skipped, str]]:
    lines = file.lower().endswith(_LINE_SUFFIXES)
    for raw in raw_records(handle, file, name, lines=lines):
        if isinstance(raw, Skipped):
            yield raw, ""
            continue
        try:
            yield _read(raw, reader), ""
        except Refusal as refusal:
            yield _skipped(raw, refusal), refusal.diagnostics[0].label


def _read(raw: Raw, reader: str) -> Trace:
    match recognise(raw.value, raw.where) if reader == AUTO else reader:
        case "openai":
            return read_openai(raw.value, raw.path, where=raw.where, name=raw.name)
        case "tau-bench":
            return read_tau_bench(raw.value, raw.path, where=raw.where, name=raw.name)
        case "tau2":
            return read_tau2(raw.value, raw.path, where=raw.where, name=raw.name, tasks=raw.tasks)
        case _:
            return read_record(raw.value, raw.path, where=raw.where)


def _skipped(raw: Raw, refusal: Refusal) -> Skipped:
    given = raw.value.get("id") if isinstance(raw.value, dict) else None
    said = [f"{d.message}; {d.help}" if d.help else d.message for d in refusal.diagnostics]
    more = len(said) - _FAULTS_SHOWN
    shown = " · ".join(said[:_FAULTS_SHOWN]) + (f" · and {more} more" if more > 0 else "")
    return Skipped(
        given if isinstance(given, str) and given else raw.name, refusal.diagnostics[0].code, shown, raw.path
    )


class _Alike:
    """What a file holds, with records in a row that are of one foreign format told once."""

    def __init__(self, found: Iterator[tuple[Trace | Skipped, str]]) -> None:
        self._found = found

    def __iter__(self) -> Iterator[Trace | Skipped]:
        held: Skipped | None = None
        foreign, times, last = "", 0, ""
        for item, label in self._found:
            if held is not None and label == foreign and isinstance(item, Skipped):
                times, last = times + 1, item.path
                continue
            if held is not None:
                yield _told_once(held, times, last)
                held = None
            if label and isinstance(item, Skipped):
                held, foreign, times = item, label, 0
            else:
                yield item
        if held is not None:
            yield _told_once(held, times, last)


def _told_once(first: Skipped, times: int, last: str) -> Skipped:
    if not times:
        return first
    return replace(first, message=f"{first.message} (and so are the {times} records after it, up to {last})")
