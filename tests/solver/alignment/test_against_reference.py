"""The engine against brute force on random problems: same cost, findings, consequences, certainties and canonical evidence.

Each problem is solved by all stages from a permuted copy, and by the search alone from a poor start, so that neither is tested by the other's grace.
`SERVANDA_ALIGNMENT_PROBLEMS=20000` looks at more of them; the last test says what they cover.
"""

import os
import sys
from collections import Counter
from random import Random

import pytest
from tests.solver.alignment.generate import Size, permuted, problem

from servanda.contracts import reference
from servanda.contracts.finding import Choice, Explanation, Solution
from servanda.contracts.problem import Problem
from servanda.solver.alignment.judging import Judge, ordered
from servanda.solver.alignment.search import Search
from servanda.solver.budget import Budget
from servanda.solver.conformance import solve
from servanda.solver.crosscheck import confirm

PROBLEMS = int(os.environ.get("SERVANDA_ALIGNMENT_PROBLEMS", "2000"))
BLOCK = 100
CONFIRMED_EVERY = 6
SIZE = Size(choices=1200)


def summary(solution: Solution) -> object:
    """All that may not depend on who solved it."""
    best = solution.explanation
    return (
        best.cost,
        best.tie,
        best.near,
        [(f.kind, f.element, f.events, f.severity, f.atoms, f.shown) for f in best.findings],
        best.consequences,
        dict(best.choice.evidence),
        dict(best.choice.options),
        solution.certain,
        solution.proven,
    )


def searched(made: Problem) -> Solution:
    """By the search alone, from no evidence at all and the last options."""
    judge = Judge(ordered(made))
    options = {group: names[-1] for group, names in judge.problem.groups.items()}
    return Search(judge, Budget(), judge.judge(Choice(options, {}))).solve()


@pytest.mark.parametrize("start", range(0, PROBLEMS, BLOCK))
def test_engine_is_the_reference(start: int) -> None:
    for seed in range(start, start + BLOCK):
        made = problem(Random(seed), SIZE)
        expected = reference.solve(made)
        by_stages = solve(permuted(made, Random(seed)))
        assert summary(by_stages) == summary(expected), f"seed {seed}, {by_stages.method}"
        assert summary(searched(made)) == summary(expected), f"seed {seed}, search"
        if seed % CONFIRMED_EVERY == 0:
            assert confirm(made, by_stages), f"seed {seed}, not confirmed"


def tags(made: Problem, solution: Solution) -> set[str]:
    """What a problem and its solution show."""
    best: Explanation = solution.explanation
    found = {f"kind {f.kind}" for f in best.findings}
    found |= {f"method {solution.method}"}
    consequences = [(c.kind, {of for of, _ in c.of}) for c in best.consequences]
    chosen = {
        "no findings": not best.findings,
        "ambiguous": not all(solution.certain),
        "options": len(best.choice.options) > 0,
        "nested options": any(len(x.options) > 1 for x in made.active),
        "alternatives": any(x.alternative for x in made.leaves),
        "nested decisions": any(len(x.branches) > 1 for x in made.active),
        "near misses": bool(best.near),
        "open": not made.complete,
        "said": bool(made.said),
        "bounded edges": any(e.bounded for e in made.edges),
        "misorder instead of omission": any(
            f.kind == "misorder" and f.element.split(" before ")[1] not in best.choice.evidence for f in best.findings
        ),
        "chained edge": any(
            f.kind == "misorder" and f.element not in {f"{e.earlier} before {e.later}" for e in made.edges}
            for f in best.findings
        ),
        "absorbed omission": ("omission", {"wrong_branch"}) in consequences,
        "absorbed forbid": ("invariant", {"wrong_branch"}) in consequences,
        "derived omission": ("omission", {"omission"}) in consequences,
        "extra explained": any(kind == "redundant" for kind, _ in consequences),
        "edge follows from omission": ("misorder", {"omission"}) in consequences,
        "edge follows from rule": ("misorder", {"invariant"}) in consequences,
        "shared event": len(set(best.choice.evidence.values())) < len(best.choice.evidence),
    }
    return found | {name for name, holds in chosen.items() if holds}


LEAST = {
    "kind omission": 0.3,
    "kind wrong_branch": 0.03,
    "kind misorder": 0.05,
    "kind redundant": 0.2,
    "kind invariant": 0.2,
    "kind output": 0.03,
    "no findings": 0.02,
    "ambiguous": 0.05,
    "options": 0.2,
    "nested options": 0.04,
    "alternatives": 0.2,
    "nested decisions": 0.04,
    "near misses": 0.15,
    "open": 0.08,
    "said": 0.03,
    "bounded edges": 0.1,
    "misorder instead of omission": 0.005,
    "chained edge": 0.001,
    "absorbed omission": 0.03,
    "absorbed forbid": 0.002,
    "derived omission": 0.02,
    "extra explained": 0.1,
    "edge follows from omission": 0.1,
    "edge follows from rule": 0.002,
    "shared event": 0.1,
    "method greedy": 0.05,
    "method enumeration": 0.3,
    "method cp-sat": 0.005,
}
"""The share of random problems that has to show each of these."""


def test_what_the_random_problems_cover(capsys: pytest.CaptureFixture[str]) -> None:
    number = 1000
    seen: Counter[str] = Counter()
    for seed in range(number):
        made = problem(Random(seed), SIZE)
        seen.update(tags(made, solve(made)))
    with capsys.disabled():
        shown = ", ".join(f"{name} {count}" for name, count in seen.most_common())
        sys.stdout.write(f"\nof {number} random alignment problems: {shown}\n")
    assert {name: seen[name] for name, least in LEAST.items() if seen[name] < least * number} == {}
