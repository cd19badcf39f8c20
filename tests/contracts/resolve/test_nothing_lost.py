"""The self-check of the resolver: a model that lacks what was written is a fault of our own."""

from dataclasses import replace
from pathlib import Path

import pytest

from servanda.contracts.load import load_text
from servanda.contracts.resolving.nothing_lost import check_nothing_lost
from servanda.grammar.diagnostic import InternalError
from servanda.grammar.parser import parse


@pytest.mark.parametrize(
    "change",
    [
        {"body": ()},
        {"orders": ()},
        {"tests": ()},
        {"repairs": ()},
        {"output": None},
        {"definitions": {}},
        {"views": {}},
        {"events": {}},
        {"labels": {}},
        {"attributes": {}},
        {"records": {}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_is_lost_is_found(change: dict[str, object], wide: str, base: Path) -> None:
    contract, _ = load_text(wide, "desk.contract", base)
    tree = parse(contract.source)
    check_nothing_lost(tree, contract)
    with pytest.raises(InternalError):
        check_nothing_lost(tree, replace(contract, **change))  # type: ignore[arg-type]


def test_a_lost_guard_or_alternative_is_found(wide: str, base: Path) -> None:
    contract, _ = load_text(wide, "desk.contract", base)
    tree = parse(contract.source)
    for node in contract.body:
        for name in ("guard", "by", "prose"):
            if getattr(node, name, None):
                emptied = replace(node, **{name: () if name == "by" else None})  # type: ignore[arg-type]
                body = tuple(emptied if n is node else n for n in contract.body)
                with pytest.raises(InternalError):
                    check_nothing_lost(tree, replace(contract, body=body))
