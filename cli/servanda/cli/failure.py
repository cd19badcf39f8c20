"""What went wrong with a run, told to a person on standard error: an input that was refused, or a fault of our own.

In: the exception. Out: lines that no one takes for a verdict.
"""

import contextlib
import os
import sys

from servanda.cli.streams import write_log
from servanda.grammar.diagnostic import Refusal


def report_refusal(refusal: Refusal) -> None:
    """Show every diagnostic of a refused input."""
    from servanda.cli.diagnostic_text import pretty
    from servanda.cli.screen import screen_of

    screen = screen_of(sys.stderr)
    write_log(screen.render(pretty(refusal.diagnostics, screen)))


def report_environment(error: OSError) -> None:
    """Say what the system refused: a full disk, an output that is closed."""
    what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
    with contextlib.suppress(OSError):
        write_log(f"error[F130] the output cannot be written: {what}\n")


def report_internal(error: Exception) -> None:
    """Say that we failed, and how to report it; a traceback only where SERVANDA_TRACEBACK=1 asks for it."""
    if os.environ.get("SERVANDA_TRACEBACK") == "1":
        import traceback

        write_log("".join(traceback.format_exception(error)))
    what = " ".join(f"{type(error).__name__}: {error}".split())
    write_log(
        f"internal error: {what}\n"
        "This is a fault of contract, not of your input. Please report it with the command and the files that led\n"
        "here; SERVANDA_TRACEBACK=1 adds the place in our code.\n"
    )
