"""What the language has and this release does not: refused by name, never ignored.

In: the syntax tree. Out: an error C190 at each construct of the language reference that is not supported yet. Whatever is refused here, the
other modules pass over in silence.
"""

from collections.abc import Iterator
from typing import Any

from servanda.contracts.resolving.faults import Faults
from servanda.contracts.resolving.syntax_walk import children
from servanda.grammar import syntax as s
from servanda.grammar.span import Span


def refuse_unsupported(tree: s.Tree, faults: Faults) -> None:
    """Record every unsupported construct of the tree."""
    for item in tree.items:
        _visit(item, faults, observed_allowed=isinstance(item, s.QueryDecl), in_option=False)


def _visit(node: Any, faults: Faults, *, observed_allowed: bool, in_option: bool) -> None:
    for span, what in _constructs(node, observed_allowed, in_option):
        faults.error("C190", span, f"{what} is not supported yet")
    inside = in_option or isinstance(node, s.Option)
    for child in children(node):
        _visit(child, faults, observed_allowed=observed_allowed and isinstance(node, s.QueryDecl), in_option=inside)


def _constructs(node: Any, observed_allowed: bool, in_option: bool) -> Iterator[tuple[Span, str]]:
    match node:
        case s.StateDecl():
            yield node.name.span, f"the state '{node.name.text}'"
        case s.ParamDecl():
            yield node.name.span, f"the parameter '{node.name.text}'"
        case s.AllowDecl():
            yield node.span, "`allow vacuous`"
        case s.MapType():
            yield node.span, "a map"
        case s.SetType():
            yield node.span, "a set"
        case s.ScalarType(kind="time" | "duration"):
            yield node.span, f"the type `{node.kind}`"
        case s.Literal(kind="time"):
            yield node.span, "an instant of time"
        case s.Quantifier() if len(node.variables) > 1 or len(node.lists) > 1:
            yield node.span, "walking several lists in parallel"
        case s.Always():
            yield node.span, "a rule `always …`"
        case s.Edge():
            yield node.span, f"a rule `{node.word} …`"
        case s.Bound():
            if node.high.unit == "seconds":
                yield node.span, "`within` a duration"
            elif node.low is not None:
                yield node.span, "`within` with two bounds"
        case s.Rule() if in_option:
            yield node.name.span, f"the rule '{node.name.text}' inside an option"
        case s.Step() if node.clauses.by:
            yield node.clauses.by[0].span, "`by` on a step (coarse evidence)"
        case s.Decide() if node.partial:
            yield node.name.span, f"the decision '{node.name.text}', marked `partial`,"
        case s.Field() if node.observed and not observed_allowed:
            yield node.observed[0].span, "`observed` on the field of a record"
        case s.ExtraItem() if node.failed:
            yield node.span, "`extra failed`"
        case s.OutputDecl() if node.form.text == "text":
            yield node.form.span, "`output text`"
        case s.OutputSchema():
            yield node.span, "`schema` in an output"
