"""The sample traces of the refund desk have the verdicts that the documentation gives them."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NOTE = ROOT / "docs/library.md"


def documented() -> dict[str, tuple[str, list[str]]]:
    """Trace to its verdict and what is named beside it."""
    _, _, rest = NOTE.read_text(encoding="utf-8").partition("## Refund desk: sample traces\n")
    found: dict[str, Any] = {}
    for line in rest.partition("\n## ")[0].splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and cells[1] in ("conforms", "violates", "undecided"):
            found[cells[0]] = (cells[1], sorted(re.findall(r"`([^`]+)`", cells[2])))
    return found


@pytest.fixture
def judged(contract: Callable[..., Any], library: Path) -> dict[str, Any]:
    """The reports over both files, by trace."""
    samples = library / "samples"
    chat = ("--query", samples / "refund_desk.openai.query.json", samples / "refund_desk.openai.json")
    found: dict[str, Any] = {}
    for arguments in ((samples / "refund_desk.jsonl",), chat):
        ran = contract("eval", library / "refund_desk.contract", *arguments, "--format", "json")
        report = json.loads(ran.out)
        assert report["skipped"] == []
        assert ran.code == 1
        found |= {t["id"]: t for t in report["traces"]}
    return found


def test_verdicts_are_those_of_the_table(judged: dict[str, Any]) -> None:
    seen = {
        name: (
            t["verdict"],
            sorted(f"{f['kind']} {f['element']}" for f in t["findings"]) or sorted(map(str, t["undecided_on"])),
        )
        for name, t in judged.items()
    }
    assert seen == documented()


def test_findings_of_the_samples_are_certain_and_quote_the_policy(judged: dict[str, Any]) -> None:
    findings = [f for t in judged.values() for f in t["findings"]]
    assert {f["kind"] for f in findings} == {"omission", "wrong_branch", "misorder", "redundant", "invariant", "output"}
    assert all(f["certain"] for f in findings)
    assert all(f.get("prose") for f in findings if f["kind"] != "redundant")


def test_a_near_miss_is_part_of_the_omission(judged: dict[str, Any]) -> None:
    (finding,) = judged["more-than-the-total"]["findings"]
    assert finding["events"]
