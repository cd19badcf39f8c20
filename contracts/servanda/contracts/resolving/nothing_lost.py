"""A self-check: whatever was written and not refused is in the typed model.

In: a syntax tree and the contract resolved from it without an error. Out: nothing, or an `InternalError` that names what was lost: a duty that
vanishes in silence is the worst fault a reader of contracts can have.
"""

from collections import Counter
from collections.abc import Iterator

from servanda.contracts import model as m
from servanda.contracts.resolving.syntax_walk import walk
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import InternalError


def check_nothing_lost(tree: s.Tree, contract: m.Contract) -> None:
    """Raise InternalError unless every item of the tree has its place in the contract."""
    written, kept = Counter(_written(tree)), Counter(_kept(contract))
    if written != kept:
        lost = ", ".join(sorted(what for what, _ in ((written - kept) + (kept - written)).items()))
        raise InternalError(f"resolved without an error, but the model and the text differ in: {lost}")


def _written(tree: s.Tree) -> Iterator[str]:
    # What stands in a test is held to its contract by running it; only the test itself and what it expects can be lost here.
    for test in tree.items:
        if isinstance(test, s.TestDecl):
            yield "test"
            yield from ["expectation"] * len(test.expectations)
    nodes = list(walk(*(item for item in tree.items if not isinstance(item, s.TestDecl))))
    for node in nodes:
        match node:
            case s.Obligation():
                yield f"{node.deontic} {node.name.text}"
                yield from ["evidence"] * len(node.clauses.by)
            case s.Step() | s.Decide() | s.AnyOf() | s.Branch() | s.Option():
                yield f"block {node.name.text}"
            case s.ForEach():
                yield f"block {node.variable.text}"
            case s.Rule():
                yield f"rule {node.name.text}"
            case s.Order():
                yield "order"
            case (
                s.DefineDecl()
                | s.ViewDecl()
                | s.EventDecl()
                | s.LabelDecl()
                | s.EnumDecl()
                | s.RecordDecl()
                | s.SourceDecl()
            ):
                yield f"declaration {node.name.text}"
            case s.QueryDecl():
                for field in node.fields:
                    yield f"attribute {field.key}"
                    yield from ["observed"] * len(field.observed)
            case s.SuccessDecl():
                yield from ["success"] * len(node.tools)
            case s.OutputDecl() | s.RepairDecl():
                yield from (f"condition {i.name.text}" for i in node.items if isinstance(i, s.ConditionRule))
                yield from (f"output field {i.key}" for i in node.items if isinstance(i, s.Field))
            case s.Values():
                yield from ["value source"] * len(node.sources)
            case s.Clauses():
                for clause in (node.guard, node.prose):
                    if clause is not None:
                        yield "guard" if clause is node.guard else "prose"
    yield from ("guard" for node in nodes for _ in _own_guard(node))


def _own_guard(node: object) -> tuple[s.Expr, ...]:
    match node:
        case s.ForEach(guard=guard) | s.Branch(when=guard) if guard is not None:
            return (guard,)
        case _:
            return ()


def _kept(contract: m.Contract) -> Iterator[str]:
    yield from _body(contract.body)
    for order in contract.orders:
        yield "order"
        yield from _prose(order.prose)
    tables = (
        contract.definitions,
        contract.views,
        contract.events,
        contract.labels,
        contract.enums,
        contract.records,
        contract.prose,
    )
    for table in tables:
        yield from (f"declaration {name}" for name in table)
    for attribute in contract.attributes.values():
        yield f"attribute {attribute.name}"
        yield from ["observed"] * len(attribute.observed)
    yield from ("success" for tool in contract.tools.values() if tool.success is not None)
    if contract.output is not None:
        yield from (f"output field {name}" for name, *_ in contract.output.fields)
        yield from _conditions(contract.output.rules)
    for repair in contract.repairs:
        yield from _conditions(repair.rules)
        yield from ("value source" for _, sources in repair.values for _ in sources)
    for test in contract.tests:
        yield "test"
        yield from ["expectation"] * len(test.expectations)


def _body(nodes: tuple[m.Node, ...]) -> Iterator[str]:
    for node in nodes:
        name = node.path.rpartition(".")[2]
        if node.guard is not None:
            yield "guard"
        match node:
            case m.Duty():
                yield f"{node.kind} {name}"
                yield from ["evidence"] * len(node.by)
                yield from _prose(node.prose)
            case m.Rule():
                yield f"rule {name}"
                yield from _prose(node.prose)
            case m.Step():
                yield f"block {name}"
                yield from _prose(node.prose)
                yield from _body(node.body)
            case m.ForEach():
                yield f"block {name}"
                yield from _body(node.body)
            case m.Decide():
                yield f"block {name}"
                yield from _prose(node.prose)
                for branch in node.branches:
                    yield f"block {branch.name}"
                    yield from ["guard"] if branch.guard is not None else []
                    yield from _prose(branch.prose)
                    yield from _body(branch.body)
            case m.AnyOf():
                yield f"block {name}"
                yield from _prose(node.prose)
                for option in node.options:
                    yield f"block {option.name}"
                    yield from _body(option.body)


def _conditions(rules: tuple[m.OutputRule, ...]) -> Iterator[str]:
    for rule in rules:
        yield f"condition {rule.name}"
        yield from _prose(rule.prose)


def _prose(span: m.ProseSpan | None) -> Iterator[str]:
    if span is not None:
        yield "prose"
