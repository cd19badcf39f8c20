"""Many verdicts in numbers: how often each verdict, each rule, each kind of failure, each open question, and the worst traces.

In: judged traces. Out: counts, in a stable order. Rates are always over what was activated, never over what was not looked at.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from servanda.cli.judged import Judged
from servanda.contracts.cell import RuleCount
from servanda.contracts.finding import SEVERITIES
from servanda.contracts.model import Contract, FailureKind, Rule
from servanda.contracts.verdict import Verdict
from servanda.contracts.words import nodes

VERDICTS: tuple[Verdict, ...] = ("conforms", "violates", "undecided")
KINDS: tuple[FailureKind, ...] = ("omission", "wrong_branch", "misorder", "redundant", "invariant", "output")


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something unknown, in a phrase: in how many traces the verdict hangs on it, in how many a verdict or a rule does, and which rules."""

    phrase: str
    verdicts: int
    traces: int
    rules: tuple[str, ...]


def verdict_counts(traces: Iterable[Judged]) -> dict[Verdict, int]:
    """How many traces have each verdict."""
    counted = Counter(trace.verdict for trace in traces)
    return {verdict: counted[verdict] for verdict in VERDICTS}


def kind_counts(traces: Iterable[Judged]) -> dict[FailureKind, int]:
    """How many findings are of each kind."""
    counted = Counter(reported.finding.kind for trace in traces for reported in trace.findings)
    return {kind: counted[kind] for kind in KINDS}


def rule_totals(contract: Contract, traces: Iterable[Judged]) -> dict[str, RuleCount]:
    """The counts of each rule and output rule of the contract over all traces, by name; zeros for one that was never activated."""
    names = {node.path for node in nodes(contract.body) if isinstance(node, Rule)}
    names |= {rule.name for rule in contract.output.rules} if contract.output else set()
    totals = {name: RuleCount(0, 0, 0, 0) for name in names}
    for trace in traces:
        for name, count in trace.rules.items():
            totals[name] = _plus(totals.get(name, RuleCount(0, 0, 0, 0)), count)
    return dict(sorted(totals.items()))


def _plus(a: RuleCount, b: RuleCount) -> RuleCount:
    return RuleCount(
        a.activated + b.activated, a.fulfilled + b.fulfilled, a.violated + b.violated, a.undecided + b.undecided
    )


def doubts(contract: Contract, traces: Iterable[Judged]) -> list[Doubt]:
    """What left verdicts and rules undecided, the most frequent first. One trace may hang on several."""
    verdicts: Counter[str] = Counter()
    either: Counter[str] = Counter()
    rules: dict[str, set[str]] = {}
    for trace in traces:
        hung: set[str] = set()
        if trace.verdict == "undecided":
            hung = {_phrase(contract, n) for n in trace.undecided_on} or {_general(reason) for reason in trace.reasons}
        verdicts.update(hung)
        below: set[str] = set()
        for rule, names in trace.open_rules.items():
            for name in names:
                below.add(_phrase(contract, name))
                rules.setdefault(_phrase(contract, name), set()).add(rule)
        either.update(hung | below)
    found = [Doubt(phrase, verdicts[phrase], n, tuple(sorted(rules.get(phrase, ())))) for phrase, n in either.items()]
    return sorted(found, key=lambda doubt: (-doubt.traces, -doubt.verdicts, doubt.phrase))


def _phrase(contract: Contract, name: str) -> str:
    if name in contract.labels:
        return f"label {name} is absent"
    if name in contract.attributes:
        return f"attribute {name} is unknown"
    return f"{name} was not recorded"


def _general(reason: str) -> str:
    """A reason without what is particular to one trace: `open trace`, `limit`, `nothing applies to this query`."""
    return reason.split(":", 1)[0]


def worst_traces(traces: Sequence[Judged], limit: int) -> list[Judged]:
    """The traces that violate, those with most findings first, by severity."""

    def badness(trace: Judged) -> tuple[int, ...]:
        return tuple(-sum(r.finding.severity == severity for r in trace.findings) for severity in SEVERITIES)

    found = [trace for trace in traces if trace.verdict == "violates"]
    return sorted(found, key=lambda trace: (*badness(trace), trace.id))[:limit]


def percent(part: int, whole: int) -> str:
    """`12.5%` of a whole that is not zero, rounded half to even, else a dash."""
    return f"{float(round(Fraction(100 * part, whole), 1)):.1f}%" if whole else "-"
