"""`contract fmt`: the canonical layout of contracts.

In: contracts. Out: the files rewritten in place, each all at once or not at all; with `--check` or `--diff` nothing is written. A file that
does not parse is never written.
"""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer


def fmt(
    contracts: Annotated[
        list[str],
        typer.Argument(metavar="CONTRACT", help="Contract files; - reads standard input and writes standard output."),
    ],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 if a file would change.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Write nothing; show what would change.")] = False,
) -> None:
    """Lay contracts out in the one way they are written. Comments are kept, and the meaning is not touched."""
    from servanda.cli.contract_file import STDIN, read_input
    from servanda.cli.exit_code import ExitCode, worst
    from servanda.cli.failure import report_refusal
    from servanda.cli.streams import write_file, write_log, write_result
    from servanda.cli.visible import visible
    from servanda.contracts.load import read_tree
    from servanda.grammar.diagnostic import Refusal
    from servanda.grammar.formatter import format_tree
    from servanda.grammar.span import Source

    codes: list[ExitCode] = []
    for path in contracts:
        try:
            text = read_input(path).text
            source = Source(path, text)
            laid_out = format_tree(read_tree(source), source)
            changed = laid_out != text
            if diff:
                write_result("".join(_difference(path, text, laid_out)))
            elif check:
                if changed:
                    write_result(f"{visible(path)} would change\n")
            elif path == STDIN:
                write_result(laid_out)
            elif changed:
                write_file(Path(path), laid_out)
                write_log(f"{visible(path)} written\n")
            codes.append(ExitCode.FINDINGS if check and changed else ExitCode.HOLDS)
        except Refusal as refusal:
            report_refusal(refusal)
            codes.append(ExitCode.BAD_INPUT)
    raise typer.Exit(worst(codes))


def _difference(path: str, old: str, new: str) -> Iterator[str]:
    for line in difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), path, f"{path} (laid out)"
    ):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
