"""The ends of the pipe: standard output and error, and files written whole or not at all.

In: finished text. Out: bytes, always UTF-8. A reader that went away (a closed pipe) ends the writing, never the run: the exit code stays the
verdict's.
"""

import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import TextIO

from servanda.grammar.diagnostic import refuse


def use_utf8() -> None:
    """Write UTF-8 whatever the locale; a character that is none (half a surrogate pair) is written as its escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def write_result(text: str) -> None:
    """Write the result of a command to standard output."""
    _write(sys.stdout, text)


def write_log(text: str) -> None:
    """Write what is about the run, not its result, to standard error."""
    _write(sys.stderr, text)


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # Python flushes standard output once more at its end, and would complain then.
        with contextlib.suppress(OSError, ValueError):
            sink = os.open(os.devnull, os.O_WRONLY)
            os.dup2(sink, stream.fileno())
            os.close(sink)


def write_file(path: Path, text: str) -> None:
    """Replace a file by `text` as UTF-8, all at once: a reader sees the old file or the new one. Follows links, keeps the mode.

    Raises `Refusal` (F130) where it cannot be written."""
    target = path.resolve()
    if target.is_dir():
        refuse("F130", f"cannot write {path}: it is a folder")
    if target.exists() and not target.is_file():
        _write_through(path, target, text)
        return
    made: str | None = None
    try:
        handle, made = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(made).chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        Path(made).replace(target)
    except OSError as error:
        if made is not None:
            with contextlib.suppress(OSError):
                Path(made).unlink()
        refuse("F130", f"cannot write {path}: {error.strerror or error}")


def _write_through(path: Path, target: Path, text: str) -> None:
    """Write to a device or a named pipe, which cannot be replaced."""
    try:
        with target.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(text)
    except OSError as error:
        refuse("F130", f"cannot write {path}: {error.strerror or error}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
