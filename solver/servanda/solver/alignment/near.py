"""The part of the alignment model about what is missing: near misses, what turns an omission into something else, and extras.

In: the literals of a choice, of branches not taken and of edges. Out: literals at least as true as each `omission`, each misorder that
stands for one, and each `redundant`. Relaxed: pairings are one to one and cannot be bettered by one exchange, but need not be best as a whole;
an omission may follow from others in a circle as long as one of them is a finding.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from servanda.contracts.problem import Leaf, NearMiss
from servanda.solver.alignment.boolean_model import FALSE, TRUE
from servanda.solver.alignment.branches import Branches
from servanda.solver.alignment.evidence import Evidence
from servanda.solver.alignment.order import Edge, Order, support


@dataclass(frozen=True, slots=True)
class Paired:
    """A near miss of a leaf, and the literal that it belongs to the leaf's omission."""

    leaf: Leaf
    place: int
    near: NearMiss
    literal: int


@dataclass(frozen=True, slots=True)
class Missing:
    """`omission`: by leaf. `early`: by edge, that it stands instead of an omission; with the literal. `rest`: the leaf's omission is not
    absorbed. `pairs`: all that could be paired."""

    omission: Mapping[str, int]
    early: tuple[tuple[Edge, int], ...]
    rest: Mapping[str, int]
    pairs: tuple[Paired, ...]


def missing(evidence: Evidence, wrong: Branches, order: Order) -> Missing:
    """Add near misses and omissions."""
    builder = evidence.builder
    if not evidence.indexed.problem.complete:
        return Missing({}, (), {}, ())
    due = [leaf for leaf in evidence.leaves if leaf.kind == "require" and evidence.idle[leaf.id] != FALSE]
    rest = {
        leaf.id: builder.every(("rest", leaf.id), [evidence.idle[leaf.id], -wrong.absorbed.get(leaf.id, FALSE)])
        for leaf in due
    }
    pairs = _pairs(evidence, wrong, due, rest)
    by_leaf: dict[str, list[Paired]] = {leaf.id: [] for leaf in due}
    for pair in pairs:
        by_leaf[pair.leaf.id].append(pair)
    early: list[tuple[Edge, int]] = []
    late = {
        leaf.id: [x for pair in by_leaf[leaf.id] if (x := _late(evidence, order, pair, early)) != FALSE] for leaf in due
    }
    omission = {leaf.id: builder.variable("omission", leaf.id) for leaf in due if rest[leaf.id] != FALSE}
    told: dict[str, list[str]] = {}
    for leaf in due:
        for tool in leaf.calls:
            told.setdefault(tool, []).append(leaf.id)
    follows = {
        leaf.id: builder.variable("follows", leaf.id)
        for leaf in due
        if leaf.id in omission and any(_hangs_on_views(p.near) for p in by_leaf[leaf.id])
    }
    for leaf in due:
        if leaf.id not in omission:
            continue
        mine, after = omission[leaf.id], follows.get(leaf.id, FALSE)
        builder.clause(mine, -rest[leaf.id], after, *late[leaf.id])
        builder.clause(-mine, rest[leaf.id])
        builder.clause(-mine, -after)
        for literal in late[leaf.id]:
            builder.clause(-mine, -literal)
            builder.clause(-after, -literal)
        if after != FALSE:
            _follow(evidence, leaf, after, by_leaf[leaf.id], told, omission, follows)
    return Missing(omission, tuple(early), rest, tuple(pairs))


def _pairs(evidence: Evidence, wrong: Branches, due: Sequence[Leaf], rest: Mapping[str, int]) -> list[Paired]:
    """One to one; no pair can be added, and none exchanged for one with fewer failed atoms."""
    builder = evidence.builder
    pairs: list[Paired] = []
    at: dict[int, list[Paired]] = {}
    for leaf in due:
        mine = []
        for place, near in enumerate(leaf.near):
            if rest[leaf.id] == FALSE or evidence.free[near.event] == FALSE:
                continue
            pair = Paired(leaf, place, near, builder.variable("near", leaf.id, place))
            builder.clause(-pair.literal, rest[leaf.id])
            builder.clause(-pair.literal, evidence.free[near.event])
            builder.clause(-pair.literal, -wrong.explains(near.event))
            at.setdefault(near.event, []).append(pair)
            mine.append(pair)
        builder.at_most_one([p.literal for p in mine])
        pairs += mine
    for able in at.values():
        builder.at_most_one([p.literal for p in able])
    by_leaf: dict[str, list[Paired]] = {}
    for pair in pairs:
        by_leaf.setdefault(pair.leaf.id, []).append(pair)
    open_ = {
        event: builder.every(
            ("open", event), [evidence.free[event], -wrong.explains(event), *(-p.literal for p in able)]
        )
        for event, able in sorted(at.items())
    }
    for leaf_id, mine in by_leaf.items():
        closer = FALSE
        for atoms in sorted({len(p.near.atoms) for p in mine}):
            level = [p for p in mine if len(p.near.atoms) == atoms]
            for pair in level:
                builder.clause(-pair.literal, -closer)
            closer = builder.either(("closer", leaf_id, atoms), [closer, *(open_[p.near.event] for p in level)])
        builder.clause(-rest[leaf_id], -closer, *(p.literal for p in mine))
    return pairs


def _late(evidence: Evidence, order: Order, pair: Paired, early: list[tuple[Edge, int]]) -> int:
    """The near miss came too early: each call it wanted is asked for by an edge that is not met at it. Those edges are added to `early`."""
    builder, facts, near = evidence.builder, evidence.indexed.facts, pair.near
    if not near.wanted:
        return FALSE
    asks: list[tuple[Edge, int]] = []
    for edge in order.into.get(pair.leaf.id, ()):
        if set(near.wanted) & set(edge.earlier.candidates):
            before = tuple(e for e in edge.earlier.candidates if facts[e].turn < facts[near.event].turn)
            met = support(evidence, edge.earlier, before)
            key = ("unmet", *edge.key(), pair.place)
            asks.append((edge, builder.every(key, [edge.binds, -met])))
    beyond = order.beyond.get(pair.leaf.id, ())
    covered = [
        builder.either(
            ("asked", pair.leaf.id, pair.place, w), [*(x for e, x in asks if w in e.earlier.candidates), *beyond]
        )
        for w in near.wanted
    ]
    if beyond:
        # What chains beyond is not known here: it may make the near miss a matter of order, and need not.
        late = builder.variable("late", pair.leaf.id, pair.place)
        for literal in (pair.literal, *covered):
            builder.clause(-late, literal)
    else:
        late = builder.every(("late", pair.leaf.id, pair.place), [pair.literal, *covered])
    if late != FALSE:
        for edge, unmet in asks:
            literal = builder.every(("early", *edge.key(), pair.place), [late, unmet])
            if literal != FALSE:
                early.append((edge, literal))
    return late


def _hangs_on_views(near: NearMiss) -> bool:
    return all(a.view and not a.later for a in near.atoms)


def _follow(
    evidence: Evidence,
    leaf: Leaf,
    after: int,
    pairs: Sequence[Paired],
    told: Mapping[str, Sequence[str]],
    omission: Mapping[str, int],
    follows: Mapping[str, int],
) -> None:
    """The omission follows from others: each view its near miss lacks, from an omission of a call that the view reads."""
    builder = evidence.builder
    able = [p for p in pairs if _hangs_on_views(p.near)]
    builder.clause(-after, *(p.literal for p in able))
    roots: set[str] = set()
    for pair in able:
        for tools in {a.tools: None for a in pair.near.atoms}:
            causes = sorted({x for t in tools for x in told.get(t, ()) if x != leaf.id})
            literals = [x for c in causes for x in (omission.get(c, FALSE), follows.get(c, FALSE))]
            builder.clause(-after, -pair.literal, *literals)
            roots.update(causes)
    todo = sorted(roots)
    while todo:
        cause = todo.pop()
        if cause in follows:
            for near in next(x for x in evidence.leaves if x.id == cause).near:
                if _hangs_on_views(near):
                    more = {x for a in near.atoms for t in a.tools for x in told.get(t, ())} - roots
                    roots |= more
                    todo += sorted(more)
    builder.clause(-after, *(omission[x] for x in sorted(roots - {leaf.id}) if x in omission))


def extras(evidence: Evidence, wrong: Branches, order: Order, lacking: Missing) -> dict[int, int]:
    """For each event that would be extra, a literal at least as true as its `redundant` finding."""
    builder, problem = evidence.builder, evidence.indexed.problem
    paired: dict[int, list[int]] = {}
    for pair in lacking.pairs:
        paired.setdefault(pair.near.event, []).append(pair.literal)
    forbidden: dict[int, list[int]] = {}
    for forbid in problem.forbids:
        for event in forbid.events:
            forbidden.setdefault(event, []).append(evidence.bound(forbid.options))
    found: dict[int, int] = {}
    for fact in problem.facts:
        if not fact.extra:
            continue
        event = fact.index
        reasons = [wrong.explains(event), *forbidden.get(event, ()), *paired.get(event, ())]
        for leaf in evidence.holders[event]:
            reasons += [x for e in order.into.get(leaf.id, ()) if (x := _blamed(evidence, e, event)) != FALSE]
            reasons += order.beyond.get(leaf.id, ())
        if evidence.free[event] != FALSE and TRUE not in reasons:
            literal = found[event] = builder.variable("redundant", event)
            builder.clause(literal, -evidence.free[event], *reasons)
    return found


def _blamed(evidence: Evidence, edge: Edge, event: int) -> int:
    """The free event, which fits the later end, may be one of those at which the edge is violated."""
    fact = evidence.indexed.facts[event]
    optional = edge.later.kind == "optional"
    met = support(evidence, edge.earlier, edge.supports[event])
    if edge.violated == FALSE or met == TRUE or not (fact.write or optional):
        return FALSE
    idle = [] if fact.write else [evidence.idle[edge.later.id]]
    return evidence.builder.every(("blamed", *edge.key(), event), [edge.violated, edge.binds, -met, *idle])
