"""The output (language reference §7): which one is judged, and how."""

from decimal import Decimal
from typing import Any

import pytest

from servanda.contracts.meaning.output import judge_output
from servanda.contracts.meaning.query import read_query
from servanda.contracts.meaning.recorded import Recorded

DESK = """tool get(id: string) -> { total: int } reads
tool act() writes
tool think() neutral
query { limit: int  flag: bool }
view total(n) = last get(id: n).total
output json {
  field decision: enum { pay, deny }
  field amount: decimal(2) in 0 .. 100 optional
  rule agree output.decision == pay iff flag
  rule cap output.amount is present implies output.amount <= total("A") severity high
}
"""


def judged(make: Any, *turns: Any, query: Any = None, **trace: Any) -> Any:
    contract = make.contract(DESK)
    made = make.trace(*turns, **trace)
    values = read_query(contract, {"limit": 5, "flag": True} if query is None else query, None).values
    return judge_output(contract, made, Recorded(contract, made, values, {}))


def found(*args: Any, **more: Any) -> list[tuple[str, str]]:
    return [(v.element, v.seen) for v in judged(*args, **more).violations]


PAY = {"decision": "pay"}


def got(make: Any, total: int = 20) -> Any:
    return make.call("get", {"id": "A"}, {"total": total})


def test_the_records_output_is_judged(make: Any) -> None:
    assert found(make, make.says("no JSON"), output=PAY) == []
    assert found(make, output={**PAY, "more": [1]}) == [], "fields beyond those declared are fine"


def test_else_the_last_assistant_message_if_nothing_but_neutral_calls_and_user_messages_follows(make: Any) -> None:
    last = make.says('{"decision": "pay"}')
    assert found(make, make.says("first"), last) == []
    assert found(make, last, make.call("think"), make.user("thanks")) == []
    (one,) = judged(make, last, make.call("act")).violations
    assert (one.element, one.seen) == ("output", "there is no output: event 1 act follows the last message")
    assert found(make, [last, make.call("act")])[0][0] == "output"
    (one,) = judged(make, make.user(), make.says("{}")).violations[:1]
    assert one.events == (1,)


@pytest.mark.parametrize(
    "text", ["", "It is done.", '```json\n{"decision": "pay"}\n```', '{"decision": "pay"} ', '{"decision": pay}']
)
def test_a_text_is_read_as_strict_json(make: Any, text: str) -> None:
    problems = found(make, make.says(text), output=text)
    if text.strip().startswith("{") and '"pay"' in text:
        assert problems == []
    else:
        ((element, seen),) = problems
        assert element == "output" and seen.startswith("the output is not JSON")


def test_no_output_is_one_finding(make: Any) -> None:
    assert found(make) == [("output", "there is no output")]
    assert found(make, output=[1]) == [("output", "the output is a list, not an object")]


def test_each_field_that_is_missing_or_has_another_type(make: Any) -> None:
    problems = found(make, got(make, 500), output={"amount": "20"})
    assert problems[:2] == [
        ("decision", "decision is missing"),
        ("amount", 'amount is "20", not decimal(2) in 0 .. 100'),
    ]
    assert [e for e, _ in problems[2:]] == ["agree"], (
        "a rule over what is not there is violated; cap asks whether it is"
    )
    assert found(make, output={"decision": "pay", "amount": 101})[0][0] == "amount"
    assert found(make, output={"decision": "pay", "amount": None}) == []


def test_rules_read_the_query_and_views_at_the_end(make: Any) -> None:
    assert found(make, got(make, 20), output={**PAY, "amount": 20}) == []
    problems = judged(make, got(make, 20), got(make, 10), output={**PAY, "amount": Decimal("10.5")}).violations
    assert [(v.element, v.severity) for v in problems] == [("cap", "high")]
    assert found(make, output={"decision": "deny"})[0][0] == "agree"


def test_an_undefined_rule_is_violated(make: Any) -> None:
    ((element, seen),) = found(make, output={**PAY, "amount": 1})
    assert element == "cap" and 'no total("A") before' in seen


def test_an_unknown_rule_is_open(make: Any) -> None:
    result = judged(make, output=PAY, query={"limit": 5})
    assert result.violations == ()
    (rule,) = result.open
    assert (rule.element, rule.pending, [h.name for h in rule.hinges]) == ("agree", False, ["flag"])
    assert dict(result.counts)["agree"].undecided == 1 and dict(result.counts)["cap"].fulfilled == 1


def test_in_an_open_trace_the_output_is_pending(make: Any) -> None:
    for turns in ([], [make.says("{}")]):
        result = judged(make, *turns, complete=False)
        assert result.violations == () and result.open[0].pending and result.open[0].element == "output"
