"""Linear 0/1 models as data: literals, clauses, sums and levels of cost, with a builder that keeps constants out of them.

In: built by the parts of the alignment model. Out: handed to CP-SAT (`cpsat`) and to Z3 (`crosscheck`), which search it apart from each other.
A literal is a non-zero whole number, the negative one its complement; variable 1 is true in every model. Imports no solver.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Key = tuple[str | int | tuple[tuple[str, str], ...] | tuple[int, ...], ...]
"""The name of a variable: what kind of statement it is, then what it is about."""

Named = tuple[Key, bool]
"""A literal by the name of its variable, so that it outlives one model."""

TRUE = 1
FALSE = -1


@dataclass(frozen=True, slots=True)
class Sum:
    """`constant` + the sum of the weights of the literals that are true."""

    terms: tuple[tuple[int, int], ...]
    """(weight, literal) pairs."""
    constant: int = 0

    @property
    def low(self) -> int:
        """No value is below."""
        return self.constant + sum(min(w, 0) for w, _ in self.terms)

    @property
    def high(self) -> int:
        """No value is above."""
        return self.constant + sum(max(w, 0) for w, _ in self.terms)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """`total` is at least `least`."""

    total: Sum
    least: int


@dataclass(frozen=True, slots=True)
class BooleanModel:
    """Variables 1 to len(keys); every clause has a true literal, of each of `exclusive` at most one literal is true, every bound holds.
    The cost of a valuation is the tuple of its `levels`, compared from the left."""

    keys: tuple[Key, ...]
    clauses: tuple[tuple[int, ...], ...]
    exclusive: tuple[tuple[int, ...], ...]
    bounds: tuple[AtLeast, ...]
    levels: tuple[Sum, ...]


@dataclass(slots=True)
class Builder:
    """Collects variables and constraints. Constants never reach a constraint: a clause that holds anyway is dropped."""

    keys: list[Key] = field(default_factory=lambda: [("true",)])
    clauses: list[tuple[int, ...]] = field(default_factory=lambda: [(TRUE,)])
    exclusive: list[tuple[int, ...]] = field(default_factory=list)
    bounds: list[AtLeast] = field(default_factory=list)
    _known: dict[Key, int] = field(default_factory=dict)

    def variable(self, *key: str | int | tuple[tuple[str, str], ...] | tuple[int, ...]) -> int:
        """The variable of that name, new or known."""
        found = self._known.get(key)
        if found is None:
            self.keys.append(key)
            found = self._known[key] = len(self.keys)
        return found

    def known(self, key: Key) -> int | None:
        """The literal that goes by that name, None where the model has none."""
        return self._known.get(key)

    def call(self, key: Key, literal: int) -> None:
        """Let a name stand for a literal that exists already."""
        self._known[key] = literal

    def clause(self, *literals: int) -> None:
        """At least one of them is true."""
        kept = dict.fromkeys(literals)
        if TRUE in kept or any(-x in kept for x in kept):
            return
        kept.pop(FALSE, None)
        self.clauses.append(tuple(kept) or (FALSE,))

    def at_most_one(self, literals: Iterable[int]) -> None:
        """At most one of them is true; a literal given twice counts twice."""
        kept = [x for x in literals if x != FALSE]
        if len(kept) == 2:
            self.clause(-kept[0], -kept[1])
        elif len(kept) > 2:
            self.exclusive.append(tuple(kept))

    def at_least(self, terms: Sequence[tuple[int, int]], least: int) -> None:
        """The weights of the true literals add up to `least` or more."""
        total = tidy(terms)
        if total.low < least:
            self.bounds.append(AtLeast(total, least))

    def either(self, key: Key, literals: Sequence[int]) -> int:
        """A literal that is true iff one of the literals is; it goes by that name. The name says all that the literals depend on."""
        found = self._known.get(key)
        if found is not None:
            return found
        kept = [x for x in dict.fromkeys(literals) if x != FALSE]
        if TRUE in kept or any(-x in kept for x in kept):
            result = TRUE
        elif len(kept) <= 1:
            result = kept[0] if kept else FALSE
        else:
            result = self.variable(*key)
            self.clause(-result, *kept)
            for literal in kept:
                self.clause(result, -literal)
        self._known[key] = result
        return result

    def every(self, key: Key, literals: Sequence[int]) -> int:
        """A literal that is true iff all of the literals are; it goes by that name. The name says all that the literals depend on."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = -self.either(("not", *key), [-x for x in literals])
        return found

    def build(self, levels: Sequence[Sum]) -> BooleanModel:
        """The model with these levels of cost."""
        return BooleanModel(
            tuple(self.keys), tuple(self.clauses), tuple(self.exclusive), tuple(self.bounds), tuple(levels)
        )


def tidy(terms: Iterable[tuple[int, int]], constant: int = 0) -> Sum:
    """A sum without constants and with each variable once."""
    weights: dict[int, int] = {}
    for weight, literal in terms:
        if literal < 0:
            constant += weight
            weight, literal = -weight, -literal
        if literal == TRUE:
            constant += weight
        else:
            weights[literal] = weights.get(literal, 0) + weight
    return Sum(tuple((w, x) for x, w in weights.items() if w), constant)


def value(total: Sum, true: Sequence[bool]) -> int:
    """What the sum comes to; `true[v]` says whether variable `v` is."""
    return total.constant + sum(w for w, x in total.terms if true[x if x > 0 else -x] == (x > 0))


def holds(literal: int, true: Sequence[bool]) -> bool:
    """Whether the literal is true."""
    return true[literal] if literal > 0 else not true[-literal]
