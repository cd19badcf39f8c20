"""The reference solver of alignment problems: every explanation, by brute force. It is the meaning of §8 of the language reference.

In: a ground problem. Out: its least explanation, with what is certain. Obvious and slow; imports no solver. Fit for small problems only:
beyond `LIMIT` choices it refuses instead of giving an answer it has not looked at.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice, product

from servanda.contracts.finding import Choice, Explanation, Solution
from servanda.contracts.meaning.explanation import Indexed, explanations, in_use, index
from servanda.contracts.problem import Leaf, Problem

LIMIT = 2_000_000


class TooLarge(Exception):
    """The problem has more choices than the reference looks at."""


def solve(problem: Problem) -> Solution:
    """The explanation least in the eight levels, over every choice and every pairing."""
    indexed = index(problem)
    tried = [e for choice in islice(choices(indexed), LIMIT + 1) for e in explanations(indexed, choice)]
    if len(tried) > LIMIT:
        raise TooLarge(f"more than {LIMIT} explanations")
    least = min(e.cost for e in tried)
    optimal = [e for e in tried if e.cost == least]
    best = min(optimal, key=lambda e: e.tie)
    return Solution(best, certainty(best, optimal), True, "reference")


def certainty(best: Explanation, optimal: list[Explanation]) -> tuple[bool, ...]:
    """For each finding of `best`, whether every optimal explanation has its identity as often."""
    counts = [Counter(f.identity for f in e.findings) for e in optimal]
    mine = Counter(f.identity for f in best.findings)
    return tuple(all(c[f.identity] >= mine[f.identity] for c in counts) for f in best.findings)


def choices(indexed: Indexed) -> Iterator[Choice]:
    """Every choice of options and every matching of events to leaves within capacity; a leaf may stay without evidence."""
    problem = indexed.problem
    groups = sorted(problem.groups)
    for pick in product(*(problem.groups[g] for g in groups)):
        options = dict(zip(groups, pick, strict=True))
        leaves = in_use(problem, options)
        for evidence in _matchings(leaves, 0, {}, {}):
            yield Choice(options, evidence)


def _matchings(
    leaves: tuple[Leaf, ...], k: int, evidence: dict[str, int], serves: dict[int, list[Leaf]]
) -> Iterator[dict[str, int]]:
    if k == len(leaves):
        yield dict(evidence)
        return
    leaf = leaves[k]
    yield from _matchings(leaves, k + 1, evidence, serves)
    for event in leaf.candidates:
        holders = serves.setdefault(event, [])
        if holders and not (event in leaf.shares and all(event in other.shares for other in holders)):
            continue
        evidence[leaf.id] = event
        holders.append(leaf)
        yield from _matchings(leaves, k + 1, evidence, serves)
        holders.pop()
        del evidence[leaf.id]
