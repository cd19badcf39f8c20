"""Contracts with the exact output of `contract check`: those in `bad` have a fault each, those in `good` have none.

`pytest --reset-golden tests/golden` writes the outputs anew; read the difference before you commit it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
BAD = sorted((HERE / "bad").glob("*.contract"))
GOOD = sorted((HERE / "good").glob("*.contract"))


def transcript(ran: Any, *arguments: str) -> str:
    """A run as it would look on a terminal, with the exit code."""
    return f"$ contract {' '.join(arguments)}\n{ran.out}{ran.err}[exit {ran.code}]\n"


def compare(kept: Path, shown: str, request: pytest.FixtureRequest) -> None:
    """Compare with the kept output, or keep this one."""
    if request.config.getoption("--reset-golden"):
        kept.write_text(shown, "utf-8")
    assert kept.exists(), f"no expected output for {kept.stem}; run pytest --reset-golden and read it"
    assert shown == kept.read_text("utf-8")


@pytest.mark.parametrize("path", BAD + GOOD, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_check_says_exactly_this(
    path: Path, contract: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(path.parent)
    ran = contract("check", path.name)
    compare(path.with_suffix(".out"), transcript(ran, "check", path.name), request)
    assert (ran.code == 0) == (path.parent.name == "good")


def test_enough_of_each_and_no_output_without_its_contract() -> None:
    assert len(BAD) >= 60
    assert len(GOOD) >= 20
    for folder in ("bad", "good"):
        contracts = {p.stem for p in (HERE / folder).glob("*.contract")}
        assert {p.stem for p in (HERE / folder).glob("*.out")} == contracts
