"""The part of the alignment model about branches not taken: which are shown, on what events, and what that absorbs.

In: the literals of a choice. Out: literals for `wrong_branch` findings, their events and the omissions they absorb. Decisions and their branches
are gone through in the order of the fixed pass, since events that show one branch are spent for the next. Relaxed: where the leaves of a branch
compete for events it need not be shown though it could be; and it may be shown by any evidence no leaf of which could have an earlier event with
the others unchanged, where the fixed pass takes the earliest as a whole. `cuts` pins down both where they matter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from servanda.contracts.problem import Leaf
from servanda.solver.alignment.boolean_model import FALSE
from servanda.solver.alignment.evidence import Evidence

PICKS = 16
"""A branch with more choices of options than this need not be shown."""


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


def compete(one: Leaf, other: Leaf, event: int) -> bool:
    """Whether the event cannot be evidence of both."""
    return event not in one.shares or event not in other.shares


def branches(evidence: Evidence) -> Branches:
    """Add what `wrong_branch` findings need, and what makes them inevitable."""
    builder, problem = evidence.builder, evidence.indexed.problem
    making = _Making(evidence)
    for decision in sorted(problem.decisions) if problem.complete else ():
        making.decision(decision)
    anywhere = {
        e: builder.either(("wrong_anywhere", e), [x for (_, there), x in making.at.items() if there == e])
        for e in sorted({e for _, e in making.at})
    }
    absorbed: dict[str, int] = {}
    for leaf in evidence.leaves:
        by = [
            x for d, x in making.wrong.items() if leaf.kind == "require" and (d, problem.decisions[d]) in leaf.branches
        ]
        if by:
            some = builder.either(("wrong_above", leaf.id), by)
            absorbed[leaf.id] = builder.every(("absorbed", leaf.id), [evidence.idle[leaf.id], some])
    return Branches(making.wrong, making.at, anywhere, absorbed)


@dataclass(frozen=True, slots=True)
class _Matched:
    """The leaf of a branch not taken is matched with the event, to show the branch. `room`: nothing outside the branch stands in the way.
    `shows`: the event would show it."""

    leaf: Leaf
    event: int
    literal: int
    room: int
    shows: int


@dataclass(slots=True)
class _Making:
    """What has been added for the decisions so far."""

    evidence: Evidence
    wrong: dict[str, int] = field(default_factory=dict)
    at: dict[tuple[str, int], int] = field(default_factory=dict)
    spent: dict[int, list[_Matched]] = field(default_factory=dict)

    def decision(self, decision: str) -> None:
        """One decision, after those before it."""
        builder = self.evidence.builder
        due = required_of(self.evidence, decision)
        others = self.evidence.indexed.alternatives.get(decision, {})
        possible = {b: ls for b, ls in others.items() if _coverable([x for x in ls if x.kind == "require"])}
        if not due or not possible:
            return
        unmet = builder.either(("unmet", decision), [self._unabsorbed(leaf) for leaf in due])
        shown: list[int] = []
        places: dict[int, list[int]] = {}
        for branch, leaves in possible.items():
            literal = builder.variable("shown", decision, branch)
            builder.clause(-literal, unmet)
            shown.append(literal)
            required = [x for x in leaves if x.kind == "require"]
            beside = [(x, e) for x in leaves if x.kind == "optional" for e in x.candidates]
            room = {(x.id, e): self._room(decision, x, e) for x, e in beside}
            for match in self._branch(decision, branch, required, literal, unmet):
                places.setdefault(match.event, []).append(match.literal)
            for leaf, event in beside:
                here = builder.every(("beside", leaf.id, event), [literal, room[leaf.id, event]])
                places.setdefault(event, []).append(here)
        self.wrong[decision] = builder.either(("wrong", decision), shown)
        for event, reasons in sorted(places.items()):
            self.at[decision, event] = builder.either(("wrong_at", decision, event), reasons)

    def _unabsorbed(self, leaf: Leaf) -> int:
        """The leaf has no evidence, and no decision before absorbs that."""
        decisions = self.evidence.indexed.problem.decisions
        before = [x for d, x in self.wrong.items() if (d, decisions[d]) in leaf.branches]
        key = ("unabsorbed", leaf.id, len(before))
        return self.evidence.builder.every(key, [self.evidence.idle[leaf.id], *(-x for x in before)])

    def _room(self, decision: str, leaf: Leaf, event: int) -> int:
        """The event can be evidence of the leaf beside what stands outside the branch taken and what was spent on branches before."""
        evidence = self.evidence
        taken = (decision, evidence.indexed.problem.decisions[decision])
        full = [
            evidence.on[x.id, event]
            for x in evidence.holders[event]
            if taken not in x.branches and compete(leaf, x, event)
        ]
        full += [m.literal for m in self.spent.get(event, ()) if compete(leaf, m.leaf, event)]
        return evidence.builder.every(("room", leaf.id, event), [-x for x in full])

    def _branch(self, decision: str, branch: str, required: Sequence[Leaf], shown: int, unmet: int) -> list[_Matched]:
        """A branch is shown by an event for each required leaf of the options picked, one of which shows it."""
        builder = self.evidence.builder
        options: dict[str, dict[str, int]] = {}
        for leaf in required:
            for group, name in leaf.options:
                options.setdefault(group, {})[name] = builder.variable("picked", decision, branch, group, name)
        for picks in options.values():
            builder.clause(-shown, *picks.values())
            builder.at_most_one(picks.values())
        found: dict[str, list[_Matched]] = {}
        for leaf in required:
            picked = [options[g][o] for g, o in leaf.options]
            found[leaf.id] = [self._match(decision, leaf, event) for event in leaf.candidates]
            for match in found[leaf.id]:
                for needed in (shown, match.room, *picked):
                    builder.clause(-match.literal, needed)
            mine = [m.literal for m in found[leaf.id]]
            builder.clause(-shown, *(-p for p in picked), *mine)
            builder.at_most_one(mine)
        matches = [m for ms in found.values() for m in ms]
        builder.clause(-shown, *(self._sign(m) for m in matches))
        self._apart(matches)
        for leaf in required:
            self._early(leaf, matches)
        if not any(compete(x, y, e) for x, y in combinations(required, 2) for e in {*x.candidates} & {*y.candidates}):
            self._inevitable(branch, required, options, found, shown, unmet)
        for match in matches:
            self.spent.setdefault(match.event, []).append(match)
        return matches

    def _match(self, decision: str, leaf: Leaf, event: int) -> _Matched:
        evidence = self.evidence
        builder, free = evidence.builder, evidence.free[event]
        alike = [evidence.has[x.id] for x in evidence.leaves if x.signature == leaf.signature]
        known = builder.either(("known", leaf.signature), alike)
        shows = builder.either(("shows", leaf.id, event), [free, -known]) if event in leaf.shares else free
        literal = builder.variable("matched", leaf.id, event)
        return _Matched(leaf, event, literal, self._room(decision, leaf, event), shows)

    def _sign(self, match: _Matched) -> int:
        """The match shows its branch."""
        return self.evidence.builder.every(("sign", match.leaf.id, match.event), [match.literal, match.shows])

    def _apart(self, matches: Sequence[_Matched]) -> None:
        """The leaves of one branch keep capacity among themselves."""
        at: dict[int, list[_Matched]] = {}
        for match in matches:
            at.setdefault(match.event, []).append(match)
        for event, able in sorted(at.items()):
            for one, other in combinations(able, 2):
                if compete(one.leaf, other.leaf, event):
                    self.evidence.builder.clause(-one.literal, -other.literal)

    def _early(self, leaf: Leaf, matches: Sequence[_Matched]) -> None:
        """The leaf could have no earlier event, the others of its branch keeping theirs."""
        builder = self.evidence.builder
        beside = builder.either(("sign_beside", leaf.id), [self._sign(m) for m in matches if m.leaf.id != leaf.id])
        earlier = FALSE
        rivals: dict[int, list[int]] = {}
        for match in matches:
            if match.leaf.id != leaf.id and compete(leaf, match.leaf, match.event):
                rivals.setdefault(match.event, []).append(match.literal)
        for match in (m for m in matches if m.leaf.id == leaf.id):
            builder.clause(-match.literal, -earlier)
            taken = rivals.get(match.event, ())
            serves = builder.either(("serves", leaf.id, match.event), [match.shows, beside])
            able = builder.every(("able", leaf.id, match.event), [serves, match.room, *(-x for x in taken)])
            earlier = builder.either(("earlier", leaf.id, match.event), [earlier, able])

    def _inevitable(
        self,
        branch: str,
        required: Sequence[Leaf],
        options: Mapping[str, Mapping[str, int]],
        found: Mapping[str, Sequence[_Matched]],
        shown: int,
        unmet: int,
    ) -> None:
        """Leaves that do not compete: where each has room somewhere, and one of them on an event that shows the branch, it is shown."""
        builder = self.evidence.builder
        groups = sorted(options)
        picks = list(product(*(sorted(options[g]) for g in groups)))
        for number, pick in enumerate(picks if len(picks) <= PICKS else ()):
            chosen = dict(zip(groups, pick, strict=True))
            wanted = [x for x in required if all(chosen[g] == o for g, o in x.options)]
            placed = [builder.either(("placed", x.id), [m.room for m in found[x.id]]) for x in wanted]
            signs = [
                builder.every(("would_show", x.id, m.event), [m.room, m.shows]) for x in wanted for m in found[x.id]
            ]
            sign = builder.either(("sign_of", branch, number, *(x.id for x in wanted)), signs)
            builder.clause(shown, -unmet, *(-x for x in placed), -sign)


def _coverable(required: Sequence[Leaf]) -> bool:
    """Whether each required leaf has an event that fits, over some choice of options."""
    always = [x for x in required if not x.options]
    return bool(required) and all(x.candidates for x in always) and any(x.candidates for x in required)
