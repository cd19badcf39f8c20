"""When a duty is active, as formulas over the query (language reference §5): act(o) = act(parent) and branch guard and own guard.

In: a contract. Out: its places (nodes, branches, options) in document order, and for each the conditions that stand between it and being
active, conjunct by conjunct with their spans. A `for each` is encoded for a generic element, an index that may be any of the list; several
*copies* of it speak of several elements, equal or not. Trusts: the encoder. Asks nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

import z3

from servanda.contracts.expression import DefinitionCall, Expr, conjuncts
from servanda.contracts.model import (
    AnyOf,
    Branch,
    Contract,
    Decide,
    Definition,
    Duty,
    ForEach,
    Node,
    Option,
    Rule,
    Step,
)
from servanda.grammar.span import Source, Span
from servanda.solver.formula import Algebra, Formula
from servanda.solver.symbols import Listed, Opaque, Symbol
from servanda.solver.terms import Encoder, Scope
from servanda.solver.vocabulary import Vocabulary

Copies = tuple[int, ...]
"""Which copy of each enclosing `for each`, outermost first."""


@dataclass(frozen=True, slots=True)
class Place:
    """A node, branch or option of the contract. `loops`: the `for each` places around it, outermost first. `options`: the (group, option)
    places around it, outermost first."""

    index: int
    node: Node | Branch | Option
    path: str
    parent: "Place | None"
    loops: "Loops"
    options: "Options"

    @property
    def word(self) -> str:
        """What it is, in a reader's word."""
        match self.node:
            case Duty():
                return "obligation"
            case Step():
                return "step"
            case ForEach():
                return "block"
            case Decide():
                return "decision"
            case AnyOf():
                return "choice"
            case Branch():
                return "branch"
            case Option():
                return "option"
            case Rule():
                return "rule"
            case _:
                assert_never(self.node)


Loops = tuple[Place, ...]
Options = tuple[tuple[Place, Place], ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """One conjunct of an activation: `text` in contract words, `origin` a phrase that says whose condition it is."""

    formula: Formula
    text: str
    origin: str
    span: Span


def places(contract: Contract) -> tuple[Place, ...]:
    """All places, a parent before its children, in document order."""
    found: list[Place] = []

    def add(node: Node | Branch | Option, parent: Place | None, loops: Loops, options: Options) -> Place:
        place = Place(len(found), node, node.path, parent, loops, options)
        found.append(place)
        return place

    def walk(body: tuple[Node, ...], parent: Place | None, loops: Loops, options: Options) -> None:
        for node in body:
            place = add(node, parent, loops, options)
            match node:
                case Duty() | Rule():
                    pass
                case Step():
                    walk(node.body, place, loops, options)
                case ForEach():
                    walk(node.body, place, (*loops, place), options)
                case Decide():
                    for branch in node.branches:
                        walk(branch.body, add(branch, place, loops, options), loops, options)
                case AnyOf():
                    for option in node.options:
                        inner = add(option, place, loops, options)
                        walk(option.body, inner, loops, (*options, (place, inner)))
                case _:
                    assert_never(node)

    walk(contract.body, None, (), ())
    return tuple(found)


class Activations:
    """The conditions of each place, for any copies of the blocks around it. Memoised; deterministic."""

    def __init__(self, contract: Contract, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.places = places(contract)
        self.by_path: Mapping[str, Place] = {p.path: p for p in self.places}
        self._source: Source = contract.source
        self._definitions: Mapping[str, Definition] = contract.definitions
        self._encoder = Encoder(vocabulary, contract.definitions)
        self._conditions: dict[tuple[int, Copies], tuple[Condition, ...]] = {}
        self._active: dict[tuple[int, Copies], Formula] = {}
        self._holds: dict[tuple[int, Copies], Formula] = {}
        self._elements: dict[tuple[int, Copies], tuple[Symbol, Formula]] = {}

    @property
    def algebra(self) -> Algebra:
        """The algebra all formulas are over."""
        return self.vocabulary.algebra

    def active(self, place: Place, copies: Copies) -> Formula:
        """Whether the place is active, options aside: an `any of` leaves every option open."""
        key = (place.index, copies)
        if key not in self._active:
            own = self.algebra.conj(c.formula for c in self.conditions(place, copies))
            above = self._above(place, copies)
            self._active[key] = self.algebra.conj((above, own))
        return self._active[key]

    def _above(self, place: Place, copies: Copies) -> Formula:
        return True if place.parent is None else self.active(place.parent, copies[: depth(place.parent)])

    def path_conditions(self, place: Place, copies: Copies) -> tuple[Condition, ...]:
        """The conditions of all enclosing places and its own, outermost first."""
        above = () if place.parent is None else self.path_conditions(place.parent, copies[: depth(place.parent)])
        return (*above, *self.conditions(place, copies))

    def conditions(self, place: Place, copies: Copies) -> tuple[Condition, ...]:
        """The conditions the place itself adds."""
        key = (place.index, copies)
        if key not in self._conditions:
            self._conditions[key] = tuple(self._own(place, copies))
        return self._conditions[key]

    def guard(self, branch: Place, copies: Copies) -> Formula:
        """Whether the guard of a branch (not `otherwise`) is true; undefined counts as false."""
        key = (branch.index, copies)
        if key not in self._holds:
            assert isinstance(branch.node, Branch) and branch.node.guard is not None
            self._holds[key] = self._encoder.truth(branch.node.guard, self._scope(branch, copies)).true
        return self._holds[key]

    # ---- own conditions --------------------------------------------------------------------------------------------

    def _own(self, place: Place, copies: Copies) -> Iterator[Condition]:
        node = place.node
        match node:
            case Option():
                return
            case Branch(guard=None):
                for earlier in self._earlier(place):
                    formula = self.algebra.neg(self.guard(earlier, copies))
                    assert isinstance(earlier.node, Branch) and earlier.node.guard is not None
                    span = earlier.node.guard.span
                    origin = f"`otherwise`, after the guard of branch {earlier.node.name}"
                    yield Condition(formula, _negated(self._text(span)), origin, span)
            case ForEach():
                _, within = self._element(place, copies)
                yield Condition(within, self._text(node.list.span), "there is an element", node.list.span)
                yield from self._split(node.guard, self._scope(place, copies), f"the guard of block {place.path}")
            case Duty() | Step() | Decide() | AnyOf() | Rule() | Branch():
                scope = self._scope(place, copies)
                yield from self._split(node.guard, scope, f"the guard of {place.word} {place.path}")
            case _:
                assert_never(node)

    def _earlier(self, branch: Place) -> list[Place]:
        assert branch.parent is not None and isinstance(branch.parent.node, Decide)
        found = []
        for other in branch.parent.node.branches:
            if other.path == branch.path:
                break
            if other.guard is not None:
                found.append(self.by_path[other.path])
        return found

    def _split(self, guard: Expr | None, scope: Scope, origin: str) -> Iterator[Condition]:
        for part in conjuncts(guard):
            if isinstance(part, DefinitionCall):
                inner = self._encoder.bound(part, scope)
                body = self._definitions[part.name].body
                yield from self._split(body, inner, f"definition {part.name}, in {origin}")
            else:
                formula = self._encoder.truth(part, scope).true
                yield Condition(formula, self._text(part.span), origin, part.span)

    def _text(self, span: Span) -> str:
        return " ".join(self._source.text[span.start : span.end].split())

    # ---- for each --------------------------------------------------------------------------------------------------

    def _scope(self, place: Place, copies: Copies) -> Scope:
        blocks = [*place.loops, place] if isinstance(place.node, ForEach) else place.loops
        scope: dict[str, Symbol] = {}
        for level, block in enumerate(blocks):
            assert isinstance(block.node, ForEach)
            element, _ = self._element(block, copies[: level + 1])
            scope[block.node.variable] = element
        return scope

    def _element(self, block: Place, copies: Copies) -> tuple[Symbol, Formula]:
        key = (block.index, copies)
        if key not in self._elements:
            self._elements[key] = self._make_element(block, copies)
        return self._elements[key]

    def _make_element(self, block: Place, copies: Copies) -> tuple[Symbol, Formula]:
        assert isinstance(block.node, ForEach)
        outer: dict[str, Symbol] = {}
        for level, loop in enumerate(block.loops):
            assert isinstance(loop.node, ForEach)
            outer[loop.node.variable] = self._element(loop, copies[: level + 1])[0]
        xs = self._encoder.symbol(block.node.list, outer)
        if not isinstance(xs, Listed):
            why = xs.why if isinstance(xs, Opaque) else "the list of `for each`"
            free = self.vocabulary.free_truth(why, block.node.span)
            return Opaque(why, True), free.true
        index = self.index(block, copies)
        a = self.algebra
        return xs.item(index), a.conj((xs.defined, a.at_most(0, index), a.less(index, xs.length)))

    def index(self, block: Place, copies: Copies) -> z3.ArithRef:
        """The index of the element that a copy of the block stands for."""
        return self.vocabulary.index(self.index_name(block, copies))

    @staticmethod
    def index_name(block: Place, copies: Copies) -> str:
        """The name of that index among the leaves of the vocabulary."""
        return f"{block.path}@{'.'.join(map(str, copies))}"


def _negated(text: str) -> str:
    return f"not ({text})" if " " in text else f"not {text}" if text else ""


def depth(place: Place) -> int:
    """How many blocks an instance of the place is indexed by: those around it, and itself if it is one."""
    return len(place.loops) + isinstance(place.node, ForEach)
