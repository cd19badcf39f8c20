"""What holds of the engine as a whole: certificates, budgets, large problems, the second opinion, and that nothing hangs on order or chance."""

import os
import subprocess
import sys
from dataclasses import replace
from random import Random

import pytest
from tests.solver.alignment.generate import Size, problem
from tests.solver.alignment.large import Shape, large

from servanda.contracts import reference
from servanda.contracts.finding import Choice, Solution
from servanda.contracts.problem import Atom, EdgeInstance, Fact, Leaf, NearMiss, Problem
from servanda.grammar.diagnostic import InternalError
from servanda.solver.alignment.enumeration import enumerated
from servanda.solver.alignment.greedy import greedy, settled
from servanda.solver.alignment.judging import Judge, ordered
from servanda.solver.alignment.search import Search
from servanda.solver.budget import Budget
from servanda.solver.conformance import solve
from servanda.solver.crosscheck import confirm, confirmed


def leaf(name: str, *candidates: int, shared: bool = False, near: tuple[NearMiss, ...] = ()) -> Leaf:
    """A required duty of its own pattern."""
    shares = candidates if shared else ()
    return Leaf(name, name, "require", "normal", (), (), None, candidates, shares, name, near, (name,))


def run(*names: str) -> tuple[Fact, ...]:
    """Successful writes, one a turn."""
    return tuple(Fact(i, name, i, True, True, True) for i, name in enumerate(names))


def before(facts: tuple[Fact, ...], first: Leaf, last: Leaf) -> EdgeInstance:
    supports = {f: tuple(e for e in first.candidates if facts[e].turn < facts[f].turn) for f in last.candidates}
    return EdgeInstance(first.id, last.id, False, supports, "normal", 0)


def plain(facts: tuple[Fact, ...], *leaves: Leaf, edges: tuple[EdgeInstance, ...] = ()) -> Problem:
    return Problem(facts, leaves, (), edges, {}, {}, (), frozenset(), True)


def kinds(solution: Solution) -> list[tuple[str, str, tuple[int, ...], bool]]:
    found = zip(solution.explanation.findings, solution.certain, strict=True)
    return [(f.kind, f.element, f.events, certain) for f, certain in found]


# ---- cases that decide between designs ---------------------------------------------------------------------------------


def test_evidence_is_chosen_with_the_order_in_mind() -> None:
    """Two writes fit both ends; assigning the first to `a` because of its name and ordering afterwards would find a misorder."""
    facts = run("w", "w")
    a, b = leaf("a", 0, 1), leaf("b", 0, 1)
    solution = solve(plain(facts, a, b, edges=(before(facts, b, a),)))
    assert kinds(solution) == []
    assert dict(solution.explanation.choice.evidence) == {"a": 1, "b": 0}


def test_order_chains_through_a_duty_without_evidence() -> None:
    """a before b before c, b never done, c before a: the omission of b does not hide that c came too early."""
    facts = run("c", "a")
    a, b, c = leaf("a", 1), leaf("b"), leaf("c", 0)
    solution = solve(plain(facts, a, b, c, edges=(before(facts, a, b), before(facts, b, c))))
    assert kinds(solution) == [("misorder", "a before c", (0,), True), ("omission", "b", (), True)]


def test_a_near_miss_that_needed_an_earlier_call_is_a_misorder() -> None:
    facts = run("pay", "read")
    read = leaf("read", 1)
    pay = leaf("pay", near=(NearMiss(0, (Atom("v is undefined", "v", ("read",), True),), (1,)),))
    solution = solve(plain(facts, pay, read, edges=(before(facts, read, pay),)))
    assert kinds(solution) == [("misorder", "read before pay", (0,), True)]


def test_one_of_two_alike_extras_is_ambiguous() -> None:
    """Either write may be the near miss; they are of different tools, so which is extra is not certain."""
    facts = run("w", "v")
    near = tuple(NearMiss(i, (Atom("k 1 is not 2"),)) for i in (0, 1))
    solution = solve(plain(facts, leaf("a", near=near)))
    assert kinds(solution) == [("omission", "a", (0,), True), ("redundant", "v", (1,), False)]


# ---- stages ------------------------------------------------------------------------------------------------------------


def test_each_stage_that_settles_a_problem_gives_the_reference_solution() -> None:
    settled_by: dict[str, int] = {}
    for seed in range(400):
        made = problem(Random(seed), Size(choices=300))
        expected = reference.solve(made)
        judge = Judge(ordered(made))
        first = greedy(judge)
        stages = settled(judge, first), enumerated(judge, first, 64), Search(judge, Budget(), first).solve()
        for solution in stages:
            if solution is not None:
                settled_by[solution.method] = settled_by.get(solution.method, 0) + 1
                assert solution.explanation == expected.explanation, (seed, solution.method)
                assert solution.certain == expected.certain, (seed, solution.method)
    assert settled_by["greedy"] > 30 and settled_by["enumeration"] > 200 and settled_by["cp-sat"] == 400


def test_a_clean_run_is_settled_without_a_solver() -> None:
    made = large(Random(1), Shape(leaves=20, events=60, faults=0))
    assert solve(made).method == "greedy"


def test_a_budget_that_ends_first_proves_nothing_and_bounds_the_cost() -> None:
    unproven = 0
    for seed in range(300):
        made = problem(Random(seed), Size(choices=600))
        expected = reference.solve(made)
        for budget in (
            Budget(few=0, asked=0),
            Budget(few=0, asked=1),
            Budget(few=0, asked=2),
            Budget(few=0, effort=0.0),
        ):
            solution = solve(made, budget=budget)
            if solution.proven:
                assert solution.explanation == expected.explanation
                continue
            unproven += 1
            assert solution.bound is not None
            assert solution.bound <= expected.explanation.cost <= solution.explanation.cost
            assert not any(solution.certain)
    assert unproven > 300


def test_bounds_of_searches_that_are_cut_off_midway() -> None:
    """The less effort, the less is known; never more than is so."""
    unproven = 0
    for seed in range(4):
        made = large(Random(seed), Shape(leaves=30, events=60, faults=12, repeats=2.0))
        least = solve(made)
        assert least.proven
        for effort in (0.0005, 0.002, 0.005, 0.02):
            solution = solve(made, budget=Budget(effort=effort))
            if not solution.proven:
                unproven += 1
                assert solution.bound is not None
                assert solution.bound <= least.explanation.cost <= solution.explanation.cost
    assert unproven > 4


def test_more_explanations_than_can_be_looked_at_prove_nothing() -> None:
    """Nine omissions whose nine near misses each hang on an event of their own: every pairing may end differently."""
    facts = run(*["w"] * 18)
    near = tuple(NearMiss(e, (Atom("v is undefined", "v", ("r",), True),), (e + 9,)) for e in range(9))
    made = plain(facts, *(leaf(f"d{k}", near=near) for k in range(9)))
    solution = solve(made)
    assert not solution.proven and not any(solution.certain) and not confirm(made, solution)


@pytest.mark.parametrize(("leaves", "events", "faults"), [(30, 60, 4), (100, 160, 8)])
def test_long_runs_with_faults_are_settled_and_confirmed(leaves: int, events: int, faults: int) -> None:
    for seed in range(4):
        made = large(Random(seed), Shape(leaves, events, faults))
        solution = solve(made)
        assert solution.proven and solution.explanation.findings
        assert seed or confirm(made, solution)


# ---- the second opinion ------------------------------------------------------------------------------------------------


def test_a_solution_that_is_not_the_least_is_an_internal_error() -> None:
    caught = 0
    for seed in range(60):
        made = problem(Random(seed), Size(choices=300))
        judge = Judge(ordered(made))
        worst = judge.judge(Choice({g: names[-1] for g, names in judge.problem.groups.items()}, {})).best
        if worst.cost > reference.solve(made).explanation.cost:
            caught += 1
            with pytest.raises(InternalError, match="is not the least"):
                confirm(made, Solution(worst, (), True, "wrong"))
    assert caught > 30


def test_a_solution_that_does_not_cost_what_it_says_is_an_internal_error() -> None:
    made = plain(run("w"), leaf("a", 0))
    solution = solve(made)
    cheap = replace(solution.explanation, cost=(0, 0, 0, 0, 0, 0, 0, 0, -2))
    with pytest.raises(InternalError, match="costs"):
        confirm(made, replace(solution, explanation=cheap))


def test_the_method_says_whether_it_is_confirmed() -> None:
    made = plain(run("w"), leaf("a", 0))
    assert confirmed(made, solve).method == "greedy, confirmed by Z3"
    assert confirmed(made, lambda p: replace(solve(p), proven=False)).method == "greedy, not confirmed by Z3"


# ---- the same everywhere -----------------------------------------------------------------------------------------------

DIGEST = """
from hashlib import sha256
from random import Random
from servanda.solver.budget import Budget
from servanda.solver.conformance import solve
from tests.solver.alignment.generate import Size, permuted, problem
seen = sha256()
for seed in range(60):
    for few in (0, 64):
        solution = solve(permuted(problem(Random(seed), Size(8, 12, 10**9)), Random(seed)), budget=Budget(few=few))
        seen.update(repr((solution.explanation, solution.explanation.findings, solution.certain)).encode())
print(seen.hexdigest())
"""


def test_the_hash_seed_changes_nothing() -> None:
    digests = set()
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", DIGEST], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(done.stdout)
    assert len(digests) == 1


LOADED = """
import sys
from random import Random
from servanda.solver.budget import Budget
from servanda.solver.conformance import solve
from tests.solver.alignment.large import Shape, large
print(solve(large(Random(1), Shape(20, 60, 0))).method, *(m in sys.modules for m in ("ortools", "z3", "pandas", "numpy")))
print(solve(large(Random(1), Shape(20, 60, 3))).method, *(m in sys.modules for m in ("ortools", "z3", "pandas", "numpy")))
"""


def test_solvers_are_loaded_only_when_they_are_asked() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["greedy False False False False", "cp-sat True False False False"]
