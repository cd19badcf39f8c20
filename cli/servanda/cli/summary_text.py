"""The summary of a run for a person.

In: judged and unjudged traces of one contract, and a screen. Out: parts to lay out: verdicts, rules with their rates, kinds of failure, what left
verdicts open, the worst traces, what was skipped.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from servanda.cli.evaluation_text import VERDICT_STYLES, skipped_block, trace_line
from servanda.cli.judged import Judged, Unjudged
from servanda.cli.screen import Screen
from servanda.cli.summary import doubts, kind_counts, percent, rule_totals, verdict_counts, worst_traces
from servanda.cli.visible import visible
from servanda.contracts.model import Contract

WORST = 5
_MOST_NOTES = 5


def summary_text(
    contract: Contract, traces: Sequence[Judged], skipped: Sequence[Unjudged], screen: Screen
) -> Iterator[RenderableType]:
    """All parts; one that would be empty is left out."""
    yield from _verdicts(contract, traces, skipped)
    yield from _doubts(contract, traces, screen)
    yield from _kinds(traces)
    yield from _rules(contract, traces)
    yield from _worst(traces, screen)
    yield from _notes(traces, screen)
    if skipped:
        yield from _title("skipped, not judged")
        for one in skipped:
            yield from skipped_block(one, screen)


def _verdicts(contract: Contract, traces: Sequence[Judged], skipped: Sequence[Unjudged]) -> Iterator[RenderableType]:
    line = Text(f"{visible(contract.name)} version {contract.version}: ", "bold")
    yield line.append(f"{len(traces)} trace{'s' * (len(traces) != 1)} judged", "default")
    table = _table()
    for verdict, count in verdict_counts(traces).items() if traces else ():
        share = percent(count, len(traces))
        table.add_row(Text(f"  {verdict}", VERDICT_STYLES[verdict] if count else "dim"), Text(str(count)), Text(share))
    if skipped:
        table.add_row(Text("  skipped", "bold red"), Text(str(len(skipped))), Text())
    yield table


def _table() -> Table:
    """A table of plain columns, the first to the left, the others to the right."""
    table = Table(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    return table


def _title(text: str) -> Iterator[Text]:
    yield Text()
    yield Text(text, "bold")


def _doubts(contract: Contract, traces: Sequence[Judged], screen: Screen) -> Iterator[RenderableType]:
    found = doubts(contract, traces)
    if not found:
        return
    yield from _title("undecided because")
    for doubt in found:
        said = f"{doubt.phrase}: {doubt.traces} of {len(traces)} traces"
        if doubt.rules:
            said += f", {doubt.verdicts} verdict{'s' * (doubt.verdicts != 1)}"
            said += f", rule{'s' * (len(doubt.rules) != 1)} {', '.join(doubt.rules)}"
        yield from screen.paragraph(Text(visible(said)), indent=2, hang=4)


def _kinds(traces: Sequence[Judged]) -> Iterator[RenderableType]:
    counts = kind_counts(traces)
    if not any(counts.values()):
        return
    yield from _title("findings")
    yield Text("  " + ", ".join(f"{count} {kind}" for kind, count in counts.items() if count))


def _rules(contract: Contract, traces: Sequence[Judged]) -> Iterator[RenderableType]:
    totals = rule_totals(contract, traces)
    if not totals or not traces:
        return
    yield from _title("rules")
    table = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  rule", overflow="fold")
    for column in ("activated", "fulfilled", "violated", "undecided"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, count in totals.items():
        shares = (count.fulfilled, count.violated, count.undecided)
        table.add_row(
            Text(f"  {visible(name)}"),
            Text(str(count.activated) if count.activated else "never"),
            *(Text(f"{n} {percent(n, count.activated):>6}" if count.activated else "") for n in shares),
        )
    yield table


def _worst(traces: Sequence[Judged], screen: Screen) -> Iterator[RenderableType]:
    found = worst_traces(traces, WORST)
    if not found or len(traces) <= WORST:
        return
    yield from _title("worst traces")
    inner = Screen(screen.width - 2, screen.colour)
    for trace in found:
        yield Text("  ").append_text(trace_line(trace, inner))


def _notes(traces: Sequence[Judged], screen: Screen) -> Iterator[RenderableType]:
    """What was noted of several traces, the most frequent first."""
    counted = Counter(note for trace in traces for note in dict.fromkeys(trace.notes))
    common = sorted(((n, note) for note, n in counted.items() if n > 1), key=lambda pair: (-pair[0], pair[1]))
    if not common:
        return
    yield from _title("notes")
    for n, note in common[:_MOST_NOTES]:
        yield from screen.paragraph(Text(f"{n} of {len(traces)} traces: {visible(note)}"), indent=2, hang=4)
    if len(common) > _MOST_NOTES:
        yield Text(f"  and {len(common) - _MOST_NOTES} more")
