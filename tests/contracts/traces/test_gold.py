"""A query from gold actions: which of them are requests, what is kept of each, and when nothing is given."""

from pathlib import Path
from typing import Any

import pytest

from servanda.contracts.gold import query_from_gold
from servanda.contracts.load import load_text
from servanda.contracts.model import Contract
from servanda.contracts.observed import MISSING, Trace

TEXT = """language 1
contract desk "Desk" version 1
tool look(order_id: string) reads
tool cancel(order_id: string, reason: string) writes
tool transfer_to_person(summary: string) neutral
{record}
query {{ {query} }}
rule once at most 1 call cancel per args.order_id
"""
RECORD = "record Request { tool: string  order_id: string optional }"


def contract(record: str = RECORD, query: str = "requests: list of Request max 5  other: bool") -> Contract:
    return load_text(TEXT.format(record=record, query=query), "desk.contract", Path())[0]


def trace(*gold: tuple[str, dict[str, Any]]) -> Trace:
    return Trace("t", (), True, None, MISSING, "p", "tau2", gold=gold)


def test_writing_tools_transfers_and_unknown_tools_are_requests_in_order() -> None:
    query, notes = query_from_gold(
        contract(),
        trace(
            ("look", {"order_id": "1"}),
            ("cancel", {"order_id": "1", "reason": "x"}),
            ("transfer_to_person", {"summary": "s"}),
            ("unheard_of", {"order_id": "2"}),
            ("cancel", {"order_id": "3", "reason": "y"}),
        ),
    )
    assert query == {
        "requests": [
            {"tool": "cancel", "order_id": "1"},
            {"tool": "transfer_to_person"},
            {"tool": "unheard_of", "order_id": "2"},
            {"tool": "cancel", "order_id": "3"},
        ]
    }
    assert notes == (
        "query from gold actions",
        "left out of the requests, which have no such field: reason of cancel, summary of transfer_to_person",
    )


def test_no_writing_gold_is_a_query_without_requests() -> None:
    assert query_from_gold(contract(), trace(("look", {"order_id": "1"}))) == (
        {"requests": []},
        ("query from gold actions",),
    )


def test_an_enum_of_tools_must_have_them_all() -> None:
    enum = "record Request { tool: enum { cancel, refund }  order_id: string optional }"
    good, _ = query_from_gold(contract(enum), trace(("cancel", {"order_id": "1"})))
    assert good == {"requests": [{"tool": "cancel", "order_id": "1"}]}
    query, notes = query_from_gold(contract(enum), trace(("cancel", {}), ("refunds", {}), ("look", {})))
    assert query is None
    assert notes == (
        "the gold action refunds is no value of the field tool of Request; did you mean 'refund'?",
        "nothing is given as query",
    )


@pytest.mark.parametrize("query", ["other: bool", "requests: bool", "requests: list of string max 3"])
def test_a_contract_without_requests_gives_nothing(query: str) -> None:
    found, notes = query_from_gold(contract(query=query), trace(("cancel", {})))
    assert found is None
    assert notes == (
        "the query of the contract has no attribute `requests: list of RECORD` to hold gold actions: nothing is given as query",
    )


def test_a_trace_without_gold_gives_nothing() -> None:
    bare = Trace("t", (), True, None, MISSING, "p", "openai")
    assert query_from_gold(contract(), bare) == (None, ("the record has no gold actions: nothing is given as query",))


def test_a_record_without_a_field_for_the_tool_says_so() -> None:
    query, notes = query_from_gold(
        contract("record Request { order_id: string }"), trace(("cancel", {"order_id": "1"}))
    )
    assert query == {"requests": [{"order_id": "1"}]}
    assert notes[1] == "left out of the requests, which have no such field: tool of cancel"
