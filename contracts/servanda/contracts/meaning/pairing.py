"""Near misses assigned to omissions one to one: most pairs, then fewest failed atoms in total (language reference §8, `omission`).

In: the possible pairs of one choice. Out: every best pairing, by exhaustive search: it says what a best pairing is. The engine has a way of
its own for long traces, held against this one.
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
