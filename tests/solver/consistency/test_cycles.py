"""Orders that cannot be kept (C205), orders that never bind (C206), and cycles that no query closes."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from servanda.contracts.model import Contract, Order
from servanda.solver.consistency import Analysis, analyse

Write = Callable[[str, str], Contract]
Analyse = Callable[[str, str], Analysis]

ITEMS = "xs: list of Item max 3"


def shown(analysis: Analysis) -> list[tuple[str, str, str]]:
    return [(f.diagnostic.code, f.element, f.witness.text if f.witness else "") for f in analysis.findings]


def test_a_cycle_is_shown_with_its_orders_and_the_smallest_query(analysis: Analyse, written: Write) -> None:
    body = (
        "require a!!\nrequire b if v!!\nrequire c!!\n"
        "order a before b\norder b before c\norder c before a\norder a before c"
    )
    found = analysis("v: bool  w: int", body)
    # `a before c` and `c before a` are a cycle of two, for every query; the one of three is longer.
    assert shown(found) == [("C205", "a before c before a", "any query")]
    source = written("v: bool  w: int", body).source
    notes = [source.text[n.span.start : n.span.end].split() for n in found.diagnostics[0].notes if n.span]
    assert [n[-3:] for n in notes] == [["a", "before", "c"], ["c", "before", "a"]]


@pytest.mark.parametrize(
    ("query", "body", "expected"),
    [
        (
            "v: bool  w: int",
            "require a!!\nrequire b if v!!\nrequire c!!\norder a before b\norder b before c\norder c before a",
            [("C205", "a before b before c before a", "v is true")],
        ),
        (
            "v: int",
            "require a if v > 3!!\nrequire b if v < 5!!\norder a before b\norder b before a",
            [("C205", "a before b before a", "v is 4")],
        ),
        # One element is enough where an outer order meets an inner one.
        (
            ITEMS,
            "for each x in xs { require a!!\nrequire b!!\norder a before b }\norder x.b before x.a",
            [("C205", "x.a before x.b before x.a", "xs has 1 element")],
        ),
        # Two elements are needed: the ends are never duties of one.
        (
            ITEMS,
            ("for each x in xs { require a if x.kind == food!!\nrequire b if x.kind == book!! }\n"
            "order x.a before x.b\norder x.b before x.a"),
            [("C205", "x.a before x.b before x.a", "xs has 2 elements, xs[0].kind is food, xs[1].kind is book")],
        ),
        # An outer order from a leaf to itself asks two elements, and each of them, to come first.
        ("v: bool", ("any of o { option p { require a!!\nrequire b!! } option q { require c!! } }\n"
         "order a before b\norder b before a"),
         [("C205", "o.p.a before o.p.b before o.p.a", "any query")]),
    ],
)  # fmt: skip
def test_cycles(analysis: Analyse, query: str, body: str, expected: list[tuple[str, str, str]]) -> None:
    found = analysis(query, body)
    assert shown(found) == expected
    assert not found.unknown


def test_a_cycle_through_an_option_names_it(analysis: Analyse) -> None:
    body = (
        "require s!!\nany of o { option p { require a!! } option q { require b!! } }\n"
        "order s before a\norder a before s\norder s before b"
    )
    found = analysis("v: bool", body)
    assert [d.code for d in found.diagnostics] == ["C205"]
    assert "with `o.p` chosen" in found.diagnostics[0].message


@pytest.mark.parametrize(
    ("query", "body"),
    [
        # Two branches of one decision.
        (
            "v: bool",
            (
                "require c!!\nrequire e!!\ndecide d { branch x when v { require a!! } branch y when not v { require b!! } }\n"
                "order a before c\norder c before b\norder b before e\norder e before a"
            ),
        ),
        # Guards that exclude each other.
        (
            "v: int",
            (
                "require a if v > 3!!\nrequire b if v < 3!!\nrequire c!!\nrequire e!!\n"
                "order a before c\norder c before b\norder b before e\norder e before a"
            ),
        ),
        # Two options of one choice.
        (
            "v: bool",
            (
                "require c!!\nrequire e!!\nany of o { option p { require a!! } option q { require b!! } }\n"
                "order a before c\norder c before b\norder b before e\norder e before a"
            ),
        ),
        # Both ends inside each element, one order: no cycle.
        (ITEMS, "for each x in xs { require a!!\nrequire b!!\norder a before b }"),
        # One element may not be two things, and inside an element there is nothing else.
        (
            ITEMS,
            (
                "for each x in xs { require c!!\nrequire e!!\nrequire a if x.kind == food!!\nrequire b if x.kind == book!!\n"
                "order a before c\norder c before b\norder b before e\norder e before a }"
            ),
        ),
        # Of a list of one there are no two elements.
        (
            "xs: list of Item max 1",
            (
                "require c!!\nrequire e!!\nfor each x in xs { require a if x.kind == food!!\nrequire b if x.kind == book!! }\n"
                "order x.a before c\norder c before x.b\norder x.b before e\norder e before x.a"
            ),
        ),
    ],
)
def test_a_cycle_that_no_query_closes_is_silent(analysis: Analyse, query: str, body: str) -> None:
    found = analysis(query, body)
    assert (found.diagnostics, found.unknown) == ((), ())


def test_choices_of_two_elements_are_two_choices(analysis: Analyse) -> None:
    body = (
        "require c!!\nrequire e!!\n"
        "for each x in xs { any of o { option p { require a!! } option q { require b!! } } }\n"
        "order x.o.p.a before c\norder c before x.o.q.b\norder x.o.q.b before e\norder e before x.o.p.a"
    )
    found = analysis("xs: list of Item max 2", body)
    assert [(f.diagnostic.code, f.witness and f.witness.text) for f in found.findings] == [
        ("C205", "xs has 2 elements")
    ]
    assert analysis("xs: list of Item max 1", body).diagnostics == ()


@pytest.mark.parametrize(
    ("query", "body", "said"),
    [
        (
            "v: bool",
            "decide d { branch x when v { require a!! } branch y when not v { require b!! } }\norder a before b",
            "`v` and `not v` exclude each other",
        ),
        (
            ITEMS,
            "for each x in xs { require a if x.kind == food!!\nrequire b if x.kind == book!!\norder a before b }",
            "`x.kind == food` and `x.kind == book` exclude each other",
        ),
    ],
)
def test_an_order_that_never_binds_is_a_warning(analysis: Analyse, query: str, body: str, said: str) -> None:
    found = analysis(query, body)
    assert [d.code for d in found.diagnostics] == ["C206"]
    assert said in found.diagnostics[0].message
    assert found.sound


def test_an_order_between_two_options_never_binds(written: Write) -> None:
    contract = written("v: bool", "any of o { option p { require a!! } option q { require b!! } }")
    order = Order("o.p.a", "o.q.b", None, 0, None, "normal")
    found = analyse(replace(contract, orders=(order,)))
    assert "its ends stand in two options of one choice" in found.diagnostics[0].message


def test_an_order_with_a_dead_end_is_not_reported_beside_it(analysis: Analyse) -> None:
    found = analysis("v: int in 0 .. 9", "require a if v > 9!!\nrequire b!!\norder a before b\norder b before a")
    assert [(f.diagnostic.code, f.element) for f in found.findings] == [("C201", "a")]
