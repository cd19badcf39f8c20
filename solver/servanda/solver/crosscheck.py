"""A second opinion: Z3 looks for an explanation that costs less than the solution.

In: a problem and its solution. Out: whether Z3 proves that nothing costs less. It gets the same model as CP-SAT as pseudo-Boolean constraints,
searches it by itself, and each choice it proposes is judged by the fixed pass. A choice that does cost less is a fault of our own.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import z3

from servanda.contracts.finding import Choice, Cost, Solution
from servanda.contracts.meaning.explanation import admissible
from servanda.contracts.problem import Problem
from servanda.grammar.diagnostic import InternalError
from servanda.solver.alignment.boolean_model import AtLeast
from servanda.solver.alignment.cuts import block, pins
from servanda.solver.alignment.judging import Judge, ordered
from servanda.solver.alignment.model import AlignmentModel, alignment_model
from servanda.solver.alignment.order import Chains
from servanda.solver.alignment.search import at_most

STEPS = 50_000_000
"""Budget of one question, in Z3's resource units."""
ROUNDS = 1000
"""How many choices that turn out no better are looked at before the solution counts as not confirmed."""
ALONE = 50
"""How many of them are blocked one by one, before what is learnt from them is told to Z3 as it is to CP-SAT."""


def confirmed(problem: Problem, solve: Callable[[Problem], Solution]) -> Solution:
    """The solution, which says how it was settled and whether Z3 confirms it."""
    solution = solve(problem)
    said = "confirmed by Z3" if confirm(problem, solution) else "not confirmed by Z3"
    return replace(solution, method=f"{solution.method}, {said}")


def confirm(problem: Problem, solution: Solution) -> bool:
    """Whether Z3 proves that no explanation costs less. False where the solution is not proven itself, or Z3 gives up.

    Raises InternalError where an explanation does cost less, or the solution does not cost what it says."""
    judge = Judge(ordered(problem))
    choice, cost = solution.explanation.choice, solution.explanation.cost
    if not admissible(judge.indexed, choice):
        raise InternalError("the evidence of a solution is not admissible")
    if (found := judge.judge(choice).best.cost) != cost:
        raise InternalError(f"a solution of cost {cost} costs {found}")
    if not solution.proven:
        return False
    model = alignment_model(judge.indexed, Chains(judge.indexed).middles)
    asked = _Asked(model)
    asked.below(cost)
    for number in range(ROUNDS):
        true = asked.valuation()
        if true is None:
            return asked.refuted and not judge.cut_short
        better = judge.judge(model.choice(true))
        if better.best.cost < cost:
            raise InternalError(f"cost {cost} is not the least: {better.best.cost} with {_words(better.best.choice)}")
        learnt = pins(model, true, better.best) if number >= ALONE else []
        for cut in learnt or [block(judge, better.best.choice)]:
            asked.add(cut.bound(model))
    return False


def _words(choice: Choice) -> str:
    return ", ".join(f"{leaf} at {event}" for leaf, event in choice.evidence.items()) or "no evidence"


@dataclass(slots=True)
class _Asked:
    """The model in Z3. `refuted`: the last question had no answer, for certain."""

    model: AlignmentModel
    refuted: bool = False
    _literals: list[z3.BoolRef] = field(init=False)
    _solver: z3.Solver = field(init=False)

    def __post_init__(self) -> None:
        boolean = self.model.boolean
        self._literals = [z3.Bool(f"v{v}") for v in range(len(boolean.keys) + 1)]
        self._solver = z3.SolverFor("QF_FD")
        self._solver.set("rlimit", STEPS)
        for clause in boolean.clauses:
            self._solver.add(z3.Or([self._literal(x) for x in clause]))
        for literals in boolean.exclusive:
            self._solver.add(z3.PbLe([(self._literal(x), 1) for x in literals], 1))
        for bound in boolean.bounds:
            self.add(bound)

    def _literal(self, literal: int) -> z3.BoolRef:
        return self._literals[literal] if literal > 0 else z3.Not(self._literals[-literal])

    def _formula(self, bound: AtLeast) -> z3.BoolRef:
        """Z3 wants positive weights: a negative one counts the complement."""
        least = bound.least - bound.total.constant - sum(min(w, 0) for w, _ in bound.total.terms)
        terms = [(self._literal(x if w > 0 else -x), abs(w)) for w, x in bound.total.terms]
        if least <= 0:
            return z3.BoolVal(True)
        return z3.PbGe(terms, least) if terms else z3.BoolVal(False)

    def add(self, bound: AtLeast) -> None:
        """One more constraint."""
        self._solver.add(self._formula(bound))

    def below(self, cost: Cost) -> None:
        """The first level that is not as in `cost` is below it."""
        levels = self.model.boolean.levels
        ways = []
        for k, level in enumerate(levels):
            upto = [at_most(levels[j], cost[j]) for j in range(k)]
            ways.append(z3.And([self._formula(b) for b in (*upto, at_most(level, cost[k] - 1))]))
        self._solver.add(z3.Or(ways))

    def valuation(self) -> tuple[bool, ...] | None:
        """A valuation that keeps all constraints; None where there is none or Z3 gave up."""
        answer = self._solver.check()
        self.refuted = answer == z3.unsat
        if answer != z3.sat:
            return None
        model = self._solver.model()
        return (False, *(z3.is_true(model.eval(x, model_completion=True)) for x in self._literals[1:]))
