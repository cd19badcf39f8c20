"""What a report keeps of one trace once it is judged: everything that is said, nothing that is not (the events are let go).

In: an `Evaluation`, and how its query was found. Out: `Judged`, or `Unjudged` for a trace without a verdict.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from servanda.contracts.cell import RuleCount
from servanda.contracts.verdict import Evaluation, Reported, Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """A trace with a verdict. `findings` are those of a violation, `possible` those that stand only if something unknown is so."""

    id: str
    path: str
    verdict: Verdict
    findings: tuple[Reported, ...]
    possible: tuple[Reported, ...]
    denominator: int
    rules: Mapping[str, RuleCount]
    open_rules: Mapping[str, tuple[str, ...]]
    undecided_on: tuple[str, ...]
    reasons: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A trace that was not judged, and why. `internal`: the fault is ours, not the trace's."""

    id: str
    path: str
    code: str
    message: str
    internal: bool = False


def judged(evaluation: Evaluation, notes: tuple[str, ...]) -> Judged:
    """The part of an evaluation that is reported; `notes` say how the query was found and stand first."""
    return Judged(
        id=evaluation.trace.id,
        path=evaluation.trace.path,
        verdict=evaluation.verdict,
        findings=evaluation.findings,
        possible=evaluation.possible,
        denominator=evaluation.denominator,
        rules=evaluation.rules,
        open_rules=evaluation.open_rules,
        undecided_on=evaluation.undecided_on,
        reasons=evaluation.reasons,
        notes=(*notes, *evaluation.notes),
    )
