"""Reading a text file that a person named.

In: a path. Out: its text and its digest, or the fault as a code and a sentence. Files are read whole, once, and never larger than the limit.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LARGEST: Final = 4 * 1024 * 1024
"""Bytes of the largest file that is read."""


@dataclass(frozen=True, slots=True)
class FileFault:
    """Why a file was not read: a code of the table, and a sentence that names the path."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file that was read; `sha256` (hex) is that of its bytes."""

    text: str
    sha256: str


def read_text(path: Path, shown: str) -> TextFile | FileFault:
    """The text of the file at `path`, called `shown` in messages. A byte order mark is dropped."""
    try:
        if path.is_dir():
            return FileFault("F102", f"{shown} is a folder")
        with path.open("rb") as handle:
            data = handle.read(LARGEST + 1)
    except FileNotFoundError:
        return FileFault("F101", f"{shown} does not exist")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return FileFault("F101", f"{shown} cannot be read: {reason}")
    return decode(data, shown)


def decode(data: bytes, shown: str) -> TextFile | FileFault:
    """The text of these bytes, which came from `shown`."""
    if len(data) > LARGEST:
        return FileFault("F104", f"{shown} is larger than {LARGEST // (1024 * 1024)} MB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return FileFault(
            "F103", f"{shown} is not UTF-8 text: the byte at offset {error.start} is {data[error.start]:#04x}"
        )
    return TextFile(text, hashlib.sha256(data).hexdigest())
