"""What the checks of one contract share: the encoding, the conversation with the solver, the replay.

In: a contract. Out: answers a check may report: an example that the reference interpreter confirmed, a proof that there is none, or unknown with
its reason. An interpreter that contradicts an exact encoding is our own fault. Lives as long as one analysis.
"""

from collections.abc import Callable
from dataclasses import dataclass

import z3

from servanda.contracts.model import Contract
from servanda.grammar.diagnostic import InternalError
from servanda.solver.activation_encoding import Activations, Copies, Place, depth
from servanda.solver.decoder import Valuation
from servanda.solver.formula import Algebra, Formula
from servanda.solver.inquiry import Inquiry
from servanda.solver.replay import Indices, Replay, replayed
from servanda.solver.session import Unknown, Unsat
from servanda.solver.vocabulary import Vocabulary
from servanda.solver.witness import Example, Witness, smallest


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A smallest query that meets a goal, the valuation it was read from, and the query as the interpreter reads it."""

    witness: Witness
    valuation: Valuation
    replay: Replay


class Examination:
    """One contract under analysis, in a solver context of its own."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.algebra = Algebra(z3.Context())
        self.vocabulary = Vocabulary(self.algebra, contract.attributes)
        self.activations = Activations(contract, self.vocabulary)
        self.inquiry = Inquiry(self.vocabulary)

    def possible(self, goal: Formula, agrees: Callable[[Replay, Valuation], bool]) -> bool | Unknown:
        """Whether some query meets the goal; an answer that would rest on an approximation is replayed first."""
        possible = self.inquiry.possible(goal)
        if possible is not True or not self.vocabulary.caveats or not self.inquiry.caveats(self.inquiry.cone(goal)):
            return possible
        example = self.example(goal, agrees)
        return example if isinstance(example, Unknown) else isinstance(example, Confirmed)

    def example(self, goal: Formula, agrees: Callable[[Replay, Valuation], bool]) -> Confirmed | Unsat | Unknown:
        """A smallest query that meets the goal, confirmed by the interpreter."""
        found = smallest(self.inquiry, goal)
        if not isinstance(found, Example):
            return found
        replay = replayed(self.contract, found.witness.query)
        if replay is not None and agrees(replay, found.valuation):
            return Confirmed(found.witness, found.valuation, replay)
        caveats = self.inquiry.caveats(self.inquiry.cone(goal))
        if caveats:
            return Unknown("it rests on what is not encoded: " + ", ".join(dict.fromkeys(c.why for c in caveats)))
        what = "refuses" if replay is None else "contradicts"
        raise InternalError(f"the interpreter {what} the witness {dict(found.witness.query)}")

    def indices(self, place: Place, copies: Copies, valuation: Valuation) -> Indices:
        """The elements that a valuation takes for the copies of the blocks around a place, itself included."""
        blocks = [*place.loops, place][: depth(place)]
        names = (self.activations.index_name(block, copies[: level + 1]) for level, block in enumerate(blocks))
        return tuple(int(valuation.leaves.get(name, 0)) for name in names)

    def is_active(self, place: Place, copies: Copies) -> Callable[[Replay, Valuation], bool]:
        """Whether the interpreter, too, finds the instance of a valuation active."""
        return lambda replay, valuation: replay.active(place, self.indices(place, copies, valuation))
