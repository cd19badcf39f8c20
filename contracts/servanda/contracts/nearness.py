"""Near misses: events that are no evidence of a duty but stand on its tool or role (language reference §8, `omission`).

In: an active required duty, the reads of the run, the answers a cell assumes. Out: for each such event the conditions that failed, and the calls
that, had they come first, would have made it evidence. Pure.
"""

from collections.abc import Iterable, Iterator

from servanda.contracts.assumptions import Oracle
from servanda.contracts.evaluate import Scope
from servanda.contracts.instances import Instance
from servanda.contracts.matching import Failed, Miss, failed_atoms, match
from servanda.contracts.model import Duty, Pattern
from servanda.contracts.observed import Event
from servanda.contracts.problem import Atom, NearMiss
from servanda.contracts.recorded import Recorded


def near_misses(instance: Instance, events: Iterable[Event], run: Recorded, oracle: Oracle) -> Iterator[NearMiss]:
    """The near misses among events that are no evidence of the duty, in their order."""
    assert isinstance(instance.node, Duty)
    patterns = instance.node.by
    scope = Scope(run, None, None, instance.variables)
    for event in events:
        misses = [m for p in patterns if (m := failed_atoms(p, event, scope)) is not None]
        if not misses:
            continue
        least = min(misses, key=lambda m: m.rank)
        atoms = _atoms(least, event, oracle)
        if not atoms or (event.kind == "message" and least.conditions <= len(atoms)):
            continue
        yield NearMiss(event.index, atoms, _wanted(patterns, atoms, event, instance, run))


def _atoms(miss: Miss, event: Event, oracle: Oracle) -> tuple[Atom, ...]:
    """The failed conditions; where all that could have failed is unknown and was assumed to fail, that."""
    if miss.failed:
        return tuple(_atom(f, event, oracle) for f in miss.failed)
    return (Atom(f"{' and '.join(miss.open)} (assumed)"),) if miss.open else ()


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
