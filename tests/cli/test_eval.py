"""`contract eval`: where queries come from, what is written where, and the same bytes every time."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Contract = Callable[..., Any]
ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "docs/example"
RUNS = "tau_bench/retail_trajectories_toolorchestra_tau2.jsonl"


@pytest.fixture
def desk(library: Path) -> tuple[Path, Path]:
    return library / "refund_desk.contract", library / "samples/refund_desk.jsonl"


@pytest.fixture
def few_runs(data: Path, tmp_path: Path) -> Path:
    """The first three of the public retail runs."""
    path = tmp_path / "runs.jsonl"
    lines = (data / RUNS).read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:3]), "utf-8")
    return path


def test_json_has_the_published_shape(contract: Contract, desk: tuple[Path, Path]) -> None:
    ran = contract("eval", *desk, "--format", "json")
    said = json.loads(ran.out)
    assert list(said) == ["schema", "contract", "traces", "rules", "skipped"]
    assert list(said["contract"]) == ["name", "digest"]
    needed = {"id", "verdict", "findings", "denominator", "undecided_on"}
    finding = {"kind", "element", "events", "certain", "severity", "contract_line", "expected", "seen", "consequences"}
    for trace in said["traces"]:
        assert needed <= set(trace) <= needed | {"possible", "reasons", "open_rules", "notes"}
        assert trace["denominator"] > 0
        for found in trace["findings"]:
            assert finding <= set(found) <= finding | {"prose", "paths"}
            assert len(found["paths"]) == len(found["events"])
    assert list(said["rules"]) == sorted(said["rules"])
    for count in said["rules"].values():
        assert count["activated"] == count["fulfilled"] + count["violated"] + count["undecided"]
    assert ran.out.endswith("}\n")
    assert ran.err == ""


def test_lines_in_json_are_those_of_the_contract(contract: Contract, desk: tuple[Path, Path]) -> None:
    lines = desk[0].read_text("utf-8").splitlines()
    said = json.loads(contract("eval", *desk, "--format", "json").out)
    for trace in said["traces"]:
        for found in trace["findings"]:
            name = re.split(r"[.\[]", found["element"].split(" before ")[-1])[-1 if "[" not in found["element"] else -2]
            assert name in lines[found["contract_line"] - 1] or found["kind"] == "redundant"


def test_out_writes_the_file_and_nothing_else(contract: Contract, desk: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "verdicts.json"
    ran = contract("eval", *desk, "--format", "json", "--out", out)
    assert ran.code == 1
    assert ran.out == ""
    assert str(out) in ran.err
    assert out.read_text("utf-8") == contract("eval", *desk, "--format", "json").out


def test_exit_zero(contract: Contract) -> None:
    files = (EXAMPLE / "returns.contract", EXAMPLE / "run.jsonl")
    assert contract("eval", *files).code == 1
    assert contract("eval", *files, "--exit-zero").code == 0
    assert contract("eval", *files, "--query-from", "none").code == 3
    assert contract("eval", *files, "--query-from", "none", "--exit-zero").code == 0


def test_a_query_in_a_file_is_that_of_every_trace(contract: Contract, tmp_path: Path) -> None:
    query = tmp_path / "q.json"
    query.write_text('{"id": "B2", "days": 31}')
    ran = contract("eval", EXAMPLE / "returns.contract", EXAMPLE / "run.jsonl", "--query", query, "--format", "json")
    verdicts = {t["id"]: t["verdict"] for t in json.loads(ran.out)["traces"]}
    assert verdicts == {"monday": "violates", "tuesday": "conforms"}
    on_stdin = contract(
        "eval",
        EXAMPLE / "returns.contract",
        EXAMPLE / "run.jsonl",
        "--query",
        "-",
        "--format",
        "json",
        stdin=query.read_text(),
    )
    assert on_stdin.out == ran.out


def test_traces_from_standard_input(contract: Contract) -> None:
    text = (EXAMPLE / "run.jsonl").read_text("utf-8")
    ran = contract("eval", EXAMPLE / "returns.contract", "-", "--format", "json", stdin=text)
    assert [t["verdict"] for t in json.loads(ran.out)["traces"]] == ["violates", "conforms"]


def test_nothing_is_judged_when_nothing_is_given(contract: Contract) -> None:
    ran = contract("eval", EXAMPLE / "returns.contract", "-", stdin="")
    assert ran.code == 2


def test_a_query_from_gold_is_told_and_can_be_left_out(contract: Contract, library: Path, few_runs: Path) -> None:
    retail = library / "tau_retail.contract"
    gold = json.loads(contract("eval", retail, few_runs, "--format", "json").out)["traces"]
    assert all("query from gold actions" in t["notes"] for t in gold)
    bare = json.loads(contract("eval", retail, few_runs, "--no-gold", "--format", "json").out)["traces"]
    assert not any("gold" in note for t in bare for note in t.get("notes", []))
    nothing = contract("eval", retail, few_runs, "--query-from", "none", "--format", "json")
    assert json.loads(nothing.out)["traces"] == bare


def test_the_summary_says_how_often_a_label_is_absent(contract: Contract, library: Path, few_runs: Path) -> None:
    ran = contract("eval", library / "tau_retail.contract", few_runs)
    assert re.search(r"label affirms is absent: \d of 3 traces, \d verdicts?, rule r4_yes", ran.out)
    assert re.search(r"3 of 3 traces: query from gold actions", ran.out)


def test_a_second_solver_says_the_same(contract: Contract, desk: tuple[Path, Path]) -> None:
    once = contract("eval", *desk, "--format", "json")
    assert contract("eval", *desk, "--format", "json", "--cross-check").out == once.out


def test_many_traces_have_a_line_each_and_the_worst_a_block(contract: Contract, desk: tuple[Path, Path]) -> None:
    ran = contract("eval", *desk)
    assert len(re.findall(r"^    contract  ", ran.out, re.MULTILINE)) >= 5
    whole = contract("eval", *desk, "--verbose")
    assert len(whole.out) > len(ran.out)
    assert max(map(len, ran.out.splitlines())) <= 80


def test_control_characters_of_a_trace_do_not_reach_the_terminal(contract: Contract, tmp_path: Path) -> None:
    record = json.loads((EXAMPLE / "run.jsonl").read_text("utf-8").splitlines()[0])
    record["id"] = "bell\x07 \x1b[31mred"
    record["events"][2]["args"]["id"] = "A7\x1b]0;title\x07\u202e"
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(record) + "\n")
    ran = contract("eval", EXAMPLE / "returns.contract", path)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", ran.out)


def test_the_same_bytes_whatever_the_hash_seed(desk: tuple[Path, Path]) -> None:
    said = {
        subprocess.run(
            [sys.executable, "-m", "servanda.cli", "eval", *map(str, desk), "--format", "json"],
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            check=False,
        ).stdout
        for seed in range(10)
    }
    assert len(said) == 1
    assert said.pop()


def test_the_same_bytes_of_check_and_expect_whatever_the_hash_seed(library: Path) -> None:
    for arguments in (
        ["check", str(ROOT / "tests/golden/bad/proof_order_cycle.contract"), "--format", "json"],
        ["expect", str(library / "refund_desk.contract"), "--format", "json"],
        ["check", str(ROOT / "tests/golden/bad/many_errors.contract")],
    ):
        said = {
            subprocess.run(
                [sys.executable, "-m", "servanda.cli", *arguments],
                capture_output=True,
                env={**os.environ, "PYTHONHASHSEED": str(seed)},
                check=False,
            ).stdout
            for seed in (0, 1, 9)
        }
        assert len(said) == 1
        assert said.pop()
