"""The query (language reference §4 and §5): what is given, observed or unknown, and what is refused."""

from typing import Any

import pytest

from servanda.contracts.meaning.query import read_query
from servanda.contracts.meaning.values import Undefined, Unknown
from servanda.grammar.diagnostic import Refusal

DESK = """enum Status { pending, delivered, cancelled }
tool get_order(order_id: string) -> { status: Status  total: int  note: string optional } reads
tool peek(order_id: string) -> { status: Status } reads
tool cancel(order_id: string optional) writes
success get_order when result.total > 0
query {
  order_id: string
  status: Status  observed get_order(order_id: order_id).status or peek(order_id: order_id).status
  total: int in 0 .. 50  observed get_order(order_id: order_id).total
  note: string optional  observed get_order(order_id: order_id).note
  flag: bool
  tags: list of string max 2
  extra: string optional
}
"""
FULL = {"order_id": "A", "status": "pending", "total": 5, "flag": True, "tags": []}


def order(make: Any, status: str = "pending", total: int = 5, order_id: str = "A", **more: Any) -> Any:
    return make.call("get_order", {"order_id": order_id}, {"status": status, "total": total, **more})


@pytest.fixture
def desk(make: Any) -> Any:
    return make.contract(DESK)


def hinge(value: Any) -> str:
    assert isinstance(value, Unknown)
    (one,) = value.hinges
    return str(one.text)


def test_what_is_given_is_typed(desk: Any) -> None:
    values = read_query(desk, FULL, None).values
    assert {k: values[k] for k in FULL} == {**FULL, "tags": ()}
    assert list(values) == ["order_id", "status", "total", "note", "flag", "tags", "extra"]


def test_an_optional_attribute_of_a_given_query_is_absent_and_any_other_is_unknown(desk: Any) -> None:
    values = read_query(desk, {"order_id": "A"}, None).values
    assert isinstance(values["extra"], Undefined)
    assert hinge(values["flag"]) == "query attribute flag is not given"
    assert hinge(values["note"]) == "query attribute note is not given and was not observed before the first write"
    assert isinstance(read_query(desk, {**FULL, "note": None}, None).values["note"], Undefined)


def test_where_no_query_is_given_nothing_is_known(desk: Any, make: Any) -> None:
    values = read_query(desk, None, make.trace(order(make))).values
    assert all(isinstance(v, Unknown) for v in values.values())
    assert hinge(values["status"]).startswith("query attribute status is not known"), (
        "which order it is about is not known"
    )


def test_the_first_matching_successful_call_before_the_first_attempt_of_a_write(desk: Any, make: Any) -> None:
    trace = make.trace(
        order(make, "cancelled", order_id="B"),
        order(make, "cancelled", 0),
        order(make),
        order(make, "delivered"),
        make.call("cancel"),
    )
    assert read_query(desk, {"order_id": "A"}, trace).values["status"] == "pending"


def test_any_of_several_reads(desk: Any, make: Any) -> None:
    peek = make.call("peek", {"order_id": "A"}, {"status": "delivered"})
    assert read_query(desk, {"order_id": "A"}, make.trace(peek, order(make))).values["status"] == "delivered"
    assert read_query(desk, {"order_id": "A"}, make.trace(order(make), peek)).values["status"] == "pending"


@pytest.mark.parametrize("write", ["call", "failed", "unrecorded"])
def test_a_read_after_or_beside_an_attempt_of_a_write_leaves_it_unknown(desk: Any, make: Any, write: str) -> None:
    attempt = getattr(make, write)("cancel")
    for trace in (make.trace(attempt, order(make, "cancelled")), make.trace([order(make), attempt])):
        value = read_query(desk, {"order_id": "A"}, trace).values["status"]
        assert hinge(value) == "query attribute status is not given and was not observed before the first write"


def test_an_unknown_tool_counts_as_a_write(desk: Any, make: Any) -> None:
    trace = make.trace(make.call("mystery"), order(make))
    assert isinstance(read_query(desk, {"order_id": "A"}, trace).values["status"], Unknown)


def test_an_unknown_outcome_leaves_it_unknown_where_it_matters(desk: Any, make: Any) -> None:
    unsure = make.call("get_order", {"order_id": "A"}, {"status": "cancelled", "total": 5}, "unknown")
    value = read_query(desk, {"order_id": "A"}, make.trace(unsure, order(make))).values["status"]
    assert hinge(value) == "query attribute status is not known: outcome of get_order at event 0 is not recorded"
    same = make.call("get_order", {"order_id": "A"}, {"status": "pending", "total": 5}, "unknown")
    assert read_query(desk, {"order_id": "A"}, make.trace(same, order(make))).values["status"] == "pending"


def test_a_given_value_that_differs_from_the_observed_one_is_told_and_used(desk: Any, make: Any) -> None:
    found = read_query(desk, {**FULL, "status": "delivered"}, make.trace(order(make)))
    assert found.values["status"] == "delivered"
    assert found.notes == (
        "query attribute status is given as delivered and observed as pending; the given one is used",
    )
    assert read_query(desk, FULL, make.trace(order(make))).notes == ()


def test_an_observed_value_beyond_the_type_of_the_attribute_is_unknown_and_told(desk: Any, make: Any) -> None:
    found = read_query(desk, {"order_id": "A"}, make.trace(order(make, total=51)))
    assert isinstance(found.values["total"], Unknown)
    assert found.notes == ("event 0 shows total as 51, which is no int in 0 .. 50; it counts as unknown",)


def test_an_optional_field_that_is_absent_is_observed_as_absent(desk: Any, make: Any) -> None:
    assert isinstance(read_query(desk, {"order_id": "A"}, make.trace(order(make))).values["note"], Undefined)
    assert read_query(desk, {"order_id": "A"}, make.trace(order(make, note="n"))).values["note"] == "n"


@pytest.mark.parametrize(
    "given,code,message",
    [
        ({"statu": "pending"}, "Q110", "the query has no attribute 'statu' in this contract"),
        ({"status": "lost"}, "Q111", 'query attribute status: expected Status, found "lost"'),
        ({"total": 51}, "Q111", "query attribute total: expected int in 0 .. 50, found 51"),
        ({"total": True}, "Q111", "query attribute total: expected int in 0 .. 50, found true"),
        ({"flag": None}, "Q111", "query attribute flag: expected bool, found null"),
        ({"tags": ["a", 1]}, "Q111", "query attribute tags[1]: expected string, found 1"),
        ({"tags": ["a", "b", "c"]}, "Q112", "query attribute tags: expected list of string max 2, found 3 elements"),
    ],
)
def test_what_does_not_fit_is_refused(desk: Any, given: Any, code: str, message: str) -> None:
    with pytest.raises(Refusal) as caught:
        read_query(desk, {**FULL, **given}, None)
    (one,) = caught.value.diagnostics
    assert (one.code, one.message) == (code, message)


def test_every_fault_is_told_and_the_nearest_name(desk: Any) -> None:
    with pytest.raises(Refusal) as caught:
        read_query(desk, {"statu": 1, "total": "x", "flag": 0}, None)
    assert [d.code for d in caught.value.diagnostics] == ["Q110", "Q111", "Q111"]
    assert caught.value.diagnostics[0].help == "did you mean 'status'?"
