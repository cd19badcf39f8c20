"""Prose and clauses of the library stand for each other, both ways, as the audit notes say."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from servanda.contracts import model as m
from servanda.contracts.load import load, load_with_warnings
from servanda.grammar.diagnostic import Refusal

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARY = ROOT / "contracts/servanda/contracts/library"
NOTE = ROOT / "docs/library.md"
TITLES = {"refund_desk": "Refund desk: audit note", "tau_retail": "Retail desk: audit note"}
WITHOUT_REFERENCE = {"extra"}
"""Clauses that no `from` can follow."""


def clauses(contract: m.Contract) -> Iterator[tuple[str, m.ProseSpan | None]]:
    """Every clause that can carry a prose reference, by the name findings give it."""
    yield from _inside(contract.body)
    for order in contract.orders:
        yield f"{order.earlier} before {order.later}", order.prose
    for rule in contract.output.rules if contract.output else ():
        yield f"output {rule.name}", rule.prose
    for repair in contract.repairs:
        for rule in repair.rules:
            yield f"repair {repair.tool} {rule.name}", rule.prose


def _inside(nodes: tuple[m.Node, ...]) -> Iterator[tuple[str, m.ProseSpan | None]]:
    for node in nodes:
        match node:
            case m.Duty(path=path, prose=prose) | m.Rule(path=path, prose=prose):
                yield path, prose
            case m.Step(path=path, prose=prose, body=body):
                yield path, prose
                yield from _inside(body)
            case m.ForEach(body=body):
                yield from _inside(body)
            case m.Decide(path=path, prose=prose, branches=branches):
                yield path, prose
                for branch in branches:
                    yield branch.path, branch.prose
                    yield from _inside(branch.body)
            case m.AnyOf(path=path, prose=prose, options=options):
                yield path, prose
                for option in options:
                    yield from _inside(option.body)


def rows(title: str) -> dict[int, tuple[set[str], str, str]]:
    """The audit note: line to the clauses it names, the cell as written, and the remark."""
    _, _, rest = NOTE.read_text(encoding="utf-8").partition(f"## {title}\n")
    found = {}
    for line in rest.partition("\n## ")[0].splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("|") and cells[0].isdigit():
            found[int(cells[0])] = (set(re.findall(r"`([^`]+)`", cells[1])), cells[1], cells[2])
    return found


@pytest.mark.parametrize("name", sorted(TITLES))
def test_the_note_names_every_clause_of_every_line(name: str) -> None:
    contract = load(LIBRARY / f"{name}.contract")
    listed = rows(TITLES[name])
    (prose,) = contract.prose.values()
    assert sorted(listed) == list(range(1, len(prose.lines) + 1))
    every = list(clauses(contract))
    for line, (named, cell, remark) in listed.items():
        standing = {path for path, span in every if span and span.first <= line <= span.last}
        assert named - WITHOUT_REFERENCE == standing, f"line {line}"
        assert named or (cell == "none" and remark), f"line {line} has no clause and no reason"


@pytest.mark.parametrize("name", sorted(TITLES))
def test_every_duty_has_a_line(name: str) -> None:
    """A branch without a reference of its own stands on that of its decision."""
    contract = load(LIBRARY / f"{name}.contract")
    every = dict(clauses(contract))
    bare = [p for p, span in every.items() if span is None and every.get(p.rpartition(".")[0]) is None]
    assert bare == []


@pytest.mark.parametrize("name", sorted(TITLES))
def test_lines_of_the_prose_carry_their_number(name: str) -> None:
    (prose,) = load(LIBRARY / f"{name}.contract").prose.values()
    assert [line.partition(".")[0] for line in prose.lines] == [str(n) for n in range(1, len(prose.lines) + 1)]


@pytest.mark.parametrize("name", sorted(TITLES))
def test_another_prose_is_refused(name: str, tmp_path: Path) -> None:
    for path in LIBRARY.glob(f"{name}.*"):
        shutil.copy(path, tmp_path)
    prose = tmp_path / f"{name}.policy.md"
    prose.write_text(prose.read_text(encoding="utf-8").replace("only", "mostly", 1), encoding="utf-8")
    with pytest.raises(Refusal) as refused:
        load(tmp_path / f"{name}.contract")
    assert [d.code for d in refused.value.diagnostics] == ["F120"]


@pytest.mark.parametrize("name", sorted(TITLES))
def test_nothing_is_to_be_said_about_it(name: str) -> None:
    assert load_with_warnings(LIBRARY / f"{name}.contract")[1] == ()


def test_rules_of_the_retail_desk_are_named_after_their_obligation() -> None:
    """The table at the end of the contract names every rule, and no rule that is not there."""
    contract = load(LIBRARY / "tau_retail.contract")
    rules = {n.path for n in contract.body if isinstance(n, m.Rule)}
    table = contract.source.text.rpartition("# ---- which of R1 to R31 is where")[2]
    assert set(re.findall(r"\br\d+b?_\w+", table)) == rules
    covered = {int(n) for n in re.findall(r"^# R(\d+)\s", table, re.MULTILINE)}
    assert covered == set(range(1, 32))
