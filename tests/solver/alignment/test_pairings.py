"""The pairings that the engine tries against all best pairings: the same ways to end, and the same one first."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from random import Random

import pytest

from servanda.contracts.meaning.pairing import Pair, all_pairings
from servanda.contracts.problem import Atom, NearMiss
from servanda.solver.alignment.pairings import BestPairings

Ending = tuple[tuple[object, ...], tuple[str, ...]]
NAMES = {event: ("write_a", "write_b", "read_a")[event % 3] for event in range(40)}


def some_pairs(rng: Random) -> tuple[list[Pair], frozenset[int]]:
    pairs = []
    events = range(rng.randint(1, 6))
    for k in range(rng.randint(1, 4)):
        for event in events:
            if rng.random() < 0.7:
                atoms = tuple(
                    Atom("k 1 is not 2")
                    if rng.random() < 0.6
                    else Atom("v is undefined", "v", ("read_a",), rng.random() < 0.5)
                    for _ in range(rng.choice((1, 1, 2)))
                )
                wanted = (7,) if all(a.later for a in atoms) and rng.random() < 0.7 else ()
                pairs.append(Pair(f"leaf{k}", NearMiss(event, atoms, wanted)))
    return pairs, frozenset(e for e in events if rng.random() < 0.6)


def ending(pairing: dict[str, Pair], extras: AbstractSet[int]) -> Ending:
    """All of a pairing that findings can hang on, without which of alike events stands where."""
    special: list[object] = []
    for leaf, pair in sorted(pairing.items()):
        if pair.near.wanted:
            special.append((leaf, pair.near.event))
        elif all(a.view and not a.later for a in pair.near.atoms):
            special.append((leaf, pair.near.atoms[0].tools))
    explained = sorted(NAMES[p.near.event] for p in pairing.values() if p.near.event in extras)
    return tuple(special), tuple(explained)


def tie(pairing: dict[str, Pair]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((leaf, pair.near.event) for leaf, pair in pairing.items()))


def firsts(pairings: Sequence[dict[str, Pair]], extras: AbstractSet[int]) -> dict[Ending, tuple[tuple[str, int], ...]]:
    """The first pairing of each way to end."""
    found: dict[Ending, tuple[tuple[str, int], ...]] = {}
    for pairing in pairings:
        key = ending(pairing, extras)
        found[key] = min(found.get(key, tie(pairing)), tie(pairing))
    return found


@pytest.mark.parametrize("start", range(0, 1500, 250))
def test_same_endings_and_same_first(start: int) -> None:
    for seed in range(start, start + 250):
        pairs, extras = some_pairs(Random(seed))
        few = list(BestPairings(NAMES)(pairs, extras))
        assert firsts(few, extras) == firsts(list(all_pairings(pairs, extras)), extras), seed
        assert len(few) == len(firsts(few, extras)), seed


def test_many_alike_pairings_are_few() -> None:
    """Twelve omissions and twenty alike near misses have more pairings than can be tried, and one way to end."""
    near = [NearMiss(event, (Atom("amount 1 is not 2"),)) for event in range(0, 60, 3)]
    names = dict.fromkeys(range(60), "write_a")
    pairs = [Pair(f"leaf{k:02}", n) for k in range(12) for n in near]
    few = list(BestPairings(names)(pairs, frozenset(range(60))))
    assert [tie(p) for p in few] == [tuple((f"leaf{k:02}", 3 * k) for k in range(12))]


def test_alike_near_misses_of_different_tools_are_told_apart() -> None:
    """Whichever is paired, the other is the extra: two ways to end."""
    pairs = [Pair("leaf", NearMiss(event, (Atom("k 1 is not 2"),))) for event in (0, 1)]
    few = list(BestPairings({0: "write_a", 1: "write_b"})(pairs, frozenset((0, 1))))
    assert [tie(p) for p in few] == [(("leaf", 0),), (("leaf", 1),)]
