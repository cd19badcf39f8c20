"""The collector of diagnostics while one contract is resolved.

In: codes, places, sentences. Out: the diagnostics, once each, sorted by place. The only thing in this room that grows while it is used; it
lives as long as one call of `resolve`.
"""

from collections.abc import Iterable

from servanda.contracts.codes import CODES
from servanda.grammar.diagnostic import Diagnostic, Note, Severity
from servanda.grammar.span import Source, Span


class Faults:
    """Diagnostics about one source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._found: dict[tuple[str, int, int, str], Diagnostic] = {}

    def error(
        self, code: str, span: Span, message: str, *, label: str = "", notes: Iterable[Note] = (), help: str = ""
    ) -> None:
        """Record an error at `span`; the same one twice is one."""
        self._add(Diagnostic(code, Severity.ERROR, message, self._source, span, label, tuple(notes), help))

    def warning(self, code: str, span: Span, message: str, *, notes: Iterable[Note] = (), help: str = "") -> None:
        """Record a warning at `span`."""
        self._add(Diagnostic(code, Severity.WARNING, message, self._source, span, "", tuple(notes), help))

    def _add(self, found: Diagnostic) -> None:
        assert found.code in CODES and found.span is not None
        self._found.setdefault((found.code, found.span.start, found.span.end, found.message), found)

    @property
    def any_error(self) -> bool:
        """Whether an error was recorded."""
        return any(d.severity is Severity.ERROR for d in self._found.values())

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All diagnostics by place, then by code and message."""

        def place(d: Diagnostic) -> tuple[int, int, str, str]:
            assert d.span is not None
            return (d.span.start, d.span.end, d.code, d.message)

        return tuple(sorted(self._found.values(), key=place))
