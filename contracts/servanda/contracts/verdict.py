"""The verdict on one trace: *conforms*, *violates* or *undecided*, over all cells (language reference §4 and §8).

In: a contract, a trace, the query given, and a solver of alignment problems (the reference's or the engine's). Out: an `Evaluation`, which is
all that a report shows. Fails closed: an open rule, a pending duty, a limit reached or nothing that applies is never *conforms*.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal as Lit

from servanda.contracts.cell import Cell, Cells, Hinge, RuleCount
from servanda.contracts.expected import ExpectedGraph
from servanda.contracts.finding import Consequence, Cost, Finding, Identity, Solution
from servanda.contracts.meaning.activation import expected_graph
from servanda.contracts.meaning.grounding import ground
from servanda.contracts.meaning.query import read_query
from servanda.contracts.model import Contract
from servanda.contracts.observed import Json, Trace
from servanda.contracts.problem import Problem
from servanda.contracts.words import Described, describe

Solve = Callable[[Problem], Solution]
Verdict = Lit["conforms", "violates", "undecided"]


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding with its places and words. `certain`: every equally good explanation has it, in every cell. `condition`: empty for a finding of
    every cell, else the assumptions under which it stands. `consequences` follow from it and are not counted."""

    finding: Finding
    certain: bool
    described: Described
    consequences: tuple[Consequence, ...]
    condition: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is known of one trace.

    `findings`: those common to all cells (where the verdict is *violates*), in the order of their first event, then element. `possible`: those
    of some cells only. `undecided_on`: names of what decides an *undecided* verdict; `reasons`: the same in sentences, limits and pending
    duties included. `evidence`: leaf to event of the canonical explanation of the first cell. `methods`: how each cell was settled."""

    trace: Trace
    verdict: Verdict
    findings: tuple[Reported, ...]
    possible: tuple[Reported, ...]
    graph: ExpectedGraph
    rules: Mapping[str, RuleCount]
    undecided_on: tuple[str, ...]
    reasons: tuple[str, ...]
    evidence: tuple[tuple[str, int], ...]
    methods: tuple[str, ...]
    notes: tuple[str, ...]
    open_rules: Mapping[str, tuple[str, ...]]
    """Each rule with undecided activations, to the names that these hang on (empty where only what is still to come decides)."""

    @property
    def denominator(self) -> int:
        """How many duties, rules, output rules and edges the query activates."""
        return self.graph.denominator


def decide(contract: Contract, trace: Trace, given: Mapping[str, Json] | None, solve: Solve) -> Evaluation:
    """Evaluate a trace. `given`: the attributes of the query that are given; the others are observed from the trace or unknown.

    Raises `Refusal` where the query does not fit the contract, or a decision of the contract is not exclusive or exhaustive for it."""
    query = read_query(contract, given, trace)
    cells = ground(contract, trace, query)
    graph = expected_graph(contract, query)
    solutions = tuple(solve(cell.problem) for cell in cells.cells)
    verdict, on, reasons = _verdict(cells, solutions)
    findings, possible = _findings(contract, trace, cells, solutions)
    if _bare(cells) and (violated := _count(solutions[0].explanation.findings) & _fixed(cells.cells[0])):
        findings, possible = _split(findings, violated, cells.hinges)
        verdict, on, reasons = "violates", (), ()
    evidence = tuple(sorted(solutions[0].explanation.choice.evidence.items())) if solutions else ()
    return Evaluation(
        trace=trace,
        verdict=verdict,
        findings=findings if verdict == "violates" else (),
        possible=possible if verdict == "violates" else tuple(sorted((*findings, *possible), key=_place)),
        graph=graph,
        rules=_rules(cells),
        undecided_on=on,
        reasons=reasons,
        evidence=evidence,
        methods=tuple(s.method for s in solutions),
        notes=(*trace.notes, *cells.notes),
        open_rules=_open_rules(cells),
    )


def _bare(cells: Cells) -> bool:
    """Whether all that is missing are the instances of a `for each` whose list is unknown: then the rest was judged without assumptions."""
    return not cells.whole and len(cells.cells) == 1 and not cells.cells[0].assumptions


def _count(findings: Iterable[Finding]) -> Counter[Identity]:
    return Counter(f.identity for f in findings)


def _fixed(cell: Cell) -> Counter[Identity]:
    """The findings that no explanation and no further duty can change: violated rules and output rules."""
    return Counter((v.kind, v.element) for v in cell.problem.violations)


def _split(
    findings: tuple[Reported, ...], firm: Counter[Identity], hinges: tuple[Hinge, ...]
) -> tuple[tuple[Reported, ...], tuple[Reported, ...]]:
    """Those that stand whatever the unknown list holds, and the others under that condition."""
    sure = tuple(r for r in findings if r.finding.identity in firm)
    condition = tuple(h.text for h in hinges)
    rest = (replace(r, certain=False, condition=condition) for r in findings if r.finding.identity not in firm)
    return sure, tuple(rest)


def _verdict(cells: Cells, solutions: tuple[Solution, ...]) -> tuple[Verdict, tuple[str, ...], tuple[str, ...]]:
    """The verdict, what it hangs on, and why it is undecided in sentences."""
    names: set[str] = set()
    reasons: dict[str, None] = {}
    if not cells.whole and not _bare(cells):
        reasons["limit: too many ways to settle what is unknown"] = None
    outcomes: set[Verdict] = set()
    for cell, solution in zip(cells.cells, solutions, strict=True):
        outcome, why = _outcome(cell, solution)
        outcomes.add(outcome)
        if outcome == "undecided":
            reasons.update(dict.fromkeys(why))
            names |= {hinge.name for rule in cell.open_rules for hinge in rule.hinges}
    if "conforms" in outcomes and cells.unread:
        outcomes = {"undecided" if o == "conforms" else o for o in outcomes}
        reasons.update(dict.fromkeys(hinge.text for hinge in cells.unread))
        names |= {hinge.name for hinge in cells.unread}
    if cells.whole and len(outcomes) == 1 and outcomes != {"undecided"}:
        return outcomes.pop(), (), ()
    if len(outcomes) > 1 or not cells.whole:
        names |= {hinge.name for hinge in cells.hinges}
        reasons = {**dict.fromkeys(hinge.text for hinge in cells.hinges), **reasons}
    return "undecided", tuple(sorted(names)), tuple(reasons)


def _outcome(cell: Cell, solution: Solution) -> tuple[Verdict, tuple[str, ...]]:
    if not solution.proven:
        return "undecided", (f"limit: {_span(solution.bound, solution.explanation.cost)}",)
    if solution.explanation.findings:
        return "violates", ()
    why = [h.text for rule in cell.open_rules for h in rule.hinges]
    if not cell.problem.complete:
        evidence = solution.explanation.choice.evidence
        due = [x.id for x in cell.problem.active if x.kind == "require" and x.id not in evidence]
        why.append(f"open trace: pending {', '.join(due)}" if due else "open trace: more may follow")
    if cell.graph.denominator == 0 and not any(e.status == "undecided" for e in cell.graph.elements):
        why.append("nothing applies to this query")
    why += [f"{rule.element} is pending" for rule in cell.open_rules if rule.pending]
    return ("undecided", tuple(why)) if why or cell.open_rules else ("conforms", ())


def _span(bound: Cost | None, cost: Cost) -> str:
    levels = (
        "unmet high",
        "unmet normal",
        "unmet low",
        "omission",
        "invariant",
        "misorder",
        "coarse",
        "redundant",
        "evidence",
    )
    parts = [f"{n} {b}..{c}" for n, b, c in zip(levels, bound or cost, cost, strict=True) if b != c]
    return f"search budget reached, cost between {', '.join(parts)}" if parts else "search budget reached"


def _findings(
    contract: Contract, trace: Trace, cells: Cells, solutions: tuple[Solution, ...]
) -> tuple[tuple[Reported, ...], tuple[Reported, ...]]:
    """Findings of every cell (as often as in the cell that has them least), and those of some cells only, with their condition."""
    counts = [_count(s.explanation.findings) for s in solutions]
    common: Counter[Identity] = counts[0].copy() if counts else Counter()
    for count in counts[1:]:
        common &= count
    firm: dict[Identity, bool] = {}
    for s in solutions:
        for f, certain in zip(s.explanation.findings, s.certain, strict=True):
            firm[f.identity] = firm.get(f.identity, True) and certain
    every: list[Reported] = []
    some: dict[tuple[Identity, tuple[int, ...]], Reported] = {}
    for number, (cell, s) in enumerate(zip(cells.cells, solutions, strict=True)):
        left = common.copy()
        for f in sorted(s.explanation.findings, key=_order):
            follow = tuple(c for c in s.explanation.consequences if f.identity in c.of)
            reported = Reported(f, firm[f.identity], describe(contract, trace, f), follow)
            if left[f.identity] > 0:
                left[f.identity] -= 1
                if number == 0:
                    every.append(reported)
            else:
                some.setdefault((f.identity, f.events), replace(reported, certain=False, condition=cell.assumptions))
    return tuple(sorted(every, key=_place)), tuple(sorted(some.values(), key=_place))


def _order(finding: Finding) -> tuple[str, str, tuple[int, ...]]:
    return finding.kind, finding.element, finding.events


def _place(reported: Reported) -> tuple[int, str, str, tuple[int, ...]]:
    """By kind of failure as the language lists them, then element, then events."""
    kinds = ("omission", "wrong_branch", "misorder", "redundant", "invariant", "output")
    f = reported.finding
    return kinds.index(f.kind), f.element, f.kind, f.events


def _rules(cells: Cells) -> dict[str, RuleCount]:
    """Counts that hold in every cell; what differs between cells is undecided."""
    merged: dict[str, RuleCount] = {}
    for name in sorted({n for cell in cells.cells for n in cell.rules}):
        counts = [cell.rules.get(name, RuleCount(0, 0, 0, 0)) for cell in cells.cells]
        activated = max(c.activated for c in counts)
        fulfilled, violated = min(c.fulfilled for c in counts), min(c.violated for c in counts)
        merged[name] = RuleCount(activated, fulfilled, violated, activated - fulfilled - violated)
    return merged


def _open_rules(cells: Cells) -> dict[str, tuple[str, ...]]:
    """What the undecided activations of each rule hang on: open in a cell, or ended differently in different cells."""
    forked = {hinge.name for hinge in cells.hinges}
    found: dict[str, tuple[str, ...]] = {}
    for name, count in _rules(cells).items():
        if count.undecided:
            hung = {
                h.name for cell in cells.cells for rule in cell.open_rules if rule.element == name for h in rule.hinges
            }
            differs = len({cell.rules.get(name) for cell in cells.cells}) > 1
            found[name] = tuple(sorted(hung | forked if differs else hung))
    return found
