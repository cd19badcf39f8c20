"""Decisions with a gap (C203) or an overlap (C204), each with the smallest query, and those that have neither."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from servanda.contracts.meaning.activation import expected_graph
from servanda.contracts.meaning.query import read_query
from servanda.contracts.model import Contract, Decide
from servanda.grammar.diagnostic import Refusal
from servanda.solver.consistency import Analysis, analyse
from servanda.solver.findings.finding import Finding
from servanda.solver.witness import Witness

Write = Callable[[str, str], Contract]
Analyse = Callable[[str, str], Analysis]


def only(analysis: Analysis) -> tuple[Finding, Witness]:
    assert len(analysis.findings) == 1
    found = analysis.findings[0]
    assert found.witness is not None
    return found, found.witness


@pytest.mark.parametrize(
    ("query", "body", "text", "free"),
    [
        ("a: int  b: bool", "branch x when a < 5 { } branch y when a > 5 { }", "a is 5", ("b",)),
        ("a: decimal(2)  b: bool", "branch x when a <= 500 { } branch y when a > 501 { }", "a is 500.01", ("b",)),
        ("a: decimal(1)  b: decimal(2)", "branch x when a > b { } branch y when a < b { }", "a is 0.0, b is 0.00", ()),
        ("s: enum { p, q, r }", "branch x when s == p { } branch y when s == r { }", "s is q", ()),
        ("o: bool optional  b: bool", "branch x when o { } branch y when not o { }", "o is absent", ("b",)),
        (
            "today: date in 2024-01-01 .. 2027-12-31  bought: date in 2024-01-01 .. 2027-12-31",
            "branch x when today - bought < 30d { } branch y when today - bought > 30d { }",
            "bought is 2024-01-01, today is 2024-01-31",
            (),
        ),
        (
            "xs: list of Item max 4  b: bool",
            "branch x when any i in xs: (i.kind == food) { } branch y when count(xs) == 0 { }",
            "xs has 1 element, xs[0].kind is book",
            ("b",),
        ),
        ("s: string", 'branch x when s == "a" { } branch y when s matches /./ and s != "a" { }', 's is ""', ()),
        (
            "s: string",
            "branch x when not s matches /^[A-Z]\\d{2}$/ { } branch y when s matches /^A\\d\\d$/ { }",
            's is "B00"',
            (),
        ),
    ],
)
def test_the_smallest_query_that_falls_through(
    analysis: Analyse, written: Write, query: str, body: str, text: str, free: tuple[str, ...]
) -> None:
    found, witness = only(analysis(query, f"decide d {{ {body} }}"))
    assert (found.diagnostic.code, found.element) == ("C203", "d")
    assert (witness.text, witness.free) == (text, free)
    assert text in found.diagnostic.message
    assert refusal(written(query, f"decide d {{ {body} }}"), witness.query) == "Q121"


def refusal(contract: Contract, query: Mapping[str, Any]) -> str:
    """How the reference interpreter refuses the query."""
    with pytest.raises(Refusal) as refused:
        expected_graph(contract, read_query(contract, query, None))
    return refused.value.diagnostics[0].code


@pytest.mark.parametrize(
    ("query", "body", "text"),
    [
        ("a: int", "branch x when a <= 5 { } branch y when a >= 5 { }", "a is 5"),
        ("a: decimal(2)", "branch x when a <= 5 { } branch y when a > 4.99 { }", "a is 5.00"),
        (
            "xs: list of Item max 4  b: bool",
            ("branch x when any i in xs: (i.kind == food) { } branch y when any i in xs: (i.kind == book) { }"
            " branch z otherwise { }"),
            "xs has 2 elements, xs[0].kind is food, xs[1].kind is book",
        ),
        (
            "a: bool  b: bool",
            "branch x when a { } branch y when b { } branch z otherwise { }",
            "a is true, b is true",
        ),
        ("s: string", "branch x when s matches /a/ { } branch y when s matches /b$/ { } branch z otherwise { }",
         's is "ab"'),
    ],
)  # fmt: skip
def test_the_smallest_query_that_takes_two_branches(
    analysis: Analyse, written: Write, query: str, body: str, text: str
) -> None:
    found, witness = only(analysis(query, f"decide d {{ {body} }}"))
    assert (found.diagnostic.code, witness.text) == ("C204", text)
    assert "branches `x` and `y` of `d` both hold" in found.diagnostic.message
    assert refusal(written(query, f"decide d {{ {body} }}"), witness.query) == "Q120"


def test_three_branches_that_meet_in_one_point_are_one_finding(analysis: Analyse) -> None:
    body = "decide d { branch x when a >= 5 { } branch y when a == 5 { } branch z when a <= 5 { } }"
    found, _witness = only(analysis("a: int", body))
    assert "branches `x`, `y` and `z` of `d` all hold when a is 5" in found.diagnostic.message


def test_each_pair_that_can_meet_is_named(analysis: Analyse) -> None:
    body = "decide d { branch x when a > 5 { } branch y when a in {6, 1} { } branch z when a <= 1 { } branch o otherwise { } }"
    found = analysis("a: int", body)
    assert [(f.diagnostic.code, f.witness and f.witness.text) for f in found.findings] == [
        ("C204", "a is 6"),
        ("C204", "a is 1"),
    ]
    assert "`x` and `y`" in found.diagnostics[0].message
    assert "`y` and `z`" in found.diagnostics[1].message


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("s: enum { p, q, r }", "decide d { branch x when s == p { } branch y when s in {q, r} { } }"),
        ("a: int", "decide d { branch x when a < 5 { } branch y when a >= 5 { } }"),
        ("a: int in 0 .. 9", "decide d { branch x when a < 5 { } branch y when a in {5, 6, 7, 8, 9} { } }"),
        ("a: decimal(2)", "decide d { branch x when a <= 5 { } branch y when a >= 5.01 { } }"),
        ("o: bool optional",
         "decide d { branch x when o { } branch y when not o { } branch z when o is absent { } }"),
        ("o: bool optional", "decide d { branch x when o { } branch y otherwise { } }"),
        # The decision's own activation rules the gap out.
        ("a: int", "step s if a != 5 { decide d { branch x when a < 5 { } branch y when a > 5 { } } }"),
        ("a: int", "decide d if a != 5 { branch x when a < 5 { } branch y when a > 5 { } }"),
        ("a: int",
         ("decide d { branch x when a < 5 { decide e { branch p when a < 4 { } branch q when a == 4 { } } }"
         " branch y otherwise { } }")),
        ("today: date  bought: date",
         "decide d { branch x when today - bought <= 30d { } branch y when bought + 30d < today { } branch z otherwise { } }"),
        ("xs: list of Item max 3",
         "decide d { branch x when any i in xs: (i.kind == food) { } branch y when no i in xs: (i.kind == food) { } }"),
        ("xs: list of Item max 3",
         "for each i in xs { decide d { branch x when i.kind == food { } branch y when i.kind == book { } } }"),
        ("s: string", "decide d { branch x when s matches /^a/ { } branch y when not s matches /^a/ { } }"),
        ("s: string",
         "decide d { branch x when s matches /^a/ { } branch y when s matches /^b/ { } branch z otherwise { } }"),
    ],
)  # fmt: skip
def test_a_sound_decision_is_silent(analysis: Analyse, query: str, body: str) -> None:
    found = analysis(query, body)
    dead_dates = [d for d in found.diagnostics if d.code != "C202"]
    assert (dead_dates, found.unknown) == ([], ())


def test_a_gap_for_one_element_names_it(analysis: Analyse) -> None:
    body = "for each i in xs { decide d { branch x when i.price < 5 { } branch y when i.price > 5 { } } }"
    found, witness = only(analysis("xs: list of Item max 3  b: bool", body))
    assert found.element == "i.d"
    assert witness.text == "xs has 1 element, xs[0].price is 5.00"
    assert witness.query == {"xs": [{"kind": "food", "price": Decimal("5.00")}], "b": False}


def partial(contract: Contract) -> Contract:
    """The contract with its one decision made `partial`, which this release does not read yet."""
    decision = contract.body[0]
    assert isinstance(decision, Decide)
    return replace(contract, body=(replace(decision, partial=True),))


def test_partial_allows_a_gap_and_no_overlap(written: Write) -> None:
    contract = written("a: int", "decide d { branch x when a < 5 { } branch y when a > 5 { } }")
    assert analyse(partial(contract)).diagnostics == ()
    contract = written("a: int", "decide d { branch x when a < 5 { } branch y when a < 4 { } }")
    assert [d.code for d in analyse(partial(contract)).diagnostics] == ["C204"]


def test_the_second_faulty_decision_is_found_beside_the_first(analysis: Analyse) -> None:
    one = "decide d { branch x when a < 5 { } branch y when a > 5 { } }\n"
    found = analysis("a: int", one + one.replace("decide d", "decide e"))
    assert [f.element for f in found.findings] == ["d", "e"]
