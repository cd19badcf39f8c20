"""A fault of our own, told to a person.

In: the exception. Out: lines on standard error that no one takes for a verdict.
"""

import os

from servanda.cli.streams import write_log


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
