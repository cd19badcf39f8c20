"""The test blocks of a contract, run: is what the contract says of a small run what its author expects?

In: a contract and one of its tests. Out: nothing, or a diagnostic (C210) that says what was expected and what was found. A test without `output`
does not judge output rules (language reference §7).
"""

from dataclasses import dataclass, replace

from servanda.contracts.expected import ExpectedGraph
from servanda.contracts.model import Contract, Expectation, Test
from servanda.contracts.verdict import Evaluation, Reported
from servanda.grammar.diagnostic import Diagnostic, Note, Refusal, Severity

NOT_AS_EXPECTED = "C210"
_VERDICTS = ("conforms", "undecided")
_ACTIVITY = ("active", "inactive")


@dataclass(frozen=True, slots=True)
class TestRun:
    """A test that was run; `diagnostic` is None where everything is as expected."""

    test: Test
    diagnostic: Diagnostic | None


def run_test(contract: Contract, test: Test) -> TestRun:
    """Run one test of the contract."""
    from servanda.contracts.readers.record import read_record
    from servanda.solver.conformance import evaluate

    judged = contract if test.judges_output else replace(contract, output=None)
    try:
        trace = read_record(test.record, contract.source.path)
        evaluation = evaluate(judged, trace, trace.query)
    except Refusal as refusal:
        notes = tuple(Note(f"{d.code} {d.message}") for d in refusal.diagnostics)
        return TestRun(test, _failed(contract, test, "cannot be run", notes))
    wrong = (*_wrong(test.expectations, evaluation), *_differences(test.expectations, evaluation))
    if not wrong:
        return TestRun(test, None)
    return TestRun(test, _failed(contract, test, "does not come out as expected", (*wrong, *_because(evaluation))))


def _failed(contract: Contract, test: Test, what: str, notes: tuple[Note, ...]) -> Diagnostic:
    message = f'the test "{test.title}" {what}'
    return Diagnostic(NOT_AS_EXPECTED, Severity.ERROR, message, contract.source, test.span, "", notes)


def _wrong(expectations: tuple[Expectation, ...], evaluation: Evaluation) -> tuple[Note, ...]:
    """What is not as expected, each with the place of the expectation."""
    notes: list[Note] = []
    for e in expectations:
        if e.word in _VERDICTS and evaluation.verdict != e.word:
            notes.append(Note(f"expected that it {_says(e)}", e.span))
        elif e.word == "undecided" and e.element and e.element not in evaluation.undecided_on:
            notes.append(Note(f"expected that it is undecided on {e.element}", e.span))
        elif e.word in _ACTIVITY and _status(evaluation.graph, e.element) != e.word:
            status = _status(evaluation.graph, e.element)
            notes.append(Note(f"expected {e.element} to be {e.word}, and it is {status}", e.span))
    return tuple(notes)


def _says(expectation: Expectation) -> str:
    return "conforms" if expectation.word == "conforms" else "is undecided"


def _differences(expectations: tuple[Expectation, ...], evaluation: Evaluation) -> tuple[Note, ...]:
    """Findings that are expected and not found, and those found that are not expected. `expect output` alone stands for any one output finding;
    where only activity or an undecided verdict is expected, findings are not compared."""
    listed = [e for e in expectations if e.word not in (*_VERDICTS, *_ACTIVITY)]
    if not listed and not any(e.word == "conforms" for e in expectations):
        return ()
    left = list(evaluation.findings)
    notes: list[Note] = []
    for e in sorted(listed, key=lambda e: not e.element):
        fits = next((r for r in left if r.finding.kind == e.word and e.element in ("", r.finding.element)), None)
        if fits is None:
            notes.append(Note(f"expected {e.word} {e.element}".rstrip(), e.span))
        else:
            left.remove(fits)
    return (*notes, *(_told(reported) for reported in left))


def _status(graph: ExpectedGraph, element: str) -> str:
    """The status of an element or edge; one that has no instance for this query is inactive."""
    for node in graph.elements:
        if node.id == element:
            return node.status
    for edge in graph.edges:
        if f"{edge.earlier} before {edge.later}" == element:
            return edge.status
    return "inactive"


def _because(evaluation: Evaluation) -> tuple[Note, ...]:
    """The verdict, and why where it is undecided; what is found only if something unknown is so."""
    notes = [Note(f"the verdict is {evaluation.verdict}")]
    notes += [Note(f"because {reason}") for reason in evaluation.reasons]
    notes += [
        Note(f"possible: {r.finding.kind} {r.finding.element}, if {', '.join(r.condition)}", r.described.span)
        for r in evaluation.possible
    ]
    return tuple(notes)


def _told(reported: Reported) -> Note:
    finding, described = reported.finding, reported.described
    return Note(f"not expected: {finding.kind} {finding.element}: {described.seen}", described.span)
