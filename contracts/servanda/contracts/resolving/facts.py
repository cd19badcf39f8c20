"""The facts of a contract: attributes, labels, definitions, views, events, each typed.

In: the declarations, the tools. Out: a `World`, filled in the order in which declarations read each other. Types of parameters are not
written; they are learnt from use (`resolve` repeats the typing until nothing new is learnt). Language reference §2.
"""

from collections.abc import Iterator, Mapping

from servanda.contracts.expression import DefinitionCall, Expr, children
from servanda.contracts.model import Definition, LabelDeclaration, NamedEvent, View
from servanda.contracts.resolving.declared_types import DeclaredTypes
from servanda.contracts.resolving.dependencies import Declared, in_order, kind_of
from servanda.contracts.resolving.expressions import query_only, typed
from servanda.contracts.resolving.faults import Faults
from servanda.contracts.resolving.names import check_new_name
from servanda.contracts.resolving.patterns import pattern
from servanda.contracts.resolving.reads import read
from servanda.contracts.resolving.syntax_walk import walk
from servanda.contracts.resolving.tool_facts import ToolFacts
from servanda.contracts.resolving.typing_rules import BROKEN, SCALARS, family
from servanda.contracts.resolving.world import (
    DEFINITION,
    LABEL,
    PATTERN,
    RESERVED,
    VIEW,
    AttributeFact,
    LabelFact,
    Leaves,
    Scope,
    Slot,
    World,
)
from servanda.contracts.types import EventType, Type
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Note
from servanda.grammar.span import Span

WORDS = {"define": "a definition", "view": "a view", "event": "an event", "label": "a label"}

LARGEST = 5_000
"""How many terms a definition may stand for: every stage after this one writes it out."""


def build_world(
    items: tuple[s.Item, ...], types: DeclaredTypes, tools: ToolFacts, faults: Faults
) -> tuple[World, tuple[Declared, ...]]:
    """The facts without the bodies of definitions, views, events and labels, and the order in which to resolve those."""
    attributes = _attributes(items, types, faults)
    names, broken, declared = _names(items, attributes, faults)
    members = _members(items, names, faults)
    ordered = in_order(declared.values(), faults)
    parameters: dict[tuple[str, str], tuple[tuple[str, Slot], ...]] = {}
    for (kind, name), item in declared.items():
        if not isinstance(item, s.LabelDecl):
            parameters[kind, name] = tuple((p.text, Slot()) for p in item.parameters)
    world = World(
        faults,
        types.resolve_all(),
        tools.tools,
        tools.classes,
        tools.whole,
        attributes,
        broken,
        members,
        parameters,
        {n: what for n, (what, _) in names.items()},
        inferring=False,
    )
    return world, ordered


def fill_world(world: World, ordered: tuple[Declared, ...], types: DeclaredTypes) -> None:
    """Resolve the bodies of the declarations, each after those it reads."""
    world.labels.update((name, None) for name, what in world.names.items() if what == WORDS["label"])
    for item in ordered:
        match item:
            case s.DefineDecl():
                world.definitions[item.name.text] = _definition(world, item)
            case s.ViewDecl():
                world.views[item.name.text] = _view(world, item)
            case s.EventDecl():
                _event(world, item)
            case s.LabelDecl():
                world.labels[item.name.text] = _label(world, item, types)


def _attributes(items: tuple[s.Item, ...], types: DeclaredTypes, faults: Faults) -> dict[str, AttributeFact]:
    found: dict[str, AttributeFact] = {}
    queries = [item for item in items if isinstance(item, s.QueryDecl)]
    for query in queries[1:]:
        _twice(faults, query.span, "the query", queries[0].span)
    for query in queries:
        for field in query.fields:
            kind = types.type_of(field.type)
            if field.key in found:
                _twice(faults, field.name.span, f"the query attribute '{field.key}'", found[field.key].span)
                continue
            found[field.key] = AttributeFact(field.key, kind, field.optional, field.name.span)
    return found


def _names(
    items: tuple[s.Item, ...], attributes: Mapping[str, AttributeFact], faults: Faults
) -> tuple[dict[str, tuple[str, Span]], frozenset[str], dict[tuple[str, str], Declared]]:
    """Every fact to what it is and where, the names of unsupported ones, and the declarations to resolve. Events have names of their own."""
    names = {a.name: ("a query attribute", a.span) for a in attributes.values()}
    broken: set[str] = set()
    declared: dict[tuple[str, str], Declared] = {}
    for name, fact in attributes.items():
        if _is_reserved(name, fact.span, faults):
            broken.add(name)
    for item in items:
        match item:
            case s.DefineDecl() | s.ViewDecl() | s.EventDecl() | s.LabelDecl():
                kind, what = kind_of(item), WORDS[kind_of(item)]
            case s.StateDecl():
                kind, what = "state", "a state"
                broken.add(item.name.text)
            case s.ParamDecl():
                kind, what = "param", "a parameter"
                broken.add(item.name.text)
            case _:
                continue
        name = item.name.text
        if _is_reserved(name, item.name.span, faults):
            broken.add(name)
        if isinstance(item, s.EventDecl):
            if (kind, name) in declared:
                _twice(faults, item.name.span, f"the event '{name}'", declared[kind, name].name.span)
                continue
        elif name in names:
            first, place = names[name]
            faults.error(
                "C111",
                item.name.span,
                f"'{name}' is declared twice: here as {what}, before as {first}",
                notes=(Note("it is declared here first", place),),
            )
            continue
        else:
            names[name] = (what, item.name.span)
        if not isinstance(item, s.StateDecl | s.ParamDecl):
            declared[kind, name] = item
    return names, frozenset(broken), declared


def _is_reserved(name: str, span: Span, faults: Faults) -> bool:
    if name in RESERVED:
        faults.error("C112", span, f"'{name}' is a name of the language; a fact needs another one")
    return name in RESERVED


def _members(items: tuple[s.Item, ...], names: Mapping[str, tuple[str, Span]], faults: Faults) -> dict[str, str]:
    """The bare members of the enums written in the contract; one that equals a fact is reported. A quoted member is told apart by its quotes."""
    found: dict[str, str] = {}
    for owner, written in _enums(items):
        for member in written:
            if not isinstance(member, s.Name):
                continue
            found.setdefault(member.text, owner)
            if member.text in names:
                what, span = names[member.text]
                faults.error(
                    "C114",
                    member.span,
                    f"the enum member '{member.text}' equals {what} of that name",
                    notes=(Note(f"{what} is declared here", span),),
                    help="rename one of them, or write the member in quotes wherever it stands",
                )
    return found


def _enums(items: tuple[s.Item, ...]) -> Iterator[tuple[str, tuple[s.Name | s.Text, ...]]]:
    for node in walk(*(item for item in items if not isinstance(item, s.TestDecl))):
        match node:
            case s.EnumDecl(name, members):
                yield name.text, members
            case s.EnumType(members):
                yield "written in place", members


def _parameters(world: World, kind: str, item: s.DefineDecl | s.ViewDecl | s.EventDecl, scope: Scope) -> Scope:
    """The scope of the body."""
    slots = world.parameters[kind, item.name.text]
    for written, (name, slot) in zip(item.parameters, slots, strict=True):
        if not check_new_name(world, scope, written, "the parameter"):
            slot = Slot(BROKEN)
        scope = scope.with_variable(name, slot)
    return scope


def report_untold(world: World, ordered: tuple[Declared, ...]) -> None:
    """Record each parameter whose type no use tells. To be asked only when there is no other error, since one can be the reason."""
    for item in ordered:
        if isinstance(item, s.LabelDecl):
            continue
        for written, (name, slot) in zip(item.parameters, world.parameters[kind_of(item), item.name.text], strict=True):
            if slot.type is None:
                world.faults.error(
                    "C128",
                    written.span,
                    f"the type of the parameter '{name}' cannot be told",
                    help="use it where a type is known, or pass it a value of a known type",
                )


def _signature(world: World, kind: str, name: str) -> tuple[tuple[str, Type], ...] | None:
    found = [(p, slot.type) for p, slot in world.parameters[kind, name]]
    whole = tuple((p, t) for p, t in found if t is not None)
    return whole if len(whole) == len(found) else None


def _size(world: World, expr: Expr) -> int:
    own = world.sizes.get(expr.name, 0) if isinstance(expr, DefinitionCall) else 1
    return own + sum(_size(world, child) for child in children(expr))


def _definition(world: World, item: s.DefineDecl) -> Definition | None:
    scope = _parameters(world, "define", item, Scope(DEFINITION))
    body = typed(world, scope, item.body)
    signature = _signature(world, "define", item.name.text)
    if body is None or (signature is None and not world.inferring):
        return None
    world.sizes[item.name.text] = size = _size(world, body)
    if size > LARGEST:
        message = f"'{item.name.text}' stands for {size} terms once what it reads is written out; {LARGEST} are allowed"
        world.faults.error("C149", item.name.span, message, help="say part of it as a query attribute")
        return None
    return Definition(item.name.text, signature or (), body, query_only(world, body), item.name.span)


def _view(world: World, item: s.ViewDecl) -> View | None:
    name = item.name.text
    if isinstance(item.of, s.ReadRef):
        scope = _parameters(world, "view", item, Scope(VIEW))
        found = read(world, scope, item.of)
        signature = _signature(world, "view", name)
        if found is None or (signature is None and not world.inferring):
            return None
        return View(name, signature or (), found, found.value.type, item.name.span)
    matched = pattern(world, _parameters(world, "view", item, Scope(PATTERN)), item.of)
    signature = _signature(world, "view", name)
    leaves = matched.leaves
    wrong = next((leaf for leaf in leaves or () if leaf.verb in ("attempt", "failed")), None)
    if wrong is not None:
        world.faults.error(
            "C139",
            item.of.span,
            f"a view takes the last successful match, so it cannot stand over '{wrong.words}'",
            help="write `call`",
        )
        return None
    world.view_leaves[name] = leaves
    if matched.pattern is None or leaves is None or (signature is None and not world.inferring):
        return None
    kind = EventType(
        world.arguments_of(leaves),
        world.result_of(leaves),
        bool(leaves) and all(leaf.kind == "message" for leaf in leaves),
    )
    return View(name, signature or (), matched.pattern, kind, item.name.span)


def _event(world: World, item: s.EventDecl) -> None:
    name = item.name.text
    matched = pattern(world, _parameters(world, "event", item, Scope(PATTERN)), item.pattern)
    world.event_leaves[name] = matched.leaves
    signature = _signature(world, "event", name)
    if matched.pattern is None or (signature is None and not world.inferring):
        world.events[name] = None
    else:
        world.events[name] = NamedEvent(name, signature or (), matched.pattern, item.name.span)


def _label(world: World, item: s.LabelDecl, types: DeclaredTypes) -> LabelFact | None:
    kind = types.type_of(item.type)
    if kind != BROKEN and family(kind) not in SCALARS:
        world.faults.error("C120", item.type.span, f"a label is one value, not a {family(kind)}")
        kind = BROKEN
    matched = pattern(world, Scope(LABEL), item.pattern)
    leaves: Leaves = matched.leaves
    if matched.pattern is None or leaves is None:
        return None
    return LabelFact(LabelDeclaration(item.name.text, kind, matched.pattern, item.name.span), leaves)


def _twice(faults: Faults, span: Span, what: str, first: Span) -> None:
    faults.error("C111", span, f"{what} is declared twice", notes=(Note("it is declared here first", first),))


def used_tools(items: tuple[s.Item, ...]) -> dict[str, Span]:
    """The tools that patterns, reads, repairs and tests name, each with the first place."""
    found: dict[str, Span] = {}
    for node in walk(*items):
        if isinstance(node, s.ToolHead | s.ReadRef | s.TestCall | s.RepairDecl):
            name = node.tool
            found.setdefault(name.text if isinstance(name, s.Name) else name.value, name.span)
    return found
