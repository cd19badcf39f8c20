"""The output block and the repair blocks, typed.

In: the items as written, the facts, the prose. Out: the output contract, the repairs. A repair block is typed here and not proved in this
release. Language reference §7.
"""

from dataclasses import dataclass, field
from typing import Literal as Lit

from servanda.contracts.expression import Expr
from servanda.contracts.model import OutputContract, OutputRule, Repair, Tool
from servanda.contracts.resolving.declared_types import DeclaredTypes
from servanda.contracts.resolving.duties import severity
from servanda.contracts.resolving.expressions import condition, typed
from servanda.contracts.resolving.patterns import tool_name
from servanda.contracts.resolving.prose import ProseFiles
from servanda.contracts.resolving.typing_rules import BROKEN, comparable
from servanda.contracts.resolving.world import OUTPUT, REPAIR, Leaf, Scope, World
from servanda.contracts.types import ListType, RecordField, RecordType, Type, UntypedType, type_name
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Note, nearest
from servanda.grammar.span import Span


def output(world: World, items: tuple[s.Item, ...], types: DeclaredTypes, prose: ProseFiles) -> OutputContract | None:
    """The output contract; None where there is none or it is refused."""
    blocks = [item for item in items if isinstance(item, s.OutputDecl)]
    for block in blocks[1:]:
        _twice(world, block.span, "the output", blocks[0].span)
    if not blocks or blocks[0].form.text != "json":
        return None
    block = blocks[0]
    found: list[tuple[str, Type, bool, Span]] = []
    names: dict[str, Span] = {}
    for item in block.items:
        if isinstance(item, s.Field):
            kind = types.type_of(item.type)
            if item.key in names:
                _twice(world, item.name.span, f"the output field '{item.key}'", names[item.key])
                continue
            names[item.key] = item.name.span
            found.append((item.key, kind, item.optional, item.name.span))
    record = RecordType("", tuple(RecordField(n, t, o) for n, t, o, _ in found))
    scope = Scope(OUTPUT, output=record)
    rules = _rules(world, scope, block.items, names, prose)
    return OutputContract(tuple(found), record, rules, block.span)


def repairs(world: World, items: tuple[s.Item, ...], prose: ProseFiles) -> tuple[Repair, ...]:
    """The repair blocks, one a tool."""
    found: list[Repair] = []
    places: dict[str, Span] = {}
    for item in items:
        if not isinstance(item, s.RepairDecl):
            continue
        name = tool_name(world, item.tool)
        if name is None:
            continue
        if name in places:
            _twice(world, item.tool.span, f"the repair of '{name}'", places[name])
            continue
        places[name] = item.tool.span
        found.append(_repair(world, item, world.tools[name], prose))
    return tuple(found)


def _rules(
    world: World, scope: Scope, items: tuple[object, ...], names: dict[str, Span], prose: ProseFiles
) -> tuple[OutputRule, ...]:
    found: list[OutputRule] = []
    for item in items:
        if not isinstance(item, s.ConditionRule):
            continue
        needed = condition(world, scope, item.condition)
        if item.name.text in names:
            _twice(world, item.name.span, f"'{item.name.text}'", names[item.name.text])
            continue
        names[item.name.text] = item.name.span
        at = prose.span(item.clauses.prose)
        if needed is not None:
            title = item.title.value if item.title else ""
            found.append(OutputRule(item.name.text, title, needed, at, severity(item.clauses), item.name.span))
    return tuple(found)


@dataclass(slots=True)
class _Parts:
    """What one repair block has said so far."""

    immutable: list[str] = field(default_factory=list)
    budget: tuple[int, int] | None = None
    values: list[tuple[str, tuple[Expr | Lit["conversation"], ...]]] = field(default_factory=list)
    words: set[str] = field(default_factory=set)


def _repair(world: World, item: s.RepairDecl, tool: Tool, prose: ProseFiles) -> Repair:
    scope = Scope(REPAIR, event=(Leaf("call", tool.name, "failed"),), has_event=True, parts=("args",))
    said = _Parts()
    for part in item.items:
        match part:
            case s.Immutable(pointers):
                for pointer in pointers:
                    _pointer(world, tool, pointer)
                    if pointer.value in said.immutable:
                        world.faults.error("C111", pointer.span, f"the pointer {pointer.value} stands twice")
                    said.immutable.append(pointer.value)
            case s.Budget(operations, attempts, span):
                if said.budget is not None:
                    world.faults.error("C111", span, "the budget of this repair is given twice")
                said.budget = (operations, attempts)
            case s.Values():
                _values(world, scope, tool, part, said)
            case s.Permission(words, span):
                if words in said.words:
                    world.faults.error("C111", span, f"`{words}` stands twice")
                said.words.add(words)
            case s.ConditionRule():
                pass
    return Repair(
        tool.name,
        tuple(said.immutable),
        said.budget[0] if said.budget else None,
        said.budget[1] if said.budget else None,
        tuple(said.values),
        _rules(world, scope, item.items, {}, prose),
        "allow remove" in said.words,
        "monotone" in said.words,
        item.tool.span,
    )


def _values(world: World, scope: Scope, tool: Tool, part: s.Values, said: _Parts) -> None:
    """The sources of a pointer: each gives one value of its type, or a list of such."""
    place = _pointer(world, tool, part.pointer)
    if any(pointer == part.pointer.value for pointer, _ in said.values):
        world.faults.error("C111", part.pointer.span, f"the sources of {part.pointer.value} are given twice")
    sources: list[Expr | Lit["conversation"]] = []
    for written in part.sources:
        if isinstance(written, s.Name):
            sources.append("conversation")
            continue
        found = typed(world, scope, written, place)
        if found is None:
            continue
        offered = (
            found.type.element if isinstance(found.type, ListType) and not isinstance(place, ListType) else found.type
        )
        if place is not None and place != BROKEN and not comparable(offered, place):
            world.faults.error(
                "C120", written.span, f"{part.pointer.value} is {type_name(place)}, not {type_name(offered)}"
            )
            continue
        sources.append(found)
    said.values.append((part.pointer.value, tuple(sources)))


def _pointer(world: World, tool: Tool, pointer: s.Text) -> Type | None:
    """The type of the place a JSON pointer names in the tool's arguments; None where that is untyped or the fault is recorded."""
    kind: Type = tool.arguments
    if not pointer.value.startswith("/"):
        world.faults.error("C148", pointer.span, f"'{pointer.value}' is no JSON pointer: it starts with '/'")
        return None
    for step in pointer.value[1:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        match kind:
            case RecordType():
                found = kind.field(name)
                if found is None:
                    known = [f.name for f in kind.fields]
                    hint = nearest(name, known) or (f"there is {', '.join(known)}" if known else "")
                    world.faults.error(
                        "C148", pointer.span, f"the arguments of '{tool.name}' have no '{name}' there", help=hint
                    )
                    return None
                kind = found.type
            case ListType(element) if name.isdecimal():
                kind = element
            case UntypedType():
                return None
            case _:
                world.faults.error("C148", pointer.span, f"nothing is below a value of type {type_name(kind)}")
                return None
    return None if isinstance(kind, UntypedType) else kind


def _twice(world: World, span: Span, what: str, first: Span) -> None:
    world.faults.error("C111", span, f"{what} is declared twice", notes=(Note("it is declared here first", first),))
