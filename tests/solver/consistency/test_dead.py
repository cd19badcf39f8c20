"""What no query activates, with a core of which nothing can be spared (C201, C202, C206)."""

from collections.abc import Callable

import pytest

from servanda.contracts.model import Contract
from servanda.grammar.diagnostic import Severity
from servanda.solver.consistency import Analysis

Write = Callable[[str, str], Contract]
Analyse = Callable[[str, str], Analysis]


def codes(analysis: Analysis) -> list[str]:
    return [d.code for d in analysis.diagnostics]


def core(analysis: Analysis) -> list[str]:
    return [m.text for m in analysis.findings[0].core]


@pytest.mark.parametrize(
    ("query", "body", "code", "expected"),
    [
        ("a: int in 0 .. 10", "require r if a > 10!!", "C201", ["a > 10", "a: int in 0 .. 10"]),
        ("a: int in 0 .. 10", "require r if a > 12 and a < 0!!", "C201", ["a > 12", "a < 0"]),
        ("a: int  b: bool", "step s if a > 5 and b { require r if a < 5 and b!! }", "C201", ["a > 5", "a < 5"]),
        (
            "a: decimal(2)",
            "decide d { branch x when a < 1.50 { require r if a > 1.495!! } branch y otherwise { } }",
            "C201",
            ["a < 1.50", "a > 1.495"],
        ),
        (
            "a: decimal(2)  b: decimal(1)",
            "require r if a == b and a > 0.91 and a < 0.99!!",
            "C201",
            ["a == b", "a > 0.91", "a < 0.99"],
        ),
        (
            "s: enum { p, q }",
            "decide d { branch x when s == p { } branch y when s == q { } branch z otherwise { } }",
            "C202",
            ["not (s == p)", "not (s == q)", "s: enum { p, q }"],
        ),
        (
            "s: enum { p, q, r }",
            "decide d { branch x when s in {p, q} { require n if s == r!! } branch y otherwise { } }",
            "C201",
            ["s in {p, q}", "s == r"],
        ),
        (
            "today: date in 2024-01-01 .. 2024-12-31  bought: date in 2024-01-01 .. 2024-12-31",
            "require r if today - bought > 365d!!",
            "C201",
            ["today - bought > 365d", "bought: date in 2024-01-01 .. 2024-12-31",
             "today: date in 2024-01-01 .. 2024-12-31"],
        ),
        (
            "today: date  bought: date",
            "require r if bought + 30d < today and today - bought <= 30d!!",
            "C201",
            ["bought + 30d < today", "today - bought <= 30d"],
        ),
        ("s: string", 'require r if s == "a" and s == "b"!!', "C201", ['s == "a"', 's == "b"']),
        ("s: string", 'require r if s == "b7" and not s matches /^b\\d$/!!', "C201", ['s == "b7"', "not s matches /^b\\d$/"]),
        ("s: string", "require r if s matches /^ab/ and s matches /^b/!!", "C201", ["s matches /^ab/", "s matches /^b/"]),
        (
            "s: string",
            'require r if s contains "ab" and not s contains "b"!!',
            "C201",
            ['s contains "ab"', 'not s contains "b"'],
        ),
        ("o: int optional", "require r if o is absent and o > 3!!", "C201", ["o is absent", "o > 3"]),
        # An undefined guard counts as false, and so does its negation.
        (
            "o: int optional",
            "require r if o is absent and not o > 3!!",
            "C201",
            ["o is absent", "not o > 3"],
        ),
        (
            "xs: list of Item max 3",
            "require r if count(xs) == 0 and any x in xs: (x.price >= 0)!!",
            "C201",
            ["count(xs) == 0", "any x in xs: (x.price >= 0)"],
        ),
        (
            "xs: list of Item max 3",
            "require r if sum x in xs: (x.price) > 1500!!",
            "C201",
            ["sum x in xs: (x.price) > 1500", "xs: list of Item max 3"],
        ),
        (
            "xs: list of Item max 3",
            "for each x in xs if x.kind == food { require r if x.kind == book!! }",
            "C201",
            ["x.kind == food", "x.kind == book"],
        ),
        ("xs: list of Item max 3", "for each x in xs if x.price > 500 { require r!! }", "C201",
         ["x.price > 500", "xs: list of Item max 3"]),
        ("a: int in 0 .. 9", "rule never_there if a < 0 never call do_it", "C206", ["a < 0", "a: int in 0 .. 9"]),
        (
            "a: int in 0 .. 9",
            "any of o if a > 9 { option x { require r!! } option y { require s!! } }",
            "C201",
            ["a > 9", "a: int in 0 .. 9"],
        ),
        (
            "a: int  b: bool",
            "define big = a > 9 and b\nrequire r if big and a < 3!!",
            "C201",
            ["a > 9", "a < 3"],
        ),
        (
            "a: int",
            "define over(n) = n + 1 > 9\nrequire r if over(a) and a < 3!!",
            "C201",
            ["n + 1 > 9", "a < 3"],
        ),
    ],
)  # fmt: skip
def test_the_outermost_dead_place_is_named_with_its_minimal_core(
    analysis: Analyse, query: str, body: str, code: str, expected: list[str]
) -> None:
    found = analysis(query, body)
    assert codes(found) == [code]
    assert core(found) == expected
    assert not found.unknown
    severity = Severity.WARNING if code == "C206" else Severity.ERROR
    assert found.diagnostics[0].severity is severity
    assert found.sound is (severity is Severity.WARNING)


def test_every_note_of_a_core_has_its_place(analysis: Analyse, written: Write) -> None:
    query, body = "a: int in 0 .. 10", "step s if a > 5 {\n require r if a < 5!!\n}"
    source = written(query, body).source
    found = analysis(query, body).diagnostics[0]
    assert found.span is not None
    assert [source.text[n.span.start : n.span.end] for n in found.notes if n.span] == ["a > 5", "a < 5"]
    assert source.text[found.span.start :].startswith("r if a < 5")


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("a: int in 0 .. 10", "require r if a >= 10!!"),
        ("a: decimal(2)", "decide d { branch x when a < 1.50 { require r if a > 1.48!! } branch y otherwise { } }"),
        ("a: decimal(2)  b: decimal(1)", "require r if a == b and a > 0.89 and a < 0.99!!"),
        ("today: date in 2024-01-01 .. 2024-12-31  bought: date in 2024-01-01 .. 2024-12-31",
         "require r if today - bought >= 365d!!"),
        ("s: string", "require r if s matches /^ab/ and s matches /b$/ and not s matches /abb/!!"),
        ("s: string  t: string", 'require r if s != t and s != "a" and t != "a"!!'),
        ("s: string", 'require r if s contains "a" and not s matches /^a/!!'),
        ("o: int optional", "require r if o is absent or o > 3!!"),
        ("o: bool optional", "require r if o is absent and not (o is present and o)!!"),
        ("xs: list of Item max 3", "require r if count(xs) == 3 and no x in xs: (x.kind == book)!!"),
        ("xs: list of Item max 3", "for each x in xs if x.price == 500 { require r if x.kind == book!! }"),
        ("xs: list of Item max 3", "for each x in xs { require r if x.kind == book and xs[1].kind == food!! }"),
        ("xs: list of Item max 3", "require r if (first x in xs: (x.kind == book)).price > 3 and xs[0].kind == food!!"),
        ("xs: list of Item max 3", "require r if xs[2].note is present and count x in xs: (x.note is absent) == 2!!"),
        ("a: int", "require r if (if a > 3 then a else 0 - a) == 3!!"),
        ("today: date", "require r if today + 1d > 9999-12-30!!"),
    ],
)  # fmt: skip
def test_what_only_looks_dead_is_not_reported(analysis: Analyse, query: str, body: str) -> None:
    found = analysis(query, body)
    assert (found.diagnostics, found.unknown, found.sound) == ((), (), True)


def test_beyond_the_calendar_there_is_no_date(analysis: Analyse) -> None:
    assert codes(analysis("today: date", "require r if today + 1d > 9999-12-31!!")) == ["C201"]


def test_what_stands_in_something_dead_is_not_reported_again(analysis: Analyse) -> None:
    body = "step s if a > 9 { require r if a > 8!!\n decide d { branch x when a > 7 { require q!! } } rule u never call do_it }"
    found = analysis("a: int in 0 .. 9", body)
    assert [f.element for f in found.findings] == ["s"]
