"""Which places no query activates (language reference §9, point 2).

In: an examination. Out: a finding with a minimal core for each outermost dead place, and the state of every place for the checks that follow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal as Lit

from servanda.grammar.diagnostic import InternalError
from servanda.solver.activation_encoding import Copies, Place, depth
from servanda.solver.core import minimal_core
from servanda.solver.examination import Examination
from servanda.solver.findings.finding import Finding, Unsettled
from servanda.solver.findings.wording import dead
from servanda.solver.session import Unknown

State = Lit["live", "dead", "unknown"]


@dataclass(frozen=True, slots=True)
class Liveness:
    """The state of each place by index; a place inside a dead or unknown one has the same state, and no finding of its own."""

    states: Mapping[int, State]
    findings: tuple[Finding, ...]
    unsettled: tuple[Unsettled, ...]

    def live(self, place: Place) -> bool:
        """Whether some query is known to activate it."""
        return self.states[place.index] == "live"


def generic(place: Place) -> Copies:
    """One element of each block around a place."""
    return (0,) * depth(place)


def liveness(examination: Examination) -> Liveness:
    """The state of every place."""
    states: dict[int, State] = {}
    findings: list[Finding] = []
    unsettled: list[Unsettled] = []
    activations = examination.activations
    for place in activations.places:
        above: State = "live" if place.parent is None else states[place.parent.index]
        own = activations.conditions(place, generic(place))
        if above != "live" or all(c.formula is True for c in own):
            states[place.index] = above
            continue
        goal = activations.active(place, generic(place))
        answer = examination.possible(goal, examination.is_active(place, generic(place)))
        if isinstance(answer, Unknown):
            states[place.index] = "unknown"
            question = f"whether {place.word} `{place.path}` can be active"
            unsettled.append(Unsettled(place.path, question, answer.reason, place.node.span))
        elif answer:
            states[place.index] = "live"
        else:
            states[place.index] = "dead"
            core = minimal_core(examination.vocabulary, activations.path_conditions(place, generic(place)))
            if core is None:
                raise InternalError(f"the contradiction in {place.path} was not found again")
            findings.append(dead(examination.contract.source, place, core))
    return Liveness(states, tuple(findings), tuple(unsettled))
