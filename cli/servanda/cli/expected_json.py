"""The expected graph for a program.

In: a contract and its expected graph for one query. Out: plain values for JSON, in the order of the contract.
"""

from typing import Any

from servanda.cli.prose_json import prose_json
from servanda.contracts.expected import ExpectedGraph, Reason
from servanda.contracts.model import Contract
from servanda.contracts.words import quote

SCHEMA = "servanda.expect/1"


def expected_json(contract: Contract, graph: ExpectedGraph) -> dict[str, Any]:
    """`{schema, contract: {name, digest}, denominator, elements: […], edges: […]}`."""
    elements = []
    for element in graph.elements:
        shape: dict[str, Any] = {
            "id": element.id,
            "kind": element.kind,
            "title": element.title,
            "parent": element.parent,
            "status": element.status,
            "severity": element.severity,
            "contract_line": element.span.line,
        }
        quoted = quote(contract, element.prose)
        if quoted is not None:
            shape["prose"] = prose_json(quoted)
        shape["reasons"] = [_reason(reason) for reason in element.reasons]
        elements.append(shape)
    edges = [
        {
            "earlier": edge.earlier,
            "later": edge.later,
            "within": edge.within,
            "status": edge.status,
            "contract_line": edge.span.line,
            "reasons": [_reason(reason) for reason in edge.reasons],
        }
        for edge in graph.edges
    ]
    return {
        "schema": SCHEMA,
        "contract": {"name": contract.name, "digest": contract.digest},
        "denominator": graph.denominator,
        "elements": elements,
        "edges": edges,
    }


def _reason(reason: Reason) -> dict[str, Any]:
    return {"text": reason.text, "values": dict(reason.values), "on": list(reason.on)}
