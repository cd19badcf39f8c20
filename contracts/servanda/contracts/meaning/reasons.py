"""Why a condition is false or unknown: its atoms in contract words, with the values they read (language reference §5).

In: a guard and the scope it stands in. Out: `Reason`s for the expected graph. Pure.
"""

from collections.abc import Iterator

from servanda.contracts import expression as x
from servanda.contracts.expected import Reason
from servanda.contracts.meaning.evaluate import Scope, evaluate, truth
from servanda.contracts.meaning.values import Undefined, Unknown, show
from servanda.contracts.words import source_text


def false_atoms(condition: x.Expr | None, scope: Scope) -> tuple[Reason, ...]:
    """The atoms that make a condition false: false or undefined ones, definitions without parameters looked into."""
    found = dict.fromkeys(r for atom in x.conjuncts(condition) for r in _false(atom, scope))
    return tuple(found)


def _false(expr: x.Expr, scope: Scope) -> Iterator[Reason]:
    value = truth(expr, scope)
    if value is not False and not isinstance(value, Undefined):
        return
    match expr:
        case x.Logical("and" | "or", operands):
            inner = [r for o in operands for r in _false(o, scope)]
            yield from inner or [_atom(expr, scope)]
        case x.DefinitionCall(name, ()):
            inner = list(_false(scope.reads.contract.definitions[name].body, scope.bind({})))
            yield from inner or [_atom(expr, scope)]
        case _:
            yield _atom(expr, scope)


def unknown_atoms(condition: x.Expr | None, scope: Scope) -> tuple[Reason, ...]:
    """The conjuncts of a condition that are unknown, with what each hangs on."""
    found: dict[Reason, None] = {}
    for atom in x.conjuncts(condition):
        value = truth(atom, scope)
        if isinstance(value, Unknown):
            on = tuple(dict.fromkeys(h.name for h in value.hinges))
            known = tuple((n, v) for n, v in _values(atom, scope) if v != "unknown")
            found[Reason(_text(atom, scope), known, on)] = None
    return tuple(found)


def _atom(expr: x.Expr, scope: Scope) -> Reason:
    return Reason(_text(expr, scope), tuple(_values(expr, scope)))


def _text(expr: x.Expr, scope: Scope) -> str:
    return source_text(scope.reads.contract, expr.span)


def _values(expr: x.Expr, scope: Scope) -> list[tuple[str, str]]:
    """The attributes and loop variables the expression reads, through definitions too, with their values; in the order read."""
    found: dict[str, str] = {}
    for name, value in _reads(expr, scope, frozenset()):
        found.setdefault(name, value)
    return list(found.items())


def _reads(expr: x.Expr, scope: Scope, local: frozenset[str]) -> Iterator[tuple[str, str]]:
    match expr:
        case x.Attribute(name, kind):
            value = evaluate(expr, scope)
            yield name, "absent" if isinstance(value, Undefined) else show(value, kind)
            return
        case x.Variable(name, kind) if name not in local and name in scope.variables:
            yield name, show(scope.variables[name], kind)
            return
        case x.DefinitionCall(name, arguments):
            definition = scope.reads.contract.definitions[name]
            hidden = frozenset(p for p, _ in definition.parameters)
            for argument in arguments:
                yield from _reads(argument, scope, local)
            yield from _reads(definition.body, scope.bind({}), hidden)
            return
        case x.Field(x.Output(), name, kind):
            value = evaluate(expr, scope)
            yield f"output.{name}", "absent" if isinstance(value, Undefined) else show(value, kind)
            return
        case x.Quantified(_, variables):
            local = local | set(variables)
        case x.Fold(_, variable):
            local = local | {variable}
    for child in x.children(expr):
        yield from _reads(child, scope, local)
