"""What the analysis found wrong with a contract, and what it could not settle, as data.

In: built by the checks. Out: read by the command line and by tests. A finding's `diagnostic` is what a reader sees; the witness and the core are
the same facts as data.
"""

from dataclasses import dataclass

from servanda.grammar.diagnostic import Diagnostic
from servanda.grammar.span import Span
from servanda.solver.core import Member
from servanda.solver.witness import Witness


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault. `element`: the path of what it is about (`A before B` for an order). `witness`: a query that shows it, replayed; None for what
    can never be. `core`: the conditions that exclude each other; empty where there is a witness."""

    element: str
    diagnostic: Diagnostic
    witness: Witness | None = None
    core: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A question about `element` that was not answered, and why: neither a proof nor a fault."""

    element: str
    question: str
    why: str
    span: Span
