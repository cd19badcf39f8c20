"""Grounding: all cells of a contract, a trace and a query, each with its alignment problem (language reference §4 to §8).

In: a contract, a trace, the values of its query. Out: `Cells` that cover every completion. A cell is made by running the whole of it under the
answers assumed so far; the first question that is open and decides ends the run, and one more run is made for each of its answers. What is open
in rules alone is no question: it stays three-valued.
"""

from dataclasses import dataclass
from types import MappingProxyType

from servanda.contracts.cell import Cell, Cells, Hinge, RuleCount
from servanda.contracts.meaning.activation import graph_of, pairs
from servanda.contracts.meaning.assumptions import Assumed, OpenQuestion, Oracle
from servanda.contracts.meaning.clock import Clock
from servanda.contracts.meaning.evaluate import Scope
from servanda.contracts.meaning.instances import Instance, Instances, instances, two_valued
from servanda.contracts.meaning.matching import match, successful_tools
from servanda.contracts.meaning.nearness import near_misses
from servanda.contracts.meaning.output import judge_output, output_notes
from servanda.contracts.meaning.query import QueryValues
from servanda.contracts.meaning.recorded import Recorded
from servanda.contracts.meaning.ruling import Earlier, judge_rules
from servanda.contracts.meaning.signature import Keys, duty_keys, signature
from servanda.contracts.meaning.values import disjunction, settled
from servanda.contracts.model import AnyOf, Contract, Decide, Duty, effect_of, extra_forbidden
from servanda.contracts.observed import Event, Trace, before
from servanda.contracts.problem import EdgeInstance, Fact, Forbidden, Leaf, NearMiss, Problem
from servanda.grammar.diagnostic import InternalError

LIMIT = 256
"""How many cells are made before grounding stops and says so."""

FEW = 32
"""How many cells may be spent on conditions that decide no verdict, and how many are kept where there are too many."""


def ground(contract: Contract, trace: Trace, query: QueryValues, limit: int = LIMIT) -> Cells:
    """All cells; `whole` False where there are more than `limit`, or where the list of a `for each` is unknown.

    What is open in the conditions of near misses decides no verdict, only which event a finding names and what follows from it; it is a question
    too while that makes few cells. Raises Refusal (Q120, Q121) where an active decision does not have exactly one branch for the query."""
    if any(event.index != place for place, event in enumerate(trace.events)):
        raise InternalError(f"the events of trace {trace.id} are not numbered by their places")
    run = Recorded(contract, trace, query.values, {})
    notes = (*query.notes, *run.notes(), *output_notes(contract, trace))
    few = _cells(contract, query, run, min(limit, FEW), notes, precise=True)
    return few if few.whole else _cells(contract, query, run, limit, notes, precise=False)


def _cells(
    contract: Contract, query: QueryValues, run: Recorded, limit: int, notes: tuple[str, ...], *, precise: bool
) -> Cells:
    """All cells, or some of them where they are too many; depth first, so that some are always at hand."""
    cells: list[Cell] = []
    hinges: dict[Hinge, None] = {}
    told = dict.fromkeys(notes)
    whole = True
    todo: list[tuple[Assumed, tuple[str, ...]]] = [({}, ())]
    while todo:
        if len(cells) + len(todo) > limit:
            whole = False
            break
        assumed, words = todo.pop()
        try:
            made = _Run(contract, query, run, assumed, precise=precise).cell(words)
        except OpenQuestion as asked:
            question = asked.question
            hinges.update(dict.fromkeys(question.open.hinges))
            todo += [({**assumed, question.key: answer}, (*words, said)) for answer, said in reversed(question.answers)]
            continue
        cells.append(made.cell)
        told.update(dict.fromkeys(made.notes))
        hinges.update(dict.fromkeys(made.lists))
        whole = whole and not made.lists
    ordered = tuple(sorted(hinges, key=lambda h: (h.name, h.text)))
    return Cells(tuple(cells if whole else cells[:FEW]), ordered, whole, tuple(told), run.unread())


@dataclass(frozen=True, slots=True)
class _Made:
    """A cell, what to tell a reader, and what the unknown lists of `for each` blocks hang on: with one of them the cells are not whole."""

    cell: Cell
    notes: tuple[str, ...]
    lists: tuple[Hinge, ...]


class _Run:
    """One run under one set of assumptions."""

    def __init__(
        self, contract: Contract, query: QueryValues, run: Recorded, assumed: Assumed, *, precise: bool
    ) -> None:
        self._contract = contract
        self._trace = run.trace
        self._query = query
        self._assumed = assumed
        self._oracle = Oracle(assumed)
        self._reads = run.assuming(two_valued(assumed))
        self._precise = precise
        self._notes: dict[str, None] = {}

    def cell(self, words: tuple[str, ...]) -> _Made:
        """The cell. Raises OpenQuestion at the first question without an answer."""
        found = instances(self._contract, self._query, self._assumed)
        for question in found.questions:
            self._oracle.ask(question)
        facts = tuple(self._fact(e) for e in self._trace.events)
        keys = {i.id: duty_keys(self._contract, i.node, i.variables) for i in found.all if isinstance(i.node, Duty)}
        leaves = tuple(sorted((self._leaf(i, keys[i.id]) for i in _evidenced(found)), key=lambda leaf: leaf.id))
        edges = self._edges(found, leaves)
        ends = _earlier_ends(edges, leaves, keys)
        forbids = tuple(sorted((self._forbid(i, keys[i.id]) for i in _forbidding(found)), key=lambda f: f.id))
        ruling = judge_rules(self._contract, self._trace, self._reads, found, ends, self._oracle)
        output = judge_output(self._contract, self._trace, self._reads)
        counts = dict(ruling.counts)
        for name, count in output.counts:
            counts[name] = _sum(counts.get(name), count)
        violations = sorted(
            (*ruling.violations, *output.violations), key=lambda v: (v.kind, v.element, v.events, v.seen)
        )
        problem = Problem(
            facts,
            leaves,
            forbids,
            edges,
            MappingProxyType(_decisions(found)),
            MappingProxyType(_groups(found)),
            tuple(violations),
            ruling.said,
            self._trace.complete,
        )
        open_rules = tuple(sorted((*ruling.open, *output.open), key=lambda r: (r.element, r.pending)))
        cell = Cell(
            problem,
            graph_of(self._contract, found),
            words,
            MappingProxyType(dict(sorted(counts.items()))),
            open_rules,
        )
        return _Made(cell, (*ruling.notes, *self._notes), tuple(h for u in found.lists for h in u.hinges))

    def _fact(self, event: Event) -> Fact:
        """Whether a call of a tool that writes, or whose extras are forbidden, succeeded decides."""
        call = event.kind == "call"
        writes = call and effect_of(self._contract, event.name) == "writes"
        extra = call and extra_forbidden(self._contract, event.name)
        succeeded = (writes or extra) and self._oracle.settle(
            self._reads.success(event), ("outcome", event.index), f"event {event.index} succeeded", "it did not"
        )
        return Fact(event.index, event.name, event.turn, call, writes and succeeded, extra and succeeded)

    # ---- duties ----------------------------------------------------------------------------------------------------------

    def _matching(self, instance: Instance, keys: Keys) -> tuple[Event, ...]:
        """The events that match one of the patterns of a duty."""
        assert isinstance(instance.node, Duty)
        patterns = instance.node.by
        scope = Scope(self._reads, None, None, instance.variables)
        found: list[Event] = []
        spoken_of = {e.index for p in patterns for e in self._reads.spoken_of(p)}
        for event in (self._trace.events[i] for i in sorted(spoken_of)):
            value = settled(disjunction(match(p, event, scope) for p in patterns))
            yes, no = f"event {event.index} fits {instance.id}", f"event {event.index} does not fit {instance.id}"
            if self._oracle.settle(value, ("match", keys, event.index), yes, no):
                found.append(event)
        return tuple(found)

    def _leaf(self, instance: Instance, keys: Keys) -> Leaf:
        duty = instance.node
        assert isinstance(duty, Duty) and duty.kind != "forbid"
        fitting = self._matching(instance, keys)
        candidates = tuple(e.index for e in fitting)
        judged = duty.kind == "require" and instance.alternative is None and self._trace.complete
        others = {e.index for p in duty.by for e in self._reads.spoken_of(p)}.difference(candidates) if judged else ()
        return Leaf(
            id=instance.id,
            path=duty.path,
            kind=duty.kind,
            severity=duty.severity,
            options=instance.options,
            branches=instance.branches,
            alternative=instance.alternative,
            candidates=candidates,
            shares=tuple(e.index for e in fitting if self._shared(duty, e)),
            signature=signature(keys),
            near=self._near(instance, [self._trace.events[i] for i in sorted(others)]),
            calls=tuple(sorted({t for p in duty.by for t in successful_tools(self._contract, p)})),
        )

    def _near(self, instance: Instance, others: list[Event]) -> tuple[NearMiss, ...]:
        found = near_misses(instance, others, self._reads, self._oracle, precise=self._precise)
        for loose in found.loose:
            self._notes[
                f"{instance.id}: what is unknown at event {loose} counts as holding where near misses are compared"
            ] = None
        return found.misses

    def _shared(self, duty: Duty, event: Event) -> bool:
        """Messages, reads and neutral calls are shared where nothing is said, any attempt of a write is not (language reference §5)."""
        if duty.sharing is not None:
            return duty.sharing == "shared"
        return event.kind == "message" or effect_of(self._contract, event.name) != "writes"

    def _forbid(self, instance: Instance, keys: Keys) -> Forbidden:
        duty = instance.node
        assert isinstance(duty, Duty)
        events = tuple(e.index for e in self._matching(instance, keys))
        return Forbidden(instance.id, duty.path, duty.severity, instance.options, instance.branches, events)

    # ---- order -----------------------------------------------------------------------------------------------------------

    def _edges(self, found: Instances, leaves: tuple[Leaf, ...]) -> tuple[EdgeInstance, ...]:
        clock = Clock(self._contract, self._trace)
        active = {leaf.id: leaf for leaf in leaves if leaf.alternative is None}
        events = self._trace.events
        edges: list[EdgeInstance] = []
        for index, order in enumerate(self._contract.orders):
            for one, other in pairs(order, found):
                if one.id not in active or other.id not in active:
                    continue
                supports = {
                    f: tuple(
                        e
                        for e in active[one.id].candidates
                        if before(events[e], events[f]) and clock.within(order.bound, events[e], events[f])
                    )
                    for f in active[other.id].candidates
                }
                bounded = order.bound is not None
                edges.append(EdgeInstance(one.id, other.id, bounded, supports, order.severity, index))
        return tuple(sorted(edges, key=lambda e: (e.earlier, e.later, e.order)))


def _earlier_ends(
    edges: tuple[EdgeInstance, ...], leaves: tuple[Leaf, ...], keys: dict[str, Keys]
) -> tuple[Earlier, ...]:
    """The earlier ends of edges with the events at which what a rule says may make an edge a consequence. An edge may chain to any later one."""
    fitting = {leaf.id: leaf.candidates for leaf in leaves if leaf.alternative is None}
    onward: dict[str, set[str]] = {}
    for edge in edges:
        onward.setdefault(edge.earlier, set()).add(edge.later)
    ends: list[Earlier] = []
    for name in sorted(onward):
        reached: set[str] = set()
        todo = sorted(onward[name])
        while todo:
            later = todo.pop()
            if later not in reached:
                reached.add(later)
                todo += sorted(onward.get(later, ()))
        ends.append(Earlier(name, keys[name], frozenset(e for later in sorted(reached) for e in fitting[later])))
    return tuple(ends)


def _evidenced(found: Instances) -> list[Instance]:
    """The active duties that ask for evidence, and those that would be active in a branch not taken."""
    return [i for i in found.all if isinstance(i.node, Duty) and i.node.kind != "forbid" and i.would.value is True]


def _forbidding(found: Instances) -> list[Instance]:
    return [i for i in found.all if isinstance(i.node, Duty) and i.node.kind == "forbid" and i.act.value is True]


def _decisions(found: Instances) -> dict[str, str]:
    taken = {i.id: i.taken or "" for i in found.all if isinstance(i.node, Decide) and i.act.value is True}
    return dict(sorted(taken.items()))


def _groups(found: Instances) -> dict[str, tuple[str, ...]]:
    groups = {
        i.id: tuple(sorted(o.name for o in i.node.options))
        for i in found.all
        if isinstance(i.node, AnyOf) and i.act.value is True
    }
    return dict(sorted(groups.items()))


def _sum(one: RuleCount | None, other: RuleCount) -> RuleCount:
    if one is None:
        return other
    return RuleCount(
        one.activated + other.activated,
        one.fulfilled + other.fulfilled,
        one.violated + other.violated,
        one.undecided + other.undecided,
    )
