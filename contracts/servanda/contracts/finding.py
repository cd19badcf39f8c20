"""Findings, consequences and explanations: what the fixed pass derives (language reference §8).

In: built by `explanation`. Out: compared by the reference and the engine, dressed with places and words by `verdict`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from servanda.contracts.model import FailureKind, Severity
from servanda.contracts.problem import Atom

Identity = tuple[FailureKind, str]
"""Kind and contract element; for `redundant` the tool. Two findings of one identity are told apart by how many there are."""

SEVERITIES: tuple[Severity, ...] = ("high", "normal", "low")


@dataclass(frozen=True, slots=True)
class Finding:
    """One failure. `element`: the obligation, forbid or decision by its full path, `A before B` for an edge, a rule, or the tool of a
    `redundant`. `events`: indices in the trace, sorted. `atoms`: the failed conditions of a near miss. `shown`: the branches that a
    `wrong_branch` names, `taken` the one it should have been. `order`: index of the order of an edge, -1 otherwise. `seen`: words of a rule. `also`: rules merged into this one."""

    kind: FailureKind
    element: str
    events: tuple[int, ...]
    severity: Severity
    atoms: tuple[Atom, ...] = ()
    shown: tuple[str, ...] = ()
    taken: str = ""
    order: int = -1
    seen: str = ""
    also: tuple[str, ...] = ()

    @property
    def identity(self) -> Identity:
        """Kind and element."""
        return self.kind, self.element


@dataclass(frozen=True, slots=True)
class Consequence:
    """A failure that follows from another finding: listed, never counted. `of`: the identities it follows from, sorted."""

    kind: FailureKind
    element: str
    events: tuple[int, ...]
    of: tuple[Identity, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """What an explanation chooses: an option for each `any of` group, and an event for each leaf that has evidence."""

    options: Mapping[str, str]
    evidence: Mapping[str, int]


Cost = tuple[int, int, int, int, int, int, int, int, int]
"""(unmet high, unmet normal, unmet low, wrong_branch + omission, invariant, misorder, coarse, redundant, -leaves with evidence)."""

NO_EVENT = 1 << 60
"""Sorts behind every event in the canonical tie-break."""

Tie = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A choice with a pairing of near misses, and all that the fixed pass derives from them. Least (`cost`, `tie`) is the verdict's."""

    choice: Choice
    near: tuple[tuple[str, int], ...]
    cost: Cost
    tie: Tie
    findings: tuple[Finding, ...] = field(compare=False)
    consequences: tuple[Consequence, ...] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Solution:
    """The least explanation of a problem. `certain[i]`: whether every explanation equal to it in levels (1)-(7) has finding i as often.

    `proven`: the explanation is least and the certainties are exact; where a budget ended the search first it is False and `bound` is the
    best lower bound known. `method` names the stage that settled it."""

    explanation: Explanation
    certain: tuple[bool, ...]
    proven: bool
    method: str
    bound: Cost | None = None
