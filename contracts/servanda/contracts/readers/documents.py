"""The records of one file, one after another: a JSON document with one record or an array of them, a tau2 file of simulations, or JSONL.

In: the bytes of a file, from anyone. Out: JSON values with their places, and what could not be read. JSONL is read line by line, an array
element by element: what is in memory at once is one line, or one document as text and one of its records as values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import BinaryIO, Final

from servanda.contracts.observed import Json
from servanda.contracts.readers import strict_json
from servanda.contracts.readers.json_extent import Extent, fault_at, parts, value_end, value_start
from servanda.contracts.readers.json_fault import NotJson, step
from servanda.contracts.readers.recognise import is_message
from servanda.contracts.readers.skipped import Skipped
from servanda.contracts.readers.tau import tasks_by_id

LARGEST_RECORD: Final = 32 * 1024 * 1024
"""Bytes of a line of JSONL; characters of a record in a document."""
LARGEST_DOCUMENT: Final = 128 * 1024 * 1024
"""Bytes of a document with many records."""

_MB: Final = 1024 * 1024
_OPENINGS: Final = (b"{", b"[", b"[{")
"""The first line of a document that is spread over lines."""
_PACKED: Final = {b"\x1f\x8b": "gzip", b"PK": "zip", b"\xfd7": "xz", b"BZ": "bzip2", b"\x28\xb5": "zstandard"}


@dataclass(frozen=True, slots=True)
class Raw:
    """One record as JSON. `path`: file, and line where a file has several records; `where`: its JSON path from the start of the file or line;
    `name`: an id for a record that has none; `tasks`: the tasks of its tau2 file by id."""

    value: Json
    path: str
    where: str
    name: str
    tasks: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that is not blank: its number from 1, the offset of its first byte, and its bytes, None where they are too many."""

    number: int
    offset: int
    data: bytes | None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a text with one JSON value stands: it starts at line `line` of `file`, `path` is what is told of it, and `name` what it is called."""

    path: str
    name: str
    line: int
    file: str


def raw_records(handle: BinaryIO, shown: str, name: str, *, lines: bool) -> Iterator[Raw | Skipped]:
    """The records of the file called `shown`; `name` is the base of their ids. `lines`: it says that it is JSONL."""
    listed = _lines(handle, lines=lines)
    first = next(listed, None)
    if first is None:
        yield Skipped(name, "T105", "the file is empty: it holds no record", shown)
        return
    fault = _no_text(first.data or b"", shown, name)
    if fault is not None:
        yield fault
    elif _is_lines(first, lines=lines):
        second = next(listed, None)
        if second is None and not lines:
            yield from _of_bytes(first.data or b"", first.offset, _Place(shown, name, first.number, shown))
            return
        yield from _of_line(first, shown, name)
        for line in chain([] if second is None else [second], listed):
            yield from _of_line(line, shown, name)
    else:
        yield from _of_document(first, handle, shown, name)


def _lines(handle: BinaryIO, *, lines: bool) -> Iterator[_Line]:
    """The lines that are not blank. One that is too long is passed over piece by piece; but the first of a file that is not said to be JSONL
    is given as far as it was read, since it may be a document, and the caller then reads on from the handle."""
    number, offset = 0, 0
    may_be_document = not lines
    while data := handle.readline(LARGEST_RECORD + 1):
        number += 1
        start = offset
        offset += len(data)
        if number == 1 and data.startswith(b"\xef\xbb\xbf"):
            data, start = data[3:], 3
        if not data.strip():
            continue
        if len(data) > LARGEST_RECORD and not data.endswith(b"\n") and not may_be_document:
            offset += _to_line_end(handle)
            data = b""
        may_be_document = False
        yield _Line(number, start, data or None)


def _to_line_end(handle: BinaryIO) -> int:
    """Pass over the rest of a line; how many bytes it had."""
    passed = 0
    while piece := handle.readline(_MB):
        passed += len(piece)
        if piece.endswith(b"\n"):
            break
    return passed


def _no_text(data: bytes, shown: str, name: str) -> Skipped | None:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return Skipped(name, "T103", "the file is UTF-16; traces are UTF-8 text", shown)
    packed = _PACKED.get(data[:2])
    if packed is not None:
        return Skipped(name, "T106", f"the file is no text but packed ({packed}); unpack it first", shown)
    if b"\0" in data[:8192]:
        return Skipped(name, "T106", "the file is binary; traces are UTF-8 text", shown)
    return None


def _is_lines(first: _Line, *, lines: bool) -> bool:
    """Whether the file is JSONL: it says so, or its first line is a value of its own."""
    data = (first.data or b"").strip()
    if len(data) > LARGEST_RECORD:
        return lines
    if lines:
        return data not in _OPENINGS
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return value_end(text, 0) == len(text)


# ---- JSONL -------------------------------------------------------------------------------------------------------------


def _of_line(line: _Line, shown: str, name: str) -> Iterator[Raw | Skipped]:
    path, called = f"{shown}:{line.number}", f"{name}:{line.number}"
    if line.data is None or len(line.data.rstrip()) > LARGEST_RECORD:
        yield Skipped(called, "T104", f"the line is longer than {LARGEST_RECORD // _MB} MB, the largest record", path)
        return
    yield from _of_bytes(line.data, line.offset, _Place(path, called, line.number, shown))


def _of_bytes(data: bytes, offset: int, place: _Place) -> Iterator[Raw | Skipped]:
    """The records of the value in these bytes, which begin at an offset of the file."""
    text = _decoded(data, offset, place)
    if isinstance(text, Skipped):
        yield text
    else:
        yield from _of_text(text, place)


def _decoded(data: bytes, offset: int, place: _Place) -> str | Skipped:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = offset + error.start
        return Skipped(
            place.name, "T103", f"no UTF-8 text: the byte at offset {at} is {data[error.start]:#04x}", place.path
        )


# ---- documents ---------------------------------------------------------------------------------------------------------


def _of_document(first: _Line, handle: BinaryIO, shown: str, name: str) -> Iterator[Raw | Skipped]:
    head = first.data or b""
    data = head + handle.read(LARGEST_DOCUMENT + 1 - len(head))
    if len(data) > LARGEST_DOCUMENT:
        limit = f"the document is larger than {LARGEST_DOCUMENT // _MB} MB; write one record a line (JSONL)"
        yield Skipped(name, "T104", limit, shown)
        return
    if _is_broken_lines(data):
        offset = first.offset
        for number, line in enumerate(data.split(b"\n"), first.number):
            if line.strip():
                yield from _of_line(_Line(number, offset, line), shown, name)
            offset += len(line) + 1
        return
    yield from _of_bytes(data, first.offset, _Place(shown, name, first.number, shown))


def _is_broken_lines(data: bytes) -> bool:
    """Whether what begins like a document is JSONL with a broken first line: its second line is an object of its own."""
    second = next((line.strip() for line in data.split(b"\n", 9)[1:9] if line.strip()), b"")
    if data.lstrip()[:1] != b"{" or second[:1] != b"{":
        return False
    text = second.decode("utf-8", "replace")
    return value_end(text, 0) == len(text)


def _of_text(text: str, place: _Place) -> Iterator[Raw | Skipped]:
    """The records of one value: the value itself, or the elements of the array that it is or has."""
    start = value_start(text)
    try:
        if text[start : start + 1] == "[" and not _is_run(text, start):
            yield from _of_array(text, place, start, "$", {})
            return
        if text[start : start + 1] == "{" and '"simulations"' in text:
            members = list(parts(text, start))
            if any(m.key == "simulations" and text[m.start] == "[" for m in members):
                yield from _of_simulations(text, place, members)
                return
    except NotJson as fault:
        yield _broken(fault, place)
        return
    yield _of_value(text, Extent(0, start, len(text)), "$", place, {})


def _is_run(text: str, start: int) -> bool:
    """Whether an array is the messages of one run."""
    first = next(parts(text, start), None)
    if first is None or first.end - first.start > LARGEST_RECORD:
        return False
    try:
        return is_message(strict_json.loads(text[first.start : first.end]))
    except NotJson:
        return False


def _of_simulations(text: str, place: _Place, members: list[Extent]) -> Iterator[Raw | Skipped]:
    """The runs of a tau2 file, which has them beside their tasks; whatever else it has must be JSON too."""
    tasks: Mapping[str, Json] = {}
    runs: list[Extent] = []
    met: set[str | int] = set()
    for member in members:
        if member.key in met:
            raise fault_at(text, member.start, f'the key "{member.key}" stands twice in one object', "$")
        met.add(member.key)
        if member.key == "simulations":
            runs.append(member)
            continue
        line = place.line + text.count("\n", 0, member.start)
        there = replace(place, name=f"{place.name} {member.key}", line=line)
        found = _of_value(text, member, step("$", member.key), there, {})
        if isinstance(found, Skipped):
            yield found
        elif member.key == "tasks":
            tasks = tasks_by_id(found.value)
    for run in runs:
        yield from _of_array(text[: run.end], place, run.start, "$.simulations", tasks)


def _of_array(text: str, place: _Place, start: int, base: str, tasks: Mapping[str, Json]) -> Iterator[Raw | Skipped]:
    """Each element as a record; a broken one is passed over, unless its brackets break the array itself."""
    line, counted, number = place.line, 0, 0
    try:
        for part in parts(text, start):
            line += text.count("\n", counted, part.start)
            counted, number = part.start, int(part.key)
            there = _Place(f"{place.file}:{line}", f"{place.name}[{number}]", line, place.file)
            yield _of_value(text, part, step(base, number), there, tasks)
            number += 1
    except NotJson as fault:
        yield _broken(fault, replace(place, name=f"{place.name}[{number}]"))
        return
    if not number:
        yield Skipped(place.name, "T105", f"the array at {base} is empty: it holds no record", place.path)


def _of_value(text: str, part: Extent, where: str, place: _Place, tasks: Mapping[str, Json]) -> Raw | Skipped:
    """The record that a part of the text is; `place` is that of the part."""
    if part.end - part.start > LARGEST_RECORD:
        message = f"{where}: the record is larger than {LARGEST_RECORD // _MB} MB"
        return Skipped(place.name, "T104", message, place.path)
    try:
        value = strict_json.loads(text[part.start : part.end])
    except NotJson as fault:
        before = part.start - text.rfind("\n", 0, part.start) - 1
        column = fault.column + (before if fault.line == 1 else 0)
        return _broken(NotJson(fault.reason, fault.line, column, where + fault.path[1:]), place)
    return Raw(value, place.path, where, place.name, tasks)


def _broken(fault: NotJson, place: _Place) -> Skipped:
    moved = NotJson(fault.reason, place.line + fault.line - 1, fault.column, fault.path)
    return Skipped(place.name, "T110", f"no JSON: {moved}", place.path)
