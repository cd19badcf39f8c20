"""Strings between regular expressions: what is made is found by RE2, what is called impossible is not found by trying."""

from collections.abc import Iterable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servanda.solver.regexes import Impossible, Sought, Undecided, some_string


def seek(found: Iterable[str], missed: Iterable[str] = (), avoid: Iterable[str] = ()) -> str | Impossible | Undecided:
    return some_string(tuple(map(Sought, found)), tuple(map(Sought, missed)), frozenset(avoid))


@pytest.mark.parametrize(
    ("found", "missed", "expected"),
    [
        ([r"\bcode \d{6}\b"], [], "code 000000"),
        (["^A", r"\d{4}$"], [], "A0000"),
        (["(?i)refund"], ["refund"], "refunD"),
        (["^#W"], [r"^#W\d{7}$"], "#W"),
        ([], ["."], ""),
        (["^.{2,3}$"], ["a", "[0-9]"], "bb"),
        ([r"^\Qa.b\E$"], [], "a.b"),
        (["(?s)^a.b$"], ["(?-s)a.b"], "a\nb"),
        (["(?m)^b$"], ["^b"], "\nb"),
        (["[[:upper:]][^[:alnum:]]"], [], "A "),
        ([r"^\x41\x{42}$"], [], "AB"),
    ],
)
def test_a_shortest_string(found: list[str], missed: list[str], expected: str) -> None:
    assert seek(found, missed) == expected


@pytest.mark.parametrize(
    ("found", "missed"),
    [
        (["a"], ["A|a"]),
        (["^ab"], ["a"]),
        (["^a$", "^b$"], []),
        ([r"\d"], [r"[0-9]"]),
        (["^$"], [""]),
        (["a$"], [r"a\z"]),
    ],
)
def test_what_cannot_be(found: list[str], missed: list[str]) -> None:
    assert seek(found, missed) == Impossible(())


def test_strings_that_are_taken_are_passed_by() -> None:
    assert seek(["^(A|B)$"], [], ["A"]) == "B"
    assert seek(["^(A|B)$"], [], ["A", "B"]) == Impossible(("A", "B"))
    assert seek(["^A*$"], [], ["", "A", "AA"]) == "AAA"


def test_normalisation_keeps_patterns_and_parts_apart() -> None:
    # "e" and a combining accent contain "e", and normalised they are another letter.
    found, missed = (Sought("e", part=True),), (Sought("e"),)
    assert isinstance(some_string(found, missed, frozenset()), Undecided)
    assert some_string((Sought("e.", part=True),), (Sought("f"),), frozenset()) == "e."


ATOMS = ["a", "b", "1", ".", r"\w", r"\d", r"\b", "^", "$", "[ab]", "[^a]", " ", "(?i:A)", r"\W", "(?m:^)", r"\s"]
patterns = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda p: f"(?:{p[0]}|{p[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?"])).map(lambda p: f"(?:{p[0]}){p[1]}"),
    ),
    max_leaves=5,
)
WORDS = ["".join(w) for n in range(4) for w in product("ab1 A\n_", repeat=n)]


@settings(max_examples=150, deadline=None)
@given(st.lists(patterns, min_size=1, max_size=3), st.integers(0, 3))
def test_impossible_means_that_no_string_is_found_by_trying(many: list[str], cut: int) -> None:
    found, missed = tuple(map(Sought, many[:cut])), tuple(map(Sought, many[cut:]))
    answer = some_string(found, missed, frozenset())
    fits = [w for w in WORDS if all(s.found_in(w) for s in found) and not any(s.found_in(w) for s in missed)]
    if isinstance(answer, Impossible):
        assert not fits
    else:
        assert isinstance(answer, str)
        assert not fits or len(answer) <= min(map(len, fits))
