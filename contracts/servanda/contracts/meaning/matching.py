"""The meaning of patterns (language reference §3): whether an event matches, and which conditions failed where it does not.

In: a pattern, an event, the scope the pattern stands in. Out: true, false or unknown; or the failed atoms of a near miss. A pattern with an
undefined condition does not match. Pure.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from servanda.contracts import expression as x
from servanda.contracts.meaning.evaluate import Scope, evaluate, holds, truth
from servanda.contracts.meaning.values import (
    Undefined,
    Unknown,
    ViewMiss,
    conjunction,
    disjunction,
    negation,
    settled,
    show,
)
from servanda.contracts.model import (
    AnyHead,
    ClassHead,
    Contract,
    MessageHead,
    NamedHead,
    Pattern,
    ToolHead,
    Verb,
    in_class,
)
from servanda.contracts.observed import Event
from servanda.contracts.words import source_text


def match(pattern: Pattern, event: Event, scope: Scope) -> bool | Unknown:
    """Whether the event matches. Views in the pattern are read strictly before it."""
    head = _head(pattern, event, scope)
    if head is False or pattern.where is None:
        return head
    return settled(conjunction((head, holds(pattern.where, scope.at(event, pattern.alias)))))


def fits(pattern: Pattern, event: Event, scope: Scope) -> bool | Unknown:
    """Whether the event is of the kind the pattern speaks of, whatever its conditions say: what activates `never`."""
    head = pattern.head
    match head:
        case NamedHead():
            inner, inside = named(head, event, scope)
            return fits(inner, event, inside)
        case AnyHead(patterns):
            return settled(disjunction(fits(p, event, scope) for p in patterns))
        case _:
            return _head(pattern, event, scope)


def speaks_of(contract: Contract, pattern: Pattern, event: Event) -> bool:
    """Whether the event is of a tool or role the pattern names; one that is not never matches."""
    match pattern.head:
        case ToolHead(_, tool):
            return event.kind == "call" and event.name == tool
        case ClassHead(_, cls):
            return event.kind == "call" and in_class(contract, event.name, cls)
        case MessageHead(role):
            return event.kind == "message" and event.name == role
        case NamedHead(name):
            return speaks_of(contract, contract.events[name].pattern, event)
        case AnyHead(patterns):
            return any(speaks_of(contract, p, event) for p in patterns)
        case _:
            assert_never(pattern.head)


def _head(pattern: Pattern, event: Event, scope: Scope) -> bool | Unknown:
    head = pattern.head
    match head:
        case ToolHead(verb, tool):
            return event.kind == "call" and event.name == tool and _verb(verb, event, scope)
        case ClassHead(verb, cls):
            return (
                event.kind == "call" and in_class(scope.reads.contract, event.name, cls) and _verb(verb, event, scope)
            )
        case MessageHead(role):
            return event.kind == "message" and event.name == role
        case NamedHead():
            inner, inside = named(head, event, scope)
            return match(inner, event, inside)
        case AnyHead(patterns):
            return settled(disjunction(match(p, event, scope) for p in patterns))
        case _:
            assert_never(head)


def _verb(verb: Verb, event: Event, scope: Scope) -> bool | Unknown:
    match verb:
        case "attempt":
            return True
        case "call":
            return scope.reads.success(event)
        case "failed":
            return settled(negation(scope.reads.success(event)))


def named(head: NamedHead, event: Event, scope: Scope) -> tuple[Pattern, Scope]:
    """The pattern of a declared event, and the scope in which its parameters stand for the arguments."""
    declared = scope.reads.contract.events[head.name]
    here = Scope(scope.reads, None, event, scope.variables, scope.aliases)
    names = (p for p, _ in declared.parameters)
    bound = {n: evaluate(a, here) for n, a in zip(names, head.arguments, strict=True)}
    return declared.pattern, here.bind(bound)


# ---- near misses ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Failed:
    """A failed condition, in contract words with the values seen; `views`: those whose being undefined alone made it fail."""

    text: str
    views: tuple[ViewMiss, ...] = ()


@dataclass(frozen=True, slots=True)
class Miss:
    """How an event misses a pattern: the conditions that failed, those that are unknown with what they hang on, and how many there are in all."""

    failed: tuple[Failed, ...]
    open: tuple[tuple[str, Unknown], ...]
    conditions: int

    @property
    def rank(self) -> tuple[int, tuple[str, ...]]:
        """Least for the pattern that fails least."""
        return len(self.failed), tuple(f.text for f in self.failed)


def failed_atoms(pattern: Pattern, event: Event, scope: Scope) -> Miss | None:
    """The conditions of the pattern that failed at the event; None where the pattern speaks of another tool or role."""
    inner = _head_miss(pattern, event, scope)
    if inner is None:
        return None
    failed, unsettled, count = list(inner.failed), list(inner.open), inner.conditions
    here = scope.at(event, pattern.alias)
    for atom in x.conjuncts(pattern.where):
        count += 1
        value = truth(atom, here)
        if value is False or isinstance(value, Undefined):
            failed.append(atom_text(atom, here))
        elif isinstance(value, Unknown):
            unsettled.append((source_text(scope.reads.contract, atom.span), value))
    return Miss(tuple(failed), tuple(unsettled), count)


def _head_miss(pattern: Pattern, event: Event, scope: Scope) -> Miss | None:
    head = pattern.head
    match head:
        case ToolHead(verb, tool):
            return _attempt(verb, event, scope) if event.kind == "call" and event.name == tool else None
        case ClassHead(verb, cls):
            there = event.kind == "call" and in_class(scope.reads.contract, event.name, cls)
            return _attempt(verb, event, scope) if there else None
        case MessageHead(role):
            return Miss((), (), 0) if event.kind == "message" and event.name == role else None
        case NamedHead():
            inner, inside = named(head, event, scope)
            return failed_atoms(inner, event, inside)
        case AnyHead(patterns):
            misses = [m for p in patterns if (m := failed_atoms(p, event, scope)) is not None]
            return min(misses, key=lambda m: m.rank) if misses else None
        case _:
            assert_never(head)


def _attempt(verb: Verb, event: Event, scope: Scope) -> Miss:
    """Whether it succeeded (or failed) is a condition too, and not one of those of which some have to hold."""
    if verb == "attempt":
        return Miss((), (), 0)
    success = scope.reads.success(event)
    word = "succeeded" if verb == "call" else "failed"
    if isinstance(success, Unknown):
        return Miss((), ((word, success),), 0)
    return Miss((), (), 0) if success == (verb == "call") else Miss((Failed(word),), (), 0)


_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def atom_text(atom: x.Expr, scope: Scope) -> Failed:
    """A false or undefined condition in contract words: what it says, and the values that made it so."""
    text = source_text(scope.reads.contract, atom.span)
    value = truth(atom, scope)
    if isinstance(value, Undefined):
        return Failed(f"{text} ({value.reason})", value.views)
    match atom:
        case x.Compare(op, left, right):
            seen = f"{_seen(left, scope)} {_OPPOSITE[op]} {_seen(right, scope)}"
            return Failed(text if isinstance(left, x.Const) and isinstance(right, x.Const) else f"{text}: {seen}")
        case x.OneOf(item) | x.Contains(item=item):
            return Failed(f"{text}: {_seen(item, scope)}")
        case x.Matches():
            return Failed(f"{text}: no match")
        case _:
            return Failed(text)


def _seen(expr: x.Expr, scope: Scope) -> str:
    return show(evaluate(expr, scope), expr.type)


# ---- what a pattern speaks of --------------------------------------------------------------------------------------------


def successful_tools(contract: Contract, pattern: Pattern) -> tuple[str, ...]:
    """The tools whose successful call can match, classes spelt out, sorted."""
    return tuple(sorted(set(_tools(contract, pattern))))


def _tools(contract: Contract, pattern: Pattern) -> Iterator[str]:
    match pattern.head:
        case ToolHead("call", tool):
            yield tool
        case ClassHead("call", cls):
            yield from contract.tools if cls == "tools" else contract.classes.get(cls, ())
        case NamedHead(name):
            yield from _tools(contract, contract.events[name].pattern)
        case AnyHead(patterns):
            for part in patterns:
                yield from _tools(contract, part)
        case ToolHead() | ClassHead() | MessageHead():
            return


def alternatives(contract: Contract, pattern: Pattern) -> Iterator[Pattern]:
    """The pattern as the patterns any of which will do: `any of` and declared events without parameters spelt out where nothing is added."""
    match pattern:
        case Pattern(AnyHead(patterns), None, ""):
            for part in patterns:
                yield from alternatives(contract, part)
        case Pattern(NamedHead(name, ()), None, ""):
            yield from alternatives(contract, contract.events[name].pattern)
        case _:
            yield pattern
