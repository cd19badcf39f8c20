"""Best pairings of near misses with omissions, one for each way they can end, where trying all of them would not do.

In: the names of events, then, for each choice, the pairs that are possible and the events that are extras unless paired. Out: pairings with the
most pairs and fewest failed atoms. Left out are those that end like one that is given and comes before it in the canonical tie-break: the same
leaves follow from the same views, the same near misses were too early, and as many extras of each tool are explained. So the explanations that
these pairings lead to have the same findings, up to which alike event stands in which, as those of all pairings, and the first of them is first.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from servanda.contracts.meaning.pairing import Pair

STATES = 5_000
"""Partial pairings looked at for one choice, after which the rest are left out."""
_ALONE = 1 << 20
"""The weight of a leaf left without a near miss; more than all failed atoms of a pairing together."""


@dataclass(frozen=True, slots=True)
class _Option:
    """A near miss that a leaf may be paired with. `special`: what of it may change other findings than its own: the views it hangs on, and
    its place where it wanted calls to come first."""

    pair: Pair
    special: tuple[object, ...]

    @property
    def event(self) -> int:
        return self.pair.near.event

    @property
    def atoms(self) -> int:
        return len(self.pair.near.atoms)


@dataclass(slots=True)
class BestPairings:
    """Pairings over events with these names (`Fact.name`), as `explanations` asks for them. `cut_short`: once there were more than could be
    given."""

    names: Mapping[int, str]
    cut_short: bool = False

    def __call__(self, pairs: Sequence[Pair], extras: AbstractSet[int]) -> Iterator[dict[str, Pair]]:
        """The pairings, first in the canonical order first."""
        if not pairs:
            yield {}
            return
        leaves = sorted({p.leaf for p in pairs})
        options = [[_option(p) for p in pairs if p.leaf == leaf] for leaf in leaves]
        kinds = _kinds(options, extras, self.names)
        few = [[o for o in mine if kinds[o.event][1] < len(leaves)] for mine in options]
        rows, least = _tight(few)
        explains = {e: self.names[e] for e in extras if e in kinds}
        endings = _Endings([[_step(o, kinds, explains) for o in row] for row in rows], least)
        yield from endings.all(1 + max(k for k, _ in kinds.values()))
        self.cut_short = self.cut_short or endings.states > STATES


def _option(pair: Pair) -> _Option:
    atoms = pair.near.atoms
    special: tuple[object, ...] = ()
    if pair.near.wanted:
        special = (pair.leaf, pair.near.event)
    elif all(a.view and not a.later for a in atoms):
        special = (pair.leaf, tuple(sorted({a.tools for a in atoms})))
    return _Option(pair, special)


def _kinds(
    options: Sequence[Sequence[_Option]], extras: AbstractSet[int], names: Mapping[int, str]
) -> dict[int, tuple[int, int]]:
    """For each event its kind, and its place among the events of that kind: events are of a kind if they look alike to every leaf."""
    looks: dict[int, list[object]] = {}
    for k, mine in enumerate(options):
        for option in mine:
            looks.setdefault(option.event, []).append((k, option.atoms, option.special))
    kinds: dict[object, int] = {}
    count: dict[int, int] = {}
    found: dict[int, tuple[int, int]] = {}
    for event in sorted(looks):
        look = (tuple(looks[event]), names[event] if event in extras else "")
        kind = kinds.setdefault(look, len(kinds))
        found[event] = (kind, count.get(kind, 0))
        count[kind] = count.get(kind, 0) + 1
    return found


@dataclass(frozen=True, slots=True)
class _Step:
    """An option, or that the leaf is left alone, with all that the enumeration asks of it."""

    option: _Option | None
    weight: int
    kind: int
    number: int
    explains: str


def _step(option: _Option | None, kinds: Mapping[int, tuple[int, int]], explains: Mapping[int, str]) -> _Step:
    if option is None:
        return _Step(None, _ALONE, -1, -1, "")
    return _Step(option, option.atoms, *kinds[option.event], explains.get(option.event, ""))


@dataclass(slots=True)
class _Endings:
    """For each leaf in order, the steps that can stand in a best pairing, which weighs `least`."""

    rows: Sequence[Sequence[_Step]]
    least: int
    states: int = 0
    _seen: set[object] = field(default_factory=set)
    _ahead: list[tuple[int, ...]] = field(default_factory=list)
    _found: bool = False

    def all(self, kinds: int) -> Iterator[dict[str, Pair]]:
        """The pairings that end differently."""
        for place in range(len(self.rows) + 1):
            self._ahead.append(
                tuple(sorted({s.kind for row in self.rows[place:] for s in row if s.option is not None}))
            )
        yield from self._extend(0, (), (0,) * kinds, 0, (), ())

    def _extend(
        self,
        place: int,
        chosen: tuple[Pair, ...],
        used: tuple[int, ...],
        weight: int,
        special: tuple[object, ...],
        explained: tuple[str, ...],
    ) -> Iterator[dict[str, Pair]]:
        state = (place, tuple(used[k] for k in self._ahead[place]), weight, special, explained)
        if weight > self.least or state in self._seen or (self._found and self.states > STATES):
            return
        self._seen.add(state)
        self.states += 1
        if place == len(self.rows):
            if weight == self.least:
                self._found = True
                yield {pair.leaf: pair for pair in chosen}
            return
        for step in self.rows[place]:
            option, total = step.option, weight + step.weight
            if option is None:
                yield from self._extend(place + 1, chosen, used, total, special, explained)
            elif step.number == used[step.kind]:  # of a kind, the earliest event that is left
                now = (*used[: step.kind], step.number + 1, *used[step.kind + 1 :])
                more = (*special, option.special) if option.special else special
                told = tuple(sorted((*explained, step.explains))) if step.explains else explained
                yield from self._extend(place + 1, (*chosen, option.pair), now, total, more, told)


def _tight(options: Sequence[Sequence[_Option]]) -> tuple[list[list[_Option | None]], int]:
    """The options that stand in some pairing of least weight (None: left alone), and that weight: by an assignment of leaves to events or to a
    place of their own, and its dual."""
    events = sorted({o.event for mine in options for o in mine})
    columns = {e: j for j, e in enumerate(events)}
    size = len(options)
    never = _ALONE * (size + 1)
    rows = [[never] * (len(events) + size) for _ in options]
    for i, mine in enumerate(options):
        rows[i][len(events) + i] = _ALONE
        for option in mine:
            rows[i][columns[option.event]] = min(rows[i][columns[option.event]], option.atoms)
    left, right, least = _assignment(rows)
    found: list[list[_Option | None]] = []
    for i, mine in enumerate(options):
        kept: list[_Option | None] = [
            o for o in sorted(mine, key=lambda o: o.event) if o.atoms == left[i] + right[columns[o.event]]
        ]
        if left[i] + right[len(events) + i] == _ALONE:
            kept.append(None)
        found.append(kept)
    return found, least


def _assignment(rows: Sequence[Sequence[int]]) -> tuple[list[int], list[int], int]:
    """Dual prices of rows and columns, and the least weight of an assignment of every row to a column of its own (shortest augmenting paths)."""
    width = len(rows[0])
    left, right = [0] * len(rows), [0] * width
    owner = [-1] * width
    for start in range(len(rows)):
        distance: list[int | None] = [None] * width
        before = [-1] * width
        done = [False] * width
        row, column, here = start, -1, 0
        while row >= 0:
            following, nearest = -1, -1
            for j in range(width):
                if done[j]:
                    continue
                through = here + rows[row][j] - left[row] - right[j]
                known = distance[j]
                if known is None or through < known:
                    known = distance[j] = through
                    before[j] = column
                if following < 0 or known < nearest:
                    following, nearest = j, known
            column, here = following, nearest
            done[column] = True
            row = owner[column]
        left[start] += here
        for j in range(width):
            known = distance[j]
            if done[j] and j != column and known is not None:
                right[j] -= here - known
                left[owner[j]] += here - known
        while column >= 0:
            owner[column] = start if before[column] < 0 else owner[before[column]]
            column = before[column]
    least = sum(rows[owner[j]][j] for j in range(width) if owner[j] >= 0)
    return left, right, least
