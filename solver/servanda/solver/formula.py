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
    """Constructors of formulas in one context. Pure: asks nothing, asserts nothing.

    All terms are of the one context and of the sort their type says, so Z3's own constructors, which check both again at many times the cost of
    making the term, are passed by."""

    __slots__ = ("_numbers", "_ref", "context")

    def __init__(self, context: z3.Context) -> None:
        self.context = context
        self._ref = context.ref()
        self._numbers: dict[int, z3.ArithRef] = {}

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
        return kept[0] if len(kept) == 1 else self._bool(z3.Z3_mk_and(self._ref, len(kept), _array(kept)))

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
        return kept[0] if len(kept) == 1 else self._bool(z3.Z3_mk_or(self._ref, len(kept), _array(kept)))

    def neg(self, part: Formula) -> Formula:
        """True iff the part is not."""
        return (not part) if isinstance(part, bool) else self._bool(z3.Z3_mk_not(self._ref, part.ast))

    def implies(self, a: Formula, b: Formula) -> Formula:
        """True iff `b` is or `a` is not."""
        return self.disj((self.neg(a), b))

    def same(self, a: Formula, b: Formula) -> Formula:
        """True iff both are, or neither."""
        if isinstance(a, bool):
            return b if a else self.neg(b)
        if isinstance(b, bool):
            return a if b else self.neg(a)
        return self._bool(z3.Z3_mk_iff(self._ref, a.ast, b.ast))

    def pick(self, condition: Formula, a: Formula, b: Formula) -> Formula:
        """`a` where the condition holds, else `b`."""
        if isinstance(condition, bool):
            return a if condition else b
        if isinstance(a, bool) or isinstance(b, bool):
            return self.conj((self.implies(condition, a), self.disj((condition, b))))
        return self._bool(z3.Z3_mk_ite(self._ref, condition.ast, a.ast, b.ast))

    def pick_whole(self, condition: Formula, a: Whole, b: Whole) -> Whole:
        """`a` where the condition holds, else `b`."""
        if isinstance(condition, bool):
            return a if condition else b
        if isinstance(a, int) and isinstance(b, int) and a == b:
            return a
        made = z3.Z3_mk_ite(self._ref, condition.ast, self.term(a).ast, self.term(b).ast)
        return z3.ArithRef(made, self.context)

    def term(self, a: Whole) -> z3.ArithRef:
        """The number as a Z3 term."""
        if not isinstance(a, int):
            return a
        if a not in self._numbers:
            self._numbers[a] = z3.IntVal(a, self.context)
        return self._numbers[a]

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
        if len(kept) == 1:
            return kept[0]
        return z3.ArithRef(z3.Z3_mk_add(self._ref, len(kept), _array(kept)), self.context)

    def times(self, a: Whole, factor: int) -> Whole:
        """The number multiplied by a constant."""
        if factor in (0, 1):
            return a if factor else 0
        if isinstance(a, int):
            return a * factor
        return z3.ArithRef(z3.Z3_mk_mul(self._ref, 2, _array([a, self.term(factor)])), self.context)

    def equal(self, a: Whole, b: Whole) -> Formula:
        """`a = b`."""
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        return self._bool(z3.Z3_mk_eq(self._ref, self.term(a).ast, self.term(b).ast))

    def less(self, a: Whole, b: Whole) -> Formula:
        """`a < b`."""
        if isinstance(a, int) and isinstance(b, int):
            return a < b
        return self._bool(z3.Z3_mk_lt(self._ref, self.term(a).ast, self.term(b).ast))

    def at_most(self, a: Whole, b: Whole) -> Formula:
        """`a <= b`."""
        if isinstance(a, int) and isinstance(b, int):
            return a <= b
        return self._bool(z3.Z3_mk_le(self._ref, self.term(a).ast, self.term(b).ast))

    def within(self, a: Whole, low: int | None, high: int | None) -> Formula:
        """`low <= a <= high`, an open end left out."""
        return self.conj(
            [
                *(() if low is None else (self.at_most(low, a),)),
                *(() if high is None else (self.at_most(a, high),)),
            ]
        )

    def _bool(self, made: Any) -> z3.BoolRef:
        return z3.BoolRef(made, self.context)


def _array(terms: list[Any]) -> Any:
    return (z3.Ast * len(terms))(*(t.ast for t in terms))


def constants(formula: Formula) -> frozenset[str]:
    """The names of the uninterpreted constants and functions the formula is over."""
    names: set[str] = set()
    if isinstance(formula, bool):
        return frozenset()
    seen: set[int] = set()
    # The formula keeps its parts alive, so they need no reference counts of their own.
    ref, todo = formula.ctx_ref(), [formula.ast]
    while todo:
        part = todo.pop()
        key = z3.Z3_get_ast_id(ref, part)
        if key in seen:
            continue
        seen.add(key)
        if z3.Z3_get_ast_kind(ref, part) != z3.Z3_APP_AST:
            continue
        app = z3.Z3_to_app(ref, part)
        todo.extend(z3.Z3_get_app_arg(ref, app, i) for i in range(z3.Z3_get_app_num_args(ref, app)))
        decl = z3.Z3_get_app_decl(ref, app)
        if z3.Z3_get_decl_kind(ref, decl) == z3.Z3_OP_UNINTERPRETED:
            names.add(z3.Z3_get_symbol_string(ref, z3.Z3_get_decl_name(ref, decl)))
    return frozenset(names)
