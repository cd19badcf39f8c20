"""The page on traces says what is so."""

import io
import re
from pathlib import Path

from servanda.contracts.observed import Trace
from servanda.contracts.readers import documents, json_fault
from servanda.contracts.readers.reading import READERS, read_traces
from servanda.contracts.readers.trace_fault import TRACE_CODES

PAGE = (Path(__file__).resolve().parents[3] / "docs/traces.md").read_text("utf-8")


def test_the_example_is_a_record() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    (trace,) = read_traces(["-"], stdin=io.BytesIO(block.encode()))
    assert isinstance(trace, Trace)
    assert (trace.id, [e.turn for e in trace.events]) == ("run-17", [0, 1, 1, 2])


def test_every_code_is_listed() -> None:
    assert re.findall(r"^\| (T\d+) \|", PAGE, re.MULTILINE) == list(TRACE_CODES)


def test_every_reader_is_listed() -> None:
    assert re.findall(r"^\| `([a-z0-9-]+)` \| (?:Servanda|an OpenAI|a result|a run|each)", PAGE, re.MULTILINE) == [
        *READERS,
        "auto",
    ]


def test_the_limits_are_those_of_the_code() -> None:
    mb = 1024 * 1024
    assert f"| nesting | {json_fault.DEEPEST} levels |" in PAGE
    assert f"| a whole number | {json_fault.INTEGER_DIGITS} digits |" in PAGE
    assert f"| {json_fault.DECIMAL_DIGITS} digits when written out" in PAGE
    assert f"| a record | {documents.LARGEST_RECORD // mb} MB." in PAGE
    assert f"| a document with many records | {documents.LARGEST_DOCUMENT // mb} MB." in PAGE
