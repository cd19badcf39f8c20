"""The linear model is a lower bound: for every choice and every explanation of it there is a valuation none of whose levels costs more.

That is checked for the model as built, looking through all leaves and through none, and with all that a search has learnt.
"""

from collections.abc import Iterable
from random import Random

import pytest
from tests.solver.alignment.generate import Size, problem

from servanda.contracts import reference
from servanda.contracts.finding import Choice, Explanation
from servanda.contracts.meaning.explanation import explanations
from servanda.solver.alignment.boolean_model import AtLeast, Named, Sum
from servanda.solver.alignment.cuts import Cut
from servanda.solver.alignment.judging import Judge, often, ordered
from servanda.solver.alignment.model import AlignmentModel, alignment_model
from servanda.solver.alignment.order import Chains
from servanda.solver.alignment.search import Search, at_most
from servanda.solver.budget import Budget
from servanda.solver.cpsat import CpSat

SMALL = Size(leaves=5, events=6, choices=50)
LARGER = Size(leaves=9, events=12, choices=400)


def exactly(judge: Judge, model: AlignmentModel, explanation: Explanation) -> list[AtLeast]:
    """The choice of an explanation and its near misses."""
    choice = judge.tidied(explanation.choice)
    state: list[Named] = [(("option", g, o), True) for g, o in choice.options.items()]
    state += [
        (("evidence", leaf.id, e), choice.evidence.get(leaf.id) == e)
        for leaf in judge.problem.active
        for e in leaf.candidates
    ]
    paired = dict(explanation.near)
    state += [(("near", p.leaf.id, p.place), paired.get(p.leaf.id) == p.near.event) for p in model.lacking.pairs]
    return [Cut(((1, named),)).bound(model) for named in state]


def no_more(model: AlignmentModel, explanation: Explanation) -> list[AtLeast]:
    """No level above the explanation's cost, no identity counted more often than it has it."""
    counted = often(explanation)
    levels = [at_most(level, most) for level, most in zip(model.boolean.levels, explanation.cost, strict=True)]
    return levels + [at_most(total, counted[identity]) for identity, total in model.counts.items()]


def check(judge: Judge, model: AlignmentModel, learnt: Iterable[Cut], seed: int) -> int:
    solver = CpSat(model.boolean)
    for cut in learnt:
        solver.learn(cut.bound(model))
    count = 0
    for choice in reference.choices(judge.indexed):
        tidy = judge.tidied(choice)
        if dict(tidy.options) != dict(choice.options):
            continue
        for explanation in explanations(judge.indexed, choice):
            bounds = [*exactly(judge, model, explanation), *no_more(model, explanation)]
            answer = solver.ask(Sum(()), bounds, (), 1.0)
            assert answer.status == "least", f"seed {seed}: {choice} costs {explanation.cost}, the model says more"
            count += 1
    return count


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_no_choice_costs_less_than_the_model_says(start: int) -> None:
    count = 0
    for seed in range(start, start + 50):
        judge = Judge(ordered(problem(Random(seed), SMALL)))
        for through in {Chains(judge.indexed).middles, frozenset[str]()}:
            count += check(judge, alignment_model(judge.indexed, through), (), seed)
    assert count > 300


TEACHING = {
    SMALL: "162 481 668 747 868 1019 1068 1632 1800 3043 3100 3125 3502 3707 3736 4008 4136 4709 5297 5897 6537 6855 7331",
    LARGER: "30 351 655 668 764 1504 1618 1667 1835 1978 2527",
}
"""Seeds of problems that something is learnt from: one in two hundred is."""


@pytest.mark.parametrize("size", [SMALL, LARGER])
def test_what_is_learnt_holds_for_every_choice(size: Size) -> None:
    learnt = 0
    for seed in map(int, TEACHING[size].split()):
        judge = Judge(ordered(problem(Random(seed), size)))
        options = {group: names[0] for group, names in judge.problem.groups.items()}
        search = Search(judge, Budget(), judge.judge(Choice(options, {})))
        search.solve()
        learnt += len(search.learnt)
        check(judge, search.model, search.learnt, seed)
    assert learnt > 10
