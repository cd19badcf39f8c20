"""From the syntax tree to the typed model: names and types.

In: a tree, its source, the folder that files are named from. Out: the contract (None where there is an error) and every diagnostic, sorted by
place. Trusts the tree's shape and nothing that stands in it. Language reference §2.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from servanda.contracts import model as m
from servanda.contracts.digest import digest
from servanda.contracts.expression import Attribute, DefinitionCall, Expr, children
from servanda.contracts.resolving.contract_tests import TestBlocks
from servanda.contracts.resolving.declared_types import DeclaredTypes
from servanda.contracts.resolving.dependencies import Declared, acyclic
from servanda.contracts.resolving.duties import Duties
from servanda.contracts.resolving.duty_names import DutyNames
from servanda.contracts.resolving.expressions import condition
from servanda.contracts.resolving.extras import extras
from servanda.contracts.resolving.facts import build_world, fill_world, report_untold, used_tools
from servanda.contracts.resolving.faults import Faults
from servanda.contracts.resolving.nothing_lost import check_nothing_lost
from servanda.contracts.resolving.outputs import output, repairs
from servanda.contracts.resolving.prose import ProseFiles
from servanda.contracts.resolving.reads import read
from servanda.contracts.resolving.tool_facts import key, resolve_tools
from servanda.contracts.resolving.typing_rules import BROKEN, assignable
from servanda.contracts.resolving.undefined import Undefined
from servanda.contracts.resolving.unsupported import refuse_unsupported
from servanda.contracts.resolving.warnings import Warnings
from servanda.contracts.resolving.world import OBSERVED, SUCCESS, Leaf, Scope, World
from servanda.contracts.types import EnumType, RecordType, type_name
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Diagnostic, InternalError
from servanda.grammar.span import NOWHERE, Source, Span

ROUNDS = 50
"""Most rounds of learning the types of parameters; each round learns something, or it is the last."""


def resolve(tree: s.Tree, source: Source, base: Path) -> tuple[m.Contract | None, tuple[Diagnostic, ...]]:
    """The contract a tree means, and what is to be said about it. Files are read relative to `base`."""
    faults = Faults(source)
    refuse_unsupported(tree, faults)
    types = DeclaredTypes(tree.items, faults)
    tools = resolve_tools(tree.items, types, base, faults)
    prose = ProseFiles(tree.items, base, faults)
    world, ordered = build_world(tree.items, types, tools, faults)
    names = DutyNames(tree.items, faults)
    _learn(world, ordered, tree, source, types, names, base)
    fill_world(world, ordered, types)
    contract = _Body(world, tree, types, names, prose).contract(source)
    if not faults.any_error:
        report_untold(world, ordered)
    if faults.any_error:
        return None, faults.sorted()
    if contract is None:
        raise InternalError("a contract was not resolved, and no error says why")
    check_nothing_lost(tree, contract)
    warnings = Warnings(faults, Undefined(contract.attributes, contract.definitions), contract.events, source.text)
    warnings.body(contract.body)
    warnings.tools(used_tools(tree.items), contract.tools)
    return replace(contract, digest=digest(contract)), faults.sorted()


def _learn(
    world: World,
    ordered: tuple[Declared, ...],
    tree: s.Tree,
    source: Source,
    types: DeclaredTypes,
    names: DutyNames,
    base: Path,
) -> None:
    """Learn the types of parameters from their uses: resolve everything in silence until nothing new is learnt."""
    slots = [slot for parameters in world.parameters.values() for _, slot in parameters]
    known: list[object] = [None] * len(slots)
    for _ in range(ROUNDS if slots else 0):
        silent = Faults(source)
        trial = world.again(silent, inferring=True)
        fill_world(trial, ordered, types)
        _Body(trial, tree, types, names.silent(silent), ProseFiles((), base, silent)).contract(source)
        learnt: list[object] = [slot.type for slot in slots]
        if learnt == known:
            return
        known = learnt


class _Body:
    """Everything of a contract that hangs on its facts."""

    def __init__(self, world: World, tree: s.Tree, types: DeclaredTypes, names: DutyNames, prose: ProseFiles) -> None:
        self._world = world
        self._tree = tree
        self._types = types
        self._names = names
        self._prose = prose

    def contract(self, source: Source) -> m.Contract | None:
        """The contract without its digest; None where a part is missing because of an error."""
        items, world = self._tree.items, self._world
        attributes = self._attributes()
        tools = self._with_success()
        duties = Duties(world, self._names, self._prose)
        body = duties.top(items)
        orders = tuple(duties.orders)
        shown = output(world, items, self._types, self._prose)
        blocks = [i for i in items if isinstance(i, s.OutputDecl)]
        written = sum(isinstance(rule, s.ConditionRule) for block in blocks for rule in block.items)
        sound = written == len(shown.rules) if shown is not None else not blocks
        mended = repairs(world, items, self._prose)
        tests: tuple[m.Test, ...] = ()
        if not world.inferring:
            tests = TestBlocks(world, self._names, orders, shown, output_sound=sound).resolve(items)
        extra = extras(world, items)
        whole = (*world.definitions.values(), *world.views.values(), *world.events.values(), *world.labels.values())
        if any(part is None for part in whole) or any(p is None for p in self._prose.sources.values()):
            return None
        return m.Contract(
            self._tree.name.text,
            self._tree.title.value if self._tree.title else "",
            self._tree.version,
            source,
            "",
            {n: p for n, p in self._prose.sources.items() if p is not None},
            {n: t for n, t in world.types.items() if isinstance(t, EnumType)},
            {n: t for n, t in world.types.items() if isinstance(t, RecordType)},
            tools,
            world.classes,
            attributes,
            {n: fact.declaration for n, fact in world.labels.items() if fact is not None},
            {n: d for n, d in world.definitions.items() if d is not None},
            {n: e for n, e in world.events.items() if e is not None},
            {n: v for n, v in world.views.items() if v is not None},
            body,
            orders,
            extra,
            shown,
            mended,
            tests,
            next((i.span for i in items if isinstance(i, s.ExtraDecl)), NOWHERE),
        )

    def _attributes(self) -> dict[str, m.QueryAttribute]:
        """The attributes with the reads they are observed by; a cycle among those is reported."""
        world = self._world
        found: dict[str, m.QueryAttribute] = {}
        fields = [f for i in self._tree.items if isinstance(i, s.QueryDecl) for f in i.fields]
        for field in fields:
            fact = world.attributes[field.key]
            if field.key in found:
                continue
            reads: list[m.Read] = []
            for written in field.observed:
                one = read(world, Scope(OBSERVED), written)
                if one is None or fact.type == BROKEN:
                    continue
                if not assignable(one.value.type, fact.type):
                    world.faults.error(
                        "C120",
                        written.span,
                        f"'{fact.name}' is {type_name(fact.type)}, and this read is {type_name(one.value.type)}",
                    )
                    continue
                if one in reads:
                    world.faults.error("C111", written.span, "the same read stands twice here")
                reads.append(one)
            found[fact.name] = m.QueryAttribute(fact.name, fact.type, fact.optional, tuple(reads), fact.span)
        hangs = {
            ("attribute", a.name): tuple(
                ("attribute", n) for r in a.observed for e in _expressions(r) for n in _attributes_read(world, e)
            )
            for a in found.values()
        }
        spans: dict[tuple[str, str], Span] = {("attribute", a.name): a.span for a in found.values()}
        acyclic(hangs, spans, world.faults)
        return found

    def _with_success(self) -> Mapping[str, m.Tool]:
        """The tools with what counts as their success."""
        world = self._world
        tools = dict(world.tools)
        done: dict[str, Span] = {}
        for item in self._tree.items:
            if not isinstance(item, s.SuccessDecl):
                continue
            known = [key(t) for t in item.tools if key(t) in tools]
            for written in item.tools:
                name = key(written)
                if name not in tools:
                    if world.tools_whole:
                        world.faults.error("C117", written.span, f"no tool is called '{name}'")
                elif name in done:
                    world.faults.error("C111", written.span, f"the success of '{name}' is declared twice")
                done.setdefault(name, written.span)
            if len(known) < len(item.tools):
                continue
            leaves = tuple(Leaf("call", name, "call") for name in dict.fromkeys(known))
            if any(tools[name].result == BROKEN for name in known):
                continue
            scope = Scope(SUCCESS, event=leaves, has_event=True, parts=("args", "result"))
            counted = condition(world, scope, item.condition)
            for name in known if counted is not None else ():
                tools[name] = replace(tools[name], success=counted)
        return tools


def _expressions(one: m.Read) -> tuple[Expr, ...]:
    return (*(e for _, e in one.arguments), one.value)


def _attributes_read(world: World, expr: Expr) -> tuple[str, ...]:
    """The attributes an expression reads, itself or through definitions."""
    found: dict[str, None] = {}
    through: set[str] = set()
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        waiting.extend(children(node))
        match node:
            case Attribute(name):
                found[name] = None
            case DefinitionCall(name) if name not in through:
                through.add(name)
                inner = world.definitions.get(name)
                if inner is not None:
                    waiting.append(inner.body)
    return tuple(found)
