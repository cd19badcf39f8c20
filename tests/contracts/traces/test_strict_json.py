"""JSON is read exactly, and refused with its place where it is none in the strict sense."""

import json
import sys
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servanda.contracts.readers.json_extent import parts, value_end
from servanda.contracts.readers.json_fault import DEEPEST, INTEGER_DIGITS, NotJson, find_fault
from servanda.contracts.readers.strict_json import loads

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def fault(text: str) -> NotJson:
    with pytest.raises(NotJson) as caught:
        loads(text)
    return caught.value


def test_numbers_keep_their_value() -> None:
    found = loads("[0.1, 1e2, 123456789012345678901234567890, -0, 19.90]")
    assert found == [Decimal("0.1"), Decimal(100), 123456789012345678901234567890, 0, Decimal("19.90")]
    assert [type(n) for n in found] == [Decimal, Decimal, int, int, Decimal]


@pytest.mark.parametrize("number", [sys.float_info.max, sys.float_info.min, 5e-324, -1.7976931348623157e308])
def test_every_double_is_read(number: float) -> None:
    assert float(loads(repr(number))) == number


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_refused(word: str) -> None:
    found = fault(f'{{"a": [1, {word}]}}')
    assert found.reason == f"{word} is no JSON number"
    assert (found.line, found.column, found.path) == (1, 11, "$.a[1]")


@pytest.mark.parametrize("word", ["1e400", "-1E+400", "1e-400", "1e999999999999", "0." + "3" * 400])
def test_a_number_beyond_every_double_is_refused(word: str) -> None:
    assert "has more than 350 digits in full" in fault(word).reason


def test_a_whole_number_has_at_most_so_many_digits() -> None:
    assert loads("9" * INTEGER_DIGITS) == 10**INTEGER_DIGITS - 1
    assert fault("9" * 5001).reason == "a whole number of 5001 digits; at most 1000 are read"


def test_a_key_twice_is_named_with_its_place() -> None:
    found = fault('{"events": [\n  {"args": {"id": 1,\n           "id": 2}}]}')
    assert found.reason == 'the key "id" stands twice in one object'
    assert (found.line, found.column, found.path) == (3, 12, "$.events[0].args.id")


def test_keys_are_compared_as_what_they_mean() -> None:
    assert 'the key "a" stands twice' in fault(r'{"a": 1, "\u0061": 2}').reason


@pytest.mark.parametrize(
    "text", [r'"\ud800"', r'"\udc00 after"', r'"\\ud83d\ude00"', r'"\ud83d\ud83d\ude00"', '"\ud800"', r'{"\ud800": 1}']
)
def test_half_a_surrogate_pair_is_refused(text: str) -> None:
    assert "half of a surrogate pair" in fault(text).reason


def test_whole_pairs_and_escaped_backslashes_are_read() -> None:
    assert loads(r'["\ud83d\ude00", "\\ud800", "\uD83D\uDE00"]') == ["😀", "\\ud800", "😀"]


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_nesting_has_a_limit_and_never_exhausts_the_stack(opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    deep = (
        loads(opening * DEEPEST + "1" + closing * DEEPEST) if opening != "[" else loads("[" * DEEPEST + "]" * DEEPEST)
    )
    assert deep
    for levels in (DEEPEST + 1, 100_000):
        for end in ("", "1" + closing * levels):
            assert fault(opening * levels + end).reason == f"it is nested deeper than {DEEPEST} levels"


def test_brackets_in_strings_are_no_nesting() -> None:
    assert loads(json.dumps("[" * 9000 + '"' + "{" * 9000))


@pytest.mark.parametrize(
    ("text", "reason", "line", "column"),
    [
        ("", "the text is empty", 1, 1),
        (" \n ", "the text is empty", 2, 2),
        ("[1,]", "a comma before the closing ]", 1, 4),
        ('{"a": 1,\n}', "a comma before the closing }", 2, 1),
        ("{'a': 1}", "a string in single quotes", 1, 2),
        ("{a: 1}", "'a' stands where a key in double quotes or } should", 1, 2),
        ('{"a" 1}', "'1' stands where a colon should", 1, 6),
        ('{"a": 1', "the text ends where a comma or the closing bracket should stand", 1, 8),
        ("[01]", "'01' stands where a value or ] should", 1, 2),
        ("[1.]", "'1.' stands where a value or ] should", 1, 2),
        ("[True]", "'True' stands where a value or ] should", 1, 2),
        ("1 2", "'2' stands where the end of the text should", 1, 3),
        ('["a\nb"]', "a string that does not end, or has a control character in it", 1, 2),
        (r'["\x"]', "an escape that JSON does not know", 1, 3),
        (r'["\u12"]', "an escape that JSON does not know", 1, 3),
        ("[}", "'}' stands where a value or ] should", 1, 2),
        ("]", "']' stands where a value should", 1, 1),
        ('[":"::]', "':' stands where a comma or the closing bracket should", 1, 5),
    ],
)
def test_a_fault_has_its_reason_and_place(text: str, reason: str, line: int, column: int) -> None:
    found = fault(text)
    assert (found.reason, found.line, found.column) == (reason, line, column)


@settings(deadline=None)
@given(anything)
def test_what_a_program_writes_is_read(value: object) -> None:
    text = json.dumps(value)
    assert find_fault(text) is None
    assert loads(text) == json.loads(text, parse_float=Decimal)


@settings(deadline=None)
@given(st.text(alphabet="{}[]\",:0123456789.eE+-truefalsnl\\ud8\n 'aNI", max_size=40) | st.text(max_size=40))
def test_fast_and_slow_reading_agree(text: str) -> None:
    slow = find_fault(text)
    try:
        loads(text)
    except NotJson as quick:
        assert slow is not None
        assert quick.reason == slow.reason
    else:
        assert slow is None


@settings(deadline=None, max_examples=40)
@given(st.lists(anything, max_size=4), st.sampled_from([None, 1]))
def test_extents_are_those_of_the_values(values: list[object], indent: int | None) -> None:
    text = json.dumps(values, indent=indent)
    assert value_end(text, 0) == len(text)
    assert [json.loads(text[p.start : p.end]) for p in parts(text, 0)] == json.loads(text)


@settings(deadline=None, max_examples=40)
@given(st.dictionaries(st.text(), anything, max_size=4))
def test_extents_have_the_keys_of_an_object(values: dict[str, object]) -> None:
    text = json.dumps(values)
    assert {p.key: json.loads(text[p.start : p.end]) for p in parts(text, 0)} == json.loads(text)


DAMAGED = [
    r'{"a":[1,2.5,{"b":"x\n\ud83d\ude00"}],"c":null,"d":-1e5}',
    '[true,false,{"":""},[[]],"\\u0041é"]',
    r'["\ud83d\ude00\\ud83d\ude00\\\ud83d\\\ude00","\\\ud83d\ude00\\\\ud83d"]',
]


def test_a_damaged_text_is_judged_alike_by_both_and_never_more_leniently_than_by_python() -> None:
    random, letters, refused = Random(7), "{}[]\",:0123.eE+-truefalsn\\\\\\ud8 \n'aNIé\t\x01", 0
    for _ in range(6000):
        text = list(random.choice(DAMAGED))
        for _ in range(random.randint(1, 3)):
            place = random.randrange(len(text))
            text[place : place + random.randint(0, 1)] = random.choice(["", random.choice(letters)])
        damaged = "".join(text)
        slow = find_fault(damaged)
        try:
            found = loads(damaged)
        except NotJson as quick:
            assert str(quick) == str(slow)
            refused += 1
        else:
            assert slow is None
            assert found == json.loads(damaged, parse_float=Decimal)
    assert 1000 < refused < 5900
