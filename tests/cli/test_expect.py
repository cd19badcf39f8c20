"""`contract expect`: the expected graph in its three forms says the same."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Contract = Callable[..., Any]
QUERY = {
    "order_id": "B1",
    "verified": False,
    "status": "delivered",
    "bought": "2026-04-20",
    "today": "2026-05-04",
    "amount": 20,
    "items": [],
}


@pytest.fixture
def expect(contract: Contract, library: Path, tmp_path: Path) -> Callable[..., Any]:
    def run(query: dict[str, Any], *options: str) -> Any:
        path = tmp_path / "q.json"
        path.write_text(json.dumps(query))
        return contract("expect", library / "refund_desk.contract", "--query", path, *options)

    return run


def test_json_names_every_element_with_its_reason(expect: Callable[..., Any]) -> None:
    ran = expect(QUERY, "--format", "json")
    assert ran.code == 0
    said = json.loads(ran.out)
    status = {e["id"]: e["status"] for e in said["elements"]}
    assert status["outcome.refund.pay"] == "active"
    assert status["outcome.deny.tell_denial"] == "inactive"
    active = [e for e in said["elements"] if e["status"] == "active"]
    counted = [e for e in active if e["kind"] in ("require", "optional", "forbid", "rule", "output")]
    assert said["denominator"] == len(counted) + sum(e["status"] == "active" for e in said["edges"])
    review = next(e for e in said["elements"] if e["id"] == "outcome.review")
    assert review["reasons"] == [{"text": "amount > 500", "values": {"amount": "20"}, "on": []}]


def test_an_attribute_that_is_not_given_leaves_what_hangs_on_it_undecided(expect: Callable[..., Any]) -> None:
    query = {k: v for k, v in QUERY.items() if k != "verified"}
    ran = expect(query, "--format", "json")
    assert ran.code == 3
    said = json.loads(ran.out)
    (verify,) = (e for e in said["elements"] if e["id"] == "verify")
    assert verify["status"] == "undecided"
    assert verify["reasons"][0]["on"] == ["verified"]
    assert "hangs on verified" in expect(query).out


def test_pretty_shows_order_reasons_and_hinges(expect: Callable[..., Any]) -> None:
    out = expect(QUERY).out
    assert re.search(r"require pay .*after lookup,\s+verify", out)
    assert "within 3 turns" in out
    assert "amount > 500 is false: amount is 20" in out
    assert max(map(len, out.splitlines())) <= 80


STRING = r'"(?:[^"\\\n]|\\.)*"'
ATTRIBUTES = rf"\[[a-z]+=(?:{STRING}|\w+)(?:, [a-z]+=(?:{STRING}|\w+))*\]"


def is_dot(text: str) -> bool:
    """Whether the text is a graph in the part of DOT that we write."""
    head, *body = text.splitlines()
    fit = re.fullmatch(rf"digraph {STRING} \{{", head) is not None and body.pop() == "}"
    statement = rf"  (?:rankdir=LR|node {ATTRIBUTES}|{STRING}(?: -> {STRING})? {ATTRIBUTES});"
    return fit and all(re.fullmatch(statement, line) for line in body)


def test_dot_is_a_graph_of_the_same_elements(expect: Callable[..., Any]) -> None:
    out = expect(QUERY, "--format", "dot").out
    assert is_dot(out)
    said = json.loads(expect(QUERY, "--format", "json").out)
    named = set(re.findall(r'^  ("[^"]*") \[label', out, re.MULTILINE))
    assert named == {json.dumps(e["id"]) for e in said["elements"]}
    assert len(re.findall(r" -> ", out)) == len(said["edges"]) + sum(bool(e["parent"]) for e in said["elements"])


def test_dot_escapes_what_would_end_a_string(contract: Contract) -> None:
    text = (
        'language 1\ncontract odd "t" version 1\ntool t() reads\nrequire x "say \\"no\\" \\\\ now" by call t\n'
        'rule y "tab \\t and \\u202e" at most 1 call t\n'
    )
    ran = contract("expect", "-", "--format", "dot", stdin=text)
    assert ran.code == 0, ran.err
    assert is_dot(ran.out)
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", ran.out)


def test_only_one_of_two_comes_from_standard_input(contract: Contract) -> None:
    assert contract("expect", "-", "--query", "-").code == 2
