"""An alignment problem as a linear 0/1 model: a lower bound of the cost of every choice, level by level.

In: an indexed problem, and the leaves that edges are followed through (`through`). Out: the model as data, with the way back from a valuation
to a choice. For every admissible choice and every explanation of it the model has a valuation whose evidence is that choice and none of
whose levels is above the explanation's. What is relaxed is said in the parts: evidence and options are exact, so are levels (1) and (7).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from servanda.contracts.finding import SEVERITIES, Choice, Identity
from servanda.contracts.meaning.explanation import Indexed
from servanda.grammar.diagnostic import InternalError
from servanda.solver.alignment.boolean_model import BooleanModel, Builder, Named, Sum, holds, tidy
from servanda.solver.alignment.branches import Branches, branches
from servanda.solver.alignment.evidence import Evidence, evidence
from servanda.solver.alignment.near import Missing, extras, missing
from servanda.solver.alignment.order import Order, order


@dataclass(frozen=True, slots=True)
class AlignmentModel:
    """`levels` of `boolean` are those of `Cost`. `counts`: for a finding's identity, no more than how often an explanation has it."""

    boolean: BooleanModel
    evidence: Evidence
    wrong: Branches
    lacking: Missing
    counts: Mapping[Identity, Sum]
    through: frozenset[str]

    def choice(self, true: Sequence[bool]) -> Choice:
        """The choice that a valuation stands for."""
        options = {g: o for (g, o), x in self.evidence.option.items() if holds(x, true)}
        return Choice(options, {leaf: e for (leaf, e), x in self.evidence.on.items() if holds(x, true)})

    def literal(self, named: Named) -> int:
        """The literal by its name."""
        key, positive = named
        literal = self.evidence.builder.known(key)
        if literal is None:
            raise InternalError(f"the model has nothing by the name {key}")
        return literal if positive else -literal


def alignment_model(indexed: Indexed, through: frozenset[str]) -> AlignmentModel:
    """Build the model."""
    builder = Builder()
    chosen = evidence(indexed, builder)
    wrong = branches(chosen)
    edges = order(chosen, wrong, through)
    lacking = missing(chosen, wrong, edges)
    forbidden = _forbidden(chosen, wrong)
    redundant = extras(chosen, wrong, edges, lacking)
    counts = _counts(chosen, wrong, edges, lacking, forbidden, redundant)
    problem = indexed.problem
    unmet = [
        tidy((1, chosen.idle[x.id]) for x in chosen.leaves if x.kind == "require" and x.severity == severity)
        for severity in SEVERITIES
    ]
    order_findings = [edge.violated for edge in edges.edges] + [literal for _, literal in lacking.early]
    levels = (
        *unmet,
        tidy((1, x) for x in (*wrong.wrong.values(), *lacking.omission.values())),
        tidy(((1, x) for x in forbidden.values()), sum(v.kind == "invariant" for v in problem.violations)),
        tidy((1, x) for x in order_findings),
        Sum(()),
        tidy((1, x) for x in redundant.values()),
        tidy((-1, chosen.has[x.id]) for x in chosen.leaves),
    )
    return AlignmentModel(builder.build(levels), chosen, wrong, lacking, counts, through)


def _forbidden(chosen: Evidence, wrong: Branches) -> dict[tuple[str, int], int]:
    """For each forbid and event that matches it, a literal at least as true as the finding."""
    builder, problem = chosen.builder, chosen.indexed.problem
    found: dict[tuple[str, int], int] = {}
    for forbid in problem.forbids:
        for event in forbid.events:
            absorbed = [
                wrong.at[d, event]
                for d, b in forbid.branches
                if problem.decisions.get(d) == b and (d, event) in wrong.at
            ]
            literal = found[forbid.id, event] = builder.variable("forbidden", forbid.id, event)
            builder.clause(literal, -chosen.bound(forbid.options), *absorbed)
    return found


def _counts(
    chosen: Evidence,
    wrong: Branches,
    edges: Order,
    lacking: Missing,
    forbidden: Mapping[tuple[str, int], int],
    redundant: Mapping[int, int],
) -> dict[Identity, Sum]:
    problem = chosen.indexed.problem
    terms: dict[Identity, list[int]] = {}
    constant: dict[Identity, int] = {}
    for decision, literal in wrong.wrong.items():
        terms.setdefault(("wrong_branch", decision), []).append(literal)
    for leaf, literal in lacking.omission.items():
        terms.setdefault(("omission", leaf), []).append(literal)
    for (forbid, _), literal in forbidden.items():
        terms.setdefault(("invariant", forbid), []).append(literal)
    for violation in problem.violations:
        identity: Identity = (violation.kind, violation.element)
        constant[identity] = constant.get(identity, 0) + 1
    for edge, literal in [*((e, e.violated) for e in edges.edges), *lacking.early]:
        terms.setdefault(("misorder", f"{edge.earlier.id} before {edge.later.id}"), []).append(literal)
    for event, literal in redundant.items():
        terms.setdefault(("redundant", chosen.indexed.facts[event].name), []).append(literal)
    identities = dict.fromkeys((*terms, *constant))
    return {i: tidy(((1, x) for x in terms.get(i, ())), constant.get(i, 0)) for i in identities}
