"""Whether the orders can be kept: no cycle among obligations active together, for any choice of options (language reference §9 point 4).

In: an examination and the state of its places. Out: for each strongly connected part a shortest cycle with the smallest query under which all of it
is active, and the orders whose ends are never active together. A cycle is asked for as a non-empty set of active instances in which each has a
successor, so that no cycles are enumerated.
"""

from collections.abc import Iterator
from itertools import combinations

import z3

from servanda.contracts.model import Order
from servanda.grammar.diagnostic import InternalError
from servanda.solver.activation_encoding import Copies, Place
from servanda.solver.core import minimal_core
from servanda.solver.decoder import Valuation
from servanda.solver.examination import Confirmed, Examination
from servanda.solver.findings.finding import Finding, Unsettled
from servanda.solver.findings.wording import cycle, idle_order
from servanda.solver.formula import Formula
from servanda.solver.liveness import Liveness
from servanda.solver.order_graph import Edge, Instance, Part, parts
from servanda.solver.replay import Replay
from servanda.solver.session import Sat, Unknown, Unsat

RESTARTS = 20
"""How often a cycle is sought anew because it rested on a string that cannot be."""


def cycles(examination: Examination) -> tuple[tuple[Finding, ...], tuple[Unsettled, ...]]:
    """A finding for each part with a cycle, an open question for each that was not settled."""
    findings: list[Finding] = []
    unsettled: list[Unsettled] = []
    for part in parts(examination.contract, examination.activations.by_path):
        search = _Search(examination, part)
        found = search.smallest()
        if isinstance(found, Unknown):
            paths = sorted({i.place.path for i in part.instances})
            question = f"whether the orders between {', '.join(f'`{p}`' for p in paths)} form a cycle"
            unsettled.append(Unsettled(paths[0], question, found.reason, part.edges[0].order.span))
        elif found is not None:
            findings.append(found)
    return tuple(findings), tuple(unsettled)


class _Search:
    """The search for a cycle in one part."""

    def __init__(self, examination: Examination, part: Part) -> None:
        self._examination = examination
        self._part = part
        self._algebra = examination.algebra
        self._in = {i: self._algebra.truth(f"in!{i.name}") for i in part.instances}
        self._active = {i: examination.activations.active(i.place, i.copies) for i in part.instances}
        self._after: dict[Instance, list[Edge]] = {i: [] for i in part.instances}
        for edge in part.edges:
            self._after[edge.earlier].append(edge)

    def smallest(self) -> Finding | Unknown | None:
        """A cycle of fewest steps, or None if there is none."""
        for _ in range(RESTARTS):
            steps = self._steps()
            if isinstance(steps, Unknown):
                return steps
            if steps is None:
                return None if self._part.whole else Unknown("more elements of `for each` than are looked at")
            told = self._told(steps)
            if not isinstance(told, Unsat):
                return told
        return Unknown("too many combinations of regular expressions")

    def _steps(self) -> list[Edge] | Unknown | None:
        inquiry = self._examination.inquiry
        inquiry.sync()
        session = inquiry.session
        with session.scope():
            session.add(self._algebra.disj(self._in.values()))
            for instance, member in self._in.items():
                successors = self._algebra.disj(self._in[e.later] for e in self._after[instance])
                session.add(self._algebra.implies(member, self._algebra.conj((self._active[instance], successors))))
            session.add(self._one_option())
            return self._fewest()

    def _one_option(self) -> Formula:
        """No two members of the cycle stand in different options of one choice."""
        a = self._algebra
        clashes = []
        for x, y in combinations((i for i in self._in if i.place.options), 2):
            apart = may_join(self._examination, x, y)
            if apart is not True:
                clashes.append(a.disj((a.neg(self._in[x]), a.neg(self._in[y]), apart)))
        return a.conj(clashes)

    def _fewest(self) -> list[Edge] | Unknown | None:
        session, members = self._examination.inquiry.session, list(self._in.values())
        first = session.ask()
        if not isinstance(first, Sat):
            return first if isinstance(first, Unknown) else None
        for size in range(1, len(members) + 1):
            limit = z3.PbLe([(m, 1) for m in members], size)
            answer = session.ask(limit)
            if isinstance(answer, Unknown):
                return answer
            if isinstance(answer, Sat):
                session.add(limit)
                return self._first_of(answer)
        raise InternalError("a cycle was lost")

    def _first_of(self, model: Sat) -> list[Edge] | Unknown:
        """The first of the shortest cycles in the order of names. In a least set each member has one successor: a cycle."""
        session = self._examination.inquiry.session
        for instance in sorted(self._in, key=lambda i: i.name):
            member = self._in[instance]
            if not model.truth(member):
                answer = session.ask(member)
                if isinstance(answer, Unknown):
                    return answer
                if not isinstance(answer, Sat):
                    session.add(self._algebra.neg(member))
                    continue
                model = answer
            session.add(member)
        inside = [i for i in sorted(self._in, key=lambda i: i.name) if model.truth(self._in[i])]
        steps: list[Edge] = []
        at = inside[0]
        while not steps or at != inside[0]:
            step = next(e for e in self._after[at] if e.later in inside)
            steps.append(step)
            at = step.later
        return steps

    def _told(self, steps: list[Edge]) -> Finding | Unknown | Unsat:
        """The cycle with its smallest query, replayed; Unsat if it rested on a string that cannot be, which is now known."""
        inside = [e.earlier for e in steps]
        joined = (may_join(self._examination, x, y) for x, y in combinations(inside, 2))
        goal = self._algebra.conj((*(self._active[i] for i in inside), *joined))
        answer = self._examination.example(goal, lambda replay, v: self._agrees(steps, replay, v))
        if not isinstance(answer, Confirmed):
            return answer
        options = dict.fromkeys(o.path for i in inside for _, o in i.place.options)
        source = self._examination.contract.source
        return cycle(source, [e.order for e in steps], list(options), answer.witness)

    def _agrees(self, steps: list[Edge], replay: Replay, valuation: Valuation) -> bool:
        return all(binds(self._examination, s.order, s.earlier, s.later, replay, valuation) for s in steps)


def binds(
    examination: Examination, order: Order, earlier: Instance, later: Instance, replay: Replay, valuation: Valuation
) -> bool:
    """Whether the interpreter finds both ends of an order active, for elements that the order joins."""
    here, there = (examination.indices(i.place, i.copies, valuation) for i in (earlier, later))
    joined = here[: order.depth] == there[: order.depth]
    return joined and replay.active(earlier.place, here) and replay.active(later.place, there)


def may_join(examination: Examination, x: Instance, y: Instance) -> Formula:
    """Whether no choice of options separates two instances: for each `any of` around both they stand in one option, or in the choices of two
    different elements."""
    a = examination.algebra
    ours = {group.index: (group, option) for group, option in x.place.options}
    parts: list[Formula] = []
    for group, option in y.place.options:
        if group.index in ours and ours[group.index][1].index != option.index:
            parts.append(a.disj(_different(examination, group, x.copies, y.copies)))
    return a.conj(parts)


def _different(examination: Examination, group: Place, x: Copies, y: Copies) -> Iterator[Formula]:
    a = examination.algebra
    for level, block in enumerate(group.loops):
        here, there = x[: level + 1], y[: level + 1]
        if here != there:
            index = examination.activations.index
            yield a.neg(a.equal(index(block, here), index(block, there)))


def idle_orders(examination: Examination, states: Liveness) -> tuple[tuple[Finding, ...], tuple[Unsettled, ...]]:
    """The orders between live ends that are never active together."""
    findings: list[Finding] = []
    unsettled: list[Unsettled] = []
    source, activations = examination.contract.source, examination.activations
    for order in examination.contract.orders:
        earlier, later = (activations.by_path[p] for p in (order.earlier, order.later))
        if not (states.live(earlier) and states.live(later)):
            continue
        x, y = Instance(earlier, (0,) * len(earlier.loops)), Instance(later, _other(earlier, later, order.depth))
        joined = may_join(examination, x, y)
        if joined is False:
            findings.append(idle_order(source, order, (), "its ends stand in two options of one choice"))
            continue
        ends = (activations.active(x.place, x.copies), activations.active(y.place, y.copies))
        goal = examination.algebra.conj((*ends, joined))

        def agrees(replay: Replay, v: Valuation, o: Order = order, x: Instance = x, y: Instance = y) -> bool:
            return binds(examination, o, x, y, replay, v)

        answer = examination.possible(goal, agrees)
        if isinstance(answer, Unknown):
            question = f"whether order `{order.earlier} before {order.later}` can bind"
            unsettled.append(Unsettled(f"{order.earlier} before {order.later}", question, answer.reason, order.span))
        elif not answer:
            conditions = [
                *activations.path_conditions(x.place, x.copies),
                *activations.path_conditions(y.place, y.copies),
            ]
            core = minimal_core(examination.vocabulary, list(dict.fromkeys(conditions))) or ()
            findings.append(idle_order(source, order, core, "" if core else "no two elements allow it"))
    return tuple(findings), tuple(unsettled)


def _other(earlier: Place, later: Place, depth: int) -> Copies:
    """Elements for the later end: the same in the blocks the order was written in, others beyond."""
    shared = {loop.index for loop in earlier.loops}
    return tuple(0 if level < depth else int(loop.index in shared) for level, loop in enumerate(later.loops))
