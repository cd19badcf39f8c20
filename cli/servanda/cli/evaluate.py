"""`contract eval`: the verdict on traces.

In: a contract, traces, and where their queries come from. Out: verdicts with their findings on standard output or in a file.
"""

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from servanda.grammar.diagnostic import refuse


class EvaluationFormat(enum.StrEnum):
    """How the verdicts are written."""

    PRETTY = "pretty"
    JSON = "json"


class QueryFrom(enum.StrEnum):
    """Where a query comes from that is not given in a file."""

    TRACE = "trace"
    NONE = "none"


FEW = 10
"""Up to this many traces each has a block of its own in the pretty report."""


def evaluate(
    contract: Annotated[str, typer.Argument(metavar="CONTRACT", help="A contract file.")],
    traces: Annotated[list[str], typer.Argument(metavar="TRACE", help="Files of traces; - for standard input.")],
    query: Annotated[
        str | None, typer.Option(metavar="FILE", help="One query for all traces, a JSON object; - for standard input.")
    ] = None,
    query_from: Annotated[
        QueryFrom,
        typer.Option(help="Where the queries come from: the trace's record (or its gold actions), or nowhere."),
    ] = QueryFrom.TRACE,
    gold: Annotated[
        bool, typer.Option("--gold/--no-gold", help="Whether a query may be built from the gold actions of a trace.")
    ] = True,
    reader: Annotated[str, typer.Option(help="The format of the traces; auto recognises it.")] = "auto",
    format: Annotated[EvaluationFormat, typer.Option(help="How to write the verdicts.")] = EvaluationFormat.PRETTY,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the verdicts to a file, all at once.")] = None,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 on findings and on undecided.")] = False,
    cross_check: Annotated[
        bool, typer.Option("--cross-check", help="Settle every verdict a second time with another solver.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help=f"Show every trace in full, also where there are more than {FEW}.")
    ] = False,
) -> None:
    """Judge traces by a contract.

    A trace conforms, violates, or is undecided, and then the report says what would decide. Findings name the clause, the line of the policy it
    comes from, the events, what was expected and what was seen. A record that cannot be judged is reported, and the others are judged.
    """
    from servanda.cli.contract_file import STDIN, read_contract
    from servanda.cli.query_file import read_query_file
    from servanda.contracts.meaning.query import read_query

    if [contract, query, *traces].count(STDIN) > 1:
        raise typer.BadParameter("only one input can come from standard input")
    if out is not None and any(
        t != STDIN and out.resolve() == Path(t).resolve() for t in (contract, query, *traces) if t
    ):
        refuse("F130", f"cannot write {out}: it is an input of this run")
    loaded, _ = read_contract(contract)
    given = read_query_file(query) if query is not None else None
    if given is not None:
        read_query(loaded, given, None)  # refused once here, not once a trace

    from servanda.cli.evaluation_json import evaluation_json
    from servanda.cli.exit_code import lenient
    from servanda.cli.json_text import dumps
    from servanda.cli.judging import QuerySource, judge_all
    from servanda.cli.run_text import run_text
    from servanda.cli.screen import Screen, screen_of
    from servanda.cli.streams import write_file, write_log, write_result

    source = QuerySource(given, record=query_from is QueryFrom.TRACE, gold=gold and query_from is QueryFrom.TRACE)
    run = judge_all(loaded, traces, reader, source, cross_check=cross_check)
    if format is EvaluationFormat.JSON:
        text = dumps(evaluation_json(loaded, run.judged, run.unjudged))
    else:
        screen = screen_of(sys.stdout) if out is None else Screen()
        text = screen.render(run_text(loaded, run, screen, full=verbose or len(run.judged) <= FEW, whole=verbose))
    if out is None:
        write_result(text)
    else:
        write_file(out, text)
        write_log(f"verdicts on {len(run.judged)} traces written to {out}\n")
    raise typer.Exit(lenient(run.code) if exit_zero else run.code)
