"""What can be undefined: reads of what a complete trace may not supply (language reference §4).

In: a typed expression. Out: the first read that can leave it undefined, or None. An operand asked for with `is present` beside it counts as
there. Used for warnings only, so it may miss what `and` elsewhere rules out, and speak of what data never does.
"""

from collections.abc import Mapping

from servanda.contracts import expression as x
from servanda.contracts.expression import Expr
from servanda.contracts.model import Definition, QueryAttribute
from servanda.contracts.types import RecordType


class Undefined:
    """Looks for reads that can be undefined, with the attributes and definitions of one contract."""

    def __init__(self, attributes: Mapping[str, QueryAttribute], definitions: Mapping[str, Definition]) -> None:
        self._attributes = attributes
        self._definitions = definitions
        self._known: dict[tuple[str, frozenset[Expr]], Expr | None] = {}

    def first(self, expr: Expr, sure: frozenset[Expr] = frozenset()) -> Expr | None:
        """The first such read, `sure` naming the terms that are known to be there."""
        if expr in sure:
            return None
        match expr:
            case x.Present():
                return None
            case x.Attribute(name):
                return expr if self._attributes[name].optional else None
            case x.Field(base, name):
                inner = self.first(base, sure)
                if inner is not None:
                    return inner
                found = base.type.field(name) if isinstance(base.type, RecordType) else None
                return expr if found is not None and found.optional else None
            case x.Item() | x.ViewCall():
                return expr
            case x.Fold("first"):
                return expr
            case x.DefinitionCall(name):
                key = (name, sure)
                if key not in self._known:
                    self._known[key] = self.first(self._definitions[name].body, sure)
                return expr if self._known[key] is not None else self._any(expr.arguments, sure)
            case x.Logical("implies", (given, then)):
                return self.first(given, sure) or self.first(then, sure | _present(given))
            case x.Logical("and", operands):
                for place, operand in enumerate(operands):
                    others = (o for i, o in enumerate(operands) if i != place)
                    inner = self.first(operand, sure.union(*(_present(o) for o in others)))
                    if inner is not None:
                        return inner
                return None
            case x.Logical("or", operands):
                for place, operand in enumerate(operands):
                    others = (o for i, o in enumerate(operands) if i != place)
                    inner = self.first(operand, sure.union(*(_absent(o) for o in others)))
                    if inner is not None:
                        return inner
                return None
            case x.IfElse(condition, then, otherwise):
                return (
                    self.first(condition, sure)
                    or self.first(then, sure | _present(condition))
                    or self.first(otherwise, sure | _absent(condition))
                )
        return self._any(x.children(expr), sure)

    def _any(self, parts: tuple[Expr, ...], sure: frozenset[Expr]) -> Expr | None:
        return next((found for part in parts if (found := self.first(part, sure)) is not None), None)


def _present(expr: Expr) -> frozenset[Expr]:
    """The terms that are there where `expr` is true."""
    return frozenset(asked for atom in x.conjuncts(expr) if (asked := _asked(atom, True)) is not None)


def _absent(expr: Expr) -> frozenset[Expr]:
    """The terms that are there where `expr` is false."""
    parts = expr.operands if isinstance(expr, x.Logical) and expr.op == "or" else (expr,)
    return frozenset(asked for part in parts if (asked := _asked(part, False)) is not None)


def _asked(atom: Expr, truth: bool) -> Expr | None:
    """The term that is there if the atom has this truth value."""
    match atom:
        case x.Not(inner):
            return _asked(inner, not truth)
        case x.Present(operand, present) if present == truth:
            return operand
        case _:
            return None
