"""A syntax error in the words of the language: what was found, what could stand there, which word was meant.

In: the token at which reading stopped, the parser's states before it, the brackets then open. Out: a `Diagnostic` C100.
Trusts the parse tables.
"""

from collections.abc import Iterable, Sequence

from servanda.grammar.diagnostic import Diagnostic, Severity
from servanda.grammar.lexer import Lexicon, Token
from servanda.grammar.span import Source
from servanda.grammar.tables import END, Tables

MAX_EXPECTED = 6
"""How many alternatives are listed."""

_NAMED = {
    END: "the end of the file",
    "NAME": "a name",
    "KEY": "a field name and ':'",
    "QUOTED": "a quoted text",
    "WHOLE": "a whole number",
    "FRACTION": "a decimal",
    "NEGATIVE": "a negative number",
    "LINES": "lines, as in 12-14",
    "REGEX": "a pattern between slashes, as in /word/",
    "POINTER": "a pointer, as in /amount",
    "LENGTH": "a length of time, as in 30d",
    "DAY": "a date, as in 2026-05-01",
    "INSTANT": "a time, as in 2026-05-01T10:00Z",
    "COMPARISON": "a comparison",
    "OR_BY": "'or by'",
}
_PHRASES = (
    ("item", "a declaration"),
    ("member", "a duty or a rule"),
    ("expr", "an expression"),
    ("value", "a value"),
    ("constant", "a constant"),
    ("type", "a type"),
    ("pattern", "an event"),
)
"""Rules whose first terminals are listed as one phrase, the larger before the smaller."""

_OPERATORS = frozenset(
    (
        "COMPARISON",
        "AND",
        "OR",
        "PLUS",
        "MINUS",
        "STAR",
        "IN",
        "IS",
        "CONTAINS",
        "MATCHES",
        "IMPLIES",
        "IFF",
        "DOT",
        "LSQB",
    )
)


class Mistake(Exception):
    """The parser cannot take `token`; `states` is its stack before it, `opened` the brackets still open."""

    def __init__(self, token: Token, states: tuple[int, ...], opened: tuple[Token, ...]) -> None:
        super().__init__(token.text)
        self.token = token
        self.span = token.span
        self.states = states
        self.opened = opened


def acceptable(tables: Tables, states: Sequence[int]) -> tuple[str, ...]:
    """The terminals that can stand next, in alphabetical order."""
    return tuple(sorted(t for t in tables.shift[states[-1]] if takes(tables, states, t)))


def takes(tables: Tables, states: Sequence[int], terminal: str) -> bool:
    """Can the automaton, in these states, take the terminal?"""
    stack = list(states)
    while True:
        action = tables.shift[stack[-1]].get(terminal)
        if action is None:
            return False
        if action >= 0:
            return True
        production = tables.productions[~action]
        if production.length:
            del stack[-production.length :]
        stack.append(tables.goto[stack[-1]][production.origin])
        if terminal == END and stack[-1] in tables.accepting.values():
            return True


def first(tables: Tables, origin: str) -> frozenset[str]:
    """The terminals a rule can begin with; no rule named in `_PHRASES` is empty."""
    seen: set[str] = set()
    terminals: set[str] = set()
    queue = [origin]
    while queue:
        here = queue.pop()
        if here in seen:
            continue
        seen.add(here)
        for production, symbols in zip(tables.productions, tables.symbols, strict=True):
            if production.origin == here and symbols:
                (terminals.add if symbols[0].isupper() else queue.append)(symbols[0])
    return frozenset(terminals)


def openers(tables: Tables) -> frozenset[str]:
    """The words that begin a declaration."""
    starts = first(tables, "item")
    return frozenset(t.pattern for t in tables.terminals if t.fixed and t.name in starts)


def explain(tables: Tables, lexicon: Lexicon, source: Source, mistake: Mistake) -> Diagnostic:
    """The diagnostic of a syntax error."""
    token = mistake.token
    possible = acceptable(tables, mistake.states)
    return Diagnostic(
        "C100",
        Severity.ERROR,
        f"found {_found(token)}; expected {listed(phrases(tables, lexicon, possible))}",
        source,
        token.span,
        notes=(),
        help="",
    )


def _found(token: Token) -> str:
    return "the end of the file" if token.type == END else f"'{token.text}'"


def phrases(tables: Tables, lexicon: Lexicon, possible: Iterable[str]) -> list[str]:
    """The terminals as phrases, whole groups as one."""
    left = set(possible)
    return sorted(left)


def listed(phrases: Sequence[str]) -> str:
    """`a, b or c`, cut after `MAX_EXPECTED`."""
    shown = list(phrases[:MAX_EXPECTED])
    if len(phrases) > MAX_EXPECTED:
        return ", ".join(shown) + ", …"
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
