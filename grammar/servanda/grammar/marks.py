"""Where the canonical layout of a contract breaks, indents and spaces: steps at the offsets of its tokens.

In: the tokens of a contract. Out: `Marks`, to be filled by a walk over the tree: what to do before and behind each token. Steps at one
offset are taken in the order they were made, so a construct marks its own steps before those of its parts, and closes after them.
Trusts that offsets are starts or ends of tokens.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

from servanda.grammar.diagnostic import InternalError
from servanda.grammar.layout import Break, Group, Indent
from servanda.grammar.lexer import CLOSING, OPENING, Token
from servanda.grammar.span import Span

Step = Break | Group | Indent | None
"""Put a break, open a part, or (None) close the part opened last."""

WIDE = "  "


class Placed(Protocol):
    """A node of the tree."""

    @property
    def span(self) -> Span:
        """Where it was read."""


class Marks:
    """Steps and spacing by offset.

    `before` and `behind` are keyed by the start and the end of a token. `tight`: starts of tokens without a blank before them; `loose`:
    starts of colons with one; `dropped`: starts of commas left out; `comma`: ends behind which a comma is put; `parted`: starts before
    which an empty line is kept.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.before: dict[int, list[Step]] = defaultdict(list)
        self.behind: dict[int, list[Step]] = defaultdict(list)
        self.tight: set[int] = set()
        self.loose: set[int] = set()
        self.dropped: set[int] = set()
        self.comma: set[int] = set()
        self.parted: set[int] = set()
        self._tokens = tokens
        self._starts = {t.start: i for i, t in enumerate(tokens)}
        self._ends = {t.end: i for i, t in enumerate(tokens)}

    def previous(self, start: int) -> Token:
        """The token before the one that starts at `start`."""
        return self._tokens[self._starts[start] - 1]

    def following(self, end: int) -> Token:
        """The token behind the one that ends at `end`."""
        return self._tokens[self._ends[end] + 1]

    def kinds(self, kind: str, within: Span) -> list[Token]:
        """The tokens of a kind within a span."""
        first, last = self._starts[within.start], self._ends[within.end]
        return [t for t in self._tokens[first : last + 1] if t.type == kind]

    # ---- parts -----------------------------------------------------------------------------------------------------------

    def open(self, start: int, indent: int = 0) -> None:
        """Open a group, and an indent within it, before a token."""
        self.before[start].append(Group())
        if indent:
            self.before[start].append(Indent(indent))

    def close(self, end: int, indent: int = 0) -> None:
        """Close what `open` opened, behind a token."""
        self.behind[end].extend([None, None] if indent else [None])

    def indent(self, start: int) -> None:
        """Open an indent of two columns before a token."""
        self.before[start].append(Indent(2))

    def closing(self, opening: Token) -> Token:
        """The bracket that closes `opening`."""
        depth = 0
        for token in self._tokens[self._starts[opening.start] :]:
            depth += (token.type in OPENING) - (token.type in CLOSING)
            if depth == 0:
                return token
        raise InternalError("the brackets of a parsed contract do not match")

    # ---- breaks ----------------------------------------------------------------------------------------------------------

    def hard(self, start: int) -> None:
        """A line end before a token."""
        self.before[start].append(Break(hard=True))

    def soft(self, start: int, flat: str = " ", *, fill: bool = False) -> None:
        """A break before a token, of the group it stands in."""
        self.before[start].append(Break(flat, fill))

    def word(self, node: Placed | None) -> None:
        """A break before the word that introduces a node, if there is one."""
        if node is not None:
            self.soft(self.previous(node.span.start).start)

    def rows(self, nodes: Sequence[Placed], *, fill: bool = True) -> None:
        """A break before each member of a list but the first; its commas are as written."""
        for node in nodes[1:]:
            self.soft(node.span.start, fill=fill)

    def separated(self, spans: Sequence[Span], *, comma: bool, fill: bool = False) -> None:
        """A break before each member of a list but the first; all its commas are written, or none."""
        for span in spans:
            self.without_comma(span)
        for span, after in pairwise(spans):
            if comma:
                self.comma.add(span.end)
            self.soft(after.start, " " if comma else WIDE, fill=fill)

    def without_comma(self, span: Span) -> None:
        """Leave out the optional comma behind a member of a list."""
        token = self.following(span.end)
        if token.type == "COMMA":
            self.dropped.add(token.start)

    # ---- brackets --------------------------------------------------------------------------------------------------------

    def bracket(self, closing: int, first: int | None, flat: str) -> None:
        """Breaks behind the opening and before the closing bracket, which starts at `closing`; `first`: the start of what is between."""
        if first is None:
            self.tight.add(closing)
        else:
            self.before[first].extend([Indent(2), Break(flat)])
            self.before[closing].extend([None, Break(flat)])

    def parentheses(self, inner: Sequence[Placed], opening: Token, closing: Token, *, tight: bool = True) -> None:
        """A group in parentheses; `tight`: no blank before the opening one."""
        if tight:
            self.tight.add(opening.start)
        self.open(opening.start)
        self.bracket(closing.start, inner[0].span.start if inner else None, "")
        self.close(closing.end)

    def block(self, span: Span, starts: Sequence[int], *, indent: int = 4) -> None:
        """A construct that ends in a block of lines, each at one of `starts`; what stands before the block is a group."""
        closing = span.end - 1
        opening = self.previous(starts[0] if starts else closing)
        self.open(span.start, indent)
        self.close(opening.end, indent)
        for i, start in enumerate(starts):
            if i == 0:
                self.before[start].append(Indent(2))
            self.before[start].append(Break(hard=True))
            self.parted.add(start)
        if starts:
            self.before[closing].extend([None, Break(hard=True)])
        else:
            self.tight.add(closing)
