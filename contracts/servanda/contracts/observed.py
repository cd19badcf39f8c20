"""The observed graph: the events of a trace and their strict partial order.

In: built by a trace reader, from data alone (no contract). Out: read by matching and the monitors. JSON values keep exact numbers:
int, or Decimal for anything written with a point or exponent; objects are dicts, arrays lists, null None.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from typing import Literal as Lit


class _Missing:
    """Nothing was recorded; not the same as null."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()
Json = Any

Outcome = Lit["ok", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Event:
    """A non-empty message or an attempt (a tool call with its result).

    `index`: position in the trace from 0. `turn`: number of the model response or user message it belongs to; events of one turn are
    concurrent, and e is before f iff e.turn < f.turn. `path`: the JSON path in the file it came from. `outcome` is what the adapter saw."""

    index: int
    kind: Lit["call", "message"]
    name: str
    """The tool, or the role."""
    turn: int
    path: str
    args: Mapping[str, Json] = field(default_factory=dict)
    result: Json = MISSING
    outcome: Outcome = "unknown"
    text: str = ""
    at: datetime | None = None
    labels: Mapping[str, Json] = field(default_factory=dict)

    @property
    def by_model(self) -> bool:
        """Whether its turn is a model response (calls and every message that is no user's)."""
        return not (self.kind == "message" and self.name == "user")


@dataclass(frozen=True, slots=True)
class Trace:
    """One run. `query` is the record's own, None where it has none; `output` MISSING where none was recorded; `notes` say what the reader
    dropped or assumed."""

    id: str
    events: tuple[Event, ...]
    complete: bool
    query: Mapping[str, Json] | None
    output: Json
    path: str
    reader: str
    tags: Mapping[str, Json] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    gold: tuple[tuple[str, Mapping[str, Json]], ...] | None = None
    """Gold actions (tool, arguments) where the record carries them (tau files)."""


def before(earlier: Event, later: Event) -> bool:
    """Whether the result of `earlier` was available when `later` was launched (language reference §3)."""
    return earlier.turn < later.turn


def responses_between(events: tuple[Event, ...], earlier: Event, later: Event) -> int:
    """How many model responses came after `earlier`, up to and with that of `later`; 0 in the same turn."""
    return len({e.turn for e in events if e.by_model and earlier.turn < e.turn <= later.turn})
