"""Whatever stands in a file: traces or skips come out, never an exception, and always something."""

import io
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from servanda.contracts.observed import Trace
from servanda.contracts.readers.reading import READERS, Skipped, read_traces

KEYS = [
    "id", "events", "messages", "traj", "simulations", "tasks", "task_id", "role", "content", "tool_calls", "function", "name", "arguments",
    "type", "text", "kind", "tool", "args", "result", "turn", "outcome", "choices", "message", "request", "body", "function_call",
    "tool_call_id", "error", "requestor", "tool_messages", "gold_actions", "info", "task", "actions", "parts", "refusal", "custom",
]  # fmt: skip
WORDS = [
    "user",
    "assistant",
    "tool",
    "system",
    "function",
    "call",
    "message",
    "text",
    "{}",
    '{"message": "x"}',
    "(1,",
    "['a']",
    "Error",
    "",
    "c1",
]

scalar = st.none() | st.booleans() | st.integers(-2, 3) | st.just(0.5) | st.sampled_from(WORDS) | st.text(max_size=5)
anything: st.SearchStrategy[Any] = st.recursive(
    scalar,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=12,
)

call = st.fixed_dictionaries(
    {"id": st.sampled_from(["c1", "c2", None])},
    optional={
        "function": st.fixed_dictionaries({"name": st.sampled_from(["find", "pay", ""]), "arguments": anything})
        | anything,
        "name": st.just("find"),
        "arguments": anything,
        "requestor": st.sampled_from(["user", "assistant"]),
        "type": st.sampled_from(["function", "custom"]),
    },
)
message = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system"])},
    optional={
        "content": anything,
        "tool_calls": st.lists(call, max_size=3) | st.none() | anything,
        "tool_call_id": st.sampled_from(["c1", "c2", None]),
        "name": st.just("find"),
        "function_call": anything,
        "requestor": st.sampled_from(["user", "assistant"]),
        "error": anything,
    },
)
run = st.fixed_dictionaries(
    {"messages": st.lists(message, max_size=6)},
    optional={
        "task_id": scalar,
        "termination": scalar,
        "gold_actions": anything,
        "reward_info": anything,
        "id": scalar,
    },
)


def read(data: bytes, reader: str) -> list[Trace | Skipped]:
    found = list(read_traces(["-"], reader, stdin=io.BytesIO(data)))
    assert found
    for item in found:
        assert item.id
        if isinstance(item, Skipped):
            assert item.code.startswith("T1")
            assert item.message
        else:
            assert [e.index for e in item.events] == list(range(len(item.events)))
            turns = [e.turn for e in item.events]
            assert turns == sorted(turns)
    return found


@pytest.mark.parametrize("reader", ["auto", *READERS])
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(value=anything)
def test_any_json_is_read_or_skipped(reader: str, value: Any) -> None:
    read(json.dumps(value).encode(), reader)


@pytest.mark.parametrize("reader", ["auto", "openai", "tau2"])
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(value=run)
def test_what_is_nearly_a_chat_is_read_or_skipped(reader: str, value: Any) -> None:
    read(json.dumps(value).encode(), reader)


@settings(deadline=None, max_examples=150)
@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:0123456789eE.-tru\n \\', max_size=60).map(str.encode))
def test_any_bytes_are_read_or_skipped(data: bytes) -> None:
    read(data, "auto")
