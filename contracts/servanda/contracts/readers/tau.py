"""The files of tau-bench and tau2-bench.

In: one result of tau-bench (`traj`), or one simulation of tau2 (`messages`, with its task where the file has one); from anyone. Out: a
`Trace` with its gold actions, or a `Refusal`. Gold is taken from the run's own record before that of a task, since tasks were edited after
runs were published. How a run ended decides whether it is complete.
"""

from collections.abc import Mapping
from typing import Final

from servanda.contracts.observed import MISSING, Event, Json, Trace
from servanda.contracts.readers.conversation import Conversation, placed, read_conversation
from servanda.contracts.readers.json_fault import step
from servanda.contracts.readers.json_words import in_words
from servanda.contracts.readers.notes import Notes
from servanda.contracts.readers.trace_fault import refuse_trace

ENDINGS: Final = ("user_stop", "agent_stop")
"""Terminations of tau2 after which nothing more would have come."""
STOP: Final = "###STOP###"
"""What the simulated user of tau-bench says to end a run."""
TRANSFER: Final = "transfer"
"""How the tools that hand over to a person, and so end a run of tau-bench, begin."""

Gold = tuple[tuple[str, Mapping[str, Json]], ...]


def read_tau2(
    record: Json, path: str, *, where: str = "$", name: str = "trace", tasks: Mapping[str, Json] | None = None
) -> Trace:
    """The trace of one simulation. `tasks`: the tasks of the file by id. `name`: its id where the record has none. Raises `Refusal`."""
    if not isinstance(record, Mapping) or "messages" not in record:
        refuse_trace("T112", where, f"a tau2 run is an object with 'messages'; this is {in_words(record)}")
    notes = Notes()
    conversation = read_conversation(placed(record["messages"], step(where, "messages")), notes, wrapped=True)
    ending = record.get("termination", record.get("termination_reason"))
    complete = _ended(ending, conversation, notes)
    gold = _gold_of_run(record, where, tasks or {}, notes)
    return Trace(
        id=_id(record, name),
        events=conversation.events,
        complete=complete,
        query=None,
        output=MISSING,
        path=path,
        reader="tau2",
        tags=_tags(record, termination=ending),
        notes=notes.sentences(),
        gold=gold,
    )


def read_tau_bench(record: Json, path: str, *, where: str = "$", name: str = "trace") -> Trace:
    """The trace of one result of tau-bench. `name`: its id where the record names no task. Raises `Refusal`."""
    if not isinstance(record, Mapping) or "traj" not in record:
        refuse_trace("T112", where, f"a tau-bench result is an object with 'traj'; this is {in_words(record)}")
    notes = Notes()
    conversation = read_conversation(placed(record["traj"], step(where, "traj")), notes, wrapped=True)
    cut = conversation.cut or _stopped_midway(conversation.events)
    if cut:
        notes.add("the run is open: it ends neither with a stop of the user nor with a hand-over")
    info = record.get("info")
    task = info.get("task") if isinstance(info, Mapping) else None
    place = step(step(step(where, "info"), "task"), "actions")
    gold = _actions(task.get("actions"), place, notes) if isinstance(task, Mapping) else None
    return Trace(
        id=_id(record, name),
        events=conversation.events,
        complete=not cut,
        query=None,
        output=MISSING,
        path=path,
        reader="tau-bench",
        tags=_tags(record),
        notes=notes.sentences(),
        gold=gold,
    )


def tasks_by_id(tasks: Json) -> Mapping[str, Json]:
    """The tasks of a tau2 file by their ids; what has none is no task."""
    listed = tasks if isinstance(tasks, list) else []
    return {str(t["id"]): t for t in listed if isinstance(t, Mapping) and isinstance(t.get("id"), str | int)}


def _ended(ending: Json, conversation: Conversation, notes: Notes) -> bool:
    if ending is not None and ending not in ENDINGS:
        notes.add(f"the run is open: it was ended by {ending if isinstance(ending, str) else in_words(ending)}")
        return False
    if ending is None and conversation.cut:
        notes.add("the run is open: its last calls have no result")
        return False
    return True


def _stopped_midway(events: tuple[Event, ...]) -> bool:
    """Whether a run of tau-bench reached its limit of steps: it ends on an answer that the agent never took up."""
    last = events[-1] if events else None
    if last is None:
        return False
    if last.kind == "call":
        return not any(e.kind == "call" and e.turn == last.turn and e.name.startswith(TRANSFER) for e in events)
    return last.name == "user" and STOP not in last.text


def _id(record: Mapping[str, Json], name: str) -> str:
    given, task, trial = record.get("id"), record.get("task_id"), record.get("trial")
    if isinstance(given, str) and given:
        return given
    if not _plain(task):
        return name
    return f"task-{task}-trial-{trial}" if _plain(trial) else f"task-{task}"


def _plain(value: Json) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _tags(record: Mapping[str, Json], termination: Json = None) -> Mapping[str, Json]:
    detail = record.get("reward_info")
    reward = record.get("reward", detail.get("reward") if isinstance(detail, Mapping) else None)
    found = {
        "domain": record.get("domain"),
        "model": record.get("model"),
        "task_id": record.get("task_id"),
        "trial": record.get("trial"),
        "reward": reward,
        "termination": termination,
    }
    return {key: value for key, value in found.items() if value is not None}


# ---- gold --------------------------------------------------------------------------------------------------------------


def _gold_of_run(record: Mapping[str, Json], where: str, tasks: Mapping[str, Json], notes: Notes) -> Gold | None:
    """The gold actions of a simulation: its own, those it was checked against, or those of its task."""
    if record.get("gold_actions") is not None:
        return _actions(record["gold_actions"], step(where, "gold_actions"), notes)
    detail = record.get("reward_info")
    checks = detail.get("action_checks") if isinstance(detail, Mapping) else None
    if isinstance(checks, list) and checks and all(isinstance(c, Mapping) and "action" in c for c in checks):
        return _actions([c["action"] for c in checks], step(step(where, "reward_info"), "action_checks"), notes)
    task = tasks.get(str(record.get("task_id")))
    criteria = task.get("evaluation_criteria") if isinstance(task, Mapping) else None
    if isinstance(criteria, Mapping) and criteria.get("actions") is not None:
        return _actions(criteria["actions"], f"the task {record.get('task_id')}", notes)
    return None


def _actions(actions: Json, where: str, notes: Notes) -> Gold | None:
    """Gold actions as tools and arguments; those of the user's side are none of the agent's. Arguments that a check leaves out
    (`compare_args`) are not gold."""
    if actions is None:
        return None
    if not isinstance(actions, list):
        refuse_trace("T112", where, f"gold actions are an array, not {in_words(actions)}")
    found: list[tuple[str, Mapping[str, Json]]] = []
    for position, action in enumerate(actions):
        place = step(where, position)
        if not isinstance(action, Mapping):
            refuse_trace("T112", place, f"a gold action is an object, not {in_words(action)}")
        tool, arguments = action.get("name"), action.get("arguments", action.get("kwargs", {}))
        if not isinstance(tool, str) or not tool or not isinstance(arguments, Mapping):
            refuse_trace(
                "T112", place, "a gold action has a string under 'name' and an object under 'arguments' or 'kwargs'"
            )
        compared = action.get("compare_args")
        if isinstance(compared, list):
            if any(key not in compared for key in arguments):
                notes.add("arguments of a gold action that are not compared were left out", place)
            arguments = {key: value for key, value in arguments.items() if key in compared}
        if action.get("requestor", "assistant") != "user":
            found.append((tool, arguments))
    return tuple(found)
