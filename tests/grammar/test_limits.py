"""No text exhausts the stack, hangs, or passes unseen characters: each limit is one clear refusal."""

import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servanda.grammar.diagnostic import Diagnostic, Refusal
from servanda.grammar.limits import MAX_NESTING, MAX_TEXT
from servanda.grammar.parser import parse
from servanda.grammar.span import Source
from servanda.grammar.terms import MAX_DIGITS, MAX_NAME

HEAD = "language 1\ncontract c version 1\n"


def first(text: str) -> Diagnostic:
    with pytest.raises(Refusal) as refusal:
        parse(Source("t", text))
    return refusal.value.diagnostics[0]


def test_a_text_that_is_too_long() -> None:
    assert first(HEAD + "#" * MAX_TEXT).code == "C101"
    assert parse(Source("t", HEAD + "#" * (MAX_TEXT - len(HEAD)))).items == ()


@pytest.mark.parametrize(
    "deep",
    [
        lambda n: "(" * n + "x" + ")" * n,
        lambda n: "not " * n + "x",
        lambda n: "x + " * n + "x",
        lambda n: "x implies " * n + "x",
        lambda n: "x" + ".y" * n,
        lambda n: "x" + "[0]" * n,
        lambda n: "x[" * n + "0" + "]" * n,
        lambda n: "f(" * n + "x" + ")" * n,
        lambda n: "(if x then y else " * n + "z" + ")" * n,
        lambda n: "any a in b: (" * n + "x" + ")" * n,
    ],
)  # fmt: skip
def test_nesting_of_expressions(deep) -> None:  # type: ignore[no-untyped-def]
    """Beyond the limit, far beyond it, and unbounded: refused; well within it: read."""
    parse(Source("t", f"{HEAD}define d = {deep(MAX_NESTING // 3)}"))
    for n in (MAX_NESTING + 1, 10 * MAX_NESTING, 20_000):
        diagnostic = first(f"{HEAD}define d = {deep(n)}")
        assert (diagnostic.code, "nested more than 100 deep" in diagnostic.message) == ("C102", True)


def test_nesting_of_blocks_types_and_values() -> None:
    for n in (MAX_NESTING + 1, 5000):
        block = "step s { " * n + "require x by call t" + " }" * n
        value = f'test "t" {{ output {"[" * n}{"]" * n} expect conforms }}'
        objects = f'test "t" {{ output {"{ a: " * n}1{"}" * n} expect conforms }}'
        kinds = f"result t : {'list of ' * n}int{' max 1' * n}"
        patterns = f"event e = {'any of { ' * n}call t{' }' * n}"
        for text in (block, value, objects, kinds, patterns):
            assert first(HEAD + text).code == "C102"


def test_long_lists_are_not_deep() -> None:
    conjunction = " and ".join(["x"] * 3000)
    members = " ".join(f"m{i}" for i in range(3000))
    items = "".join(f"define d{i} = {i}\n" for i in range(3000))
    tree = parse(Source("t", f"{HEAD}define d = {conjunction}\nenum E {{ {members} }}\n{items}"))
    assert len(tree.items) == 3002


def test_numbers_and_names_have_a_longest() -> None:
    parse(Source("t", f"{HEAD}define {'n' * MAX_NAME} = {'9' * MAX_DIGITS} + 0.{'1' * (MAX_DIGITS - 2)}"))
    for text in (
        f"define d = {'9' * (MAX_DIGITS + 1)}",
        f"define d = -{'9' * MAX_DIGITS}",
        f"define d = 0.{'1' * MAX_DIGITS}",
        f"define d = x < {'9' * (MAX_DIGITS + 1)}d",
        f"define d = {'9' * 1_000_000}",
        f"query {{ a: decimal({'9' * (MAX_DIGITS + 1)}) }}",
        f"require x from p:{'9' * (MAX_DIGITS + 1)} by call t",
        f"define {'n' * (MAX_NAME + 1)} = 1",
        f"define d = {'n' * (MAX_NAME + 1)}",
        f"require x by call {'n' * (MAX_NAME + 1)}",
        f"query {{ {'n' * (MAX_NAME + 1)}: int }}",
        f"define d = x.{'n' * (MAX_NAME + 1)}",
    ):
        assert first(HEAD + text).code == "C101", text[:40]
    assert first(f"language {'1' * 100_000}").code == "C104"


@pytest.mark.parametrize(
    "character",
    ["\0", "\x01", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\u202e", "\u2066", "\u200f", "\u2028", "\ud800"],
)
@pytest.mark.parametrize(
    "place", ["{}language 1\ncontract c version 1\n", HEAD + 'define d = "{}"', HEAD + "# {}", HEAD + "define d {}= 1"]
)
def test_characters_that_cannot_be_seen(character: str, place: str) -> None:
    diagnostic = first(place.format(character))
    assert (diagnostic.code, f"U+{ord(character):04X}" in diagnostic.message) == ("C103", True)


def test_a_byte_order_mark_is_dropped_at_the_start_and_refused_elsewhere() -> None:
    assert parse(Source("t", "\ufeff" + HEAD)) == parse(Source("t", HEAD))
    assert first(HEAD + "\ufeffdefine d = 1").code == "C100"


def test_line_ends_of_other_systems() -> None:
    text = HEAD + "# c\nrequire x by call t\n  where a\n  or by call u # d\n"
    assert parse(Source("t", text.replace("\n", "\r\n"))) == parse(Source("t", text))
    assert [c.text for c in parse(Source("t", text.replace("\n", "\r\n"))).comments] == ["# c", "# d"]


@pytest.mark.parametrize(
    "text",
    [
        "define d = " + "(" * 300_000,
        "define d = " + "{" * 300_000,
        'define d = "' + "\\" * 300_000,
        "define d = x matches /" + "\\" * 300_000,
        "define d = x matches /" + "a" * 300_000,
        "define d = x or" + " " * 300_000,
        "define d = " + "or by " * 50_000,
        'define d = "a\n' * 40_000,
        "order a\n" * 40_000,
        "} " * 100_000,
        "$" * 300_000,
        "1x" * 100_000,
        "query { a" + "\n" * 300_000,
    ],
    ids=range(13),
)
def test_no_text_hangs(text: str) -> None:
    start = time.perf_counter()
    first(HEAD + text)
    assert time.perf_counter() - start < 20


SAMPLE = (Path(__file__).resolve().parent / "samples/loans.contract").read_text("utf-8")
_PIECES = (
    "{",
    "}",
    "(",
    ")",
    '"',
    "/",
    "#",
    "\n",
    "0",
    "-",
    ":",
    ",",
    "by",
    "or by",
    "rule",
    "é",
    "\\",
    "..",
    "if",
    "test",
    "$",
    "",
)


def outcome(text: str) -> None:
    """A tree, or a refusal whose places are in the text and in order."""
    source = Source("t", text)
    try:
        parse(source)
    except Refusal as refusal:
        places = [d.span.start for d in refusal.diagnostics if d.span]
        assert len(places) == len(refusal.diagnostics)
        assert places == sorted(places)
        for diagnostic in refusal.diagnostics:
            assert diagnostic.message
            assert diagnostic.span is not None
            assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
            assert diagnostic.span == source.span(diagnostic.span.start, diagnostic.span.end)


@given(st.integers(0, 2**32), st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_a_mangled_contract_is_read_or_refused(seed: int, changes: int) -> None:
    chance = random.Random(seed)
    start = chance.randrange(len(SAMPLE))
    text = HEAD + SAMPLE[start : start + 1500]
    for _ in range(changes):
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice(_PIECES) + text[at + chance.choice((0, 0, 1, 5)) :]
    outcome(text)


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    outcome(text)
    outcome(HEAD + text)
