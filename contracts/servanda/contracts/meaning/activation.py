"""The expected graph GE(q): what a query activates, and why the rest is not active (language reference §5).

In: a contract and the values of its query; what a cell assumes. Out: `ExpectedGraph`, the denominator of every verdict. Pure.
"""

from typing import Literal as Lit
from typing import assert_never

from servanda.contracts.expected import Element, ExpectedEdge, ExpectedGraph, Reason, Status
from servanda.contracts.meaning.evaluate import NOTHING
from servanda.contracts.meaning.instances import Assumed, Instance, Instances, instances
from servanda.contracts.meaning.query import QueryValues
from servanda.contracts.model import (
    AnyOf,
    Branch,
    Contract,
    Decide,
    Duty,
    ForEach,
    Node,
    Option,
    Order,
    ProseSpan,
    Rule,
    Step,
)


def expected_graph(contract: Contract, query: QueryValues, assumed: Assumed = NOTHING) -> ExpectedGraph:
    """The expected graph; without assumptions, what hangs on an unknown attribute is `undecided`.

    Raises Refusal (Q120, Q121) where an active decision does not have exactly one branch for this query."""
    return graph_of(contract, instances(contract, query, assumed))


def graph_of(contract: Contract, found: Instances) -> ExpectedGraph:
    """The expected graph of instances already found."""
    elements = [_element(instance) for instance in found.all]
    elements += [
        Element(r.name, r.name, "output", r.title, "", "active", (), r.severity, r.prose, r.span)
        for r in (contract.output.rules if contract.output else ())
    ]
    edges = [edge for order in contract.orders for edge in _edges(order, found)]
    return ExpectedGraph(tuple(elements), tuple(edges))


def _element(instance: Instance) -> Element:
    node = instance.node
    title = "" if isinstance(node, ForEach) else node.title
    prose: ProseSpan | None = None
    match node:
        case Duty() | Step() | Decide() | Branch() | AnyOf() | Rule():
            prose = node.prose
        case ForEach() | Option():
            pass
    severity = node.severity if isinstance(node, Duty | Rule) else "normal"
    return Element(
        instance.id,
        node.path,
        _kind(node),
        title,
        instance.parent,
        instance.status,
        instance.act.reasons,
        severity,
        prose,
        node.span,
    )


def pairs(order: Order, found: Instances) -> list[tuple[Instance, Instance]]:
    """The instances an order joins: those that agree on the `for each` elements around the place it was written in."""
    earlier = [i for i in found.all if i.node.path == order.earlier and isinstance(i.node, Duty)]
    later = [i for i in found.all if i.node.path == order.later and isinstance(i.node, Duty)]
    depth = order.depth
    return [(a, b) for a in earlier for b in later if a.indices[:depth] == b.indices[:depth]]


def within_text(order: Order) -> str:
    """The bound of an order as it is written, empty for none."""
    if order.bound is None:
        return ""
    low = f"{order.bound.low} .. " if order.bound.low else ""
    return f"within {low}{order.bound.high} {order.bound.unit}"


def _edges(order: Order, found: Instances) -> list[ExpectedEdge]:
    edges = []
    for earlier, later in pairs(order, found):
        ends = (earlier, later)
        inactive = [e for e in ends if e.status == "inactive"]
        undecided = [e for e in ends if e.status == "undecided"]
        status: Status = "inactive" if inactive else "undecided" if undecided else "active"
        if inactive:
            reasons = tuple(Reason(f"{e.id} is inactive", sentence=True) for e in inactive)
        else:
            reasons = tuple(dict.fromkeys(r for e in undecided for r in e.act.reasons))
        edges.append(ExpectedEdge(earlier.id, later.id, within_text(order), status, reasons, order.span))
    return edges


_Kind = Lit["require", "optional", "forbid", "step", "for each", "decide", "branch", "any of", "option", "rule"]


def _kind(node: Node | Branch | Option) -> _Kind:
    """What a node is, in the words of the language."""
    match node:
        case Duty():
            return node.kind
        case Step():
            return "step"
        case ForEach():
            return "for each"
        case Decide():
            return "decide"
        case Branch():
            return "branch"
        case AnyOf():
            return "any of"
        case Option():
            return "option"
        case Rule():
            return "rule"
        case _:
            assert_never(node)
