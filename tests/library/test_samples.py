"""The sample traces of the refund desk have the verdicts that the documentation gives them."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NOTE = ROOT / "docs/library.md"
FILES = ("refund_desk.jsonl", "refund_desk.openai.json")


def documented() -> dict[str, tuple[str, list[str]]]:
    """Trace to its verdict and what is named beside it."""
    _, _, rest = NOTE.read_text(encoding="utf-8").partition("## Refund desk: sample traces\n")
    found = {}
    for line in rest.partition("\n## ")[0].splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and cells[1] in ("conforms", "violates", "undecided"):
            found[cells[0]] = (cells[1], sorted(re.findall(r"`([^`]+)`", cells[2])))
    return found


@pytest.fixture
def judged(contract: Callable[..., Any], library: Path) -> dict[str, Any]:
    """The report over both files, by trace."""
    traces = [library / "samples" / name for name in FILES]
    ran = contract("eval", library / "refund_desk.contract", *traces, "--format", "json")
    report = json.loads(ran.out)
    assert report["skipped"] == []
    assert ran.code == 1
    return {t["id"]: t for t in report["traces"]}


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
