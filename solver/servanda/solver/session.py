"""Asking Z3: the one place of the static analysis where a question becomes an answer.

In: formulas built elsewhere. Out: `Sat` with a valuation, `Unsat`, or `Unknown` with its reason. The budget counts solver steps, never
seconds, so the same question has the same answer on every machine. Trusts: Z3; whoever reports a valuation replays it first.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import z3

from servanda.solver.formula import Algebra, Formula

STEPS = 1_000_000
"""Budget of one question, in Z3's resource units: a hard one takes about two seconds, an ordinary one some thousands of units."""

POLISH = STEPS // 20
"""Budget of one question that only makes an answer smaller; unanswered, it leaves the answer as it is."""


@dataclass(frozen=True, slots=True)
class Sat:
    """The question has a model. `truth` and `whole` read the value of a term in it, completed where the model leaves it open."""

    truth: Callable[[Formula], bool]
    whole: Callable[[int | z3.ArithRef], int]


@dataclass(frozen=True, slots=True)
class Unsat:
    """The question has no model."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The solver gave up; `reason` in its words. Neither a proof nor a refutation."""

    reason: str


Answer = Sat | Unsat | Unknown


class Session:
    """One incremental solver over one context; deterministic for the same sequence of calls."""

    __slots__ = ("_algebra", "_solver", "_steps", "questions")

    def __init__(self, algebra: Algebra, steps: int = STEPS) -> None:
        self._algebra = algebra
        self._steps = steps
        self._solver = z3.SolverFor("QF_UFLIA", ctx=algebra.context)
        self._solver.set("rlimit", steps)
        self._solver.set("random_seed", 0)
        self.questions = 0

    def add(self, formula: Formula) -> None:
        """Assert a formula until the end of the scope."""
        if formula is not True:
            self._solver.add(self._algebra.asserted(formula))

    @contextmanager
    def scope(self, steps: int | None = None) -> Iterator[None]:
        """Forget at the end what was asserted inside; inside, each question has the budget `steps`."""
        self._solver.push()
        self._solver.set("rlimit", self._steps if steps is None else steps)
        try:
            yield
        finally:
            self._solver.set("rlimit", self._steps)
            self._solver.pop()

    def ask(self, *assumptions: Formula) -> Answer:
        """Whether all that was asserted and the assumptions hold together."""
        found = self.possible(*assumptions)
        if isinstance(found, Unknown):
            return found
        return _valuation(self._solver.model()) if found else Unsat()

    def possible(self, *assumptions: Formula) -> bool | Unknown:
        """As `ask`, where the model does not matter."""
        if any(a is False for a in assumptions):
            return False
        self.questions += 1
        result = self._solver.check(*(a for a in assumptions if not isinstance(a, bool)))
        if result == z3.unknown:
            reason = self._solver.reason_unknown()
            spent = reason in ("canceled", "max. resource limit exceeded")
            return Unknown("the budget of the solver was spent" if spent else reason)
        return bool(result == z3.sat)


def _valuation(model: z3.ModelRef) -> Sat:
    def truth(formula: Formula) -> bool:
        return formula if isinstance(formula, bool) else z3.is_true(model.eval(formula, model_completion=True))

    def whole(number: int | z3.ArithRef) -> int:
        return number if isinstance(number, int) else model.eval(number, model_completion=True).as_long()

    return Sat(truth, whole)
