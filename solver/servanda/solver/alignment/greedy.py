"""Explanations found without search, and the certificate that one of them is the least.

In: a judge of choices. Out: the best explanation of a few quick attempts (`greedy`), and a proven solution where each finding of the least
explanation is one that no choice can avoid (`settled`): then no solver is asked. Most runs end here. Two attempts for each choice of options:
duties in topological order, each with the earliest event that keeps its edges; and events in their order, each to the enabled duty with most
duties behind it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import islice, product

from servanda.contracts.finding import SEVERITIES, Choice, Cost, Identity, Solution
from servanda.contracts.meaning.explanation import in_use
from servanda.contracts.problem import EdgeInstance, Leaf
from servanda.solver.alignment.judging import Judge, Judged

FEW = 16
"""Choices of options that are looked at one by one; with more, each group is tried on its own."""
DEPTH = 400
"""With more duties than this, no choice is extended duty by duty."""
NODES = 2_000
FAILURES = 8
"""How many steps the search for the first explanation without avoidable findings makes, and how many of its ends may fail."""


def option_choices(judge: Judge) -> Iterator[dict[str, str]]:
    """Every choice of options that differs where it can matter, in the canonical order."""
    groups = judge.problem.groups
    seen: set[tuple[str, ...]] = set()
    for pick in product(*groups.values()):
        options = judge.tidied(Choice(dict(zip(groups, pick, strict=True)), {})).options
        key = tuple(options.values())
        if key not in seen:
            seen.add(key)
            yield dict(options)


def greedy(judge: Judge) -> Judged:
    """The best explanation of the attempts."""
    if _number_of_options(judge) <= FEW:
        return min((_attempts(judge, options) for options in option_choices(judge)), key=lambda j: j.rank)
    options = {g: names[0] for g, names in judge.problem.groups.items()}
    best = _attempts(judge, options)
    for group, names in judge.problem.groups.items():
        for name in names[1:]:
            tried = _attempts(judge, {**best.best.choice.options, group: name})
            if tried.rank < best.rank:
                best = tried
    return best


def _number_of_options(judge: Judge) -> int:
    number = 1
    for names in judge.problem.groups.values():
        number *= len(names)
    return number


def _attempts(judge: Judge, options: Mapping[str, str]) -> Judged:
    use = _InUse.of(judge, options)
    first = judge.judge(Choice(options, use.earliest({})))
    if not first.best.findings:
        return first
    second = judge.judge(Choice(options, use.earliest(use.by_events())))
    return min(first, second, key=lambda j: j.rank)


@dataclass(slots=True)
class _InUse:
    """The duties in use under some options, with the edges between them."""

    judge: Judge
    leaves: tuple[Leaf, ...]
    into: dict[str, list[EdgeInstance]] = field(default_factory=dict)
    out: dict[str, list[EdgeInstance]] = field(default_factory=dict)

    @classmethod
    def of(cls, judge: Judge, options: Mapping[str, str]) -> "_InUse":
        """Those of a choice of options."""
        use = cls(judge, in_use(judge.problem, options))
        names = {leaf.id for leaf in use.leaves}
        for edge in judge.problem.edges:
            if edge.earlier in names and edge.later in names:
                use.into.setdefault(edge.later, []).append(edge)
                use.out.setdefault(edge.earlier, []).append(edge)
        return use

    def sorted(self) -> list[Leaf]:
        """Earlier ends before later ones, ties by id; a cycle ends with its members by id."""
        leaves = {leaf.id: leaf for leaf in self.leaves}
        waits = {name: len({e.earlier for e in self.into.get(name, ())}) for name in leaves}
        ready = [name for name, count in waits.items() if not count]
        heapify(ready)
        done: list[Leaf] = []
        while ready:
            name = heappop(ready)
            done.append(leaves.pop(name))
            for later in {e.later for e in self.out.get(name, ())}:
                waits[later] -= 1
                if not waits[later]:
                    heappush(ready, later)
        return done + [leaves[name] for name in sorted(leaves)]

    def earliest(self, evidence: Mapping[str, int]) -> dict[str, int]:
        """More evidence: for each duty without any the earliest event that keeps the edges into it, else the earliest there is room for."""
        found = dict(evidence)
        serving: dict[int, list[Leaf]] = {}
        for leaf in self.leaves:
            if leaf.id in found:
                serving.setdefault(found[leaf.id], []).append(leaf)
        for leaf in self.sorted():
            if leaf.id in found:
                continue
            able = [e for e in leaf.candidates if room(leaf, e, serving.get(e, ()))]
            into = self.into.get(leaf.id, ())
            event = next((e for e in able if all(self._kept(d, e, found, serving) for d in into)), None)
            if event is None and able:
                event = able[0]
            if event is not None:
                found[leaf.id] = event
                serving.setdefault(event, []).append(leaf)
        return found

    def _kept(
        self, edge: EdgeInstance, event: int, evidence: Mapping[str, int], serving: Mapping[int, Sequence[Leaf]]
    ) -> bool:
        mine = evidence.get(edge.earlier)
        if mine is None and self.judge.indexed.leaves[edge.earlier].kind == "require":
            return True
        return any(e == mine or e not in serving for e in edge.supports.get(event, ()))

    def by_events(self) -> dict[str, int]:
        """Evidence by going through the events once."""
        heights: dict[str, int] = {}
        for leaf in reversed(self.sorted()):
            heights[leaf.id] = 1 + max((heights.get(e.later, 0) for e in self.out.get(leaf.id, ())), default=0)
        waiting = sorted(self.leaves, key=lambda leaf: (-heights[leaf.id], leaf.id))
        found: dict[str, int] = {}
        for fact in self.judge.problem.facts:
            serving: list[Leaf] = []
            for leaf in waiting:
                if (
                    leaf.id not in found
                    and fact.index in leaf.candidates
                    and room(leaf, fact.index, serving)
                    and all(self._met(e, fact.index, found) for e in self.into.get(leaf.id, ()))
                ):
                    serving.append(leaf)
            found.update((leaf.id, fact.index) for leaf in serving)
        return found

    def _met(self, edge: EdgeInstance, event: int, evidence: Mapping[str, int]) -> bool:
        mine = evidence.get(edge.earlier)
        if mine is None:
            return not self.judge.indexed.leaves[edge.earlier].candidates
        return mine in edge.supports.get(event, ())


def room(leaf: Leaf, event: int, serving: Sequence[Leaf]) -> bool:
    """Whether the leaf can have the event beside those it serves."""
    return not serving or (event in leaf.shares and all(event in other.shares for other in serving))


# ---- the certificate ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Floor:
    """What no explanation with these options can be below, as long as no duty that could have evidence is without, and the findings that such
    an explanation of that cost has."""

    use: _InUse
    options: Mapping[str, str]
    cost: Cost
    findings: Counter[Identity]
    hungry: frozenset[int]
    """Events that are extras unless a duty has them as evidence."""


def settled(judge: Judge, first: Judged) -> Solution | None:
    """The solution, if the least explanation has no finding that a choice could avoid; None where that is not shown at once.

    The cost of `first` must reach the floor of its options; floors of other options that are not above it are searched for their first
    explanation in the canonical order."""
    problem = judge.problem
    if _number_of_options(judge) > FEW or (problem.complete and any(first.best.cost[:3])):
        return None
    floors = [_floor(judge, options) for options in islice(option_choices(judge), FEW)]
    floors = [f for f in floors if f.cost <= first.best.cost]
    if not floors or min(f.cost for f in floors) < first.best.cost:
        return None
    ends = []
    for floor in floors:
        evidence = _first_evidence(judge, floor)
        if evidence is None:
            return None
        ends.append(evidence)
    best = min(ends, key=lambda j: j.rank)
    least = floors[0].findings.copy()
    for floor in floors[1:]:
        least &= floor.findings
    mine = Counter(f.identity for f in best.best.findings)
    certain = tuple(least[f.identity] >= mine[f.identity] for f in best.best.findings)
    return Solution(best.best, certain, True, "greedy")


def _floor(judge: Judge, options: Mapping[str, str]) -> _Floor:
    """In a complete trace, as long as no required duty is without evidence, in an open one always: each event of a forbid in force is a finding
    of its own, and so is each extra that no duty in use can take and no such forbid explains."""
    problem = judge.problem
    use = _InUse.of(judge, options)
    findings = Counter[Identity]((v.kind, v.element) for v in problem.violations)
    forbidden: set[int] = set()
    for forbid in problem.forbids:
        if all(options[g] == o for g, o in forbid.options):
            findings["invariant", forbid.id] += len(forbid.events)
            forbidden.update(forbid.events)
    takes = {e for leaf in use.leaves for e in leaf.candidates}
    extra = [f for f in problem.facts if f.extra and f.index not in forbidden]
    for fact in extra:
        if fact.index not in takes:
            findings["redundant", fact.name] += 1
    lacking = [leaf.severity for leaf in use.leaves if leaf.kind == "require" and not leaf.candidates]
    high, normal, low = (lacking.count(s) for s in SEVERITIES)
    findings = +findings
    invariants = sum(n for (kind, _), n in findings.items() if kind == "invariant")
    redundant = sum(n for (kind, _), n in findings.items() if kind == "redundant")
    having = sum(bool(leaf.candidates) for leaf in use.leaves)
    cost: Cost = (high, normal, low, 0, invariants, 0, 0, redundant, -having)
    return _Floor(use, options, cost, findings, frozenset(f.index for f in extra if f.index in takes))


def _first_evidence(judge: Judge, floor: _Floor) -> Judged | None:
    """The first explanation in the canonical order that costs no more than the floor: each duty, by id, gets the earliest event it can."""
    use = floor.use
    leaves = [leaf for leaf in use.leaves if leaf.candidates]
    if len(leaves) > DEPTH:
        return None
    takers = {e: {leaf.id for leaf in leaves if e in leaf.candidates} for e in floor.hungry}
    evidence: dict[str, int] = {}
    serving: dict[int, list[Leaf]] = {}
    steps, failures = NODES, FAILURES

    said, complete, facts = judge.problem.said, judge.problem.complete, judge.indexed.facts

    def possible(edge: EdgeInstance, later: int) -> bool:
        """Whether the edge may still be no finding at that evidence of its later end."""
        if (edge.earlier, later) in said or not (complete or facts[later].write):
            return True
        mine = evidence.get(edge.earlier)
        if mine is None:
            return bool(edge.supports.get(later)) or not judge.indexed.leaves[edge.earlier].candidates
        return any(e == mine or e not in serving for e in edge.supports.get(later, ()))

    def fits(leaf: Leaf) -> bool:
        event = evidence[leaf.id]
        if not all(possible(edge, event) for edge in use.into.get(leaf.id, ())):
            return False
        return all(
            edge.later not in evidence or possible(edge, evidence[edge.later]) for edge in use.out.get(leaf.id, ())
        )

    def extend(k: int) -> Judged | None:
        nonlocal steps, failures
        if any(e not in serving and all(x in evidence for x in names) for e, names in takers.items()):
            return None
        if k == len(leaves):
            judged = judge.judge(Choice(floor.options, dict(evidence)))
            if judged.best.cost <= floor.cost:
                return judged
            failures -= 1
            return None
        leaf = leaves[k]
        for event in leaf.candidates:
            steps -= 1
            if steps < 0 or failures < 0:
                return None
            holders = serving.get(event, [])
            if not room(leaf, event, holders):
                continue
            evidence[leaf.id] = event
            serving[event] = [*holders, leaf]
            found = extend(k + 1) if fits(leaf) else None
            del evidence[leaf.id]
            if holders:
                serving[event] = holders
            else:
                del serving[event]
            if found is not None:
                return found
        return None

    return extend(0)
