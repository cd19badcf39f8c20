"""A whole run of `contract eval` for a person: the traces, then the summary.

In: a contract, a run, a screen. Out: parts to lay out. With `full` each trace has a block, else a line; with `whole` a
block leaves nothing out.
"""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from servanda.cli.evaluation_text import trace_block, trace_line
from servanda.cli.judging import Run
from servanda.cli.screen import Screen
from servanda.cli.summary import worst_traces
from servanda.cli.summary_text import WORST, summary_text
from servanda.contracts.model import Contract


def run_text(contract: Contract, run: Run, screen: Screen, *, full: bool, whole: bool) -> Iterator[RenderableType]:
    """The report. Where there are too many traces for a block each, the worst ones still have theirs."""
    for trace in run.judged:
        if full:
            yield from trace_block(contract, trace, screen, whole=whole)
            yield Text()
        else:
            yield trace_line(trace, screen)
    if run.judged and not full:
        yield Text()
        for trace in worst_traces(run.judged, WORST):
            yield from trace_block(contract, trace, screen)
            yield Text()
    yield from summary_text(contract, run.judged, run.unjudged, screen)
