"""The check of one contract, from its file to what is known of it.

In: a path (`-` for standard input). Out: a report: refused, refuted, unknown or proved, with every diagnostic. A fault of our own is kept in the
report, so that the other contracts of the run are still checked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from typing import Literal as Lit

from servanda.cli.contract_file import read_contract
from servanda.cli.exit_code import ExitCode
from servanda.contracts.model import Contract
from servanda.grammar.diagnostic import Diagnostic, Refusal, Severity

if TYPE_CHECKING:
    from servanda.cli.test_run import TestRun
    from servanda.solver.findings.finding import Finding

CheckVerdict = Lit["proved", "refuted", "unknown", "refused", "internal error"]
NOT_PROVED = "C291"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What is known of one contract. `contract` is None where it was refused. `evidence`: for a diagnostic its witness and core as plain values.
    `tests` are None where they were not run; `fault` is ours."""

    path: str
    verdict: CheckVerdict
    diagnostics: tuple[Diagnostic, ...]
    contract: Contract | None = None
    evidence: Mapping[Diagnostic, Mapping[str, Any]] = field(default_factory=dict)
    tests: tuple["TestRun", ...] | None = None
    fault: Exception | None = None

    def code(self, *, warnings_fail: bool) -> ExitCode:
        """The exit code of this contract alone."""
        match self.verdict:
            case "refused":
                return ExitCode.BAD_INPUT
            case "refuted":
                return ExitCode.FINDINGS
            case "unknown":
                return ExitCode.UNDECIDED
            case "internal error":
                return ExitCode.INTERNAL
            case "proved":
                warned = any(d.severity is Severity.WARNING for d in self.diagnostics)
                return ExitCode.FINDINGS if warned and warnings_fail else ExitCode.HOLDS


def check_contract(path: str, *, tests: bool) -> CheckReport:
    """Check one contract: names and types, then the proofs, then (where `tests`) its test blocks."""
    try:
        contract, said = read_contract(path)
    except Refusal as refusal:
        return CheckReport(path, "refused", refusal.diagnostics)
    try:
        return _proved(path, contract, said, tests)
    except Exception as fault:  # noqa: BLE001  the other contracts of the run are still checked
        return CheckReport(path, "internal error", said, contract, fault=fault)


def _proved(path: str, contract: Contract, said: tuple[Diagnostic, ...], tests: bool) -> CheckReport:
    from servanda.cli.test_run import run_test
    from servanda.solver.consistency import analyse

    analysis = analyse(contract)
    runs = tuple(run_test(contract, test) for test in contract.tests) if tests else None
    failed = tuple(run.diagnostic for run in runs or () if run.diagnostic is not None)
    found = (*said, *analysis.diagnostics, *failed, *_unproved_repairs(contract))
    diagnostics = tuple(sorted(found, key=_place))
    verdict: CheckVerdict = "proved"
    if any(d.severity is Severity.ERROR for d in diagnostics):
        verdict = "refuted"
    elif not analysis.sound:
        verdict = "unknown"
    return CheckReport(path, verdict, diagnostics, contract, _evidence(analysis.findings), runs)


def _evidence(findings: Iterable["Finding"]) -> dict[Diagnostic, Mapping[str, Any]]:
    found: dict[Diagnostic, Mapping[str, Any]] = {}
    for finding in findings:
        shape: dict[str, Any] = {}
        if finding.witness is not None:
            shape["witness"] = {"query": dict(finding.witness.query), "text": finding.witness.text}
        if finding.core:
            shape["core"] = [
                {"text": m.text, "origin": m.origin, "line": m.span.line, "column": m.span.column} for m in finding.core
            ]
        found[finding.diagnostic] = shape
    return found


def _unproved_repairs(contract: Contract) -> tuple[Diagnostic, ...]:
    return tuple(
        Diagnostic(
            NOT_PROVED,
            Severity.NOTE,
            f"the repair of '{repair.tool}' is typed, but nothing is proved about it in this release",
            contract.source,
            repair.span,
        )
        for repair in contract.repairs
    )


def _place(diagnostic: Diagnostic) -> tuple[int, int, str, str]:
    span = diagnostic.span
    return (span.start if span else -1, span.end if span else -1, diagnostic.code, diagnostic.message)
