"""The eight lessons of the language's introduction: ways in which a slip could make a rule vanish or change its meaning unseen."""

import pytest

from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Refusal
from servanda.grammar.parser import parse
from servanda.grammar.span import Source
from servanda.grammar.tables import load

HEAD = "language 1\ncontract c version 1\n"


def read(text: str) -> s.Tree:
    return parse(Source("t", HEAD + text))


def only(text: str) -> s.Item:
    (item,) = read(text).items
    return item


def refused(text: str) -> bool:
    try:
        read(text)
    except Refusal:
        return True
    return False


# ---- 1: keywords end where words end -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "rule r nevercall a",
        "require x by callget_order",
        "requirex by call a",
        "require x ifnot y by call a",
        "require x by messagee where text matches /a/",
        "require x by messageassistant",
        "rule r at most 1call a",
        "rule r atmost 1 call a",
        "order a beforeb",
        "rule r each call a needslater call b",
        "extra writesforbidden",
        "forbid x by attemptof writes",
        "decide d { branch b whenx { } branch c otherwise { } }",
        "require x by call a where y orby call b",
        "define z = 30days",
        "rule r call a onlyif b",
    ],
)
def test_words_do_not_run_together(text: str) -> None:
    assert refused(text)


def test_a_word_that_begins_like_a_keyword_is_a_name() -> None:
    item = only("require iffy by call callback where notable")
    assert isinstance(item, s.Obligation)
    (pattern,) = item.clauses.by
    assert (item.name.text, pattern.where) == ("iffy", s.Var("notable", item.span))
    assert isinstance(pattern.head, s.ToolHead)
    assert pattern.head.tool == s.Name("callback", item.span)


# ---- 2: `or by` is one word --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [" ", "  ", "\n", "\t", " \r\n  "])
def test_or_by_begins_a_second_way(gap: str) -> None:
    item = only(f"require x by call a where p or q or{gap}by call b")
    assert isinstance(item, s.Obligation)
    first, second = item.clauses.by
    assert isinstance(first.where, s.Logical)
    assert len(first.where.operands) == 2
    assert isinstance(second.head, s.ToolHead)


def test_or_before_a_name_that_begins_with_by_is_an_operator() -> None:
    item = only("require x by call a where p or bypass")
    assert isinstance(item, s.Obligation)
    assert len(item.clauses.by) == 1


# ---- 3: any word can be a field, an argument, a key -----------------------------------------------------------------------------


KEYWORDS = sorted({t.pattern for t in load().terminals if t.fixed and t.pattern[0].isalpha()})


@pytest.mark.parametrize("word", KEYWORDS)
def test_every_word_can_be_a_key(word: str) -> None:
    text = f"""record R {{ a: int  {word}: string  b: int optional {word} : bool }}
        query {{ q: int observed t({word}: 1 a: 2 {word}: 3).{word} {word}: int }}
        tool t({word}: int, a: int {word}: int) -> {{ {word}: int }} reads
        define f = x.{word}
        output json {{ field {word}: int }}
        test "t" {{ query {{ {word}: 1 a: {{ {word}: x }} }} call t {{ {word}: [1] }} -> {{ {word}: 1 }} message user "x" {{ {word}: true }}
          expect conforms }}"""
    record, query, tool, _, output, test = read(text).items
    assert isinstance(record, s.RecordDecl)
    assert [f.key for f in record.fields] == ["a", word, "b", word]
    assert isinstance(query, s.QueryDecl)
    assert [f.key for f in query.fields] == ["q", word]
    assert [k.text for k, _ in query.fields[0].observed[0].arguments if isinstance(k, s.Name)] == [word, "a", word]
    assert isinstance(tool, s.ToolDecl)
    assert [f.key for f in tool.arguments] == [word, "a", word]
    assert isinstance(output, s.OutputDecl)
    assert isinstance(output.items[0], s.Field)
    assert isinstance(test, s.TestDecl)
    assert test.query is not None
    assert [k.text for k, _ in test.query.entries if isinstance(k, s.Name)] == [word, "a"]


@pytest.mark.parametrize("word", [w for w in KEYWORDS if w != "of"])  # `call of CLASS`
def test_every_word_can_name_a_duty_and_a_tool(word: str) -> None:
    item = only(f"require {word} by call {word} where true")
    assert isinstance(item, s.Obligation)
    assert item.name.text == word
    assert isinstance(item.clauses.by[0].head, s.ToolHead)


# ---- 4: a verb has a tool or a class ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["call", "attempt", "failed"])
@pytest.mark.parametrize("clause", ["shared", "severity", "query", "order"])
def test_a_verb_takes_the_word_behind_it_as_its_tool(verb: str, clause: str) -> None:
    item = only(f"require x by {verb} {clause}")
    assert isinstance(item, s.Obligation)
    assert item.clauses.sharing is None
    assert item.clauses.by[0].head == s.ToolHead(verb, s.Name(clause, item.span), item.span)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "require x by call",
        "require x by call severity high",
        "rule r never call query where args.a == 1\nquery { a: int }\nrule s never call",
        "rule r at most 1 attempt",
        "rule r never attempt before call b",
        "rule r never call of",
        "rule r never message",
    ],
)
def test_a_verb_alone_is_refused(text: str) -> None:
    assert refused(text)


# ---- 5: guards stand before what they guard ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "rule r never call a where p {} q",
        "rule r if g never call a where p {} q",
        "rule r call a only if p {} q",
        "rule r always p {} q",
        "require x by call a where p {} q",
        "require x if p {} q by call a",
        "for each x in xs if p {} q {{ require y by call a }}",
        "decide d {{ branch a when p {} q {{ }} }}",
        "step z if p {} q {{ }}",
        "output json {{ rule r p {} q }}",
    ],
)
def test_iff_less_a_letter_is_no_guard(text: str) -> None:
    assert not refused(text.format("iff").replace("{{", "{").replace("}}", "}"))
    for slip in ("if", "ff", "fif", "i"):
        assert refused(text.format(slip).replace("{{", "{").replace("}}", "}"))


# ---- 6: commas are optional in parentheses and braces -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "record R { a: int, b: int, }",
        "enum E { a, b, }",
        "define z = 1 query { a: enum { x, y }, b: int observed t(a: 1, b: 2, ), }",
        "tool t(a: int, b: int, ) -> { a: int, b: int }",
        'test "t" { query { a: 1, b: { c: 1, d: 2, }, } call t { a: 1, b: 2 } expect conforms }',
        "event e = any of { call a, call b where x, message user, }",
        'output json { schema "x", field a: int, rule r a == 1, }',
        'output text { must match /a/, must say "b", }',
    ],
)
def test_optional_commas(text: str) -> None:
    assert read(text) == read(text.replace(",", " "))


@pytest.mark.parametrize(
    "text",
    [
        "class a = b, c",
        "result a, b : int",
        "success a, b when x",
        "define f(a, b) = 1",
        "define g = f(a, b)",
        "define g = a in { 1, 2 }",
        "define g = all a, b in xs, ys: (a == b)",
        "extra writes forbidden, reads allowed",
        "repair t { immutable /a, /b }",
        "repair t { budget 2 operations, 2 attempts }",
        "repair t { values /a from b, c }",
        'test "t" { output [1, 2] expect conforms }',
    ],
)
def test_other_commas_are_needed(text: str) -> None:
    assert not refused(text)
    for i, c in enumerate(text):
        if c == ",":
            assert refused(f"{text[:i]} {text[i + 1 :]}")


# ---- 7: every word that carries meaning shows in the tree ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("output text { must not match /a/ }", "output text { must match /a/ }"),
        ("record R { a: int optional }", "record R { a: int }"),
        ("output json { field a: int optional }", "output json { field a: int }"),
        ("require x by call t", "require x by failed t"),
        ("require x by call t", "require x by attempt t"),
        ("require x by call of t", "require x by call t"),
        ("require x by call of t", "require x by failed of t"),
        ("require x by call t", "optional x by call t"),
        ("require x by call t", "forbid x by call t"),
        ("require x shared by call t", "require x exclusive by call t"),
        ("require x shared by call t", "require x by call t"),
        ("require x severity low by call t", "require x severity high by call t"),
        ("require x severity normal by call t", "require x by call t"),
        ("require x from p:1 by call t", "require x from p:1-2 by call t"),
        ("define a = true", "define a = false"),
        ("define a = x is present", "define a = x is absent"),
        ("define a = any x in xs: (x)", "define a = all x in xs: (x)"),
        ("define a = any x in xs: (x)", "define a = no x in xs: (x)"),
        ("define a = (count x in xs: (x))", "define a = (sum x in xs: (x))"),
        ("define a = (first x in xs: (x))", "define a = (sum x in xs: (x))"),
        ("define a = x and y", "define a = x or y"),
        ("define a = x implies y", "define a = x iff y"),
        ("define a = not x", "define a = x"),
        ("define a = (x)", "define a = x"),
        ("define a = x contains y", "define a = y in x"),
        ("define a = x in { y }", "define a = x in y"),
        ("define a = x + y", "define a = x - y"),
        ("define a = x < y", "define a = x <= y"),
        ("define a = x - 1", "define a = x + 1"),
        ("define a = -1", "define a = 1"),
        ("define a = 1", "define a = 1.0"),
        ("define a = 1", 'define a = "1"'),
        ("define a = 1m", "define a = 1h"),
        ("rule r at most 1 call t", "rule r at least 1 call t"),
        ("rule r at most 1 call t", "rule r exactly 1 call t"),
        ("rule r at most 1 call t per turn", "rule r at most 1 call t per turn_of"),
        ("rule r at most 1 call t per turn", "rule r at most 1 call t"),
        ("rule r each call a needs later call b", "rule r each call a forbids later call b"),
        ("rule r each call a needs later call b", "rule r each call a needs earlier call b"),
        ("rule r each call a needs later call b", "rule r each call a needs anywhere call b"),
        ("rule r each call a needs later call b", "rule r each call a needs immediately later call b"),
        ("rule r each call a needs later call b since call c", "rule r each call a needs later call b until call c"),
        ("rule r each call a needs later call b within 3 turns", "rule r each call a needs later call b within 3 events"),
        ("rule r each call a needs later call b within 0 .. 3 turns", "rule r each call a needs later call b within 3 turns"),
        ("rule r never call a after call b", "rule r never call a before call b"),
        ("rule r first call a", "rule r last call a"),
        ("rule r first call a", "rule r never call a"),
        ("extra failed writes forbidden", "extra writes forbidden"),
        ("extra writes forbidden", "extra writes allowed"),
        ("tool t() reads", "tool t() writes"),
        ("tool t() neutral", "tool t()"),
        ("decide d partial { branch a otherwise {} }", "decide d { branch a otherwise {} }"),
        ("decide d { branch a when x {} }", "decide d { branch a otherwise {} }"),
        ("output text {}", "output json {}"),
        ("repair t { allow remove }", "repair t { monotone }"),
        ("repair t { values /a from conversation }", "repair t { values /a from conversations }"),
        ("define a = x[0]", "define a = x[1]"),
        ("define a = x.y", "define a = x[y]"),
        ("define a = x.present", "define a = x is present"),
        ("query { a: set of int }", "query { a: list of int max 1 }"),
        ("query { a: map of int max 1 }", "query { a: list of int max 1 }"),
        ("query { a: date }", "query { a: time }"),
        ("query { a: decimal(2) }", "query { a: decimal(3) }"),
        ("query { a: int in 0 .. 1 }", "query { a: int }"),
        ("view v = last t()", "view v = last call t"),
        ("order a before b", "order b before a"),
        ("order a[0] before b", "order a[1] before b"),
        ('test "t" { open expect conforms }', 'test "t" { expect conforms }'),
        ('test "t" { call t {} expect conforms }', 'test "t" { failed t {} expect conforms }'),
        ('test "t" { call t {} -> null expect conforms }', 'test "t" { call t {} expect conforms }'),
        ('test "t" { turn { call t {} } expect conforms }', 'test "t" { call t {} expect conforms }'),
        ('test "t" { query { a: x } expect conforms }', 'test "t" { query { a: "x" } expect conforms }'),
        ('test "t" { query { a: 1.0 } expect conforms }', 'test "t" { query { a: 1 } expect conforms }'),
        ('test "t" { expect active x }', 'test "t" { expect inactive x }'),
        ('test "t" { expect omission x }', 'test "t" { expect invariant x }'),
        ('test "t" { expect undecided }', 'test "t" { expect conforms }'),
        ('test "t" { expect undecided on x }', 'test "t" { expect undecided }'),
        ('test "t" { expect output x }', 'test "t" { expect output }'),
        ('test "t" { expect redundant x }', 'test "t" { expect redundant "x" }'),
    ],
)  # fmt: skip
def test_two_contracts_that_differ_in_meaning_differ_in_their_trees(one: str, other: str) -> None:
    assert read(one) != read(other)


# Lesson 8, tables that are built strictly in a test and loaded when reading, is `test_tables`.
