"""Every node's span is the text of its construct: cut out and put where such a construct can stand, it reads as the same node."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from servanda.grammar import syntax as s
from servanda.grammar.parser import parse
from servanda.grammar.span import Source, Span

HERE = Path(__file__).resolve().parent
SAMPLES = {p.stem: p.read_text("utf-8") for p in sorted((HERE / "samples").glob("*.contract"))}
HEAD = "language 1\ncontract c version 1\n"


def parts(node: Any) -> Iterator[Any]:
    """The nodes directly within a node, in the order of its fields."""
    for slot in type(node).__slots__:
        yield from flat(getattr(node, slot))


def flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from flat(part)
    elif isinstance(value, s.Clauses):
        yield from parts(value)
    elif hasattr(value, "__slots__") and not isinstance(value, Span):
        yield value


def everywhere(node: Any) -> Iterator[Any]:
    yield node
    for part in parts(node):
        yield from everywhere(part)


def item(text: str) -> Any:
    (found,) = parse(Source("t", HEAD + text)).items
    return found


def again(node: Any, text: str) -> Any:
    """The node read from the text of its span alone."""
    match node:
        case s.Name():
            return s.Name(text, node.span)
        case s.Text():
            return item(f"use tools {text}").file if text.startswith('"') else s.Text(text, node.span)
        case s.Reference():
            return item(f"order {text} before z").earlier
        case s.ProseRef():
            return item(f"order a before b from {text}").clauses.prose
        case s.Range():
            return item(f"result t : int {text}").type.range
        case s.ReadRef():
            return item(f"view v = last {text}").of
        case s.Field() if text.startswith("field "):
            return item(f"output json {{ {text} }}").items[0]
        case s.Field():
            return item(f"query {{ {text} }}").fields[0]
        case s.Pattern():
            return item(f"event e = {text}").pattern
        case s.ToolHead() | s.ClassHead() | s.MessageHead() | s.EventHead() | s.AnyHead():
            return item(f"event e = {text}").pattern.head
        case s.Branch():
            return item(f"decide d {{ {text} }}").branches[0]
        case s.Option():
            return item(f"any of m {{ {text} }}").options[0]
        case s.Amount() if text.isdigit():  # the first of `n .. m turns`
            return s.Amount(int(text), node.unit, node.span)
        case s.Amount():
            return item(f"order a before b within {text}").bound.high
        case s.Bound():
            return item(f"order a before b within {text}").bound
        case s.Never() | s.Cardinality() | s.Each() | s.OnlyIf() | s.Always() | s.Edge():
            return item(f"rule r {text}").form
        case s.Arm():
            return item(f"state x : int = 0 {{ {text} }}").arms[0]
        case s.ExtraItem():
            return item(f"extra {text}").items[0]
        case s.MustMatch() | s.MustSay():
            return item(f"output text {{ {text} }}").items[0]
        case s.OutputSchema():
            return item(f"output json {{ {text} }}").items[0]
        case s.Immutable() | s.Budget() | s.Values() | s.ConditionRule() | s.Permission():
            return item(f"repair t {{ {text} }}").items[0]
        case s.TestCall() | s.TestMessage() | s.TestTurn():
            return item(f'test "t" {{ {text} expect conforms }}').events[0]
        case s.Expectation():
            return item(f'test "t" {{ {text} }}').expectations[0]
        case s.ObjectValue() | s.ArrayValue() | s.NullValue():
            return item(f'test "t" {{ output {text} expect conforms }}').output
        case s.ScalarType() | s.EnumType() | s.SetType() | s.ListType() | s.MapType() | s.NamedType() | s.RecordType():
            return item(f"result t : {text}").type
        case _ if isinstance(node, s.Expr):
            return item(f"define d = {text}").body
        case _:
            return item(text)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_span_is_the_text_of_its_node(name: str) -> None:
    text = SAMPLES[name]
    source = Source(name, text)
    tree = parse(source)
    kinds = set()
    for top in tree.items:
        for node in everywhere(top):
            span = node.span
            assert span == source.span(span.start, span.end)
            assert again(node, text[span.start : span.end]) == node, text[span.start : span.end]
            kinds.add(type(node))
    assert name != "loans" or len(kinds) > 75, len(kinds)


@pytest.mark.parametrize("name", SAMPLES)
def test_spans_nest_and_items_follow_one_another(name: str) -> None:
    tree = parse(Source(name, SAMPLES[name]))
    for before, after in pairwise(tree.items):
        assert before.span.end <= after.span.start
    for top in tree.items:
        for node in everywhere(top):
            for part in parts(node):
                assert node.span.start <= part.span.start < part.span.end <= node.span.end, (node, part)


def test_the_span_of_a_regular_expression() -> None:
    text = HEAD + r"define d = text matches /a\/b/ and x"
    (define,) = parse(Source("t", text)).items
    assert isinstance(define, s.DefineDecl)
    assert isinstance(define.body, s.Logical)
    matches = define.body.operands[0]
    assert isinstance(matches, s.Matches)
    assert matches.regex == "a/b"
    assert text[matches.regex_span.start : matches.regex_span.end] == r"/a\/b/"


def test_lines_columns_and_comments() -> None:
    text = "\ufeff# first\r\nlanguage 1 # second\r\ncontract c version 1\r\n\r\n  define é = 1".replace("é", "e")
    tree = parse(Source("t", text))
    assert [(c.text, c.own_line, c.span.line) for c in tree.comments] == [("# first", True, 1), ("# second", False, 2)]
    assert (tree.items[0].span.line, tree.items[0].span.column) == (5, 3)
