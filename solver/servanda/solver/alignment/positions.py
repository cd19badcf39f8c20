"""The canonical order of explanations of equal cost, as places with small whole numbers: the earlier place decides, the smaller number comes first.

In: a judge and a model. Out: for each active leaf by its id, a sum over the model's literals and the number a choice has there, in the order of
`Explanation.tie`: the leaf's earliest event comes first, then having no evidence, then not being in use; but where no later leaf is in use the
tuple of the tie ends, and comes before all of that.
"""

from servanda.contracts.finding import Choice
from servanda.contracts.meaning.explanation import in_use
from servanda.solver.alignment.boolean_model import Sum, tidy
from servanda.solver.alignment.evidence import Evidence
from servanda.solver.alignment.judging import Judge
from servanda.solver.alignment.model import AlignmentModel


def places(model: AlignmentModel) -> tuple[Sum, ...]:
    """One sum for each active leaf, in the order of ids."""
    evidence = model.evidence
    shift = 1 if evidence.indexed.problem.groups else 0
    found = []
    for leaf in evidence.leaves:
        terms = [(k + shift, evidence.on[leaf.id, e]) for k, e in enumerate(leaf.candidates)]
        terms.append((len(leaf.candidates) + shift, evidence.idle[leaf.id]))
        if shift:
            terms.append((len(leaf.candidates) + 2, evidence.skipped[leaf.id]))
        found.append(tidy(terms))
    return tuple(found)


def numbers(judge: Judge, evidence: Evidence, choice: Choice) -> tuple[int, ...]:
    """The number a choice has at each place."""
    used = {leaf.id for leaf in in_use(judge.problem, choice.options)}
    last = max(used, default="")
    shift = 1 if judge.problem.groups else 0
    found = []
    for leaf in evidence.leaves:
        if leaf.id not in used:
            found.append(len(leaf.candidates) + 2 if leaf.id < last else 0)
        elif leaf.id in choice.evidence:
            found.append(leaf.candidates.index(choice.evidence[leaf.id]) + shift)
        else:
            found.append(len(leaf.candidates) + shift)
    return tuple(found)
