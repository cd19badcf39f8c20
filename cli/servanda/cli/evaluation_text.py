"""One trace's verdict for a person: each finding with the contract's line, the policy's words, what was expected and what was seen.

In: judged traces and a screen. Out: lines. Findings stand in the order the evaluation gives them.
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TypeVar

from rich.text import Text

from servanda.cli.judged import Judged, Unjudged
from servanda.cli.screen import Screen, cut
from servanda.cli.visible import visible
from servanda.contracts.model import Contract
from servanda.contracts.verdict import Reported

VERDICT_STYLES = {"conforms": "bold green", "violates": "bold red", "undecided": "bold yellow"}
_MARGIN = 14
_LONGEST = 400
_MOST_POSSIBLE = 3
_MOST_REASONS = 8
_T = TypeVar("_T")


def trace_block(contract: Contract, trace: Judged, screen: Screen, *, whole: bool = False) -> Iterator[Text]:
    """All that is known of one trace; unless `whole`, only the first of many possible findings and reasons."""
    yield from screen.paragraph(_headline(trace), hang=4)
    for reported in trace.findings:
        yield from _finding(contract, reported, screen)
    reasons = _first(trace.reasons, len(trace.reasons) if whole else _MOST_REASONS)
    for reason in reasons:
        yield from _row("because", visible(reason), screen)
    if len(reasons) < len(trace.reasons):
        yield from _row("", f"and {len(trace.reasons) - len(reasons)} more", screen)
    possible = _first(trace.possible, len(trace.possible) if whole else _MOST_POSSIBLE)
    for reported in possible:
        yield from _finding(contract, reported, screen)
    if len(possible) < len(trace.possible):
        left = len(trace.possible) - len(possible)
        yield Text(f"  and {left} more possible finding{'s' * (left != 1)}; --verbose shows them")
    for note in trace.notes:
        yield from _row("note", visible(note), screen, "dim")


def _first(found: Sequence[_T], number: int) -> Sequence[_T]:
    """The first `number` elements; all of them where only one would be left out."""
    return found if len(found) <= number + 1 else found[:number]


def trace_line(trace: Judged, screen: Screen) -> Text:
    """One trace in one line."""
    said = _headline(trace, denominator=False)
    if trace.findings:
        said.append(f": {visible(', '.join(_name(r) for r in trace.findings))}", "default")
    elif trace.reasons:
        said.append(f": {visible(trace.reasons[0])}", "default")
    said.truncate(screen.width, overflow="ellipsis")
    return said


def skipped_block(skipped: Unjudged, screen: Screen) -> Iterator[Text]:
    """A trace that was not judged, and why."""
    line = Text("skipped", "bold red").append(f"[{skipped.code}] ", "default")
    line.append(visible(skipped.path or skipped.id), "bold")
    if skipped.path and skipped.id not in skipped.path:
        line.append(f" {visible(skipped.id)}", "bold")
    line.append(": ", "default")
    yield from screen.paragraph(line.append(visible(skipped.message), "default"), hang=4)


def _headline(trace: Judged, *, denominator: bool = True) -> Text:
    line = Text(visible(trace.id), "bold").append(" ").append(trace.verdict, VERDICT_STYLES[trace.verdict])
    if trace.findings:
        line.append(f", {len(trace.findings)} finding{'s' * (len(trace.findings) != 1)}", "default")
    elif trace.verdict == "violates":
        line.append(", but which finding hangs on what is unknown", "default")
    return line.append(f" ({trace.denominator} duties, rules and edges apply)", "dim") if denominator else line


def _name(reported: Reported) -> str:
    return f"{reported.finding.kind} {reported.finding.element}"


def _finding(contract: Contract, reported: Reported, screen: Screen) -> Iterator[Text]:
    finding, described = reported.finding, reported.described
    line = Text("possible ", "yellow") if reported.condition else Text()
    line.append(f"{finding.kind} ", "red").append(visible(finding.element), "bold")
    if described.title:
        line.append(f'  "{visible(described.title)}"', "default")
    if finding.severity != "normal":
        line.append(f"  {finding.severity} severity", "default")
    yield from screen.paragraph(line, indent=2, hang=6)
    for condition in reported.condition:
        yield from _row("if", visible(condition), screen)
    yield from _row("contract", f"{visible(PurePath(contract.source.path).name)}:{described.span.line}", screen)
    if described.prose is not None:
        p = described.prose
        lines = f"{p.first}" if p.first == p.last else f"{p.first}-{p.last}"
        yield from _row("prose", f'{visible(p.path)}:{lines} "{_short(p.text)}"', screen)
    yield from _row("expected", _short(described.expected), screen)
    yield from _row("seen", _short(described.seen), screen)
    if described.paths:
        yield from _row("at", visible(", ".join(described.paths)), screen)
    for c in reported.consequences:
        events = f" at event{'s' * (len(c.events) != 1)} {', '.join(map(str, c.events))}" if c.events else ""
        yield from _row("follows", f"{c.kind} {visible(c.element)}{events}", screen, "dim")
    if not reported.certain and not reported.condition:
        yield from _row("ambiguous", "an equally good reading of the trace has another finding instead", screen)


def _short(text: str) -> str:
    return cut(visible(text), _LONGEST)


def _row(label: str, text: str, screen: Screen, style: str = "default") -> Iterator[Text]:
    head = Text(label.ljust(_MARGIN - 4), "cyan")
    yield from screen.paragraph(head.append(text, style), indent=4, hang=_MARGIN)
