"""A witness held against the reference interpreter before anyone sees it.

In: a query found by the solver. Out: its expected graph by the reference semantics. Trusts nothing of the solver; the solver's word counts
only where the interpreter agrees.
"""

from collections.abc import Mapping
from typing import Any

from servanda.contracts.activation import expected_graph
from servanda.contracts.query import read_query

from servanda.contracts.expected import ExpectedGraph
from servanda.contracts.model import Contract
from servanda.grammar.diagnostic import Refusal


def replayed(contract: Contract, query: Mapping[str, Any]) -> ExpectedGraph | None:
    """The expected graph of the query; None where the interpreter does not accept it as one."""
    try:
        return expected_graph(contract, read_query(contract, query, None))
    except Refusal:
        return None


def active(graph: ExpectedGraph, identity: str) -> bool:
    """Whether the element of that id is active."""
    return any(e.id == identity and e.status == "active" for e in graph.elements)


def active_branches(graph: ExpectedGraph, decision: str) -> tuple[str, ...]:
    """The paths of the active branches of the decision of that id."""
    return tuple(e.path for e in graph.elements if e.parent == decision and e.kind == "branch" and e.status == "active")
