"""The records of one file, one after another: a JSON document with one record or an array of them, a tau2 file of simulations, or JSONL.

In: the bytes of a file, from anyone. Out: JSON values with their places, and what could not be read. JSONL is read line by line, an array
element by element: what is in memory at once is one line, or one document as text and one of its records as values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, Final

from servanda.contracts.observed import Json
from servanda.contracts.readers import strict_json
from servanda.contracts.readers.json_extent import Extent, parts, value_end, value_start
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
class _Text:
    """A text with one JSON value, which starts at line `line` of the file at `path` and is called `name`. `path` names the line for a line of
    JSONL."""

    text: str
    path: str
    name: str
    line: int
    file: str


def raw_records(handle: BinaryIO, shown: str, name: str, *, lines: bool) -> Iterator[Raw | Skipped]:
    """The records of the file called `shown`; `name` is the base of their ids. `lines`: it says that it is JSONL."""
    listed = _lines(handle)
    first = next(listed, None)
    if first is None:
        yield Skipped(name, "T105", "the file is empty: it holds no record", shown)
        return
    fault = _no_text(first.data or b"", shown, name)
    if fault is not None:
        yield fault
    elif _is_lines(first, lines=lines):
        yield from _of_lines(first, listed, shown, name)
    else:
        yield from _of_document(first, handle, shown, name)


def _lines(handle: BinaryIO) -> Iterator[_Line]:
    """The lines that are not blank. One that is too long is passed over piece by piece. The first is given whole, since it may be all of a
    document; the caller then goes on reading the handle itself."""
    number, offset = 0, 0
    while data := handle.readline(LARGEST_RECORD + 1):
        number += 1
        start = offset
        offset += len(data)
        if number == 1 and data.startswith(b"\xef\xbb\xbf"):
            data, start = data[3:], 3
        if not data.strip():
            continue
        long = len(data) > LARGEST_RECORD and not data.endswith(b"\n")
        if long and number > 1:
            while piece := handle.readline(_MB):
                offset += len(piece)
                if piece.endswith(b"\n"):
                    break
            data = b""
        yield _Line(number, start, data or None)


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


def _of_lines(first: _Line, rest: Iterator[_Line], shown: str, name: str) -> Iterator[Raw | Skipped]:
    yield from _of_line(first, shown, name)
    for line in rest:
        yield from _of_line(line, shown, name)


def _of_line(line: _Line, shown: str, name: str) -> Iterator[Raw | Skipped]:
    path, called = f"{shown}:{line.number}", f"{name}:{line.number}"
    if line.data is None or len(line.data.rstrip()) > LARGEST_RECORD:
        yield Skipped(called, "T104", f"the line is longer than {LARGEST_RECORD // _MB} MB, the largest record", path)
        return
    text = _decoded(line.data, line.offset, path, called)
    if isinstance(text, Skipped):
        yield text
    else:
        yield from _of_text(_Text(text, path, called, line.number, shown))


def _decoded(data: bytes, offset: int, path: str, name: str) -> str | Skipped:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = offset + error.start
        return Skipped(name, "T103", f"no UTF-8 text: the byte at offset {at} is {data[error.start]:#04x}", path)


# ---- documents ---------------------------------------------------------------------------------------------------------


def _of_document(first: _Line, handle: BinaryIO, shown: str, name: str) -> Iterator[Raw | Skipped]:
    head = first.data or b""
    data = head + handle.read(LARGEST_DOCUMENT + 1 - len(head))
    if len(data) > LARGEST_DOCUMENT:
        limit = f"the document is larger than {LARGEST_DOCUMENT // _MB} MB; write one record a line (JSONL)"
        yield Skipped(name, "T104", limit, shown)
        return
    text = _decoded(data, first.offset, shown, name)
    if isinstance(text, Skipped):
        yield text
        return
    if _is_broken_lines(text):
        for number, line in enumerate(data.split(b"\n"), first.number):
            if line.strip():
                yield from _of_line(_Line(number, 0, line), shown, name)
        return
    yield from _of_text(_Text(text, shown, name, first.number, shown))


def _is_broken_lines(text: str) -> bool:
    """Whether a text that begins like a document is JSONL with a broken first line: its second line is an object of its own."""
    second = next((line.strip() for line in text.split("\n")[1:] if line.strip()), "")
    return text.lstrip()[:1] == "{" and second[:1] == "{" and value_end(second, 0) == len(second)


def _of_text(given: _Text) -> Iterator[Raw | Skipped]:
    """The records of one value: the value itself, or the elements of the array that it is or has."""
    text = given.text
    start = value_start(text)
    try:
        if text[start : start + 1] == "[" and not _is_run(text, start):
            yield from _of_array(given, start, "$", {})
            return
        if text[start : start + 1] == "{" and '"simulations"' in text:
            members = {m.key: m for m in parts(text, start)}
            listed = members.get("simulations")
            if listed is not None and text[listed.start] == "[":
                yield from _of_simulations(given, listed, members.get("tasks"))
                return
    except NotJson as fault:
        yield _broken(fault, given)
        return
    yield _of_value(given, Extent(0, start, len(text)), given.line, "$", given.path, given.name, {})


def _is_run(text: str, start: int) -> bool:
    """Whether an array is the messages of one run."""
    first = next(parts(text, start), None)
    try:
        return first is not None and is_message(strict_json.loads(text[first.start : first.end]))
    except NotJson:
        return False


def _of_simulations(given: _Text, listed: Extent, tasks: Extent | None) -> Iterator[Raw | Skipped]:
    known: Mapping[str, Json] = {}
    if tasks is not None:
        line = given.line + given.text.count("\n", 0, tasks.start)
        found = _of_value(given, tasks, line, "$.tasks", given.path, f"{given.name} tasks", {})
        if isinstance(found, Skipped):
            yield found
        else:
            known = tasks_by_id(found.value)
    cut = _Text(given.text[: listed.end], given.path, given.name, given.line, given.file)
    yield from _of_array(cut, listed.start, "$.simulations", known)


def _of_array(given: _Text, start: int, base: str, tasks: Mapping[str, Json]) -> Iterator[Raw | Skipped]:
    """Each element as a record; a broken one is passed over, unless its brackets break the array itself."""
    line, counted, number = given.line, 0, 0
    try:
        for part in parts(given.text, start):
            line += given.text.count("\n", counted, part.start)
            counted, number = part.start, int(part.key)
            path, name = f"{given.file}:{line}", f"{given.name}[{number}]"
            yield _of_value(given, part, line, step(base, number), path, name, tasks)
            number += 1
    except NotJson as fault:
        yield _broken(fault, given, f"{given.name}[{number}]")
        return
    if not number:
        yield Skipped(given.name, "T105", f"the array at {base} is empty: it holds no record", given.path)


def _of_value(
    given: _Text, part: Extent, line: int, where: str, path: str, name: str, tasks: Mapping[str, Json]
) -> Raw | Skipped:
    if part.end - part.start > LARGEST_RECORD:
        return Skipped(name, "T104", f"{where}: the record is larger than {LARGEST_RECORD // _MB} MB", path)
    try:
        value = strict_json.loads(given.text[part.start : part.end])
    except NotJson as fault:
        column = part.start - given.text.rfind("\n", 0, part.start)
        shift = column - 1 if fault.line == 1 else 0
        moved = NotJson(fault.reason, line + fault.line - 1, fault.column + shift, where + fault.path[1:])
        return Skipped(name, "T110", f"no JSON: {moved}", path)
    return Raw(value, path, where, name, tasks)


def _broken(fault: NotJson, given: _Text, name: str = "") -> Skipped:
    moved = NotJson(fault.reason, given.line + fault.line - 1, fault.column, fault.path)
    return Skipped(name or given.name, "T110", f"no JSON: {moved}", given.path)
