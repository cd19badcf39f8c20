"""What is misspelt, misplaced or cannot be written is named, with its place; it never passes in silence."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Contract = Callable[..., Any]
TEXT = """language 1
contract desk "Desk" version 1
tool look(id: string) reads
tool pay(id: string) writes
label yes : bool on message user
rule calm never call pay where args.id == "A"
extra writes allowed
"""
CALL = {"kind": "call", "tool": "look", "args": {"id": "A"}, "outcome": "ok", "result": {}}


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    path = tmp_path / "desk.contract"
    path.write_text(TEXT, "utf-8")
    return path


def evaluated(contract: Contract, desk: Path, *events: dict[str, Any]) -> Any:
    trace = desk.parent / "t.jsonl"
    trace.write_text(json.dumps({"id": "t", "query": {}, "events": list(events)}) + "\n", "utf-8")
    return contract("eval", desk, trace)


def test_a_misspelt_tool_is_named_with_the_nearest(contract: Contract, desk: Path) -> None:
    ran = evaluated(contract, desk, {**CALL, "tool": "loook"})
    assert "tool loook is not in the contract" in " ".join(ran.out.split())
    assert "did you mean 'look'?" in " ".join(ran.out.split())


def test_a_misspelt_label_is_named_with_the_nearest(contract: Contract, desk: Path) -> None:
    message = {"kind": "message", "role": "user", "text": "ok", "labels": {"yess": True}}
    ran = evaluated(contract, desk, CALL, message)
    assert "label yess is not in the contract; it is not read; did you mean 'yes'?" in " ".join(ran.out.split())


def test_arguments_that_break_the_schema_are_told(contract: Contract, desk: Path) -> None:
    tools = [
        {
            "type": "function",
            "function": {
                "name": "send",
                "parameters": {
                    "type": "object",
                    "properties": {"id": {"type": "string", "pattern": "^A"}, "n": {"type": "number", "maximum": 2}},
                    "additionalProperties": False,
                },
            },
        }
    ]
    (desk.parent / "tools.json").write_text(json.dumps(tools), "utf-8")
    desk.write_text(TEXT.replace("label yes", 'use tools "tools.json"\nclass writes = send\nlabel yes'), "utf-8")
    for args, said in (({"id": "B"}, '"B" does not match "^A"'), ({"id": "A", "x": 1}, "'x' was unexpected")):
        ran = evaluated(contract, desk, {**CALL, "tool": "send", "args": args})
        assert "event 0 send: the arguments break the tool's schema:" in " ".join(ran.out.split()), ran.out
        assert said in " ".join(ran.out.split())
    assert "schema" not in evaluated(contract, desk, {**CALL, "tool": "send", "args": {"id": "A1", "n": 1.5}}).out


def test_a_skipped_record_is_found_by_file_and_line(contract: Contract, desk: Path) -> None:
    lines = [json.dumps({"id": "same", "events": 5})] * 2
    (desk.parent / "bad.jsonl").write_text("\n".join(lines), "utf-8")
    (desk.parent / "empty.jsonl").write_text("", "utf-8")
    ran = contract("eval", desk, desk.parent / "bad.jsonl", desk.parent / "empty.jsonl", "--format", "json")
    places = [s["path"] for s in json.loads(ran.out)["skipped"]]
    assert [p.removeprefix(str(desk.parent)) for p in places] == ["/bad.jsonl:1", "/bad.jsonl:2", "/empty.jsonl"]
    shown = "".join(contract("eval", desk, desk.parent / "bad.jsonl").out.split())
    assert "bad.jsonl:2" in shown
    assert ran.code == 2


def test_the_verdicts_never_replace_an_input(contract: Contract, desk: Path) -> None:
    evaluated(contract, desk, CALL)
    trace = desk.parent / "t.jsonl"
    before = trace.read_bytes()
    ran = contract("eval", desk, trace, "--out", trace)
    assert (ran.code, trace.read_bytes()) == (2, before)
    assert "F130" in ran.err


def test_a_full_disk_is_no_fault_of_ours(contract: Contract, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from servanda.cli import check

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("servanda.cli.streams.write_result", full)
    monkeypatch.setattr(check, "write_result", full, raising=False)
    ran = contract("check", desk)
    assert ran.code == 2, (ran.out, ran.err, sys.exc_info())
    assert "F130" in ran.err
    assert "fault of contract" not in ran.err


def test_a_definition_that_doubles_is_refused_before_it_grows(contract: Contract, desk: Path) -> None:
    doubling = "query { m: bool }\ndefine d0 = m\n" + "".join(f"define d{i + 1} = d{i} and d{i}\n" for i in range(40))
    desk.write_text(TEXT + doubling + "require z if d40 by call look\n", "utf-8")
    ran = contract("check", desk)
    assert ran.code == 2
    assert "C149" in ran.out


QUERY = """record R { id: string  note: string optional }
query { r: R  amount: decimal(2) in 0 .. 10 }
require pay if r.note == "vip" by call pay
"""


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            {"r": {"id": "1", "nota": "vip"}, "amount": 1},
            "Q110] query attribute r has no field 'nota' in this contract",
        ),
        ({"r": {"id": "1"}, "amount": 1.005}, "Q111] query: amount has more digits than decimal(2) in 0 .. 10: 1.005"),
    ],
)
def test_a_query_has_the_fields_and_digits_of_its_types(contract: Contract, desk: Path, query: Any, said: str) -> None:
    desk.write_text(TEXT + QUERY, "utf-8")
    (desk.parent / "q.json").write_text(json.dumps(query), "utf-8")
    ran = contract("expect", desk, "--query", desk.parent / "q.json")
    assert ran.code == 2
    assert said in " ".join(ran.err.split())


def test_a_misspelt_output_field_is_told(contract: Contract, desk: Path) -> None:
    desk.write_text(
        TEXT
        + "output json {\n  field amount: int optional\n  rule cap output.amount is present implies output.amount <= 5\n}\n"
    )
    (desk.parent / "o.jsonl").write_text(
        json.dumps({"id": "t", "query": {}, "events": [CALL], "output": {"amuont": 9}})
    )
    ran = contract("eval", desk, desk.parent / "o.jsonl")
    assert "output: there is no field amuont; did you mean 'amount'?" in " ".join(ran.out.split())


def test_a_label_on_another_kind_of_event_is_told(contract: Contract, desk: Path) -> None:
    ran = evaluated(contract, desk, {**CALL, "labels": {"yes": True}})
    assert "event 0: label yes is for other events; it is not read here" in " ".join(ran.out.split())
