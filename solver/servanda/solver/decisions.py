"""Whether each decision has exactly one branch for every query (language reference §5, §9 point 3).

In: an examination and the state of its places. Out: for each live decision the smallest query that falls through, and the smallest for each
pair of branches that can hold together; `otherwise` leaves no gap and overlaps nothing; `partial` allows a gap.
"""

from collections.abc import Sequence
from itertools import combinations

from servanda.contracts.model import Branch, Decide
from servanda.solver.activation_encoding import Place
from servanda.solver.decoder import Valuation
from servanda.solver.examination import Confirmed, Examination
from servanda.solver.findings.finding import Finding, Unsettled
from servanda.solver.findings.wording import gap, overlap
from servanda.solver.liveness import Liveness, generic
from servanda.solver.replay import Replay
from servanda.solver.session import Unknown, Unsat


def decisions(examination: Examination, states: Liveness) -> tuple[tuple[Finding, ...], tuple[Unsettled, ...]]:
    """Findings and open questions of all decisions, in document order."""
    findings: list[Finding] = []
    unsettled: list[Unsettled] = []
    for place in examination.activations.places:
        if isinstance(place.node, Decide) and states.live(place):
            one = _Decision(examination, place, place.node, states)
            one.exhaustive(findings, unsettled)
            one.exclusive(findings, unsettled)
    return tuple(findings), tuple(unsettled)


class _Decision:
    """One decision under examination, for a generic element of each block around it."""

    def __init__(self, examination: Examination, place: Place, node: Decide, states: Liveness) -> None:
        self._examination = examination
        self._place = place
        self._node = node
        copies = generic(place)
        activations = examination.activations
        self._guards = {
            b.path: activations.guard(activations.by_path[b.path], copies) for b in node.branches if b.guard
        }
        self._living = [
            b for b in node.branches if b.guard and states.states[activations.by_path[b.path].index] != "dead"
        ]
        self._active = activations.active(place, copies)

    def exhaustive(self, findings: list[Finding], unsettled: list[Unsettled]) -> None:
        """Add the gap of the decision, if it has one."""
        if self._node.partial or any(b.guard is None for b in self._node.branches):
            return
        algebra = self._examination.algebra
        goal = algebra.conj((self._active, *(algebra.neg(g) for g in self._guards.values())))
        answer = self._examination.example(goal, lambda replay, v: self._taken(replay, v) == ())
        if isinstance(answer, Unknown):
            self._open(f"whether decision `{self._place.path}` has a branch for every query", answer, unsettled)
        elif isinstance(answer, Confirmed):
            findings.append(gap(self._examination.contract.source, self._place, answer.witness))

    def exclusive(self, findings: list[Finding], unsettled: list[Unsettled]) -> None:
        """Add a finding for each set of branches that hold together, until every pair that can is named in one."""
        covered: set[tuple[str, str]] = set()
        for pair in combinations(self._living, 2):
            if (pair[0].path, pair[1].path) in covered:
                continue
            answer = self._together(pair)
            if isinstance(answer, Confirmed):
                # The query found for the pair may take further branches; they are named, and then it must take them all.
                taken = self._named(self._taken(answer.replay, answer.valuation))
                if len(taken) > 2:
                    answer = self._together(taken)
                if isinstance(answer, Confirmed):
                    covered.update((a.path, b.path) for a, b in combinations(taken, 2))
                    findings.append(overlap(self._examination.contract.source, self._place, taken, answer.witness))
            if isinstance(answer, Unknown):
                names = f"branches `{pair[0].name}` and `{pair[1].name}` of `{self._place.path}`"
                self._open(f"whether {names} exclude each other", answer, unsettled)

    def _together(self, branches: Sequence[Branch]) -> Confirmed | Unsat | Unknown:
        goal = self._examination.algebra.conj((self._active, *(self._guards[b.path] for b in branches)))
        wanted = {b.path for b in branches}
        return self._examination.example(goal, lambda replay, v: wanted <= set(self._taken(replay, v) or ()))

    def _taken(self, replay: Replay, valuation: Valuation) -> tuple[str, ...] | None:
        """The branches that the interpreter takes; None where it does not find the decision active."""
        indices = self._examination.indices(self._place, generic(self._place), valuation)
        return replay.taken(self._place, indices) if replay.active(self._place, indices) else None

    def _named(self, paths: tuple[str, ...] | None) -> list[Branch]:
        return [b for b in self._node.branches if b.guard is not None and b.path in (paths or ())]

    def _open(self, question: str, answer: Unknown, unsettled: list[Unsettled]) -> None:
        unsettled.append(Unsettled(self._place.path, question, answer.reason, self._node.span))
