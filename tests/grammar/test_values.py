"""Numbers, texts, times and lengths of time: exactly what was written."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Refusal
from servanda.grammar.parser import parse
from servanda.grammar.span import NOWHERE, Source

HEAD = "language 1\ncontract c version 1\n"


def item(text: str) -> Any:
    (found,) = parse(Source("t", HEAD + text)).items
    return found


def value(text: str) -> Any:
    return item(f"define d = {text}").body


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("0", "int", 0),
        ("12", "int", 12),
        ("-7", "int", -7),
        ("20.00", "decimal", Decimal("20.00")),
        ("-0.5", "decimal", Decimal("-0.5")),
        ("0.1", "decimal", Decimal("0.1")),
        ("true", "bool", True),
        ("false", "bool", False),
        ("2026-05-01", "date", "2026-05-01"),
        ("2026-99-99", "date", "2026-99-99"),  # whether there is such a day is for the resolver to say
        ("2026-05-01T10:00", "time", "2026-05-01T10:00"),
        ("2026-05-01T10:00:30Z", "time", "2026-05-01T10:00:30Z"),
        ("2026-05-01T10:00:30.125-05:00", "time", "2026-05-01T10:00:30.125-05:00"),
        ("30d", "duration", 30 * 86400),
        ("1d 12h", "duration", 129600),
        ("2h 3m 4s", "duration", 7384),
        ('"a"', "string", "a"),
        ('""', "string", ""),
        (r'"\"\\\/\n\t\r\b\f"', "string", '"\\/\n\t\r\b\f'),
        (r'"\u00e9\ud83d\ude00"', "string", "é😀"),
        ('"tab\tand é"', "string", "tab\tand é"),
        ('"# no comment"', "string", "# no comment"),
    ],
)
def test_a_literal(text: str, kind: str, expected: object) -> None:
    literal = value(text)
    assert (literal.kind, literal.value, type(literal.value)) == (kind, expected, type(expected))
    if kind == "decimal":
        assert str(literal.value) == text


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_decimals_are_exact(number: Decimal) -> None:
    assert value(f"{number:f}").value == number


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zl", "Zp"])))
def test_texts_are_exact(text: str) -> None:
    assert value(json.dumps(text)).value == text
    assert value(json.dumps(text, ensure_ascii=False)).value == text


@pytest.mark.parametrize(
    "text",
    ["01", "1.", ".5", "1.5.2", "1e3", "0x1F", "1_000", "--1", "- 1", "12h 1d", "1d 1d", "30x", "2026-5-1T10:00", r'"\x41"', r'"\u12"', '"a', "'a'"],
)  # fmt: skip
def test_what_is_no_literal(text: str) -> None:
    with pytest.raises(Refusal):
        value(text)


def test_a_sign_is_an_operator_behind_an_operand() -> None:
    for text in ("a -5", "a - 5", "a-5"):
        assert value(text) == s.Arithmetic("-", s.Var("a", NOWHERE), s.Literal("int", 5, NOWHERE), NOWHERE)
    assert value("a - -5").right == s.Literal("int", -5, NOWHERE)
    assert value("3-5-1").left == s.Arithmetic("-", s.Literal("int", 3, NOWHERE), s.Literal("int", 5, NOWHERE), NOWHERE)


def test_binding() -> None:
    tree = value("not a == b and c or d implies e implies f iff g")
    assert (tree.op, tree.operands[0].op, tree.operands[0].operands[1].op) == ("iff", "implies", "implies")
    disjunction = tree.operands[0].operands[0]
    assert (disjunction.op, disjunction.operands[0].op, type(disjunction.operands[0].operands[0])) == (
        "or",
        "and",
        s.Not,
    )
    total = value("a + b * c - d")
    assert (total.op, total.left.op, total.left.right.op) == ("-", "+", "*")
    assert len(value("a and b and c and d").operands) == 4


@pytest.mark.parametrize("text", ["a == b == c", "a < b < c", "a iff b iff c", "a in b in c", "a is present is absent"])
def test_what_does_not_chain(text: str) -> None:
    with pytest.raises(Refusal):
        value(text)


@pytest.mark.parametrize(
    ("written", "regex"),
    [("/a/", "a"), (r"/a\/b/", "a/b"), (r"/\\/", r"\\"), (r"/\bx\d+\//", r"\bx\d+/"), (r"/\\\/[/]/".replace("[/]", r"[\/]"), r"\\/[/]")],
)  # fmt: skip
def test_regular_expressions(written: str, regex: str) -> None:
    assert value(f"text matches {written}").regex == regex
    assert item(f"output text {{ must match {written} }}").items[0].regex == regex


def test_pointers() -> None:
    (rule,) = item('repair t { immutable /a/b~1c/0, "/odd path", / }').items
    assert [p.value for p in rule.pointers] == ["/a/b~1c/0", "/odd path", "/"]


def test_bounds() -> None:
    one = item("order a before b within 3 turns").bound
    two = item("order a before b within 1 .. 3 events").bound
    three = item("order a before b within 5m .. 1h 30m").bound
    assert (one.low, one.high.value, one.high.unit) == (None, 3, "turns")
    assert (two.low.value, two.low.unit, two.high.value, two.high.unit) == (1, "events", 3, "events")
    assert (three.low.value, three.high.value, three.high.unit) == (300, 5400, "seconds")


def test_labels_behind_a_call() -> None:
    (call, message) = item(
        'test "t" { call t {} -> 1 labels { l: true } message user "x" { m: false } expect conforms }'
    ).events
    assert call.result == s.Literal("int", 1, NOWHERE)
    assert call.labels.entries == ((s.Name("l", NOWHERE), s.Literal("bool", True, NOWHERE)),)
    assert message.labels.entries == ((s.Name("m", NOWHERE), s.Literal("bool", False, NOWHERE)),)
    (bare,) = item('test "t" { failed t {} labels { l: true } expect conforms }').events
    assert (bare.verb, bare.result, bare.labels is not None) == ("failed", None, True)
