"""Larger alignment problems, as runs of a long procedure with planted faults would give them.

In: a seeded `random.Random`, how many duties and events, how often a pattern is shared by several duties, how many faults. Out: a `Problem`. The
run follows the order of the procedure; then duties are left out, done twice, done with a wrong argument, or swapped; the rest is noise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from servanda.contracts.problem import Atom, EdgeInstance, Fact, Leaf, NearMiss, Problem


@dataclass(frozen=True, slots=True)
class Shape:
    """`repeats`: duties for each pattern, on average. `degree`: edges for each duty, on average. `span`: how far apart the ends of an edge
    are. `optional`: share of duties that are optional. `reads`: share of patterns on reads, whose events are shared."""

    leaves: int
    events: int
    faults: int
    repeats: float = 1.3
    degree: float = 1.7
    span: int = 8
    optional: float = 0.1
    reads: float = 0.4


def large(rng: Random, shape: Shape) -> Problem:
    """One problem of that shape."""
    number = max(1, round(shape.leaves / shape.repeats))
    reads = [rng.random() < shape.reads for _ in range(number)]
    labels = [rng.randrange(number) for _ in range(shape.leaves)]
    run: list[tuple[int, bool]] = [(label, True) for label in labels]
    for _ in range(shape.faults):
        _fault(rng, run)
    while len(run) < shape.events:
        run.insert(rng.randint(0, len(run)), (-1, True))
    facts = tuple(
        Fact(
            i, f"t{label}", i, True, good and label >= 0 and not reads[label], good and label >= 0 and not reads[label]
        )
        for i, (label, good) in enumerate(run)
    )
    fits: dict[int, list[int]] = {}
    misses: dict[int, list[int]] = {}
    for i, (label, good) in enumerate(run):
        (fits if good else misses).setdefault(label, []).append(i)
    leaves = []
    for n, label in enumerate(labels):
        kind = rng.random() < shape.optional
        fitting = tuple(fits.get(label, ()))
        near = tuple(NearMiss(i, (Atom("k 1 is not 2"),)) for i in misses.get(label, ()))
        name = f"d{n:04}"
        leaves.append(
            Leaf(
                name,
                name,
                "optional" if kind else "require",
                "normal",
                (),
                (),
                None,
                fitting,
                fitting if reads[label] else (),
                f"p{label}",
                () if kind else near,
                (f"t{label}",),
            )
        )
    return Problem(facts, tuple(leaves), (), _edges(rng, shape, leaves, facts), {}, {}, (), frozenset(), True)


def _fault(rng: Random, run: list[tuple[int, bool]]) -> None:
    place = rng.randrange(len(run))
    match rng.choice(("omit", "repeat", "wrong", "swap")):
        case "omit":
            del run[place]
        case "repeat":
            run.insert(rng.randint(0, len(run)), run[place])
        case "wrong":
            run[place] = (run[place][0], False)
        case _:
            other = min(len(run) - 1, place + rng.randint(1, 5))
            run[place], run[other] = run[other], run[place]


def _edges(rng: Random, shape: Shape, leaves: Sequence[Leaf], facts: Sequence[Fact]) -> tuple[EdgeInstance, ...]:
    edges: dict[tuple[str, str], EdgeInstance] = {}
    for number in range(round(shape.degree * len(leaves))):
        i = rng.randrange(max(1, len(leaves) - 1))
        j = min(len(leaves) - 1, i + rng.randint(1, shape.span))
        if i == j:
            continue
        first, last = leaves[i], leaves[j]
        supports: Mapping[int, tuple[int, ...]] = {
            f: tuple(e for e in first.candidates if facts[e].turn < facts[f].turn) for f in last.candidates
        }
        edges.setdefault((first.id, last.id), EdgeInstance(first.id, last.id, False, supports, "normal", number))
    return tuple(edges[key] for key in sorted(edges))
