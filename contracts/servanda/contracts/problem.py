"""The alignment problem of one trace, ground: all that an explanation (language reference §8) is chosen from and judged by.

In: built by grounding for one cell (one assignment of truth values to what is unknown), so everything here is two-valued. Out: the fixed
pass (`explanation`), the brute-force reference and the solver's engine all read this and nothing else. Events are named by index.
Every tuple is sorted by its stable id or by index, never by the order of declarations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal as Lit

from servanda.contracts.model import Severity


@dataclass(frozen=True, slots=True)
class Atom:
    """A failed condition of a near miss, in contract words with the values seen. `view`: the view (its instance, as text) whose being
    undefined made it fail, empty otherwise; `tools`: the tools whose successful call would define that view; `later`: whether the view has
    a match anywhere in the trace that is not before the event."""

    text: str
    view: str = ""
    tools: tuple[str, ...] = ()
    later: bool = False


@dataclass(frozen=True, slots=True)
class NearMiss:
    """An event that is no evidence of a duty but stands on its tool or role: the failed atoms of the evidence pattern that fails least.

    `wanted`: the calls that, had they come first (each undefined view reading its earliest match in the trace), would make the event
    evidence; empty where nothing would."""

    event: int
    atoms: tuple[Atom, ...]
    wanted: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Leaf:
    """An instance of a `require` or `optional` that is active, or would be in a branch not taken.

    `options`: the (group, option) pairs it stands in, outermost first. `branches`: the (decision, branch) pairs. `alternative`: the first of
    those that is not taken, None for an active leaf. `candidates`: events that match its evidence. `shares`: those of them that it would
    share. `signature`: equal for two leaves iff their evidence patterns are equal."""

    id: str
    path: str
    kind: Lit["require", "optional"]
    severity: Severity
    options: tuple[tuple[str, str], ...]
    branches: tuple[tuple[str, str], ...]
    alternative: tuple[str, str] | None
    candidates: tuple[int, ...]
    shares: tuple[int, ...]
    signature: str
    near: tuple[NearMiss, ...]
    calls: tuple[str, ...] = ()
    """The tools whose successful call can be its evidence (those of its `by call` patterns, classes spelt out), sorted."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """An active `forbid` and the events that match it. One in an option binds when that option is chosen."""

    id: str
    path: str
    severity: Severity
    options: tuple[tuple[str, str], ...]
    branches: tuple[tuple[str, str], ...]
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EdgeInstance:
    """`order earlier before later` between two active leaves (ids). `supports`: for each event that fits `later`, the events that fit
    `earlier`, come before it, and keep the bound. `severity` of the finding."""

    earlier: str
    later: str
    bounded: bool
    supports: Mapping[int, tuple[int, ...]]
    severity: Severity
    order: int
    """Which order of the contract it comes from (index into `Contract.orders`)."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What an event is, for alignment. `turn`: e is before f iff e.turn < f.turn. `write`: a successful call of a tool whose effect is
    `writes`. `extra`: if nothing explains it, it is a `redundant` finding. `call`: an attempt, not a message."""

    index: int
    name: str
    turn: int
    call: bool
    write: bool
    extra: bool


@dataclass(frozen=True, slots=True)
class Violation:
    """A finding that no explanation can change: a violated rule (`invariant`) or output rule (`output`). `also`: further `only if` rules at
    the same event from the same undefined view."""

    kind: Lit["invariant", "output"]
    element: str
    events: tuple[int, ...]
    severity: Severity
    seen: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Everything an explanation is judged by. `leaves`: active ones first choice, those of branches not taken marked `alternative`.
    `decisions`: active decisions (instance ids) to the branch taken (empty where a partial one takes none). `groups`: active `any of` groups
    to their options, sorted. `said`: pairs (leaf id of an earlier end, event) at which a violated `needs earlier` rule asks for the leaf's
    own patterns. `complete`: False for an open trace."""

    facts: tuple[Fact, ...]
    leaves: tuple[Leaf, ...]
    forbids: tuple[Forbidden, ...]
    edges: tuple[EdgeInstance, ...]
    decisions: Mapping[str, str]
    groups: Mapping[str, tuple[str, ...]]
    violations: tuple[Violation, ...]
    said: frozenset[tuple[str, int]]
    complete: bool

    @property
    def active(self) -> tuple[Leaf, ...]:
        """The leaves of the expected graph."""
        return tuple(leaf for leaf in self.leaves if leaf.alternative is None)
