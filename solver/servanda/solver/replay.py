"""A witness held against the reference interpreter before anyone sees it.

In: a query found by the solver, as JSON. Out: which places the reference semantics activates under it, by `read_query`, `evaluate` and `holds`
alone. (`expected_graph` refuses a query as soon as any decision is faulty, which is what is being looked for here.) Trusts nothing of the solver.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from servanda.contracts.meaning.evaluate import NOTHING, Scope, evaluate, holds
from servanda.contracts.meaning.instances import query_scope
from servanda.contracts.meaning.query import read_query
from servanda.contracts.model import AnyOf, Branch, Contract, Decide, Duty, ForEach, Option, Rule, Step
from servanda.grammar.diagnostic import Refusal
from servanda.solver.activation_encoding import Place

Indices = tuple[int, ...]
"""The element of each `for each` around a place, outermost first."""


@dataclass(frozen=True, slots=True)
class Replay:
    """One query under the reference semantics."""

    scope: Scope

    def active(self, place: Place, indices: Indices) -> bool:
        """Whether the instance of the place is active, options aside."""
        return self._inside(place, indices) is not None

    def taken(self, decision: Place, indices: Indices) -> tuple[str, ...]:
        """The paths of the branches of an active decision whose guards are true, or of `otherwise` where none is."""
        assert isinstance(decision.node, Decide)
        here = self._inside(decision, indices)
        assert here is not None
        branches = decision.node.branches
        true = tuple(b.path for b in branches if b.guard is not None and holds(b.guard, here) is True)
        return true or tuple(b.path for b in branches if b.guard is None)

    def _inside(self, place: Place, indices: Indices) -> Scope | None:
        """The scope inside the instance of the place; None where it is not active."""
        around = self.scope if place.parent is None else self._inside(place.parent, indices)
        if around is None:
            return None
        node = place.node
        match node:
            case Option():
                return around
            case Duty() | Step() | Decide() | AnyOf() | Rule():
                return around if holds(node.guard, around) is True else None
            case Branch(guard=None):
                assert place.parent is not None and isinstance(place.parent.node, Decide)
                others = (b.guard for b in place.parent.node.branches if b.guard is not None)
                return None if any(holds(g, around) is True for g in others) else around
            case Branch(guard=guard):
                return around if holds(guard, around) is True else None
            case ForEach():
                elements = evaluate(node.list, around)
                index = indices[len(place.loops)]
                if not isinstance(elements, tuple) or not 0 <= index < len(elements):
                    return None
                within = around.within(node.variable, elements[index])
                return within if holds(node.guard, within) is True else None
            case _:
                assert_never(node)


def replayed(contract: Contract, query: Mapping[str, Any]) -> Replay | None:
    """The query under the reference semantics; None where the interpreter does not accept it as one of this contract."""
    try:
        return Replay(query_scope(contract, read_query(contract, query, None), NOTHING))
    except Refusal:
        return None
