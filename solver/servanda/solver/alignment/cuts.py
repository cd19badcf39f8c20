"""What is learnt from a choice that costs more than the model says: bounds that hold for every explanation, or block one choice.

In: a valuation of the model, and the explanation that the fixed pass gives for its choice. Out: bounds by the names of literals, so that they
outlive the model. `pins` hold wherever the part of the choice that decides them is the same; `block` is for the choice alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from servanda.contracts.finding import Choice, Explanation
from servanda.contracts.meaning.explanation import branch_evidence
from servanda.contracts.problem import Leaf
from servanda.solver.alignment.boolean_model import AtLeast, Named, holds, tidy, value
from servanda.solver.alignment.branches import required_of
from servanda.solver.alignment.evidence import Evidence
from servanda.solver.alignment.judging import Judge
from servanda.solver.alignment.model import AlignmentModel


@dataclass(frozen=True, slots=True)
class Cut:
    """The weights of the named literals that are true add up to `least` or more."""

    terms: tuple[tuple[int, Named], ...]
    least: int = 1

    def bound(self, model: AlignmentModel) -> AtLeast:
        """The bound over the literals of a model."""
        return AtLeast(tidy((w, model.literal(named)) for w, named in self.terms), self.least)


def negated(named: Named) -> Named:
    """The complement."""
    return named[0], not named[1]


def block(judge: Judge, choice: Choice) -> Cut:
    """Any choice but this one."""
    choice = judge.tidied(choice)
    chosen = set(choice.options.items())
    state: list[Named] = [
        (("option", group, name), True) for group, name in choice.options.items() if judge.relevant(group, chosen)
    ]
    state += [(("evidence", leaf, event), True) for leaf, event in choice.evidence.items()]
    state += [(("has", leaf), False) for leaf in sorted(judge.idle(choice))]
    return Cut(tuple((1, negated(x)) for x in state))


def pins(model: AlignmentModel, true: Sequence[bool], explanation: Explanation) -> list[Cut]:
    """Bounds that the valuation breaks and every explanation keeps; none where the model is wrong about neither branches nor pairings."""
    found = [*_wrong_branches(model, true, explanation)] or [*_pairings(model, true, explanation)]
    bounds = [(cut, cut.bound(model)) for cut in found]
    return [cut for cut, bound in bounds if value(bound.total, true) < bound.least]


# ---- branches not taken ------------------------------------------------------------------------------------------------


def _wrong_branches(model: AlignmentModel, true: Sequence[bool], explanation: Explanation) -> Iterator[Cut]:
    """The findings of branches not taken follow from a part of the choice; where that is as here, they are as here."""
    seen = {f.element: set(f.events) for f in explanation.findings if f.kind == "wrong_branch"}
    differs: dict[str, list[Named]] = {}
    for decision, literal in model.wrong.wrong.items():
        found = decision in seen
        if holds(literal, true) != found:
            if found and (cut := _forced(model, decision, explanation.choice)) is not None:
                yield cut
                continue
            differs.setdefault(decision, []).append((("wrong", decision), found))
    for (decision, event), literal in model.wrong.at.items():
        found = event in seen.get(decision, ())
        if holds(literal, true) != found and holds(model.wrong.wrong[decision], true):
            differs.setdefault(decision, []).append((("wrong_at", decision, event), found))
    for decision, claims in differs.items():
        about = _connected(model.evidence, decision, list(model.wrong.wrong))
        state = [(1, negated(x)) for x in _deciding(model.evidence, explanation.choice, about)]
        for claim in claims:
            yield Cut((*state, (1, claim)))


def _forced(model: AlignmentModel, decision: str, choice: Choice) -> Cut | None:
    """Whatever else is chosen: as long as a required leaf of the branch taken has no evidence, and nothing stands in the way of evidence that
    shows another branch, the finding is there. None where such evidence is not found without looking at other decisions."""
    evidence = model.evidence
    problem = evidence.indexed.problem
    inside = (decision, problem.decisions[decision])
    outside: dict[int, list[Leaf]] = {}
    for leaf in evidence.leaves:
        if leaf.id in choice.evidence and inside not in leaf.branches:
            outside.setdefault(choice.evidence[leaf.id], []).append(leaf)
    used = set(choice.evidence.values())
    known = {leaf.signature for leaf in evidence.leaves if leaf.id in choice.evidence}
    for leaves in evidence.indexed.alternatives[decision].values():
        match = branch_evidence(leaves, outside, used, known)
        if match is not None:
            break
    else:
        return None
    away: dict[Named, None] = {}
    for leaf, event in match:
        for other in evidence.holders[event]:
            if inside not in other.branches and not (event in leaf.shares and event in other.shares):
                away[("evidence", other.id, event), True] = None
    shows = [(x, e) for x, e in match if e not in used] or [
        (x, e) for x, e in match if e in x.shares and x.signature not in known
    ]
    sign, at = shows[0]
    if at not in used:
        away[("free", at), False] = None
    else:
        away.update({(("has", x.id), True): None for x in evidence.leaves if x.signature == sign.signature})
    idle = next(x for x in required_of(evidence, decision) if x.id not in choice.evidence and _used(x, choice))
    before = [d for d in model.wrong.wrong if d < decision]
    events = {e for _, e in match}
    for other_decision in before:
        theirs = {e for ls in evidence.indexed.alternatives[other_decision].values() for x in ls for e in x.candidates}
        if events & theirs or idle.id in {x.id for x in required_of(evidence, other_decision)}:
            away[("wrong", other_decision), True] = None
    return Cut(tuple((1, x) for x in ((("wrong", decision), True), (("idle", idle.id), False), *away)))


def _used(leaf: Leaf, choice: Choice) -> bool:
    return all(choice.options[g] == o for g, o in leaf.options)


def _connected(evidence: Evidence, decision: str, decisions: Sequence[str]) -> list[str]:
    """The decisions that what is shown for one of them can hang on: itself, and earlier ones that compete for events or absorb its leaves."""
    alternatives = evidence.indexed.alternatives
    events = {d: {e for ls in alternatives[d].values() for x in ls for e in x.candidates} for d in decisions}
    due = {d: {x.id for x in required_of(evidence, d)} for d in decisions}
    found = {decision}
    grown = True
    while grown:
        more = {
            d
            for d in decisions
            for o in found
            if d < o and d not in found and (events[d] & events[o] or due[d] & due[o])
        }
        found |= more
        grown = bool(more)
    return sorted(found)


def _deciding(evidence: Evidence, choice: Choice, decisions: Sequence[str]) -> list[Named]:
    """The part of a choice that decides which branches not taken are shown, and by what."""
    others = [x for d in decisions for ls in evidence.indexed.alternatives.get(d, {}).values() for x in ls]
    state: dict[Named, None] = {}
    for event in sorted({e for leaf in others for e in leaf.candidates}):
        state.update(dict.fromkeys(_standing(evidence, choice.evidence, event)))
    signatures = {leaf.signature for leaf in others}
    due = {leaf.id for d in decisions for leaf in required_of(evidence, d)}
    for leaf in evidence.leaves:
        has = leaf.id in choice.evidence
        if leaf.signature in signatures or (leaf.id in due and has):
            state[("has", leaf.id), has] = None
        if leaf.id in due and not has:
            state[("idle", leaf.id), _used(leaf, choice)] = None
    return list(state)


def _standing(evidence: Evidence, chosen: Mapping[str, int], event: int) -> Iterator[Named]:
    """What the event is evidence of."""
    able = evidence.holders[event]
    serving = [leaf for leaf in able if chosen.get(leaf.id) == event]
    if not serving:
        if able:
            yield ("free", event), True
        return
    for leaf in able:
        if leaf in serving or event in leaf.shares:
            yield ("evidence", leaf.id, event), leaf in serving


# ---- pairings ----------------------------------------------------------------------------------------------------------


def _pairings(model: AlignmentModel, true: Sequence[bool], explanation: Explanation) -> Iterator[Cut]:
    """Where the same omissions stand beside the same free events, pairings are as many and as near as here."""
    evidence = model.evidence
    named = [(("near", p.leaf.id, p.place), len(p.near.atoms), holds(p.literal, true)) for p in model.lacking.pairs]
    count = sum(on for _, _, on in named)
    atoms = sum(weight for _, weight, on in named if on)
    least = {leaf: _fewest(evidence.indexed.leaves[leaf], event) for leaf, event in explanation.near}
    best_count, best_atoms = len(least), sum(least.values())
    if (count, atoms) == (best_count, best_atoms):
        return
    wrong = {e for f in explanation.findings if f.kind == "wrong_branch" for e in f.events}
    state: dict[Named, None] = {}
    for leaf in evidence.leaves:
        if leaf.id not in model.lacking.rest or not leaf.near:
            continue
        on = holds(model.lacking.rest[leaf.id], true)
        state[("rest", leaf.id), on] = None
        for near in leaf.near if on else ():
            unused = holds(evidence.free[near.event], true)
            state[("free", near.event), unused] = None
            if unused and near.event in model.wrong.anywhere:
                state[("wrong_anywhere", near.event), near.event in wrong] = None
    away = [negated(x) for x in state]
    if count < best_count:
        yield Cut((*((1, (k, True)) for k, _, _ in named), *((best_count, x) for x in away)), best_count)
    else:
        most = sum(weight for _, weight, _ in named)
        yield Cut(
            (*((-weight, (k, True)) for k, weight, _ in named), *((most - best_atoms, x) for x in away)), -best_atoms
        )


def _fewest(leaf: Leaf, event: int) -> int:
    return min(len(near.atoms) for near in leaf.near if near.event == event)
