"""Judging many traces: each is read, given its query, evaluated, and reported, one after the other.

In: a contract, the files of traces, and where queries come from. Out: a run: the judged traces and those that could not be judged, in the order
they were read. A trace that is refused, or at which we fail, does not stop the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from servanda.cli.exit_code import ExitCode, worst
from servanda.cli.failure import report_internal
from servanda.cli.judged import Judged, Unjudged, judged
from servanda.contracts.gold import query_from_gold
from servanda.contracts.model import Contract
from servanda.contracts.observed import Json, Trace
from servanda.contracts.readers.reading import read_traces
from servanda.contracts.readers.skipped import Skipped
from servanda.grammar.diagnostic import Refusal
from servanda.solver.conformance import evaluate

_INTERNAL = "X900"


@dataclass(frozen=True, slots=True)
class QuerySource:
    """`given` is the query for every trace, or None. Else `record`: the query that the trace's record carries; failing that, `gold`: the one
    built from its gold actions; failing that nothing is given."""

    given: Mapping[str, Json] | None
    record: bool
    gold: bool


@dataclass(frozen=True, slots=True)
class Run:
    """What became of every trace."""

    judged: tuple[Judged, ...]
    unjudged: tuple[Unjudged, ...]

    @property
    def code(self) -> ExitCode:
        """The exit code of the run; nothing judged at all is bad input."""
        codes = {
            "conforms": ExitCode.HOLDS,
            "violates": ExitCode.FINDINGS,
            "undecided": ExitCode.UNDECIDED,
        }
        found = [codes[trace.verdict] for trace in self.judged]
        found += [ExitCode.INTERNAL if one.internal else ExitCode.BAD_INPUT for one in self.unjudged]
        return worst(found) if found else ExitCode.BAD_INPUT


def judge_all(contract: Contract, paths: Sequence[str], reader: str, source: QuerySource, *, cross_check: bool) -> Run:
    """Judge every trace of the files."""
    done: list[Judged] = []
    left: list[Unjudged] = []
    for record in read_traces(paths, reader):
        if isinstance(record, Skipped):
            left.append(Unjudged(record.id, record.path, record.code, record.message))
            continue
        found = _judge(contract, record, source, cross_check=cross_check)
        if isinstance(found, Judged):
            done.append(found)
        else:
            left.append(found)
    return Run(tuple(done), tuple(left))


def _judge(contract: Contract, trace: Trace, source: QuerySource, *, cross_check: bool) -> Judged | Unjudged:
    try:
        query, notes = _query(contract, trace, source)
        return judged(evaluate(contract, trace, query, cross_check=cross_check), notes)
    except Refusal as refusal:
        first = refusal.diagnostics[0]
        return Unjudged(trace.id, trace.path, first.code, "; ".join(d.message for d in refusal.diagnostics))
    except Exception as error:  # noqa: BLE001  the other traces are still judged; the run exits with 70
        report_internal(error)
        return Unjudged(trace.id, trace.path, _INTERNAL, f"internal error: {error}", internal=True)


def _query(contract: Contract, trace: Trace, source: QuerySource) -> tuple[Mapping[str, Json] | None, tuple[str, ...]]:
    """The query of a trace, and how it was found."""
    if source.given is not None:
        return source.given, ()
    if source.record and trace.query is not None:
        return trace.query, ()
    if source.gold and trace.gold is not None:
        return query_from_gold(contract, trace)
    return None, ()
