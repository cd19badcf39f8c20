"""Real runs: all of them read, quickly, and with nothing lost."""

import json
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path

from servanda.contracts.observed import MISSING, Trace
from servanda.contracts.readers.reading import Skipped, read_traces

RUNS = "tau_bench/retail_trajectories_toolorchestra_tau2.jsonl"


def test_all_retail_runs_are_read_with_every_call_and_message(data: Path) -> None:
    path = data / RUNS
    traces = [t for t in read_traces([str(path)]) if isinstance(t, Trace)]
    written = [json.loads(line, parse_float=Decimal) for line in path.read_text("utf-8").splitlines()]
    assert len(traces) == len(written) == 114
    for trace, run in zip(traces, written, strict=True):
        assert (trace.id, trace.reader, trace.complete) == (run["id"], "tau2", True)
        calls = [c for m in run["messages"] for c in m.get("tool_calls") or ()]
        made = [e for e in trace.events if e.kind == "call"]
        assert [(e.name, e.args) for e in made] == [(c["name"], c["arguments"]) for c in calls]
        said = [m["role"] for m in run["messages"] if m["role"] != "tool" and (m.get("content") or "").strip()]
        assert [e.name for e in trace.events if e.kind == "message"] == said
        answers = [m["content"] for m in run["messages"] if m["role"] == "tool"]
        assert sorted(e.outcome == "failed" for e in made) == sorted(a.startswith("Error") for a in answers)
        assert all(e.result is not MISSING for e in made)
        assert trace.gold == tuple((g["name"], g["arguments"]) for g in run["gold_actions"])
    assert sum(len(t.events) for t in traces) == 873 + 520 + 520


def test_parallel_calls_are_one_turn(data: Path) -> None:
    path = data / RUNS
    traces = [t for t in read_traces([str(path)]) if isinstance(t, Trace)]
    parallel = 0
    for trace, run in zip(traces, map(json.loads, path.read_text("utf-8").splitlines()), strict=True):
        batches = [len(m["tool_calls"]) for m in run["messages"] if m.get("tool_calls")]
        turns = Counter(e.turn for e in trace.events if e.kind == "call")
        assert list(turns.values()) == batches
        parallel += max(batches, default=0) > 1
    assert parallel == 83


def test_the_runs_are_read_within_a_second(data: Path) -> None:
    paths = [str(data / RUNS)]
    begun = time.process_time()
    assert len(list(read_traces(paths))) == 114
    assert time.process_time() - begun < 1


def test_yaml_answers_stay_text(data: Path) -> None:
    found = list(read_traces([str(data / "agentdojo/ground_truth_traces.jsonl")]))
    assert len(found) == 132
    assert not any(isinstance(f, Skipped) for f in found)
    first = found[0]
    assert isinstance(first, Trace)
    assert first.events[1].result.startswith("- all_day: false\n")


def test_tasks_are_no_runs_and_are_told_once(data: Path) -> None:
    (found,) = read_traces([str(data / "tau_bench/retail_tasks.jsonl")])
    assert isinstance(found, Skipped)
    assert "a task of tau-bench without a run of it" in found.message
    assert "the 634 records after it" in found.message
