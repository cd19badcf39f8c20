"""Cells: the ways in which what is unknown could be settled, each with its ground alignment problem.

In: built by grounding from a contract, a trace and a query. Out: the verdict is taken over all cells. The cells cover every completion
(language reference §4) and may cover more: a verdict shared by all cells holds in every completion; where cells differ it is *undecided*.
Unknowns spread by strong Kleene first; only a truth value that stays unknown and decides an activation or a match is forked on.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from servanda.contracts.expected import ExpectedGraph
from servanda.contracts.problem import Problem


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How often a rule was activated, and how each activation ended; their sum is `activated`."""

    activated: int
    fulfilled: int
    violated: int
    undecided: int


@dataclass(frozen=True, slots=True)
class Hinge:
    """Something unknown that a truth value hangs on. `name`: the attribute's or label's name as in the contract, or `outcome`/`result` of a
    tool (`outcome of issue_refund`); `text`: in a sentence, `label affirms is absent on event 3`. `key`: where it has two values only (a bool, an
    outcome), which it is (`label affirms 3`), so that a cell can assume one; empty otherwise."""

    name: str
    text: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class OpenRule:
    """A rule or output rule with activations that stay undecided in this cell and none of them violated for certain at that event."""

    element: str
    hinges: tuple[Hinge, ...]
    pending: bool
    """True where it is open because the trace is (`needs later` and the like), not because a value is unknown."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One way to settle the forks. `assumptions` name them in contract words, empty when nothing was forked."""

    problem: Problem
    graph: ExpectedGraph
    assumptions: tuple[str, ...]
    rules: Mapping[str, RuleCount]
    open_rules: tuple[OpenRule, ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """All cells. `hinges`: what was forked on. `whole` is False where the limit on cells was reached: then no verdict but *undecided* may be
    drawn. `notes`: what to tell a reader (a given attribute that differs from the observed one, a result that does not have its type, …)."""

    cells: tuple[Cell, ...]
    hinges: tuple[Hinge, ...]
    whole: bool
    notes: tuple[str, ...]
    unread: tuple[Hinge, ...] = ()
    """Arguments whose value does not have its type. They are undefined, so a `never` does not see them: with one the verdict is not *conforms*."""
