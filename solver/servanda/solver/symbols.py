"""Symbolic values: what an expression means before the query is known.

In: formulas and whole-number terms. Out: values whose being *undefined* (language reference §4) is a formula of its own. Numbers, dates, times
and durations are whole numbers over a common measure: `value / scale`, in units for numbers, in days for the others (a date and a time count
from the same origin, their ordinal day), so no comparison ever rounds. Trusts: the typing of the resolver.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from math import lcm

from servanda.contracts.types import Number
from servanda.grammar.diagnostic import InternalError
from servanda.solver.formula import Algebra, Formula, Whole

DAY = 86_400_000_000
"""Microseconds of a day: the scale of times and durations."""


@dataclass(frozen=True, slots=True)
class Truth:
    """A truth value, strong Kleene: `true`, `false`, or neither where it is undefined. Never both."""

    true: Formula
    false: Formula


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number (`day` False), or a date, time or duration (`day` True): `value / scale` where `defined`."""

    value: Whole
    scale: int
    defined: Formula
    day: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """A string, or an enum member by its place in `members` (None for strings, whose codes the vocabulary interns)."""

    value: Whole
    members: tuple[str, ...] | None
    defined: Formula


@dataclass(frozen=True, slots=True)
class Record:
    """A record; `read` gives a field, itself undefined where the record is."""

    read: Callable[[str], "Symbol"]
    defined: Formula


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of `length` elements, at most `most`; `item` gives the element at an index that is in range."""

    item: Callable[[Whole], "Symbol"]
    length: Whole
    most: int
    defined: Formula


@dataclass(frozen=True, slots=True)
class Chosen:
    """A set of enum members: a formula for each in order."""

    holds: tuple[Formula, ...]
    members: tuple[str, ...]
    defined: Formula


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value this release has no encoding for, undefined at least where not `defined`; what is read from it is free."""

    why: str
    defined: Formula


Symbol = Truth | Quantity | Code | Record | Listed | Chosen | Opaque

UNDEFINED = Truth(False, False)


def quantity(value: Number | date | datetime | timedelta) -> Quantity:
    """The symbol of a constant; exact."""
    if isinstance(value, datetime):
        since = value.astimezone(UTC) - datetime(1, 1, 1, tzinfo=UTC)
        exact = Fraction(_micros(since), DAY) + 1
        return Quantity(exact.numerator, exact.denominator, True, True)
    if isinstance(value, date):
        return Quantity(value.toordinal(), 1, True, True)
    if isinstance(value, timedelta):
        exact = Fraction(_micros(value), DAY)
        return Quantity(exact.numerator, exact.denominator, True, True)
    exact = Fraction(value)
    return Quantity(exact.numerator, exact.denominator, True)


def _micros(value: timedelta) -> int:
    return (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds


class Values:
    """Operations on symbols over one algebra; `code` interns a string."""

    __slots__ = ("_a", "_code")

    def __init__(self, algebra: Algebra, code: Callable[[str], int]) -> None:
        self._a = algebra
        self._code = code

    def settled(self, holds: Formula, defined: Formula = True) -> Truth:
        """The truth value of a two-valued formula where `defined`."""
        return Truth(self._a.conj((defined, holds)), self._a.conj((defined, self._a.neg(holds))))

    def defined(self, symbol: Symbol) -> Formula:
        """Where the value is defined."""
        return self._a.disj((symbol.true, symbol.false)) if isinstance(symbol, Truth) else symbol.defined

    def only(self, symbol: Symbol, condition: Formula) -> Symbol:
        """The value where the condition holds, undefined elsewhere."""
        if condition is True:
            return symbol
        a = self._a
        match symbol:
            case Truth(true, false):
                return Truth(a.conj((condition, true)), a.conj((condition, false)))
            case Quantity(value, scale, defined, day):
                return Quantity(value, scale, a.conj((condition, defined)), day)
            case Code(value, members, defined):
                return Code(value, members, a.conj((condition, defined)))
            case Record(read, defined):
                return Record(lambda name: self.only(read(name), condition), a.conj((condition, defined)))
            case Listed(item, length, most, defined):
                return Listed(item, length, most, a.conj((condition, defined)))
            case Chosen(holds, members, defined):
                return Chosen(holds, members, a.conj((condition, defined)))
            case Opaque(why, defined):
                return Opaque(why, a.conj((condition, defined)))

    def pick(self, condition: Formula, x: Symbol, y: Symbol) -> Symbol:
        """`x` where the condition holds, else `y`; both of one family."""
        if isinstance(condition, bool):
            return x if condition else y
        a = self._a
        match x, y:
            case (Opaque(why), _) | (_, Opaque(why)):
                return Opaque(why, a.pick(condition, self.defined(x), self.defined(y)))
            case Truth(), Truth():
                return Truth(a.pick(condition, x.true, y.true), a.pick(condition, x.false, y.false))
            case Quantity(), Quantity():
                p, q, scale = self.common(x, y)
                return Quantity(a.pick_whole(condition, p, q), scale, a.pick(condition, x.defined, y.defined), x.day)
            case Code(), Code():
                p, q, members = self.spelled(x, y)
                return Code(a.pick_whole(condition, p, q), members, a.pick(condition, x.defined, y.defined))
            case Record(), Record():
                return Record(
                    lambda name: self.pick(condition, x.read(name), y.read(name)),
                    a.pick(condition, x.defined, y.defined),
                )
            case Listed(), Listed():
                return Listed(
                    lambda index: self.pick(condition, x.item(index), y.item(index)),
                    a.pick_whole(condition, x.length, y.length),
                    max(x.most, y.most),
                    a.pick(condition, x.defined, y.defined),
                )
            case Chosen(), Chosen() if x.members == y.members:
                holds = tuple(a.pick(condition, p, q) for p, q in zip(x.holds, y.holds, strict=True))
                return Chosen(holds, x.members, a.pick(condition, x.defined, y.defined))
        raise InternalError(f"alternatives of two families: {type(x).__name__}, {type(y).__name__}")

    def common(self, x: Quantity, y: Quantity) -> tuple[Whole, Whole, int]:
        """Both values over one scale, exactly."""
        scale = lcm(x.scale, y.scale)
        return self._a.times(x.value, scale // x.scale), self._a.times(y.value, scale // y.scale), scale

    def spelled(self, x: Code, y: Code) -> tuple[Whole, Whole, tuple[str, ...] | None]:
        """Both codes in one code: that of their enum, or that of strings."""
        if x.members == y.members:
            return x.value, y.value, x.members
        return self._as_string(x), self._as_string(y), None

    def _as_string(self, x: Code) -> Whole:
        if x.members is None:
            return x.value
        if isinstance(x.value, int):
            return self._code(x.members[x.value])
        found: Whole = self._code(x.members[-1])
        for place in range(len(x.members) - 2, -1, -1):
            found = self._a.pick_whole(self._a.equal(x.value, place), self._code(x.members[place]), found)
        return found

    # ---- strong Kleene ---------------------------------------------------------------------------------------------

    def negation(self, x: Truth) -> Truth:
        """`not`."""
        return Truth(x.false, x.true)

    def conjunction(self, xs: Sequence[Truth]) -> Truth:
        """`and`: true iff all are, false iff one is."""
        return Truth(self._a.conj(x.true for x in xs), self._a.disj(x.false for x in xs))

    def disjunction(self, xs: Sequence[Truth]) -> Truth:
        """`or`: true iff one is, false iff all are."""
        return Truth(self._a.disj(x.true for x in xs), self._a.conj(x.false for x in xs))

    def equivalence(self, x: Truth, y: Truth) -> Truth:
        """`iff`: defined iff both are."""
        a = self._a
        return Truth(
            a.disj((a.conj((x.true, y.true)), a.conj((x.false, y.false)))),
            a.disj((a.conj((x.true, y.false)), a.conj((x.false, y.true)))),
        )

    def equal(self, x: Symbol, y: Symbol) -> Truth | Opaque:
        """`==`; `Opaque` where there is no encoding."""
        a = self._a
        both = a.conj((self.defined(x), self.defined(y)))
        match x, y:
            case Truth(), Truth():
                return self.equivalence(x, y)
            case Quantity(), Quantity():
                p, q, _ = self.common(x, y)
                return self.settled(a.equal(p, q), both)
            case Code(), Code():
                p, q, _ = self.spelled(x, y)
                return self.settled(a.equal(p, q), both)
            case Chosen(), Chosen() if x.members == y.members:
                return self.settled(a.conj(a.same(p, q) for p, q in zip(x.holds, y.holds, strict=True)), both)
        return Opaque("equality of lists, records or maps", both)
