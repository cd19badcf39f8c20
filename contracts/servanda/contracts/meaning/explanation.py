"""The fixed pass: from a choice of options and evidence to findings, consequences and cost (language reference §8).

In: a ground problem and a choice. Out: one explanation for each pairing of near misses. Trusts that the choice keeps capacity and takes
evidence from the candidates only (`admissible` checks it). Pure; imports no solver. The order of the pass is part of the language:
wrong branches, invariants, order, omissions with near misses, extras.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from servanda.contracts.finding import (
    NO_EVENT,
    SEVERITIES,
    Choice,
    Consequence,
    Cost,
    Explanation,
    Finding,
    Identity,
)
from servanda.contracts.meaning.pairing import Pair, all_pairings
from servanda.contracts.model import Severity
from servanda.contracts.problem import EdgeInstance, Fact, Leaf, Problem

Pairings = Callable[[Sequence[Pair], AbstractSet[int]], Iterator[dict[str, Pair]]]
"""From the possible pairs, and the events that would be extras if no pairing explained them, to pairings."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """A problem with its look-up tables."""

    problem: Problem
    leaves: Mapping[str, Leaf]
    facts: Mapping[int, Fact]
    into: Mapping[str, tuple[EdgeInstance, ...]]
    alternatives: Mapping[str, Mapping[str, tuple[Leaf, ...]]]
    """Decision to branch not taken to the leaves that would be active in it."""


def index(problem: Problem) -> Indexed:
    """Build the look-up tables of a problem."""
    into: dict[str, list[EdgeInstance]] = {}
    for edge in problem.edges:
        into.setdefault(edge.later, []).append(edge)
    others: dict[str, dict[str, list[Leaf]]] = {}
    for leaf in problem.leaves:
        if leaf.alternative is not None:
            decision, branch = leaf.alternative
            others.setdefault(decision, {}).setdefault(branch, []).append(leaf)
    return Indexed(
        problem,
        {leaf.id: leaf for leaf in problem.active},
        {fact.index: fact for fact in problem.facts},
        {k: tuple(v) for k, v in into.items()},
        {d: {b: tuple(ls) for b, ls in sorted(bs.items())} for d, bs in sorted(others.items())},
    )


def in_use(problem: Problem, options: Mapping[str, str]) -> tuple[Leaf, ...]:
    """The active leaves that stand in no option but a chosen one."""
    return tuple(leaf for leaf in problem.active if all(options[g] == o for g, o in leaf.options))


def admissible(indexed: Indexed, choice: Choice) -> bool:
    """Whether the choice keeps the rules of evidence: candidates only, one event a leaf, capacity, leaves in use only."""
    used: dict[int, list[Leaf]] = {}
    use = {leaf.id for leaf in in_use(indexed.problem, choice.options)}
    for name, event in choice.evidence.items():
        leaf = indexed.leaves.get(name)
        if leaf is None or name not in use or event not in leaf.candidates:
            return False
        used.setdefault(event, []).append(leaf)
    return all(len(ls) == 1 or all(e in leaf.shares for leaf in ls) for e, ls in used.items())


def worst(severities: Iterable[Severity], otherwise: Severity = "low") -> Severity:
    """The highest severity; `otherwise` for none."""
    return min(severities, key=SEVERITIES.index, default=otherwise)


# ---- the pass ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Pass:
    """What has been derived so far. `cause`: for an event, the finding it already stands in."""

    indexed: Indexed
    choice: Choice
    use: tuple[Leaf, ...]
    used: frozenset[int]
    missing: tuple[Leaf, ...]
    findings: list[Finding]
    consequences: list[Consequence]
    cause: dict[int, Identity]
    wrong: dict[int, Identity]
    absorbed: dict[str, Identity]

    def have(self, leaf: Leaf) -> tuple[int, ...]:
        event = self.choice.evidence.get(leaf.id)
        return () if event is None else (event,)

    def free(self, leaf: Leaf) -> tuple[int, ...]:
        return tuple(e for e in leaf.candidates if e not in self.used)

    def find(self, finding: Finding) -> Identity:
        self.findings.append(finding)
        return finding.identity

    def follows(self, kind: Identity, events: Iterable[int], *of: Identity) -> None:
        self.consequences.append(Consequence(kind[0], kind[1], tuple(sorted(events)), tuple(sorted(set(of)))))


def explanations(indexed: Indexed, choice: Choice, pairings: Pairings = all_pairings) -> Iterator[Explanation]:
    """All explanations of a choice: one for each pairing of near misses that pairs most, with fewest failed atoms."""
    problem = indexed.problem
    use = in_use(problem, choice.options)
    missing = tuple(leaf for leaf in use if leaf.kind == "require" and leaf.id not in choice.evidence)
    run = _Pass(indexed, choice, use, frozenset(choice.evidence.values()), missing, [], [], {}, {}, {})
    if problem.complete:
        _wrong_branches(run)
    _invariants(run)
    edges = _chained(run)
    _order(run, edges)
    rest = [leaf for leaf in missing if leaf.id not in run.absorbed] if problem.complete else []
    pairs = [
        Pair(leaf.id, near)
        for leaf in rest
        for near in leaf.near
        if near.event not in run.used and near.event not in run.wrong
    ]
    extras = {f.index for f in problem.facts if f.extra and f.index not in run.used and f.index not in run.cause}
    for pairing in pairings(pairs, extras):
        yield _finish(run, edges, rest, pairing)


def _wrong_branches(run: _Pass) -> None:
    """The branch taken lacks a required duty and another branch is shown by the trace."""
    problem, evidence = run.indexed.problem, run.choice.evidence
    known = {leaf.signature for leaf in run.use if leaf.id in evidence}
    spent: list[tuple[Leaf, int]] = []
    for decision, taken in sorted(problem.decisions.items()):
        unmet = [leaf for leaf in run.missing if (decision, taken) in leaf.branches and leaf.id not in run.absorbed]
        if not unmet:
            continue
        holders: dict[int, list[Leaf]] = {}
        for leaf in run.use:
            if leaf.id in evidence and (decision, taken) not in leaf.branches:
                holders.setdefault(evidence[leaf.id], []).append(leaf)
        shown: list[str] = []
        events: set[int] = set()
        for branch, leaves in run.indexed.alternatives.get(decision, {}).items():
            taken_by = {e: list(ls) for e, ls in holders.items()}
            for leaf, event in spent:
                taken_by.setdefault(event, []).append(leaf)
            match = branch_evidence(leaves, taken_by, run.used, known)
            if match is None:
                continue
            shown.append(branch)
            spent += match
            events |= {event for _, event in match}
            for leaf in leaves:
                if leaf.kind == "optional":
                    events |= {
                        e
                        for e in leaf.candidates
                        if all(e in x.shares for x in [*taken_by.get(e, []), leaf]) or e not in taken_by
                    }
        if not shown:
            continue
        forbids = [
            f
            for f in problem.forbids
            if (decision, taken) in f.branches and events & set(f.events) and _bound(run, f.options)
        ]
        severity = worst([leaf.severity for leaf in unmet] + [f.severity for f in forbids])
        finding = run.find(
            Finding("wrong_branch", decision, tuple(sorted(events)), severity, shown=tuple(shown), taken=taken)
        )
        for leaf in unmet:
            run.absorbed[leaf.id] = finding
            run.follows(("omission", leaf.id), (), finding)
        for event in events:
            run.wrong.setdefault(event, finding)
            run.cause.setdefault(event, finding)
        for forbid in forbids:
            for event in sorted(events & set(forbid.events)):
                run.absorbed[f"{forbid.id}@{event}"] = finding
                run.follows(("invariant", forbid.id), (event,), finding)


def branch_evidence(
    leaves: Sequence[Leaf], taken_by: Mapping[int, Sequence[Leaf]], used: AbstractSet[int], known: AbstractSet[str]
) -> list[tuple[Leaf, int]] | None:
    """Evidence within capacity for every required leaf of a branch not taken, one of them on an event that shows the branch; or None.

    `taken_by`: the leaves outside that already stand on an event. An event shows the branch if it is evidence of nothing (not in `used`), or
    is shared under patterns that no evidenced leaf has (`known`). Options in order, then the earliest events."""
    required = [leaf for leaf in leaves if leaf.kind == "require"]
    groups = sorted({g for leaf in required for g, _ in leaf.options})
    for pick in _picks(groups, required):
        wanted = [leaf for leaf in required if all(pick[g] == o for g, o in leaf.options)]
        shows = [[e not in used or (e in x.shares and x.signature not in known) for e in x.candidates] for x in wanted]
        found = _match(wanted, shows, [], False, taken_by)
        if found is not None:
            return found
    return None


def _picks(groups: Sequence[str], leaves: Sequence[Leaf]) -> Iterator[dict[str, str]]:
    if not groups:
        yield {}
        return
    for option in sorted({o for leaf in leaves for g, o in leaf.options if g == groups[0]}):
        for rest in _picks(groups[1:], leaves):
            yield {groups[0]: option, **rest}


def _room(leaf: Leaf, event: int, holders: Sequence[Leaf]) -> bool:
    return not holders or (event in leaf.shares and all(event in other.shares for other in holders))


def _match(
    leaves: Sequence[Leaf],
    shows: Sequence[Sequence[bool]],
    got: list[tuple[Leaf, int]],
    shown: bool,
    taken_by: Mapping[int, Sequence[Leaf]],
) -> list[tuple[Leaf, int]] | None:
    if not leaves:
        return got if shown else None
    if not shown and not any(any(row) for row in shows):
        return None
    leaf = leaves[0]
    for event, here in zip(leaf.candidates, shows[0], strict=True):
        holders = [*taken_by.get(event, ()), *(other for other, e in got if e == event)]
        if _room(leaf, event, holders):
            found = _match(leaves[1:], shows[1:], [*got, (leaf, event)], shown or here, taken_by)
            if found is not None:
                return found
    return None


def _bound(run: _Pass, options: tuple[tuple[str, str], ...]) -> bool:
    return all(run.choice.options[g] == o for g, o in options)


def _invariants(run: _Pass) -> None:
    """Violated forbids, one finding an event, and what no explanation can change: rules and output rules."""
    for forbid in run.indexed.problem.forbids:
        if not _bound(run, forbid.options):
            continue
        for event in forbid.events:
            if f"{forbid.id}@{event}" not in run.absorbed:
                finding = run.find(Finding("invariant", forbid.id, (event,), forbid.severity))
                run.cause.setdefault(event, finding)
    for v in run.indexed.problem.violations:
        run.find(Finding(v.kind, v.element, v.events, v.severity, seen=v.seen, also=v.also))


def _chained(run: _Pass) -> list[EdgeInstance]:
    """The edges between leaves in use, with those that `before` chains through an active leaf without evidence (which carry no bound)."""
    names = {leaf.id for leaf in run.use}
    edges = [e for e in run.indexed.problem.edges if e.earlier in names and e.later in names]
    have = {(e.earlier, e.later) for e in edges}
    todo = list(edges)
    while todo:
        edge = todo.pop()
        if edge.later in run.choice.evidence:
            continue
        for onward in run.indexed.problem.edges:
            if onward.earlier == edge.later and onward.later in names and (edge.earlier, onward.later) not in have:
                first, last = run.indexed.leaves[edge.earlier], run.indexed.leaves[onward.later]
                supports = {f: tuple(e for e in first.candidates if _before(run, e, f)) for f in last.candidates}
                chained = EdgeInstance(first.id, last.id, False, supports, onward.severity, onward.order)
                have.add((first.id, last.id))
                edges.append(chained)
                todo.append(chained)
    return sorted(edges, key=lambda e: (e.earlier, e.later, e.bounded, e.order))


def _before(run: _Pass, earlier: int, later: int) -> bool:
    return run.indexed.facts[earlier].turn < run.indexed.facts[later].turn


def _order(run: _Pass, edges: Sequence[EdgeInstance]) -> None:
    """An edge is judged at the evidence of its later end, and at each successful write that fits that end and is evidence of nothing."""
    problem = run.indexed.problem
    missing = {leaf.id for leaf in run.missing}
    for edge in edges:
        name: Identity = ("misorder", f"{edge.earlier} before {edge.later}")
        ends = [x for x in (edge.earlier, edge.later) if x in missing]
        if ends:
            if problem.complete:
                run.follows(name, (), *(run.absorbed.get(x, ("omission", x)) for x in ends))
            continue
        first, last = run.indexed.leaves[edge.earlier], run.indexed.leaves[edge.later]
        support = {*run.have(first), *run.free(first)}
        free = run.free(last)
        writes = [f for f in free if run.indexed.facts[f].write]
        bad = [f for f in (*run.have(last), *writes) if not _supported(edge, f, support)]
        if not run.have(last) and not bad and free and not any(_supported(edge, f, support) for f in free):
            bad = list(free[:1])  # an optional later end is not left without evidence to please the edge
        if not bad or not support:
            continue
        wrong = [run.wrong[f] for f in bad if f in run.wrong]
        if wrong:
            run.follows(name, bad, *wrong)
        elif all((edge.earlier, f) in problem.said for f in bad):
            run.follows(name, bad, *(("invariant", v.element) for v in problem.violations if set(v.events) & set(bad)))
        elif problem.complete or any(run.indexed.facts[f].write for f in bad):
            finding = run.find(Finding(*name, tuple(sorted(bad)), edge.severity, order=edge.order))
            for event in bad:
                run.cause.setdefault(event, finding)


def _supported(edge: EdgeInstance, later: int, support: AbstractSet[int]) -> bool:
    return any(e in support for e in edge.supports.get(later, ()))


def _finish(
    run: _Pass, edges: Sequence[EdgeInstance], rest: Sequence[Leaf], pairing: Mapping[str, Pair]
) -> Explanation:
    """Omissions with their near misses, and extras."""
    findings, consequences, cause = list(run.findings), list(run.consequences), dict(run.cause)
    late = {
        leaf.id: found
        for leaf in rest
        if leaf.id in pairing and (found := _too_early(run, edges, leaf, pairing[leaf.id]))
    }
    roots, raised = _derived([leaf for leaf in rest if leaf.id not in late], pairing)
    for leaf in rest:
        near = pairing.get(leaf.id)
        events = (near.near.event,) if near else ()
        identities: list[Identity] = [("omission", leaf.id)]
        if leaf.id in late:
            identities = []
            for edge in late[leaf.id]:
                finding = Finding(
                    "misorder", f"{edge.earlier} before {leaf.id}", events, leaf.severity, order=edge.order
                )
                findings.append(finding)
                identities.append(finding.identity)
        elif leaf.id in roots:
            of = tuple(("omission", x) for x in sorted(roots[leaf.id]))
            consequences.append(Consequence("omission", leaf.id, events, of))  # type: ignore[arg-type]
            identities = list(of)  # type: ignore[arg-type]
        else:
            severity = worst([leaf.severity, *raised.get(leaf.id, [])])
            findings.append(Finding("omission", leaf.id, events, severity, atoms=near.near.atoms if near else ()))
        for event in events:
            cause.setdefault(event, identities[0])
    for fact in run.indexed.problem.facts:
        if fact.extra and fact.index not in run.used:
            if fact.index in cause:
                consequences.append(Consequence("redundant", fact.name, (fact.index,), (cause[fact.index],)))
            else:
                findings.append(Finding("redundant", fact.name, (fact.index,), "normal"))
    near_misses = tuple(sorted((name, pair.near.event) for name, pair in pairing.items()))
    evidence = run.choice.evidence
    tie = tuple((leaf.id, evidence.get(leaf.id, NO_EVENT)) for leaf in sorted(run.use, key=lambda leaf: leaf.id))
    return Explanation(
        run.choice, near_misses, _cost(run, findings), (tie, near_misses), tuple(findings), _unique(consequences)
    )


def _unique(consequences: Sequence[Consequence]) -> tuple[Consequence, ...]:
    return tuple(dict.fromkeys(consequences))


def _cost(run: _Pass, findings: Sequence[Finding]) -> Cost:
    kinds = [f.kind for f in findings]
    high, normal, low = (sum(leaf.severity == s for leaf in run.missing) for s in SEVERITIES)
    return (
        high,
        normal,
        low,
        kinds.count("omission") + kinds.count("wrong_branch"),
        kinds.count("invariant"),
        kinds.count("misorder"),
        0,
        kinds.count("redundant"),
        -len(run.choice.evidence),
    )


def _too_early(run: _Pass, edges: Sequence[EdgeInstance], leaf: Leaf, pair: Pair) -> list[EdgeInstance]:
    """The edges into the leaf that are not met at its near miss and ask for the calls that would have made it evidence, if each of those calls
    is asked for by one: then the near miss is a matter of order, not of omission."""
    event, wanted = pair.near.event, pair.near.wanted
    if not wanted:
        return []
    asks: list[tuple[EdgeInstance, list[int]]] = []
    for edge in edges:
        if edge.later != leaf.id:
            continue
        first = run.indexed.leaves[edge.earlier]
        if any(_before(run, e, event) for e in (*run.have(first), *run.free(first))):
            continue
        fitting = [f for f in wanted if f in first.candidates]
        if fitting:
            asks.append((edge, fitting))
    return [edge for edge, _ in asks] if all(any(f in fs for _, fs in asks) for f in wanted) else []


def _derived(
    leaves: Sequence[Leaf], pairing: Mapping[str, Pair]
) -> tuple[dict[str, set[str]], dict[str, list[Severity]]]:
    """Omissions that only follow from the omission of a call that a view reads (least set): each with the omissions it follows from; and, for
    those, the severities of what follows from them."""

    def views(leaf: Leaf) -> list[tuple[str, ...]] | None:
        """The tools of each undefined view, if the near miss fails on views without any match in the trace alone."""
        pair = pairing.get(leaf.id)
        if pair is None or any(not a.view or a.later for a in pair.near.atoms):
            return None
        return [a.tools for a in pair.near.atoms]

    roots: dict[str, set[str]] = {}
    while True:
        told: dict[str, set[str]] = {}
        for leaf in leaves:
            if leaf.id in roots or views(leaf) is None:
                for tool in leaf.calls:
                    told.setdefault(tool, set()).update(roots.get(leaf.id, {leaf.id}))
        grown: dict[str, set[str]] = {}
        for leaf in leaves:
            needs = views(leaf)
            if needs is not None and all(any(t in told for t in tools) for tools in needs):
                grown[leaf.id] = {root for tools in needs for t in tools for root in told.get(t, ())}
        if grown.keys() == roots.keys() and grown == roots:
            break
        roots = grown
    raised: dict[str, list[Severity]] = {}
    for leaf in leaves:
        for root in sorted(roots.get(leaf.id, ())):
            raised.setdefault(root, []).append(leaf.severity)
    return roots, raised
