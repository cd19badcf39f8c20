"""The exact search: least cost, the canonical explanation of that cost, and which of its findings are certain.

In: a judge of choices and a solver of linear 0/1 models. Out: a `Solution`. The model gives a lower bound, and the choice that has it; the fixed
pass says what the choice costs; the difference is learnt, until no choice can cost less than the best one judged. Trusts the solver for
`least` and `none` alone. The budget counts judged choices and deterministic time, so that a limit is reached on every machine or on none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from servanda.contracts.finding import Choice, Cost, Identity, Solution
from servanda.contracts.meaning.explanation import in_use
from servanda.solver.alignment.boolean_model import AtLeast, Sum, tidy, value
from servanda.solver.alignment.cuts import Cut, block, pins
from servanda.solver.alignment.judging import Judge, Judged, often
from servanda.solver.alignment.model import AlignmentModel, alignment_model
from servanda.solver.alignment.order import Chains
from servanda.solver.alignment.positions import numbers, places
from servanda.solver.budget import Budget, Spent
from servanda.solver.cpsat import SAFE, Answer, CpSat, Way

ALL_PAIRS = 200
"""With no more chained pairs than this, edges are followed through every leaf from the start."""


@dataclass(slots=True)
class Search:
    """One problem's search. `first`: the best explanation judged so far. `learnt`: what was found to hold for every explanation."""

    judge: Judge
    budget: Budget
    first: Judged
    model: AlignmentModel = field(init=False)
    bound: Cost = field(init=False)
    _solver: CpSat = field(init=False)
    _chains: Chains = field(init=False)
    learnt: list[Cut] = field(init=False, default_factory=list)
    _blocked: list[tuple[Cost, Cut]] = field(init=False, default_factory=list)
    _settled: Cost | None = field(init=False, default=None)
    _effort: float = field(init=False, default=0.0)
    _asked: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._chains = Chains(self.judge.indexed)
        through = self._chains.middles
        if len(self._chains.pairs(through)) > ALL_PAIRS:
            through &= self.judge.idle(self.first.best.choice)
        self._build(through)
        self.bound = _cost(tuple(level.low for level in self.model.boolean.levels))

    def solve(self) -> Solution:
        """The solution; not proven where the budget ended first."""
        try:
            self._least()
            self.bound = self.first.best.cost
            self._canonical()
            certain = self._certain()
        except Spent:
            best = self.first.best
            return Solution(best, tuple(False for _ in best.findings), False, "cp-sat", self.bound)
        return Solution(self.first.best, certain, True, "cp-sat")

    # ---- asking ----------------------------------------------------------------------------------------------------------

    def _build(self, through: frozenset[str]) -> None:
        """The model anew, with what was learnt."""
        self.model = alignment_model(self.judge.indexed, through)
        self._solver = CpSat(self.model.boolean)
        for cut in self.learnt:
            self._solver.learn(cut.bound(self.model))

    def _ask(
        self, goal: Sum, bounds: Iterable[AtLeast] = (), ways: Sequence[Way] = (), *, once: bool = False
    ) -> Answer:
        """The solver's answer, blocked choices left out. Those of least cost that were blocked on the way to it are open again once that is
        known. Raises Spent where the budget for questions has ended, or a choice had more explanations than could be looked at."""
        if self._asked >= self.budget.asked or self.judge.cut_short:
            raise Spent
        self._asked += 1
        blocked = [cut.bound(self.model) for cost, cut in self._blocked if cost != self._settled]
        answer = self._solver.ask(goal, [*bounds, *blocked], ways, self.budget.effort - self._effort, once=once)
        self._effort += answer.spent
        return answer

    def _among_least(self, goal: Sum, bounds: Iterable[AtLeast], ways: Sequence[Way] = ()) -> Answer | None:
        """A valuation no level of which is above the least cost; None where there is none. Raises Spent where the solver gave up."""
        answer = self._ask(goal, [*self._no_more(), *bounds], ways)
        if answer.status == "unknown":
            raise Spent
        return answer if answer.status == "least" else None

    def _no_more(self) -> list[AtLeast]:
        """No level is above the least cost."""
        assert self._settled is not None
        return [at_most(x, most) for x, most in zip(self.model.boolean.levels, self._settled, strict=True)]

    def _learn(self, answer: Answer, judged: Judged) -> None:
        """The choice costs more than the model says: see that it does not say so again."""
        best = judged.best
        if best.cost < self.first.best.cost or (best.cost == self.first.best.cost and judged.rank < self.first.rank):
            self.first = judged
        if self._look_through(best.choice):
            return
        cuts = pins(self.model, answer.true, best)
        self._pin(cuts)
        if not cuts:
            self._blocked.append((best.cost, block(self.judge, best.choice)))

    def _look_through(self, choice: Choice) -> bool:
        """Follow edges through the leaves that the choice leaves without evidence; whether that was new."""
        hidden = (self.judge.idle(choice) & self._chains.middles) - self.model.through
        if hidden:
            self._build(self.model.through | hidden)
        return bool(hidden)

    def _pin(self, cuts: Sequence[Cut]) -> None:
        self.learnt += cuts
        for cut in cuts:
            self._solver.learn(cut.bound(self.model))

    # ---- least cost ------------------------------------------------------------------------------------------------------

    def _least(self) -> None:
        """Until no choice can cost less than the first."""
        while (answer := self._lower()) is not None:
            judged = self.judge.judge(self.model.choice(answer.true))
            cost = _cost(tuple(value(level, answer.true) for level in self.model.boolean.levels))
            if judged.best.cost <= cost:
                self.first = judged
                return
            self._learn(answer, judged)

    def _lower(self) -> Answer | None:
        """A valuation of least cost, if that is below the cost of the first explanation."""
        bounds: list[AtLeast] = []
        equal = True
        answer: Answer | None = None
        stages = list(staged(self.model.boolean.levels))
        best = self.first.best.cost
        known: list[int] = []
        for number, (goal, weights) in enumerate(stages):
            have = sum(w * best[k] for k, w in weights)
            most = have - 1 if equal and number == len(stages) - 1 else have
            asked = self._ask(goal, [*bounds, at_most(goal, most)] if equal else bounds)
            if asked.status == "none":
                return None
            if asked.status == "unknown":
                self._prove(known, weights, asked.low)
                raise Spent
            answer = asked
            bounds.append(at_most(goal, asked.low))
            equal = equal and asked.low == have
            for k, _ in weights:
                known.append(value(self.model.boolean.levels[k], asked.true))
        self._prove(known, (), 0)
        return answer

    def _prove(self, known: Sequence[int], weights: Sequence[tuple[int, int]], low: int) -> None:
        """The best bound so far, from levels that are known, then the least of a weighted sum of the next ones."""
        levels = self.model.boolean.levels
        bound = list(known)
        rest = low - sum(w * levels[k].low for k, w in weights)
        for k, w in weights:
            bound.append(levels[k].low + max(rest, 0) // w)
            rest -= max(rest, 0) // w * w
        bound += [level.low for level in levels[len(bound) :]]
        self.bound = max(self.bound, min(_cost(tuple(bound)), self.first.best.cost))

    # ---- the canonical explanation ---------------------------------------------------------------------------------------

    def _canonical(self) -> None:
        """From place to place in the canonical order, until none can be bettered without worsening one before it."""
        self._settled = self.first.best.cost
        for judged in self.judge.all_of_cost(self._settled):
            if judged.rank < self.first.rank:
                self.first = judged
        self._hasten()
        kept: int | None = 0
        while kept is not None:
            kept = self._improvable(kept)
        self._options()

    def _numbers(self) -> tuple[int, ...]:
        return numbers(self.judge, self.model.evidence, self.first.best.choice)

    def _hasten(self) -> None:
        """Start from an explanation whose evidence is early on the whole, if one is found soon: few of its places can be improved then."""
        goal = weighted((1, total) for total in places(self.model))
        answer = self._ask(goal, [*self._no_more(), at_most(goal, sum(self._numbers()))], once=True)
        if answer.status == "least":
            judged = self.judge.judge(self.model.choice(answer.true))
            if judged.best.cost != self._settled:
                self._learn(answer, judged)
            elif judged.rank < self.first.rank:
                self.first = judged

    def _improvable(self, kept: int) -> int | None:
        """The first place, from `kept` on, at which an explanation of least cost can have a smaller number and the same before; the first
        explanation now has a smaller one there. None where there is no such place."""
        while True:
            sums, here = places(self.model), self._numbers()
            if all(total.low == number for total, number in zip(sums[kept:], here[kept:], strict=True)):
                return None
            pairs = list(zip(sums, here, strict=True))
            ways = [Way(at_most(total, number - 1), at_most(total, number)) for total, number in pairs[kept:]]
            answer = self._among_least(Sum(()), [at_most(total, number) for total, number in pairs[:kept]], ways)
            if answer is None:
                return None
            judged = self.judge.judge(self.model.choice(answer.true))
            if judged.best.cost == self._settled:
                self.first = judged
                return next(k for k, (new, old) in enumerate(zip(self._numbers(), here, strict=True)) if new != old)
            self._learn(answer, judged)

    def _options(self) -> None:
        """Options without leaves change no place: they are tried one by one."""
        choice = self.first.best.choice
        used = {leaf.id for leaf in in_use(self.judge.problem, choice.options)}
        full = {o for leaf in self.judge.problem.active for o in leaf.options if leaf.id in used}
        fixed = {g for g, _ in full}
        picks = [
            [o] if g in fixed else names for g, names in self.judge.problem.groups.items() for o in [choice.options[g]]
        ]
        if prod(map(len, picks)) > self.budget.asked:
            raise Spent
        for pick in product(*picks):
            options = dict(zip(self.judge.problem.groups, pick, strict=True))
            if {leaf.id for leaf in in_use(self.judge.problem, options)} == used:
                judged = self.judge.judge(Choice(options, choice.evidence))
                if judged.rank < self.first.rank:
                    self.first = judged

    # ---- certainty -------------------------------------------------------------------------------------------------------

    def _certain(self) -> tuple[bool, ...]:
        """For each finding of the first explanation, whether every explanation of least cost has its identity as often."""
        best = self.first.best
        self._look_through(best.choice)  # so that the chained edges among its findings are counted
        open_ = often(best)
        for judged in self.judge.all_of_cost(best.cost):
            self._less_often(open_, judged)
        away: list[Cut] = []
        while open_:
            totals = {identity: self.model.counts.get(identity, Sum(())) for identity in open_}
            ways = [Way(at_most(totals[i], n - 1)) for i, n in open_.items() if totals[i].low < n]
            answer = self._among_least(Sum(()), [cut.bound(self.model) for cut in away], ways) if ways else None
            if answer is None:
                break
            judged = self.judge.judge(self.model.choice(answer.true))
            if judged.best.cost != self._settled:
                self._learn(answer, judged)
            elif not self._less_often(open_, judged):
                cuts = pins(self.model, answer.true, judged.best)
                self._pin(cuts)
                if not cuts:
                    away.append(block(self.judge, judged.best.choice))
        return tuple(f.identity in open_ for f in best.findings)

    def _less_often(self, often_enough: Counter[Identity], judged: Judged) -> bool:
        """Drop what some explanation has less often; whether there was any."""
        found = [i for i, n in often_enough.items() if any(often(e)[i] < n for e in judged.equal)]
        for identity in found:
            del often_enough[identity]
        return bool(found)


def at_most(total: Sum, most: int) -> AtLeast:
    """The sum is at most that much."""
    return AtLeast(tidy(((-w, x) for w, x in total.terms), -total.constant), -most)


def weighted(parts: Iterable[tuple[int, Sum]]) -> Sum:
    """A weighted sum of sums."""
    terms: list[tuple[int, int]] = []
    constant = 0
    for weight, part in parts:
        terms += [(weight * w, x) for w, x in part.terms]
        constant += weight * part.constant
    return tidy(terms, constant)


def staged(levels: Sequence[Sum]) -> Iterator[tuple[Sum, tuple[tuple[int, int], ...]]]:
    """The levels in as few weighted sums as keep their order: each sum with its levels and their weights."""
    held: list[int] = []
    for k, level in enumerate(levels):
        if held and prod(levels[j].high - levels[j].low + 1 for j in (*held, k)) >= SAFE:
            yield _stage(levels, held)
            held = []
        held.append(k)
    yield _stage(levels, held)


def _stage(levels: Sequence[Sum], held: Sequence[int]) -> tuple[Sum, tuple[tuple[int, int], ...]]:
    weights = [prod(levels[j].high - levels[j].low + 1 for j in held[i + 1 :]) for i in range(len(held))]
    pairs = tuple(zip(held, weights, strict=True))
    return weighted((w, levels[k]) for k, w in pairs), pairs


def _cost(levels: Sequence[int]) -> Cost:
    high, normal, low, lacking, invariant, misorder, coarse, redundant, having = levels
    return high, normal, low, lacking, invariant, misorder, coarse, redundant, having
