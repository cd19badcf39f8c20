"""`contract expect`: what a contract asks for one query.

In: a contract and a query. Out: the expected graph on standard output: what is active and in which order, what is not and why.
"""

import enum
import sys
from typing import Annotated

import typer


class ExpectFormat(enum.StrEnum):
    """How the graph is written."""

    PRETTY = "pretty"
    JSON = "json"
    DOT = "dot"


def expect(
    contract: Annotated[str, typer.Argument(metavar="CONTRACT", help="A contract file; - for standard input.")],
    query: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The query, a JSON object; - for standard input. Without it nothing is known."
        ),
    ] = None,
    format: Annotated[ExpectFormat, typer.Option(help="How to write the graph.")] = ExpectFormat.PRETTY,
) -> None:
    """Show which duties, order edges and rules apply to a query.

    Inactive ones are shown with the conditions that are false and the values they read, undecided ones with the unknown attributes they hang
    on. Exits with 3 where something is undecided.
    """
    from servanda.cli.contract_file import STDIN, read_contract
    from servanda.cli.exit_code import ExitCode
    from servanda.cli.expected_dot import expected_dot
    from servanda.cli.expected_json import expected_json
    from servanda.cli.expected_text import expected_text
    from servanda.cli.json_text import dumps
    from servanda.cli.query_file import read_query_file
    from servanda.cli.screen import screen_of
    from servanda.cli.streams import write_result
    from servanda.contracts.meaning.activation import expected_graph
    from servanda.contracts.meaning.query import read_query

    if contract == STDIN and query == STDIN:
        raise typer.BadParameter("only one of the contract and the query can come from standard input")
    loaded, _ = read_contract(contract)
    given = read_query_file(query) if query is not None else None
    graph = expected_graph(loaded, read_query(loaded, given, None))
    match format:
        case ExpectFormat.PRETTY:
            screen = screen_of(sys.stdout)
            write_result(screen.render(expected_text(loaded, graph, screen)))
        case ExpectFormat.JSON:
            write_result(dumps(expected_json(loaded, graph)))
        case ExpectFormat.DOT:
            write_result(expected_dot(loaded.name, graph))
    statuses = {e.status for e in graph.elements} | {e.status for e in graph.edges}
    raise typer.Exit(ExitCode.UNDECIDED if "undecided" in statuses else ExitCode.HOLDS)
