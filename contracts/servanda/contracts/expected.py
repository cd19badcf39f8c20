"""The expected graph GE(q): the obligations, order edges, rules and output rules that a query activates, and why the others are not.

In: built by activation. Out: the denominator of every verdict; what `contract expect` prints. A status is `undecided` where it hangs on an
attribute that is unknown; such an element is never in the denominator.
"""

from dataclasses import dataclass
from typing import Literal as Lit

from servanda.contracts.model import ProseSpan, Severity
from servanda.grammar.span import Span

Status = Lit["active", "inactive", "undecided"]


@dataclass(frozen=True, slots=True)
class Reason:
    """One atom that settles a status, in contract words, with the values it read: `amount > 500`, `amount is 20`. For `undecided`, the
    unknown names it hangs on in `on`. `sentence`: the text is no atom but says all by itself (`outcome.refund is inactive`)."""

    text: str
    values: tuple[tuple[str, str], ...] = ()
    on: tuple[str, ...] = ()
    sentence: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """A node of the expected graph. `id`: full path with instance indices. `kind`: what it is. `parent`: id of the enclosing node or empty.

    `choice`: the `any of` group and option it stands in, innermost, empty where none. `status` of what it is; `reasons` empty where active
    unconditionally."""

    id: str
    path: str
    kind: Lit[
        "require", "optional", "forbid", "step", "for each", "decide", "branch", "any of", "option", "rule", "output"
    ]
    title: str
    parent: str
    status: Status
    reasons: tuple[Reason, ...]
    severity: Severity
    prose: ProseSpan | None
    span: Span


@dataclass(frozen=True, slots=True)
class ExpectedEdge:
    """An order edge between two instances; active iff both ends are."""

    earlier: str
    later: str
    within: str
    status: Status
    reasons: tuple[Reason, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ExpectedGraph:
    """Elements in the order of the contract (a parent before its children), edges likewise."""

    elements: tuple[Element, ...]
    edges: tuple[ExpectedEdge, ...]

    @property
    def denominator(self) -> int:
        """How many duties (require, forbid, optional), rules, output rules and edges are active."""
        counted = ("require", "optional", "forbid", "rule", "output")
        return sum(e.status == "active" and e.kind in counted for e in self.elements) + sum(
            e.status == "active" for e in self.edges
        )
