"""`contract check`: names and types, proofs about the contract, and its own tests.

In: contracts. Out: diagnostics on standard output, in the order the contracts were named.
"""

import enum
import sys
from typing import Annotated

import typer


class CheckFormat(enum.StrEnum):
    """How the result is written."""

    PRETTY = "pretty"
    COMPACT = "compact"
    JSON = "json"


class FailLevel(enum.StrEnum):
    """The least severity that makes the command exit with 1."""

    ERROR = "error"
    WARNING = "warning"


def check(
    contracts: Annotated[list[str], typer.Argument(metavar="CONTRACT", help="Contract files; - for standard input.")],
    format: Annotated[CheckFormat, typer.Option(help="How to write the result.")] = CheckFormat.PRETTY,
    fail_level: Annotated[FailLevel, typer.Option(help="Least severity that exits with 1.")] = FailLevel.ERROR,
    tests: Annotated[bool, typer.Option("--tests/--no-tests", help="Run the test blocks as well.")] = True,
) -> None:
    """Check contracts: names, types, proofs and tests.

    Proved are: no duty, branch or rule is dead; every decision takes exactly one branch for every query; no orders form a cycle. What is wrong
    is shown with the smallest query that shows it, or with the conditions that exclude each other.
    """
    from servanda.cli.check_json import check_json
    from servanda.cli.check_text import check_text
    from servanda.cli.checking import check_contract
    from servanda.cli.diagnostic_text import compact
    from servanda.cli.exit_code import worst
    from servanda.cli.failure import report_internal
    from servanda.cli.json_text import dumps
    from servanda.cli.screen import screen_of
    from servanda.cli.streams import write_result
    from servanda.cli.visible import visible

    reports = []
    screen = screen_of(sys.stdout)
    for number, path in enumerate(contracts):
        report = check_contract(path, tests=tests)
        reports.append(report)
        if report.fault is not None:
            report_internal(report.fault)
        match format:
            case CheckFormat.PRETTY:
                write_result(("\n" if number else "") + screen.render(check_text(report, screen)))
            case CheckFormat.COMPACT:
                lines = [*compact(report.diagnostics), f"{visible(path)}: {report.verdict}"]
                write_result("".join(f"{line}\n" for line in lines))
            case CheckFormat.JSON:
                pass
    if format is CheckFormat.JSON:
        write_result(dumps(check_json(reports)))
    raise typer.Exit(worst(r.code(warnings_fail=fail_level is FailLevel.WARNING) for r in reports))
