"""Small problems, by looking at every choice that leaves no more required duties without evidence than the best one known.

In: a judge and the best explanation so far. Out: a proven solution, or None where there are more choices than the budget allows. Asks no solver.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

from servanda.contracts.explanation import in_use
from servanda.contracts.finding import SEVERITIES, Choice, Solution
from servanda.contracts.problem import Leaf
from servanda.contracts.reference import certainty
from servanda.solver.greedy import option_choices, room
from servanda.solver.judging import Judge, Judged

STEPS = 20
"""Steps allowed for each choice allowed, so that dead ends count too."""


class _TooMany(Exception):
    """More choices than may be looked at."""


def enumerated(judge: Judge, first: Judged, few: int) -> Solution | None:
    """The solution, if there are at most `few` choices to look at."""
    picks = list(islice(option_choices(judge), few + 1))
    if len(picks) > few:
        return None
    looked = _Looked(judge, first, few, few * STEPS)
    try:
        for pick in picks:
            looked.through(pick)
    except _TooMany:
        return None
    best = looked.best.best
    cost = [e for j in looked.judged if j.best.cost == best.cost for e in j.equal]
    return Solution(best, certainty(best, cost), True, "enumeration")


@dataclass(slots=True)
class _Looked:
    judge: Judge
    best: Judged
    choices: int
    steps: int
    judged: list[Judged] = field(default_factory=list)

    def through(self, options: Mapping[str, str]) -> None:
        """Judge all choices of evidence for these options that can be least. Raises _TooMany."""
        leaves = in_use(self.judge.problem, options)
        lacking = [0, 0, 0]
        for leaf in leaves:
            if leaf.kind == "require" and not leaf.candidates:
                lacking[SEVERITIES.index(leaf.severity)] += 1
        self._extend(options, tuple(x for x in leaves if x.candidates), 0, {}, {}, lacking)

    def _extend(
        self,
        options: Mapping[str, str],
        leaves: tuple[Leaf, ...],
        place: int,
        evidence: dict[str, int],
        serving: dict[int, list[Leaf]],
        lacking: list[int],
    ) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise _TooMany
        if tuple(lacking) > self.best.best.cost[:3]:
            return
        if place == len(leaves):
            self.choices -= 1
            if self.choices < 0:
                raise _TooMany
            judged = self.judge.judge(Choice(options, dict(evidence)))
            self.judged.append(judged)
            self.best = min(self.best, judged, key=lambda j: j.rank)
            return
        leaf = leaves[place]
        for event in leaf.candidates:
            holders = serving.setdefault(event, [])
            if room(leaf, event, holders):
                evidence[leaf.id] = event
                holders.append(leaf)
                self._extend(options, leaves, place + 1, evidence, serving, lacking)
                holders.pop()
                del evidence[leaf.id]
        if leaf.kind == "require":
            lacking = list(lacking)
            lacking[SEVERITIES.index(leaf.severity)] += 1
        self._extend(options, leaves, place + 1, evidence, serving, lacking)
