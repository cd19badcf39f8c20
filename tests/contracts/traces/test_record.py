"""Servanda records: what is read of them, and every way in which one is refused."""

import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servanda.contracts.observed import MISSING
from servanda.contracts.readers.record import instant, read_record
from servanda.contracts.readers.trace_schema import trace_schema_text
from servanda.grammar.diagnostic import Refusal

CALL: dict[str, Any] = {"kind": "call", "tool": "find", "args": {"name": "Ann"}}
SAID: dict[str, Any] = {"kind": "message", "role": "assistant", "text": "Hello"}
ASKED: dict[str, Any] = {"kind": "message", "role": "user", "text": "Hi"}


def refused(record: Any) -> list[tuple[str, str, str]]:
    with pytest.raises(Refusal) as caught:
        read_record(record, "runs.jsonl:1")
    return [(d.code, d.message, d.help) for d in caught.value.diagnostics]


def test_everything_that_a_record_can_have() -> None:
    call = {
        **CALL,
        "result": {"ok": True},
        "outcome": "failed",
        "turn": 3,
        "at": "2026-05-02T09:30:00+02:00",
        "labels": {"a": 1},
    }
    said = {**SAID, "turn": 3, "at": "2026-05-02T07:30:00.25Z", "labels": {"affirms": True}}
    record = {
        "id": "r",
        "query": {"x": 1},
        "events": [call, said],
        "output": None,
        "complete": False,
        "tags": {"k": "v"},
    }
    trace = read_record(record, "runs.jsonl:7")
    first, second = trace.events
    assert (trace.id, trace.path, trace.reader, trace.complete) == ("r", "runs.jsonl:7", "servanda", False)
    assert (trace.query, trace.output, trace.tags, trace.gold) == ({"x": 1}, None, {"k": "v"}, None)
    assert (first.kind, first.name, first.turn, first.args, first.result) == (
        "call",
        "find",
        3,
        {"name": "Ann"},
        {"ok": True},
    )
    assert (first.outcome, first.path, first.labels) == ("failed", "$.events[0]", {"a": 1})
    assert first.at == datetime(2026, 5, 2, 9, 30, tzinfo=timezone(timedelta(hours=2)))
    assert (second.kind, second.name, second.text, second.index) == ("message", "assistant", "Hello", 1)
    assert second.at == datetime(2026, 5, 2, 7, 30, 0, 250_000, tzinfo=UTC)


def test_what_is_left_out_has_its_default() -> None:
    trace = read_record({"id": "r", "events": [CALL, SAID]}, "p")
    assert (trace.complete, trace.query, trace.output, trace.tags, trace.notes) == (True, None, MISSING, {}, ())
    assert [e.turn for e in trace.events] == [0, 1]


@pytest.mark.parametrize(
    ("added", "outcome"),
    [
        ({}, "unknown"),
        ({"result": 1}, "ok"),
        ({"result": None}, "ok"),
        ({"result": 1, "outcome": "unknown"}, "unknown"),
        ({"outcome": "ok"}, "ok"),
        ({"outcome": "failed"}, "failed"),
    ],
)
def test_outcome_follows_from_the_result_where_it_is_not_given(added: dict[str, Any], outcome: str) -> None:
    event = read_record({"id": "r", "events": [{**CALL, **added}]}, "p").events[0]
    assert event.outcome == outcome
    assert event.result == added.get("result", MISSING)


def test_an_empty_message_is_dropped_with_a_note() -> None:
    trace = read_record({"id": "r", "events": [ASKED, {**SAID, "text": " \n"}, {**SAID, "text": ""}, CALL]}, "p")
    assert [(e.index, e.name, e.turn, e.path) for e in trace.events] == [
        (0, "user", 0, "$.events[0]"),
        (1, "find", 3, "$.events[3]"),
    ]
    assert trace.notes == ("an empty message was left out (2 times, first $.events[1])",)


def test_events_of_one_turn_stay_in_it() -> None:
    events = [{**ASKED, "turn": 0}, {**SAID, "turn": 4}, {**CALL, "turn": 4}, {**CALL, "turn": Decimal("5.0")}]
    assert [e.turn for e in read_record({"id": "r", "events": events}, "p").events] == [0, 4, 4, 5]


def test_either_all_events_have_a_turn_or_none() -> None:
    assert refused({"id": "r", "events": [{**ASKED, "turn": 0}, CALL]}) == [
        (
            "T114",
            "$.events[1]: this event has no turn, and $.events[0] has one",
            "either all events of a record have a turn or none has",
        )
    ]


def test_turns_never_decrease() -> None:
    events = [{**CALL, "turn": 1}, {**CALL, "turn": 0}, {**SAID, "turn": 1}]
    assert [f[:2] for f in refused({"id": "r", "events": events})] == [
        ("T114", "$.events[1].turn: turn 0 after turn 1; turns never decrease")
    ]


@pytest.mark.parametrize("events", [[ASKED, CALL], [CALL, ASKED], [ASKED, ASKED]])
def test_a_user_message_is_a_turn_of_its_own(events: list[dict[str, Any]]) -> None:
    assert refused({"id": "r", "events": [{**e, "turn": 0} for e in events]}) == [
        ("T114", "$.events[1].turn: a user message is a turn of its own, and this turn has another event too", "")
    ]


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        ([], ("T112", "$: a trace record is an object, not an empty array", "")),
        ({"id": "r"}, ("T112", "$: a trace record needs the key 'events'", "")),
        ({"events": []}, ("T112", "$: a trace record needs the key 'id'", "")),
        ({"id": "", "events": []}, ("T112", '$.id: expected a string that is not empty, found the string ""', "")),
        ({"id": 5, "events": []}, ("T112", "$.id: expected a string that is not empty, found the number 5", "")),
        ({"id": "r", "events": {}}, ("T112", "$.events: expected an array, found an empty object", "")),
        ({"id": "r", "events": [], "query": None}, ("T112", "$.query: expected an object, found null", "")),
        (
            {"id": "r", "events": [], "complete": 1},
            ("T112", "$.complete: expected true or false, found the number 1", ""),
        ),
        (
            {"id": "r", "events": [], "tags": [1]},
            ("T112", "$.tags: expected an object, found an array of 1 element", ""),
        ),
        (
            {"id": "r", "events": [], "qeury": {}},
            ("T113", "$.qeury: a trace record has no such key", "did you mean 'query'?"),
        ),
        (
            {"id": "r", "events": [], "a b": {}},
            (
                "T113",
                '$["a b"]: a trace record has no such key',
                "its keys are id, query, events, output, complete, tags",
            ),
        ),
    ],
)
def test_a_faulty_record(record: Any, fault: tuple[str, str, str]) -> None:
    assert refused(record) == [fault]


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        (1, ("T112", "$.events[0]: an event is an object, not the number 1", "")),
        ({"tool": "t"}, ("T112", "$.events[0]: an event needs the key 'kind', call or message", "")),
        (
            {**CALL, "kind": "calls"},
            ("T112", '$.events[0].kind: expected call or message, found the string "calls"', "did you mean 'call'?"),
        ),
        ({**CALL, "reslut": 1}, ("T113", "$.events[0].reslut: a call has no such key", "did you mean 'result'?")),
        (
            {**CALL, "text": "x"},
            (
                "T113",
                "$.events[0].text: a call has no such key",
                "its keys are kind, tool, args, result, outcome, turn, at, labels",
            ),
        ),
        (
            {**SAID, "outcome": "ok"},
            (
                "T113",
                "$.events[0].outcome: a message has no such key",
                "its keys are kind, role, text, turn, at, labels",
            ),
        ),
        ({"kind": "call", "tool": "t"}, ("T112", "$.events[0]: a call needs the key 'args'", "")),
        (
            {**CALL, "tool": ""},
            ("T112", '$.events[0].tool: expected a string that is not empty, found the string ""', ""),
        ),
        ({**CALL, "args": []}, ("T112", "$.events[0].args: expected an object, found an empty array", "")),
        (
            {**CALL, "outcome": "fialed"},
            (
                "T112",
                '$.events[0].outcome: expected one of ok, failed, unknown, found the string "fialed"',
                "did you mean 'failed'?",
            ),
        ),
        ({**CALL, "labels": []}, ("T112", "$.events[0].labels: expected an object, found an empty array", "")),
        (
            {**SAID, "role": "User"},
            (
                "T112",
                '$.events[0].role: expected one of user, assistant, system, developer, found the string "User"',
                "did you mean 'user'?",
            ),
        ),
        ({**SAID, "text": None}, ("T112", "$.events[0].text: expected a string, found null", "")),
    ],
)
def test_a_faulty_event(event: Any, fault: tuple[str, str, str]) -> None:
    assert refused({"id": "r", "events": [event]}) == [fault]


@pytest.mark.parametrize("turn", [-1, True, "1", None, Decimal("1.5"), 10**9 + 1, Decimal("1e300")])
def test_a_turn_is_a_small_whole_number(turn: Any) -> None:
    ((code, message, _),) = refused({"id": "r", "events": [{**CALL, "turn": turn}]})
    assert code == "T112"
    assert message.startswith("$.events[0].turn: expected a whole number from 0 to 1000000000, found ")


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-02",
        "2026-05-02T09:30:00",
        "2026-05-02T09:30Z",
        "2026-02-30T09:30:00Z",
        "2026-05-02T09:30:60Z",
        "now",
        "",
        "２０２６-05-02T09:30:00Z",
    ],
)
def test_a_time_has_a_day_a_second_and_a_zone(text: str) -> None:
    assert instant(text) is None
    ((code, message, _),) = refused({"id": "r", "events": [{**CALL, "at": text}]})
    assert code == "T112"
    assert message.startswith("$.events[0].at: expected a time with its zone")


def test_all_faults_of_a_record_are_told() -> None:
    record = {"id": 1, "evnets": [], "events": [{**CALL, "tol": 1}, {"kind": "message"}]}
    assert [f[0] for f in refused(record)] == ["T113", "T112", "T113", "T112", "T112"]


# ---- the published schema ----------------------------------------------------------------------------------------------

simple = (
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.just(1.5)
    | st.sampled_from(
        ["", "x", "ok", "user", "call", "message", "failed", "2026-05-02T09:30:00Z", "2026-02-30T09:30:00Z"]
    )
)
value = simple | st.lists(simple, max_size=2) | st.dictionaries(st.sampled_from(["a", "b"]), simple, max_size=2)


@st.composite
def nearly(draw: st.DrawFn, sound: dict[str, Any]) -> dict[str, Any]:
    """A sound object with, now and then, a key left out, added or given another value."""
    found = dict(sound)
    for key in draw(st.lists(st.sampled_from([*sound, "extra"]), max_size=1)):
        if draw(st.booleans()):
            found.pop(key, None)
        else:
            found[key] = draw(value)
    return found


events = nearly({**CALL, "result": 1, "outcome": "ok", "turn": 1, "at": "2026-05-02T09:30:00Z", "labels": {}}) | nearly(
    {**SAID, "turn": 1, "at": "2026-05-02T09:30:00Z", "labels": {}}
)


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    listed = draw(st.lists(events, max_size=3))
    sound = {"id": "r", "query": {}, "events": listed, "output": 1, "complete": True, "tags": {}}
    return draw(nearly(sound))


@settings(deadline=None, max_examples=250)
@given(records())
def test_own_checks_agree_with_the_published_schema(record: dict[str, Any]) -> None:
    valid = jsonschema_rs.validator_for(json.loads(trace_schema_text())).is_valid(record)
    exact = json.loads(json.dumps(record), parse_float=Decimal)
    try:
        read_record(exact, "p")
    except Refusal as refusal:
        beyond = [
            d for d in refusal.diagnostics if d.code != "T114" and not d.message.partition(": ")[0].endswith(".at")
        ]
        assert not valid or not beyond
    else:
        assert valid


def test_the_schema_is_a_schema() -> None:
    schema = json.loads(trace_schema_text())
    jsonschema_rs.meta.validate(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
