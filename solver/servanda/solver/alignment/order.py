"""The part of the alignment model about order: which edges are violated, and at which events.

In: the literals of a choice and of branches not taken. Out: for each edge, and each edge that `before` chains through a leaf without evidence,
a literal that is true at least where the edge is a finding. An edge chains in the model only through the leaves it is told to look through
(`through`); what chains through others is relaxed. In an open trace an edge that only non-writes violate beside a write already asked for by
a rule is relaxed too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from servanda.contracts.meaning.explanation import Indexed
from servanda.contracts.problem import Leaf
from servanda.solver.alignment.boolean_model import FALSE, TRUE
from servanda.solver.alignment.branches import Branches
from servanda.solver.alignment.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge that may bind. `supports`: for each event that fits the later end, the events of the earlier end that may stand before it."""

    earlier: Leaf
    later: Leaf
    place: int
    """Index among the edges of the problem, -1 for a chained one."""
    supports: Mapping[int, tuple[int, ...]]
    binds: int
    """Both ends are in use; for a chained edge also what it chains through has no evidence."""
    violated: int

    def key(self) -> tuple[str, str, int]:
        """Names the edge."""
        return self.earlier.id, self.later.id, self.place


@dataclass(frozen=True)
class Chains:
    """Which leaves an edge may chain through, statically."""

    indexed: Indexed

    @cached_property
    def direct(self) -> frozenset[tuple[str, str]]:
        """The pairs of ends of the edges that are written."""
        return frozenset((e.earlier, e.later) for e in self.indexed.problem.edges)

    @cached_property
    def into(self) -> Mapping[str, tuple[str, ...]]:
        """The earlier ends of the edges into a leaf."""
        ends: dict[str, set[str]] = {}
        for earlier, later in self.direct:
            ends.setdefault(later, set()).add(earlier)
        return {later: tuple(sorted(earlier)) for later, earlier in ends.items()}

    @cached_property
    def middles(self) -> frozenset[str]:
        """The leaves with edges on both sides."""
        return frozenset(self.into) & {earlier for earlier, _ in self.direct}

    def pairs(self, through: frozenset[str]) -> list[tuple[str, str]]:
        """The pairs that chain through leaves of `through` alone and have no edge of their own, sorted."""
        reached: dict[str, set[str]] = {}
        for earlier, later in self.direct:
            reached.setdefault(earlier, set()).add(later)
        onward = {m: {c for a, c in self.direct if a == m} for m in through}
        todo = [(a, m) for a, m in sorted(self.direct) if m in through]
        while todo:
            first, middle = todo.pop()
            for last in onward[middle]:
                if last not in reached[first]:
                    reached[first].add(last)
                    if last in through:
                        todo.append((first, last))
        return sorted((a, c) for a, cs in reached.items() for c in cs if (a, c) not in self.direct)

    def beyond(self, through: frozenset[str], later: str) -> list[str]:
        """The leaves outside `through` that an edge into `later` might chain through, sorted."""
        if self.middles <= through:
            return []
        seen: set[str] = set()
        todo = [later]
        while todo:
            for middle in self.into.get(todo.pop(), ()):
                if middle in self.middles and middle not in seen:
                    seen.add(middle)
                    todo.append(middle)
        return sorted(seen - through)


@dataclass(frozen=True, slots=True)
class Order:
    """`edges`: all that may bind. `beyond`: literals, one of which is true where an edge into the leaf chains through a leaf that was not
    looked through."""

    edges: tuple[Edge, ...]
    into: Mapping[str, tuple[Edge, ...]]
    beyond: Mapping[str, tuple[int, ...]]


def support(evidence: Evidence, leaf: Leaf, events: Sequence[int]) -> int:
    """One of the events is evidence of the leaf or of nothing (for a leaf in use). Exact. Prefixes of the candidates share a ladder."""
    if any(evidence.available(leaf, e) == TRUE for e in events):
        return TRUE
    if tuple(events) != leaf.candidates[: len(events)]:
        return evidence.builder.either(
            ("support", leaf.id, tuple(events)), [evidence.available(leaf, e) for e in events]
        )
    found = FALSE
    for count, event in enumerate(events, 1):
        found = evidence.builder.either(("first", leaf.id, count), [found, evidence.available(leaf, event)])
    return found


def order(evidence: Evidence, wrong: Branches, through: frozenset[str]) -> Order:
    """Add the edges and what chains through the leaves of `through`."""
    builder, indexed = evidence.builder, evidence.indexed
    chains = Chains(indexed)
    edges: list[Edge] = []
    for place, given in enumerate(indexed.problem.edges):
        if given.earlier not in indexed.leaves or given.later not in indexed.leaves:
            continue
        first, last = indexed.leaves[given.earlier], indexed.leaves[given.later]
        fits = set(first.candidates)
        supports = {f: tuple(e for e in given.supports.get(f, ()) if e in fits) for f in last.candidates}
        binds = builder.every(("binds", first.id, last.id), [evidence.use[first.id], evidence.use[last.id]])
        edges.append(_edge(evidence, wrong, first, last, place, supports, binds))
    edges += _chained(evidence, wrong, chains, through)
    into: dict[str, list[Edge]] = {}
    for edge in edges:
        into.setdefault(edge.later.id, []).append(edge)
    beyond = {
        leaf.id: tuple(x for m in chains.beyond(through, leaf.id) if (x := evidence.idle[m]) != FALSE)
        for leaf in evidence.leaves
    }
    return Order(tuple(edges), {k: tuple(v) for k, v in into.items()}, beyond)


def _chained(evidence: Evidence, wrong: Branches, chains: Chains, through: frozenset[str]) -> list[Edge]:
    builder, indexed = evidence.builder, evidence.indexed
    pairs = chains.pairs(through)
    links = {pair: builder.variable("chain", *pair) for pair in pairs}

    def reaches(first: str, middle: str) -> int:
        if (first, middle) in chains.direct:
            return builder.every(("binds", first, middle), [evidence.use[first], evidence.use[middle]])
        return links.get((first, middle), FALSE)

    edges = []
    for (a, c), link in links.items():
        first, last = indexed.leaves[a], indexed.leaves[c]
        ways = []
        for middle in chains.into[c]:
            if middle in through and (way := reaches(a, middle)) != FALSE:
                ways.append(builder.every(("way", a, middle), [way, evidence.idle[middle]]))
        builder.clause(-link, evidence.use[c])
        builder.clause(-link, *ways)
        for way in ways:
            builder.clause(link, -way, -evidence.use[c])
        facts = indexed.facts
        supports = {f: tuple(e for e in first.candidates if facts[e].turn < facts[f].turn) for f in last.candidates}
        edges.append(_edge(evidence, wrong, first, last, -1, supports, link))
    return edges


def _edge(
    evidence: Evidence,
    wrong: Branches,
    first: Leaf,
    last: Leaf,
    place: int,
    supports: Mapping[int, tuple[int, ...]],
    binds: int,
) -> Edge:
    """One edge, judged at the evidence of its later end and at free writes that fit it."""
    builder, problem, facts = evidence.builder, evidence.indexed.problem, evidence.indexed.facts
    violated = FALSE
    judged = [binds]
    judged.append(evidence.has[first.id] if first.kind == "require" else support(evidence, first, first.candidates))
    if last.kind == "require":
        judged.append(evidence.has[last.id])
    if FALSE in judged:
        return Edge(first, last, place, supports, binds, FALSE)
    unless = [-x for x in judged]
    met = {f: support(evidence, first, supports[f]) for f in last.candidates}
    stray = [f for f in last.candidates if facts[f].write and wrong.explains(f) != FALSE]

    def finding(*reasons: int) -> None:
        nonlocal violated
        if TRUE in reasons:
            return
        violated = builder.variable("violated", first.id, last.id, place)
        builder.clause(violated, *unless, *reasons)

    for event in last.candidates:
        if met[event] == TRUE or (first.id, event) in problem.said:
            continue
        write = facts[event].write
        if problem.complete or write:
            others = [wrong.explains(f) for f in last.candidates if f == event or f in stray]
            finding(-evidence.on[last.id, event], met[event], *others)
        if write:
            finding(-evidence.free[event], met[event], *(wrong.explains(f) for f in last.candidates))
    if last.kind == "optional" and problem.complete:
        pleased = [
            builder.every(("free_in_order", first.id, last.id, place, f), [evidence.free[f], met[f]])
            for f in last.candidates
        ]
        earlier: list[int] = []
        for event in last.candidates:
            if not facts[event].write and (first.id, event) not in problem.said:
                finding(evidence.has[last.id], -evidence.free[event], *earlier, *pleased, wrong.explains(event))
            earlier.append(evidence.free[event])
    return Edge(first, last, place, supports, binds, violated)
