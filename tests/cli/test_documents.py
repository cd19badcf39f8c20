"""What the documents show is what the tool does: contracts hold, terminal blocks are real, every code is listed."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from servanda.contracts.codes import CODES
from servanda.contracts.readers.trace_fault import TRACE_CODES

Contract = Callable[..., Any]
ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r'"([CFQTX]\d{3})"')


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)


CONTRACTS = [
    pytest.param(text, id=f"{path.stem}-{number}")
    for path in DOCUMENTS
    for number, text in enumerate(blocks(path, "contract"))
]


@pytest.mark.parametrize("text", CONTRACTS)
def test_every_contract_shown_holds(contract: Contract, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(ROOT / "docs/example")
    ran = contract("check", "-", stdin=text)
    assert ran.code == 0, ran.out
    assert "warning" not in ran.out


def test_the_contract_of_the_readme_is_the_example() -> None:
    (shown,) = blocks(ROOT / "README.md", "contract")
    assert shown == (ROOT / "docs/example/returns.contract").read_text("utf-8")


def test_the_terminal_block_of_the_readme_is_real(contract: Contract, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "docs/example")
    (block,) = blocks(ROOT / "README.md", "console")
    commands = re.findall(r"^\$ contract (.*)$", block, re.MULTILINE)
    assert len(commands) == 2
    assert block == "\n".join(f"$ contract {c}\n{contract(*c.split()).out}" for c in commands)


def test_the_example_is_laid_out(contract: Contract) -> None:
    assert contract("fmt", "--check", ROOT / "docs/example/returns.contract").code == 0


def test_every_code_is_documented_and_every_documented_code_is_made() -> None:
    rooms = ("grammar", "contracts", "solver", "proofs", "cli")
    made = {
        code for room in rooms for path in (ROOT / room).rglob("*.py") for code in CODE.findall(path.read_text("utf-8"))
    }
    rows = dict(
        re.findall(r"^\| ([A-Z]\d{3}) \| (.*) \|$", (ROOT / "docs/diagnostics.md").read_text("utf-8"), re.MULTILINE)
    )
    assert set(rows) == made
    assert {code: rows[code] for code in (*CODES, *TRACE_CODES)} == {**CODES, **TRACE_CODES}


def test_links_between_documents_lead_somewhere() -> None:
    lost = [
        f"{path.name}: {target}"
        for path in (*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8"))
        if not (path.parent / target).exists()
    ]
    assert lost == []


def test_every_unsupported_construct_of_the_tour_is_refused() -> None:
    """The list under "Not yet" names what has a golden contract of its own."""
    text = (ROOT / "docs/language.md").read_text("utf-8").partition("## Not yet")[2]
    later = [p.stem for p in (ROOT / "tests/golden/bad").glob("later_*.contract")]
    assert len(later) >= 15
    for word in (
        "state",
        "param",
        "map",
        "set of",
        "always",
        "first",
        "last",
        "partial",
        "output text",
        "allow vacuous",
    ):
        assert f"`{word}" in text
