"""Expressions (language reference §2 and §4): what each operator means, and that an unknown never says more than is known."""

from datetime import date
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from servanda.contracts.meaning.evaluate import evaluate, holds
from servanda.contracts.meaning.instances import query_scope
from servanda.contracts.meaning.query import QueryValues, read_query
from servanda.contracts.meaning.values import Undefined, Unknown

QUERY = """enum Colour { red, green, "dark blue" }
record Item { id: string  price: decimal(2)  note: string optional }
query {
  b: bool
  c: Colour
  x: int in 0 .. 2
  amount: decimal(2)
  day: date
  today: date
  name: string
  words: list of string max 4
  items: list of Item max 3
  o: int optional
}
define over(n) = amount > n
define twice(n) = n * 2
"""
FULL: dict[str, Any] = {
    "b": True,
    "c": "dark blue",
    "x": 1,
    "amount": 20,
    "day": "2026-05-01",
    "today": "2026-05-31",
    "name": "Ann Lee",
    "words": ["a", "b"],
    "items": [{"id": "p", "price": 2}, {"id": "q", "price": 3, "note": "n"}],
}


def value(make: Any, text: str, query: dict[str, Any] | None = None) -> Any:
    """The value of an expression over the query."""
    contract = make.contract(f"{QUERY}define it = {text}")
    return evaluate(
        contract.definitions["it"].body, query_scope(contract, read_query(contract, query or FULL, None), {})
    )


@pytest.mark.parametrize(
    "text,expected",
    [
        ("b and x == 1", True),
        ("not b or x == 2", False),
        ("b implies x == 2", False),
        ("not b implies x == 2", True),
        ("b iff x == 1", True),
        ('c == "dark blue"', True),
        ("c != red", True),
        ("amount >= 20.00", True),
        ("amount < 20.01", True),
        ("amount - 0.30 == 19.7", True),
        ("0.1 + 0.2 == 0.3", True),
        ("amount * 3 == 60", True),
        ("today - day <= 30d", True),
        ("today - day < 30d", False),
        ("day + 30d == today", True),
        ("day == 2026-05-01", True),
        ("c in { red, green }", False),
        ("x in { 0, 1 }", True),
        ('words contains "a"', True),
        ('"c" in words', False),
        ('name contains "n L"', True),
        ('words[1] == "b"', True),
        ("items[0].price", 2),
        ("any i in items: (i.price > 2)", True),
        ("all i in items: (i.price > 2)", False),
        ("no i in items: (i.price > 3)", True),
        ("count i in items: (i.price > 2)", 1),
        ("count(items)", 2),
        ("sum i in items: (i.price)", 5),
        ("(first i in items: (i.price > 2)).id", "q"),
        ("(if b then x else 2)", 1),
        ("o is present", False),
        ("o is absent", True),
        ("items[1].note is present", True),
        ("name matches /nn L/", True),
        ("name matches /^Lee/", False),
        ("name matches /ann/", False),
        ("name matches /(?i)^ann/", True),
        ("over(19.99)", True),
        ("over(twice(10))", False),
    ],
)
def test_a_value_that_is_there(make: Any, text: str, expected: Any) -> None:
    assert value(make, text) == expected


def test_numbers_are_exact(make: Any) -> None:
    assert value(make, "amount * 0.1 + 0.01") == Fraction(201, 100)


def test_date_arithmetic_gives_dates(make: Any) -> None:
    assert value(make, "day - 1d") == date(2026, 4, 30)


@pytest.mark.parametrize(
    "text",
    [
        "o == 1",
        "o + 1",
        "items[2].price",
        "items[0].note",
        "first i in items: (i.price > 9)",
        "(if o == 1 then 1 else 2)",
        "o == 1 and b",
        "o == 1 or not b",
        "not (o == 1)",
        "o == 1 iff b",
        "o in { 1, 2 }",
        'any i in items: (i.note == "m")',
        "day + 9000000d == day",
    ],
)
def test_undefined_spreads(make: Any, text: str) -> None:
    assert isinstance(value(make, text), Undefined)


@pytest.mark.parametrize(
    "text,expected",
    [
        ("o == 1 and not b", False),
        ("o == 1 or b", True),
        ("not b implies o == 1", True),
        ('any i in items: (i.note == "n")', True),
        ('all i in items: (i.note == "m")', False),
        ('no i in items: (i.price > 9 and i.note == "n")', True),
    ],
)
def test_what_is_settled_otherwise_is_not_undefined(make: Any, text: str, expected: bool) -> None:
    assert value(make, text) is expected


@pytest.mark.parametrize("text", ["x == 1", "x + 1", "(if x == 1 then 1 else 1)", "x is present", "b and x == 1"])
def test_unknown_spreads(make: Any, text: str) -> None:
    found = value(make, text, {k: v for k, v in FULL.items() if k != "x"})
    assert isinstance(found, Unknown)
    assert [(h.name, h.text) for h in found.hinges] == [("x", "query attribute x is not given")]


def test_a_composed_and_a_decomposed_letter_are_one_text_to_matches(make: Any) -> None:
    assert value(make, "name matches /^caf\u00e9$/", {**FULL, "name": "cafe\u0301"}) is True


def test_half_a_character_is_no_fault(make: Any) -> None:
    assert value(make, "name matches /^.$/", {**FULL, "name": "\ud800"}) is True


def test_a_condition_that_is_asked_for_counts_undefined_as_false(make: Any) -> None:
    contract = make.contract(f"{QUERY}require a if x == 1 and o == 1 by message user")
    guard = contract.body[0].guard
    known = query_scope(contract, read_query(contract, FULL, None), {})
    open_ = query_scope(contract, read_query(contract, {k: v for k, v in FULL.items() if k != "x"}, None), {})
    assert holds(guard, known) is False
    assert holds(guard, open_) is False, "no value of x makes it true"


# ---- soundness ---------------------------------------------------------------------------------------------------------------

ATOMS = (
    "b",
    "x == 1",
    "x < 2",
    "c == red",
    "c in { red, green }",
    "o == 1",
    "o is present",
    "x + 1 == o",
    "x == o",
    "(if b then x else 0) == 1",
    "(if o == 1 then 1 else x) == 1",
    "any n in xs: (n == x)",
    "all n in xs: (n == o)",
    "count n in xs: (n == 1) > x",
    "(sum n in xs: (n)) >= x",
    "(first n in xs: (n > 0)) == 1",
    "xs[x] == 1",
    "xs contains x",
    "count(xs) == x",
)
DOMAIN: dict[str, list[Any]] = {
    "b": [True, False],
    "x": [0, 1, 2],
    "c": ["red", "green", "blue"],
    "o": [None, 0, 1],
    "xs": [[], [0], [1, 1], [0, 1]],
}
SMALL = """query {
  b: bool
  x: int in 0 .. 2
  c: enum { red, green, blue }
  o: int optional
  xs: list of int max 2
}
"""
conditions = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        inner.map(lambda a: f"(not ({a}))"),
        st.tuples(inner, st.sampled_from(["and", "or", "implies", "iff"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
    ),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=conditions, given_=st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in DOMAIN.items()}))
def test_no_value_of_an_unknown_contradicts_what_is_known(make: Any, text: str, given_: dict[str, Any]) -> None:
    contract = make.contract(f"{SMALL}define it = {text}")
    body = contract.definitions["it"].body
    # Nothing that is left out is known here; in a query that is given, an optional attribute left out would be absent.
    unknowns = read_query(contract, None, None).values
    query = read_query(contract, given_, None).values
    scope = query_scope(contract, QueryValues({k: query[k] if k in given_ else unknowns[k] for k in DOMAIN}), {})
    found = evaluate(body, scope)
    if isinstance(found, Unknown):
        return
    free = [name for name in DOMAIN if name not in given_]
    for combination in product(*(DOMAIN[name] for name in free)):
        whole = read_query(contract, {**given_, **dict(zip(free, combination, strict=True))}, None)
        settled = evaluate(body, query_scope(contract, whole, {}))
        if isinstance(found, Undefined):
            assert isinstance(settled, Undefined)
        else:
            assert settled is found
