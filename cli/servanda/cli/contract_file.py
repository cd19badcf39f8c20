"""A contract as the command line names it: a path, or `-` for standard input.

In: the words of a user. Out: the contract and its warnings, or a `Refusal`. Files that a contract from standard input names are read from the
working folder.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from servanda.contracts.load import load_text, load_with_warnings
from servanda.contracts.toolfiles.files import LARGEST, FileFault, TextFile, decode, read_text
from servanda.grammar.diagnostic import Diagnostic, refuse

if TYPE_CHECKING:
    from servanda.contracts.model import Contract

STDIN = "-"


def read_contract(path: str) -> tuple["Contract", tuple[Diagnostic, ...]]:
    """The contract at `path` and its warnings. Raises `Refusal`."""
    if path == STDIN:
        return load_text(read_input(path).text, path, Path())
    return load_with_warnings(path)


def read_input(path: str) -> TextFile:
    """The text at `path`. Raises `Refusal` (F101 to F104)."""
    found = (
        decode(sys.stdin.buffer.read(LARGEST + 1), "standard input") if path == STDIN else read_text(Path(path), path)
    )
    if isinstance(found, FileFault):
        refuse(found.code, found.message)
    return found
