"""Judging choices by the fixed pass, each once, and telling which explanation comes first.

In: a problem and choices of options and evidence. Out: explanations, ordered as the verdict orders them: cost, canonical tie-break, then the
options of the `any of` groups in order, which matter only where two of them have the same evidence.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from servanda.contracts.finding import Choice, Cost, Explanation, Identity, Tie
from servanda.contracts.meaning.explanation import Indexed, explanations, in_use, index
from servanda.contracts.problem import Problem
from servanda.solver.alignment.pairings import BestPairings

Rank = tuple[Cost, Tie, tuple[int, ...]]


def ordered(problem: Problem) -> Problem:
    """The problem with every part sorted by its stable id: what the fixed pass trusts."""
    leaves = tuple(sorted(problem.leaves, key=lambda x: x.id))
    forbids = tuple(sorted(problem.forbids, key=lambda f: f.id))
    edges = tuple(sorted(problem.edges, key=lambda e: (e.earlier, e.later, e.bounded, e.order)))
    violations = tuple(sorted(problem.violations, key=lambda v: (v.kind, v.element, v.events, v.seen)))
    return replace(
        problem,
        leaves=leaves,
        forbids=forbids,
        edges=edges,
        violations=violations,
        decisions=dict(sorted(problem.decisions.items())),
        groups={g: tuple(sorted(os)) for g, os in sorted(problem.groups.items())},
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """A choice with its explanations, one for each pairing of near misses that can matter. `best`: the first of them."""

    best: Explanation
    rank: Rank
    equal: tuple[Explanation, ...]
    """Those of the same cost as the best."""


@dataclass(slots=True)
class Judge:
    """The fixed pass over one problem, with what it has seen."""

    problem: Problem
    indexed: Indexed = field(init=False)
    _pairings: BestPairings = field(init=False)
    _parents: dict[str, frozenset[tuple[str, str]]] = field(init=False)
    _seen: dict[tuple[object, ...], Judged] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.indexed = index(self.problem)
        self._pairings = BestPairings({f.index: f.name for f in self.problem.facts})
        self._parents = {}
        for options in [*(x.options for x in self.problem.leaves), *(f.options for f in self.problem.forbids)]:
            for depth, (group, _) in enumerate(options):
                self._parents[group] = frozenset(options[:depth])

    @property
    def count(self) -> int:
        """How many choices were judged."""
        return len(self._seen)

    @property
    def cut_short(self) -> bool:
        """Whether some choice had more explanations than were looked at; then nothing is proved."""
        return self._pairings.cut_short

    def tidied(self, choice: Choice) -> Choice:
        """The choice with the first option of every group that stands in an option that is not chosen, and the evidence of leaves in use."""
        chosen = set(choice.options.items())
        options = {
            g: choice.options[g] if self.relevant(g, chosen) else names[0] for g, names in self.problem.groups.items()
        }
        return Choice(options, dict(sorted(choice.evidence.items())))

    def relevant(self, group: str, chosen: Iterable[tuple[str, str]]) -> bool:
        """Whether what is chosen for the group can change anything, given what is chosen for the others."""
        return group in self._parents and self._parents[group] <= set(chosen)

    def judge(self, choice: Choice) -> Judged:
        """The explanations of a choice, which must keep capacity."""
        choice = self.tidied(choice)
        key = (*choice.options.values(), *choice.evidence.items())
        found = self._seen.get(key)
        if found is None:
            options = tuple(names.index(choice.options[g]) for g, names in self.problem.groups.items())
            all_of_it = list(explanations(self.indexed, choice, self._pairings))
            best = min(all_of_it, key=lambda e: (e.cost, e.tie))
            equal = tuple(e for e in all_of_it if e.cost == best.cost)
            found = self._seen[key] = Judged(best, (best.cost, best.tie, options), equal)
        return found

    def all_of_cost(self, cost: Cost) -> list[Judged]:
        """What was judged and has that cost."""
        return [j for j in self._seen.values() if j.best.cost == cost]

    def idle(self, choice: Choice) -> frozenset[str]:
        """The leaves in use without evidence."""
        return frozenset(x.id for x in in_use(self.problem, choice.options) if x.id not in choice.evidence)


def often(explanation: Explanation) -> Counter[Identity]:
    """How often each identity is found."""
    return Counter(f.identity for f in explanation.findings)
