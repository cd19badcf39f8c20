"""Findings in words: where in the contract and the prose, what was expected, what was seen.

In: a contract, a trace, a finding. Out: `Described`. Words are the contract's own: source text of patterns and rules, names of tools, events by
number from 0 and by their path in the source trace.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from servanda.contracts.finding import Finding
from servanda.contracts.model import (
    AnyOf,
    Contract,
    Decide,
    Duty,
    ForEach,
    Node,
    OutputRule,
    Pattern,
    ProseSpan,
    Rule,
    Step,
)
from servanda.contracts.observed import Event, Json, Trace
from servanda.grammar.span import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage of a prose source: its name, path, first and last line, and text (lines joined by a blank)."""

    source: str
    path: str
    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class Described:
    """A finding's places and words. `paths`: of its events, in the file the trace came from."""

    span: Span
    title: str
    prose: Quote | None
    expected: str
    seen: str
    paths: tuple[str, ...]


def nodes(body: tuple[Node, ...]) -> Iterator[Node]:
    """Every node of a body, a parent before its children."""
    for node in body:
        yield node
        match node:
            case Step() | ForEach():
                yield from nodes(node.body)
            case Decide():
                for branch in node.branches:
                    yield from nodes(branch.body)
            case AnyOf():
                for option in node.options:
                    yield from nodes(option.body)
            case Duty() | Rule():
                pass


def path_of(element: str) -> str:
    """The path of an instance: `r.x` for `r.x[1]`."""
    return element.split("[", 1)[0]


def source_text(contract: Contract, span: Span) -> str:
    """The source text at a span on one line."""
    return " ".join(contract.source.text[span.start : span.end].split())


def quote(contract: Contract, prose: ProseSpan | None) -> Quote | None:
    """The passage a clause points at."""
    if prose is None or prose.source not in contract.prose:
        return None
    source = contract.prose[prose.source]
    text = " ".join(line.strip() for line in source.lines[prose.first - 1 : prose.last])
    return Quote(prose.source, source.path, prose.first, prose.last, " ".join(text.split()))


def event_text(event: Event, width: int = 96) -> str:
    """An event in one line: `event 3 issue_refund {"amount": 25}`, `event 4 assistant "…"`."""
    body = _json(event.args if event.kind == "call" else event.text)
    shown = body if len(body) <= width else body[: width - 1] + "…"
    state = " failed" if event.kind == "call" and event.outcome == "failed" else ""
    return f"event {event.index} {event.name} {shown}{state}"


def _json(value: Json) -> str:
    """JSON text on one line; a number keeps the digits it was written with."""
    match value:
        case Mapping():
            return "{" + ", ".join(f"{_json(str(k))}: {_json(v)}" for k, v in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_json, value)) + "]"
        case Decimal():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False, default=str)


def describe(contract: Contract, trace: Trace, finding: Finding) -> Described:
    """Dress a finding."""
    events = [trace.events[i] for i in finding.events]
    paths = tuple(e.path for e in events)
    by_path = {n.path: n for n in nodes(contract.body)}
    node = by_path.get(path_of(finding.element))
    seen = "; ".join(event_text(e) for e in events)
    match finding.kind:
        case "omission" if isinstance(node, Duty):
            if finding.atoms and events:
                seen = f"near miss, {seen}: " + "; ".join(a.text for a in finding.atoms)
            else:
                seen = "no event fits"
            return Described(node.span, node.title, quote(contract, node.prose), _evidence(contract, node), seen, paths)
        case "wrong_branch" if isinstance(node, Decide):
            taken = f"branch {finding.taken}"
            shown = " and ".join(finding.shown)
            return Described(
                node.span, node.title, quote(contract, node.prose), taken, f"branch {shown} is shown by {seen}", paths
            )
        case "misorder":
            order = contract.orders[finding.order]
            earlier = finding.element.split(" before ", 1)[0]
            within = source_text(contract, order.span)
            return Described(
                order.span, "", quote(contract, order.prose), within, f"{seen} without {earlier} before it", paths
            )
        case "redundant":
            tool = contract.tools.get(finding.element)
            effect = tool.effect if tool else "writes"
            place = contract.extra_span if contract.extra_span != NOWHERE else tool.span if tool else NOWHERE
            return Described(
                place,
                "",
                None,
                f"no further {finding.element} (extra {effect} are forbidden)",
                seen,
                paths,
            )
        case "invariant" if isinstance(node, Rule):
            merged = f" (also {', '.join(finding.also)})" if finding.also else ""
            return Described(
                node.span,
                node.title,
                quote(contract, node.prose),
                source_text(contract, node.words),
                (finding.seen or seen) + merged,
                paths,
            )
        case "invariant" if isinstance(node, Duty):
            return Described(
                node.span, node.title, quote(contract, node.prose), f"no {_evidence(contract, node)}", seen, paths
            )
        case "output":
            return _output(contract, finding, paths)
        case _:
            raise AssertionError(f"no element of the contract is called {finding.element}")


def _evidence(contract: Contract, duty: Duty) -> str:
    return " or ".join(_pattern(contract, p) for p in duty.by)


def _pattern(contract: Contract, pattern: Pattern) -> str:
    return source_text(contract, pattern.span)


def _output(contract: Contract, finding: Finding, paths: tuple[str, ...]) -> Described:
    output = contract.output
    assert output is not None
    rule: OutputRule | None = next((r for r in output.rules if r.name == finding.element), None)
    if rule is not None:
        return Described(
            rule.span,
            rule.title,
            quote(contract, rule.prose),
            source_text(contract, rule.condition.span),
            finding.seen,
            paths,
        )
    span = next((s for name, _, _, s in output.fields if name == finding.element), output.span)
    return Described(
        span, "", None, source_text(contract, span) if span != output.span else "an output", finding.seen, paths
    )
