"""Quantifier-free formulas over one Z3 context, folded as they are built.

In: Python constants and Z3 terms of the context. Out: either again. A formula is a `bool` where its truth is settled, else a Z3 term, so that
settled questions never reach the solver. Trusts: Z3's term constructors.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

import z3

Formula: TypeAlias = bool | z3.BoolRef
Whole: TypeAlias = int | z3.ArithRef
"""A whole number: a constant or an integer term."""


class Algebra:
    """Constructors of formulas in one context. Pure: asks nothing, asserts nothing."""

    __slots__ = ("context",)

    def __init__(self, context: z3.Context) -> None:
        self.context = context

    def truth(self, name: str) -> z3.BoolRef:
        """A propositional constant."""
        return z3.Bool(name, self.context)

    def whole(self, name: str) -> z3.ArithRef:
        """An integer constant."""
        return z3.Int(name, self.context)

    def conj(self, parts: Iterable[Formula]) -> Formula:
        """True iff every part is."""
        kept: list[z3.BoolRef] = []
        for part in parts:
            if isinstance(part, bool):
                if not part:
                    return False
            else:
                kept.append(part)
        if not kept:
            return True
        return kept[0] if len(kept) == 1 else z3.And(kept)

    def disj(self, parts: Iterable[Formula]) -> Formula:
        """True iff some part is."""
        kept: list[z3.BoolRef] = []
        for part in parts:
            if isinstance(part, bool):
                if part:
                    return True
            else:
                kept.append(part)
        if not kept:
            return False
        return kept[0] if len(kept) == 1 else z3.Or(kept)

    def neg(self, part: Formula) -> Formula:
        """True iff the part is not."""
        return (not part) if isinstance(part, bool) else z3.Not(part)

    def implies(self, a: Formula, b: Formula) -> Formula:
        """True iff `b` is or `a` is not."""
        return self.disj((self.neg(a), b))

    def same(self, a: Formula, b: Formula) -> Formula:
        """True iff both are, or neither."""
        if isinstance(a, bool):
            return b if a else self.neg(b)
        if isinstance(b, bool):
            return a if b else self.neg(a)
        return a == b

    def pick(self, condition: Formula, a: Formula, b: Formula) -> Formula:
        """`a` where the condition holds, else `b`."""
        if isinstance(condition, bool):
            return a if condition else b
        if isinstance(a, bool) or isinstance(b, bool):
            return self.conj((self.implies(condition, a), self.disj((condition, b))))
        return z3.If(condition, a, b)

    def pick_whole(self, condition: Formula, a: Whole, b: Whole) -> Whole:
        """`a` where the condition holds, else `b`."""
        if isinstance(condition, bool):
            return a if condition else b
        if isinstance(a, int) and isinstance(b, int) and a == b:
            return a
        return z3.If(condition, self.term(a), self.term(b))

    def term(self, a: Whole) -> z3.ArithRef:
        """The number as a Z3 term."""
        return z3.IntVal(a, self.context) if isinstance(a, int) else a

    def asserted(self, a: Formula) -> z3.BoolRef:
        """The formula as a Z3 term."""
        return z3.BoolVal(a, self.context) if isinstance(a, bool) else a

    def total(self, parts: Iterable[Whole]) -> Whole:
        """The sum of the parts."""
        constant = 0
        kept: list[z3.ArithRef] = []
        for part in parts:
            if isinstance(part, int):
                constant += part
            else:
                kept.append(part)
        if not kept:
            return constant
        if constant:
            kept.append(self.term(constant))
        return kept[0] if len(kept) == 1 else z3.Sum(kept)

    def times(self, a: Whole, factor: int) -> Whole:
        """The number multiplied by a constant."""
        if factor == 1:
            return a
        return _number(a * factor) if factor else 0

    def equal(self, a: Whole, b: Whole) -> Formula:
        """`a = b`."""
        return _settled(a == b)

    def less(self, a: Whole, b: Whole) -> Formula:
        """`a < b`."""
        return _settled(a < b)

    def at_most(self, a: Whole, b: Whole) -> Formula:
        """`a <= b`."""
        return _settled(a <= b)

    def within(self, a: Whole, low: int | None, high: int | None) -> Formula:
        """`low <= a <= high`, an open end left out."""
        return self.conj(
            [
                *(() if low is None else (self.at_most(low, a),)),
                *(() if high is None else (self.at_most(a, high),)),
            ]
        )


def _number(value: Any) -> Whole:
    return value if isinstance(value, int | z3.ArithRef) else int(value)


def _settled(value: Any) -> Formula:
    return value if isinstance(value, bool | z3.BoolRef) else bool(value)


def constants(formula: Formula) -> frozenset[str]:
    """The names of the uninterpreted constants the formula is over."""
    return constants_of(() if isinstance(formula, bool) else (formula,))


def constants_of(terms: Iterable[z3.ExprRef]) -> frozenset[str]:
    """The names of the uninterpreted constants the terms are over."""
    names: set[str] = set()
    seen: set[int] = set()
    todo = list(terms)
    while todo:
        term = todo.pop()
        key = term.get_id()
        if key in seen:
            continue
        seen.add(key)
        if z3.is_const(term):
            if term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                names.add(term.decl().name())
        else:
            todo.extend(term.children())
    return frozenset(names)
