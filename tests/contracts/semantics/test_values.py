"""Values, their types, and strong Kleene logic, table by table."""

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from servanda.contracts.meaning.values import (
    Mismatch,
    Reader,
    Undefined,
    Unknown,
    ViewMiss,
    conjunction,
    disjunction,
    equivalence,
    merge_undefined,
    missing,
    negation,
    show,
    typed,
    unknown,
)
from servanda.contracts.types import (
    BoolType,
    DateType,
    EnumType,
    ListType,
    NumberType,
    RecordField,
    RecordType,
    StringType,
    TimeType,
    UntypedType,
)

T, F = True, False
U = unknown("a", "a is not given")
N = Undefined("absent")
NAMES: dict[str, bool | Unknown | Undefined] = {"T": T, "F": F, "U": U, "N": N}


def name(value: object) -> str:
    return "U" if isinstance(value, Unknown) else "N" if isinstance(value, Undefined) else "T" if value else "F"


#               T F U N
AND = {"T": "TFUN", "F": "FFFF", "U": "UFUU", "N": "NFUN"}
OR = {"T": "TTTT", "F": "TFUN", "U": "TUUU", "N": "TNUN"}
IFF = {"T": "TFUN", "F": "FTUN", "U": "UUUN", "N": "NNNN"}


@pytest.mark.parametrize("left,right", list(product("TFUN", repeat=2)))
def test_tables(left: str, right: str) -> None:
    a, b, column = NAMES[left], NAMES[right], "TFUN".index(right)
    assert name(conjunction((a, b))) == AND[left][column]
    assert name(disjunction((a, b))) == OR[left][column]
    assert name(equivalence(a, b)) == IFF[left][column]


@pytest.mark.parametrize("value,result", [("T", "F"), ("F", "T"), ("U", "U"), ("N", "N")])
def test_negation(value: str, result: str) -> None:
    assert name(negation(NAMES[value])) == result


@pytest.mark.parametrize("operands", list(product("TFUN", repeat=3)))
def test_or_is_the_dual_of_and(operands: tuple[str, ...]) -> None:
    values = [NAMES[o] for o in operands]
    dual = negation(conjunction([negation(v) for v in values]))
    assert name(disjunction(values)) == name(dual)


@pytest.mark.parametrize("operands", list(product("TFUN", repeat=3)))
def test_the_order_of_operands_does_not_matter(operands: tuple[str, ...]) -> None:
    values = [NAMES[o] for o in operands]
    for one in (conjunction, disjunction):
        assert name(one(values)) == name(one(values[::-1]))


@pytest.mark.parametrize("operands", list(product("TFUN", repeat=3)))
def test_an_unknown_settled_in_any_way_never_contradicts(operands: tuple[str, ...]) -> None:
    """Soundness: every way to settle the unknowns, being undefined among them, gives the result where it is not unknown."""
    for one in (conjunction, disjunction):
        found = one([NAMES[o] for o in operands])
        if isinstance(found, Unknown):
            continue
        for settled in product(*("TFN" if o == "U" else o for o in operands)):
            assert name(one([NAMES[s] for s in settled])) == name(found)


def test_strict_operators_are_undefined_before_they_are_unknown() -> None:
    assert isinstance(missing(1, U, N), Undefined)
    assert isinstance(missing(1, U), Unknown)
    assert missing(1, "a") is None


def test_hinges_are_sorted_and_unique() -> None:
    b = unknown("b", "b is not given")
    found = conjunction((b, U, b, True))
    assert isinstance(found, Unknown)
    assert [h.name for h in found.hinges] == ["a", "b"]


def test_what_is_undefined_only_because_of_views_says_so() -> None:
    view = Undefined("no v before", (ViewMiss("v", ("t",), False),))
    assert [v.view for v in merge_undefined((view, view), each=True).views] == ["v"]
    assert merge_undefined((view, N), each=True).views == ()
    assert [v.view for v in merge_undefined((view, N), each=False).views] == ["v"]


# ---- types -----------------------------------------------------------------------------------------------------------------

STATUS = EnumType("Status", ("open", "return requested"))
MONEY = NumberType(2, 0, 100)
ITEM = RecordType("Item", (RecordField("id", StringType()), RecordField("price", MONEY, optional=True)))


@pytest.mark.parametrize(
    "json,kind,value",
    [
        (True, BoolType(), True),
        (3, NumberType(), 3),
        (Decimal("3.0"), NumberType(), 3),
        (3, MONEY, 3),
        (Decimal("20.005"), MONEY, Fraction(4001, 200)),
        (Decimal("1e2"), MONEY, 100),
        ("open", STATUS, "open"),
        ("2026-05-01", DateType(), date(2026, 5, 1)),
        (["a", "b"], ListType(StringType(), 2), ("a", "b")),
        ({"id": "x", "price": 2, "more": 1}, ITEM, {"id": "x", "price": 2}),
        ({"id": "x", "price": None}, ITEM, {"id": "x"}),
        ({"id": "x"}, ITEM, {"id": "x"}),
    ],
)
def test_what_has_its_type(json: Any, kind: Any, value: Any) -> None:
    assert typed(json, kind) == value


@pytest.mark.parametrize(
    "json,kind,path",
    [
        (1, BoolType(), ""),
        (True, NumberType(), ""),
        ("3", NumberType(), ""),
        (Decimal("3.5"), NumberType(), ""),
        (Decimal("NaN"), MONEY, ""),
        (Decimal("1e999999999"), NumberType(), ""),
        (101, MONEY, ""),
        (Decimal("-0.01"), MONEY, ""),
        ("closed", STATUS, ""),
        ("2026-13-01", DateType(), ""),
        ("20260501", DateType(), ""),
        ("2026-05-01T00:00:00Z", DateType(), ""),
        ("2023-12-31", DateType(date(2024, 1, 1), None), ""),
        ("2026-05-01T10:00:00", TimeType(), ""),
        (["a", "b", "c"], ListType(StringType(), 2), ""),
        (["a", 1], ListType(StringType(), 2), "[1]"),
        ("ab", ListType(StringType(), 2), ""),
        ({}, ITEM, "id"),
        ({"id": None}, ITEM, "id"),
        ({"id": "x", "price": "2"}, ITEM, "price"),
        ([{"id": 1}], ListType(ITEM, 3), "[0].id"),
        (None, StringType(), ""),
    ],
)
def test_what_does_not_have_its_type(json: Any, kind: Any, path: str) -> None:
    with pytest.raises(Mismatch) as caught:
        typed(json, kind)
    assert caught.value.path == path


def test_more_digits_than_declared_are_kept_and_told() -> None:
    reader = Reader()
    assert reader.read(Decimal("0.125"), MONEY, "amount") == Fraction(1, 8)
    assert reader.remarks == ["amount has more digits than decimal(2) in 0 .. 100: 0.125"]


def test_lenient_reading_leaves_holes_only_where_nothing_fits() -> None:
    reader = Reader(lenient=True)
    found = reader.read({"price": 500}, ITEM, "args")
    assert isinstance(found, Mapping)
    assert found["price"] == 500
    assert isinstance(found["id"], Undefined)
    assert [(m.path, m.beyond) for m in reader.misfits] == [("args.id", False), ("args.price", True)]


def test_untyped_json_is_never_read() -> None:
    assert isinstance(typed({"a": 1}, UntypedType()), Undefined)


@pytest.mark.parametrize(
    "value,kind,text",
    [
        (True, None, "true"),
        (Fraction(5, 2), None, "2.5"),
        (Fraction(1, 3), None, "1/3"),
        ("open", STATUS, "open"),
        ("return requested", STATUS, '"return requested"'),
        ("A1", StringType(), '"A1"'),
        ('a "b"', None, '"a \\"b\\""'),
        (date(2026, 5, 1), None, "2026-05-01"),
        (timedelta(days=30), None, "30d"),
        (timedelta(minutes=90), None, "90m"),
        ((), None, "[]"),
        (("open",), ListType(STATUS, 3), "[open]"),
        ({"id": "x"}, ITEM, '{ id: "x" }'),
        (N, None, "undefined"),
        (U, None, "unknown"),
    ],
)
def test_show(value: Any, kind: Any, text: str) -> None:
    assert show(value, kind) == text


def test_show_keeps_to_one_short_line() -> None:
    assert len(show("x" * 500)) <= 80 and "\n" not in show("a\nb")
