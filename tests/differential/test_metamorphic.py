"""The metamorphic truths of the language reference §8, on generated contracts through the engine."""

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from tests.differential.generate import FIXED, QUERY, TOOLS, Case, case

from servanda.contracts.load import load_text
from servanda.contracts.readers.record import read_record
from servanda.contracts.verdict import Evaluation
from servanda.grammar.diagnostic import Refusal
from servanda.solver.conformance import evaluate

EACH = 40


def judged(made: Case, text: str) -> Evaluation | None:
    try:
        contract, _ = load_text(text, "generated.contract", Path())
        return evaluate(contract, read_record(made.trace, "generated"), made.query)
    except Refusal:
        return None


def findings(evaluation: Evaluation, *, certain_only: bool = False, without: str = "") -> Counter[tuple[object, ...]]:
    return Counter(
        (r.finding.kind, r.finding.element, r.finding.severity, r.certain, () if certain_only else r.finding.events)
        for r in evaluation.findings
        if (r.certain or not certain_only) and r.finding.element != without
    )


def blocks(text: str) -> tuple[str, list[str]]:
    """The fixed head of a generated contract, and its top-level duties, orders and rules."""
    head = text.index(FIXED) + len(FIXED)
    out: list[list[str]] = []
    for line in text[head:].splitlines():
        if not line.strip():
            continue
        if out and line.startswith((" ", "}")):
            out[-1].append(line)
        else:
            out.append([line])
    return text[:head], ["\n".join(b) for b in out]


def cases(seed: int) -> list[tuple[Case, Evaluation]]:
    rng = Random(seed)
    made = [case(rng) for _ in range(EACH)]
    return [(m, e) for m in made if (e := judged(m, m.contract)) is not None]


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_declarations_changes_nothing(seed: int) -> None:
    rng = Random(seed)
    for made, before in cases(seed):
        head, body = blocks(made.contract)
        declarations = [TOOLS.strip(), QUERY.strip(), *FIXED.strip().splitlines()]
        parts = [*declarations, *body]
        rng.shuffle(parts)
        after = judged(made, "\n".join([head.split("\n" + TOOLS)[0], *parts, ""]))
        assert after is not None, made.contract
        assert (before.verdict, findings(before), before.undecided_on, before.denominator) == (
            after.verdict,
            findings(after),
            after.undecided_on,
            after.denominator,
        )


@pytest.mark.parametrize("seed", range(4, 7))
def test_renaming_changes_no_verdict_and_no_certain_finding(seed: int) -> None:
    """Duties are renamed so that their order is turned round; a name decides ties alone."""
    names = {"a": "zz4", "b": "zz3", "c": "zz2", "d": "zz1"}
    for made, before in cases(seed):
        head, body = blocks(made.contract)
        turned = [
            re.sub(r"\b(require|optional|forbid|order|before) ([abcd])\b", lambda m: f"{m[1]} {names[m[2]]}", b)
            for b in body
        ]
        after = judged(made, "\n".join([head, *turned, ""]))
        if after is None:
            continue

        def renamed(element: object) -> str:
            return " before ".join(names.get(x, x) for x in str(element).split(" before "))

        expected = Counter(
            {(k, renamed(e), s, c, v): n for (k, e, s, c, v), n in findings(before, certain_only=True).items()}
        )
        assert before.verdict == after.verdict
        assert expected == findings(after, certain_only=True)


@pytest.mark.parametrize("seed", range(7, 10))
def test_an_inactive_branch_without_evidence_changes_nothing(seed: int) -> None:
    tried = 0
    for made, before in cases(seed):
        if "decide D {\n" not in made.contract:
            continue
        dead = "decide D {\n  branch zz when x == 0 and x == 1 {\n    require never_here\n      by call wa where args.k == 7\n  }\n"
        after = judged(made, made.contract.replace("decide D {\n", dead, 1))
        assert after is not None
        if after.undecided_on or before.undecided_on:
            continue  # the new guard may read what is unknown
        tried += 1
        assert (before.verdict, findings(before)) == (after.verdict, findings(after))
    assert tried >= 5


@pytest.mark.parametrize("seed", range(10, 13))
def test_a_duplicated_rule_adds_its_own_findings_alone(seed: int) -> None:
    tried = 0
    for made, before in cases(seed):
        _, body = blocks(made.contract)
        rule = next((b for b in body if b.startswith("rule R0") and "only if" not in b), None)
        if rule is None:
            continue
        tried += 1
        after = judged(made, made.contract + rule.replace("rule R0", "rule twin", 1) + "\n")
        assert after is not None
        assert findings(before) == findings(after, without="twin")
        copies = [r.finding.events for r in after.findings if r.finding.element == "twin"]
        assert copies == [r.finding.events for r in before.findings if r.finding.element == "R0"]
    assert tried >= 5
