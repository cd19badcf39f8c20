"""The golden cases of the semantics, decided by the reference."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from servanda.contracts import reference
from servanda.contracts.load import load
from servanda.contracts.observed import MISSING, Event, Trace
from servanda.contracts.verdict import decide
from servanda.grammar.diagnostic import Refusal

NOT_YET = {"contracts/coarse.contract", "contracts/coarse_order.contract"}
"""Contracts with a construct that this release refuses by name."""


def _trace(case: dict[str, Any]) -> Trace:
    events: list[Event] = []
    for index, e in enumerate(case["trace"]["events"]):
        turn = e.get("turn", index)
        path, labels = f"$.events[{index}]", e.get("labels", {})
        if e["kind"] == "call":
            result, outcome = e.get("result", MISSING), e.get("outcome", "unknown")
            events.append(Event(index, "call", e["tool"], turn, path, e["args"], result, outcome, labels=labels))
        else:
            events.append(Event(index, "message", e["role"], turn, path, text=e["text"], labels=labels))
    output = case["trace"].get("output", MISSING)
    return Trace(case["id"], tuple(events), case["trace"]["complete"], None, output, "cases.jsonl", "test")


def test_every_case(golden_cases: Path) -> None:
    lines = (golden_cases / "cases.jsonl").read_text("utf-8").splitlines()
    wrong, judged = [], 0
    for case in (json.loads(line, parse_float=Decimal) for line in lines):
        if case["contract"] in NOT_YET:
            with pytest.raises(Refusal) as caught:
                load(golden_cases / case["contract"])
            assert {d.code for d in caught.value.diagnostics} == {"C190"}
            continue
        judged += 1
        found = decide(load(golden_cases / case["contract"]), _trace(case), case["query"], reference.solve)
        got = sorted((r.finding.kind, r.finding.element, list(r.finding.events), r.certain) for r in found.findings)
        wanted = sorted(
            (f["kind"], f["element"], f["events"], f.get("certain", True)) for f in case["expected"]["findings"]
        )
        on = sorted(case["expected"].get("undecided_on", found.undecided_on))
        if (found.verdict, got, sorted(found.undecided_on)) != (case["expected"]["verdict"], wanted, on):
            wrong.append((case["id"], found.verdict, got, found.undecided_on))
    assert wrong == [] and judged >= 57
