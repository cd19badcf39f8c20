"""Reference against engine (all its stages, and CP-SAT alone) against Z3 on generated triples; `python -m tests.differential.run --n 10000 --seed 1` from the project's root.

Prints mismatches and what the generator covered; exits 1 on a mismatch.
"""

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from tests.differential.generate import CONSTRUCTS, Case, case

from servanda.contracts import reference
from servanda.contracts.finding import Solution
from servanda.contracts.load import load_text
from servanda.contracts.problem import Problem
from servanda.contracts.readers.record import read_record
from servanda.contracts.verdict import Evaluation, decide
from servanda.grammar.diagnostic import Refusal
from servanda.solver import conformance, crosscheck
from servanda.solver.budget import Budget

SEARCH = Budget(few=0)
"""No choice is tried one by one: what greedy does not settle goes to CP-SAT."""


@dataclass
class Tally:
    """What a run saw."""

    cases: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    searched: Counter[str] = field(default_factory=Counter)
    too_large: int = 0
    asked: int = 0
    confirmed: int = 0
    mismatches: list[str] = field(default_factory=list)


def summary(evaluation: Evaluation) -> object:
    """All of an evaluation that the engine may not change."""
    shown = [
        (
            r.finding.kind,
            r.finding.element,
            r.finding.events,
            r.finding.severity,
            r.certain,
            r.consequences,
            r.condition,
        )
        for r in (*evaluation.findings, *evaluation.possible)
    ]
    return (
        evaluation.verdict,
        shown,
        evaluation.undecided_on,
        evaluation.reasons,
        dict(evaluation.rules),
        evaluation.denominator,
    )


def run(n: int, seed: int, *, confirm_every: int = 1) -> Tally:
    """Compare on `n` triples; Z3 confirms every `confirm_every`-th."""
    tally, rng = Tally(), Random(seed)
    while tally.cases < n:
        compare(case(rng), tally, confirm=tally.cases % confirm_every == 0)
        tally.cases += 1
    return tally


def compare(made: Case, tally: Tally, *, confirm: bool) -> None:
    """One triple through both solvers."""
    tally.tags.update(made.tags.keys())
    try:
        contract, _ = load_text(made.contract, "generated.contract", Path())
        trace = read_record(made.trace, "generated")
        engine = decide(contract, trace, made.query, conformance.solve)
        searched = decide(contract, trace, made.query, partial(conformance.solve, budget=SEARCH))
    except Refusal as refusal:
        tally.refused[refusal.diagnostics[0].code + " " + refusal.diagnostics[0].message[:70]] += 1
        return

    def reference_solve(problem: Problem) -> Solution:
        solution = reference.solve(problem)
        if confirm:
            # Z3 raises where it finds something cheaper; what it does not settle must be rare.
            tally.confirmed += crosscheck.confirm(problem, solution)
            tally.asked += 1
        return solution

    try:
        slow = decide(contract, trace, made.query, reference_solve)
    except reference.TooLarge:
        tally.too_large += 1
        return
    tally.verdicts[engine.verdict] += 1
    tally.kinds.update(r.finding.kind for r in engine.findings)
    tally.kinds.update("ambiguous" for r in engine.findings if not r.certain)
    tally.kinds.update("conditional" for _ in engine.possible)
    tally.methods.update(engine.methods)
    tally.searched.update(searched.methods)
    for name, fast in (("engine", engine), ("cp-sat", searched)):
        if summary(fast) != summary(slow):
            tally.mismatches.append(
                f"{made.contract}\n{made.query}\n{made.trace}\n{name} {summary(fast)}\nreference {summary(slow)}"
            )


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--confirm-every", type=int, default=5)
    options = parser.parse_args()
    tally = run(options.n, options.seed, confirm_every=options.confirm_every)

    def say(*parts: object) -> None:
        sys.stdout.write(" ".join(map(str, parts)) + "\n")

    refused = sum(tally.refused.values())
    say(f"{tally.cases} triples, {refused} refused, {tally.too_large} too large for the reference")
    say(f"{tally.confirmed} of {tally.asked} optima confirmed by Z3")
    say(f"constructs covered: {len(tally.tags.keys() & CONSTRUCTS)} of {len(CONSTRUCTS)}")
    for name in ("refused", "verdicts", "kinds", "methods", "searched", "tags"):
        say(name, dict(getattr(tally, name).most_common()))
    for mismatch in tally.mismatches[:5]:
        say("MISMATCH", mismatch)
    say(f"{len(tally.mismatches)} mismatches")
    return 1 if tally.mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
