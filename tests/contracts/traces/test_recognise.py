"""The sample of every format: read to the same three calls, or refused by name."""

from pathlib import Path

import pytest

from servanda.contracts.observed import Trace
from servanda.contracts.readers.reading import Skipped, read_traces

ORDER = "#W0001"
THREE_CALLS = [
    ("find_user_id_by_name_zip", {"first_name": "Ann", "last_name": "Lee", "zip": "94110"}, "ann_lee_1"),
    ("get_order_details", {"order_id": ORDER}, {"order_id": ORDER, "user_id": "ann_lee_1", "status": "pending"}),
    (
        "cancel_pending_order",
        {"order_id": ORDER, "reason": "no longer needed"},
        {"order_id": ORDER, "status": "cancelled"},
    ),
]
FOREIGN = {
    "agentdojo_run.json": "an AgentDojo run",
    "anthropic_messages.json": "Anthropic messages",
    "gemini_contents.json": "Gemini contents",
    "langchain_messages.json": "LangChain messages",
    "langgraph_state.json": "a LangGraph state",
    "langsmith_runs.jsonl": "a LangSmith run",
    "mcp_exchange.jsonl": "a message of MCP",
    "mcp_tools_list.json": "a message of MCP",
    "openai_responses.json": "OpenAI Responses",
    "openinference_spans.jsonl": "a span of OpenInference or OpenTelemetry",
    "otel_genai_otlp.json": "OpenTelemetry spans (OTLP)",
    "vercel_model_messages.json": "messages of the Vercel AI SDK",
    "vercel_ui_messages.json": "messages of the Vercel AI SDK",
}


@pytest.mark.parametrize(("name", "reader"), [("openai_chat.json", "openai"), ("tau2_simulation.json", "tau2")])
@pytest.mark.parametrize("given", ["auto", "the reader"])
def test_a_sample_gives_the_three_calls(data: Path, name: str, reader: str, given: str) -> None:
    (trace,) = read_traces([str(data / "trace_formats" / name)], reader if given == "the reader" else "auto")
    assert isinstance(trace, Trace)
    assert trace.reader == reader
    assert [(e.name, e.args, e.result) for e in trace.events if e.kind == "call"] == THREE_CALLS
    assert [(e.turn, e.name) for e in trace.events if e.kind == "message"] == [(0, "user"), (4, "assistant")]
    assert [e.turn for e in trace.events] == [0, 1, 2, 3, 4]
    assert {e.outcome for e in trace.events if e.kind == "call"} == {"ok"}
    assert trace.complete


@pytest.mark.parametrize(("name", "looks_like"), FOREIGN.items())
def test_a_sample_of_another_format_is_refused_by_name(data: Path, name: str, looks_like: str) -> None:
    (found,) = read_traces([str(data / "trace_formats" / name)])
    assert isinstance(found, Skipped)
    assert found.code == "T111"
    assert f"this looks like {looks_like}, which no reader takes; expected a Servanda record" in found.message


@pytest.mark.parametrize("reader", ["servanda", "openai", "tau-bench", "tau2"])
@pytest.mark.parametrize("name", FOREIGN)
def test_no_reader_loses_the_calls_of_another_format(data: Path, name: str, reader: str) -> None:
    """Even a reader that is told to: it refuses, or it reads a run in which nothing was left out that is no text."""
    for found in read_traces([str(data / "trace_formats" / name)], reader):
        assert isinstance(found, Skipped)


def test_every_sample_is_known(data: Path) -> None:
    names = {p.name for p in (data / "trace_formats").glob("*.json*")}
    assert names == {*FOREIGN, "openai_chat.json", "tau2_simulation.json"}
