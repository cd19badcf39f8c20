"""The part of the alignment model about branches not taken: which could be shown, on what events, and what that absorbs.

In: the literals of a choice. Out: literals for `wrong_branch` findings, their events and the omissions they absorb. Relaxed: a model need not
show what could be shown, and shows it by evidence no leaf of which could have an earlier event with the others unchanged, where the fixed
pass picks the earliest as a whole; `cuts` pins both down where they matter. Every relaxation only widens what is allowed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from servanda.contracts.problem import Leaf
from servanda.solver.alignment.boolean_model import FALSE
from servanda.solver.alignment.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Branches:
    """`wrong`: the decision has a `wrong_branch` finding. `at`: the event stands in that finding. `anywhere`: in one of them. `absorbed`: the
    leaf's omission is absorbed by one."""

    wrong: Mapping[str, int]
    at: Mapping[tuple[str, int], int]
    anywhere: Mapping[int, int]
    absorbed: Mapping[str, int]

    def explains(self, event: int) -> int:
        """The event stands in a `wrong_branch` finding."""
        return self.anywhere.get(event, FALSE)


def required_of(evidence: Evidence, decision: str) -> list[Leaf]:
    """The required leaves of the branch that is taken."""
    taken = evidence.indexed.problem.decisions[decision]
    return [x for x in evidence.leaves if x.kind == "require" and (decision, taken) in x.branches]


def branches(evidence: Evidence) -> Branches:
    """Add what `wrong_branch` findings need to be possible at all."""
    builder, problem = evidence.builder, evidence.indexed.problem
    wrong: dict[str, int] = {}
    at: dict[tuple[str, int], int] = {}
    matched: list[Matched] = []
    if problem.complete:
        for decision in sorted(problem.decisions):
            due = required_of(evidence, decision)
            others = evidence.indexed.alternatives.get(decision, {})
            possible = {b: ls for b, ls in others.items() if _coverable([x for x in ls if x.kind == "require"])}
            if not due or not possible:
                continue
            literal = wrong[decision] = builder.variable("wrong", decision)
            builder.clause(-literal, *(evidence.idle[x.id] for x in due))
            shown = {b: builder.variable("shown", decision, b) for b in possible}
            builder.clause(-literal, *shown.values())
            places: dict[int, list[int]] = {}
            for branch, leaves in possible.items():
                builder.clause(-shown[branch], literal)
                found = _branch(evidence, decision, branch, leaves, shown[branch])
                matched += found
                for match in found:
                    places.setdefault(match.event, []).append(match.literal)
                for leaf in leaves:
                    if leaf.kind == "optional":
                        for event in leaf.candidates:
                            here = builder.variable("beside", decision, branch, leaf.id, event)
                            builder.clause(-here, shown[branch])
                            _room(evidence, decision, leaf, event, here)
                            places.setdefault(event, []).append(here)
            for event, reasons in sorted(places.items()):
                here = at[decision, event] = builder.variable("wrong_at", decision, event)
                builder.clause(-here, literal)
                builder.clause(-here, *reasons)
    _apart(evidence, matched)
    _early(evidence, matched)
    anywhere = {
        e: builder.either(("wrong_anywhere", e), [x for (_, at_event), x in at.items() if at_event == e])
        for e in sorted({e for _, e in at})
    }
    absorbed: dict[str, int] = {}
    for leaf in evidence.leaves:
        by = [x for d, x in wrong.items() if leaf.kind == "require" and (d, problem.decisions[d]) in leaf.branches]
        if by:
            some = builder.either(("wrong_above", leaf.id), by)
            absorbed[leaf.id] = builder.every(("absorbed", leaf.id), [evidence.idle[leaf.id], some])
    return Branches(wrong, at, anywhere, absorbed)


def _coverable(required: Sequence[Leaf]) -> bool:
    """Whether each required leaf has an event that fits, over some choice of options."""
    always = [x for x in required if not x.options]
    return bool(required) and all(x.candidates for x in always) and any(x.candidates for x in required)


@dataclass(frozen=True, slots=True)
class Matched:
    """The leaf of a branch not taken is matched with the event, to show the branch. `shows`: the event would show it."""

    decision: str
    branch: str
    leaf: Leaf
    event: int
    literal: int
    shows: int


def _branch(evidence: Evidence, decision: str, branch: str, leaves: Sequence[Leaf], shown: int) -> list[Matched]:
    """Evidence for a branch that is shown: an event for each required leaf of the options picked, one of which shows it."""
    builder = evidence.builder
    required = [x for x in leaves if x.kind == "require"]
    options: dict[str, dict[str, int]] = {}
    for leaf in required:
        for group, name in leaf.options:
            options.setdefault(group, {})[name] = builder.variable("picked", decision, branch, group, name)
    for picks in options.values():
        builder.clause(-shown, *picks.values())
        builder.at_most_one(picks.values())
    found: list[Matched] = []
    for leaf in required:
        mine = []
        picked = [options[g][o] for g, o in leaf.options]
        known = builder.either(
            ("known", leaf.signature), [evidence.has[x.id] for x in evidence.leaves if x.signature == leaf.signature]
        )
        for event in leaf.candidates:
            here = builder.variable("matched", decision, branch, leaf.id, event)
            builder.clause(-here, shown)
            for pick in picked:
                builder.clause(-here, pick)
            _room(evidence, decision, leaf, event, here)
            mine.append(here)
            free = evidence.free[event]
            shows = builder.either(("shows", leaf.id, event), [free, -known]) if event in leaf.shares else free
            found.append(Matched(decision, branch, leaf, event, here, shows))
        builder.clause(-shown, *(-p for p in picked), *mine)
        builder.at_most_one(mine)
    builder.clause(-shown, *(_sign(evidence, match) for match in found))
    return found


def _sign(evidence: Evidence, match: Matched) -> int:
    """The match shows its branch."""
    return evidence.builder.every(("sign", match.leaf.id, match.event), [match.literal, match.shows])


def _early(evidence: Evidence, matched: Sequence[Matched]) -> None:
    """No leaf of a branch that is shown could have an earlier event, the others keeping theirs."""
    builder = evidence.builder
    at: dict[int, list[Matched]] = {}
    by_branch: dict[tuple[str, str], list[Matched]] = {}
    for match in matched:
        at.setdefault(match.event, []).append(match)
        by_branch.setdefault((match.decision, match.branch), []).append(match)
    for (decision, _), matches in by_branch.items():
        taken = (decision, evidence.indexed.problem.decisions[decision])
        for leaf in {m.leaf.id: m.leaf for m in matches}.values():
            others = [_sign(evidence, m) for m in matches if m.leaf.id != leaf.id]
            beside = builder.either(("sign_beside", leaf.id), others)
            earlier = FALSE
            for match in (m for m in matches if m.leaf.id == leaf.id):
                builder.clause(-match.literal, -earlier)
                event = match.event
                full = [
                    evidence.on[x.id, event]
                    for x in evidence.holders[event]
                    if taken not in x.branches and not (event in leaf.shares and event in x.shares)
                ]
                full += [
                    m.literal
                    for m in at[event]
                    if m.leaf.id != leaf.id and not (event in leaf.shares and event in m.leaf.shares)
                ]
                serves = builder.either(("serves", leaf.id, event), [match.shows, beside])
                able = builder.every(("able", leaf.id, event), [serves, *(-x for x in full)])
                earlier = builder.either(("earlier", leaf.id, event), [earlier, able])


def _room(evidence: Evidence, decision: str, leaf: Leaf, event: int, here: int) -> None:
    """Evidence of a branch not taken keeps capacity with what stands outside the branch that is taken."""
    taken = evidence.indexed.problem.decisions[decision]
    for other in evidence.holders[event]:
        if (decision, taken) not in other.branches and not (event in leaf.shares and event in other.shares):
            evidence.builder.clause(-here, -evidence.on[other.id, event])


def _apart(evidence: Evidence, matched: Sequence[Matched]) -> None:
    """Evidence of branches not taken keeps capacity among itself, across decisions too."""
    by_event: dict[int, list[Matched]] = {}
    for match in matched:
        by_event.setdefault(match.event, []).append(match)
    for event, able in sorted(by_event.items()):
        sole = [m.literal for m in able if event not in m.leaf.shares]
        evidence.builder.at_most_one(sole)
        if sole:
            for match in able:
                if event in match.leaf.shares:
                    evidence.builder.at_most_one([*sole, match.literal])
