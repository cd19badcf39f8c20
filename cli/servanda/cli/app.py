"""The command `contract`: its commands, and the one place where errors become exit codes.

In: the words of a command line. Out: an exit code (see `exit_code`); results on standard output, all else on standard error. Nothing heavy is
imported here: each command imports what it needs when it runs.
"""

import gc
from collections.abc import Sequence
from typing import Annotated

import typer

from servanda.cli.check import check
from servanda.cli.evaluate import evaluate
from servanda.cli.exit_code import ExitCode
from servanda.cli.expect import expect
from servanda.cli.failure import report_environment, report_internal, report_refusal
from servanda.cli.fmt import fmt
from servanda.cli.schema import schema
from servanda.cli.streams import use_utf8, write_result
from servanda.grammar.diagnostic import Refusal

COLLECT = (200_000, 20, 100)
"""A run makes many small objects that live to its end; looking for cycles among them as often as by default costs a tenth of the time."""

app = typer.Typer(
    name="contract",
    help="Contracts on LLM agents: write a policy, prove it sound, judge real runs by it.",
    epilog="Exit codes: 0 holds, 1 findings, 2 bad input, 3 undecided, 70 internal error.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("fmt")(fmt)
app.command("check")(check)
app.command("expect")(expect)
app.command("eval")(evaluate)
app.command("schema")(schema)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        write_result(f"contract {version('servanda')}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None: ...


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (by default the process's own) and return its exit code. Never raises."""
    use_utf8()
    gc.set_threshold(*COLLECT)
    try:
        typer.main.get_command(app).main(args=arguments, prog_name="contract")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except Refusal as refusal:
        report_refusal(refusal)
        return ExitCode.BAD_INPUT
    except OSError as error:
        report_environment(error)
        return ExitCode.BAD_INPUT
    except Exception as error:  # noqa: BLE001  a fault of ours must never look like a verdict
        report_internal(error)
        return ExitCode.INTERNAL
    return ExitCode.HOLDS
