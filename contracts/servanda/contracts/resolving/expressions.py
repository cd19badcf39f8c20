"""The typing of expressions: from what was written to a typed term.

In: an expression of the syntax tree, its scope, the facts of the contract, and where it helps the type of the other side (`want`, through
which enum members are found). Out: a typed term, or None once the fault is recorded; what hangs on a None is None without a word.
"""

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

import re2

from servanda.contracts import expression as x
from servanda.contracts.resolving import names, operators
from servanda.contracts.resolving.typing_rules import BOOL, BROKEN, assignable, family
from servanda.contracts.resolving.world import Scope, Slot, World
from servanda.contracts.types import (
    DateType,
    DurationType,
    EnumType,
    EventType,
    ListType,
    NumberType,
    StringType,
    Type,
    UntypedType,
    type_name,
)
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import nearest
from servanda.grammar.span import Span

UNKNOWN_MAX = 1000
"""Most elements of a list parameter whose `max` no call tells."""


def condition(world: World, scope: Scope, node: s.Expr) -> x.Expr | None:
    """A term of type bool."""
    return checked(world, scope, node, BOOL)


def checked(world: World, scope: Scope, node: s.Expr, want: Type) -> x.Expr | None:
    """A term that can stand where `want` is declared."""
    found = typed(world, scope, node, want)
    if found is None or want == BROKEN:
        return found
    if not assignable(found.type, want):
        world.faults.error("C120", node.span, f"{type_name(want)} is needed here, not {type_name(found.type)}")
        return None
    return found


def typed(world: World, scope: Scope, node: s.Expr, want: Type | None = None) -> x.Expr | None:
    """A term whose value can be read: not an event as a whole, not untyped JSON."""
    found = term(world, scope, node, want)
    match None if found is None else found.type:
        case EventType():
            world.faults.error(
                "C129", node.span, "an event cannot be read as a value", help="read its .args, .result, .text or .turn"
            )
            return None
        case UntypedType():
            world.faults.error("C129", node.span, "this value has no declared type, so an expression cannot read it")
            return None
        case _:
            return found


def term(world: World, scope: Scope, node: s.Expr, want: Type | None = None) -> x.Expr | None:
    """Any term, an event or untyped JSON included: what stands before a `.name`, or is asked for presence."""
    match node:
        case s.Group(inner):
            return term(world, scope, inner, want)
        case s.Literal():
            return literal(world, node, want)
        case s.Var():
            return names.variable(world, scope, node, want)
        case s.Attr():
            return _attr(world, scope, node)
        case s.Index(base, key):
            return _index(world, scope, node, base, key)
        case s.Apply():
            return _apply(world, scope, node)
        case s.Not(operand):
            inner_term = condition(world, scope, operand)
            return None if inner_term is None else x.Not(inner_term, node.span)
        case s.Logical(op, operands):
            parts = [condition(world, scope, o) for o in operands]
            whole = tuple(p for p in parts if p is not None)
            return x.Logical(op, whole, node.span) if len(whole) == len(parts) else None
        case s.Compare(op, left, right):
            pair = _pair(world, scope, left, right)
            return None if pair is None else operators.compare(op, *pair, node.span, world.faults)
        case s.InSet(item, members):
            return _in_set(world, scope, node, item, members)
        case s.In(_, item, container):
            return _in(world, scope, node, item, container)
        case s.Matches():
            return _matches(world, scope, node)
        case s.Presence(operand, present):
            asked = term(world, scope, operand)
            return None if asked is None else x.Present(asked, present, node.span)
        case s.Arithmetic(op, left, right):
            pair = _pair(world, scope, left, right)
            return None if pair is None else operators.arithmetic(op, *pair, node.span, world.faults)
        case s.Conditional(test, then, otherwise):
            first = condition(world, scope, test)
            pair = _pair(world, scope, then, otherwise, want)
            return None if first is None or pair is None else operators.if_else(first, *pair, node.span, world.faults)
        case s.Quantifier():
            return _quantifier(world, scope, node)
        case s.Fold():
            return _fold(world, scope, node)
        case s.Size(xs):
            listed = _list(world, scope, xs)
            return None if listed is None else x.Size(listed[0], node.span)
        case _:
            assert_never(node)


def literal(world: World, node: s.Literal, want: Type | None = None) -> x.Const | None:
    """A constant; a quoted string beside an enum is a member of it."""
    match node.kind:
        case "bool":
            return x.Const(bool(node.value), BOOL, node.span)
        case "int" | "decimal":
            assert isinstance(node.value, int | Decimal)
            return operators.number_constant(Fraction(node.value), node.span)
        case "string":
            text = str(node.value)
            if isinstance(want, EnumType):
                return operators.member(want, text, node.span, world.faults)
            return x.Const(text, StringType(), node.span)
        case "date":
            day = calendar_day(str(node.value))
            if day is None:
                world.faults.error("C136", node.span, f"{node.value} is no day of the calendar")
                return None
            return x.Const(day, DateType(), node.span)
        case "duration":
            assert isinstance(node.value, int)
            try:
                return x.Const(timedelta(seconds=node.value), DurationType(), node.span)
            except OverflowError:
                world.faults.error("C136", node.span, "this duration is too long to be one")
                return None
        case "time":
            return None  # refused as not supported
        case _:
            assert_never(node.kind)


def calendar_day(text: str) -> date | None:
    """The day `yyyy-mm-dd` names, or None."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _pair(
    world: World, scope: Scope, left: s.Expr, right: s.Expr, want: Type | None = None
) -> tuple[x.Expr, x.Expr] | None:
    """Two terms that stand beside each other: one without a type of its own is read with the type of the other."""
    if want is None and names.needs_type(world, scope, left) and not names.needs_type(world, scope, right):
        b = typed(world, scope, right)
        a = typed(world, scope, left, BROKEN if b is None else b.type)
    else:
        a = typed(world, scope, left, want)
        lead = want if want is not None else None if a is None and names.needs_type(world, scope, left) else BROKEN
        b = typed(world, scope, right, lead if a is None else a.type)
    return None if a is None or b is None else (a, b)


def _attr(world: World, scope: Scope, node: s.Attr) -> x.Expr | None:
    base, name = node.base, node.name
    if isinstance(base, s.Var) and base.name in scope.aliases:
        leaves = scope.aliases[base.name]
        if name.text in names.PARTS:
            return names.part(world, leaves, base.name, name.text, node.span)
        if name.text in world.labels:
            return names.label(world, scope, name.text, base.name, leaves, node.span)
        known = (*names.PARTS, *world.labels)
        world.faults.error(
            "C131",
            name.span,
            f"an event has no '{name.text}'",
            help=nearest(name.text, known) or "its parts are args, result, text and turn",
        )
        return None
    before = term(world, scope, base)
    return None if before is None else names.field(world, scope, before, name)


def _index(world: World, scope: Scope, node: s.Index, base: s.Expr, key: s.Expr) -> x.Expr | None:
    before = typed(world, scope, base)
    place = typed(world, scope, key, BROKEN if before is None else NumberType())
    if before is None or place is None:
        return None
    if not isinstance(before.type, ListType):
        world.faults.error("C120", base.span, f"only a list has elements by number, not {type_name(before.type)}")
        return None
    if not isinstance(place.type, NumberType) or place.type.digits:
        world.faults.error("C120", key.span, f"the place in a list is an int, not {type_name(place.type)}")
        return None
    if isinstance(place, x.Const) and isinstance(place.value, int) and not 0 <= place.value < before.type.max:
        world.faults.error(
            "C135",
            key.span,
            f"a list of at most {before.type.max} elements has no place {place.value}; places count from 0",
        )
        return None
    element = before.type.element
    return None if element == BROKEN else x.Item(before, place, element, node.span)


def _apply(world: World, scope: Scope, node: s.Apply) -> x.Expr | None:
    name, span = node.name.text, node.name.span
    kind = next((k for k in ("define", "view") if (k, name) in world.parameters), None)
    if kind is None:
        for argument in node.arguments:
            term(world, scope, argument, BROKEN)
        if name in world.broken:
            return None
        if names.known(world, scope, name):
            world.faults.error("C127", span, f"'{name}' is {names.what_is(world, scope, name)} and takes no arguments")
            return None
        callable_names = [n for k, n in world.parameters if k != "event"]
        event = ("event", name) in world.parameters
        hint = f"an event is matched by a pattern: `event {name}(…)`" if event else nearest(name, callable_names)
        world.faults.error("C110", span, f"no definition or view is called '{name}'", help=hint)
        return None
    word = "definition" if kind == "define" else "view"
    found = arguments(world, scope, node.arguments, world.parameters[kind, name], f"the {word} '{name}'", span)
    return None if found is None else names.call(world, scope, name, node.span, found)


def arguments(
    world: World,
    scope: Scope,
    written: tuple[s.Expr, ...],
    parameters: tuple[tuple[str, Slot], ...],
    what: str,
    span: Span,
) -> tuple[x.Expr, ...] | None:
    """The typed arguments of a definition, view or event; while types are being learnt, the parameters learn theirs here."""
    if len(written) != len(parameters):
        world.faults.error("C127", span, f"{what} takes {names.count(len(parameters))}, not {len(written)}")
        return None
    found: list[x.Expr] = []
    for node, (_, slot) in zip(written, parameters, strict=True):
        argument = typed(world, scope, node, BROKEN if slot.type is None and not world.inferring else slot.type)
        if argument is None:
            continue
        if world.inferring:
            slot.learn(argument.type)
        if slot.type is not None and not assignable(argument.type, slot.type):
            world.faults.error(
                "C120", node.span, f"{what} takes {type_name(slot.type)} here, not {type_name(argument.type)}"
            )
            continue
        found.append(argument)
    return tuple(found) if len(found) == len(parameters) else None


def _in_set(world: World, scope: Scope, node: s.InSet, item: s.Expr, members: tuple[s.Expr, ...]) -> x.Expr | None:
    asked = typed(world, scope, item)
    found: list[x.Expr] = []
    for member in members:
        one = typed(world, scope, member, BROKEN if asked is None else asked.type)
        if one is not None and asked is not None:
            if not operators.check_comparable(asked.type, one.type, member.span, world.faults):
                continue
            found.append(one)
    if asked is None or len(found) < len(members):
        return None
    return x.OneOf(asked, tuple(found), node.span)


def _in(world: World, scope: Scope, node: s.In, item: s.Expr, container: s.Expr) -> x.Expr | None:
    whole = typed(world, scope, container)
    want = (
        whole.type.element
        if whole is not None and isinstance(whole.type, ListType)
        else None
        if whole is not None
        else BROKEN
    )
    asked = typed(world, scope, item, want)
    if whole is None and asked is not None:
        _learn_list(world, scope, container, asked.type)
    return None if whole is None or asked is None else operators.contains(whole, asked, node.span, world.faults)


def _matches(world: World, scope: Scope, node: s.Matches) -> x.Expr | None:
    operand = typed(world, scope, node.operand, StringType())
    fault = regex_fault(node.regex)
    if fault:
        world.faults.error("C137", node.regex_span, f"RE2 refuses this expression: {fault}")
    if operand is None or fault:
        return None
    if not isinstance(operand.type, StringType):
        world.faults.error("C120", node.operand.span, f"`matches` reads a string, not {type_name(operand.type)}")
        return None
    return x.Matches(operand, node.regex, node.span)


def regex_fault(regex: str) -> str:
    """What RE2 says against a regular expression; empty if it takes it."""
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(regex, options)
    except re2.error as error:
        said = error.args[0] if error.args else b""
        return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return ""


def _list(world: World, scope: Scope, node: s.Expr) -> tuple[x.Expr, ListType] | None:
    found = typed(world, scope, node)
    if found is None:
        return None
    if not isinstance(found.type, ListType):
        world.faults.error("C120", node.span, f"a list is needed here, not {type_name(found.type)}")
        return None
    return found, found.type


def _learn_list(world: World, scope: Scope, node: s.Expr, element: Type) -> None:
    """Tell a parameter that is walked as a list, and of which nothing else is known, what its elements are."""
    match node:
        case s.Group(inner):
            _learn_list(world, scope, inner, element)
        case s.Var(name) if world.inferring and name in scope.variables and scope.variables[name].type is None:
            scope.variables[name].learn(ListType(element, UNKNOWN_MAX))


def walk(world: World, scope: Scope, name: s.Name, xs: s.Expr) -> tuple[x.Expr | None, Scope]:
    """The list and the scope in which `name` is its element; in scope (of unknown type) even where the list is ill-typed."""
    listed = _list(world, scope, xs)
    slot = Slot(None if listed is None and world.inferring else BROKEN if listed is None else listed[1].element)
    if not names.check_new_name(world, scope, name, "the variable"):
        slot, listed = Slot(BROKEN), None
    return (None if listed is None else listed[0]), scope.with_variable(name.text, slot)


def _quantifier(world: World, scope: Scope, node: s.Quantifier) -> x.Expr | None:
    inner = scope
    lists: list[x.Expr] = []
    for name, xs in zip(node.variables, node.lists, strict=False):
        listed, inner = walk(world, inner, name, xs)
        if listed is not None:
            lists.append(listed)
    body = condition(world, inner, node.body)
    if len(node.variables) != 1 or len(node.lists) != 1:
        return None  # refused as not supported
    element = inner.variables[node.variables[0].text].type
    if not lists and element is not None and element != BROKEN:
        _learn_list(world, scope, node.lists[0], element)
    if not lists or body is None:
        return None
    return x.Quantified(node.word, (node.variables[0].text,), tuple(lists), body, node.span)


def _fold(world: World, scope: Scope, node: s.Fold) -> x.Expr | None:
    listed, inner = walk(world, scope, node.variable, node.list)
    body = typed(world, inner, node.body, NumberType() if node.word == "sum" else BOOL)
    element = inner.variables[node.variable.text].type
    if listed is None and element is not None and element != BROKEN:
        _learn_list(world, scope, node.list, element)
    if body is None or listed is None or element is None:
        return None
    wanted = "number" if node.word == "sum" else "bool"
    if family(body.type) != wanted:
        world.faults.error("C120", node.body.span, f"`{node.word}` needs a {wanted} here, not {type_name(body.type)}")
        return None
    match node.word:
        case "count":
            kind: Type = NumberType(0, 0)
        case "sum":
            assert isinstance(body.type, NumberType)
            kind = NumberType(body.type.digits)
        case "first":
            kind = element
    if kind == BROKEN:
        return None
    return x.Fold(node.word, node.variable.text, listed, body, kind, node.span)


def query_only(world: World, expr: x.Expr) -> bool:
    """Whether a term reads nothing but query attributes, variables, and definitions over them (language reference §5)."""
    match expr:
        case x.ViewCall() | x.Part() | x.EventPart() | x.Label() | x.Output():
            return False
        case x.DefinitionCall(name):
            inner = world.definitions.get(name)
            if inner is not None and not inner.query_only:
                return False
    return all(query_only(world, child) for child in x.children(expr))
