"""Expression to symbol: the solver's reading of the language (language reference §2, §4).

In: typed expressions over query attributes, definitions over them, and variables. Out: symbols (see `symbols`) over the constants of a
vocabulary. Pure but for the vocabulary it extends. Quantifiers are unrolled; beyond `WIDTH` bodies a caveat stands for the rest, never a
silent cut. Trusts: the typing of the resolver; that guards read the query alone (anything else is our own fault).
"""

from collections.abc import Callable, Mapping
from typing import assert_never

from servanda.contracts.expression import (
    Arithmetic,
    Attribute,
    Compare,
    Const,
    Contains,
    DefinitionCall,
    EventPart,
    Expr,
    Field,
    Fold,
    IfElse,
    Item,
    Label,
    Logical,
    Matches,
    Not,
    OneOf,
    Output,
    Part,
    Present,
    Quantified,
    Size,
    Variable,
    ViewCall,
)
from servanda.contracts.model import Definition
from servanda.contracts.types import DateType, EnumType
from servanda.grammar.diagnostic import InternalError
from servanda.grammar.span import Span
from servanda.solver.formula import Formula, Whole
from servanda.solver.regexes import Sought
from servanda.solver.symbols import Chosen, Code, Listed, Opaque, Quantity, Record, Symbol, Truth, quantity
from servanda.solver.vocabulary import LAST_DAY, Vocabulary

WIDTH = 256
"""How many bodies of nested quantifiers are unrolled, all levels multiplied."""

Scope = Mapping[str, Symbol]
"""What the variables stand for."""


class Encoder:
    """Encodes the expressions of one contract over one vocabulary."""

    def __init__(self, vocabulary: Vocabulary, definitions: Mapping[str, Definition]) -> None:
        self.vocabulary = vocabulary
        self._a = vocabulary.algebra
        self._v = vocabulary.values
        self._definitions = definitions
        self._constants: dict[str, Symbol] = {}

    def truth(self, expr: Expr, scope: Scope, width: int = 1) -> Truth:
        """The truth value of a condition."""
        found = self.symbol(expr, scope, width)
        return found if isinstance(found, Truth) else self._free(self._why(found, "a condition"), expr.span)

    def symbol(self, expr: Expr, scope: Scope, width: int = 1) -> Symbol:
        """The value of an expression; `width` counts the bodies around it that are unrolled."""
        v = self._v
        match expr:
            case Const():
                return self._constant(expr)
            case Attribute(name):
                return self.vocabulary.attribute(name)
            case Variable(name):
                return scope[name]
            case DefinitionCall():
                return self._definition(expr, scope, width)
            case Field(base, name):
                record = self.symbol(base, scope, width)
                if isinstance(record, Record):
                    return record.read(name)
                return Opaque(self._why(record, "a field"), v.defined(record))
            case Item():
                return self._item(expr, scope, width)
            case Not(operand):
                return v.negation(self.truth(operand, scope, width))
            case Logical():
                return self._logical(expr, scope, width)
            case Compare():
                return self._compare(expr, scope, width)
            case OneOf(item, members):
                one = self.symbol(item, scope, width)
                return v.disjunction([self._equal(one, self.symbol(m, scope, width), expr.span) for m in members])
            case Contains():
                return self._contains(expr, scope, width)
            case Matches(operand, regex):
                return self._matches(self.symbol(operand, scope, width), regex, expr.span)
            case Present(operand, present):
                value = self.symbol(operand, scope, width)
                there = v.defined(value)
                if isinstance(value, Opaque):
                    there = self._a.conj((there, self._free(value.why, expr.span).true))
                return v.settled(there if present else self._a.neg(there))
            case Arithmetic():
                return self._arithmetic(expr, scope, width)
            case IfElse(condition, then, otherwise):
                which = self.truth(condition, scope, width)
                chosen = v.pick(which.true, self.symbol(then, scope, width), self.symbol(otherwise, scope, width))
                return v.only(chosen, v.defined(which))
            case Quantified():
                return self._quantified(expr, scope, width)
            case Fold():
                return self._fold(expr, scope, width)
            case Size(operand):
                xs = self.symbol(operand, scope, width)
                if isinstance(xs, Listed):
                    return Quantity(xs.length, 1, xs.defined)
                return self._free_number(self._why(xs, "count"), expr.span, v.defined(xs))
            case Part() | EventPart() | Label() | Output() | ViewCall():
                raise InternalError(f"{type(expr).__name__} in an expression over the query")
            case _:
                assert_never(expr)

    # ---- leaves ----------------------------------------------------------------------------------------------------

    def _constant(self, expr: Const) -> Symbol:
        value = expr.value
        if isinstance(value, bool):
            return Truth(value, not value)
        if isinstance(value, str):
            if isinstance(expr.type, EnumType) and value in expr.type.members:
                return Code(expr.type.members.index(value), expr.type.members, True)
            return Code(self.vocabulary.code(value), None, True)
        return quantity(value)

    def _definition(self, call: DefinitionCall, scope: Scope, width: int) -> Symbol:
        definition = self._definitions[call.name]
        if not call.arguments:
            if call.name not in self._constants:
                self._constants[call.name] = self.symbol(definition.body, {}, width)
            return self._constants[call.name]
        return self.symbol(definition.body, self.bound(call, scope, width), width)

    def bound(self, call: DefinitionCall, scope: Scope, width: int = 1) -> Scope:
        """The parameters of a definition bound to the arguments of a call."""
        names = (name for name, _ in self._definitions[call.name].parameters)
        return {n: self.symbol(a, scope, width) for n, a in zip(names, call.arguments, strict=True)}

    # ---- conditions ------------------------------------------------------------------------------------------------

    def _logical(self, expr: Logical, scope: Scope, width: int) -> Truth:
        v = self._v
        parts = [self.truth(o, scope, width) for o in expr.operands]
        match expr.op:
            case "and":
                return v.conjunction(parts)
            case "or":
                return v.disjunction(parts)
            case "implies":
                return v.disjunction([v.negation(parts[0]), parts[1]])
            case "iff":
                return v.equivalence(parts[0], parts[1])

    def _compare(self, expr: Compare, scope: Scope, width: int) -> Truth:
        a, v = self._a, self._v
        x, y = self.symbol(expr.left, scope, width), self.symbol(expr.right, scope, width)
        if expr.op == "==":
            return self._equal(x, y, expr.span)
        if expr.op == "!=":
            return v.negation(self._equal(x, y, expr.span))
        both = a.conj((v.defined(x), v.defined(y)))
        if not (isinstance(x, Quantity) and isinstance(y, Quantity)):
            return self._free(self._why(x, self._why(y, "an order")), expr.span, both)
        p, q, _ = v.common(x, y)
        match expr.op:
            case "<":
                return v.settled(a.less(p, q), both)
            case "<=":
                return v.settled(a.at_most(p, q), both)
            case ">":
                return v.settled(a.less(q, p), both)
            case ">=":
                return v.settled(a.at_most(q, p), both)

    def _equal(self, x: Symbol, y: Symbol, span: Span) -> Truth:
        same = self._v.equal(x, y)
        return same if isinstance(same, Truth) else self._free(same.why, span, same.defined)

    def _contains(self, expr: Contains, scope: Scope, width: int) -> Truth:
        a, v = self._a, self._v
        xs, item = self.symbol(expr.container, scope, width), self.symbol(expr.item, scope, width)
        both = a.conj((v.defined(xs), v.defined(item)))
        match xs, item:
            case Listed(), _:
                return self._over("any", xs, lambda x, _: self._equal(x, item, expr.span), expr.span, width)
            case Chosen(holds, members, _), Code(value, other, _) if other == members:
                here = a.disj(a.conj((a.equal(value, place), h)) for place, h in enumerate(holds))
                empty = a.conj(a.neg(h) for h in holds)
                missed = a.disj((a.conj((item.defined, a.neg(here))), empty))
                return Truth(a.conj((both, here)), a.conj((xs.defined, missed)))
            case Code(members=None), Code(value=value, members=None) if isinstance(value, int):
                part = Sought(self.vocabulary.text(value), part=True)
                return v.settled(self.vocabulary.found(xs.value, part), both)
        return self._free("`contains` with a part that is no constant", expr.span, both)

    def _matches(self, text: Symbol, regex: str, span: Span) -> Truth:
        if isinstance(text, Code) and text.members is None:
            return self._v.settled(self.vocabulary.found(text.value, Sought(regex)), text.defined)
        return self._free(self._why(text, "`matches`"), span, self._v.defined(text))

    # ---- numbers ---------------------------------------------------------------------------------------------------

    def _arithmetic(self, expr: Arithmetic, scope: Scope, width: int) -> Symbol:
        a, v = self._a, self._v
        x, y = self.symbol(expr.left, scope, width), self.symbol(expr.right, scope, width)
        both = a.conj((v.defined(x), v.defined(y)))
        if not (isinstance(x, Quantity) and isinstance(y, Quantity)):
            return Opaque(self._why(x, self._why(y, "arithmetic")), both)
        day = x.day or y.day
        if expr.op == "*":
            if isinstance(x.value, int):
                return Quantity(a.times(y.value, x.value), x.scale * y.scale, both, day)
            if isinstance(y.value, int):
                return Quantity(a.times(x.value, y.value), x.scale * y.scale, both, day)
            return self._free_number("a product of two unknowns", expr.span, both)
        p, q, scale = v.common(x, y)
        value = a.total((p, q if expr.op == "+" else a.times(q, -1)))
        if isinstance(expr.type, DateType):
            # A date moves by whole days alone; beyond the calendar there is none.
            if scale != 1:
                return self._free_number("a date moved by less than a day", expr.span, both)
            both = a.conj((both, a.within(value, 1, LAST_DAY)))
        return Quantity(value, scale, both, day)

    # ---- lists -----------------------------------------------------------------------------------------------------

    def _item(self, expr: Item, scope: Scope, width: int) -> Symbol:
        a, v = self._a, self._v
        xs, key = self.symbol(expr.base, scope, width), self.symbol(expr.key, scope, width)
        if not (isinstance(xs, Listed) and isinstance(key, Quantity) and key.scale == 1):
            return Opaque(self._why(xs, "a map"), a.conj((v.defined(xs), v.defined(key))))
        index = key.value
        if isinstance(index, int) and not 0 <= index < xs.most:
            index, within = 0, False
        else:
            within = a.conj((a.at_most(0, index), a.less(index, xs.length)))
        return v.only(xs.item(index), a.conj((xs.defined, key.defined, within)))

    def _unrolled(self, xs: Listed, width: int) -> int:
        return min(xs.most, max(1, WIDTH // width))

    def _over(self, word: str, xs: Listed, body: Callable[[Symbol, int], Truth], span: Span, width: int) -> Truth:
        """`any` or `all` of the elements; undefined where the list is."""
        a, v = self._a, self._v
        upto = self._unrolled(xs, width)
        parts: list[Truth] = []
        for i in range(upto):
            one, here = body(xs.item(i), width * upto), a.less(i, xs.length)
            if word == "any":
                parts.append(Truth(a.conj((here, one.true)), a.disj((a.neg(here), one.false))))
            else:
                parts.append(Truth(a.disj((a.neg(here), one.true)), a.conj((here, one.false))))
        if upto < xs.most:
            rest, beyond = self._cut(xs, upto, span), a.less(upto, xs.length)
            if word == "any":
                parts.append(Truth(a.conj((beyond, rest.true)), a.disj((a.neg(beyond), rest.false))))
            else:
                parts.append(Truth(a.disj((a.neg(beyond), rest.true)), a.conj((beyond, rest.false))))
        joined = v.disjunction(parts) if word == "any" else v.conjunction(parts)
        return Truth(a.conj((xs.defined, joined.true)), a.conj((xs.defined, joined.false)))

    def _cut(self, xs: Listed, upto: int, span: Span) -> Truth:
        return self.vocabulary.free_truth(f"elements beyond the first {upto} of a list of up to {xs.most}", span)

    def _quantified(self, expr: Quantified, scope: Scope, width: int) -> Truth:
        if len(expr.lists) != 1:
            return self._free("parallel lists", expr.span)
        xs = self.symbol(expr.lists[0], scope, width)
        if not isinstance(xs, Listed):
            return self._free(self._why(xs, "a quantifier"), expr.span, self._v.defined(xs))
        name = expr.variables[0]

        def body(x: Symbol, inner: int) -> Truth:
            return self.truth(expr.body, {**scope, name: x}, inner)

        found = self._over("all" if expr.word == "all" else "any", xs, body, expr.span, width)
        return self._v.negation(found) if expr.word == "no" else found

    def _fold(self, expr: Fold, scope: Scope, width: int) -> Symbol:
        a, v = self._a, self._v
        xs = self.symbol(expr.list, scope, width)
        if not isinstance(xs, Listed):
            return Opaque(self._why(xs, expr.word), v.defined(xs))
        upto = self._unrolled(xs, width)
        inner = width * upto
        scopes: list[Scope] = [{**scope, expr.variable: xs.item(i)} for i in range(upto)]
        if expr.word == "sum":
            return self._sum(expr, xs, scopes, inner)
        parts = [self.truth(expr.body, s, inner) for s in scopes]
        here = [a.less(i, xs.length) for i in range(upto)]
        if expr.word == "count":
            ones: list[Whole] = [a.pick_whole(a.conj((h, p.true)), 1, 0) for h, p in zip(here, parts, strict=True)]
            known = a.conj((xs.defined, *(a.implies(h, v.defined(p)) for h, p in zip(here, parts, strict=True))))
            return self._with_rest(expr, xs, upto, Quantity(a.total(ones), 1, known))
        return self._first(xs, parts, here)

    def _sum(self, expr: Fold, xs: Listed, scopes: list[Scope], inner: int) -> Symbol:
        a = self._a
        total = Quantity(0, 1, xs.defined)
        for i, scope in enumerate(scopes):
            term = self.symbol(expr.body, scope, inner)
            if not isinstance(term, Quantity):
                return Opaque(self._why(term, "sum"), xs.defined)
            here = a.less(i, xs.length)
            p, q, scale = self._v.common(total, term)
            known = a.conj((total.defined, a.implies(here, term.defined)))
            total = Quantity(a.total((p, a.pick_whole(here, q, 0))), scale, known, term.day)
        return self._with_rest(expr, xs, len(scopes), total)

    def _with_rest(self, expr: Fold, xs: Listed, upto: int, total: Quantity) -> Quantity:
        if upto == xs.most:
            return total
        a, beyond = self._a, self._a.less(upto, xs.length)
        known = self._cut(xs, upto, expr.span).true
        rest = self.vocabulary.free_whole(f"elements beyond the first {upto} of a list of up to {xs.most}", expr.span)
        value = a.pick_whole(beyond, rest, total.value)
        return Quantity(value, total.scale, a.conj((total.defined, a.implies(beyond, known))), total.day)

    def _first(self, xs: Listed, parts: list[Truth], here: list[Formula]) -> Symbol:
        a, v = self._a, self._v
        if len(parts) < xs.most:
            return Opaque(f"`first` over more than {len(parts)} elements", xs.defined)
        found = xs.item(len(parts) - 1)
        some: Formula = False
        for i in range(len(parts) - 1, -1, -1):
            hit = a.conj((here[i], parts[i].true))
            passed = a.conj((here[i], parts[i].false))
            some = a.disj((hit, a.conj((passed, some))))
            if i < len(parts) - 1:
                found = v.pick(parts[i].true, xs.item(i), found)
        return v.only(found, a.conj((xs.defined, some)))

    # ---- what has no encoding --------------------------------------------------------------------------------------

    def _free(self, why: str, span: Span, defined: Formula = True) -> Truth:
        free = self.vocabulary.free_truth(why, span)
        return Truth(self._a.conj((defined, free.true)), self._a.conj((defined, free.false)))

    def _free_number(self, why: str, span: Span, defined: Formula) -> Quantity:
        known = self.vocabulary.free_truth(why, span).true
        return Quantity(self.vocabulary.free_whole(why, span), 1, self._a.conj((defined, known)))

    @staticmethod
    def _why(symbol: Symbol, otherwise: str) -> str:
        return symbol.why if isinstance(symbol, Opaque) else otherwise
