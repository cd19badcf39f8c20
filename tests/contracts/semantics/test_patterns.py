"""Patterns (language reference §3 and §4): heads, success, conditions, labels, and what is missing."""

from typing import Any

import pytest

from servanda.contracts.meaning.evaluate import Scope
from servanda.contracts.meaning.matching import failed_atoms, match
from servanda.contracts.meaning.query import read_query
from servanda.contracts.meaning.recorded import Recorded
from servanda.contracts.meaning.values import Unknown

DESK = """record Order { id: string  total: decimal(2) }
tool get_order(id: string) -> Order reads
tool pay(id: string  amount: decimal(2) in 0 .. 100  reason: enum { late, broken } optional  tags: list of string max 2 optional) -> { ok: bool } writes
tool note(id: string optional) writes
tool login() -> bool reads
tool think() neutral
success pay when result.ok
success login when result == true
class money = pay
query { wanted: string }
label affirms: bool on message user
label tone: enum { kind, rude } on message user where text != "-"
event agreed = message user where affirms
event paid(n) = call pay where args.id == n
view order(n) = last get_order(id: n)
"""


def run(make: Any, pattern: str, *turns: Any, query: Any = None) -> list[Any]:
    """The truth of the pattern at each event: T, F, or the names it hangs on."""
    contract = make.contract(f"{DESK}require it by {pattern}")
    trace = make.trace(*turns)
    reads = Recorded(contract, trace, read_query(contract, query or {"wanted": "A"}, None).values, {})
    found = [match(contract.body[0].by[0], e, Scope(reads)) for e in trace.events]
    return [[h.name for h in f.hinges] if isinstance(f, Unknown) else "T" if f else "F" for f in found]


def paid(make: Any, amount: Any = 5, id: str = "A", ok: bool = True, outcome: str = "ok", **more: Any) -> Any:
    return make.call("pay", {"id": id, "amount": amount, **more}, {"ok": ok}, outcome)


def test_verbs(make: Any) -> None:
    turns = [paid(make), make.failed("pay"), make.unrecorded("pay"), paid(make, ok=False), make.says("pay")]
    assert run(make, "call pay", *turns) == ["T", "F", ["outcome of pay"], "F", "F"]
    assert run(make, "failed pay", *turns) == ["F", "T", ["outcome of pay"], "T", "F"]
    assert run(make, "attempt pay", *turns) == ["T", "T", "T", "T", "F"]


def test_a_business_failure_is_no_success(make: Any) -> None:
    assert run(make, "call login", make.call("login", {}, False), make.call("login", {}, True)) == ["F", "T"]


def test_the_error_flag_decides_before_the_condition(make: Any) -> None:
    assert run(make, "call pay", paid(make, outcome="failed")) == ["F"]
    assert run(make, "call pay", paid(make, outcome="unknown")) == [["outcome of pay"]]


def test_a_result_without_its_type_makes_the_outcome_unknown(make: Any) -> None:
    wrong = make.call("get_order", {"id": "A"}, {"id": "A", "total": "free"})
    contract = make.contract(f"{DESK}require it by call get_order")
    reads = Recorded(contract, make.trace(wrong), read_query(contract, {"wanted": "A"}, None).values, {})
    found = match(contract.body[0].by[0], reads.trace.events[0], Scope(reads))
    assert isinstance(found, Unknown)
    assert (
        found.hinges[0].text == "the result of get_order at event 0 does not have its type, so its outcome is unknown"
    )
    note = 'event 0 get_order: result.total is "free", not decimal(2); the outcome counts as unknown'
    assert reads.notes() == (note,)


def test_a_success_without_its_result(make: Any) -> None:
    from servanda.contracts.observed import MISSING

    bare = make.call("get_order", {"id": "A"}, MISSING, "ok")
    assert run(make, "call get_order", bare) == ["T"]
    assert run(make, "call get_order where result.total > 0", bare) == [["result of get_order"]]
    assert run(make, "call pay", make.call("pay", {}, MISSING, "ok")) == [["outcome of pay"]], (
        "success reads the result"
    )


def test_classes_and_unknown_tools(make: Any) -> None:
    turns = [paid(make), make.call("note"), make.call("think"), make.call("mystery"), make.says()]
    assert run(make, "call of money", *turns) == ["T", "F", "F", "F", "F"]
    assert run(make, "call of writes", *turns) == ["T", "T", "F", "T", "F"]
    assert run(make, "attempt of tools", *turns) == ["T", "T", "T", "T", "F"]
    assert run(make, "call of neutral", *turns) == ["F", "F", "T", "F", "F"]


def test_roles_and_alternatives(make: Any) -> None:
    turns = [make.user("x"), make.says("x"), make.call("note")]
    assert run(make, "message user", *turns) == ["T", "F", "F"]
    assert run(make, "any of { message assistant  call note }", *turns) == ["F", "T", "T"]
    assert run(make, "any of { message assistant  message user } where text matches /y/", *turns) == ["F", "F", "F"]


def test_conditions_read_the_event(make: Any) -> None:
    pattern = "call pay as w where args.id == wanted and w.args.amount <= 5.00 and result.ok and turn > 0"
    assert run(make, pattern, paid(make), paid(make), paid(make, 6), paid(make, id="B")) == ["F", "T", "F", "F"]


def test_events_with_parameters(make: Any) -> None:
    assert run(make, "event paid(wanted)", paid(make), paid(make, id="B")) == ["T", "F"]
    assert run(make, "event paid(wanted) where args.amount > 5", paid(make), paid(make, 6)) == ["F", "T"]


def test_labels(make: Any) -> None:
    turns = [make.user("a", affirms=True), make.user("b", affirms=False), make.user("c"), make.user("d", affirms="yes")]
    assert run(make, "event agreed", *turns) == ["T", "F", ["affirms"], ["affirms"]]
    assert run(make, 'message user where text == "x" and affirms', *turns) == ["F", "F", "F", "F"]


def test_a_label_is_not_missing_where_it_is_not_made(make: Any) -> None:
    assert run(make, "message user where tone == kind", make.user("-"), make.user("x")) == ["F", ["tone"]]


def test_an_undefined_condition_does_not_match(make: Any) -> None:
    assert run(make, "call pay where args.reason == late", paid(make), paid(make, reason="late")) == ["F", "T"]
    assert run(make, "call pay where not (args.reason == late)", paid(make)) == ["F"]
    assert run(make, "call pay where args.reason is absent", paid(make)) == ["T"]


def test_an_undefined_condition_beside_an_unknown_one_does_not_match(make: Any) -> None:
    assert run(make, "call pay where args.reason == late and args.id == wanted", paid(make), query={"wanted": "A"}) == [
        "F"
    ]
    contract = make.contract(f"{DESK}require it by call pay where args.id == wanted and args.reason == late")
    reads = Recorded(contract, make.trace(paid(make)), read_query(contract, None, None).values, {})
    assert match(contract.body[0].by[0], reads.trace.events[0], Scope(reads)) is False


def test_arguments_that_do_not_fit_are_seen_and_undefined(make: Any) -> None:
    wrong = make.call("pay", {"id": 7, "amount": "much", "reason": "whim"}, {"ok": True})
    assert run(make, "attempt pay", wrong) == ["T"]
    for path in ("args.id == wanted", "args.amount > 0", "args.reason == late", 'args.id != "x"'):
        assert run(make, f"attempt pay where {path}", wrong) == ["F"]
    contract = make.contract(DESK)
    notes = Recorded(contract, make.trace(wrong), {}, {}).notes()
    assert [n.split(": ")[1].split(" is ")[0] for n in notes] == ["args.id", "args.amount", "args.reason"]
    assert notes[1] == 'event 0 pay: args.amount is "much", not decimal(2) in 0 .. 100; it counts as undefined'


def test_an_argument_beyond_its_range_is_compared_as_it_is(make: Any) -> None:
    assert run(make, "attempt pay where args.amount > 100", paid(make, 500)) == ["T"]
    contract = make.contract(DESK)
    notes = Recorded(contract, make.trace(paid(make, 500)), {}, {}).notes()
    assert notes == ("event 0 pay: args.amount is 500, not decimal(2) in 0 .. 100; it is compared as it is",)


def test_an_unknown_tool_is_told(make: Any) -> None:
    notes = Recorded(make.contract(DESK), make.trace(make.call("mystery")), {}, {}).notes()
    assert notes == ("event 0: tool mystery is not in the contract; it counts as writes",)


# ---- near misses ---------------------------------------------------------------------------------------------------------


def missed(make: Any, pattern: str, *turns: Any) -> list[Any]:
    """The failed atoms of each event; None for another tool or role."""
    contract = make.contract(f"{DESK}require it by {pattern}")
    trace = make.trace(*turns)
    reads = Recorded(contract, trace, read_query(contract, {"wanted": "A"}, None).values, {})
    found = [failed_atoms(contract.body[0].by[0], e, Scope(reads)) for e in trace.events]
    return [None if f is None else [a.text for a in f.failed] for f in found]


def got(make: Any, total: int = 20) -> Any:
    return make.call("get_order", {"id": "A"}, {"id": "A", "total": total})


def test_failed_conditions_in_contract_words(make: Any) -> None:
    pattern = "call pay where args.id == wanted and args.amount <= order(wanted).total"
    turns = [got(make), paid(make, 25), paid(make, 5, "B"), paid(make, 25, "B", ok=False), paid(make)]
    assert missed(make, pattern, *turns) == [
        None,
        ["args.amount <= order(wanted).total: 25 > 20"],
        ['args.id == wanted: "B" != "A"'],
        ["succeeded", 'args.id == wanted: "B" != "A"', "args.amount <= order(wanted).total: 25 > 20"],
        [],
    ]


def test_a_failed_condition_names_the_view_it_misses(make: Any) -> None:
    contract = make.contract(f"{DESK}require it by call pay where args.amount <= order(wanted).total")
    for turns, later in (([paid(make)], False), ([paid(make), got(make)], True), ([[got(make), paid(make)]], True)):
        trace = make.trace(*turns)
        reads = Recorded(contract, trace, read_query(contract, {"wanted": "A"}, None).values, {})
        event = next(e for e in trace.events if e.name == "pay")
        miss = failed_atoms(contract.body[0].by[0], event, Scope(reads))
        assert miss is not None
        (atom,) = miss.failed
        (view,) = atom.views
        assert atom.text == 'args.amount <= order(wanted).total (no order("A") before)'
        assert (view.view, view.tools, view.later) == ('order("A")', ("get_order",), later)


def test_conditions_of_nested_heads_count_and_the_alternative_that_fails_least(make: Any) -> None:
    assert missed(make, "event paid(wanted) where args.amount > 5", paid(make, 5, "B")) == [
        ['args.id == n: "B" != "A"', "args.amount > 5: 5 <= 5"]
    ]
    pattern = "any of { call pay where args.id == wanted and args.amount > 9  call pay where args.amount > 8 }"
    assert missed(make, pattern, paid(make, 5, "B")) == [["args.amount > 8: 5 <= 8"]]


@pytest.mark.parametrize("text,atoms", [("code 1", []), ("none", ["text matches /code/: no match"])])
def test_a_text_that_does_not_match(make: Any, text: str, atoms: list[str]) -> None:
    assert missed(make, "message user where text matches /code/", make.user(text), make.says(text)) == [atoms, None]
