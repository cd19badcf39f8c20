"""The files of tau-bench and tau2-bench: their shapes, their gold, and when a run counts as complete."""

import json
from pathlib import Path
from typing import Any

import pytest

from servanda.contracts.observed import Trace
from servanda.contracts.readers.reading import Skipped, read_traces
from servanda.contracts.readers.tau import read_tau2, read_tau_bench
from servanda.grammar.diagnostic import Refusal

CALL = {"id": "c1", "name": "cancel", "arguments": {"order_id": "#W1"}, "requestor": "assistant"}
ANSWER = {"id": "c1", "role": "tool", "content": '{"status": "cancelled"}', "requestor": "assistant", "error": False}
ASKED = {"role": "user", "content": "Cancel #W1"}
SAID = {"role": "assistant", "content": "Done", "tool_calls": None}


def tau2(*messages: Any, **more: Any) -> Trace:
    return read_tau2({"task_id": "0", "messages": list(messages), **more}, "runs.json", name="run")


def test_calls_are_spread_and_results_answer_by_id() -> None:
    trace = tau2(ASKED, {"role": "assistant", "content": None, "tool_calls": [CALL]}, ANSWER, SAID)
    assert [(e.turn, e.name, e.text or e.result) for e in trace.events] == [
        (0, "user", "Cancel #W1"),
        (1, "cancel", {"status": "cancelled"}),
        (2, "assistant", "Done"),
    ]
    assert trace.events[1].args == {"order_id": "#W1"}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"message": "Hello"}', "Hello"),
        ('  {\n "message": "He said \\"no\\""}\n', 'He said "no"'),
        ('{"message": "a", "next": "b"}', '{"message": "a", "next": "b"}'),
        ('{"reply": "a"}', '{"reply": "a"}'),
        ('{"message": 5}', '{"message": 5}'),
        ('{"message": ""}', '{"message": ""}'),
        ('{"message": "a"', '{"message": "a"'),
        ("{plain}", "{plain}"),
    ],
)
def test_text_in_json_is_taken_out_only_where_nothing_else_is_in_it(text: str, read: str) -> None:
    trace = tau2({"role": "assistant", "content": text})
    assert trace.events[0].text == read
    assert bool(trace.notes) == (read != text)


def test_the_users_own_calls_are_dropped_with_their_results() -> None:
    theirs = {"id": "u1", "name": "look_at_phone", "arguments": {}, "requestor": "user"}
    trace = tau2(
        {"role": "user", "content": None, "tool_calls": [theirs]},
        {"id": "u1", "role": "tool", "content": "no signal", "requestor": "user", "error": False},
        {"role": "user", "content": "There is no signal"},
        SAID,
    )
    assert [(e.turn, e.name) for e in trace.events] == [(0, "user"), (1, "assistant")]
    assert trace.notes == (
        "a tool call of the user's side was left out ($.messages[0].tool_calls[0])",
        "a tool result of the user's side was left out ($.messages[1])",
    )


def test_the_users_result_never_answers_the_agents_call() -> None:
    with pytest.raises(Refusal) as caught:
        tau2(
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {**ANSWER, "requestor": "user"},
            ANSWER,
            ANSWER,
        )
    assert caught.value.diagnostics[0].message.startswith("$.messages[3]: this result answers no call")


def test_several_results_in_one_message() -> None:
    second = {**CALL, "id": "c2", "name": "refund"}
    bundle = {"role": "tool", "tool_messages": [{**ANSWER, "id": "c2", "content": "2"}, {**ANSWER, "content": "1"}]}
    trace = tau2({"role": "assistant", "content": None, "tool_calls": [CALL, second]}, bundle)
    assert [(e.turn, e.name, e.result) for e in trace.events] == [(0, "cancel", 1), (0, "refund", 2)]


def test_the_error_flag_and_the_error_text_both_fail_an_attempt() -> None:
    calls = {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "c2"}, {**CALL, "id": "c3"}]}
    answers = [
        {**ANSWER, "error": True, "content": "no"},
        {**ANSWER, "id": "c2", "content": "Error: x"},
        {**ANSWER, "id": "c3"},
    ]
    assert [e.outcome for e in tau2(calls, *answers).events] == ["failed", "failed", "ok"]


@pytest.mark.parametrize(
    ("more", "complete", "notes"),
    [
        ({"termination": "user_stop"}, True, ()),
        ({"termination_reason": "agent_stop"}, True, ()),
        ({}, True, ()),
        ({"termination": "max_steps"}, False, ("the run is open: it was ended by max_steps",)),
        ({"termination_reason": "too_many_errors"}, False, ("the run is open: it was ended by too_many_errors",)),
        ({"termination": 7}, False, ("the run is open: it was ended by the number 7",)),
    ],
)
def test_a_run_is_complete_if_user_or_agent_ended_it(more: Any, complete: bool, notes: tuple[str, ...]) -> None:
    trace = tau2(ASKED, SAID, **more)
    assert (trace.complete, trace.notes) == (complete, notes)


def test_the_users_stop_stays_text() -> None:
    assert tau2({"role": "user", "content": "Thanks ###STOP###"}).events[0].text == "Thanks ###STOP###"


def test_tags_and_id() -> None:
    trace = tau2(ASKED, trial=2, model="m", reward=0.5, domain="retail", termination="user_stop", source="x")
    assert trace.id == "task-0-trial-2"
    assert trace.tags == {
        "domain": "retail",
        "model": "m",
        "task_id": "0",
        "trial": 2,
        "reward": 0.5,
        "termination": "user_stop",
    }
    assert tau2(ASKED, id="mine", reward_info={"reward": 1}).id == "mine"
    assert tau2(ASKED, reward_info={"reward": 1}).tags == {"task_id": "0", "reward": 1}
    assert read_tau2({"messages": []}, "runs.json", name="run").id == "run"


# ---- gold --------------------------------------------------------------------------------------------------------------

GOLD = {"name": "cancel", "arguments": {"order_id": "#W1", "reason": "no longer needed"}, "compare_args": None}


def test_gold_comes_from_the_run_before_the_task() -> None:
    tasks = {"0": {"id": "0", "evaluation_criteria": {"actions": [{**GOLD, "name": "of the task"}]}}}
    checks = {"action_checks": [{"action": {**GOLD, "name": "of the check"}, "action_match": True}]}

    def gold(**more: Any) -> Any:
        return read_tau2({"task_id": 0, "messages": [], **more}, "p", tasks=tasks).gold

    assert gold(gold_actions=[GOLD], reward_info=checks) == (("cancel", GOLD["arguments"]),)
    assert gold(reward_info=checks) == (("of the check", GOLD["arguments"]),)
    assert gold() == (("of the task", GOLD["arguments"]),)
    assert gold(gold_actions=[]) == ()
    assert read_tau2({"messages": []}, "p").gold is None


def test_gold_of_the_users_side_and_arguments_that_are_not_compared_are_no_gold() -> None:
    actions = [{**GOLD, "compare_args": ["order_id"]}, {**GOLD, "requestor": "user"}, {**GOLD, "compare_args": []}]
    trace = tau2(gold_actions=actions)
    assert trace.gold == (("cancel", {"order_id": "#W1"}), ("cancel", {}))
    assert trace.notes == (
        "arguments of a gold action that are not compared were left out (2 times, first $.gold_actions[0])",
    )


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ({}, "$.gold_actions: gold actions are an array, not an empty object"),
        ([1], "$.gold_actions[0]: a gold action is an object, not the number 1"),
        (
            [{"name": "x", "arguments": []}],
            "$.gold_actions[0]: a gold action has a string under 'name' and an object under 'arguments' or 'kwargs'",
        ),
    ],
)
def test_gold_that_is_none_is_refused(gold: Any, message: str) -> None:
    with pytest.raises(Refusal) as caught:
        tau2(gold_actions=gold)
    assert [(d.code, d.message) for d in caught.value.diagnostics] == [("T112", message)]


# ---- tau-bench ---------------------------------------------------------------------------------------------------------


def result(*messages: Any, **more: Any) -> dict[str, Any]:
    info = {"task": {"user_id": "u", "actions": [{"name": "cancel", "kwargs": {"order_id": "#W1"}}], "outputs": []}}
    return {"task_id": 3, "reward": 1.0, "info": info, "traj": list(messages), "trial": 0, **more}


STOPPED = {"role": "user", "content": "###STOP###"}
CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "cancel", "arguments": '{"order_id": "#W1"}'}}


def test_a_result_of_tau_bench() -> None:
    trace = read_tau_bench(
        result(
            {"role": "system", "content": "policy"},
            ASKED,
            {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL], "function_call": None},
            {"role": "tool", "tool_call_id": "c1", "name": "cancel", "content": "Error: non-pending order"},
            {"role": "assistant", "content": "I cannot"},
            STOPPED,
        ),
        "results.json",
    )
    assert [(e.turn, e.name, e.outcome) for e in trace.events] == [
        (0, "user", "unknown"),
        (1, "cancel", "failed"),
        (2, "assistant", "unknown"),
        (3, "user", "unknown"),
    ]
    assert (trace.id, trace.complete, trace.reader) == ("task-3-trial-0", True, "tau-bench")
    assert trace.gold == (("cancel", {"order_id": "#W1"}),)
    assert trace.tags == {"task_id": 3, "trial": 0, "reward": 1.0}


@pytest.mark.parametrize(
    ("tool", "last", "complete"),
    [("cancel", True, False), ("transfer_to_human_agents", True, True), ("cancel", False, False)],
)
def test_a_result_that_ends_on_what_the_agent_never_took_up_is_open(tool: str, last: bool, complete: bool) -> None:
    call = {"id": "c1", "function": {"name": tool, "arguments": "{}"}}
    done = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
    ]
    tail = [] if last else [{"role": "assistant", "content": "Anything else?"}, ASKED]
    assert read_tau_bench(result(ASKED, *done, *tail), "p").complete is complete


def test_a_list_of_results_is_a_corpus(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text(json.dumps([result(ASKED, STOPPED), {"traj": 5}, result(STOPPED, task_id=4)], indent=1))
    first, second, third = read_traces([str(file)])
    assert isinstance(first, Trace)
    assert (first.id, first.path, first.events[0].path) == ("task-3-trial-0", f"{file}:2", "$[0].traj[0]")
    assert isinstance(second, Skipped)
    assert (second.id, second.code, second.message) == (
        "results[1]",
        "T112",
        "$[1].traj: messages are an array, not the number 5",
    )
    assert isinstance(third, Trace)
    assert third.id == "task-4-trial-0"


def test_a_tau2_file_has_its_runs_beside_its_tasks(tmp_path: Path) -> None:
    run = {"id": "s1", "task_id": "7", "messages": [ASKED, SAID], "termination_reason": "user_stop"}
    task = {"id": "7", "evaluation_criteria": {"actions": [GOLD]}}
    for indent in (None, 2):
        file = tmp_path / f"simulations{indent}.json"
        file.write_text(
            json.dumps({"info": {}, "simulations": [run, {**run, "id": "s2"}], "tasks": [task]}, indent=indent)
        )
        traces = [t for t in read_traces([str(file)]) if isinstance(t, Trace)]
        assert [(t.id, t.reader, t.gold) for t in traces] == [
            (i, "tau2", (("cancel", GOLD["arguments"]),)) for i in ("s1", "s2")
        ]
        assert traces[1].events[0].path == "$.simulations[1].messages[0]"


def test_a_tau2_file_with_a_broken_part_says_so(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text('{"tasks": [1,], "info": NaN, "simulations": [{"task_id": 1, "messages": []}]}')
    found = list(read_traces([str(file)]))
    assert [(f.id, f.code) for f in found if isinstance(f, Skipped)] == [("s tasks", "T110"), ("s info", "T110")]
    assert [t.id for t in found if isinstance(t, Trace)] == ["task-1"]
    file.write_text('{"simulations": [], "simulations": [{"task_id": 1, "messages": []}]}')
    (twice,) = read_traces([str(file)])
    assert isinstance(twice, Skipped)
    assert 'the key "simulations" stands twice in one object' in twice.message
