"""The output of a run, and whether it has the fields and keeps the rules of the contract (language reference §7).

In: a contract with an output block, a trace, the reads of the run. Out: findings, counts, and rules left open. Views are taken at the end. In an
open trace the output is pending. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from servanda.contracts.cell import OpenRule, RuleCount
from servanda.contracts.expression import conjuncts
from servanda.contracts.meaning.evaluate import Scope, holds
from servanda.contracts.meaning.matching import atom_text
from servanda.contracts.meaning.reasons import false_atoms
from servanda.contracts.meaning.recorded import Recorded
from servanda.contracts.meaning.values import Mismatch, Reader, Unknown, json_text
from servanda.contracts.model import Contract, OutputContract, OutputRule, effect_of
from servanda.contracts.observed import MISSING, Event, Json, Trace
from servanda.contracts.problem import Violation
from servanda.contracts.readers.json_fault import NotJson
from servanda.contracts.readers.strict_json import loads
from servanda.contracts.types import UntypedType, type_name
from servanda.grammar.diagnostic import nearest


@dataclass(frozen=True, slots=True)
class OutputJudged:
    """What the output block finds: violations, how each of its rules ended, the rules left open."""

    violations: tuple[Violation, ...] = ()
    counts: tuple[tuple[str, RuleCount], ...] = ()
    open: tuple[OpenRule, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """The output as JSON, or why there is none; `events`: the message it was taken from."""

    json: Json = MISSING
    why: str = ""
    events: tuple[int, ...] = ()


def judge_output(contract: Contract, trace: Trace, run: Recorded) -> OutputJudged:
    """Judge the output; nothing where the contract has no output block."""
    output = contract.output
    if output is None:
        return OutputJudged()
    if not trace.complete:
        counts = tuple((r.name, RuleCount(1, 0, 0, 1)) for r in output.rules)
        return OutputJudged((), counts, (OpenRule("output", (), True),))
    found = _output(contract, trace)
    if not isinstance(found.json, Mapping):
        why = found.why or f"the output is {json_text(found.json)}, not an object"
        return OutputJudged((_violation("output", found, why),))
    violations = _fields(output, found)
    typed = Reader(lenient=True).read(found.json, output.type, "output")
    scope = Scope(run.with_output(typed))
    counts_: list[tuple[str, RuleCount]] = []
    open_: list[OpenRule] = []
    for rule in output.rules:
        kept = holds(rule.condition, scope)
        match kept:
            case True:
                counts_.append((rule.name, RuleCount(1, 1, 0, 0)))
            case False:
                counts_.append((rule.name, RuleCount(1, 0, 1, 0)))
                violations.append(_broken(rule, scope, found))
            case Unknown(hinges):
                counts_.append((rule.name, RuleCount(1, 0, 0, 1)))
                open_.append(OpenRule(rule.name, hinges, False))
    return OutputJudged(tuple(violations), tuple(counts_), tuple(open_))


def output_notes(contract: Contract, trace: Trace) -> tuple[str, ...]:
    """Keys of the output that look like a misspelt field: further keys are fine, but a rule on an absent field would say nothing."""
    if contract.output is None or not trace.complete:
        return ()
    json = _output(contract, trace).json
    if not isinstance(json, Mapping):
        return ()
    names = [name for name, *_ in contract.output.fields]
    absent = [name for name in names if name not in json]
    strange = [(key, nearest(key, absent)) for key in json if key not in names]
    return tuple(f"output: there is no field {key}; {hint}" for key, hint in strange if hint)


def _violation(element: str, found: _Found, seen: str) -> Violation:
    return Violation("output", element, found.events, "normal", seen)


def _broken(rule: OutputRule, scope: Scope, found: _Found) -> Violation:
    failed = [atom_text(a, scope).text for a in conjuncts(rule.condition) if holds(a, scope) is False]
    read = dict.fromkeys(f"{name} is {value}" for r in false_atoms(rule.condition, scope) for name, value in r.values)
    seen = "; ".join(failed) + (f" ({', '.join(read)})" if read else "")
    return Violation("output", rule.name, found.events, rule.severity, seen)


def _fields(output: OutputContract, found: _Found) -> list[Violation]:
    """One finding for each field that is missing or does not have its type. Further fields are fine."""
    violations: list[Violation] = []
    for name, kind, optional, _ in output.fields:
        given: Any = found.json.get(name)
        if given is None and not (name in found.json and isinstance(kind, UntypedType)):
            if not optional:
                what = "null" if name in found.json else "missing"
                violations.append(_violation(name, found, f"{name} is {what}"))
            continue
        try:
            Reader().read(given, kind, name)
        except Mismatch as misfit:
            text = f"{misfit.path} is {misfit.found}, not {misfit.expected or type_name(kind)}"
            violations.append(_violation(name, found, text))
    return violations


def _output(contract: Contract, trace: Trace) -> _Found:
    """The record's output, else the last assistant message if only neutral calls and user messages follow it. A text is read as strict JSON:
    nothing around it is stripped."""
    if trace.output is not MISSING:
        return _parsed(trace.output, ()) if isinstance(trace.output, str) else _Found(trace.output)
    last = max((e for e in trace.events if _assistant(e)), key=lambda e: (e.turn, e.index), default=None)
    if last is None:
        return _Found(why="there is no output")
    behind = [e for e in trace.events if e.turn >= last.turn and e.index != last.index and _acts(contract, e)]
    if behind:
        return _Found(why=f"there is no output: event {behind[0].index} {behind[0].name} follows the last message")
    return _parsed(last.text, (last.index,))


def _parsed(text: str, events: tuple[int, ...]) -> _Found:
    try:
        return _Found(loads(text), "", events)
    except NotJson as fault:
        return _Found(why=f"the output is not JSON: {fault}", events=events)


def _assistant(event: Event) -> bool:
    return event.kind == "message" and event.name == "assistant"


def _acts(contract: Contract, event: Event) -> bool:
    """Whether an event behind a message shows that it was not the last word."""
    if event.kind == "call":
        return effect_of(contract, event.name) != "neutral"
    return event.name not in ("user", "assistant")
