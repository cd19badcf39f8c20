"""Reference = engine = Z3 on generated contracts, queries and traces. More, and what was covered: `python -m tests.differential.run`."""

from random import Random

import pytest
from tests.differential.generate import CONSTRUCTS, case
from tests.differential.run import run

SEEDS = range(20)
EACH = 105


@pytest.mark.parametrize("seed", SEEDS)
def test_engine_and_z3_agree_with_the_reference(seed: int) -> None:
    tally = run(EACH, seed)
    assert tally.mismatches == []
    assert sum(tally.refused.values()) <= EACH // 10, tally.refused
    assert tally.too_large <= EACH // 10
    assert tally.confirmed >= tally.asked * 0.97


def test_the_generator_covers_the_language() -> None:
    seen: set[str] = set()
    for seed in SEEDS:
        rng = Random(seed)
        for _ in range(EACH):
            seen |= case(rng).tags.keys()
    assert CONSTRUCTS - seen == set()


def test_every_verdict_and_kind_occurs() -> None:
    tally = run(400, 99, confirm_every=1000)
    assert {"conforms", "violates", "undecided"} <= tally.verdicts.keys()
    kinds = {"omission", "wrong_branch", "misorder", "redundant", "invariant", "output", "ambiguous", "conditional"}
    assert kinds <= tally.kinds.keys()
