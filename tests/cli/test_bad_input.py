"""Bad input through the command line: one clear message each, the right exit code, no traceback, and the other traces are still judged."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Contract = Callable[..., Any]
BIG = 50 * 1024 * 1024

GOOD: dict[str, Any] = {
    "id": "good",
    "query": {
        "order_id": "B1",
        "verified": True,
        "status": "delivered",
        "bought": "2026-04-20",
        "today": "2026-05-04",
        "amount": 20,
        "items": [],
    },
    "events": [
        {"kind": "message", "role": "user", "text": "My money back for B1, please."},
        {
            "kind": "call",
            "tool": "get_order",
            "args": {"order_id": "B1"},
            "result": {"order_id": "B1", "customer": "c1", "status": "delivered", "total": 20, "items": []},
            "outcome": "ok",
        },
        {"kind": "message", "role": "assistant", "text": "20 back to you. Shall I?"},
        {"kind": "message", "role": "user", "text": "Yes.", "labels": {"affirms": True}},
        {
            "kind": "call",
            "tool": "issue_refund",
            "args": {"order_id": "B1", "amount": 20},
            "result": {"ok": True},
            "outcome": "ok",
        },
        {"kind": "message", "role": "assistant", "text": "Your refund is on its way."},
    ],
    "output": {"decision": "refund", "refunded": 20},
}


@pytest.fixture
def desk(library: Path) -> Path:
    return library / "refund_desk.contract"


def changed(**changes: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(GOOD)), **changes}


def traces(folder: Path, *records: dict[str, Any] | str) -> Path:
    path = folder / "traces.jsonl"
    path.write_text("".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in records), "utf-8")
    return path


def query_file(folder: Path, query: Any) -> Path:
    path = folder / "query.json"
    path.write_text(query if isinstance(query, str) else json.dumps(query), "utf-8")
    return path


def said(ran: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran.out)
    return found


def calm(ran: Any) -> None:
    """Nothing looks like a fault of ours."""
    assert "Traceback" not in ran.out + ran.err
    assert "internal error" not in ran.out + ran.err
    assert ran.code != 70


# ---- records among others ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record",
    [
        '{"id": "broken", "events": [',
        '{"id": "broken", "events": [], "events": []}',
        '{"id": "broken", "events": [NaN]}',
        '["no record"]',
        '"text"',
        '{"id": "broken"}',
        '{"id": "broken", "events": [{"kind": "dance"}]}',
        '{"id": "broken", "events": [{"kind": "call", "tool": 7, "args": {}}]}',
        '{"id": "broken", "events": [{"kind": "message", "role": "user", "text": "a", "turn": 3}, {"kind": "message", "role": "user", "text": "a", "turn": 1}]}',
    ],
)
def test_one_bad_record_is_named_and_the_others_are_judged(
    contract: Contract, desk: Path, tmp_path: Path, record: str
) -> None:
    ran = contract("eval", desk, traces(tmp_path, GOOD, record, changed(id="last")), "--format", "json")
    calm(ran)
    assert ran.code == 2
    assert [t["id"] for t in said(ran)["traces"]] == ["good", "last"]
    assert {t["verdict"] for t in said(ran)["traces"]} == {"conforms"}
    (skipped,) = said(ran)["skipped"]
    assert set(skipped) == {"id", "path", "code", "message"}
    assert skipped["code"].startswith("T1")
    assert len(skipped["message"].splitlines()) == 1


def test_exit_zero_does_not_hide_a_bad_record(contract: Contract, desk: Path, tmp_path: Path) -> None:
    ran = contract("eval", desk, traces(tmp_path, GOOD, "{"), "--exit-zero")
    assert ran.code == 2
    assert "skipped" in ran.out


def test_a_list_beyond_its_max_is_refused_at_the_door(contract: Contract, desk: Path, tmp_path: Path) -> None:
    item = {"id": "x", "category": "other", "price": 1}
    long = changed(id="long")
    long["query"]["items"] = [item] * 7
    ran = contract("eval", desk, traces(tmp_path, long, GOOD), "--format", "json")
    calm(ran)
    assert ran.code == 2
    assert [s["id"] for s in said(ran)["skipped"]] == ["long"]
    assert [t["id"] for t in said(ran)["traces"]] == ["good"]


def test_a_record_of_50_mb(contract: Contract, desk: Path, tmp_path: Path) -> None:
    long = changed(id="long")
    long["events"][0]["text"] = "x" * BIG
    ran = contract("eval", desk, traces(tmp_path, GOOD, long, changed(id="last")), "--format", "json")
    calm(ran)
    judged = {t["id"] for t in said(ran)["traces"]}
    assert {"good", "last"} <= judged
    assert judged | {s["id"] for s in said(ran)["skipped"]} >= {"good", "last"}
    assert len(judged) + len(said(ran)["skipped"]) == 3
    assert ran.code == (2 if said(ran)["skipped"] else 0)


# ---- what a trace holds --------------------------------------------------------------------------------------------


def test_an_unknown_tool_counts_as_writing_and_is_told(contract: Contract, desk: Path, tmp_path: Path) -> None:
    strange = changed(id="strange")
    strange["events"].insert(
        2, {"kind": "call", "tool": "delete_everything", "args": {}, "result": {}, "outcome": "ok"}
    )
    ran = contract("eval", desk, traces(tmp_path, strange), "--format", "json")
    calm(ran)
    assert ran.code == 1
    (trace,) = said(ran)["traces"]
    assert ("redundant", "delete_everything") in {(f["kind"], f["element"]) for f in trace["findings"]}
    assert any("delete_everything" in note for note in trace["notes"])


def test_arguments_against_the_schema_are_told(contract: Contract, desk: Path, tmp_path: Path) -> None:
    odd = changed(id="odd")
    odd["events"][4]["args"] = {"order_id": "B1", "amount": "twenty"}
    ran = contract("eval", desk, traces(tmp_path, odd), "--format", "json")
    calm(ran)
    assert ran.code in (1, 3)
    (trace,) = said(ran)["traces"]
    assert any("amount" in note for note in trace["notes"])


# ---- queries -------------------------------------------------------------------------------------------------------


def test_a_missing_attribute_leaves_the_verdict_undecided_and_is_named(
    contract: Contract, desk: Path, tmp_path: Path
) -> None:
    query = {k: v for k, v in GOOD["query"].items() if k != "amount"}
    ran = contract("eval", desk, traces(tmp_path, GOOD), "--query", query_file(tmp_path, query), "--format", "json")
    calm(ran)
    assert ran.code == 3
    (trace,) = said(ran)["traces"]
    assert trace["undecided_on"] == ["amount"]


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({**GOOD["query"], "amount": "twenty"}, "amount"),
        ({**GOOD["query"], "verified": 1}, "verified"),
        ({**GOOD["query"], "status": "deliverd"}, "status"),
        ({**GOOD["query"], "amount": -1}, "amount"),
        ({**GOOD["query"], "today": "2026-02-30"}, "today"),
        ({**GOOD["query"], "amuont": 20}, "amount"),
        ('{"amount": ', "JSON"),
        ('{"amount": 1, "amount": 2}', "amount"),
        ("[1]", "object"),
        ("", "JSON"),
    ],
)
@pytest.mark.parametrize("command", ["eval", "expect"])
def test_a_query_that_does_not_fit_is_refused(
    contract: Contract, desk: Path, tmp_path: Path, query: Any, word: str, command: str
) -> None:
    arguments = [traces(tmp_path, GOOD)] if command == "eval" else []
    ran = contract(command, desk, *arguments, "--query", query_file(tmp_path, query))
    calm(ran)
    assert ran.code == 2
    assert word in ran.out + ran.err
    assert "[Q1" in ran.out + ran.err


def test_a_query_that_does_not_fit_is_told_once_however_many_traces(
    contract: Contract, desk: Path, tmp_path: Path
) -> None:
    many = traces(tmp_path, *(changed(id=f"t{i}") for i in range(20)))
    ran = contract("eval", desk, many, "--query", query_file(tmp_path, {"amount": "twenty"}))
    calm(ran)
    assert ran.code == 2
    assert (ran.out + ran.err).count("Q111") == 1


# ---- files ---------------------------------------------------------------------------------------------------------


def wrong_files(folder: Path) -> dict[str, Path]:
    made = {name: folder / name for name in ("empty", "binary", "latin1", "folder", "missing", "prose")}
    made["empty"].write_bytes(b"")
    made["binary"].write_bytes(b"\x7fELF\x02\x01\x01" + bytes(range(256)))
    made["latin1"].write_bytes('{"id": "é"}\n'.encode("latin-1"))
    made["folder"].mkdir()
    made["prose"].write_text("Dear all,\nthis is no file of traces.\n")
    return made


KINDS = ["empty", "binary", "latin1", "folder", "missing", "prose"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_file_of_traces_is_refused_and_the_others_are_judged(
    contract: Contract, desk: Path, tmp_path: Path, kind: str
) -> None:
    wrong = wrong_files(tmp_path)[kind]
    ran = contract("eval", desk, wrong, traces(tmp_path, GOOD), "--format", "json")
    calm(ran)
    assert ran.code == 2
    assert [t["id"] for t in said(ran)["traces"]] == ["good"]
    (skipped,) = said(ran)["skipped"]
    assert wrong.name in skipped["message"] + skipped["id"]
    ran = contract("eval", desk, wrong)
    calm(ran)
    assert ran.code == 2
    assert wrong.name in ran.out + ran.err


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["check", "fmt", "expect", "eval"])
def test_a_wrong_contract_is_refused(contract: Contract, tmp_path: Path, kind: str, command: str) -> None:
    wrong = wrong_files(tmp_path)[kind]
    ran = contract(command, wrong, *([traces(tmp_path, GOOD)] if command == "eval" else []))
    calm(ran)
    assert ran.code == 2
    assert wrong.name in ran.out + ran.err
    assert "error[" in ran.out + ran.err


@pytest.mark.parametrize("command", ["check", "fmt", "expect", "eval"])
def test_a_contract_of_50_mb_is_refused_at_once(contract: Contract, tmp_path: Path, command: str) -> None:
    long = tmp_path / "long.contract"
    long.write_bytes(b"# padding\n" * (BIG // 10))
    ran = contract(command, long, *([traces(tmp_path, GOOD)] if command == "eval" else []))
    calm(ran)
    assert ran.code == 2
    assert "F104" in ran.out + ran.err


def test_one_wrong_contract_does_not_stop_the_others(contract: Contract, desk: Path, tmp_path: Path) -> None:
    ran = contract("check", tmp_path / "missing.contract", desk, "--format", "json")
    calm(ran)
    assert ran.code == 2
    assert [c["verdict"] for c in said(ran)["contracts"]] == ["refused", "proved"]


def test_a_contract_from_standard_input_reads_its_files_from_here(
    contract: Contract, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.parent)
    assert contract("check", "-", stdin=desk.read_text("utf-8")).code == 0


def test_only_one_input_comes_from_standard_input(contract: Contract, desk: Path) -> None:
    ran = contract("eval", desk, "-", "--query", "-")
    assert ran.code == 2
    assert "standard input" in ran.err


def test_an_unknown_reader_is_told_the_known_ones(contract: Contract, desk: Path, tmp_path: Path) -> None:
    ran = contract("eval", desk, traces(tmp_path, GOOD), "--reader", "langchian")
    calm(ran)
    assert ran.code == 2
    assert "auto" in ran.err


def test_a_result_that_cannot_be_written(contract: Contract, desk: Path, tmp_path: Path) -> None:
    ran = contract("eval", desk, traces(tmp_path, GOOD), "--out", tmp_path / "no" / "such" / "place.json")
    calm(ran)
    assert ran.code == 2
    assert "F130" in ran.err


def test_a_contract_whose_prose_was_changed_is_refused(contract: Contract, desk: Path, tmp_path: Path) -> None:
    for path in desk.parent.glob("refund_desk.*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "refund_desk.policy.md").write_text("Pay whatever they ask.\n")
    ran = contract("eval", tmp_path / "refund_desk.contract", traces(tmp_path, GOOD))
    calm(ran)
    assert ran.code == 2
    assert "F120" in ran.err
