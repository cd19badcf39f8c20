"""The canonical text of a contract.

In: a tree and the source it was read from. Out: the same tokens and comments in one layout: one declaration a line, evidence and the
form of a rule on lines of their own, two columns an indent, lines broken at 120 columns where the language allows. Between braces optional
commas are left out, between parentheses they are written. Formatting twice changes nothing; the tree of the text is the given tree.
Trusts that the tree was read from the source.
"""

from collections import deque
from collections.abc import Sequence

from servanda.grammar.layout import Break, Remark, Sheet, Word
from servanda.grammar.lexer import CLOSING, OPENING, Token
from servanda.grammar.marking import mark_tree
from servanda.grammar.marks import Marks, Step
from servanda.grammar.parser import tokens
from servanda.grammar.span import Source
from servanda.grammar.syntax import Comment, Tree

_NO_BLANK_BEFORE = frozenset(("COMMA", "RPAR", "RSQB", "DOT"))
_NO_BLANK_BEHIND = frozenset(("LPAR", "LSQB", "DOT"))
_INDEXED = frozenset(("NAME", "RPAR", "RSQB"))


def format_tree(tree: Tree, source: Source) -> str:
    """The canonical text of `tree`, which was read from `source`; every comment keeps its place between the tokens."""
    read = tokens(source)
    marks = Marks(read)
    mark_tree(tree, marks)
    return _Writer(source, marks, tree.comments).write(read)


class _Writer:
    """Puts tokens, steps and comments on a sheet, in the order of the source."""

    def __init__(self, source: Source, marks: Marks, comments: Sequence[Comment]) -> None:
        self._text = source.text
        self._marks = marks
        self._comments = deque(comments)
        self._sheet = Sheet()
        self._end = 0
        self._previous: Token | None = None

    def write(self, read: Sequence[Token]) -> str:
        for token in read:
            if token.start not in self._marks.dropped:
                self._token(token)
        self._remarks(self._waiting(len(self._text)), kept=True)
        return self._sheet.text()

    def _token(self, token: Token) -> None:
        marks = self._marks
        previous = self._previous
        steps = marks.before.get(token.start, [])
        comments = self._waiting(token.start)
        kept = token.start in marks.parted
        breaks = [i for i, step in enumerate(steps) if isinstance(step, Break)]
        cut = breaks[-1] + 1 if breaks else 0
        if token.type in CLOSING:
            self._remarks(comments, kept=True)
            cut = 0
        else:
            trailing = [c for c in comments[:1] if not c.own_line]
            own = comments[len(trailing) :]
            self._remarks(trailing, kept=False)
            if kept and breaks:
                last = steps[breaks[-1]]
                assert isinstance(last, Break)
                last.blank = max(last.blank, self._gap(own[0].span.start if own else token.start))
            self._steps(steps[:cut])
            self._remarks(own, kept=kept)
            comments = own or (trailing if not breaks else [])
        if comments and not (token.type in CLOSING and breaks):
            # The line ends here, outside the parts that begin with this token.
            self._sheet.put(Break(hard=True, blank=self._gap(token.start) if kept else 0))
        self._steps(steps[cut:])
        apart = not (breaks or comments or previous is None or self._tight(previous, token))
        text = "or by" if token.type == "OR_BY" else token.text
        self._sheet.put(Word(f" {text}" if apart else text))
        self._end = token.end
        self._previous = token
        self._steps(marks.behind.get(token.end, []))
        if token.end in marks.comma:
            self._sheet.put(Word(","))

    def _waiting(self, offset: int) -> list[Comment]:
        """The comments before `offset` that are not yet written."""
        found = []
        while self._comments and self._comments[0].span.start < offset:
            found.append(self._comments.popleft())
        return found

    def _gap(self, offset: int) -> int:
        """1 where an empty line stands between what was written last and `offset`, unless that was an opening bracket."""
        after_opening = (
            self._previous is not None and self._previous.type in OPENING and self._end == self._previous.end
        )
        return int(not after_opening and self._text.count("\n", self._end, offset) > 1)

    def _remarks(self, comments: Sequence[Comment], *, kept: bool) -> None:
        """Write comments, of which only one right behind a token stands at the end of its line; `kept`: so are empty lines before them."""
        for comment in comments:
            behind = not comment.own_line and self._previous is not None and self._end == self._previous.end
            self._sheet.put(Remark(comment.text, not behind, self._gap(comment.span.start) if kept else 0))
            self._end = comment.span.end

    def _steps(self, steps: Sequence[Step]) -> None:
        for step in steps:
            if step is None:
                self._sheet.close()
            elif isinstance(step, Break):
                self._sheet.put(step)
            else:
                self._sheet.open(step)

    def _tight(self, previous: Token, token: Token) -> bool:
        """Do the two tokens stand without a blank between them?"""
        marks = self._marks
        if token.type == "COLON":
            return token.start not in marks.loose
        if token.type == "LSQB":
            return previous.type in _INDEXED
        return token.start in marks.tight or token.type in _NO_BLANK_BEFORE or previous.type in _NO_BLANK_BEHIND
