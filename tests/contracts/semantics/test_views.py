"""Views (language reference §2 and §4): the newest successful match strictly before the judged event."""

from typing import Any

from servanda.contracts.meaning.query import read_query
from servanda.contracts.meaning.recorded import Recorded
from servanda.contracts.meaning.values import Undefined, Unknown

DESK = """tool get(id: string) -> { total: int  next: string optional } reads
tool pay(id: string) writes
query { q: string }
view order(n) = last get(id: n)
view total(n) = last get(id: n).total
view chained(n) = last get(id: order(n).next).total
view big = last call get where result.total > 5
view heard = last message user where text matches /yes/
"""


def got(make: Any, total: int, id: str = "A", outcome: str = "ok", **more: Any) -> Any:
    return make.call("get", {"id": id}, {"total": total, **more}, outcome)


def read(make: Any, name: str, arguments: tuple[Any, ...], at: int | None, *turns: Any, assumed: Any = None) -> Any:
    contract = make.contract(DESK)
    trace = make.trace(*turns)
    reads = Recorded(contract, trace, read_query(contract, {"q": "A"}, None).values, assumed or {})
    return reads.view(name, arguments, None if at is None else trace.events[at])


def test_the_newest_before_the_event_and_at_the_end_the_newest_of_all(make: Any) -> None:
    turns = [got(make, 1), got(make, 2), make.call("pay", {"id": "A"}), got(make, 3)]
    assert read(make, "total", ("A",), 2, *turns) == 2
    assert read(make, "total", ("A",), 1, *turns) == 1
    assert read(make, "total", ("A",), None, *turns) == 3


def test_of_one_response_the_later_place_is_the_newer(make: Any) -> None:
    assert read(make, "total", ("A",), 2, [got(make, 1), got(make, 2)], make.user()) == 2


def test_nothing_of_the_same_response_is_before(make: Any) -> None:
    found = read(make, "total", ("A",), 1, [got(make, 1), make.call("pay", {"id": "A"})])
    assert isinstance(found, Undefined)
    assert [(v.view, v.tools, v.later) for v in found.views] == [('total("A")', ("get",), True)]


def test_arguments_key_a_view_and_failures_do_not_count(make: Any) -> None:
    turns = [got(make, 1), got(make, 2, "B"), make.failed("get", {"id": "A"}), make.user()]
    assert read(make, "total", ("A",), 3, *turns) == 1
    assert isinstance(read(make, "total", ("C",), 3, *turns), Undefined)


def test_a_view_over_a_pattern_is_the_event(make: Any) -> None:
    turns = [got(make, 9), make.user("yes"), got(make, 1), make.user("yes yes"), make.user("no")]
    assert read(make, "big", (), 4, *turns).index == 0
    assert read(make, "heard", (), 4, *turns).index == 3
    assert read(make, "heard", (), 3, *turns).index == 1


def test_an_unknown_outcome_matters_only_where_the_value_differs(make: Any) -> None:
    unsure = got(make, 2, outcome="unknown")
    found = read(make, "total", ("A",), 2, got(make, 1), unsure, make.user())
    assert isinstance(found, Unknown) and [h.name for h in found.hinges] == ["outcome of get"]
    assert read(make, "total", ("A",), 2, got(make, 2), unsure, make.user()) == 2
    assert read(make, "total", ("A",), 2, unsure, got(make, 3), make.user()) == 3
    only = read(make, "total", ("A",), 1, unsure, make.user())
    assert isinstance(only, Unknown), "it is undefined or 2"


def test_what_is_assumed_of_an_outcome_settles_it(make: Any) -> None:
    turns = [got(make, 1), got(make, 2, outcome="unknown"), make.user()]
    assert read(make, "total", ("A",), 2, *turns, assumed={"outcome 1": True}) == 2
    assert read(make, "total", ("A",), 2, *turns, assumed={"outcome 1": False}) == 1


def test_a_missing_value_behind_a_view_names_the_view_that_misses(make: Any) -> None:
    found = read(make, "chained", ("A",), 0, make.user(), got(make, 1, next="B"))
    assert isinstance(found, Undefined)
    assert [v.view for v in found.views] == ['order("A")']
    assert read(make, "chained", ("A",), 2, got(make, 1, next="B"), got(make, 7, "B"), make.user()) == 7


def test_a_field_that_is_absent_is_no_matter_of_the_view(make: Any) -> None:
    found = read(make, "chained", ("A",), 1, got(make, 1), make.user())
    assert isinstance(found, Undefined) and found.views == ()


def test_reading_ahead_takes_the_earliest_match_and_says_which(make: Any) -> None:
    contract = make.contract(DESK)
    trace = make.trace(make.user(), got(make, 1, next="B"), got(make, 2), got(make, 7, "B"))
    reads = Recorded(contract, trace, read_query(contract, {"q": "A"}, None).values, {})
    ahead = reads.looking_ahead()
    assert ahead.view("chained", ("A",), trace.events[0]) == 7
    assert list(ahead.called_ahead) == [1, 3]
    assert isinstance(reads.view("chained", ("A",), trace.events[0]), Undefined)
