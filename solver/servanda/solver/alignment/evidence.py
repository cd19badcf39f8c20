"""The part of the alignment model that a choice is: options, evidence, what stays free, within capacity.

In: an indexed problem. Out: literals that the other parts of the model speak in. Exact: its valuations are the admissible choices, one each.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from servanda.contracts.meaning.explanation import Indexed
from servanda.contracts.problem import Leaf
from servanda.solver.alignment.boolean_model import FALSE, TRUE, Builder


@dataclass(frozen=True, slots=True)
class Evidence:
    """Literals of a choice. `option`: the option is chosen. `on`: the leaf has that event as evidence. `use`: the leaf stands in no option but
    a chosen one. `has`: it has evidence. `idle`: it is in use and has none. `free`: the event is evidence of nothing."""

    builder: Builder
    indexed: Indexed
    leaves: tuple[Leaf, ...]
    option: Mapping[tuple[str, str], int]
    on: Mapping[tuple[str, int], int]
    use: Mapping[str, int]
    has: Mapping[str, int]
    idle: Mapping[str, int]
    free: Mapping[int, int]
    skipped: Mapping[str, int]
    """Where there are options: the leaf is not in use, and one with a greater id is."""
    holders: Mapping[int, tuple[Leaf, ...]]
    """The active leaves whose evidence an event can be."""

    def bound(self, options: tuple[tuple[str, str], ...]) -> int:
        """Every one of these options is chosen."""
        return self.builder.every(("chosen", options), [self.option[o] for o in options])

    def has_for(self, leaf: Leaf, event: int) -> int:
        """The event is evidence of the leaf."""
        return self.on.get((leaf.id, event), FALSE)

    def available(self, leaf: Leaf, event: int) -> int:
        """The event, which fits the leaf, is evidence of it or of nothing (for a leaf in use)."""
        others = [self.on[other.id, event] for other in self.holders[event] if other.id != leaf.id]
        if not others:
            return TRUE
        mine = self.on[leaf.id, event]
        return self.builder.either(("available", leaf.id, event), [mine, self.free[event]])


def evidence(indexed: Indexed, builder: Builder) -> Evidence:
    """The choice as literals."""
    problem = indexed.problem
    leaves = tuple(sorted(indexed.leaves.values(), key=lambda leaf: leaf.id))
    option: dict[tuple[str, str], int] = {}
    for group, names in sorted(problem.groups.items()):
        literals = [builder.variable("option", group, name) for name in names]
        builder.clause(*literals)
        builder.at_most_one(literals)
        option.update(((group, name), literal) for name, literal in zip(names, literals, strict=True))
    on: dict[tuple[str, int], int] = {}
    use: dict[str, int] = {}
    has: dict[str, int] = {}
    idle: dict[str, int] = {}
    holders: dict[int, list[Leaf]] = {fact.index: [] for fact in problem.facts}
    for leaf in leaves:
        chosen = builder.every(("chosen", leaf.options), [option[o] for o in leaf.options])
        mine = []
        for event in leaf.candidates:
            literal = on[leaf.id, event] = builder.variable("evidence", leaf.id, event)
            builder.clause(-literal, chosen)
            holders[event].append(leaf)
            mine.append(literal)
        builder.at_most_one(mine)
        use[leaf.id] = chosen
        has[leaf.id] = builder.either(("has", leaf.id), mine)
        idle[leaf.id] = builder.every(("idle", leaf.id), [chosen, -has[leaf.id]])
    free: dict[int, int] = {}
    for event, able in holders.items():
        sole = [on[leaf.id, event] for leaf in able if event not in leaf.shares]
        builder.at_most_one(sole)
        if sole:
            for leaf in able:
                if event in leaf.shares:
                    builder.at_most_one([*sole, on[leaf.id, event]])
        free[event] = -builder.either(("used", event), [on[leaf.id, event] for leaf in able])
        builder.call(("free", event), free[event])
    skipped: dict[str, int] = {}
    later = FALSE
    for leaf in reversed(leaves if problem.groups else ()):
        skipped[leaf.id] = builder.every(("skipped", leaf.id), [-use[leaf.id], later])
        later = builder.either(("from", leaf.id), [use[leaf.id], later])
    return Evidence(
        builder,
        indexed,
        leaves,
        option,
        on,
        use,
        has,
        idle,
        free,
        skipped,
        {e: tuple(ls) for e, ls in holders.items()},
    )
