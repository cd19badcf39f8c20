"""Text to tokens, one at a time, by what the parser can take.

In: a source and, for each token, the row of the parse table in force. Out: `Token`s, comments on the side. A word is a keyword only where
the row has that keyword, else a name; of the other terminals of the row the first in the grammar's order that matches is taken. A text
that no terminal of the row matches comes back as what it would be elsewhere, so that the parser can say what it found. Trusts the tables.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from servanda.grammar.span import Source, Span
from servanda.grammar.syntax import Comment
from servanda.grammar.tables import END, Tables

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
BAD = "?"
"""The type of a text that is no token anywhere."""

OPENING = frozenset(("LBRACE", "LPAR", "LSQB"))
CLOSING = frozenset(("RBRACE", "RPAR", "RSQB"))
"""The brackets."""

_STRAY = re.compile(r"""\d[\w.]*|"[^\r\n]*|&&?|\|\|?|'[^'\r\n]*'?""")
_BLANK = re.compile(r"[ \t\r\n]+")
_COMMENT = re.compile(r"#[^\n]*")
_IGNORED = frozenset(("COMMENT", "BLANK"))
_Match = Callable[[str, int], re.Match[str] | None]


@dataclass(slots=True)
class Token:
    """A piece of the text and the terminal it was read as."""

    type: str
    text: str
    start: int
    end: int
    line: int
    column: int

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(self.start, self.end, self.line, self.column)


class Lexicon:
    """The terminals of a grammar, ready to match; one for all texts."""

    def __init__(self, tables: Tables) -> None:
        self.words: Mapping[str, str] = {
            t.pattern: t.name for t in tables.terminals if t.fixed and WORD.fullmatch(t.pattern)
        }
        """Keyword to terminal."""
        self._matchers: tuple[tuple[str, _Match], ...] = tuple(
            (t.name, re.compile(re.escape(t.pattern) if t.fixed else t.pattern).match)
            for t in tables.terminals
            if t.name not in _IGNORED and t.name != "NAME" and t.pattern not in self.words
        )
        self._plans: list[tuple[tuple[str, _Match], ...] | None] = [None] * len(tables.shift)
        self._rows = tables.shift

    def plan(self, state: int) -> tuple[tuple[str, _Match], ...]:
        """The terminals, other than words, that `state` can take, in the order they are tried."""
        plan = self._plans[state]
        if plan is None:
            row = self._rows[state]
            plan = self._plans[state] = tuple(m for m in self._matchers if m[0] in row)
        return plan

    def anywhere(self, text: str, at: int) -> tuple[str, int]:
        """Terminal and end of the text at `at`, where the parser expects none of its words; `BAD` where it is no token."""
        for name, match in self._matchers:
            found = match(text, at)
            if found:
                return name, found.end()
        stray = _STRAY.match(text, at)
        return BAD, stray.end() if stray else at + 1


class Lexer:
    """One reading of one source from `start`; remembers its place and the tokens and comments it passed."""

    def __init__(self, lexicon: Lexicon, source: Source, start: int = 0) -> None:
        self.comments: list[Comment] = []
        self.tokens: list[Token] = []
        self._lexicon = lexicon
        self._text = source.text
        self._at = start or (1 if source.text.startswith("\ufeff") else 0)
        first = source.span(start, start)
        self._line = first.line
        self._line_start = start - first.column + 1

    def next(self, state: int, row: Mapping[str, int]) -> Token:
        """The next token as `state` with its `row` can take it; of type `$END` at the end of the text."""
        text = self._text
        at = self._skip()
        if at >= len(text):
            return Token(END, "", at, at, self._line, at - self._line_start + 1)
        found = WORD.match(text, at)
        if found:
            word = found.group()
            kind = self._lexicon.words.get(word, "NAME")
            end = found.end()
            if kind not in row and "NAME" in row:
                kind = "NAME"
            if "KEY" in row or "OR_BY" in row:
                for name, match in self._lexicon.plan(state):
                    longer = match(text, at)
                    if longer:
                        kind, end = name, longer.end()
                        break
        else:
            for name, match in self._lexicon.plan(state):
                found = match(text, at)
                if found:
                    kind, end = name, found.end()
                    break
            else:
                kind, end = self._lexicon.anywhere(text, at)
        token = Token(kind, text[at:end], at, end, self._line, at - self._line_start + 1)
        self.tokens.append(token)
        self._at = end
        if kind == "OR_BY":
            self._count(at, end)
        return token

    def _skip(self) -> int:
        """Pass blanks and comments; the place of the next token."""
        text = self._text
        at = self._at
        while True:
            blank = _BLANK.match(text, at)
            if blank:
                end = blank.end()
                self._count(at, end)
                at = end
            comment = _COMMENT.match(text, at)
            if not comment:
                self._at = at
                return at
            span = Span(at, comment.end(), self._line, at - self._line_start + 1)
            own = not text[self._line_start : at].strip(" \t\r\ufeff")
            self.comments.append(Comment(comment.group().rstrip(), own, span))
            at = comment.end()

    def _count(self, start: int, end: int) -> None:
        lines = self._text.count("\n", start, end)
        if lines:
            self._line += lines
            self._line_start = self._text.rindex("\n", start, end) + 1
