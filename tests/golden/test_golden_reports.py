"""The exact terminal output of `expect` and `eval` on the refund desk and its sample traces."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent / "reports"
DESK = "refund_desk.contract"
OPENAI = ("samples/refund_desk.openai.json", "--query", "samples/refund_desk.openai.query.json")
DIGEST = re.compile(r'"digest": "[0-9a-f]{64}"')
REPORTS: dict[str, tuple[str, ...]] = {
    "expect_refund": ("expect", DESK, "--query", "QUERY"),
    "expect_refund_dot": ("expect", DESK, "--query", "QUERY", "--format", "dot"),
    "expect_refund_json": ("expect", DESK, "--query", "QUERY", "--format", "json"),
    "expect_nothing_known": ("expect", DESK),
    "eval_samples": ("eval", DESK, "samples/refund_desk.jsonl"),
    "eval_samples_verbose": ("eval", DESK, "samples/refund_desk.jsonl", "--verbose"),
    "eval_openai": ("eval", DESK, *OPENAI),
    "eval_openai_json": ("eval", DESK, *OPENAI, "--format", "json"),
    "eval_openai_without_query": ("eval", DESK, OPENAI[0]),
    "eval_query_from_none": ("eval", DESK, "samples/refund_desk.jsonl", "--query-from", "none"),
    "check_library": ("check", DESK, "tau_retail.contract"),
    "check_compact": ("check", DESK, "--format", "compact"),
    "check_json": ("check", DESK, "--format", "json"),
    "check_fail_level": ("check", DESK, "--fail-level", "warning"),
}


@pytest.fixture
def query(tmp_path: Path) -> Path:
    """A claim that is to be paid, of a customer who is not verified."""
    path = tmp_path / "query.json"
    claim = {"order_id": "B1", "verified": False, "status": "delivered", "amount": 20, "items": []}
    path.write_text(json.dumps({**claim, "bought": "2026-04-20", "today": "2026-05-04"}))
    return path


@pytest.mark.parametrize("name", REPORTS)
def test_the_report_is_exactly_this(
    name: str,
    contract: Callable[..., Any],
    library: Path,
    query: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(library)
    arguments = [str(query) if a == "QUERY" else a for a in REPORTS[name]]
    ran = contract(*arguments)
    said = DIGEST.sub('"digest": "…"', ran.out + ran.err)
    shown = f"$ contract {' '.join(REPORTS[name])}\n{said}[exit {ran.code}]\n"
    kept = HERE / f"{name}.out"
    if request.config.getoption("--reset-golden"):
        kept.write_text(shown, "utf-8")
    assert shown == kept.read_text("utf-8")


def test_no_report_is_kept_that_nothing_makes() -> None:
    assert {p.stem for p in HERE.glob("*.out")} == set(REPORTS)


def test_nothing_is_wider_than_80_columns() -> None:
    wide = [
        f"{path.stem}:{number}"
        for path in HERE.glob("*.out")
        if "json" not in path.stem and "dot" not in path.stem and "compact" not in path.stem
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > 80 and not line.startswith("$ ")
    ]
    assert wide == []
