"""The check of a contract for a person.

In: a report and a screen. Out: lines: every diagnostic, then the verdict with what was looked at.
"""

from collections.abc import Iterator

from rich.text import Text

from servanda.cli.checking import CheckReport
from servanda.cli.diagnostic_text import pretty
from servanda.cli.screen import Screen
from servanda.cli.visible import visible
from servanda.contracts.model import AnyOf, Contract, Decide, Duty, Rule
from servanda.contracts.words import nodes
from servanda.grammar.diagnostic import Severity

_STYLES = {
    "proved": "bold green",
    "refuted": "bold red",
    "unknown": "bold yellow",
    "refused": "bold red",
    "internal error": "bold red",
}


def check_text(report: CheckReport, screen: Screen) -> Iterator[Text]:
    """The whole report of one contract."""
    yield from pretty(report.diagnostics, screen)
    if report.diagnostics:
        yield Text()
    line = Text(visible(report.path), "bold").append(": ").append(report.verdict, _STYLES[report.verdict])
    parts = [*_counted(report), *(_looked_at(report.contract, report) if report.contract else ())]
    if parts:
        line.append(f" ({', '.join(parts)})", "default")
    yield from screen.paragraph(line, hang=2)


def _counted(report: CheckReport) -> Iterator[str]:
    for severity in (Severity.ERROR, Severity.WARNING):
        number = sum(d.severity is severity for d in report.diagnostics)
        if number:
            yield _many(number, severity.value)


def _looked_at(contract: Contract, report: CheckReport) -> Iterator[str]:
    found = list(nodes(contract.body))
    for number, noun in (
        (sum(isinstance(n, Duty) for n in found), "obligation"),
        (sum(isinstance(n, Decide) for n in found), "decision"),
        (sum(isinstance(n, AnyOf) for n in found), "choice"),
        (len(contract.orders), "order"),
        (sum(isinstance(n, Rule) for n in found), "rule"),
        (len(contract.output.rules) if contract.output else 0, "output rule"),
    ):
        if number:
            yield _many(number, noun)
    if report.tests is None:
        if contract.tests:
            yield f"{_many(len(contract.tests), 'test')} not run"
    elif report.tests:
        passed = sum(run.diagnostic is None for run in report.tests)
        yield f"{passed} of {_many(len(report.tests), 'test')} as expected"


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
