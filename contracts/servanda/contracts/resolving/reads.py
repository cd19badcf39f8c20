"""Reads: a successful call with given arguments, and a path into its result.

In: `T(arg: E …).path` as written. Out: the resolved read, whose value is an expression over the call's result. Used by views and by
`observed` attributes. Language reference §2.
"""

from servanda.contracts import expression as x
from servanda.contracts.model import Read, Tool
from servanda.contracts.resolving.expressions import typed
from servanda.contracts.resolving.names import field
from servanda.contracts.resolving.patterns import tool_name
from servanda.contracts.resolving.typing_rules import BROKEN, comparable
from servanda.contracts.resolving.world import Leaf, Scope, World
from servanda.contracts.types import ListType, NumberType, Type, UntypedType, type_name
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import nearest


def read(world: World, scope: Scope, node: s.ReadRef) -> Read | None:
    """The read, or None once its faults are recorded."""
    name = tool_name(world, node.tool)
    if name is None:
        for _, written in node.arguments:
            typed(world, scope, written, BROKEN)
        return None
    tool = world.tools[name]
    arguments = _arguments(world, scope, node, tool)
    value = _value(world, scope, node, tool)
    return None if arguments is None or value is None else Read(name, arguments, value, node.span)


def _arguments(world: World, scope: Scope, node: s.ReadRef, tool: Tool) -> tuple[tuple[str, x.Expr], ...] | None:
    found: dict[str, x.Expr] = {}
    sound = True
    for written, expr in node.arguments:
        key = written.text if isinstance(written, s.Name) else written.value
        declared = tool.arguments.field(key)
        if declared is None:
            known = [f.name for f in tool.arguments.fields]
            hint = nearest(key, known) or (f"its arguments are {', '.join(known)}" if known else "it takes none")
            world.faults.error("C125", written.span, f"the tool '{tool.name}' has no argument '{key}'", help=hint)
        want: Type = BROKEN if declared is None else declared.type
        value = typed(world, scope, expr, want)
        if declared is None or value is None or want == BROKEN:
            sound = False
        elif key in found:
            world.faults.error("C111", written.span, f"the argument '{key}' stands twice in this read")
            sound = False
        elif not comparable(value.type, want):
            world.faults.error(
                "C120",
                expr.span,
                f"the argument '{key}' of '{tool.name}' is {type_name(want)}, not {type_name(value.type)}",
            )
            sound = False
        else:
            found[key] = value
    return tuple(found.items()) if sound else None


def _value(world: World, scope: Scope, node: s.ReadRef, tool: Tool) -> x.Expr | None:
    if tool.result is None:
        world.faults.error(
            "C129",
            node.tool.span,
            f"the result of '{tool.name}' has no type, so it cannot be read",
            help=f"declare it with `result {tool.name} : TYPE`",
        )
        return None
    if tool.result == BROKEN:
        return None
    value: x.Expr = x.Part("", "result", tool.result, node.tool.span)
    inner = scope.at_event((Leaf("call", tool.name, "call"),))
    for step in node.path:
        following = field(world, inner, value, step) if isinstance(step, s.Name) else _item(world, scope, value, step)
        if following is None:
            return None
        value = following
    if isinstance(value.type, UntypedType):
        world.faults.error("C129", node.span, "this value has no declared type, so it cannot be read")
        return None
    return value


def _item(world: World, scope: Scope, base: x.Expr, key: s.Expr) -> x.Expr | None:
    place = typed(world, scope, key, NumberType() if isinstance(base.type, ListType) else BROKEN)
    if place is None:
        return None
    if not isinstance(base.type, ListType):
        world.faults.error("C120", key.span, f"only a list has elements by number, not {type_name(base.type)}")
        return None
    if not isinstance(place.type, NumberType) or place.type.digits:
        world.faults.error("C120", key.span, f"the place in a list is an int, not {type_name(place.type)}")
        return None
    return x.Item(base, place, base.type.element, base.span.to(key.span))
