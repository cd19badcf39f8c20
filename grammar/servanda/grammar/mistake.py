"""A syntax error in the words of the language: what was found, what could stand there, which word was meant.

In: the token at which reading stopped, the parser's states before it, the brackets then open. Out: a `Diagnostic` C100.
Trusts the wording of the grammar.
"""

from collections.abc import Collection

from servanda.grammar.advice import advice, shortened, stray
from servanda.grammar.diagnostic import Diagnostic, Note, Severity, nearest
from servanda.grammar.lexer import BAD, WORD, Token
from servanda.grammar.span import Source
from servanda.grammar.tables import END
from servanda.grammar.wording import Wording, listed

_PAIRS = {"}": "{", ")": "(", "]": "["}


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


def explain(wording: Wording, source: Source, mistake: Mistake) -> Diagnostic:
    """The diagnostic of a syntax error."""
    token = mistake.token
    span = token.span
    possible = wording.acceptable(mistake.states)
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
        or (token.text in wording.openers and _begins_line(source, token))
    ):
        notes = (Note(f"this '{opened.text}' is still open", opened.span),)
    hint = (
        _swallowed(wording, mistake.previous, source)
        or advice(token, mistake.previous, possible, source)
        or _meant(wording, token, possible)
    )
    message = f"{found}; expected {listed(wording.phrases(possible))}"
    return Diagnostic("C100", Severity.ERROR, message, source, span, "not expected here", notes, hint)


def _begins_line(source: Source, token: Token) -> bool:
    return not source.line(token.line)[: token.column - 1].strip()


def _swallowed(wording: Wording, previous: Token | None, source: Source) -> str:
    """A hint where the first word of a declaration was read as a name, since the line before it lacks one."""
    if previous and previous.type == "NAME" and previous.text in wording.openers and _begins_line(source, previous):
        return f"'{previous.text}' was read as a name; is something missing before it?"
    return ""


def _meant(wording: Wording, token: Token, possible: Collection[str]) -> str:
    """The keyword that a word was probably meant to be."""
    if not WORD.fullmatch(token.text):
        return ""
    words = [pattern for name, pattern in wording.keywords.items() if name in possible]
    if token.text.lower() in words:
        return f"the words of the language are in small letters: '{token.text.lower()}'"
    glued = max((w for w in words if token.text.startswith(w) and token.text != w), key=len, default="")
    if glued and token.text.removeprefix(glued) in wording.keywords.values():
        return f"is a blank missing behind '{glued}'?"
    near = nearest(token.text, words)
    if near:
        return near
    if glued:
        return f"is a blank missing behind '{glued}'?"
    return f"is a ':' missing behind '{token.text}'?" if "KEY" in possible else ""
