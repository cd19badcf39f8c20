"""Loading a contract: the one way from a file or a text to the typed model.

In: a path, or a text. Out: the contract and its warnings, or a `Refusal` with every diagnostic. The only module that imports the parser. Laying
a contract out needs no model, so what makes one is imported where it is made.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from servanda.contracts.toolfiles.files import FileFault, read_text
from servanda.grammar.diagnostic import Diagnostic, Refusal, Severity, refuse
from servanda.grammar.span import NOWHERE, Source
from servanda.grammar.syntax import Tree

if TYPE_CHECKING:
    from servanda.contracts.model import Contract

ENDING = ".contract"


def load(path: str | Path) -> "Contract":
    """The contract in the file at `path`. Raises Refusal with all its errors and warnings."""
    return load_with_warnings(path)[0]


def load_with_warnings(path: str | Path) -> tuple["Contract", tuple[Diagnostic, ...]]:
    """The contract in the file at `path`, and what is to be said about it short of an error. Raises Refusal."""
    place = Path(path)
    found = read_text(place, str(path))
    if isinstance(found, FileFault):
        refuse(found.code, found.message)
    contract, said = load_text(found.text, str(path), place.parent)
    if place.suffix == ENDING:
        return contract, said
    note = Diagnostic("F106", Severity.NOTE, f"{path} does not end in {ENDING}, as contracts do")
    return contract, (note, *said)


def load_text(text: str, path: str, base: Path) -> tuple["Contract", tuple[Diagnostic, ...]]:
    """The contract a text holds, called `path` in messages; files it names are read from `base`. Raises Refusal."""
    from servanda.contracts.resolve import resolve

    source = Source(path, text)
    tree = read_tree(source)
    try:
        contract, said = resolve(tree, source, base)
    except RecursionError:
        refuse("F107", f"{path} is nested deeper than can be read", source=source, span=NOWHERE)
    if contract is None:
        raise Refusal(said)
    return contract, said


def read_tree(source: Source) -> Tree:
    """The syntax tree of a contract, its names not resolved: what layout needs. Raises Refusal."""
    from servanda.grammar.parser import parse

    if not source.text.strip():
        refuse(
            "F105",
            f"{source.path} is empty",
            source=source,
            span=NOWHERE,
            help="a contract begins with `language 1 contract NAME version 1`",
        )
    try:
        return parse(source)
    except RecursionError:
        refuse("F107", f"{source.path} is nested deeper than can be read", source=source, span=NOWHERE)
