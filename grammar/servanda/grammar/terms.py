"""From reductions to syntax: literals, types, expressions and patterns.

In: for each production of the grammar, the list of what its symbols became (tokens, nodes, `Part`s, None for an absent optional part).
Out: the node. Each method is named after the rule or alias it builds. Raises `Fault` for what the tables cannot refuse: escapes, numbers,
lengths of time. Trusts the parse tables for the shape of its lists.
"""

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from servanda.grammar import syntax as s
from servanda.grammar.lexer import Token
from servanda.grammar.span import Span

MAX_DIGITS = 1000
MAX_NAME = 256
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}

Parts = list[Any]
"""What the symbols of a production became."""


class Fault(Exception):
    """A construct the tables accept and the language does not."""

    def __init__(self, message: str, span: Span, code: str = "C100") -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.code = code


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a construct that is no node of its own: what it is, what it holds, where it stands."""

    kind: str
    value: Any
    span: Span


def over(parts: Parts) -> Span:
    """From the first to the last part that is there."""
    first = next(p for p in parts if p is not None)
    last = next(p for p in reversed(parts) if p is not None)
    head = first if isinstance(first, Token) else first.span
    return Span(head.start, (last if isinstance(last, Token) else last.span).end, head.line, head.column)


def name(token: Token) -> s.Name:
    """An identifier."""
    if len(token.text) > MAX_NAME:
        raise Fault(f"this name has {len(token.text)} characters; a name has at most {MAX_NAME}", token.span, "C101")
    return s.Name(token.text, token.span)


def text(token: Token) -> s.Text:
    """A quoted text, its escapes resolved as in JSON."""
    return s.Text(unquoted(token), token.span)


def label(token: Token) -> s.Name | s.Text:
    """A name, or a quoted text in its place."""
    return text(token) if token.type == "QUOTED" else name(token)


def pointer(token: Token) -> s.Text:
    """A JSON pointer, bare or quoted."""
    return text(token) if token.type == "QUOTED" else s.Text(token.text, token.span)


def unquoted(token: Token) -> str:
    """The value of a quoted text."""
    raw = token.text
    if "\\" not in raw:
        return raw[1:-1]
    try:
        value: str = json.loads(raw, strict=False)
    except ValueError as wrong:
        raise Fault(
            'an unknown escape in a quoted text; known are \\" \\\\ \\/ \\n \\r \\t \\b \\f and \\u with four hexadecimal digits',
            token.span,
        ) from wrong
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise Fault("half of a surrogate pair in a quoted text is no character", token.span)
    return value


def whole(token: Token) -> int:
    """A whole number, written without leading zeros."""
    _check_number(token, token.text)
    return int(token.text)


def regex(token: Token) -> str:
    """The pattern between the slashes, `\\/` read as `/`."""
    inner = token.text[1:-1]
    if "\\/" not in inner:
        return inner
    pieces = []
    at = 0
    while at < len(inner):
        if inner[at] == "\\":
            pieces.append("/" if inner[at + 1] == "/" else inner[at : at + 2])
            at += 2
        else:
            pieces.append(inner[at])
            at += 1
    return "".join(pieces)


def seconds(tokens: list[Token]) -> int:
    """A length of time: each unit once, the largest first."""
    total = 0
    below = _SECONDS["d"] + 1
    for token in tokens:
        _check_number(token, token.text[:-1])
        unit = _SECONDS[token.text[-1]]
        if unit >= below:
            raise Fault("a length of time names each unit once, the largest first, as in '1d 12h'", token.span)
        below = unit
        total += int(token.text[:-1]) * unit
    return total


def _check_number(token: Token, digits: str) -> None:
    integer = digits.lstrip("-").partition(".")[0]
    if len(digits) > MAX_DIGITS:
        raise Fault(f"a number has at most {MAX_DIGITS} digits; this one has {len(digits)}", token.span, "C101")
    if len(integer) > 1 and integer[0] == "0":
        raise Fault(
            f"a number has no leading zeros: write {digits.replace(integer, integer.lstrip('0') or '0', 1)}", token.span
        )


class Terms:
    """The builder's methods for literals, types, expressions and patterns."""

    # ---- literals ------------------------------------------------------------------------------------------------------

    def whole(self, c: Parts) -> s.Literal:
        return s.Literal("int", whole(c[0]), c[0].span)

    def fraction(self, c: Parts) -> s.Literal:
        _check_number(c[0], c[0].text)
        return s.Literal("decimal", Decimal(c[0].text), c[0].span)

    def negative(self, c: Parts) -> s.Literal:
        return self.fraction(c) if "." in c[0].text else self.whole(c)

    def quoted(self, c: Parts) -> s.Literal:
        return s.Literal("string", unquoted(c[0]), c[0].span)

    def day(self, c: Parts) -> s.Literal:
        return s.Literal("date", c[0].text, c[0].span)

    def instant(self, c: Parts) -> s.Literal:
        return s.Literal("time", c[0].text, c[0].span)

    def truth(self, c: Parts) -> s.Literal:
        return s.Literal("bool", c[0].text == "true", c[0].span)

    def length(self, c: Parts) -> s.Literal:
        return s.Literal("duration", seconds(c), over(c))

    def constant_name(self, c: Parts) -> s.Name:
        return name(c[0])

    # ---- types ---------------------------------------------------------------------------------------------------------

    def plain_type(self, c: Parts) -> s.ScalarType:
        return s.ScalarType(c[0].text, None, None, c[0].span)

    def ranged_type(self, c: Parts) -> s.ScalarType:
        return s.ScalarType(c[0].text, None, c[1], over(c))

    def decimal_type(self, c: Parts) -> s.ScalarType:
        return s.ScalarType("decimal", whole(c[2]), c[4], over(c))

    def range(self, c: Parts) -> s.Range:
        return s.Range(c[1], c[3], over(c))

    def enum_type(self, c: Parts) -> s.EnumType:
        return s.EnumType(labels(c[2:-1]), over(c))

    def set_type(self, c: Parts) -> s.SetType:
        return s.SetType(c[2], over(c))

    def list_type(self, c: Parts) -> s.ListType:
        return s.ListType(c[2], whole(c[4]), over(c))

    def map_type(self, c: Parts) -> s.MapType:
        return s.MapType(c[2], whole(c[4]), over(c))

    def named_type(self, c: Parts) -> s.NamedType:
        return s.NamedType(name(c[0]), c[0].span)

    def record_type(self, c: Parts) -> s.RecordType:
        return s.RecordType(fields(c), over(c))

    def field(self, c: Parts) -> s.Field:
        key, _, kind, optional, observed = c
        return s.Field(label(key), kind, optional is not None, observed.value if observed else (), over(c))

    def observed(self, c: Parts) -> Part:
        return Part("observed", tuple(c[1::2]), over(c))

    def read(self, c: Parts) -> s.ReadRef:
        arguments = tuple(p.value for p in c if isinstance(p, Part) and p.kind == "argument")
        path = tuple(p.value for p in c if isinstance(p, Part) and p.kind == "path")
        return s.ReadRef(label(c[0]), arguments, path, over(c))

    def argument(self, c: Parts) -> Part:
        return Part("argument", (label(c[0]), c[2]), over(c))

    def path_name(self, c: Parts) -> Part:
        return Part("path", name(c[1]), over(c))

    def path_index(self, c: Parts) -> Part:
        return Part("path", c[1], over(c))

    # ---- expressions ---------------------------------------------------------------------------------------------------

    def iff(self, c: Parts) -> s.Logical:
        return s.Logical("iff", (c[0], c[2]), over(c))

    def implies(self, c: Parts) -> s.Logical:
        return s.Logical("implies", (c[0], c[2]), over(c))

    def disjunction(self, c: Parts) -> s.Logical:
        return s.Logical("or", tuple(c[::2]), over(c))

    def conjunction(self, c: Parts) -> s.Logical:
        return s.Logical("and", tuple(c[::2]), over(c))

    def negation(self, c: Parts) -> s.Not:
        return s.Not(c[1], over(c))

    def compare(self, c: Parts) -> s.Compare:
        return s.Compare(c[1].text, c[0], c[2], over(c))

    def in_list(self, c: Parts) -> s.In:
        return s.In("in", c[0], c[2], over(c))

    def in_set(self, c: Parts) -> s.InSet:
        return s.InSet(c[0], tuple(c[3:-1:2]), over(c))

    def contains(self, c: Parts) -> s.In:
        return s.In("contains", c[2], c[0], over(c))

    def matches(self, c: Parts) -> s.Matches:
        return s.Matches(c[0], regex(c[2]), c[2].span, over(c))

    def presence(self, c: Parts) -> s.Presence:
        return s.Presence(c[0], c[2].text == "present", over(c))

    def arithmetic(self, c: Parts) -> s.Arithmetic:
        return s.Arithmetic(c[1].text, c[0], c[2], over(c))

    def conditional(self, c: Parts) -> s.Conditional:
        return s.Conditional(c[2], c[4], c[6], over(c))

    def quantifier(self, c: Parts) -> s.Quantifier:
        at = next(i for i, p in enumerate(c) if isinstance(p, Token) and p.type == "IN")
        variables = tuple(name(t) for t in c[1:at:2])
        lists = tuple(c[at + 1 : -4 : 2])
        if len(variables) != len(lists):
            count = (
                f"{len(variables)} variable{'s' * (len(variables) > 1)} over {len(lists)} list{'s' * (len(lists) > 1)}"
            )
            raise Fault(f"{count}: parallel lists need one variable each, as in 'all a, b in xs, ys: (…)'", over(c))
        return s.Quantifier(c[0].text, variables, lists, c[-2], over(c))

    def fold(self, c: Parts) -> s.Fold:
        return s.Fold(c[0].text, name(c[1]), c[3], c[6], over(c))

    def size(self, c: Parts) -> s.Size:
        return s.Size(c[2], over(c))

    def var(self, c: Parts) -> s.Var:
        return s.Var(name(c[0]).text, c[0].span)

    def apply(self, c: Parts) -> s.Apply:
        return s.Apply(name(c[0]), c[1].value, over(c))

    def actuals(self, c: Parts) -> Part:
        return Part("actuals", tuple(c[1::2]), over(c))

    def group(self, c: Parts) -> s.Group:
        return s.Group(c[1], over(c))

    def attr(self, c: Parts) -> s.Attr:
        return s.Attr(c[0], name(c[2]), over(c))

    def index(self, c: Parts) -> s.Index:
        return s.Index(c[0], c[2], over(c))

    # ---- patterns ------------------------------------------------------------------------------------------------------

    def pattern(self, c: Parts) -> s.Pattern:
        head, alias, where = c
        return s.Pattern(head, alias.value if alias else None, where.value if where else None, over(c))

    def alias(self, c: Parts) -> Part:
        return Part("alias", name(c[1]), over(c))

    def where(self, c: Parts) -> Part:
        return Part("where", c[1], over(c))

    def tool_head(self, c: Parts) -> s.ToolHead:
        return s.ToolHead(c[0].text, label(c[1]), over(c))

    def class_head(self, c: Parts) -> s.ClassHead:
        return s.ClassHead(c[0].text, name(c[2]), over(c))

    def message_head(self, c: Parts) -> s.MessageHead:
        return s.MessageHead(name(c[1]), over(c))

    def event_head(self, c: Parts) -> s.EventHead:
        return s.EventHead(name(c[1]), c[2].value if c[2] else (), over(c))

    def any_head(self, c: Parts) -> s.AnyHead:
        return s.AnyHead(tuple(p for p in c if isinstance(p, s.Pattern)), over(c))


def labels(parts: Parts) -> tuple[s.Name | s.Text, ...]:
    """The names and quoted texts of a list, its commas left out."""
    return tuple(label(t) for t in parts if t.type != "COMMA")


def fields(parts: Parts) -> tuple[s.Field, ...]:
    """The fields of a construct."""
    return tuple(p for p in parts if isinstance(p, s.Field))
