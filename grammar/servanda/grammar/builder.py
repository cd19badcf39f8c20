"""From reductions to syntax: duties, rules, declarations and tests; with `Terms`, the whole tree.

In: as for `terms`. Out: the node. Raises `Fault` where a clause, a test's query or another part that may stand once stands twice.
Trusts the parse tables for the shape of its lists.
"""

from collections.abc import Callable
from typing import Any, Literal, cast

from servanda.grammar import syntax as s
from servanda.grammar.lexer import Token
from servanda.grammar.tables import Tables
from servanda.grammar.terms import (
    Fault,
    Part,
    Parts,
    Terms,
    fields,
    label,
    labels,
    name,
    over,
    pointer,
    regex,
    text,
    whole,
)

LANGUAGE = 1
"""The version of the language that is read."""

Action = Callable[[Parts], Any]


class Builder(Terms):
    """One method a rule of the grammar; holds nothing, so one serves all texts."""

    def start(self, c: Parts) -> s.Tree:
        language, contract, title, version = c[0].value
        # The parser, which alone has them, puts the comments in.
        return s.Tree(language, contract, title, version, tuple(c[1:]), (), over(c))

    def rest(self, c: Parts) -> tuple[s.Item, ...]:
        return tuple(c)

    def header(self, c: Parts) -> Part:
        language = whole(c[1])
        return Part("header", (language, name(c[3]), _title(c[4]), whole(c[6])), over(c))

    # ---- duties --------------------------------------------------------------------------------------------------------

    def obligation(self, c: Parts) -> s.Obligation:
        return s.Obligation(c[0].text, name(c[1]), _title(c[2]), _clauses(c[3:]), over(c))

    def step(self, c: Parts) -> s.Step:
        return s.Step(name(c[1]), _title(c[2]), _clauses(c[3:]), _members(c), over(c))

    def for_each(self, c: Parts) -> s.ForEach:
        guard = c[5].value if c[5] else None
        return s.ForEach(name(c[2]), c[4], guard, _members(c[6:]), over(c))

    def decide(self, c: Parts) -> s.Decide:
        branches = tuple(p for p in c if isinstance(p, s.Branch))
        return s.Decide(name(c[1]), _title(c[2]), c[3] is not None, _clauses(c[4:]), branches, over(c))

    def branch(self, c: Parts) -> s.Branch:
        when = c[3].value if isinstance(c[3], Part) else None
        return s.Branch(name(c[1]), _title(c[2]), when, _clauses(c[4:]), _members(c[4:]), over(c))

    def when(self, c: Parts) -> Part:
        return Part("when", c[1], over(c))

    def any_of(self, c: Parts) -> s.AnyOf:
        options = tuple(p for p in c if isinstance(p, s.Option))
        return s.AnyOf(name(c[2]), _title(c[3]), _clauses(c[4:]), options, over(c))

    def option(self, c: Parts) -> s.Option:
        return s.Option(name(c[1]), _title(c[2]), _clauses(c[3:]), _members(c[3:]), over(c))

    def guard(self, c: Parts) -> Part:
        return Part("if", c[1], over(c))

    def prose(self, c: Parts) -> Part:
        first, _, last = c[3].text.partition("-")
        low, high = (whole(Token("WHOLE", t, *_place(c[3]))) for t in (first, last or first))
        if low < 1 or high < low:
            raise Fault("lines are counted from 1, and the first comes before the last", c[3].span)
        span = over(c[1:])
        return Part("from", s.ProseRef(name(c[1]), low, high, span), over(c))

    def severity(self, c: Parts) -> Part:
        return Part("severity", name(c[1]), over(c))

    def sharing(self, c: Parts) -> Part:
        return Part("sharing", name(c[0]), over(c))

    def by(self, c: Parts) -> Part:
        return Part("by", tuple(c[1::2]), over(c))

    # ---- order and rules -----------------------------------------------------------------------------------------------

    def order(self, c: Parts) -> s.Order:
        return s.Order(c[1], c[3], c[4].value if c[4] else None, _clauses(c[5:]), over(c))

    def reference(self, c: Parts) -> s.Reference:
        names = tuple(name(t) for t in c if t.type == "NAME")
        return s.Reference(names, tuple(whole(t) for t in c if t.type == "WHOLE"), over(c))

    def within(self, c: Parts) -> Part:
        return Part("within", c[1], over(c))

    def count_bound(self, c: Parts) -> s.Bound:
        return s.Bound(None, s.Amount(whole(c[0]), _unit(c[1]), over(c)), over(c))

    def count_range(self, c: Parts) -> s.Bound:
        low = s.Amount(whole(c[0]), _unit(c[3]), c[0].span)
        return s.Bound(low, s.Amount(whole(c[2]), _unit(c[3]), over(c[2:])), over(c))

    def time_bound(self, c: Parts) -> s.Bound:
        return s.Bound(None, c[0], over(c))

    def time_range(self, c: Parts) -> s.Bound:
        return s.Bound(c[0], c[2], over(c))

    def span_amount(self, c: Parts) -> s.Amount:
        length = self.length(c)
        return s.Amount(cast(int, length.value), "seconds", length.span)

    def rule(self, c: Parts) -> s.Rule:
        form = next(p for p in c if isinstance(p, s.Never | s.Cardinality | s.Each | s.OnlyIf | s.Always | s.Edge))
        return s.Rule(name(c[1]), _title(c[2]), _clauses(c[3:]), form, over(c))

    def never(self, c: Parts) -> s.Never:
        parts = _once(c[2:])
        return s.Never(c[1], parts.get("after"), parts.get("before"), over(c))

    def after(self, c: Parts) -> Part:
        return Part("after", c[1], over(c))

    def before(self, c: Parts) -> Part:
        return Part("before", c[1], over(c))

    def limit(self, c: Parts) -> s.Cardinality:
        word: Literal["at most", "at least"] = "at most" if c[1].text == "most" else "at least"
        return s.Cardinality(word, whole(c[2]), c[3], c[4].value if c[4] else None, over(c))

    def exactly(self, c: Parts) -> s.Cardinality:
        return s.Cardinality("exactly", whole(c[1]), c[2], c[3].value if c[3] else None, over(c))

    def per(self, c: Parts) -> Part:
        return Part("per", "turn" if isinstance(c[1], Token) else c[1], over(c))

    def each(self, c: Parts) -> s.Each:
        at = next(i for i, p in enumerate(c) if i > 2 and isinstance(p, s.Pattern))
        direction: Any = " ".join(t.text for t in c[3:at])
        parts = _once(c[at + 1 :])
        since, until, bound = parts.get("since"), parts.get("until"), parts.get("within")
        return s.Each(c[1], c[2].text, direction, c[at], since, until, bound, over(c))

    def since(self, c: Parts) -> Part:
        return Part("since", c[1], over(c))

    def until(self, c: Parts) -> Part:
        return Part("until", c[1], over(c))

    def only_if(self, c: Parts) -> s.OnlyIf:
        return s.OnlyIf(c[0], c[3], over(c))

    def always(self, c: Parts) -> s.Always:
        return s.Always(c[1], over(c))

    def edge(self, c: Parts) -> s.Edge:
        return s.Edge(c[0].text, c[1], over(c))

    # ---- declarations --------------------------------------------------------------------------------------------------

    def source_decl(self, c: Parts) -> s.SourceDecl:
        return s.SourceDecl(name(c[1]), text(c[2]), c[3].value if c[3] else None, over(c))

    def sha256(self, c: Parts) -> Part:
        return Part("sha256", text(c[1]), over(c))

    def use_tools(self, c: Parts) -> s.UseTools:
        return s.UseTools(text(c[2]), over(c))

    def enum_decl(self, c: Parts) -> s.EnumDecl:
        return s.EnumDecl(name(c[1]), labels(c[3:-1]), over(c))

    def record_decl(self, c: Parts) -> s.RecordDecl:
        return s.RecordDecl(name(c[1]), fields(c), over(c))

    def tool_decl(self, c: Parts) -> s.ToolDecl:
        result = c[-2].value if c[-2] else None
        return s.ToolDecl(label(c[1]), fields(c), result, name(c[-1]) if c[-1] else None, over(c))

    def returns(self, c: Parts) -> Part:
        return Part("returns", c[1], over(c))

    def result_decl(self, c: Parts) -> s.ResultDecl:
        return s.ResultDecl(labels(c[1:-2]), c[-1], over(c))

    def success_decl(self, c: Parts) -> s.SuccessDecl:
        return s.SuccessDecl(labels(c[1:-2]), c[-1], over(c))

    def class_decl(self, c: Parts) -> s.ClassDecl:
        return s.ClassDecl(name(c[1]), labels(c[3:]), over(c))

    def query_decl(self, c: Parts) -> s.QueryDecl:
        return s.QueryDecl(fields(c), over(c))

    def label_decl(self, c: Parts) -> s.LabelDecl:
        return s.LabelDecl(name(c[1]), c[3], c[5], over(c))

    def param_decl(self, c: Parts) -> s.ParamDecl:
        return s.ParamDecl(name(c[1]), c[3], c[5], over(c))

    def define_decl(self, c: Parts) -> s.DefineDecl:
        return s.DefineDecl(name(c[1]), _parameters(c[2]), c[4], over(c))

    def event_decl(self, c: Parts) -> s.EventDecl:
        return s.EventDecl(name(c[1]), _parameters(c[2]), c[4], over(c))

    def view_decl(self, c: Parts) -> s.ViewDecl:
        return s.ViewDecl(name(c[1]), _parameters(c[2]), c[5], over(c))

    def params(self, c: Parts) -> Part:
        return Part("params", tuple(name(t) for t in c[1::2]), over(c))

    def state_decl(self, c: Parts) -> s.StateDecl:
        arms = tuple(p for p in c if isinstance(p, s.Arm))
        return s.StateDecl(name(c[1]), _parameters(c[2]), c[4], c[6], arms, over(c))

    def arm(self, c: Parts) -> s.Arm:
        return s.Arm(c[1], c[3], over(c))

    def allow_decl(self, c: Parts) -> s.AllowDecl:
        return s.AllowDecl(c[2], over(c))

    def extra_decl(self, c: Parts) -> s.ExtraDecl:
        return s.ExtraDecl(tuple(c[1::2]), over(c))

    def extra_item(self, c: Parts) -> s.ExtraItem:
        return s.ExtraItem(c[0] is not None, name(c[1]), name(c[2]), over(c))

    def output_decl(self, c: Parts) -> s.OutputDecl:
        items = tuple(p for p in c[3:] if not isinstance(p, Token))
        return s.OutputDecl(name(c[1]), items, over(c))

    def output_schema(self, c: Parts) -> s.OutputSchema:
        return s.OutputSchema(text(c[1]), over(c))

    def output_field(self, c: Parts) -> s.Field:
        return s.Field(label(c[1]), c[3], c[4] is not None, (), over(c))

    def condition_rule(self, c: Parts) -> s.ConditionRule:
        return s.ConditionRule(name(c[1]), _title(c[2]), c[3], _clauses(c[4:]), over(c))

    def must_match(self, c: Parts) -> s.MustMatch:
        return s.MustMatch(c[1] is not None, regex(c[3]), over(c))

    def must_say(self, c: Parts) -> s.MustSay:
        return s.MustSay(text(c[2]), over(c))

    def repair_decl(self, c: Parts) -> s.RepairDecl:
        return s.RepairDecl(label(c[1]), tuple(p for p in c[2:] if not isinstance(p, Token)), over(c))

    def immutable(self, c: Parts) -> s.Immutable:
        return s.Immutable(tuple(pointer(t) for t in c[1::2]), over(c))

    def budget(self, c: Parts) -> s.Budget:
        return s.Budget(whole(c[1]), whole(c[4]), over(c))

    def values(self, c: Parts) -> s.Values:
        sources = tuple(name(p) if isinstance(p, Token) else p for p in c[3::2])
        return s.Values(pointer(c[1]), sources, over(c))

    def permission(self, c: Parts) -> s.Permission:
        return s.Permission(" ".join(t.text for t in c), over(c))

    # ---- tests ---------------------------------------------------------------------------------------------------------

    def test_decl(self, c: Parts) -> s.TestDecl:
        parts = _once([p for p in c[3:] if isinstance(p, Part)])
        opens = [p for p in c[3:] if isinstance(p, Token) and p.type == "OPEN"]
        if len(opens) > 1:
            raise Fault("'open' stands twice in this test", opens[1].span)
        events = tuple(p for p in c if isinstance(p, s.TestCall | s.TestMessage | s.TestTurn))
        expected = tuple(p for p in c if isinstance(p, s.Expectation))
        return s.TestDecl(text(c[1]), parts.get("query"), events, parts.get("output"), bool(opens), expected, over(c))

    def test_query(self, c: Parts) -> Part:
        return Part("query", c[1], over(c))

    def test_output(self, c: Parts) -> Part:
        return Part("output", c[1], over(c))

    def test_turn(self, c: Parts) -> s.TestTurn:
        return s.TestTurn(tuple(c[2:-1]), over(c))

    def test_call(self, c: Parts) -> s.TestCall:
        verb, tool, arguments, result, made = c
        known = made.value if made else None
        return s.TestCall(verb.text, label(tool), arguments, result.value if result else None, known, over(c))

    def test_result(self, c: Parts) -> Part:
        return Part("result", c[1], over(c))

    def test_labels(self, c: Parts) -> Part:
        return Part("labels", c[1], over(c))

    def test_message(self, c: Parts) -> s.TestMessage:
        return s.TestMessage(name(c[1]), text(c[2]), c[3], over(c))

    def expectation(self, c: Parts) -> s.Expectation:
        element, later = c[1].value
        return s.Expectation(c[1].kind, element, later, over(c))

    def expect_conforms(self, c: Parts) -> Part:
        return Part("conforms", (None, None), over(c))

    def expect_undecided(self, c: Parts) -> Part:
        return Part("undecided", (c[2], None), over(c))

    def expect_activity(self, c: Parts) -> Part:
        return Part(c[0].text, (c[1], c[3]), over(c))

    def expect_misorder(self, c: Parts) -> Part:
        return Part("misorder", (c[1], c[3]), over(c))

    def expect_finding(self, c: Parts) -> Part:
        return Part(c[0].text, (c[1], None), over(c))

    def expect_output(self, c: Parts) -> Part:
        return Part("output", (c[1], None), over(c))

    def expect_redundant(self, c: Parts) -> Part:
        tool = label(c[1])
        element = s.Reference((tool,), (), tool.span) if isinstance(tool, s.Name) else tool
        return Part("redundant", (element, None), over(c))

    def value_name(self, c: Parts) -> s.Name:
        return name(c[0])

    def array(self, c: Parts) -> s.ArrayValue:
        return s.ArrayValue(tuple(p for p in c if p is not None and not isinstance(p, Token)), over(c))

    def null_value(self, c: Parts) -> s.NullValue:
        return s.NullValue(c[0].span)

    def object(self, c: Parts) -> s.ObjectValue:
        return s.ObjectValue(tuple(p.value for p in c if isinstance(p, Part)), over(c))

    def entry(self, c: Parts) -> Part:
        return Part("entry", (label(c[0]), c[2]), over(c))


def actions(tables: Tables) -> tuple[Action | None, ...]:
    """The builder's method for each production; None where it has none."""
    builder = Builder()
    return tuple(getattr(builder, p.action) if p.action else None for p in tables.productions)


def _title(token: Token | None) -> s.Text | None:
    return text(token) if token else None


def _parameters(part: Part | None) -> tuple[s.Name, ...]:
    return part.value if part else ()


def _members(parts: Parts) -> tuple[s.Member, ...]:
    return tuple(p for p in parts if isinstance(p, s.Member))


def _unit(token: Token) -> Literal["turns", "events"]:
    return "turns" if token.text == "turns" else "events"


def _place(token: Token) -> tuple[int, int, int, int]:
    return token.start, token.end, token.line, token.column


def _once(parts: Parts) -> dict[str, Any]:
    """The parts by kind; each kind may stand once."""
    seen: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, Part):
            if part.kind in seen:
                what = "'shared' or 'exclusive'" if part.kind == "sharing" else f"'{part.kind}'"
                raise Fault(f"{what} stands twice here", part.span)
            seen[part.kind] = part.value
    return seen


def _clauses(parts: Parts) -> s.Clauses:
    seen = _once(parts)
    return s.Clauses(seen.get("if"), seen.get("from"), seen.get("severity"), seen.get("sharing"), seen.get("by", ()))
