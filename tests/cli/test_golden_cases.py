"""The golden corpus through the command line: contract, query, trace → verdict and findings.

Kind, element and verdict are compared always, events and certainty where the corpus names them, what decides an undecided verdict where it does.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Contract = Callable[..., Any]
COARSE = {"coarse.contract", "coarse_order.contract"}


def read_cases(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "cases.jsonl").read_text("utf-8").splitlines()]


def evaluated(contract: Contract, folder: Path, case: dict[str, Any], tmp_path: Path) -> Any:
    query, trace = tmp_path / "q.json", tmp_path / "t.jsonl"
    query.write_text(json.dumps(case["query"]), "utf-8")
    trace.write_text(json.dumps({"id": case["id"], **case["trace"]}) + "\n", "utf-8")
    return contract("eval", folder / case["contract"], trace, "--query", query, "--format", "json")


def differences(case: dict[str, Any], code: int, said: dict[str, Any]) -> list[str]:
    """What is not as the corpus says, in words."""
    wanted, (found,) = case["expected"], said["traces"]
    wrong = []
    if found["verdict"] != wanted["verdict"]:
        wrong.append(f"verdict {found['verdict']}, not {wanted['verdict']}")
    if code != {"conforms": 0, "violates": 1, "undecided": 3}[wanted["verdict"]]:
        wrong.append(f"exit {code}")
    listed = sorted(found["findings"], key=order)
    if [(f["kind"], f["element"]) for f in listed] != [
        (f["kind"], f["element"]) for f in sorted(wanted["findings"], key=order)
    ]:
        wrong.append(f"findings {[(f['kind'], f['element']) for f in listed]}")
    else:
        for f, w in zip(listed, sorted(wanted["findings"], key=order), strict=True):
            if f["events"] != w["events"]:
                wrong.append(f"{f['kind']} {f['element']} at {f['events']}, not {w['events']}")
            if f["certain"] != w.get("certain", True):
                wrong.append(f"{f['kind']} {f['element']} certain: {f['certain']}")
    if "undecided_on" in wanted and sorted(found["undecided_on"]) != sorted(wanted["undecided_on"]):
        wrong.append(f"undecided on {found['undecided_on']}, not {wanted['undecided_on']}")
    return wrong


def order(finding: dict[str, Any]) -> tuple[str, str, list[int]]:
    return finding["kind"], finding["element"], finding["events"]


def test_every_case_of_the_corpus(contract: Contract, golden_cases: Path, tmp_path: Path) -> None:
    cases = [case for case in read_cases(golden_cases) if Path(case["contract"]).name not in COARSE]
    assert len(cases) == 57
    wrong: dict[str, list[str]] = {}
    for case in cases:
        ran = evaluated(contract, golden_cases, case, tmp_path)
        found = differences(case, ran.code, json.loads(ran.out)) if ran.out else [ran.err]
        if found:
            wrong[case["id"]] = found
    assert wrong == {}


def test_coarse_evidence_is_refused_by_name(contract: Contract, golden_cases: Path, tmp_path: Path) -> None:
    cases = [case for case in read_cases(golden_cases) if Path(case["contract"]).name in COARSE]
    assert len(cases) == 3
    for case in cases:
        ran = evaluated(contract, golden_cases, case, tmp_path)
        assert ran.code == 2
        assert ran.out == ""
        assert "C190" in ran.err
        assert "not supported yet" in ran.err
