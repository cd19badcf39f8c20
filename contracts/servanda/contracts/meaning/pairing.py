"""Near misses assigned to omissions one to one: most pairs, then fewest failed atoms in total (language reference §8, `omission`).

In: the possible pairs of one choice. Out: every best pairing (`all_pairings`, for small problems), or one of each kind that can lead to a
different explanation (`distinct_pairings`, for real traces). Both give the same sets of findings; the second only leaves out pairings that
differ from a kept one by later events of the same kind.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from servanda.contracts.problem import NearMiss


@dataclass(frozen=True, slots=True)
class Pair:
    """A leaf (by id) without evidence and a near miss of it."""

    leaf: str
    near: NearMiss


def all_pairings(pairs: Sequence[Pair], _extras: AbstractSet[int]) -> Iterator[dict[str, Pair]]:
    """Every best pairing, by exhaustive search."""
    leaves = sorted({p.leaf for p in pairs})
    found: dict[tuple[int, int], list[dict[str, Pair]]] = {}

    def extend(k: int, chosen: dict[str, Pair], atoms: int) -> None:
        if k == len(leaves):
            found.setdefault((-len(chosen), atoms), []).append(dict(chosen))
            return
        extend(k + 1, chosen, atoms)
        for pair in pairs:
            if pair.leaf == leaves[k] and all(pair.near.event != other.near.event for other in chosen.values()):
                chosen[pair.leaf] = pair
                extend(k + 1, chosen, atoms + len(pair.near.atoms))
                del chosen[pair.leaf]

    extend(0, {}, 0)
    yield from found[min(found)]


def distinct_pairings(pairs: Sequence[Pair], extras: AbstractSet[int]) -> Iterator[dict[str, Pair]]:
    """Best pairings over representative events: of the events that look alike to every leaf, as many of the earliest as there are leaves.
    `extras`: the events that are `redundant` findings unless a pairing explains them.

    Two events look alike if the same leaves can be paired with them, with as many failed atoms, the same undefined views, the same wanted
    calls (an event with wanted calls stands for itself), and both are extras or neither is."""
    if not pairs:
        yield {}
        return
    looks: dict[int, list[tuple[str, int, tuple[tuple[str, bool], ...], tuple[int, ...]]]] = {}
    for pair in pairs:
        views = tuple(sorted((a.view, a.later) for a in pair.near.atoms))
        looks.setdefault(pair.near.event, []).append((pair.leaf, len(pair.near.atoms), views, pair.near.wanted))
    leaves = sorted({p.leaf for p in pairs})
    kept: set[int] = set()
    seen: dict[object, int] = {}
    for event in sorted(looks):
        # A near miss with wanted calls is judged by the edges met at its own place: it stands for itself.
        place = event if any(w for *_, w in looks[event]) else -1
        look = (tuple(sorted(looks[event])), event in extras, place)
        seen[look] = seen.get(look, 0) + 1
        if seen[look] <= len(leaves):
            kept.add(event)
    few = [p for p in pairs if p.near.event in kept]
    best = _best(few)
    by_leaf = {leaf: [p for p in few if p.leaf == leaf] for leaf in leaves}

    def extend(
        k: int, chosen: dict[str, Pair], taken: frozenset[int], size: int, atoms: int
    ) -> Iterator[dict[str, Pair]]:
        if size + len(leaves) - k < best[0] or atoms > best[1]:
            return
        if k == len(leaves):
            if (size, atoms) == best:
                yield dict(chosen)
            return
        for pair in by_leaf[leaves[k]]:
            if pair.near.event not in taken:
                chosen[pair.leaf] = pair
                yield from extend(k + 1, chosen, taken | {pair.near.event}, size + 1, atoms + len(pair.near.atoms))
                del chosen[pair.leaf]
        yield from extend(k + 1, chosen, taken, size, atoms)

    yield from extend(0, {}, frozenset(), 0, 0)


def _best(pairs: Sequence[Pair]) -> tuple[int, int]:
    """Size and atoms of a best pairing: a matching of largest size and, among those, least weight."""
    import networkx as nx  # costs a tenth of a second, and most traces have nothing to pair

    graph: nx.Graph[tuple[str, str | int]] = nx.Graph()
    for pair in pairs:
        leaf, event = ("leaf", pair.leaf), ("event", pair.near.event)
        weight = -len(pair.near.atoms)
        if not graph.has_edge(leaf, event) or graph[leaf][event]["weight"] < weight:
            graph.add_edge(leaf, event, weight=weight)
    matching = nx.max_weight_matching(graph, maxcardinality=True)
    return len(matching), -sum(graph[a][b]["weight"] for a, b in matching)
