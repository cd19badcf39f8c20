"""What the solver does not settle is said to be unknown (C290), never passed and never reported as a fault."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from servanda.contracts import expression as x
from servanda.contracts.model import Contract, Duty
from servanda.contracts.types import BoolType
from servanda.solver import session, terms
from servanda.solver.consistency import Analysis, analyse

Write = Callable[[str, str], Contract]
Analyse = Callable[[str, str], Analysis]

LONG = "xs: list of Item max 300"


def elements(analysis: Analysis) -> list[tuple[str, str]]:
    return [(u.element, u.why.split(":")[0]) for u in analysis.unknown]


def test_a_text_in_a_text_is_settled_only_where_it_cannot_be(analysis: Analyse) -> None:
    found = analysis("s: string  t: string  a: int", "require r if not s contains t and a > 5!!")
    # The query that was decoded does not show it, so nothing is claimed.
    assert elements(found) == [("r", "it rests on what is not encoded")]
    assert [d.code for d in found.diagnostics] == ["C290"]
    assert not found.sound
    found = analysis("s: string  t: string  a: int", "require r if not s contains t and a > 5 and a < 6!!")
    assert [d.code for d in found.diagnostics] == ["C201"]
    assert [m.text for m in found.findings[0].core] == ["a > 5", "a < 6"]


def test_a_pattern_without_an_automaton_is_unknown(analysis: Analyse) -> None:
    found = analysis("s: string", "require r if s matches /\\pN/!!")
    assert [(u.element, u.why) for u in found.unknown] == [("r", "a regular expression uses the escape `\\p`")]


def test_elements_beyond_the_unrolled_ones_are_never_forgotten(
    analysis: Analyse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "WIDTH", 4)
    # Five books need a fifth element, which is not unrolled: neither dead nor live is claimed.
    found = analysis("xs: list of Item max 8", "require r if count x in xs: (x.kind == book) == 5!!")
    assert [d.code for d in found.diagnostics] == ["C290"]
    # What the unrolled elements show is shown.
    assert analysis("xs: list of Item max 8", "require r if any x in xs: (x.kind == food)!!").diagnostics == ()
    # And what holds however the others are is proved.
    body = "require r if all x in xs: (x.kind == food) and xs[0].kind == book!!"
    assert [d.code for d in analysis("xs: list of Item max 8", body).diagnostics] == ["C201"]


def test_a_long_list_within_a_block_needs_no_unrolling(analysis: Analyse) -> None:
    body = "for each x in xs { decide d { branch p when x.price < 5 { } branch q when x.price >= 5 { } } }"
    assert analysis(LONG, body).diagnostics == ()


def test_the_budget_of_the_solver_ends_in_unknown(written: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session.Session.__init__, "__defaults__", (1,))
    contract = written("a: int  b: int  c: int", "require r if a + b > c and c > a and b > 3 and 2 * a > c + b!!")
    found = analyse(contract)
    assert [d.code for d in found.diagnostics] == ["C290"]
    assert not found.sound


def test_a_parallel_walk_is_not_guessed_at(written: Write) -> None:
    contract = written("xs: list of Item max 3  a: bool", "require r if a!!")
    xs = x.Attribute("xs", contract.attributes["xs"].type)
    walk = x.Quantified("any", ("p", "q"), (xs, xs), x.Const(True, BoolType()))
    duty = contract.body[0]
    assert isinstance(duty, Duty)
    changed = replace(contract, body=(replace(duty, guard=walk),))
    assert [(u.element, u.why) for u in analyse(changed).unknown] == [
        ("r", "it rests on what is not encoded: parallel lists")
    ]


@pytest.mark.parametrize("body", ["require r if not s contains t!!", "decide d { branch p when s contains t { } }"])
def test_unknown_has_a_place(analysis: Analyse, body: str) -> None:
    found = analysis("s: string  t: string", body).unknown
    assert found
    for entry in found:
        assert entry.span.line > 1
        assert entry.question.startswith("whether")
