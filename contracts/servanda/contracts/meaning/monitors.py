"""The meaning of rules (language reference §6): every activation of every form, judged by looking at the whole trace.

In: a rule's form, the events, the scope its patterns stand in. Out: activations, each fulfilled, violated, undecided or pending, with what was
seen in contract words. A monitor never consumes an event. Time is the strict order of turns; turns are whole, so that whatever follows an open
trace follows all of it. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as Lit
from typing import assert_never, cast

from servanda.contracts.expression import Expr, conjuncts
from servanda.contracts.meaning.clock import Clock
from servanda.contracts.meaning.evaluate import Scope, evaluate, holds, key_of
from servanda.contracts.meaning.matching import Failed, atom_text, fits, match
from servanda.contracts.meaning.values import (
    Truth,
    Undefined,
    Unknown,
    conjunction,
    disjunction,
    merge_unknown,
    negation,
    settled,
    show,
)
from servanda.contracts.model import Cardinality, Each, Form, Never, OnlyIf, Pattern
from servanda.contracts.observed import Event, Trace, before
from servanda.contracts.words import event_text, source_text

Ending = Lit["fulfilled", "violated", "undecided", "pending"]


@dataclass(frozen=True, slots=True)
class Activation:
    """One activation. `event`: the index it is about (-1 for a count). `events`: those of the finding if it is violated. `open`: what an
    undecided one hangs on. `seen`: in contract words. `view`: of `only if`, the one view whose being undefined alone violates it.

    `sure`: whether the activation itself is certain; one that may not be is listed only where it could be violated."""

    event: int
    ending: Ending
    events: tuple[int, ...]
    seen: str = ""
    open: Unknown | None = None
    view: str = ""
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Judged:
    """All activations of a rule, in the order of the trace; `notes` on events that count for no key."""

    activations: tuple[Activation, ...]
    notes: tuple[str, ...] = ()


def judge(form: Form, trace: Trace, scope: Scope) -> Judged:
    """Judge a rule over a trace."""
    match form:
        case Never():
            return Judged(tuple(_never(form, trace, scope)))
        case Cardinality():
            return _cardinality(form, trace, scope)
        case Each():
            return Judged(tuple(_each(form, trace, scope)))
        case OnlyIf():
            return Judged(tuple(_only_if(form, scope)))
        case _:
            assert_never(form)


def matching(pattern: Pattern, scope: Scope) -> list[tuple[Event, bool | Unknown]]:
    """The events that match or may match."""
    return [(e, t) for e in scope.reads.spoken_of(pattern) if (t := match(pattern, e, scope)) is not False]


# ---- never, only if --------------------------------------------------------------------------------------------------------


def _never(form: Never, trace: Trace, scope: Scope) -> Iterator[Activation]:
    """Activated at each event of the kind the pattern speaks of, inside the window of `after` and `before`."""
    for event in scope.reads.spoken_of(form.pattern):
        kind = fits(form.pattern, event, scope)
        if kind is False:
            continue
        beside = _beside(form.pattern, event, scope)
        window: list[Truth] = [kind]
        if form.after is not None:
            window.append(disjunction(t for e, t in matching(form.after, beside) if before(e, event)))
        open_end = False
        if form.before is not None:
            closed = disjunction(t for e, t in matching(form.before, beside) if before(event, e))
            open_end = closed is not True and not trace.complete
            window.append(True if open_end else closed)
        inside = settled(conjunction(window))
        if inside is False:
            continue
        hit = settled(conjunction((inside, match(form.pattern, event, scope))))
        if hit is False:
            if inside is True:
                yield Activation(event.index, "fulfilled", (event.index,))
        elif isinstance(hit, Unknown):
            yield Activation(event.index, "undecided", (event.index,), open=hit, sure=inside is True)
        elif open_end:
            yield Activation(event.index, "pending", (event.index,))
        else:
            yield Activation(event.index, "violated", (event.index,), event_text(event))


def _only_if(form: OnlyIf, scope: Scope) -> Iterator[Activation]:
    for event, activated in matching(form.pattern, scope):
        here = scope.at(event, form.pattern.alias)
        found = holds(form.condition, here)
        sure = activated is True
        if found is True:
            if sure:
                yield Activation(event.index, "fulfilled", (event.index,))
        elif sure and found is False:
            failed = _failed(form.condition, here)
            views = {v.view for f in failed for v in f.views}
            one = next(iter(views)) if len(views) == 1 and all(f.views for f in failed) else ""
            seen = f"{event_text(event)}: {'; '.join(f.text for f in failed)}"
            yield Activation(event.index, "violated", (event.index,), seen, view=one)
        else:
            open_ = merge_unknown(t for t in (activated, found) if isinstance(t, Unknown))
            yield Activation(event.index, "undecided", (event.index,), open=open_, sure=sure)


def _failed(condition: Expr, scope: Scope) -> list[Failed]:
    """The conjuncts that are false or undefined."""
    atoms = conjuncts(condition)
    return [atom_text(a, scope) for a in atoms if settled(cast(Truth, evaluate(a, scope))) is False]


# ---- each ------------------------------------------------------------------------------------------------------------------


def _beside(pattern: Pattern, event: Event, scope: Scope) -> Scope:
    """The scope of the other patterns of a rule, which see the named event of the first."""
    if not pattern.alias:
        return scope
    return Scope(scope.reads, None, None, scope.variables, {**scope.aliases, pattern.alias: event})


def _each(form: Each, trace: Trace, scope: Scope) -> Iterator[Activation]:
    clock = Clock(scope.reads.contract, trace)
    shared = None if form.pattern.alias else _Around(form, scope, clock)
    for event, activated in matching(form.pattern, scope):
        around = shared or _Around(form, _beside(form.pattern, event, scope), clock)
        found = around.met(event)
        good = found if form.mode == "needs" else settled(negation(found))
        sure = activated is True
        if good is True:
            if sure:
                yield Activation(event.index, "fulfilled", (event.index,))
            continue
        waits = form.mode == "needs" and not trace.complete and around.goes_on(event)
        if waits and not (good is False and not sure):
            open_ = good if isinstance(good, Unknown) else None
            yield Activation(event.index, "pending", (event.index,), open=open_, sure=sure)
        elif good is False and sure:
            yield Activation(event.index, "violated", (event.index,), around.seen(event))
        else:
            open_ = merge_unknown(t for t in (activated, good) if isinstance(t, Unknown))
            yield Activation(event.index, "undecided", (event.index,), open=open_, sure=sure)


class _Around:
    """What stands around the events of an `each` rule: where its target, `since` and `until` match."""

    def __init__(self, form: Each, scope: Scope, clock: Clock) -> None:
        self._form = form
        self._scope = scope
        self._clock = clock
        self._targets = matching(form.target, scope)
        cuts = form.since or form.until
        self._cuts = matching(cuts, scope) if cuts else []

    def met(self, event: Event) -> bool | Unknown:
        """Whether the target matches somewhere in the region the rule looks at from this event."""
        cuts = self._cuts_seen_from(event)
        nearest_first = reversed(self._targets) if self._form.direction == "earlier" else iter(self._targets)
        found = (conjunction((self._uncut(q, cuts), t)) for q, t in nearest_first if self._reachable(event, q))
        return settled(disjunction(found))

    def _reachable(self, event: Event, target: Event) -> bool:
        """Whether the direction and the bound lead from the event to the target."""
        match self._form.direction:
            case "anywhere":
                return target.index != event.index
            case "immediately earlier":
                return self._clock.adjacent(target, event)
            case "immediately later":
                return self._clock.adjacent(event, target)
            case "earlier":
                return before(target, event) and self._clock.within(self._form.bound, target, event)
            case "later":
                return before(event, target) and self._clock.within(self._form.bound, event, target)

    def _cuts_seen_from(self, event: Event) -> list[tuple[int, bool | Unknown]]:
        """The turns at which the region ends: the nearest certain one, and the unknown ones within it."""
        back = self._form.direction == "earlier"
        seen = [(r.turn, t) for r, t in self._cuts if (before(r, event) if back else before(event, r))]
        certain = [turn for turn, t in seen if t is True]
        if not certain:
            return seen
        nearest = max(certain) if back else min(certain)
        return [(nearest, True), *((n, t) for n, t in seen if t is not True and (n > nearest if back else n < nearest))]

    def _uncut(self, target: Event, cuts: list[tuple[int, bool | Unknown]]) -> bool | Unknown:
        """Whether no cut lies between, or at the turn of the target."""
        back = self._form.direction == "earlier"
        between = (t for turn, t in cuts if (turn >= target.turn if back else turn <= target.turn))
        return settled(negation(disjunction(between)))

    def goes_on(self, event: Event) -> bool:
        """Whether an event behind the end of the trace could still lie in the region."""
        match self._form.direction:
            case "earlier" | "immediately earlier":
                return False
            case "anywhere":
                return True
            case "immediately later":
                return self._clock.may_follow(event)
            case "later":
                cut = any(t is True for _, t in self._cuts_seen_from(event))
                return not cut and self._clock.may_still(self._form.bound, event)

    def seen(self, event: Event) -> str:
        """What violates the rule at this event."""
        contract, form = self._scope.reads.contract, self._form
        target = source_text(contract, form.target.span)
        there = [q for q, t in self._targets if t is True and self._reachable(event, q)]
        if form.mode == "forbids":
            return f"{event_text(event)}, and {form.direction} {event_text(there[0])}" if there else event_text(event)
        bounds = ""
        if form.since is not None:
            bounds += f" since {source_text(contract, form.since.span)}"
        if form.until is not None:
            bounds += f" until {source_text(contract, form.until.span)}"
        if form.bound is not None:
            bounds += f" within {form.bound.high} {form.bound.unit}"
        same = [q for q, t in self._targets if t is True and q.turn == event.turn and q.index != event.index]
        note = f" ({event_text(same[0])} is in the same response)" if same and form.direction != "anywhere" else ""
        return f"{event_text(event)} without {form.direction} {target}{bounds}{note}"


# ---- cardinality -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Group:
    """The events of one key: those that count and those that may. `words` is empty where there are no keys."""

    words: str
    certain: list[Event]
    possible: list[tuple[Event, Unknown]]


def _cardinality(form: Cardinality, trace: Trace, scope: Scope) -> Judged:
    groups, strays, notes = _groups(form, scope)
    activations = [a for group in groups for a in _count(form, trace, group, strays)]
    if strays:
        activations += _count(form, trace, _Group("a key of their own", [], strays), [])
    return Judged(tuple(activations), notes)


def _groups(form: Cardinality, scope: Scope) -> tuple[list[_Group], list[tuple[Event, Unknown]], tuple[str, ...]]:
    """The groups by key in the order of their first event, the events whose key is unknown, and notes on events without one."""
    groups: dict[object, _Group] = {}
    strays: list[tuple[Event, Unknown]] = []
    notes: list[str] = []
    if form.per is None and form.word != "at most":
        groups[None] = _Group("", [], [])
    for event, counted in matching(form.pattern, scope):
        key: object = None
        words = ""
        if form.per == "turn":
            key, words = event.turn, f"turn {event.turn}"
        elif form.per is not None:
            value = evaluate(form.per, scope.at(event, form.pattern.alias))
            text = source_text(scope.reads.contract, form.per.span)
            if isinstance(value, Undefined):
                if counted is True:
                    notes.append(f"event {event.index}: {text} is undefined, so it counts for no key")
                continue
            if isinstance(value, Unknown):
                strays.append((event, value))
                continue
            key, words = key_of(value), f"{text} {show(value, form.per.type)}"
        group = groups.setdefault(key, _Group(words, [], []))
        if isinstance(counted, Unknown):
            group.possible.append((event, counted))
        else:
            group.certain.append(event)
    return list(groups.values()), strays, tuple(notes)


def _allowed(form: Cardinality, count: int) -> bool:
    match form.word:
        case "at most":
            return count <= form.count
        case "at least":
            return count >= form.count
        case "exactly":
            return count == form.count


def _count(
    form: Cardinality, trace: Trace, group: _Group, strays: Sequence[tuple[Event, Unknown]]
) -> Iterator[Activation]:
    """One activation a key. A key without any event is none, so a key that may have no event counts from one."""
    certain, open_ = len(group.certain), [*group.possible, *strays]
    least = certain if form.per is None else max(1, certain)
    verdicts = {_allowed(form, n) for n in range(least, max(least, certain + len(open_)) + 1)}
    sure = certain > 0 or (form.per is None and form.word != "at most")
    hinges = merge_unknown(u for _, u in open_)
    where = f" for {group.words}" if group.words else ""
    if verdicts == {True}:
        if sure:
            yield Activation(-1, "fulfilled", ())
    elif not trace.complete and form.word != "at most" and certain < form.count:
        yield Activation(-1, "pending", (), open=hinges if open_ else None, sure=sure)
    elif verdicts == {False} and sure:
        events = tuple(e.index for e in group.certain[form.count :]) if certain > form.count else ()
        shown = f": {'; '.join(event_text(e) for e in group.certain)}" if group.certain else ""
        yield Activation(-1, "violated", events, f"{certain} instead of {form.word} {form.count}{where}{shown}")
    else:
        yield Activation(-1, "undecided", (), open=hinges, sure=sure)
