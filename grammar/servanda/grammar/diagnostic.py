"""What is wrong with an input, as data.

A diagnostic has a stable code (`C1xx` names and types, `C2xx` proofs about a contract, `T1xx` traces, `Q1xx` queries, `F1xx` files),
a severity, a place, what was expected, and a fix where there is one. Rendering is the business of the command line.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import NoReturn

from servanda.grammar.span import Source, Span


class Severity(StrEnum):
    """How bad a diagnostic is; only errors refuse the input."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Note:
    """A second place, or a remark without one."""

    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault: `message` says what and why in a sentence, `label` what stands at the place, `help` how to mend it."""

    code: str
    severity: Severity
    message: str
    source: Source | None = None
    span: Span | None = None
    label: str = ""
    notes: tuple[Note, ...] = ()
    help: str = ""


class Refusal(Exception):
    """An input was refused; carries the diagnostics, at least one of them an error. The only exception for bad input."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        assert any(d.severity is Severity.ERROR for d in self.diagnostics)
        super().__init__(self.diagnostics[0].message)


class InternalError(Exception):
    """A fault of our own: a self-check failed. Never the user's; the command line exits 70."""


def refuse(
    code: str, message: str, *, source: Source | None = None, span: Span | None = None, help: str = ""
) -> NoReturn:
    """Refuse an input for one error."""
    raise Refusal((Diagnostic(code, Severity.ERROR, message, source, span, help=help),))


def nearest(name: str, known: Iterable[str]) -> str:
    """`did you mean 'x'?` for the known name nearest to `name`, or an empty string."""
    found = get_close_matches(name, sorted(set(known)), n=1, cutoff=0.6)
    return f"did you mean '{found[0]}'?" if found else ""
