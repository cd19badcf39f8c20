"""The canonical layout of each construct: a walk over the tree that marks the places of its tokens.

In: a tree. Out: its `Marks`, filled. Trusts the spans of the tree.
"""

from collections.abc import Sequence
from typing import assert_never

from servanda.grammar import syntax as s
from servanda.grammar.layout import Break
from servanda.grammar.marks import Marks
from servanda.grammar.phrase_marking import (
    mark_condition,
    mark_expression,
    mark_field,
    mark_parameters,
    mark_pattern,
    mark_read,
    mark_type,
)
from servanda.grammar.span import Span


def mark_tree(tree: s.Tree, marks: Marks) -> None:
    """Mark a whole contract: two lines of header, an empty line, its declarations."""
    header = marks.kinds("CONTRACT", tree.span)[0]
    marks.before[header.start].append(Break(hard=True))
    for i, item in enumerate(tree.items):
        marks.before[item.span.start].append(Break(hard=True, blank=int(i == 0)))
        marks.parted.add(item.span.start)
        mark_item(item, marks)


def mark_item(item: s.Item, marks: Marks) -> None:
    """Mark a declaration or a member of a block."""
    start, end = item.span.start, item.span.end
    match item:
        case s.Obligation() | s.Step() | s.ForEach() | s.Decide() | s.AnyOf() | s.Order() | s.Rule():
            mark_member(item, marks)
        case s.SourceDecl() | s.UseTools() | s.AllowDecl():
            pass
        case s.EnumDecl():
            marks.open(start)
            marks.bracket(end - 1, item.members[0].span.start, " ")
            marks.separated([m.span for m in item.members], comma=True, fill=True)
            marks.close(end)
        case s.RecordDecl():
            marks.open(start)
            _fields(item.fields, end, marks)
            marks.close(end)
        case s.QueryDecl():
            marks.block(item.span, [f.span.start for f in item.fields])
            for field in item.fields:
                marks.without_comma(field.span)
                mark_field(field, marks)
        case s.ToolDecl():
            _tool(item, marks)
        case s.ResultDecl():
            marks.open(start, 2)
            marks.rows(item.tools)
            marks.loose.add(marks.following(item.tools[-1].span.end).start)
            mark_type(item.type, marks)
            marks.close(end, 2)
        case s.SuccessDecl():
            marks.open(start, 2)
            marks.rows(item.tools)
            marks.word(item.condition)
            mark_expression(item.condition, marks)
            marks.close(end, 2)
        case s.ClassDecl():
            marks.open(start, 2)
            marks.rows(item.tools)
            marks.close(end, 2)
        case s.LabelDecl():
            marks.open(start, 2)
            marks.loose.add(marks.following(item.name.span.end).start)
            mark_type(item.type, marks)
            marks.word(item.pattern)
            mark_pattern(item.pattern, marks)
            marks.close(end, 2)
        case s.ParamDecl():
            marks.loose.add(marks.following(item.name.span.end).start)
            mark_type(item.type, marks)
        case s.DefineDecl():
            marks.open(start, 2)
            mark_parameters(item.parameters, marks)
            marks.soft(item.body.span.start)
            mark_expression(item.body, marks)
            marks.close(end, 2)
        case s.EventDecl():
            mark_parameters(item.parameters, marks)
            mark_pattern(item.pattern, marks)
        case s.ViewDecl():
            mark_parameters(item.parameters, marks)
            if isinstance(item.of, s.Pattern):
                mark_pattern(item.of, marks)
            else:
                mark_read(item.of, marks)
        case s.StateDecl():
            _state(item, marks)
        case s.ExtraDecl():
            marks.open(start, 2)
            marks.rows(item.items)
            marks.close(end, 2)
        case s.OutputDecl():
            marks.block(item.span, [i.span.start for i in item.items])
            for part in item.items:
                marks.without_comma(part.span)
                if isinstance(part, s.Field):
                    mark_field(part, marks)
                elif isinstance(part, s.ConditionRule):
                    _condition_rule(part, marks)
        case s.RepairDecl():
            marks.block(item.span, [i.span.start for i in item.items])
            for line in item.items:
                _repair_item(line, marks)
        case s.TestDecl():
            _test(item, marks)
        case _:
            assert_never(item)


def mark_member(member: s.Member, marks: Marks) -> None:
    """Mark what may stand in a block."""
    start, end = member.span.start, member.span.end
    match member:
        case s.Obligation():
            by = marks.previous(member.clauses.by[0].span.start)
            header = marks.previous(by.start).end
            marks.open(start, 4)
            marks.close(header, 4)
            _clauses(member.clauses, marks)
            for i, pattern in enumerate(member.clauses.by):
                if i == 0:
                    marks.indent(by.start)
                marks.hard(marks.previous(pattern.span.start).start)
                mark_pattern(pattern, marks)
            marks.close(end)
        case s.Step():
            _block(member.span, member.body, marks)
            _clauses(member.clauses, marks)
            for pattern in member.clauses.by:
                marks.word(pattern)
                mark_pattern(pattern, marks)
            _members(member.body, marks)
        case s.ForEach():
            _block(member.span, member.body, marks)
            mark_expression(member.list, marks)
            marks.word(member.guard)
            if member.guard:
                mark_expression(member.guard, marks)
            _members(member.body, marks)
        case s.Decide():
            _block(member.span, member.branches, marks)
            _clauses(member.clauses, marks)
            for branch in member.branches:
                _block(branch.span, branch.body, marks)
                marks.word(branch.when)
                if branch.when:
                    mark_expression(branch.when, marks)
                _clauses(branch.clauses, marks)
                _members(branch.body, marks)
        case s.AnyOf():
            _block(member.span, member.options, marks)
            _clauses(member.clauses, marks)
            for option in member.options:
                _block(option.span, option.body, marks)
                _clauses(option.clauses, marks)
                _members(option.body, marks)
        case s.Order():
            marks.open(start, 2)
            marks.word(member.bound)
            _clauses(member.clauses, marks)
            marks.close(end, 2)
        case s.Rule():
            form = member.form.span.start
            marks.open(start, 4)
            marks.close(marks.previous(form).end, 4)
            marks.indent(form)
            marks.hard(form)
            marks.open(form, 2)
            _clauses(member.clauses, marks)
            _form(member.form, marks)
            marks.close(end, 2)
            marks.close(end)
        case _:
            assert_never(member)


def _block(span: Span, parts: Sequence[s.Member] | Sequence[s.Branch] | Sequence[s.Option], marks: Marks) -> None:
    marks.block(span, [p.span.start for p in parts])


def _members(members: Sequence[s.Member], marks: Marks) -> None:
    for member in members:
        mark_member(member, marks)


def _clauses(clauses: s.Clauses, marks: Marks) -> None:
    """Breaks before the clauses of a duty, its evidence left out."""
    marks.word(clauses.guard)
    if clauses.guard:
        mark_expression(clauses.guard, marks)
    if clauses.prose:
        marks.word(clauses.prose)
        colon = marks.following(clauses.prose.source.span.end)
        marks.tight.add(marks.following(colon.end).start)
    marks.word(clauses.severity)
    if clauses.sharing:
        marks.soft(clauses.sharing.span.start)


def _form(form: s.Form, marks: Marks) -> None:
    match form:
        case s.Never():
            patterns = [form.pattern, form.after, form.before]
        case s.Cardinality():
            patterns = [form.pattern]
        case s.Each():
            patterns = [form.pattern, form.target, form.since, form.until]
        case s.OnlyIf() | s.Edge():
            patterns = [form.pattern]
        case s.Always():
            patterns = []
        case _:
            assert_never(form)
    if isinstance(form, s.Each):
        marks.soft(marks.following(form.pattern.span.end).start)
        marks.word(form.since)
        marks.word(form.until)
        marks.word(form.bound)
    elif isinstance(form, s.Never):
        marks.word(form.after)
        marks.word(form.before)
    elif isinstance(form, s.Cardinality):
        if form.per is not None:
            marks.soft(marks.following(form.pattern.span.end).start)
        if form.per is not None and form.per != "turn":
            mark_expression(form.per, marks)
    elif isinstance(form, s.OnlyIf):
        marks.soft(marks.following(form.pattern.span.end).start)
        mark_condition(form.condition, marks)
    elif isinstance(form, s.Always):
        mark_expression(form.condition, marks)
    for pattern in patterns:
        if pattern is not None:
            mark_pattern(pattern, marks)


def _fields(fields: Sequence[s.Field], end: int, marks: Marks) -> None:
    """Fields in braces, the closing one before `end`: on one line, two blanks between them, or each on a line of its own."""
    marks.bracket(end - 1, fields[0].span.start if fields else None, " ")
    marks.separated([f.span for f in fields], comma=False)
    for field in fields:
        mark_field(field, marks)


def _tool(tool: s.ToolDecl, marks: Marks) -> None:
    opening = marks.following(tool.name.span.end)
    closing = marks.closing(opening)
    marks.parentheses(tool.arguments, opening, closing)
    marks.separated([f.span for f in tool.arguments], comma=True)
    for field in tool.arguments:
        mark_field(field, marks)
    if tool.result:
        mark_type(tool.result, marks)


def _state(state: s.StateDecl, marks: Marks) -> None:
    marks.block(state.span, [a.span.start for a in state.arms])
    mark_parameters(state.parameters, marks)
    marks.loose.add(marks.previous(state.type.span.start).start)
    mark_type(state.type, marks)
    mark_expression(state.initial, marks)
    for arm in state.arms:
        marks.open(arm.span.start, 2)
        mark_expression(arm.value, marks)
        marks.word(arm.pattern)
        mark_pattern(arm.pattern, marks)
        marks.close(arm.span.end, 2)


def _condition_rule(rule: s.ConditionRule, marks: Marks) -> None:
    marks.open(rule.span.start, 2)
    marks.soft(rule.condition.span.start)
    mark_expression(rule.condition, marks)
    _clauses(rule.clauses, marks)
    marks.close(rule.span.end, 2)


def _repair_item(item: s.Immutable | s.Budget | s.Values | s.ConditionRule | s.Permission, marks: Marks) -> None:
    start, end = item.span.start, item.span.end
    match item:
        case s.Immutable():
            marks.open(start, 2)
            marks.rows(item.pointers)
            marks.close(end, 2)
        case s.Values():
            marks.open(start, 2)
            marks.word(item.sources[0])
            marks.rows(item.sources)
            for source in item.sources:
                if not isinstance(source, s.Name):
                    mark_expression(source, marks)
            marks.close(end, 2)
        case s.ConditionRule():
            _condition_rule(item, marks)
        case s.Budget() | s.Permission():
            pass
        case _:
            assert_never(item)


def _test(test: s.TestDecl, marks: Marks) -> None:
    starts = [e.span.start for e in test.events] + [e.span.start for e in test.expectations]
    starts += [marks.previous(value.span.start).start for value in (test.query, test.output) if value]
    starts += [token.start for token in marks.kinds("OPEN", test.span)]
    marks.block(test.span, sorted(starts))
    for value in (test.query, test.output):
        if value:
            mark_value(value, marks)
    for event in test.events:
        if isinstance(event, s.TestTurn):
            marks.block(event.span, [e.span.start for e in event.events])
            for inner in event.events:
                _test_event(inner, marks)
        else:
            _test_event(event, marks)


def _test_event(event: s.TestCall | s.TestMessage, marks: Marks) -> None:
    if isinstance(event, s.TestCall):
        mark_value(event.arguments, marks)
        if event.result:
            mark_value(event.result, marks)
    if event.labels:
        mark_value(event.labels, marks)


def mark_value(value: s.Value, marks: Marks) -> None:
    """Mark data in a test."""
    start, end = value.span.start, value.span.end
    match value:
        case s.Literal() | s.Name() | s.NullValue():
            pass
        case s.ObjectValue():
            marks.open(start)
            marks.bracket(end - 1, value.entries[0][0].span.start if value.entries else None, " ")
            marks.separated([key.span.to(inner.span) for key, inner in value.entries], comma=False)
            for _, inner in value.entries:
                mark_value(inner, marks)
            marks.close(end)
        case s.ArrayValue():
            marks.open(start)
            marks.bracket(end - 1, value.items[0].span.start if value.items else None, "")
            marks.rows(value.items)
            for item in value.items:
                mark_value(item, marks)
            marks.close(end)
        case _:
            assert_never(value)
