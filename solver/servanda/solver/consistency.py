"""The static analysis of one contract (language reference §9, points 2 to 4): nothing dead, decisions exclusive and exhaustive, no cycle of orders.

In: a resolved contract. Out: findings with witnesses or cores, diagnostics, and what was not settled; deterministic. Each analysis has a solver
context of its own. Trusts the resolver; every witness was replayed in the reference interpreter.
"""

from dataclasses import dataclass

from servanda.contracts.model import Contract
from servanda.grammar.diagnostic import Diagnostic, Severity
from servanda.solver.cycles import cycles, idle_orders
from servanda.solver.decisions import decisions
from servanda.solver.examination import Examination
from servanda.solver.findings.finding import Finding, Unsettled
from servanda.solver.findings.wording import unsettled as unsettled_diagnostic
from servanda.solver.liveness import liveness


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found. `unknown` is never a pass: a contract with an entry there is not shown to be sound. `questions`: how often the solver was
    asked."""

    findings: tuple[Finding, ...]
    unknown: tuple[Unsettled, ...]
    diagnostics: tuple[Diagnostic, ...]
    questions: int

    @property
    def sound(self) -> bool:
        """Whether every question was settled and no error found."""
        return not self.unknown and all(d.severity is not Severity.ERROR for d in self.diagnostics)


def analyse(contract: Contract) -> Analysis:
    """Analyse a contract. Raises InternalError where the interpreter contradicts the encoding."""
    examination = Examination(contract)
    states = liveness(examination)
    found: list[Finding] = [*states.findings]
    unknown: list[Unsettled] = [*states.unsettled]
    for more, open_questions in (
        decisions(examination, states),
        cycles(examination),
        idle_orders(examination, states),
    ):
        found += more
        unknown += open_questions
    diagnostics = [f.diagnostic for f in found] + [unsettled_diagnostic(contract.source, u) for u in unknown]
    return Analysis(
        tuple(sorted(found, key=lambda f: _place(f.diagnostic))),
        tuple(sorted(unknown, key=lambda u: (u.span.start, u.span.end, u.question))),
        tuple(sorted(diagnostics, key=_place)),
        examination.inquiry.session.questions,
    )


def _place(diagnostic: Diagnostic) -> tuple[int, int, str, str]:
    assert diagnostic.span is not None
    return diagnostic.span.start, diagnostic.span.end, diagnostic.code, diagnostic.message
