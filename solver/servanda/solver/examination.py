"""What the checks of one contract share: the encoding, the conversation with the solver, the replay.

In: a contract. Out: answers a check may report: an example that the reference interpreter confirmed, a proof that there is none, or unknown with
its reason. An interpreter that contradicts an exact encoding is our own fault. Lives as long as one analysis.
"""

from collections.abc import Callable
from dataclasses import dataclass

import z3

from servanda.contracts.expected import ExpectedGraph
from servanda.contracts.model import Contract
from servanda.grammar.diagnostic import InternalError
from servanda.solver.activation_encoding import Activations, Copies, Place, depth
from servanda.solver.decoder import Valuation
from servanda.solver.formula import Algebra, Formula
from servanda.solver.inquiry import Inquiry
from servanda.solver.replay import active, replayed
from servanda.solver.session import Sat, Unknown, Unsat
from servanda.solver.vocabulary import Vocabulary
from servanda.solver.witness import Example, Witness, smallest


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A smallest query that meets a goal, the valuation it was read from, and its expected graph by the interpreter."""

    witness: Witness
    valuation: Valuation
    graph: ExpectedGraph


class Examination:
    """One contract under analysis, in a solver context of its own."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.algebra = Algebra(z3.Context())
        self.vocabulary = Vocabulary(self.algebra, contract.attributes)
        self.activations = Activations(contract, self.vocabulary)
        self.inquiry = Inquiry(self.vocabulary)

    def possible(self, goal: Formula, agrees: Callable[[ExpectedGraph, Valuation], bool]) -> bool | Unknown:
        """Whether some query meets the goal; an answer that would rest on an approximation is replayed first."""
        answer = self.inquiry.ask(goal)
        if isinstance(answer, Sat):
            if not self.vocabulary.caveats or not self.inquiry.caveats(self.inquiry.cone(goal)):
                return True
            example = self.example(goal, agrees)
            return example if isinstance(example, Unknown) else isinstance(example, Confirmed)
        return answer if isinstance(answer, Unknown) else False

    def example(self, goal: Formula, agrees: Callable[[ExpectedGraph, Valuation], bool]) -> Confirmed | Unsat | Unknown:
        """A smallest query that meets the goal, confirmed by the interpreter."""
        found = smallest(self.inquiry, goal)
        if not isinstance(found, Example):
            return found
        graph = replayed(self.contract, found.witness.query)
        if graph is not None and agrees(graph, found.valuation):
            return Confirmed(found.witness, found.valuation, graph)
        caveats = self.inquiry.caveats(self.inquiry.cone(goal))
        if caveats:
            return Unknown("it rests on what is not encoded: " + ", ".join(dict.fromkeys(c.why for c in caveats)))
        what = "refuses" if graph is None else "contradicts"
        raise InternalError(f"the interpreter {what} the witness {dict(found.witness.query)}")

    def identity(self, place: Place, copies: Copies, valuation: Valuation) -> str:
        """The id of the instance of a place that a valuation speaks of: its path and the indices of the elements."""
        blocks = [*place.loops, place][: depth(place)]
        indices = []
        for level, block in enumerate(blocks):
            name = self.activations.index_name(block, copies[: level + 1])
            indices.append(f"[{int(valuation.leaves.get(name, 0))}]")
        return place.path + "".join(indices)

    def is_active(self, place: Place, copies: Copies) -> Callable[[ExpectedGraph, Valuation], bool]:
        """Whether the interpreter, too, finds the instance of a valuation active."""
        return lambda graph, valuation: active(graph, self.identity(place, copies, valuation))
