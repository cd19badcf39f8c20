"""Small problems, by looking at every choice that leaves no more required duties without evidence than the best one known.

In: a judge and the best explanation so far. Out: a proven solution, or None where there are more choices than the budget allows. Asks no solver.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

from servanda.contracts.finding import SEVERITIES, Choice, Solution
from servanda.contracts.meaning.explanation import in_use
from servanda.contracts.problem import Leaf
from servanda.contracts.reference import certainty
from servanda.solver.alignment.greedy import DEPTH, option_choices, room
from servanda.solver.alignment.judging import Judge, Judged

STEPS = 20
"""Steps allowed for each choice allowed, so that dead ends count too."""


class _TooMany(Exception):
    """More choices than may be looked at."""


def enumerated(judge: Judge, first: Judged, few: int) -> Solution | None:
    """The solution, if there are at most `few` choices to look at."""
    picks = list(islice(option_choices(judge), few + 1))
    if len(picks) > few:
        return None
    looked = _Looked(judge, first.best.cost[:3], few, few * STEPS)
    try:
        for pick in picks:
            looked.through(pick)
    except _TooMany:
        return None
    judged: list[Judged] = []
    for choice in looked.choices:
        judged.append(judge.judge(choice))
        if judge.cut_short:
            return None
    best = min(judged, key=lambda j: j.rank).best
    equal = [e for j in judged if j.best.cost == best.cost for e in j.equal]
    return Solution(best, certainty(best, equal), True, "enumeration")


@dataclass(slots=True)
class _Looked:
    judge: Judge
    most: tuple[int, int, int]
    few: int
    steps: int
    choices: list[Choice] = field(default_factory=list)

    def through(self, options: Mapping[str, str]) -> None:
        """Collect all choices of evidence for these options that can be least. Raises _TooMany."""
        leaves = in_use(self.judge.problem, options)
        if len(leaves) > DEPTH:
            raise _TooMany
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
        if tuple(lacking) > self.most:
            return
        if place == len(leaves):
            if len(self.choices) == self.few:
                raise _TooMany
            self.choices.append(Choice(options, dict(evidence)))
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
