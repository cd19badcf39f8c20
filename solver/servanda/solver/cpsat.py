"""CP-SAT: the one file that imports OR-Tools, and only when a model is put to it.

In: a linear 0/1 model as data, then questions about it. Out: a valuation that is least for a goal, that there is none, or that the budget ended
first, with what is proven by then. One worker, a fixed seed and deterministic time: the same questions in the same order have the same answers
on every machine. Trusts CP-SAT for what it calls optimal or infeasible; whoever reports a valuation judges it anew.

The binding below `cp_model` is used directly: it is the same solver and starts ten times faster, since it does not load pandas.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Literal

from servanda.solver.alignment.boolean_model import AtLeast, BooleanModel, Sum

if TYPE_CHECKING:
    from ortools.sat.python.cp_model_helper import CpModelProto


@dataclass(frozen=True, slots=True)
class Attempt:
    """A way to search, given up after `effort` in deterministic time, and `more` for each clause of the model. `linear`: how much is relaxed to a linear programme; `core`: least cost by
    unsatisfiable cores; `presolve`: which most questions do not repay."""

    effort: float
    more: float
    linear: int
    core: bool
    presolve: bool


ATTEMPTS = (
    Attempt(0.05, 0.0001, 0, True, False),
    Attempt(2.0, 0.0, 2, False, False),
    Attempt(float("inf"), 0.0, 1, True, True),
)
"""Most questions are settled by cores at once; those where many duties compete for few events by the linear relaxation."""

SAFE = 1 << 50
"""Goals stay below this, so that bounds read as floating point numbers are exact."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`least`: `true` is a valuation with the least goal. `none`: there is no valuation. `unknown`: the budget ended first. `low`: no valuation
    has a goal below it. `spent`: deterministic time."""

    status: Literal["least", "none", "unknown"]
    true: tuple[bool, ...]
    low: int
    spent: float


@dataclass(frozen=True, slots=True)
class Way:
    """One of several: `bound` holds, and `keep` of every way before it."""

    bound: AtLeast
    keep: AtLeast | None = None


@dataclass(slots=True)
class CpSat:
    """A model that can be asked, and that can be told more."""

    model: BooleanModel
    _proto: "CpModelProto" = field(init=False)
    _start: int = field(init=False, default=0)
    """The attempt to start with: what failed for one question about a model is not tried on the next."""

    def __post_init__(self) -> None:
        from ortools.sat.python.cp_model_helper import CpModelProto

        self._proto = CpModelProto()
        variables = self._proto.variables
        for _ in self.model.keys:
            variables.add().domain.extend((0, 1))
        for clause in self.model.clauses:
            _clause(self._proto, clause)
        for literals in self.model.exclusive:
            self._proto.constraints.add().at_most_one.literals.extend([_index(x) for x in literals])
        for bound in self.model.bounds:
            _bound(self._proto, bound)

    def learn(self, bound: AtLeast) -> None:
        """Add a bound for good."""
        _bound(self._proto, bound)

    def ask(
        self, goal: Sum, bounds: Iterable[AtLeast], ways: Sequence[Way], effort: float, *, once: bool = False
    ) -> Answer:
        """A valuation with the least `goal` among those that keep `bounds` too and go one of the ways, where any are given. Where the goal is
        empty, the first way that can be gone if the ways have anything to keep. `effort`: at most that much deterministic time;
        `once`: only the attempt that would come first."""
        from ortools.sat.python.cp_model_helper import CpModelProto, CpSolverStatus, SatParameters, SolveWrapper

        if goal.high - goal.low >= SAFE:
            raise OverflowError(f"the goal spans {goal.high - goal.low}")
        proto = CpModelProto()
        proto.copy_from(self._proto)
        for bound in bounds:
            _bound(proto, bound)
        if ways:
            _ways(proto, ways, len(self.model.keys))
        if goal.terms:
            proto.objective.vars.extend([abs(x) - 1 for _, x in goal.terms])
            proto.objective.coeffs.extend([w for w, _ in goal.terms])
        spent = 0.0
        attempts = list(enumerate(ATTEMPTS))[self._start :]
        for number, attempt in attempts[:1] if once else attempts:
            self._start = number
            most = attempt.effort + attempt.more * len(self.model.clauses)
            parameters = SatParameters()
            parameters.num_workers = 1
            parameters.random_seed = 1
            parameters.linearization_level = attempt.linear
            parameters.optimize_with_core = attempt.core
            if not attempt.presolve:
                parameters.cp_model_presolve = False
                parameters.cp_model_probing_level = 0
                parameters.symmetry_level = 0
            parameters.max_deterministic_time = max(0.0, min(most, effort - spent))
            solver = SolveWrapper()
            solver.set_parameters(parameters)
            response = solver.solve(proto)  # type: ignore[no-untyped-call]
            spent += float(response.deterministic_time)
            if response.status in (CpSolverStatus.OPTIMAL, CpSolverStatus.INFEASIBLE):
                break
        if response.status == CpSolverStatus.OPTIMAL:
            true = (False, *(x != 0 for x in response.solution))
            low = goal.constant + sum(w for w, x in goal.terms if true[x])
            return Answer("least", true, low, spent)
        if response.status == CpSolverStatus.INFEASIBLE:
            return Answer("none", (), goal.high + 1, spent)
        # A response that never got so far as to have a bound says 0, which the goal may be below.
        bounded = response.status in (CpSolverStatus.FEASIBLE, CpSolverStatus.UNKNOWN) and response.best_objective_bound
        low = goal.constant + ceil(response.best_objective_bound - 0.001) if bounded and goal.terms else goal.low
        return Answer("unknown", (), max(low, goal.low), spent)


def _ways(proto: "CpModelProto", ways: Sequence[Way], start: int) -> None:
    """Variable `start + 2k` is that way k is gone, the next that it and all ways before it are kept."""
    for k, way in enumerate(ways):
        gone, kept, before = start + 2 * k, start + 2 * k + 1, start + 2 * k - 1
        for _ in (gone, kept):
            proto.variables.add().domain.extend((0, 1))
        _bound(proto, way.bound, [gone])
        if way.keep is not None:
            _bound(proto, way.keep, [kept])
        if k:
            for later in (gone, kept):
                _clause(proto, (before + 1, -later - 1))
    gone_ones = range(start, start + 2 * len(ways), 2)
    proto.constraints.add().bool_or.literals.extend(gone_ones)
    if any(way.keep is not None for way in ways):
        proto.objective.vars.extend(gone_ones)
        proto.objective.coeffs.extend(range(1, len(ways) + 1))


def _index(literal: int) -> int:
    """CP-SAT counts variables from 0 and writes the complement of `v` as `-v - 1`."""
    return literal - 1 if literal > 0 else literal


def _clause(proto: "CpModelProto", literals: Sequence[int]) -> None:
    proto.constraints.add().bool_or.literals.extend([_index(x) for x in literals])


def _bound(proto: "CpModelProto", bound: AtLeast, only_if: Sequence[int] = ()) -> None:
    terms = bound.total.terms
    if not only_if and all(w == 1 for w, _ in terms) and bound.least - bound.total.constant == 1:
        _clause(proto, [x for _, x in terms])
        return
    positive = [(w, x) if x > 0 else (-w, -x) for w, x in terms]
    shift = bound.total.constant + sum(w for w, x in terms if x < 0)
    constraint = proto.constraints.add()
    constraint.enforcement_literal.extend(only_if)
    linear = constraint.linear
    linear.vars.extend([x - 1 for _, x in positive])
    linear.coeffs.extend([w for w, _ in positive])
    least = bound.least - shift
    linear.domain.extend((least, max(least, sum(max(w, 0) for w, _ in positive))))
