"""Near misses: events that are no evidence of a duty but stand on its tool or role (language reference §8, `omission`).

In: an active required duty, the reads of the run, the answers a cell assumes. Out: for each such event the conditions that failed, and the calls
that, had they come first, would have made it evidence. Pure.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from servanda.contracts.meaning.assumptions import Oracle
from servanda.contracts.meaning.evaluate import Scope
from servanda.contracts.meaning.instances import Instance
from servanda.contracts.meaning.matching import Failed, Miss, failed_atoms, match
from servanda.contracts.meaning.recorded import Recorded
from servanda.contracts.model import Duty, Pattern
from servanda.contracts.observed import Event
from servanda.contracts.problem import Atom, NearMiss


@dataclass(frozen=True, slots=True)
class Nearness:
    """The near misses of a duty by event; `loose`: the events at which a condition is unknown and was taken to hold."""

    misses: tuple[NearMiss, ...]
    loose: tuple[int, ...]


def near_misses(
    instance: Instance, events: Iterable[Event], run: Recorded, oracle: Oracle, *, precise: bool
) -> Nearness:
    """The near misses among events that are no evidence of the duty.

    Which conditions failed decides which event is the near miss. `precise`: a condition that is unknown is a question; otherwise it counts as one
    that holds."""
    assert isinstance(instance.node, Duty)
    patterns = instance.node.by
    scope = Scope(run, None, None, instance.variables)
    found: list[NearMiss] = []
    loose: list[int] = []
    for event in events:
        misses: list[Miss] = []
        for place, pattern in enumerate(patterns):
            miss = failed_atoms(pattern, event, scope)
            if miss is not None and precise and miss.failed:
                miss = _settled(miss, instance.id, place, event, oracle)
            misses += [miss] if miss is not None else []
        if not misses:
            continue
        least = min(misses, key=lambda m: m.rank)
        atoms = tuple(_atom(f, event, oracle) for f in least.failed) or _assumed(least)
        if any(m.open for m in misses if m.failed):
            loose.append(event.index)
        if atoms and (event.kind == "call" or least.conditions > len(atoms)):
            found.append(NearMiss(event.index, atoms, _wanted(patterns, atoms, event, instance, run)))
    return Nearness(tuple(found), tuple(loose))


def _settled(miss: Miss, duty: str, place: int, event: Event, oracle: Oracle) -> Miss:
    """Each unknown condition as it is assumed."""
    failed = list(miss.failed)
    for text, open_ in miss.open:
        key = ("condition", duty, place, event.index, text)
        where = f"for {duty} at event {event.index}"
        if not oracle.settle(open_, key, f"{text} holds {where}", f"{text} does not hold {where}"):
            failed.append(Failed(f"{text} (assumed)"))
    return Miss(tuple(failed), (), miss.conditions)


def _assumed(miss: Miss) -> tuple[Atom, ...]:
    """Where all that could have failed is unknown, and the event was assumed to be no evidence, that."""
    return (Atom(f"{' and '.join(text for text, _ in miss.open)} (assumed)"),) if miss.open else ()


def _atom(failed: Failed, event: Event, oracle: Oracle) -> Atom:
    """With several views, the tools are those that would define each of them, and one with a later match counts for all: nothing is taken for a
    consequence that might not be one."""
    if not failed.views:
        return Atom(failed.text)
    later = False
    for view in failed.views:
        key = ("later", view.view, event.index)
        yes, no = f"{view.view} has a match elsewhere", f"{view.view} has no match elsewhere"
        later |= view.later or (view.open is not None and oracle.settle(view.open, key, yes, no))
    tools = set(failed.views[0].tools).intersection(*(v.tools for v in failed.views[1:]))
    return Atom(failed.text, " and ".join(v.view for v in failed.views), tuple(sorted(tools)), later)


def _wanted(
    patterns: tuple[Pattern, ...], atoms: tuple[Atom, ...], event: Event, instance: Instance, run: Recorded
) -> tuple[int, ...]:
    """The calls that undefined views would have read, had they come first, if the event were evidence then."""
    if not all(a.view and a.later for a in atoms):
        return ()
    found: list[tuple[int, ...]] = []
    for pattern in patterns:
        ahead = run.looking_ahead()
        if match(pattern, event, Scope(ahead, None, None, instance.variables)) is True:
            found.append(tuple(sorted(ahead.called_ahead)))
    return min(found, key=lambda calls: (len(calls), calls), default=())
