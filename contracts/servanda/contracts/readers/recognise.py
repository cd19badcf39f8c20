"""The shape of a record, told from its structure.

In: one JSON value, from anyone. Out: the name of the reader that takes it, or a `Refusal` that says what was seen and, where the shape is
that of another known format, which. A record that could be misread is refused: a format whose calls stand elsewhere would lose them.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NoReturn

from servanda.contracts.observed import Json
from servanda.contracts.readers.json_words import in_words
from servanda.contracts.readers.record import RECORD_KEYS
from servanda.contracts.readers.trace_fault import refuse_trace
from servanda.grammar.diagnostic import nearest

ReaderName = Literal["servanda", "openai", "tau-bench", "tau2"]
READERS: Final[tuple[ReaderName, ...]] = ("servanda", "openai", "tau-bench", "tau2")

EXPECTED: Final = (
    "a Servanda record (id, events), an OpenAI chat (messages, or an array of messages), a tau-bench result (traj), "
    "a tau2 run (messages, task_id)"
)

_FOREIGN_KEYS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("resourceSpans",), "OpenTelemetry spans (OTLP)"),
    (("jsonrpc",), "a message of MCP"),
    (("run_type", "trace_id"), "a LangSmith run"),
    (("context", "attributes"), "a span of OpenInference or OpenTelemetry"),
    (("contents",), "Gemini contents"),
    (("instructions", "input"), "OpenAI Responses"),
    (("input", "model"), "OpenAI Responses"),
    (("instruction", "gold_actions"), "a task of tau-bench without a run of it"),
    (("user_scenario", "evaluation_criteria"), "a task of tau2 without a run of it"),
    (("kind", "tool"), "an event of a Servanda record on its own"),
    (("kind", "role"), "an event of a Servanda record on its own"),
    (("role", "content"), "a single message; the messages of a run belong into one array"),
)
_LANGCHAIN_TYPES: Final = ("human", "ai", "system", "tool")
_RESPONSES_TYPES: Final = ("function_call", "function_call_output")
_PART_FORMATS: Final[Mapping[str, str]] = {
    "tool_use": "Anthropic messages",
    "tool_result": "Anthropic messages",
    "tool-call": "messages of the Vercel AI SDK",
    "tool-result": "messages of the Vercel AI SDK",
}
_TAU2_KEYS: Final = ("task_id", "termination", "termination_reason", "reward_info", "gold_actions")
_MAIN_KEYS: Final = ("events", "messages", "traj")
_HEADS: Final = ("request", "response", "body")


def recognise(record: Json, where: str = "$") -> ReaderName:
    """The reader that takes a record. Raises `Refusal` (T111)."""
    if isinstance(record, list):
        _refuse_foreign(record, record, where)
        return "openai" if record and is_message(record[0]) else _refuse(record, where)
    if not isinstance(record, Mapping):
        _refuse(record, where)
    if "traj" in record:
        return "tau-bench"
    if "events" in record:
        return "servanda"
    if isinstance(record.get("messages"), list):
        _refuse_foreign(record, record["messages"], where)
        tau2 = any(key in record for key in _TAU2_KEYS) or any(_is_spread(c) for c in _calls(record["messages"]))
        return "tau2" if tau2 else "openai"
    if isinstance(record.get("choices"), list) or any(_has_chat(record.get(head)) for head in _HEADS):
        return "openai"
    state = record.get("values")
    if isinstance(state, Mapping) and "messages" in state:
        _refuse(record, where, "a LangGraph state")
    for keys, what in _FOREIGN_KEYS:
        if all(key in record for key in keys):
            _refuse(record, where, what)
    return _refuse(record, where)


def is_message(element: Json) -> bool:
    """Whether an element of an array is a message, so that the array is one run and no corpus."""
    return (
        isinstance(element, Mapping)
        and "events" not in element
        and ("role" in element or element.get("type") in (*_LANGCHAIN_TYPES, *_RESPONSES_TYPES))
    )


def _refuse_foreign(record: Json, messages: list[Json], where: str) -> None:
    what = next((f for m in messages if isinstance(m, Mapping) and (f := _foreign_message(m))), "")
    if what:
        _refuse(record, where, what)


def _foreign_message(message: Mapping[str, Json]) -> str:
    """The format that a message belongs to, if it is one whose calls stand elsewhere."""
    content, parts = message.get("content"), message.get("parts")
    if isinstance(parts, list):
        typed = any(isinstance(p, Mapping) and "type" in p for p in parts)
        return "messages of the Vercel AI SDK" if typed else "Gemini contents"
    if "role" not in message and message.get("type") in _LANGCHAIN_TYPES:
        return "LangChain messages"
    if message.get("type") in _RESPONSES_TYPES:
        return "OpenAI Responses"
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, Mapping) else None
        if isinstance(kind, str) and kind in _PART_FORMATS:
            return _PART_FORMATS[kind]
    for call in _calls([message]):
        if isinstance(call.get("function"), str):
            return "an AgentDojo run"
        if "args" in call:
            return "LangChain messages"
    return ""


def _calls(messages: list[Json]) -> Iterator[Mapping[str, Json]]:
    for message in messages:
        calls = message.get("tool_calls") if isinstance(message, Mapping) else None
        yield from (c for c in (calls if isinstance(calls, list) else ()) if isinstance(c, Mapping))


def _is_spread(call: Mapping[str, Json]) -> bool:
    return "function" not in call and "name" in call and "arguments" in call


def _has_chat(value: Json) -> bool:
    return isinstance(value, Mapping) and (
        isinstance(value.get("messages"), list)
        or isinstance(value.get("choices"), list)
        or _has_chat(value.get("body"))
    )


def _refuse(record: Json, where: str, looks_like: str = "") -> NoReturn:
    seen = in_words(record)
    if looks_like:
        message = f"{seen}: this looks like {looks_like}, which no reader takes"
        refuse_trace("T111", where, message, f"expected {EXPECTED}", label=looks_like)
    hint = ""
    if isinstance(record, Mapping):
        hint = next((n for key in record if key not in RECORD_KEYS and (n := nearest(key, _MAIN_KEYS))), "")
    refuse_trace("T111", where, f"{seen}; expected {EXPECTED}", hint)
