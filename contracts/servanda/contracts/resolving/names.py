"""Names in expressions: what a bare name, a part of an event and a field stand for.

In: a name, the scope it stands in, the facts of the contract. Out: a typed term, or None once the fault is recorded. Reports an undeclared
name with the nearest one in reach, and a name that is declared but may not be read at this place with the reason.
"""

from collections.abc import Iterable

from servanda.contracts import expression as x
from servanda.contracts.resolving.typing_rules import BROKEN, merge
from servanda.contracts.resolving.world import RESERVED, Leaf, Leaves, Scope, World
from servanda.contracts.types import (
    EnumType,
    EventType,
    NumberType,
    RecordType,
    StringType,
    Type,
    UntypedType,
    type_name,
)
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Note, nearest
from servanda.grammar.span import Span

PARTS = ("args", "result", "text", "turn")


def variable(world: World, scope: Scope, node: s.Var, want: Type | None) -> x.Expr | None:
    """The term a bare name stands for; `want` is the type of the other side, through which enum members are found."""
    name, span = node.name, node.span
    member = isinstance(want, EnumType) and name in want.members
    if member and known(world, scope, name):
        world.faults.error(
            "C114",
            span,
            f"'{name}' is both a member of {type_name(want)} and {what_is(world, scope, name)}" if want else "",
            help=f'write the member in quotes: "{name}"',
        )
        return None
    if name in scope.variables:
        slot = scope.variables[name]
        if slot.type is None and world.inferring and want is not None and want != BROKEN:
            slot.learn(want)
        return None if slot.type is None or slot.type == BROKEN else x.Variable(name, slot.type, span)
    if name in scope.aliases:
        world.faults.error(
            "C133",
            span,
            f"'{name}' is an event, not a value",
            help=f"read a part of it, such as {name}.args or {name}.turn",
        )
        return None
    if name in world.broken:
        return None
    if name in PARTS:
        if not scope.has_event or name not in scope.parts:
            world.faults.error(
                "C131", span, f"{scope.place.words} has no '{name}': {scope.place.why or 'there is no event here'}"
            )
            return None
        return part(world, scope.event, "", name, span)
    if name == "output":
        if scope.output is None:
            world.faults.error(
                "C131", span, f"{scope.place.words} has no 'output': it is read in the rules of an output block only"
            )
            return None
        return x.Output(scope.output, span)
    if name in world.attributes:
        if not scope.place.attributes:
            _not_here(world, scope, span, f"the query attribute '{name}'")
            return None
        kind = world.attributes[name].type
        return None if kind == BROKEN else x.Attribute(name, kind, span)
    if ("define", name) in world.parameters or ("view", name) in world.parameters:
        return call(world, scope, name, span, ())
    if name in world.labels:
        return label(world, scope, name, "", scope.event if scope.has_event else (), span)
    if member and want is not None:
        return x.Const(name, want, span)
    _undeclared(world, scope, name, span, want)
    return None


def call(world: World, scope: Scope, name: str, span: Span, arguments: tuple[x.Expr, ...]) -> x.Expr | None:
    """A definition or view with its typed arguments, where one of that name may be read."""
    kind = "define" if ("define", name) in world.parameters else "view"
    wanted = len(world.parameters[kind, name])
    word = "definition" if kind == "define" else "view"
    if wanted != len(arguments):
        world.faults.error("C127", span, f"the {word} '{name}' takes {count(wanted)}, not {len(arguments)}")
        return None
    if kind == "view":
        view = world.views.get(name)
        if not scope.place.views:
            _not_here(world, scope, span, f"the view '{name}'")
            return None
        return None if view is None else x.ViewCall(name, arguments, view.type, span)
    definition = world.definitions.get(name)
    if scope.place.definitions == "none":
        _not_here(world, scope, span, f"the definition '{name}'")
        return None
    if definition is None:
        return None
    if scope.place.definitions == "query" and not definition.query_only:
        through = _first_run_read(world, definition.body)
        _not_here(world, scope, span, f"'{name}', which reads {through}" if through else f"'{name}'", definition.span)
        return None
    return x.DefinitionCall(name, arguments, definition.body.type, span)


def part(world: World, leaves: Leaves, alias: str, name: str, span: Span) -> x.Part | None:
    """`args`, `result`, `text` or `turn` of an event of one of these kinds."""
    if leaves is None:
        return None
    kind, fault = part_type(world, leaves, name)
    if kind is None:
        world.faults.error("C129" if fault.startswith("the result of") else "C131", span, fault)
        return None
    match name:
        case "args":
            return x.Part(alias, "args", kind, span)
        case "result":
            return x.Part(alias, "result", kind, span)
        case "text":
            return x.Part(alias, "text", kind, span)
        case _:
            return x.Part(alias, "turn", kind, span)


def part_type(world: World, leaves: tuple[Leaf, ...], name: str) -> tuple[Type | None, str]:
    """The type of a part of an event of these kinds, or None and why there is none."""
    message = next((leaf for leaf in leaves if leaf.kind == "message"), None)
    called = next((leaf for leaf in leaves if leaf.kind == "call"), None)
    match name:
        case "turn":
            return NumberType(0, 0), ""
        case "text":
            if called is not None or message is None:
                return (
                    None,
                    f"only a message has a text, and this pattern can match '{called.words}'"
                    if called
                    else "no event can match",
                )
            return StringType(), ""
        case "args":
            found = world.arguments_of(leaves)
            if found is None:
                return (
                    None,
                    f"only a call has args, and this pattern can match '{message.words}'" if message else NO_TOOL,
                )
            return found, ""
    if message is not None:
        return None, f"only a call has a result, and this pattern can match '{message.words}'"
    attempt = next((leaf for leaf in leaves if leaf.verb == "attempt"), None)
    if attempt is not None:
        return (
            None,
            f"'{attempt.words}' has no result to rely on: it may have failed or not have ended; write `call` instead of `attempt`",
        )
    untyped = next((leaf for leaf in leaves if world.tools[leaf.name].result is None), None)
    if untyped is not None:
        return None, f"the result of '{untyped.name}' has no type; declare it with `result {untyped.name} : TYPE`"
    result = world.result_of(leaves)
    if result is None:
        listed = ", ".join(
            f"{n}: {type_name(world.tools[n].result or UntypedType())}"
            for n in dict.fromkeys(leaf.name for leaf in leaves)
        )
        return None, f"the results of the tools that can match differ ({listed})" if leaves else NO_TOOL
    return result, ""


NO_TOOL = "no tool is in this class, so there is nothing to read"


def label(world: World, scope: Scope, name: str, alias: str, leaves: Leaves, span: Span) -> x.Label | None:
    """A label of the judged or named event, where it is made on every kind of event that can stand there."""
    fact = world.labels[name]
    if not scope.place.labels or not (scope.has_event or alias):
        _not_here(world, scope, span, f"the label '{name}'")
        return None
    if fact is None or leaves is None or fact.leaves is None or fact.declaration.type == BROKEN:
        return None
    uncovered = next((leaf for leaf in leaves if not any(_covers(made, leaf) for made in fact.leaves)), None)
    if uncovered is not None:
        on = ", ".join(f"'{leaf.words}'" for leaf in fact.leaves)
        world.faults.error(
            "C132",
            span,
            f"the label '{name}' is made on {on}, and this pattern can match '{uncovered.words}'",
            notes=(Note(f"'{name}' is declared here", fact.declaration.span),),
        )
        return None
    return x.Label(name, alias, fact.declaration.type, span)


def _covers(made: Leaf, used: Leaf) -> bool:
    return made.kind == used.kind and made.name == used.name and (made.verb == used.verb or made.verb == "attempt")


def field(world: World, scope: Scope, base: x.Expr, name: s.Name) -> x.Expr | None:
    """`base.name` of a term that is a record or an event."""
    kind = base.type
    span = base.span.to(name.span)
    match kind:
        case EventType():
            return _event_part(world, base, name, span)
        case RecordType():
            found = kind.field(name.text)
            if found is not None:
                return None if found.type == BROKEN else x.Field(base, name.text, found.type, span)
            differing = _differs(world, scope, base, name.text)
            if differing:
                world.faults.error("C126", name.span, differing)
            else:
                known_fields = [f.name for f in kind.fields]
                owner = _owner(base, kind)
                world.faults.error(
                    "C125",
                    name.span,
                    f"{owner} no field '{name.text}'",
                    help=nearest(name.text, known_fields)
                    or (f"its fields are {', '.join(known_fields)}" if known_fields else ""),
                )
        case UntypedType():
            world.faults.error("C129", base.span, "this value has no declared type, so nothing can be read from it")
        case _:
            world.faults.error("C125", name.span, f"a term of type {type_name(kind)} has no field '{name.text}'")
    return None


def _owner(base: x.Expr, kind: RecordType) -> str:
    if isinstance(base, x.Part | x.EventPart) and base.part == "args":
        return "the arguments of the call have"
    return f"the record {kind.name} has" if kind.name else "the record has"


def _event_part(world: World, base: x.Expr, name: s.Name, span: Span) -> x.EventPart | None:
    if name.text not in PARTS:
        world.faults.error(
            "C131", name.span, f"an event has no '{name.text}'", help="its parts are args, result, text and turn"
        )
        return None
    leaves = world.view_leaves.get(base.name) if isinstance(base, x.ViewCall) else None
    if leaves is None:
        return None
    kind, fault = part_type(world, leaves, name.text)
    if kind is None:
        world.faults.error("C129" if fault.startswith("the result of") else "C131", name.span, fault)
        return None
    match name.text:
        case "args":
            return x.EventPart(base, "args", kind, span)
        case "result":
            return x.EventPart(base, "result", kind, span)
        case "text":
            return x.EventPart(base, "text", kind, span)
        case _:
            return x.EventPart(base, "turn", kind, span)


def _differs(world: World, scope: Scope, base: x.Expr, name: str) -> str:
    """Why a field of `args` or `result` that some matched tools have cannot be read; empty if none has it or there is one tool."""
    leaves: Leaves = None
    match base:
        case x.Part(alias, ("args" | "result")):
            leaves = scope.aliases.get(alias) if alias else scope.event
        case x.EventPart(x.ViewCall(view), ("args" | "result")):
            leaves = world.view_leaves.get(view)
        case _:
            return ""
    tools = tuple(dict.fromkeys(leaf.name for leaf in leaves or ()))
    if len(tools) < 2:
        return ""
    records = {t: world.tools[t].arguments if base.part == "args" else world.tools[t].result for t in tools}
    having = {t: f for t, r in records.items() if isinstance(r, RecordType) and (f := r.field(name)) is not None}
    lacking = [t for t in tools if t not in having]
    if not having:
        return ""
    if lacking:
        return f"not every tool this pattern can match has '{name}': {', '.join(lacking)} {'has' if len(lacking) == 1 else 'have'} none"
    kinds = ", ".join(f"{type_name(f.type)} in {t}" for t, f in having.items())
    first = next(iter(having.values()))
    assert any(merge(first.type, f.type) is None for f in having.values())
    return f"'{name}' is not of one type in the tools this pattern can match: {kinds}"


def needs_type(world: World, scope: Scope, node: s.Expr) -> bool:
    """Whether a term has no type of its own: an enum member (bare or quoted), or a parameter nothing is known of yet."""
    match node:
        case s.Group(inner):
            return needs_type(world, scope, inner)
        case s.Literal(kind):
            return kind == "string"
        case s.Var(name):
            if name in scope.variables:
                return scope.variables[name].type is None
            return not known(world, scope, name)
        case s.Conditional(_, then, otherwise):
            return needs_type(world, scope, then) and needs_type(world, scope, otherwise)
        case _:
            return False


def known(world: World, scope: Scope, name: str) -> bool:
    """Whether a bare name stands for a fact here, readable or not."""
    return (
        name in scope.variables
        or name in scope.aliases
        or (name in PARTS and scope.has_event)
        or (name == "output" and scope.output is not None)
        or name in world.names
    )


def what_is(world: World, scope: Scope, name: str) -> str:
    """A known name in words."""
    if name in scope.variables:
        return "a variable"
    if name in scope.aliases:
        return "an alias of an event"
    return world.names.get(name, "a part of the event")


def check_new_name(world: World, scope: Scope, name: s.Name, what: str) -> bool:
    """Whether a variable or alias may have this name: no fact, member or reserved word has it. Records the fault otherwise."""
    text = name.text
    if text in RESERVED:
        world.faults.error("C112", name.span, f"'{text}' is a name of the language; {what} needs another one")
    elif text in world.members:
        world.faults.error("C114", name.span, f"{what} '{text}' equals a member of the enum {world.members[text]}")
    elif text in scope.variables or text in scope.aliases or text in world.names:
        world.faults.error("C113", name.span, f"{what} '{text}' hides {what_is(world, scope, text)} of that name")
    else:
        return True
    return False


def reachable(world: World, scope: Scope) -> Iterable[str]:
    """The names that can be written at a place, for suggestions."""
    parts = PARTS if scope.has_event else ()
    return (*scope.variables, *scope.aliases, *parts, *world.names)


def _undeclared(world: World, scope: Scope, name: str, span: Span, want: Type | None) -> None:
    if isinstance(want, EnumType):
        world.faults.error(
            "C124",
            span,
            f"'{name}' is no member of {type_name(want)}",
            help=nearest(name, (*want.members, *reachable(world, scope)))
            or f"its members are {', '.join(want.members)}",
        )
    elif want == BROKEN:
        return
    elif name in world.members:
        seen = f", not beside a term of type {type_name(want)}" if want is not None else ""
        world.faults.error(
            "C124",
            span,
            f"'{name}' is a member of the enum {world.members[name]}: it can stand only beside a term of that type{seen}",
        )
    else:
        world.faults.error(
            "C110", span, f"'{name}' is not declared", help=nearest(name, (*reachable(world, scope), *world.members))
        )


def _not_here(world: World, scope: Scope, span: Span, what: str, declared: Span | None = None) -> None:
    notes = (Note("it is defined here", declared),) if declared else ()
    message = f"{scope.place.words} may not read {what}: {scope.place.why}"
    world.faults.error(scope.place.code, span, message, notes=notes, help=scope.place.hint)


def _first_run_read(world: World, body: x.Expr) -> str:
    """What a definition reads from the run, in words; empty if nothing is found."""
    match body:
        case x.ViewCall(name):
            return f"the view '{name}'"
        case x.DefinitionCall(name):
            inner = world.definitions.get(name)
            if inner is not None and not inner.query_only:
                return _first_run_read(world, inner.body)
    for child in x.children(body):
        found = _first_run_read(world, child)
        if found:
            return found
    return ""


def count(number: int) -> str:
    """How many arguments, in words."""
    return "no arguments" if number == 0 else f"{number} argument{'s' if number > 1 else ''}"
