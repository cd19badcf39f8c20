"""Each library contract holds: `contract check` has nothing to say, and its tests show every clause kept and broken."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from servanda.contracts import model as m
from servanda.contracts.load import load

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARY = ROOT / "contracts/servanda/contracts/library"
NAMES = sorted(p.name for p in LIBRARY.glob("*.contract"))
KINDS = {"omission", "wrong_branch", "misorder", "redundant", "invariant", "output"}


def rules_of(contract: m.Contract) -> list[str]:
    return [n.path for n in contract.body if isinstance(n, m.Rule)]


def as_trace(test: m.Test, position: int) -> dict[str, Any]:
    """The run of a test block as a trace record of its own."""
    return {**test.record, "id": f"{position} {test.title}"}


@pytest.mark.parametrize("name", NAMES)
def test_it_passes_check(name: str, contract: Callable[..., Any]) -> None:
    ran = contract("check", LIBRARY / name, "--format", "json")
    assert ran.code == 0, ran.out + ran.err
    (found,) = json.loads(ran.out)["contracts"]
    assert [d for d in found["diagnostics"] if d["severity"] != "note"] == []


@pytest.mark.parametrize("name", NAMES)
def test_it_is_laid_out(name: str, contract: Callable[..., Any]) -> None:
    assert contract("fmt", "--check", LIBRARY / name).code == 0


def test_the_refund_desk_shows_every_kind_of_expectation() -> None:
    words = {e.word for t in load(LIBRARY / "refund_desk.contract").tests for e in t.expectations}
    assert words == {*KINDS, "conforms", "undecided", "active", "inactive"}


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_broken_by_a_test(name: str) -> None:
    contract = load(LIBRARY / name)
    broken = {e.element for t in contract.tests for e in t.expectations if e.word == "invariant"}
    assert [r for r in rules_of(contract) if r not in broken] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_kept_by_a_test(name: str, contract: Callable[..., Any], tmp_path: Path) -> None:
    """Kept, not idle: in the conforming tests each rule is activated and fulfilled."""
    model = load(LIBRARY / name)
    kept = [as_trace(t, i) for i, t in enumerate(model.tests) if any(e.word == "conforms" for e in t.expectations)]
    runs = tmp_path / "kept.jsonl"
    runs.write_text("".join(json.dumps(r, default=float) + "\n" for r in kept), encoding="utf-8")
    report = json.loads(contract("eval", LIBRARY / name, runs, "--format", "json").out)
    assert report["skipped"] == []
    counts = report["rules"]
    assert [r for r in rules_of(model) if not counts[r]["fulfilled"] and not prohibits(model, r)] == []


def prohibits(contract: m.Contract, path: str) -> bool:
    """A rule that nothing fulfils, since it only says what must not be."""
    (rule,) = (n for n in contract.body if isinstance(n, m.Rule) and n.path == path)
    return isinstance(rule.form, m.Never)
