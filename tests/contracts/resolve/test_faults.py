"""One wrong contract a fault: the code, and exactly the words it is about."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from servanda.contracts.codes import CODES
from servanda.contracts.resolve import resolve
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Diagnostic, Severity
from servanda.grammar.parser import parse
from servanda.grammar.span import Source

Said = Callable[..., tuple[Diagnostic, ...]]

# what is written behind the contract, then each fault as code and the text at its place
ADDED: dict[str, tuple[str, ...]] = {
    # names
    "unknown fact": ("define f = verifed", "C110 verifed"),
    "unknown in a pattern": ("require r by call pay where args.order_id == ordr_id", "C110 ordr_id"),
    "unknown call": ("define f = ovr(3)", "C110 ovr"),
    "unknown event": ("rule r never event consnt", "C110 consnt"),
    "unknown role": ("rule r never message asistant", "C110 asistant"),
    "unknown source": ("require r from polcy:1 by call pay", "C110 polcy"),
    "unknown label in a test": ('test "t" { message user "x" { afirms: true } expect conforms }', "C110 afirms"),
    "unknown role in a test": ('test "t" { message usr "x" expect conforms }', "C110 usr"),
    "unknown hinge": ('test "t" { expect undecided on verifed }', "C110 verifed"),
    "two definitions": ("define big = verified", "C111 big"),
    "a view and an attribute": ("view status = last get_order()", "C111 status"),
    "two types": ("enum Line { a }", "C111 Line"),
    "two fields": ("record R { a: int  a: bool }", "C111 a"),
    "two members": ("enum E { a, b, a }", "C111 a"),
    "two queries": ("query { x: int }", "C111 query { x: int }"),
    "two tools": ("tool pay() writes", "C111 pay"),
    "two classes": ("class order_writes = think", "C111 order_writes"),
    "a tool twice in a class": ("class c = pay, pay", "C111 pay"),
    "two results": ("result pay : bool", "C111 pay"),
    "two successes": ("success pay when result.ok\nsuccess pay when not result.ok", "C111 pay"),
    "two duties": ("require lookup by call pay", "C111 lookup"),
    "two blocks of one variable": ("for each line in items { forbid f by attempt pay }", "C111 line"),
    "two orders": ("order lookup before outcome.refund.pay", "C111 order lookup before outcome.refund.pay"),
    "two outputs": ("output json { field x: int }", "C111 output json { field x: int }"),
    "two repairs": ("repair pay { monotone }\nrepair pay { monotone }", "C111 pay"),
    "two budgets": ("repair pay { budget 1 operations, 1 attempts  budget 2 operations, 1 attempts }", "C111 budget 2 operations, 1 attempts"),
    "two tests": ('test "all well" { expect conforms }', 'C111 "all well"'),
    "an argument twice": ("view v = last get_order(order_id: order_id  order_id: order_id)", "C111 order_id"),
    "a key twice in a test": ('test "t" { query { age: 1  age: 2 } expect conforms }', "C111 age"),
    "extra twice": ("extra reads allowed, reads forbidden", "C111 reads"),
    "a reserved fact": ("define text = verified", "C112 text"),
    "a reserved variable": ("define f = any args in items: (args.price > 1)", "C112 args"),
    "the class tools": ("class tools = pay", "C112 tools"),
    "a variable that hides": ("define f = any age in items: (age.price > 1)", "C113 age"),
    "an alias that hides": ("rule r each call pay as order needs earlier message user", "C113 order"),
    "a parameter that hides": ("define f(age) = age > 1", "C113 age"),
    "a member that is a fact": ("enum E { big, small }", "C114 big"),
    "a variable that is a member": ("define f = any pending in items: (pending.price > 1)", "C114 pending"),
    "an argument's member that is a fact": (
        "tool t(kind: enum { \"big\", small }) reads\nrequire r by call t where args.kind == big", "C114 big"
    ),
    "ambiguous duty": ("order lookup before tell", "C115 tell"),
    "unknown duty": ("order lookp before note", "C116 lookp"),
    "unknown duty in a test": ('test "t" { expect omission lookp }', "C116 lookp"),
    "unknown output name": ('test "t" { expect output agre }', "C116 agre"),
    "unknown tool": ("require r by call pya", "C117 pya"),
    "a class as a tool": ("require r by call order_writes", "C117 order_writes"),
    "unknown tool in a class": ("class c = pya", "C117 pya"),
    "unknown tool in a result": ("result pya : bool", "C117 pya"),
    "unknown tool in a success": ("success pya when result.ok", "C117 pya"),
    "unknown tool in a repair": ("repair pya { monotone }", "C117 pya"),
    "unknown tool in a test": ('test "t" { call pya {} expect conforms }', "C117 pya"),
    "unknown tool expected": ('test "t" { expect redundant pya }', "C117 pya"),
    "unknown class": ("require r by call of order_write", "C118 order_write"),
    "a tool as a class": ("require r by call of pay", "C118 pay"),
    "unknown class in extra": ("extra wites forbidden", "C118 wites"),
    "unknown type": ("record R { a: Staus }", "C119 Staus"),
    # types
    "no condition": ("require r if age by call pay", "C120 age"),
    "no list": ("define f = any i in age: (i > 1)", "C120 age"),
    "sum of strings": ("define f = (sum i in items: (i.id)) > 1", "C120 i.id"),
    "an argument of another type": ('define f = over("x")', 'C120 "x"'),
    "an argument of a read": ("view v = last get_order(order_id: age)", "C120 age"),
    "per a list": ("rule r at most 1 call pay per args.tags", "C120 args.tags"),
    "matches on a number": ("define f = age matches /1/", "C120 age"),
    "no index": ("define f = order_id[0] == 1", "C120 order_id"),
    "an index that is no int": ("define f = items[amount].id == order_id", "C120 amount"),
    "a label of a list": ("label l: list of int max 3 on message user", "C120 list of int max 3"),
    "a value of another type": ("repair pay { values /amount from order(args.order_id).customer }", "C120 order(args.order_id).customer"),
    "number and string": ("define f = age == order_id", "C121 age == order_id"),
    "enum and string": ("define f = status == order_id", "C121 status == order_id"),
    "two enums": ("enum Channel { x, y }\ntool t(c: Channel) reads\nrequire r by call t where args.c == status", "C121 args.c == status"),
    "two lists": ("define f = items == items", "C121 items == items"),
    "duration and number": ("define f = today - bought <= 30", "C121 today - bought <= 30"),
    "contains another type": ("require r by call pay where args.tags contains age", "C121 args.tags contains age"),
    "in a set of another type": ("define f = age in { 1, order_id }", "C121 order_id"),
    "two outcomes of a choice": ("define f = (if verified then age else order_id) == 1", "C121 (if verified then age else order_id)"),
    "order of strings": ("define f = order_id < hint", "C122 order_id < hint"),
    "order of an enum": ("define f = status < delivered", "C122 status < delivered"),
    "order of bools": ("define f = verified < big", "C122 verified < big"),
    "sum of dates": ("define f = today + bought == today", "C123 today + bought"),
    "date and number": ("define f = today + 30 > bought", "C123 today + 30"),
    "date and hours": ("define f = bought + 36h > today", "C123 36h"),
    "date and unknown hours": ("define f = bought + (today - bought + 1h) > today", "C123 today - bought + 1h"),
    "a product of facts": ("define f = age * amount > 3", "C123 age * amount"),
    "a product of durations": ("define f = (today - bought) * 1d > 3d", "C123 (today - bought) * 1d"),
    "no member": ("define f = status == deliverd", "C124 deliverd"),
    "no member in quotes": ('define f = status == "returned"', 'C124 "returned"'),
    "no member in a set": ("define f = status in { pending, gone }", "C124 gone"),
    "a member beside a number": ("define f = age == pending", "C124 pending"),
    "no field": ("define f = any i in items: (i.prize > 1)", "C125 prize"),
    "no argument": ("require r by call pay where args.ordr_id == order_id", "C125 ordr_id"),
    "no argument of a read": ("view v = last get_order(ordr_id: order_id)", "C125 ordr_id"),
    "a field of a string": ("define f = order_id.x == 1", "C125 x"),
    "an argument some tools lack": ("require r by call of reads where args.order_id == order_id", "C126 order_id"),
    "an argument of two types": ("require r by call of order_writes where args.amount == amount", "C126 amount"),
    "a result some tools lack": ("rule r call of order_writes only if result.due == today", "C126 due"),
    "too many arguments": ("define f = over(1, 2)", "C127 over"),
    "too few arguments": ("define f = order.total > 1", "C127 order"),
    "an attribute called": ("define f = age(1) > 1", "C127 age"),
    "event without its argument": ("rule r never event paying", "C127 paying"),
    "a parameter of no known type": ("define f(x) = x == x", "C128 x"),
    "a parameter only its own": ("define f(x) = x.price > 1", "C128 x"),
    "an untyped result": ("view v = last get_user(user_id: order_id)", "C129 get_user"),
    "an untyped result in a pattern": ("require r by call get_user where result.name == order_id", "C129 result"),
    "an untyped result of a success": ("success think when result.ok", "C129 result"),
    "an event as a value": ("rule r attempt pay only if paid == paid", "C129 paid", "C129 paid"),
    "a guard with a view": ("require r if order(order_id).total > 1 by call pay", "C130 order(order_id)"),
    "a guard through a definition": ("require r if arrived by call pay", "C130 arrived"),
    "a guard with a label": ("require r if affirms by call pay", "C130 affirms"),
    "a branch with a view": ("decide d { branch a when arrived { } branch b otherwise { } }", "C130 arrived"),
    "a list with a view": ("for each p in order(order_id).items { require r by call pay }", "C130 order(order_id)"),
    "args in a guard": ("require r if args.x == 1 by call pay", "C131 args"),
    "args of a message": ("rule r never message user where args.x == 1", "C131 args"),
    "text of a call": ("rule r never call pay where text matches /x/", "C131 text"),
    "text of several": ("rule r never any of { call pay  message user } where text matches /x/", "C131 text"),
    "result of an attempt": ("rule r never attempt pay where result.ok", "C131 result"),
    "result in only if": ("rule r attempt pay only if result.ok", "C131 result"),
    "args in a definition": ("define f = args.order_id == order_id", "C131 args"),
    "label in a definition": ("define f = affirms", "C131 affirms"),
    "output outside": ("define f = output.decision == refund", "C131 output"),
    "an attribute in a success": ("success pay when verified", "C131 verified"),
    "a view in a label": ("label l: bool on message user where paid.turn > 3", "C131 paid"),
    "no part of an event": ("rule r attempt pay only if paid.total == 1", "C131 total"),
    "no part of an alias": ("rule r each call pay as p needs earlier message user where p.total == 1", "C131 total"),
    "a label of the other role": ("rule r never message assistant where affirms", "C132 affirms"),
    "a label of calls that may fail": ("rule r never attempt pay where flagged", "C132 flagged"),
    "a label in a test": ('test "t" { message assistant "x" { affirms: true } expect conforms }', "C132 affirms"),
    "an alias as a value": ("rule r each call pay as p needs earlier message user where p == 1", "C133 p"),
    "an alias in an alternative": ("rule r never any of { call pay as p  call cancel }", "C133 p"),
    "an alias of the target": ("rule r each call pay needs earlier call cancel as c since message user where c.turn > 1", "C110 c"),
    "a definition of itself": ("define f = g\ndefine g = f", "C134 f"),
    "a view through a definition": ("define f = v.total > 1\nview v = last get_order(order_id: w)\ndefine w = (if f then order_id else order_id)", "C134 f"),
    "an event of itself": ("event e = any of { event e  call pay }", "C134 e"),
    "a record of itself": ("record A { b: B }\nrecord B { a: A }", "C134 A"),
    "a range that is empty": ("record R { a: int in 3 .. 1 }", "C135 in 3 .. 1"),
    "a range of dates": ("record R { a: date in 2026-01-02 .. 2026-01-01 }", "C135 in 2026-01-02 .. 2026-01-01"),
    "a bound of another kind": ("record R { a: date in 1 .. 2026-01-01 }", "C135 1"),
    "a bound with more digits": ("record R { a: decimal(1) in 0.25 .. 1 }", "C135 0.25"),
    "an index beyond": ("define f = items[6].price > 1", "C135 6"),
    "no such day": ("define f = today > 2026-02-30", "C136 2026-02-30"),
    "no regular expression": ("rule r never message user where text matches /(a/", "C137 /(a/"),
    "lookahead": ("rule r never message user where text matches /a(?=b)/", "C137 /a(?=b)/"),
    "decimal(0)": ("record R { a: decimal(0) }", "C138 decimal(0)"),
    "an empty list type": ("record R { a: list of int max 0 }", "C138 list of int max 0"),
    # duties
    "a step with severity": ("step s severity high { require r by call pay }", "C139 high"),
    "a choice with severity": ("any of c severity high { option o { require r by call pay } }", "C139 high"),
    "an option with a guard": ("any of c { option o if verified { require r by call pay } }", "C139 verified"),
    "since beside later": ("rule r each call pay needs later message user since call cancel", "C139 call cancel"),
    "until beside earlier": ("rule r each call pay needs earlier message user until call cancel", "C139 call cancel"),
    "a view over attempts": ("view v = last attempt pay", "C139 attempt pay"),
    "a view over failures": ("view v = last any of { call pay  failed cancel }", "C139 any of { call pay  failed cancel }"),
    "an order of a branch": ("order lookup before outcome.refund", "C141 outcome.refund"),
    "an order of a forbid": ("order no_pay before note", "C141 no_pay"),
    "an order of a rule": ("order own before note", "C141 own"),
    "an order with itself": ("order note before note", "C141 note"),
    "an order of two options": ("order ring before post", "C141 order ring before post"),
    "an order out of a block": (
        "for each other in items { require x by call pay  order lookup before x }", "C141 lookup"
    ),
    "an order of an instance": ("order lookup before check[1]", "C141 check[1]"),
    "otherwise first": (
        "decide d { branch a otherwise { } branch b when big { } }", "C142 a"
    ),
    "two effects": ("class reads = pay", "C143 pay"),
    "extra tools": ("extra tools forbidden", "C144 tools"),
    "extra neutral": ("extra neutral forbidden", "C144 neutral"),
    "prose beyond": ("require r from policy:4 by call pay", "C145 policy:4"),
    "prose that is blank": ("require r from policy:2 by call pay", "C145 policy:2"),
    # tests
    "a query of another type": ('test "t" { query { age: "x" } expect conforms }', 'C146 "x"'),
    "a query out of range": ('test "t" { query { age: 101 } expect conforms }', "C146 101"),
    "a query with more digits": ('test "t" { query { amount: 1.005 } expect conforms }', "C146 1.005"),
    "a query that is unknown": ('test "t" { query { aeg: 1 } expect conforms }', "C146 aeg"),
    "a query member": ('test "t" { query { status: gone } expect conforms }', "C146 gone"),
    "a query list": ('test "t" { query { items: [{ id: "x" }] } expect conforms }', 'C146 { id: "x" }'),
    "a query without a day": ('test "t" { query { today: 2026-13-01 } expect conforms }', "C146 2026-13-01"),
    "a bare text": ('test "t" { query { order_id: A1 } expect conforms }', "C146 A1"),
    "an argument in a test": ('test "t" { call cancel { ordr: "A1"  order_id: "A1" } expect conforms }', "C146 ordr"),
    "an argument missing": ('test "t" { call cancel { } expect conforms }', "C146 { }"),
    "an argument of another type in a test": ('test "t" { call cancel { order_id: 1 } expect conforms }', "C146 1"),
    "a result of another type": ('test "t" { call cancel { order_id: "A" } -> { ok: 1 } expect conforms }', "C146 1"),
    "a label of another type": ('test "t" { message user "x" { affirms: 1 } expect conforms }', "C146 1"),
    "a duration as data": ('test "t" { call get_user { user_id: "x" } -> 3d expect conforms }', "C146 3d"),
    "omission of a rule": ('test "t" { expect omission own }', "C147 own"),
    "wrong branch of a branch": ('test "t" { expect wrong_branch outcome.deny }', "C147 outcome.deny"),
    "invariant of a duty": ('test "t" { expect invariant lookup }', "C147 lookup"),
    "misorder of no order": ('test "t" { expect misorder note before lookup }', "C147 note before lookup"),
    "an instance without index": ('test "t" { expect omission check }', "C147 check"),
    "an index without instance": ('test "t" { expect omission lookup[0] }', "C147 lookup[0]"),
    "conforms and not": ('test "t" { expect conforms  expect omission lookup }', "C147 expect conforms"),
    "no pointer": ("repair pay { immutable /ordr_id }", "C148 /ordr_id"),
    "a pointer below a string": ("repair pay { immutable /order_id/x }", "C148 /order_id/x"),
    # not supported yet
    "param": ("param most: int = 3", "C190 most"),
    "state": ("state st: bool = false { set true on call pay }", "C190 st"),
    "a state that is read": ("state st: bool = false { set true on call pay }\nrule r attempt pay only if st", "C190 st"),
    "map": ("record R { a: map of int max 3 }", "C190 map of int max 3"),
    "set": ("record R { a: set of Status }", "C190 set of Status"),
    "time": ("record R { a: time }", "C190 time"),
    "duration": ("record R { a: duration }", "C190 duration"),
    "instant": ("define f = today == 2026-01-01T00:00:00Z", "C190 2026-01-01T00:00:00Z"),
    "parallel lists": ("define f = all a, b in items, items: (a.id == b.id)", "C190 all a, b in items, items: (a.id == b.id)"),
    "always": ("rule r always verified", "C190 always verified"),
    "first": ("rule r first call pay", "C190 first call pay"),
    "last": ("rule r last call pay", "C190 last call pay"),
    "two bounds": ("rule r each call pay needs earlier message user within 1 .. 3 turns", "C190 1 .. 3 turns"),
    "a bound in time": ("order note before lookup within 3d", "C190 3d"),
    "extra failed": ("extra failed writes forbidden", "C190 failed writes forbidden"),
    "allow vacuous": ("allow vacuous lookup", "C190 allow vacuous lookup"),
    "partial": ("decide d partial { branch a when big { } }", "C190 d"),
    "step evidence": ("step s by call pay { require r by call pay }", "C190 call pay"),
    "observed in a record": ("record R { a: int  b: bool observed pay(order_id: a).ok }", "C190 pay(order_id: a).ok"),
    "a rule in an option": ("any of c { option o { rule r never call pay } }", "C190 r"),
}  # fmt: skip

# a passage of the contract, what stands instead, then the faults
REPLACED: dict[str, tuple[str, ...]] = {
    "observed as another type": ("status: Status\n", "status: Status observed get_order(order_id: order_id).total\n", "C120 get_order(order_id: order_id).total"),
    "the same read twice": (
        "status: Status\n",
        "status: Status observed get_order(order_id: order_id).status or get_order(order_id: order_id).status\n",
        "C111 get_order(order_id: order_id).status",
    ),
    "observed through a view": ("status: Status\n", "status: Status observed get_order(order_id: order(hint).customer).status\n", "C131 order(hint)"),
    "observed by itself": (
        "hint: string optional",
        "hint: string observed get_order(order_id: hint).note",
        "C134 hint",
    ),
    "output text": ("output json {", "output text {", "C100 field"),
    "output schema": ("output json {", 'output json { schema "x.json"', 'C190 schema "x.json"'),
    "a language to come": ("language 1", "language 2", "C104 2"),
    "no such file": ('"policy.md"', '"polcy.md"', 'F101 "polcy.md"'),
    "a changed text": (
        '"policy.md"',
        f'"policy.md" sha256 "{"0" * 64}"',
        f'F120 "{"0" * 64}"',
    ),
    "no digest": ('"policy.md"', '"policy.md" sha256 "9c"', 'F120 "9c"'),
    "no output to judge": ("output json {\n  field decision: enum { refund, deny }\n  field refunded: decimal(2) optional\n  rule agree output.decision == refund iff big\n}\n", 'test "t" { output { } expect output agree }\n', "C139 { }", "C147 agree"),
}  # fmt: skip


def shown(found: tuple[Diagnostic, ...]) -> list[str]:
    """Errors as code and text at the place."""
    lines = []
    for d in found:
        if d.severity is Severity.ERROR:
            assert d.span is not None and d.source is not None
            lines.append(f"{d.code} {d.source.text[d.span.start : d.span.end]}")
    return lines


@pytest.mark.parametrize("name", ADDED)
def test_a_fault_is_told_once_at_its_place(name: str, said: Said) -> None:
    text, *expected = ADDED[name]
    assert shown(said(text + "\n")) == expected


@pytest.mark.parametrize("name", REPLACED)
def test_a_fault_inside_is_told_once_at_its_place(name: str, said: Said) -> None:
    old, new, *expected = REPLACED[name]
    assert shown(said(old=old, new=new)) == expected


def test_the_contract_itself_has_none(said: Said) -> None:
    assert said() == ()


def test_every_code_about_contracts_has_a_case() -> None:
    cases = {case.split()[0] for table in (ADDED, REPLACED) for row in table.values() for case in row[1:]}
    warnings = {"C150", "C151", "C152"}
    by_hand = {"C140", "C149"}
    files = {code for code in CODES if code.startswith("F")}
    assert set(CODES) - files - warnings - by_hand <= cases


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ('require r if hint == "x" by call pay', "C150", "hint"),
        ("require r if any i in items: (items[0].price > 1) by call pay", "C150", "items[0]"),
        ("rule r never call pay where args.reason == late", "C151", "args.reason"),
        ("forbid f by call pay where args.amount > order(args.order_id).total", "C151", "order(args.order_id)"),
        ("event e = call pay where args.reason == late\nrule r never event e", "C151", "args.reason"),
        ("rule r each message user forbids later call pay where args.reason == late", "C151", "args.reason"),
        ("tool loose(x: int)\nrequire r by call loose", "C152", "loose"),
    ],
)
def test_doubts_are_warnings(text: str, code: str, at: str, said: Said) -> None:
    (found,) = said(text + "\n")
    assert (found.severity, found.code) == (Severity.WARNING, code)
    assert found.span is not None and found.source is not None
    assert found.source.text[found.span.start : found.span.end] == at


@pytest.mark.parametrize(
    "text",
    [
        'require r if hint is present and hint == "x" by call pay',
        'require r if hint is absent or hint == "x" by call pay',
        'require r if hint is present implies hint == "x" by call pay',
        'require r if (if hint is present then hint == "x" else big) by call pay',
        "rule r never call pay where args.reason is present and args.reason == late",
        "rule r attempt pay only if order(args.order_id).total > 1",
    ],
)
def test_no_doubt_where_it_is_asked_for(text: str, said: Said) -> None:
    assert said(text + "\n") == ()


def test_several_faults_in_one_run_by_place(said: Said) -> None:
    found = said("define f = verifed\nrule r never call pya\ndefine g = f and statu == 1\n")
    assert [d.code for d in found] == ["C110", "C117", "C110"]
    assert [d.help for d in found] == ["did you mean 'verified'?", "did you mean 'pay'?", "did you mean 'status'?"]


def test_what_hangs_on_a_fault_is_silent(said: Said) -> None:
    text = """
define f = verifed
define g = f and not f
define lost(n) = nothing_here > n
view w = last get_order(order_id: nothing)
rule r attempt pay only if w.total > 3 and g
require q if g by call pya where args.x == 1
order q before lookup
"""
    assert shown(said(text)) == ["C110 verifed", "C110 nothing_here", "C110 nothing", "C117 pya"]


def test_a_duty_without_evidence_is_refused_even_if_the_grammar_let_it_pass(base: Path) -> None:
    source = Source("c.contract", "language 1\ncontract c version 1\ntool t() reads\nrequire r by call t\n")
    tree = parse(source)
    bare = tuple(replace(i, clauses=s.Clauses()) if isinstance(i, s.Obligation) else i for i in tree.items)
    contract, found = resolve(replace(tree, items=bare), source, base)
    assert contract is None
    assert shown(found) == ["C140 r"]


def test_definitions_that_use_each_other_twice_are_refused_quickly(said: Said) -> None:
    chain = "".join(f"define d{i} = d{i + 1} and d{i + 1}\n" for i in range(60))
    text = f'{chain}define d60 = hint == "x"\nrequire r if d0 by call pay\n'
    assert [d.code for d in said(text)] == ["C149"]
