"""The verdicts for a program.

In: a contract, its judged and unjudged traces. Out: plain values for JSON: traces in the order they were read, rules by name.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from servanda.cli.judged import Judged, Unjudged
from servanda.cli.prose_json import prose_json
from servanda.cli.summary import rule_totals
from servanda.contracts.model import Contract
from servanda.contracts.verdict import Reported

SCHEMA = "servanda.eval/1"


def evaluation_json(contract: Contract, traces: Sequence[Judged], skipped: Iterable[Unjudged]) -> dict[str, Any]:
    """`{schema, contract, traces, rules, skipped}`. A key that is only sometimes there is left out where it would be empty."""
    return {
        "schema": SCHEMA,
        "contract": {"name": contract.name, "digest": contract.digest},
        "traces": [_trace(trace) for trace in traces],
        "rules": {
            name: {
                "activated": count.activated,
                "fulfilled": count.fulfilled,
                "violated": count.violated,
                "undecided": count.undecided,
            }
            for name, count in rule_totals(contract, traces).items()
        },
        "skipped": [{"id": s.id, "path": s.path, "code": s.code, "message": s.message} for s in skipped],
    }


def _trace(trace: Judged) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "id": trace.id,
        "verdict": trace.verdict,
        "findings": [_finding(reported) for reported in trace.findings],
        "denominator": trace.denominator,
        "undecided_on": list(trace.undecided_on),
    }
    if trace.possible:
        shape["possible"] = [_finding(r) | {"condition": list(r.condition)} for r in trace.possible]
    if trace.reasons:
        shape["reasons"] = list(trace.reasons)
    if trace.open_rules:
        shape["open_rules"] = {rule: list(names) for rule, names in sorted(trace.open_rules.items())}
    if trace.notes:
        shape["notes"] = list(trace.notes)
    return shape


def _finding(reported: Reported) -> dict[str, Any]:
    finding, described = reported.finding, reported.described
    shape: dict[str, Any] = {
        "kind": finding.kind,
        "element": finding.element,
        "events": list(finding.events),
        "paths": list(described.paths),
        "certain": reported.certain,
        "severity": finding.severity,
        "contract_line": described.span.line,
    }
    if described.prose is not None:
        shape["prose"] = prose_json(described.prose)
    shape["expected"] = described.expected
    shape["seen"] = described.seen
    shape["consequences"] = [
        {"kind": c.kind, "element": c.element, "events": list(c.events)} for c in reported.consequences
    ]
    return shape
