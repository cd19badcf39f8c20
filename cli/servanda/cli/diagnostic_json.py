"""Diagnostics for a program.

In: diagnostics. Out: plain values for JSON, keys in a fixed order. Shape: architecture of the `check` report.
"""

from typing import Any

from servanda.grammar.diagnostic import Diagnostic


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """`{code, severity, line, column, message, help?, notes?}`; `line` and `column` count from 1 and are null where there is no place."""
    span = diagnostic.span
    shape: dict[str, Any] = {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "message": diagnostic.message,
    }
    if diagnostic.help:
        shape["help"] = diagnostic.help
    if diagnostic.notes:
        shape["notes"] = [
            {
                "message": note.message,
                **({"line": note.span.line, "column": note.span.column} if note.span is not None else {}),
            }
            for note in diagnostic.notes
        ]
    return shape
