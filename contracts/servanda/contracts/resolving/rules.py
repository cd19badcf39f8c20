"""Rules: the forms over patterns.

In: a form as written, its scope. Out: the typed form, or None once a fault is recorded or where it is refused as not supported. The alias of
the first pattern is in reach in the other patterns of its rule. Language reference §6.
"""

from typing import Literal as Lit
from typing import assert_never

from servanda.contracts import model as m
from servanda.contracts.expression import Expr
from servanda.contracts.resolving.expressions import condition, typed
from servanda.contracts.resolving.patterns import Matched, pattern
from servanda.contracts.resolving.typing_rules import SCALARS, family
from servanda.contracts.resolving.world import Scope, World
from servanda.contracts.types import type_name
from servanda.grammar import syntax as s


def form(world: World, scope: Scope, node: s.Form) -> m.Form | None:
    """The typed form."""
    match node:
        case s.Never():
            first = pattern(world, scope, node.pattern)
            beside = first.seen_from(scope)
            after, sound = _optional(world, beside, node.after)
            before, whole = _optional(world, beside, node.before)
            return m.Never(first.pattern, after, before) if first.pattern and sound and whole else None
        case s.Cardinality():
            first = pattern(world, scope, node.pattern)
            per, sound = _per(world, scope, first, node.per)
            return m.Cardinality(node.word, node.count, first.pattern, per) if first.pattern and sound else None
        case s.Each():
            return _each(world, scope, node)
        case s.OnlyIf():
            first = pattern(world, scope, node.pattern)
            needed = condition(world, scope.at_event(first.leaves, first.alias), node.condition)
            return m.OnlyIf(first.pattern, needed) if first.pattern and needed is not None else None
        case s.Always() | s.Edge():
            return None
        case _:
            assert_never(node)


def _each(world: World, scope: Scope, node: s.Each) -> m.Each | None:
    first = pattern(world, scope, node.pattern)
    beside = first.seen_from(scope)
    target = pattern(world, beside, node.target).pattern
    since, sound = _optional(world, beside, node.since)
    until, whole = _optional(world, beside, node.until)
    within = bound(node.bound)
    misplaced = (
        ("since", node.since, ("earlier", "immediately earlier")),
        ("until", node.until, ("later", "immediately later")),
    )
    for word, written, directions in misplaced:
        if written is not None and node.direction not in directions:
            world.faults.error(
                "C139", written.span, f"`{word}` bounds `{'` and `'.join(directions)}`, not `{node.direction}`"
            )
            return None
    if first.pattern is None or target is None or not sound or not whole:
        return None
    return m.Each(first.pattern, node.mode, node.direction, target, since, until, within)


def _optional(world: World, scope: Scope, node: s.Pattern | None) -> tuple[m.Pattern | None, bool]:
    if node is None:
        return None, True
    found = pattern(world, scope, node).pattern
    return found, found is not None


def _per(
    world: World, scope: Scope, first: Matched, per: s.Expr | str | None
) -> tuple[Expr | Lit["turn"] | None, bool]:
    if per is None:
        return None, True
    if isinstance(per, str):
        return "turn", True
    found = typed(world, scope.at_event(first.leaves, first.alias), per)
    if found is None:
        return None, False
    if family(found.type) not in SCALARS:
        world.faults.error("C120", per.span, f"events are counted per one value, not per {type_name(found.type)}")
        return None, False
    return found, True


def bound(node: s.Bound | None) -> m.Bound | None:
    """`within n turns|events`; what is not supported has been refused."""
    if node is None:
        return None
    match node.high.unit:
        case "turns":
            return m.Bound(node.low.value if node.low else 0, node.high.value, "turns")
        case "events":
            return m.Bound(node.low.value if node.low else 0, node.high.value, "events")
        case _:
            return m.Bound(node.low.value if node.low else 0, node.high.value, "seconds")
