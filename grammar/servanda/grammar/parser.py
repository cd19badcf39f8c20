"""A contract's text to its syntax tree: the LALR(1) automaton.

In: a `Source`. Out: a `Tree` with a span on every node, or a `Refusal` with every syntax error that is certain to be one of its own.
After an error reading goes on at the next declaration that begins a line outside all blocks. Trusts the parse tables and the builder.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from servanda.grammar import syntax
from servanda.grammar.builder import Action, actions
from servanda.grammar.diagnostic import Diagnostic, Refusal, Severity
from servanda.grammar.lexer import CLOSING, OPENING, Lexer, Lexicon, Token
from servanda.grammar.limits import MAX_NESTING, MAX_STACK, check_nesting, check_text
from servanda.grammar.mistake import Mistake, explain
from servanda.grammar.recovery import MAX_ERRORS, Landmarks
from servanda.grammar.span import Source
from servanda.grammar.tables import END, Tables, load
from servanda.grammar.terms import Fault
from servanda.grammar.wording import Wording


@dataclass(frozen=True, slots=True)
class Automaton:
    """The tables with the builder's methods and the lexicon that belong to them."""

    tables: Tables
    actions: tuple[Action | None, ...]
    lexicon: Lexicon

    def run(self, lexer: Lexer, start: str) -> Any:
        """Read from the lexer's place to the end of the text; raises `Mistake` or `Fault` at the first error."""
        tables = self.tables
        shift, goto, productions = tables.shift, tables.goto, tables.productions
        accepting = tables.accepting[start]
        states = [tables.starts[start]]
        values: list[Any] = []
        opened: list[Token] = []
        token: Token | None = None
        while True:
            state = states[-1]
            row = shift[state]
            previous = token
            token = lexer.next(state, row)
            kind = token.type
            action = row.get(kind)
            before = states if action is None or action >= 0 else states[:]
            while action is not None and action < 0:
                production = productions[~action]
                length = production.length
                if length:
                    parts = values[-length:]
                    del values[-length:]
                    del states[-length:]
                else:
                    parts = []
                if production.spliced or production.holes:
                    parts = _arranged(parts, production.spliced, production.holes)
                build = self.actions[~action]
                if build is not None:
                    value = build(parts)
                elif production.splice:
                    value = parts
                else:
                    value = parts[0]
                values.append(value)
                reached = goto[states[-1]][production.origin]
                states.append(reached)
                if kind == END and reached == accepting:
                    return value
                action = shift[reached].get(kind)
            if action is None:
                raise Mistake(token, previous, tuple(before), tuple(opened))
            states.append(action)
            values.append(token)
            if len(states) > MAX_STACK:
                raise Fault(f"this is nested more than {MAX_NESTING} deep", token.span, "C102")
            if kind in OPENING:
                opened.append(token)
                if len(opened) > MAX_NESTING:
                    raise Fault(f"brackets are nested more than {MAX_NESTING} deep", token.span, "C102")
            elif kind in CLOSING:
                opened.pop()


def _arranged(parts: list[Any], spliced: tuple[int, ...], holes: tuple[int, ...] | None) -> list[Any]:
    """The parts with spliced lists flattened and a None for each absent optional part. A list that comes first is grown in place."""
    if holes is None and spliced == (0,):
        grown: list[Any] = parts[0]
        grown.extend(parts[1:])
        return grown
    arranged: list[Any] = []
    for i, part in enumerate(parts):
        if holes:
            arranged.extend([None] * holes[i])
        if i in spliced:
            if arranged:
                arranged.extend(part)
            else:
                arranged = part
        else:
            arranged.append(part)
    if holes:
        arranged.extend([None] * holes[-1])
    return arranged


@cache
def automaton() -> Automaton:
    """The automaton of the contract language; made once a process."""
    tables = load()
    return Automaton(tables, actions(tables), Lexicon(tables))


@cache
def wording() -> Wording:
    """The phrases of the contract language; made at the first error of a process."""
    return Wording(automaton().tables)


def parse(source: Source) -> syntax.Tree:
    """The tree of a contract (language reference, sections 1-7). Raises `Refusal` with codes C100-C104."""
    check_text(source)
    machine = automaton()
    lexer = Lexer(machine.lexicon, source)
    try:
        tree: syntax.Tree = machine.run(lexer, "start")
    except (Mistake, Fault) as error:
        raise Refusal(_report(machine, source, error)) from None
    check_nesting(source, tree)
    return replace(tree, comments=tuple(lexer.comments))


def tokens(source: Source) -> tuple[Token, ...]:
    """The tokens of a contract that `parse` accepts, in order, without comments."""
    machine = automaton()
    lexer = Lexer(machine.lexicon, source)
    machine.run(lexer, "start")
    return tuple(lexer.tokens)


def _report(machine: Automaton, source: Source, error: Mistake | Fault) -> list[Diagnostic]:
    """The first error and those after it that are certain to be errors of their own."""
    landmarks = Landmarks(source, wording().openers)
    found: list[Diagnostic] = []
    start = 0
    while True:
        found.append(_diagnostic(source, error))
        offset = error.span.start
        if len(found) == MAX_ERRORS:
            found.append(
                Diagnostic(
                    "C100", Severity.NOTE, f"reading stopped after {MAX_ERRORS} syntax errors", source, error.span
                )
            )
            return found
        resumed = landmarks.after(offset, start)
        if resumed is None:
            return found
        start = resumed
        try:
            machine.run(Lexer(machine.lexicon, source, start), "rest")
            return found
        except (Mistake, Fault) as next_error:
            error = next_error
        if error.span.start >= landmarks.known:
            return found


def _diagnostic(source: Source, error: Mistake | Fault) -> Diagnostic:
    if isinstance(error, Mistake):
        return explain(wording(), source, error)
    return Diagnostic(error.code, Severity.ERROR, error.message, source, error.span)
