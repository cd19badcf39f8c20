"""Contracts written as text and analysed; each is small and has one thing to find, or nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from servanda.contracts.load import load_text
from servanda.contracts.model import Contract
from servanda.solver.consistency import Analysis, analyse

HEAD = """language 1
contract desk "Desk" version 1
tool do_it() writes
record Item { kind: enum { food, book }  price: decimal(2) in 0 .. 500  note: string optional }
"""

Write = Callable[[str, str], Contract]
Analyse = Callable[[str, str], Analysis]


@pytest.fixture
def written() -> Write:
    """A contract from the lines of its query and of its body; `by call do_it` is added where a line ends in `!!`."""

    def write(query: str, body: str) -> Contract:
        text = HEAD + f"query {{\n{query}\n}}\n" + body.replace("!!", " by call do_it")
        return load_text(text, "desk.contract", Path())[0]

    return write


@pytest.fixture
def analysis(written: Write) -> Analyse:
    """The analysis of such a contract."""
    return lambda query, body: analyse(written(query, body))
