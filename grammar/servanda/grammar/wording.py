"""What the parser can take, in the words of the language.

In: the parse tables, and the states in which reading stopped. Out: the acceptable terminals, as phrases a reader knows. Trusts the tables.
"""

from collections.abc import Collection, Sequence

from servanda.grammar.lexer import WORD
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
    ("operand", "an operand"),
    ("value", "a value"),
    ("constant", "a constant"),
    ("type", "a type"),
    ("pattern", "an event"),
)
"""Rules whose first terminals are listed as one phrase, the larger before the smaller."""

_TRAILERS = frozenset(("DOT", "LSQB", "LPAR"))
"""What continues a name; listed only where nothing else can stand."""

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
    )
)
"""What can follow a whole operand."""


class Wording:
    """The phrases of one grammar; `openers` are the words that begin a declaration, `keywords` all words by terminal."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        fixed = {t.name: t.pattern for t in tables.terminals if t.fixed}
        self.keywords = {name: pattern for name, pattern in fixed.items() if WORD.fullmatch(pattern)}
        self._marks = {name: pattern for name, pattern in fixed.items() if name not in self.keywords}
        self._first = {origin: self._begins(origin) for origin, _ in _PHRASES}
        self.openers = frozenset(self.keywords[t] for t in self._first["item"] if t in self.keywords)

    def _begins(self, origin: str) -> frozenset[str]:
        """The terminals a rule can begin with; no rule named in `_PHRASES` is empty."""
        seen: set[str] = set()
        terminals: set[str] = set()
        queue = [origin]
        while queue:
            here = queue.pop()
            if here in seen:
                continue
            seen.add(here)
            for production, symbols in zip(self._tables.productions, self._tables.symbols, strict=True):
                if production.origin == here and symbols:
                    (terminals.add if symbols[0].isupper() else queue.append)(symbols[0])
        return frozenset(terminals)

    def acceptable(self, states: Sequence[int]) -> tuple[str, ...]:
        """The terminals that can stand next, in alphabetical order."""
        return tuple(sorted(t for t in self._tables.shift[states[-1]] if self._takes(states, t)))

    def _takes(self, states: Sequence[int], terminal: str) -> bool:
        """Can the automaton, in these states, take the terminal?"""
        tables = self._tables
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

    def phrases(self, possible: Collection[str]) -> list[str]:
        """The terminals as phrases, whole groups as one; what continues a construct before what ends it."""
        left = set(possible)
        groups = []
        for origin, phrase in _PHRASES:
            group = self._first[origin]
            if group <= set(possible) and group & left:
                groups.append(phrase)
                left -= group
        ending = []
        if groups[:1] == [_PHRASES[0][1]]:
            ending.append(groups.pop(0))
            left.discard(END)
        if len(left & _OPERATORS) > 3:
            left -= _OPERATORS
            ending.insert(0, "an operator")
        if left - _TRAILERS or groups or ending:
            left -= _TRAILERS
        named = [_NAMED[t] for t in _NAMED if t in left]
        words = sorted(f"'{pattern}'" for name, pattern in self.keywords.items() if name in left)
        marks = sorted(f"'{pattern}'" for name, pattern in self._marks.items() if name in left)
        return groups + named + words + marks + ending


def listed(phrases: Sequence[str]) -> str:
    """`a, b or c`, cut after `MAX_EXPECTED`."""
    shown = list(phrases[:MAX_EXPECTED])
    if len(phrases) > MAX_EXPECTED:
        return ", ".join(shown) + ", …"
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
