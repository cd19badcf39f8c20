"""The canonical layout of types, expressions and patterns: the parts of declarations.

In: a node. Out: its marks. What does not fit on a line is broken before operators, before `where`, `then`, `else`, and inside brackets.
Trusts the spans of the tree.
"""

from collections.abc import Sequence
from typing import assert_never

from servanda.grammar import syntax as s
from servanda.grammar.marks import Marks


def mark_type(node: s.Type, marks: Marks) -> None:
    """Mark a type."""
    start, end = node.span.start, node.span.end
    match node:
        case s.ScalarType():
            if node.digits is not None:
                marks.tight.add(marks.kinds("LPAR", node.span)[0].start)
        case s.EnumType():
            marks.open(start)
            marks.bracket(end - 1, node.members[0].span.start, " ")
            marks.separated([m.span for m in node.members], comma=True, fill=True)
            marks.close(end)
        case s.SetType() | s.ListType() | s.MapType():
            mark_type(node.element, marks)
        case s.RecordType():
            marks.open(start)
            marks.bracket(end - 1, node.fields[0].span.start if node.fields else None, " ")
            marks.separated([f.span for f in node.fields], comma=False)
            for field in node.fields:
                mark_field(field, marks)
            marks.close(end)
        case s.NamedType():
            pass
        case _:
            assert_never(node)


def mark_field(field: s.Field, marks: Marks) -> None:
    """Mark a field, its sources included."""
    marks.open(field.span.start, 2)
    mark_type(field.type, marks)
    for read in field.observed:
        marks.word(read)
        mark_read(read, marks)
    marks.close(field.span.end, 2)


def mark_read(read: s.ReadRef, marks: Marks) -> None:
    """Mark a read, its arguments and its path."""
    opening = marks.following(read.tool.span.end)
    keys = [key for key, _ in read.arguments]
    marks.parentheses(keys, opening, marks.closing(opening))
    marks.separated([key.span.to(value.span) for key, value in read.arguments], comma=True)
    for _, value in read.arguments:
        mark_expression(value, marks)
    for step in read.path:
        if not isinstance(step, s.Name):
            mark_expression(step, marks)


def mark_parameters(parameters: Sequence[s.Name], marks: Marks) -> None:
    """Mark the parameters of a definition: no blank before their parentheses."""
    if parameters:
        marks.tight.add(marks.previous(parameters[0].span.start).start)


def mark_expression(node: s.Expr, marks: Marks) -> None:
    """Mark an expression."""
    start, end = node.span.start, node.span.end
    match node:
        case s.Literal() | s.Var():
            pass
        case s.Attr():
            mark_expression(node.base, marks)
        case s.Index():
            mark_expression(node.base, marks)
            mark_expression(node.key, marks)
        case s.Apply():
            _arguments(node.name, node.arguments, marks)
        case s.Not():
            mark_expression(node.operand, marks)
        case s.Logical():
            marks.open(start)
            for i, operand in enumerate(node.operands):
                if i:
                    marks.word(operand)
                mark_condition(operand, marks)
            marks.close(end)
        case s.Compare() | s.Arithmetic():
            _binary(node, node.left, node.right, marks)
        case s.In():
            left, right = (node.item, node.container) if node.word == "in" else (node.container, node.item)
            _binary(node, left, right, marks)
        case s.InSet():
            mark_expression(node.item, marks)
            opening = marks.previous(node.members[0].span.start)
            marks.open(opening.start)
            marks.bracket(end - 1, node.members[0].span.start, " ")
            marks.rows(node.members)
            for member in node.members:
                mark_expression(member, marks)
            marks.close(end)
        case s.Matches() | s.Presence():
            mark_expression(node.operand, marks)
        case s.Conditional():
            marks.open(start, 2)
            marks.word(node.then)
            marks.word(node.otherwise)
            for part in (node.condition, node.then, node.otherwise):
                mark_expression(part, marks)
            marks.close(end, 2)
        case s.Quantifier():
            for xs in node.lists:
                mark_expression(xs, marks)
            _inner(node.body, marks)
        case s.Fold():
            mark_expression(node.list, marks)
            _inner(node.body, marks)
        case s.Size():
            _inner(node.list, marks, tight=True)
        case s.Group():
            _inner(node.inner, marks)
        case _:
            assert_never(node)


def mark_condition(node: s.Expr, marks: Marks) -> None:
    """Mark an expression behind a word: the lines of a logical one go further in than the word."""
    if isinstance(node, s.Logical):
        marks.indent(node.span.start)
        mark_expression(node, marks)
        marks.close(node.span.end)
    else:
        mark_expression(node, marks)


def mark_pattern(pattern: s.Pattern, marks: Marks) -> None:
    """Mark a pattern; its condition may go to a line of its own."""
    start, end = pattern.span.start, pattern.span.end
    head = pattern.head
    marks.open(start, 2)
    if isinstance(head, s.EventHead) and head.arguments:
        _arguments(head.name, head.arguments, marks)
    elif isinstance(head, s.AnyHead):
        first, last = head.patterns[0].span.start, head.span.end - 1
        marks.open(marks.previous(first).start)
        marks.bracket(last, first, " ")
        marks.separated([p.span for p in head.patterns], comma=False)
        for inner in head.patterns:
            mark_pattern(inner, marks)
        marks.close(head.span.end)
    marks.word(pattern.where)
    if pattern.where:
        mark_condition(pattern.where, marks)
    marks.close(end, 2)


def _binary(node: s.Expr, left: s.Expr, right: s.Expr, marks: Marks) -> None:
    marks.open(node.span.start, 2)
    marks.word(right)
    mark_expression(left, marks)
    mark_expression(right, marks)
    marks.close(node.span.end, 2)


def _arguments(name: s.Name, arguments: Sequence[s.Expr], marks: Marks) -> None:
    opening = marks.following(name.span.end)
    marks.parentheses(arguments, opening, marks.following(arguments[-1].span.end))
    marks.rows(arguments, fill=False)
    for argument in arguments:
        mark_expression(argument, marks)


def _inner(inner: s.Expr, marks: Marks, *, tight: bool = False) -> None:
    """An expression between parentheses of its own."""
    opening, closing = marks.previous(inner.span.start), marks.following(inner.span.end)
    marks.parentheses([inner], opening, closing, tight=tight)
    mark_expression(inner, marks)
