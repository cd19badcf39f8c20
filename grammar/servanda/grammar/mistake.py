"""A syntax error in the words of the language: what was found, what could stand there, which word was meant.

In: the token at which reading stopped, the parser's states before it, the brackets then open. Out: a `Diagnostic` C100.
Trusts the parse tables.
"""

from collections.abc import Collection, Container, Sequence

from servanda.grammar.advice import advice, shortened, stray
from servanda.grammar.diagnostic import Diagnostic, Note, Severity, nearest
from servanda.grammar.lexer import BAD, WORD, Token
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
_PAIRS = {"}": "{", ")": "(", "]": "["}
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


class Mistake(Exception):
    """The parser cannot take `token`, which follows `previous`; `states` is its stack before it, `opened` the brackets still open."""

    def __init__(
        self, token: Token, previous: Token | None, states: tuple[int, ...], opened: tuple[Token, ...]
    ) -> None:
        super().__init__(token.text)
        self.token = token
        self.previous = previous
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


def explain(tables: Tables, source: Source, mistake: Mistake) -> Diagnostic:
    """The diagnostic of a syntax error."""
    token = mistake.token
    span = token.span
    possible = acceptable(tables, mistake.states)
    opened = mistake.opened[-1] if mistake.opened else None
    if token.type == END:
        if mistake.previous:
            found = "the text ends here"
            span = source.span(mistake.previous.end, mistake.previous.end)
        else:
            found = "there is nothing but blanks and comments" if source.text else "the text is empty"
    elif token.type == BAD:
        found = stray(token.text)
    elif token.text in _PAIRS and not opened:
        found = f"this '{token.text}' closes nothing"
    else:
        found = f"found '{shortened(token.text)}'"
    notes: tuple[Note, ...] = ()
    if opened and (
        token.type == END
        or (token.text in _PAIRS and _PAIRS[token.text] != opened.text)
        or _begins_line(source, token, openers(tables))
    ):
        notes = (Note(f"this '{opened.text}' is still open", opened.span),)
    hint = advice(token, mistake.previous, possible, source) or _meant(tables, token, possible)
    message = f"{found}; expected {listed(phrases(tables, possible))}"
    return Diagnostic("C100", Severity.ERROR, message, source, span, "not expected here", notes, hint)


def _begins_line(source: Source, token: Token, words: Container[str]) -> bool:
    return token.text in words and not source.line(token.line)[: token.column - 1].strip()


def _meant(tables: Tables, token: Token, possible: Collection[str]) -> str:
    """The keyword that a word was probably meant to be."""
    if not WORD.fullmatch(token.text):
        return ""
    words = [t.pattern for t in tables.terminals if t.fixed and t.name in possible and WORD.fullmatch(t.pattern)]
    if token.text.lower() in words:
        return f"the words of the language are in small letters: '{token.text.lower()}'"
    glued = max((w for w in words if token.text.startswith(w) and token.text != w), key=len, default="")
    if glued and any(t.fixed and token.text == glued + t.pattern for t in tables.terminals):
        return f"is a blank missing behind '{glued}'?"
    near = nearest(token.text, words)
    if near:
        return near
    return f"is a blank missing behind '{glued}'?" if glued else ""


def phrases(tables: Tables, possible: Collection[str]) -> list[str]:
    """The terminals as phrases, whole groups as one; what continues a construct before what ends it."""
    left = set(possible)
    groups = []
    for origin, phrase in _PHRASES:
        group = first(tables, origin)
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
    fixed = [t.pattern for t in tables.terminals if t.fixed and t.name in left]
    words = sorted(f"'{p}'" for p in fixed if WORD.fullmatch(p))
    marks = sorted(f"'{p}'" for p in fixed if not WORD.fullmatch(p))
    return groups + named + words + marks + ending


def listed(phrases: Sequence[str]) -> str:
    """`a, b or c`, cut after `MAX_EXPECTED`."""
    shown = list(phrases[:MAX_EXPECTED])
    if len(phrases) > MAX_EXPECTED:
        return ", ".join(shown) + ", …"
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
