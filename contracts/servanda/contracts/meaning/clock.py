"""Distances between the events of a trace (language reference §3 and §6): turns, events, adjacency.

In: a contract (which calls are neutral) and a trace. Out: counts and comparisons. The only order is that of turns: events of one turn are
concurrent, none is before another. Pure.
"""

from bisect import bisect_left, bisect_right

from servanda.contracts.model import Bound, Contract, effect_of
from servanda.contracts.observed import Event, Trace


class Clock:
    """The times of one trace."""

    def __init__(self, contract: Contract, trace: Trace) -> None:
        self._contract = contract
        self._responses = sorted({e.turn for e in trace.events if e.by_model})
        self._places = sorted(e.turn for e in trace.events if not self.neutral(e))

    def neutral(self, event: Event) -> bool:
        """Whether the event is a call of a neutral tool."""
        return event.kind == "call" and effect_of(self._contract, event.name) == "neutral"

    def responses(self, earlier: Event, later: Event) -> int:
        """How many model responses come after `earlier`, up to and with that of `later`; 0 in the same turn."""
        return self._since(self._responses, earlier.turn, later.turn)

    def events(self, earlier: Event, later: Event) -> int:
        """How many non-neutral events come after `earlier`, up to and with `later`; those concurrent with `later` are not before it."""
        if earlier.turn >= later.turn:
            return 0
        between = bisect_left(self._places, later.turn) - bisect_right(self._places, earlier.turn)
        return between + (not self.neutral(later))

    def adjacent(self, earlier: Event, later: Event) -> bool:
        """Whether `earlier` is before `later` and nothing but neutral calls lies between."""
        if earlier.turn >= later.turn:
            return False
        return bisect_left(self._places, later.turn) == bisect_right(self._places, earlier.turn)

    def within(self, bound: Bound | None, earlier: Event, later: Event) -> bool:
        """Whether a bound (inclusive) is kept between two events."""
        if bound is None:
            return True
        match bound.unit:
            case "turns":
                return bound.low <= self.responses(earlier, later) <= bound.high
            case "events":
                return bound.low <= self.events(earlier, later) <= bound.high
            case "seconds":
                raise AssertionError("the resolver refuses durations")

    def may_still(self, bound: Bound | None, earlier: Event) -> bool:
        """Whether an event behind the end of the trace could keep the bound: it has a turn of its own, and may be a user's or neutral."""
        if bound is None:
            return True
        times = self._responses if bound.unit == "turns" else self._places
        return len(times) - bisect_right(times, earlier.turn) <= bound.high

    def may_follow(self, earlier: Event) -> bool:
        """Whether an event behind the end of the trace could be adjacent to `earlier`."""
        return bisect_right(self._places, earlier.turn) == len(self._places)

    @staticmethod
    def _since(times: list[int], after: int, upto: int) -> int:
        return max(0, bisect_right(times, upto) - bisect_right(times, after))
