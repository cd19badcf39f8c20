"""Patterns: which events they match, and what their conditions can read.

In: a pattern as written, its scope, the facts. Out: the resolved pattern and the kinds of events it can match (its leaves).
Language reference §3.
"""

from dataclasses import dataclass
from typing import assert_never

from servanda.contracts import expression as x
from servanda.contracts.model import AnyHead, ClassHead, MessageHead, NamedHead, Pattern, ToolHead, Verb
from servanda.contracts.resolving.expressions import arguments, condition
from servanda.contracts.resolving.names import check_new_name
from servanda.contracts.resolving.world import Leaf, Leaves, Scope, World
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import nearest

ROLES = ("user", "assistant", "system", "developer")
"""Roles a message can have."""

Head = ToolHead | ClassHead | MessageHead | NamedHead | AnyHead


@dataclass(frozen=True, slots=True)
class Matched:
    """A resolved pattern (None where a fault was recorded), its leaves, and its alias (empty for none)."""

    pattern: Pattern | None
    leaves: Leaves
    alias: str

    def seen_from(self, scope: Scope) -> Scope:
        """The scope of the other patterns of its rule."""
        return scope.beside(self.alias, self.leaves)


def pattern(world: World, scope: Scope, node: s.Pattern) -> Matched:
    """Resolve a pattern. Its `where` reads the matched event; its alias is in reach there too."""
    head, leaves = _head(world, scope, node.head)
    alias = ""
    if node.alias is not None and check_new_name(world, scope, node.alias, "the alias"):
        alias = node.alias.text
    where: x.Expr | None = None
    sound = head is not None
    if node.where is not None:
        where = condition(world, scope.at_event(leaves, alias), node.where)
        sound = sound and where is not None
    found = Pattern(head, where, alias, node.span) if sound and head is not None else None
    return Matched(found, leaves, alias)


def patterns(world: World, scope: Scope, nodes: tuple[s.Pattern, ...]) -> tuple[Pattern, ...] | None:
    """Several patterns, or None where one of them has a fault."""
    found = [pattern(world, scope, node).pattern for node in nodes]
    whole = tuple(p for p in found if p is not None)
    return whole if len(whole) == len(found) else None


def _head(world: World, scope: Scope, head: s.Head) -> tuple[Head | None, Leaves]:
    match head:
        case s.ToolHead(verb, tool):
            name = tool_name(world, tool)
            return (None, None) if name is None else (ToolHead(verb, name), (Leaf("call", name, verb),))
        case s.ClassHead(verb, cls):
            return _class(world, verb, cls)
        case s.MessageHead(role):
            if role.text not in ROLES:
                world.faults.error(
                    "C110",
                    role.span,
                    f"no message has the role '{role.text}'",
                    help=nearest(role.text, ROLES) or f"the roles are {', '.join(ROLES)}",
                )
                return None, None
            return MessageHead(role.text), (Leaf("message", role.text),)
        case s.EventHead():
            return _named(world, scope, head)
        case s.AnyHead(parts):
            return _any(world, scope, parts)
        case _:
            assert_never(head)


def tool_name(world: World, tool: s.Name | s.Text) -> str | None:
    """The name of a declared tool, or None once the fault is recorded."""
    name = tool.text if isinstance(tool, s.Name) else tool.value
    if name in world.tools:
        return name
    hint = nearest(name, world.tools)
    if name in world.classes:
        hint = f"'{name}' is a class: write `of {name}`"
    if world.tools_whole:
        world.faults.error("C117", tool.span, f"no tool is called '{name}'", help=hint)
    return None


def _class(world: World, verb: Verb, cls: s.Name) -> tuple[Head | None, Leaves]:
    if cls.text == "tools":
        leaves: Leaves = tuple(Leaf("call", t, verb) for t in sorted(world.tools))
        return ClassHead(verb, "tools"), leaves if world.tools_whole else None
    if cls.text in world.classes:
        leaves = tuple(Leaf("call", t, verb) for t in world.classes[cls.text])
        return ClassHead(verb, cls.text), leaves if world.tools_whole else None
    hint = nearest(cls.text, (*world.classes, "tools"))
    if cls.text in world.tools:
        hint = f"'{cls.text}' is a tool: write it without `of`"
    world.faults.error("C118", cls.span, f"no class is called '{cls.text}'", help=hint)
    return None, None


def _named(world: World, scope: Scope, head: s.EventHead) -> tuple[Head | None, Leaves]:
    name = head.name.text
    if ("event", name) not in world.parameters:
        events = [n for kind, n in world.parameters if kind == "event"]
        hint = nearest(name, events)
        if name in world.names:
            hint = f"'{name}' is {world.names[name]}, and events are declared by `event {name} = …`"
        world.faults.error("C110", head.name.span, f"no event is called '{name}'", help=hint)
        return None, None
    found = arguments(
        world, scope, head.arguments, world.parameters["event", name], f"the event '{name}'", head.name.span
    )
    event = world.events.get(name)
    leaves = world.event_leaves.get(name)
    return (None if found is None or event is None else NamedHead(name, found)), leaves


def _any(world: World, scope: Scope, parts: tuple[s.Pattern, ...]) -> tuple[Head | None, Leaves]:
    found: list[Pattern] = []
    leaves: dict[Leaf, None] | None = {}
    for part in parts:
        if part.alias is not None:
            world.faults.error(
                "C133",
                part.alias.span,
                f"the alias '{part.alias.text}' stands in one alternative only, so nothing outside can read it",
                help="put `as …` behind the closing brace",
            )
        one = pattern(world, scope, part)
        if one.pattern is not None:
            found.append(one.pattern)
        if one.leaves is None or leaves is None:
            leaves = None
        else:
            leaves.update(dict.fromkeys(one.leaves))
    head = AnyHead(tuple(found)) if len(found) == len(parts) else None
    return head, None if leaves is None else tuple(leaves)
