"""The typing of operators over terms that are typed already: comparison, membership, arithmetic, choice.

In: typed operands. Out: the typed term, or None once the fault is recorded. Everything here stays linear and exact: a product has a
constant, a date moves by whole days (language reference §2).
"""

from datetime import timedelta
from fractions import Fraction
from typing import Literal as Lit

from servanda.contracts import expression as x
from servanda.contracts.resolving.faults import Faults
from servanda.contracts.resolving.typing_rules import ORDERED, SCALARS, comparable, family, merge
from servanda.contracts.types import (
    DateType,
    DurationType,
    EnumType,
    ListType,
    Number,
    NumberType,
    StringType,
    Type,
    type_name,
)
from servanda.grammar.span import Span

DAY = timedelta(days=1)


def compare(
    op: Lit["==", "!=", "<", "<=", ">", ">="], left: x.Expr, right: x.Expr, span: Span, faults: Faults
) -> x.Expr | None:
    """A comparison: one family on both sides; an order only where the family has one."""
    if not check_comparable(left.type, right.type, span, faults):
        return None
    if op not in ("==", "!=") and family(left.type) not in ORDERED:
        faults.error(
            "C122",
            span,
            f"'{op}' needs numbers, dates or durations; terms of type {type_name(left.type)} have no order",
        )
        return None
    return x.Compare(op, left, right, span)


def check_comparable(left: Type, right: Type, span: Span, faults: Faults) -> bool:
    """Whether the two types can be compared; the fault is recorded if not."""
    if comparable(left, right):
        return True
    names = f"{type_name(left)} and {type_name(right)}"
    if {family(left), family(right)} == {"enum", "string"}:
        faults.error("C121", span, f"{names} cannot be compared: a member of an enum is not any string")
    elif family(left) == family(right) == "enum":
        faults.error("C121", span, f"{names} cannot be compared: they have no member in common")
    elif family(left) == family(right) and family(left) not in SCALARS:
        faults.error("C121", span, f"a {family(left)} cannot be compared as a whole", help="compare its parts")
    else:
        faults.error("C121", span, f"{names} cannot be compared", help=_unit({family(left), family(right)}))
    return False


def _unit(families: set[str]) -> str:
    if families == {"duration", "number"}:
        return "a duration has a unit: 30d, 36h"
    return "a day is written without quotes: 2026-05-01" if families == {"date", "string"} else ""


def contains(container: x.Expr, item: x.Expr, span: Span, faults: Faults) -> x.Expr | None:
    """Membership in a list, or a part of a string."""
    match container.type:
        case ListType(element):
            if check_comparable(item.type, element, span, faults):
                return x.Contains(container, item, span)
        case StringType():
            if isinstance(item.type, StringType):
                return x.Contains(container, item, span)
            faults.error("C121", span, f"a string can contain a string only, not {type_name(item.type)}")
        case _:
            faults.error("C120", container.span, f"a list or a string is needed here, not {type_name(container.type)}")
    return None


def if_else(condition: x.Expr, then: x.Expr, otherwise: x.Expr, span: Span, faults: Faults) -> x.Expr | None:
    """A choice between two terms of one family."""
    kind = merge(then.type, otherwise.type)
    if kind is None:
        faults.error(
            "C121",
            span,
            f"both outcomes must be of one type, not {type_name(then.type)} and {type_name(otherwise.type)}",
        )
        return None
    return x.IfElse(condition, then, otherwise, kind, span)


def arithmetic(op: Lit["+", "-", "*"], left: x.Expr, right: x.Expr, span: Span, faults: Faults) -> x.Expr | None:
    """A sum, a difference, or a product with a constant; folded where both sides are constant numbers."""
    if op == "*":
        return _product(left, right, span, faults)
    match left.type, right.type:
        case NumberType() as a, NumberType() as b:
            if isinstance(left, x.Const) and isinstance(right, x.Const):
                return number_constant(
                    _exact(left) + _exact(right) if op == "+" else _exact(left) - _exact(right), span
                )
            return x.Arithmetic(op, left, right, _sum_type(op, a, b), span)
        case DurationType(), DurationType():
            return x.Arithmetic(op, left, right, DurationType(), span)
        case DateType(), DateType() if op == "-":
            return x.Arithmetic(op, left, right, DurationType(), span)
        case (DateType(), DurationType()) | (DurationType(), DateType()) if (
            isinstance(left.type, DateType) or op == "+"
        ):
            moved = right if isinstance(left.type, DateType) else left
            if whole_days(moved):
                return x.Arithmetic(op, left, right, DateType(), span)
            faults.error(
                "C123",
                moved.span,
                "a date moves by whole days, and this duration is not known to be one",
                help="write it in days, such as 2d",
            )
        case _:
            what = f"{type_name(left.type)} {op} {type_name(right.type)}"
            faults.error("C123", span, f"'{what}' has no meaning", help=_hint(op, left.type, right.type))
    return None


def _hint(op: str, left: Type, right: Type) -> str:
    if isinstance(left, DateType) and isinstance(right, NumberType):
        return "a date moves by a duration, such as 30d"
    if isinstance(left, DateType) and isinstance(right, DateType) and op == "+":
        return "two dates can be subtracted, not added"
    return "numbers, durations and dates can be added and subtracted"


def _product(left: x.Expr, right: x.Expr, span: Span, faults: Faults) -> x.Expr | None:
    constant, other = (left, right) if isinstance(left, x.Const) else (right, left)
    if not isinstance(constant, x.Const):
        faults.error(
            "C123",
            span,
            "one side of a product must be a constant",
            help="products of two terms are not linear and cannot be proved about",
        )
        return None
    match constant.type, other.type:
        case NumberType(a), NumberType(b):
            if isinstance(other, x.Const):
                return number_constant(_exact(constant) * _exact(other), span)
            return x.Arithmetic("*", left, right, NumberType(a + b), span)
        case (NumberType(0), DurationType()) | (DurationType(), NumberType(0)):
            if isinstance(other, x.Const):
                number, length = (constant, other) if isinstance(constant.type, NumberType) else (other, constant)
                assert isinstance(length.value, timedelta)
                return x.Const(length.value * int(_exact(number)), DurationType(), span)
            return x.Arithmetic("*", left, right, DurationType(), span)
        case _:
            faults.error("C123", span, f"'{type_name(left.type)} * {type_name(right.type)}' has no meaning")
            return None


def whole_days(expr: x.Expr) -> bool:
    """Whether a duration is a whole number of days whatever its operands are."""
    match expr:
        case x.Const(value) if isinstance(value, timedelta):
            return value % DAY == timedelta(0)
        case x.Arithmetic(_, left, right):
            if isinstance(left.type, DateType) and isinstance(right.type, DateType):
                return True
            return all(whole_days(e) for e in (left, right) if isinstance(e.type, DurationType))
        case x.IfElse(_, then, otherwise):
            return whole_days(then) and whole_days(otherwise)
        case _:
            return False


def number_constant(value: Number, span: Span) -> x.Const:
    """A constant number with as few digits as it needs: `20` and `20.00` are one term."""
    exact = Fraction(value)
    digits = 0
    while (exact * 10**digits).denominator != 1:
        digits += 1
    return x.Const(exact.numerator if digits == 0 else exact, NumberType(digits), span)


def _exact(constant: x.Const) -> Number:
    assert isinstance(constant.value, int | Fraction)
    return constant.value


def _sum_type(op: Lit["+", "-"], a: NumberType, b: NumberType) -> NumberType:
    low, high = (b.low, b.high) if op == "+" else (b.high, b.low)
    sign = 1 if op == "+" else -1
    return NumberType(
        max(a.digits, b.digits),
        None if a.low is None or low is None else a.low + sign * low,
        None if a.high is None or high is None else a.high + sign * high,
    )


def member(kind: EnumType, text: str, span: Span, faults: Faults) -> x.Const | None:
    """A quoted member of an enum."""
    if text in kind.members:
        return x.Const(text, kind, span)
    faults.error(
        "C124", span, f'"{text}" is no member of {type_name(kind)}', help=f"its members are {', '.join(kind.members)}"
    )
    return None
