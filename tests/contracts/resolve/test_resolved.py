"""What the typed model says: names found, types told, paths and defaults."""

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from servanda.contracts import expression as x
from servanda.contracts import model as m
from servanda.contracts.load import load_with_warnings
from servanda.contracts.types import (
    BoolType,
    DateType,
    EnumType,
    EventType,
    ListType,
    NumberType,
    RecordType,
    StringType,
    Type,
)
from servanda.grammar.diagnostic import Refusal

Whole = Callable[..., m.Contract]
STATUS = EnumType("Status", ("pending", "delivered", "return requested"))


def defined(contract: m.Contract, name: str = "f") -> x.Expr:
    return contract.definitions[name].body


def duty(contract: m.Contract, path: str) -> m.Node:
    """The node of a path, wherever it stands."""
    waiting = list(contract.body)
    while waiting:
        node = waiting.pop()
        if node.path == path:
            return node
        match node:
            case m.Step(body=body) | m.ForEach(body=body):
                waiting.extend(body)
            case m.Decide(branches=parts) | m.AnyOf(options=parts):
                waiting.extend(inner for part in parts for inner in part.body)
    raise AssertionError(path)


def test_attributes_have_their_types(whole: Whole) -> None:
    found = {a.name: a.type for a in whole().attributes.values()}
    assert found["status"] == STATUS
    assert found["amount"] == NumberType(2, 0, 2000)
    assert found["age"] == NumberType(0, 0, 100)
    assert found["items"] == ListType(whole().records["Line"], 6)
    assert whole().attributes["hint"].optional
    assert not whole().attributes["age"].optional


def test_literals_are_exact_and_as_small_as_they_can_be(whole: Whole) -> None:
    contract = whole(
        "define f = amount > 20.00\ndefine g = amount > 0.10\ndefine h = today > 2026-05-01 and today - bought <= 36h\n"
    )
    assert defined(contract) == x.Compare(">", x.Attribute("amount", NumberType(2, 0, 2000)), x.Const(20, NumberType()))
    small = defined(contract, "g")
    assert isinstance(small, x.Compare) and small.right == x.Const(Fraction(1, 10), NumberType(1))
    both = defined(contract, "h")
    assert isinstance(both, x.Logical)
    first, second = both.operands
    assert isinstance(first, x.Compare) and first.right == x.Const(date(2026, 5, 1), DateType())
    assert isinstance(second, x.Compare) and isinstance(second.right, x.Const)
    assert second.right.value == timedelta(hours=36)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("amount > 2 * 10 + 0.5", "amount > 20.5"),
        ('status == "delivered"', "status == delivered"),
        ("delivered == status", "delivered == status"),
        ('"return requested" != status', '"return requested" != status'),
        ("(if verified then delivered else pending) == status", "(if verified then delivered else pending) == status"),
        ("3 * (today - bought) > 3d", "3 * (today - bought) > 3 * 1d"),
    ],
)
def test_terms_that_mean_the_same_are_equal(text: str, same: str, whole: Whole) -> None:
    assert defined(whole(f"define f = {text}\n")) == defined(whole(f"define f = ({same})\n"))


def test_enum_members_are_found_through_the_other_side(whole: Whole) -> None:
    found = defined(whole("define f = delivered == status and status in { pending, delivered }\n"))
    assert isinstance(found, x.Logical)
    compared, listed = found.operands
    assert isinstance(compared, x.Compare) and compared.left == x.Const("delivered", STATUS)
    assert isinstance(listed, x.OneOf) and [p.type for p in listed.members] == [STATUS, STATUS]


@pytest.mark.parametrize(
    ("declared", "use", "types"),
    [
        ("define f(n) = amount > n", "", [NumberType(2)]),
        ("define f(n) = age > n", "define g = f(amount)", [NumberType(2)]),
        ("define f(s) = status == s", "", [STATUS]),
        ("define f(s) = s == delivered", "define g = f(status)", [STATUS]),
        ("define f(d) = today - d > 3d", "define g = f(bought)", [DateType()]),
        ("define f(xs, y) = any i in xs: (i == y)", "require q by call pay where f(args.tags, args.order_id)", [ListType(StringType(), 3), StringType()]),
        ("define f(xs) = any i in xs: (i == order_id)", "", [ListType(StringType(), 1000)]),
        ("define f(b) = b or verified", "", [BoolType()]),
        ("define f(l) = l.price > 3", "define g = any i in items: (f(i))", ["Line"]),
        ("define f(a) = g(a)\ndefine g(b) = b == hint", "", [StringType()]),
        ("define f(i) = order(i).total > 3", "", [StringType()]),
        ("define f(l, n) = l.price > n", "define g = any i in items: (f(i, 0.5))", ["Line", NumberType(1)]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("first", ["declared", "used"])
def test_types_of_parameters_are_learnt(
    declared: str, use: str, types: list[Type | str], first: str, whole: Whole
) -> None:
    text = f"{declared}\n{use}\n" if first == "declared" else f"{use}\n{declared}\n"
    contract = whole(text)
    wanted = [contract.records[t] if isinstance(t, str) else t for t in types]
    found = [t for _, t in contract.definitions["f"].parameters]
    assert found == wanted


def test_the_order_of_declarations_does_not_change_what_is_learnt(whole: Whole) -> None:
    one = whole("define f(n) = age > n\ndefine a = f(1)\ndefine b = f(0.25)\n")
    other = whole("define b = f(0.25)\ndefine a = f(1)\ndefine f(n) = age > n\n")
    assert one.definitions == other.definitions
    assert one.definitions["f"].parameters == (("n", NumberType(2)),)


def test_query_only_is_told(whole: Whole) -> None:
    contract = whole("define f = big and over(3)\ndefine g = f or arrived\n")
    assert {n: d.query_only for n, d in contract.definitions.items()} == {
        "big": True,
        "over": True,
        "arrived": False,
        "f": True,
        "g": False,
    }


def test_views_and_events(whole: Whole) -> None:
    contract = whole()
    order, paid = contract.views["order"], contract.views["paid"]
    assert order.type == contract.records["Order"]
    assert order.of == m.Read(
        "get_order", (("order_id", x.Variable("id", StringType())),), x.Part("", "result", order.type)
    )
    assert order.parameters == (("id", StringType()),)
    assert isinstance(paid.type, EventType)
    assert paid.type.arguments == contract.tools["pay"].arguments
    assert paid.type.result == contract.tools["pay"].result
    assert contract.events["consent"].pattern.head == m.MessageHead("user")
    assert contract.events["paying"].parameters == (("id", StringType()),)


def test_a_view_over_events_is_read_by_its_parts(whole: Whole) -> None:
    contract = whole(
        "rule r attempt cancel only if paid.args.order_id == args.order_id and paid.result.ok and paid.turn > 3\n"
    )
    rule = duty(contract, "r")
    assert isinstance(rule, m.Rule) and isinstance(rule.form, m.OnlyIf)
    first, second, _ = x.conjuncts(rule.form.condition)
    assert isinstance(first, x.Compare) and isinstance(first.left, x.Field) and isinstance(first.left.base, x.EventPart)
    assert isinstance(second, x.Field) and isinstance(second.base, x.EventPart) and second.base.part == "result"


def test_paths(whole: Whole) -> None:
    contract = whole()
    for path in ("lookup", "outcome.refund.pay", "outcome.deny.tell", "line.check", "way.phone.ring"):
        assert isinstance(duty(contract, path), m.Duty)
    assert [o.path for node in contract.body if isinstance(node, m.AnyOf) for o in node.options] == [
        "way.phone",
        "way.mail",
    ]


def test_defaults_of_duties(whole: Whole) -> None:
    contract = whole(
        'require q "A title" if big from policy:1-3 severity high shared by call pay or by call cancel\nforbid w by attempt pay\n'
    )
    q, w = duty(contract, "q"), duty(contract, "w")
    assert isinstance(q, m.Duty) and isinstance(w, m.Duty)
    assert (q.title, q.severity, q.sharing, len(q.by)) == ("A title", "high", "shared", 2)
    assert q.prose == m.ProseSpan("policy", 1, 3)
    assert (w.title, w.severity, w.sharing, w.prose, w.guard) == ("", "normal", None, None, None)


def test_orders(whole: Whole) -> None:
    contract = whole(
        """
for each other in items {
  require first by call get_user where args.user_id == other.id
  require second by call cancel where args.order_id == other.id
  order first before second
}
order lookup before second severity low
"""
    )
    found = {(o.earlier, o.later): (o.depth, o.severity, o.bound) for o in contract.orders}
    assert found == {
        ("lookup", "outcome.refund.pay"): (0, "normal", m.Bound(0, 3, "turns")),
        ("other.first", "other.second"): (1, "normal", None),
        ("lookup", "other.second"): (0, "low", None),
    }


def test_a_short_name_means_the_duty_of_the_innermost_block(whole: Whole) -> None:
    contract = whole(
        "step s {\n  require lookup by call pay\n  require then by call cancel\n  order lookup before then\n}\n"
    )
    assert ("s.lookup", "s.then") in {(o.earlier, o.later) for o in contract.orders}


def test_a_whole_path_wins_over_a_longer_one(whole: Whole) -> None:
    contract = whole("step s { require lookup by call pay }\norder lookup before note\norder s.lookup before note\n")
    assert {o.earlier for o in contract.orders if o.later == "note"} == {"lookup", "s.lookup"}


def test_duties_and_facts_have_names_of_their_own(whole: Whole) -> None:
    contract = whole("require big by call pay\nrule order never event consent\n")
    assert isinstance(duty(contract, "big"), m.Duty)
    assert isinstance(duty(contract, "order"), m.Rule)


def test_classes_and_effects(whole: Whole) -> None:
    contract = whole("tool loose(x: int)\n")
    assert contract.classes == {
        "neutral": ("think",),
        "order_writes": ("cancel", "pay"),
        "reads": ("get_order", "get_user"),
        "writes": ("cancel", "loose", "pay"),
    }
    pay, loose = contract.tools["pay"], contract.tools["loose"]
    assert (pay.effect, pay.classified, pay.classes) == ("writes", True, ("order_writes", "writes"))
    assert (loose.effect, loose.classified, loose.classes) == ("writes", False, ())
    assert m.in_class(contract, "loose", "writes")


def test_extra(whole: Whole) -> None:
    assert whole().extra == {"writes": True, "reads": False, "neutral": False}
    written = whole("extra order_writes allowed, reads forbidden\n").extra
    assert written == {"writes": True, "reads": True, "neutral": False, "order_writes": False}


def test_a_declared_tool_has_the_schema_of_its_fields(whole: Whole) -> None:
    schema = whole("tool t(n: int in 1 .. 3  d: date optional) neutral\n").tools["t"].schema
    assert schema == {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 3}, "d": {"type": "string", "format": "date"}},
        "required": ["n"],
        "additionalProperties": False,
    }


def test_success_and_result(whole: Whole) -> None:
    contract = whole(
        "success pay, cancel when result.ok\nresult get_user : { name: string  orders: list of string max 3 }\n"
    )
    for name in ("pay", "cancel"):
        success = contract.tools[name].success
        assert isinstance(success, x.Field) and success.name == "ok"
    result = contract.tools["get_user"].result
    assert isinstance(result, RecordType) and result.field("orders") is not None


def test_what_several_tools_share_can_be_read(whole: Whole) -> None:
    contract = whole(
        "rule r attempt of order_writes only if order(args.order_id).total > 1\nrule s never call of order_writes where not result.ok\n"
    )
    form = duty(contract, "r")
    assert isinstance(form, m.Rule) and isinstance(form.form, m.OnlyIf)
    assert form.form.pattern.head == m.ClassHead("attempt", "order_writes")


def test_aliases_reach_the_whole_rule(whole: Whole) -> None:
    contract = whole(
        """rule r
  each attempt pay as p where p.args.amount > 1 and p.turn > 2
  needs earlier call get_order as g where args.order_id == p.args.order_id and g.turn < p.turn
  since any of { message user  call cancel where args.order_id == p.args.order_id }
  within 3 events
"""
    )
    rule = duty(contract, "r")
    assert isinstance(rule, m.Rule) and isinstance(rule.form, m.Each)
    assert (rule.form.pattern.alias, rule.form.target.alias) == ("p", "g")
    assert rule.form.bound == m.Bound(0, 3, "events")
    assert rule.form.since is not None and isinstance(rule.form.since.head, m.AnyHead)


def test_forms(whole: Whole) -> None:
    contract = whole(
        """rule a at most 2 call pay per args.order_id
rule b at least 1 message user per turn
rule c if big exactly 0 failed pay
rule d never message assistant after call pay before message user
rule e each call pay forbids immediately later call cancel
rule f each message user where affirms needs anywhere attempt of tools
rule g each call pay needs later message assistant until message user within 2 turns
"""
    )
    forms = {n: node.form for n in "abcdefg" if isinstance(node := duty(contract, n), m.Rule)}
    a, b, c, d = forms["a"], forms["b"], forms["c"], forms["d"]
    assert isinstance(a, m.Cardinality) and isinstance(a.per, x.Field) and (a.word, a.count) == ("at most", 2)
    assert isinstance(b, m.Cardinality) and b.per == "turn"
    assert isinstance(c, m.Cardinality) and (c.word, c.per) == ("exactly", None)
    assert isinstance(d, m.Never) and d.after is not None and d.before is not None
    assert isinstance(forms["e"], m.Each) and forms["e"].direction == "immediately later"
    assert isinstance(forms["f"], m.Each) and forms["f"].target.head == m.ClassHead("attempt", "tools")
    assert isinstance(forms["g"], m.Each) and forms["g"].until is not None


def test_an_observed_attribute(whole: Whole) -> None:
    contract = whole(old="status: Status\n", new="status: Status observed get_order(order_id: order_id).status\n")
    (read,) = contract.attributes["status"].observed
    assert read.tool == "get_order"
    assert read.arguments == (("order_id", x.Attribute("order_id", StringType())),)
    assert isinstance(read.value, x.Field) and read.value.type == STATUS


def test_output_and_repair(whole: Whole) -> None:
    contract = whole(
        """repair pay {
  immutable /order_id, /tags/0
  budget 2 operations, 3 attempts
  values /amount from order(args.order_id).total, conversation
  allow remove
  rule cap args.amount <= amount
}
"""
    )
    assert contract.output is not None
    assert [(f[0], f[2]) for f in contract.output.fields] == [("decision", False), ("refunded", True)]
    (rule,) = contract.output.rules
    assert isinstance(rule.condition, x.Logical)
    (repair,) = contract.repairs
    assert (repair.tool, repair.immutable, repair.operations, repair.attempts) == (
        "pay",
        ("/order_id", "/tags/0"),
        2,
        3,
    )
    assert repair.values[0][0] == "/amount" and repair.values[0][1][1] == "conversation"
    assert (repair.allow_remove, repair.monotone, [r.name for r in repair.rules]) == (True, False, ["cap"])


def test_a_test_is_a_record_with_exact_numbers(whole: Whole) -> None:
    contract = whole(
        """test "two" {
  query { items: [{ id: "a"  price: 1.50 }, { id: "b"  price: 20 }]  today: 2026-05-01  hint: null }
  message user "x" { affirms: true }
  turn { call get_user { user_id: "u" }  failed pay { order_id: "A" } -> "Error" }
  call get_user { user_id: "u" } -> { name: ann  "since": 2020-01-01 }
  output { decision: refund }
  open
  expect omission lookup
  expect misorder lookup before outcome.refund.pay
  expect invariant outcome.deny.no_pay
  expect wrong_branch outcome
  expect omission line.check[1]
  expect redundant pay
  expect output agree
  expect undecided on affirms
  expect active line[0]
  expect inactive way.mail
}
"""
    )
    test = contract.tests[-1]
    assert test.judges_output
    assert test.record == {
        "id": "two",
        "query": {
            "items": [{"id": "a", "price": Decimal("1.50")}, {"id": "b", "price": 20}],
            "today": "2026-05-01",
            "hint": None,
        },
        "events": [
            {"kind": "message", "role": "user", "text": "x", "labels": {"affirms": True}, "turn": 0},
            {"kind": "call", "tool": "get_user", "args": {"user_id": "u"}, "outcome": "unknown", "turn": 1},
            {
                "kind": "call",
                "tool": "pay",
                "args": {"order_id": "A"},
                "result": "Error",
                "outcome": "failed",
                "turn": 1,
            },
            {
                "kind": "call",
                "tool": "get_user",
                "args": {"user_id": "u"},
                "result": {"name": "ann", "since": "2020-01-01"},
                "outcome": "ok",
                "turn": 2,
            },
        ],
        "complete": False,
        "output": {"decision": "refund"},
    }
    assert [(e.word, e.element) for e in test.expectations] == [
        ("omission", "lookup"),
        ("misorder", "lookup before outcome.refund.pay"),
        ("invariant", "outcome.deny.no_pay"),
        ("wrong_branch", "outcome"),
        ("omission", "line.check[1]"),
        ("redundant", "pay"),
        ("output", "agree"),
        ("undecided", "affirms"),
        ("active", "line[0]"),
        ("inactive", "way.mail"),
    ]
    assert not contract.tests[0].judges_output


def test_every_name_and_place_of_a_typed_term_is_in_the_source(whole: Whole) -> None:
    contract = whole()
    text = contract.source.text
    waiting = [d.body for d in contract.definitions.values()]
    while waiting:
        node = waiting.pop()
        written = text[node.span.start : node.span.end]
        match node:
            case x.Attribute(name) | x.Variable(name):
                assert written == name
            case x.ViewCall(name) | x.DefinitionCall(name):
                assert written.startswith(name)
            case x.Field(_, name):
                assert written.endswith(name)
        waiting.extend(x.children(node))


def test_golden_contracts_load_or_are_refused_for_what_is_to_come(golden_cases: Path) -> None:
    coarse = {"coarse", "coarse_order"}
    paths = sorted((golden_cases / "contracts").glob("*.contract"))
    assert len(paths) > 20
    for path in paths:
        try:
            _, warnings = load_with_warnings(path)
        except Refusal as refusal:
            assert path.stem in coarse
            assert [d.code for d in refusal.diagnostics] == ["C190"]
        else:
            assert path.stem not in coarse
            assert warnings == ()
