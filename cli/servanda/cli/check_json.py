"""The check of several contracts for a program.

In: reports. Out: plain values for JSON, in the order the contracts were named.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from servanda.cli.checking import CheckReport
from servanda.cli.diagnostic_json import as_json

SCHEMA = "servanda.check/1"


def check_json(reports: Iterable[CheckReport]) -> dict[str, Any]:
    """`{schema, contracts: [{path, verdict, diagnostics: [{code, severity, line, column, message, witness?, core?}]}]}`."""
    return {
        "schema": SCHEMA,
        "contracts": [
            {
                "path": report.path,
                "verdict": report.verdict,
                "diagnostics": [as_json(d) | _plain(report.evidence.get(d, {})) for d in report.diagnostics],
            }
            for report in reports
        ],
    }


def _plain(value: Any) -> Any:
    """A value in which whole numbers are ints and other exact numbers texts; a float would not be exact."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
