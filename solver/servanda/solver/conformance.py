"""From an alignment problem to its solution, and from a contract, a trace and a query to a verdict: exact, cheapest way first.

In: a ground problem, or what it is made from. Out: the least explanation with what is certain, proved; or the best one found with a bound, where
the budget ended first, which the verdict shows as *undecided (limit)*. Stages: greedy explanations with a certificate, every choice where there
are few, CP-SAT on what is left. All give the same solution: the order of declarations, the stage and the clock change nothing but `method`.
"""

from collections.abc import Mapping
from functools import partial

from servanda.contracts.finding import Solution
from servanda.contracts.model import Contract
from servanda.contracts.observed import Json, Trace
from servanda.contracts.problem import Problem
from servanda.contracts.verdict import Evaluation, decide
from servanda.solver.alignment.enumeration import enumerated
from servanda.solver.alignment.greedy import greedy, settled
from servanda.solver.alignment.judging import Judge, ordered
from servanda.solver.budget import Budget

DEFAULT = Budget()


def solve(problem: Problem, *, budget: Budget = DEFAULT) -> Solution:
    """The least explanation of a problem."""
    judge = Judge(ordered(problem))
    first = greedy(judge)
    solution = settled(judge, first) or enumerated(judge, first, budget.few)
    if solution is None:
        from servanda.solver.alignment.search import Search

        solution = Search(judge, budget, first).solve()
    if not judge.cut_short:
        return solution
    best = solution.explanation
    bound = (0, 0, 0, 0, 0, 0, 0, 0, -len(judge.problem.active))
    return Solution(best, tuple(False for _ in best.findings), False, solution.method, bound)


def evaluate(
    contract: Contract,
    trace: Trace,
    query: Mapping[str, Json] | None,
    *,
    cross_check: bool = False,
    budget: Budget = DEFAULT,
) -> Evaluation:
    """The verdict on a trace. `query`: the attributes that are given; `cross_check`: Z3 searches for a better explanation of each cell too.

    Raises Refusal where the query does not fit the contract; InternalError where the cross-check finds what the search did not."""
    one = partial(solve, budget=budget)
    if not cross_check:
        return decide(contract, trace, query, one)
    from servanda.solver.crosscheck import confirmed

    return decide(contract, trace, query, partial(confirmed, solve=one))
