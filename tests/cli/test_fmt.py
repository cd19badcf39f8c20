"""`contract fmt`: in place and all at once, or not at all."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Contract = Callable[..., Any]
GOOD = sorted((Path(__file__).resolve().parent.parent / "golden/good").glob("*.contract"))
UGLY = "language 1 contract a version 1 tool t()reads\nrequire  x by   call t # why\n"


@pytest.fixture
def ugly(tmp_path: Path) -> Path:
    path = tmp_path / "a.contract"
    path.write_text(UGLY)
    return path


def test_a_file_is_laid_out_in_place_and_then_stays(contract: Contract, ugly: Path) -> None:
    ran = contract("fmt", ugly)
    assert (ran.code, ran.out) == (0, "")
    assert str(ugly) in ran.err
    once = ugly.read_text()
    assert once != UGLY
    assert "# why" in once
    ran = contract("fmt", ugly)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert ugly.read_text() == once
    assert contract("fmt", "--check", ugly).code == 0


def test_check_writes_nothing_and_exits_1(contract: Contract, ugly: Path) -> None:
    ran = contract("fmt", "--check", ugly)
    assert ran.code == 1
    assert ran.out == f"{ugly} would change\n"
    assert ugly.read_text() == UGLY


def test_diff_writes_nothing_and_shows_the_change(contract: Contract, ugly: Path) -> None:
    ran = contract("fmt", "--diff", ugly)
    assert ran.code == 0
    assert "-require  x by   call t # why\n" in ran.out
    assert ugly.read_text() == UGLY
    assert contract("fmt", "--diff", "--check", ugly).code == 1


def test_standard_input_goes_to_standard_output(contract: Contract, ugly: Path) -> None:
    ran = contract("fmt", "-", stdin=UGLY)
    assert ran.code == 0
    contract("fmt", ugly)
    assert ran.out == ugly.read_text()


def test_a_file_that_does_not_parse_is_not_written_and_the_others_are(
    contract: Contract, ugly: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "b.contract"
    broken.write_text("language 1\ncontract b version 1\nrequre x by call t\n")
    ran = contract("fmt", broken, ugly)
    assert ran.code == 2
    assert "did you mean 'require'?" in ran.err
    assert broken.read_text() == "language 1\ncontract b version 1\nrequre x by call t\n"
    assert ugly.read_text() != UGLY


def test_names_are_not_resolved(contract: Contract) -> None:
    ran = contract("fmt", "-", stdin="language 1\ncontract b version 1\nrequire x by call nothing\n")
    assert ran.code == 0


@pytest.mark.parametrize("path", GOOD, ids=lambda p: p.stem)
def test_layout_keeps_the_meaning(contract: Contract, path: Path) -> None:
    from servanda.contracts.load import load_text

    text = path.read_text("utf-8")
    laid_out = contract("fmt", "-", stdin=text).out
    before, _ = load_text(text, str(path), path.parent)
    after, _ = load_text(laid_out, str(path), path.parent)
    assert after.digest == before.digest
    assert contract("fmt", "-", stdin=laid_out).out == laid_out
