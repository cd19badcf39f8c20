"""What a run of the command says to the shell.

In: what was found. Out: one number. Several at once: an internal error over bad input over findings over undecided over holds.
"""

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of every command."""

    HOLDS = 0
    """All that was looked at holds, and all was looked at."""
    FINDINGS = 1
    """A contract is refuted, a trace violates, a file would be changed."""
    BAD_INPUT = 2
    """An input was refused; what could be judged was judged."""
    UNDECIDED = 3
    """Not known, and the report says what would decide."""
    INTERNAL = 70
    """A fault of our own: never a verdict."""


_RANK = (ExitCode.HOLDS, ExitCode.UNDECIDED, ExitCode.FINDINGS, ExitCode.BAD_INPUT, ExitCode.INTERNAL)


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """The code of several results together; none at all is `HOLDS`."""
    return max(codes, key=_RANK.index, default=ExitCode.HOLDS)


def lenient(code: ExitCode) -> ExitCode:
    """The code under `--exit-zero`: findings and undecided become 0; bad input and internal errors never do."""
    return ExitCode.HOLDS if code in (ExitCode.FINDINGS, ExitCode.UNDECIDED) else code
