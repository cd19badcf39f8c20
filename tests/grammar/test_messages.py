"""What a syntax error says: place, what was found, what could stand there, and the hint."""

import pytest

from servanda.grammar.diagnostic import Diagnostic, Refusal, Severity
from servanda.grammar.parser import parse
from servanda.grammar.span import Source

HEAD = "language 1\ncontract c version 1\n"

IN_A_CONTRACT = [
    (
        "require y by call\nrequire z by call t",
        "4:9 found 'z'; expected 'or by', 'as', 'where' or a declaration ('require' was read as a name; is something missing before it?)",
    ),
    (
        'test "t" { query { a 1 } expect conforms }',
        "3:20 found 'a'; expected a field name and ':', a quoted text or '}' (is a ':' missing behind 'a'?)",
    ),
    ("requir x by call y", "3:1 found 'requir'; expected a declaration (did you mean 'require'?)"),
    (
        "define a = b\nrequir x by call y",
        "4:1 found 'requir'; expected an operator or a declaration (did you mean 'require'?)",
    ),
    (
        "Require x by call y",
        "3:1 found 'Require'; expected a declaration (the words of the language are in small letters: 'require')",
    ),
    (
        "require x bye call y",
        "3:11 found 'bye'; expected a quoted text, 'by', 'exclusive', 'from', 'if', 'severity', … (did you mean 'by'?)",
    ),
    (
        "require x bycall y",
        "3:11 found 'bycall'; expected a quoted text, 'by', 'exclusive', 'from', 'if', 'severity', … (is a blank missing behind 'by'?)",
    ),
    (
        "rule r nevercall a",
        "3:8 found 'nevercall'; expected an event, a quoted text, 'always', 'at', 'each', 'exactly', … (is a blank missing behind 'never'?)",
    ),
    ("require x", "3:10 the text ends here; expected a quoted text, 'by', 'exclusive', 'from', 'if', 'severity', …"),
    (
        "require x by call y if z",
        "3:21 found 'if'; expected 'or by', 'as', 'where' or a declaration (a guard stands before 'by' and before the form of a rule)",
    ),
    (
        "rule r if a call x if b",
        "3:20 found 'if'; expected 'as', 'only' or 'where' (a guard stands before 'by' and before the form of a rule)",
    ),
    (
        "rule r eech call x needs later call y",
        "3:8 found 'eech'; expected an event, a quoted text, 'always', 'at', 'each', 'exactly', … (did you mean 'each'?)",
    ),
    (
        "rule r each call x need later call y",
        "3:20 found 'need'; expected 'as', 'forbids', 'needs' or 'where' (did you mean 'needs'?)",
    ),
    ("rule r at most one call x", "3:16 found 'one'; expected a whole number"),
    ("rule r at most 1call a", "3:16 '1call' is neither a number nor a name; expected a whole number"),
    ("order a then b", "3:9 found 'then'; expected 'before'"),
    ("order a before b within 3 turn", "3:27 found 'turn'; expected 'events', 'turns' or '..' (did you mean 'turns'?)"),
    ("for ech x in xs {}", "3:5 found 'ech'; expected 'each' (did you mean 'each'?)"),
    ("view v = call x", "3:10 found 'call'; expected 'last'"),
    (
        "record R { a: int optionl }",
        "3:19 found 'optionl'; expected a field name and ':', a quoted text, 'in', 'observed', 'optional', ',', … (did you mean 'optional'?)",
    ),
    ("extra writes forbiden", "3:14 found 'forbiden'; expected 'allowed' or 'forbidden' (did you mean 'forbidden'?)"),
    ("extra writes forbidden reads allowed", "3:24 found 'reads'; expected ',' or a declaration"),
    ("class a = b c", "3:13 found 'c'; expected ',' or a declaration"),
    (
        "tool t() -> string reeds",
        "3:20 found 'reeds'; expected 'neutral', 'reads', 'writes' or a declaration (did you mean 'reads'?)",
    ),
    ('source p "x" sha265 "y"', "3:14 found 'sha265'; expected 'sha256' or a declaration (did you mean 'sha256'?)"),
    ("output json { decision: string }", "3:15 found 'decision'; expected 'field', 'rule', 'schema' or '}'"),
    ("repair t { budget 2 operations 2 attempts }", "3:32 found '2'; expected ','"),
    ("decide d { }", "3:12 found '}'; expected 'branch'"),
    (
        "decide d { branch a when x {\nrequire y by call z\n",
        "4:20 the text ends here; expected a duty or a rule, 'or by', 'as', 'where' or '}' [this '{' is still open 3:28]",
    ),
    (
        "decide d { branch a when x {\nrequire y by call z\n}\n\nrecord R { a: int }\n",
        "7:1 found 'record'; expected 'branch' or '}' [this '{' is still open 3:10]",
    ),
    ("}", "3:1 this '}' closes nothing; expected a declaration"),
    ("define a = (b]", "3:14 found ']'; expected ')' or an operator [this '(' is still open 3:12]"),
    ("define a = (b or )", "3:18 found ')'; expected an expression"),
    ("define a = b + ", "3:15 the text ends here; expected an operand"),
    (
        "define a = b && c",
        "3:14 '&&' has no meaning in the language; expected an operator or a declaration (write 'and')",
    ),
    ("define a = b = c", "3:14 found '='; expected an operator or a declaration (equality is written '==')"),
    (
        "define a = b < c < d",
        "3:18 found '<'; expected an operator or a declaration (comparisons do not chain; join two of them with 'and')",
    ),
    ("define a = -b", "3:12 found '-'; expected an expression (only a number has a sign; write 0 - x)"),
    ("define a = b / c", "3:14 found '/'; expected an operator or a declaration (there is no division)"),
    (
        "define a = 20%",
        "3:14 '%' has no meaning in the language; expected an operator or a declaration (write a share as a decimal, 0.2)",
    ),
    ('define a = "abc\n', "3:12 a quoted text without its closing quote on this line; expected an expression"),
    (
        "define a = x matches /abc\n",
        "3:22 found '/abc'; expected a pattern between slashes, as in /word/ (a pattern ends with '/' on its own line; a '/' inside it is written '\\/')",
    ),
    (
        "define a = b == 'x'",
        '3:17 a text between single quotes; expected an operand (quoted texts stand between double quotes: "…")',
    ),
    (
        "define a = “x”",
        "3:12 '“' (U+201C) has no meaning outside quoted texts, patterns and comments; expected an expression (quoted texts stand between straight quotes: \"…\")",
    ),
    (
        "define é = 3",
        "3:8 'é' (U+00E9) has no meaning outside quoted texts, patterns and comments; expected a name (a name is made of the letters a to z and A to Z, digits and '_')",
    ),
    ("define a = 30x", "3:12 '30x' is neither a number nor a name; expected an expression"),
    ("define a = 1e3", "3:12 '1e3' is neither a number nor a name; expected an expression"),
    ("define a = 007", "3:12 a number has no leading zeros: write 7"),
    ("define a = 1d 2d", "3:15 a length of time names each unit once, the largest first, as in '1d 12h'"),
    (
        'define a = "\\d"',
        '3:12 an unknown escape in a quoted text; known are \\" \\\\ \\/ \\n \\r \\t \\b \\f and \\u with four hexadecimal digits',
    ),
    ('define a = "\\ud800"', "3:12 half of a surrogate pair in a quoted text is no character"),
    (
        "define a = if b then c else d",
        "3:15 found 'b'; expected an operator or a declaration (a choice between values stands in parentheses: (if … then … else …))",
    ),
    (
        "define a = b; define c = d",
        "3:13 ';' has no meaning in the language; expected an operator or a declaration (a declaration ends where the next one begins)",
    ),
    ("define a = any x in xs: x == 1", "3:25 found 'x'; expected '('"),
    (
        "define a = any x, y in xs: (x == 1)",
        "3:12 2 variables over 1 list: parallel lists need one variable each, as in 'all a, b in xs, ys: (…)'",
    ),
    ("define a = x in {}", "3:18 found '}'; expected an expression"),
    ("require x from p:3-1 by call y", "3:18 lines are counted from 1, and the first comes before the last"),
    ("require x from p:0 by call y", "3:18 lines are counted from 1, and the first comes before the last"),
    ("require x if a if b by call y", "3:16 'if' stands twice here"),
    ("require x shared exclusive by call y", "3:18 'shared' or 'exclusive' stands twice here"),
    (
        "event e = call a where x as y",
        "3:26 found 'as'; expected an operator or a declaration ('as' stands before 'where')",
    ),
    (
        'test "t" { expect conforms call x {} }',
        "3:28 found 'call'; expected 'expect' or '}' (in a test, what is expected comes last)",
    ),
    (
        'test "t" { call x {} }',
        "3:22 found '}'; expected 'call', 'expect', 'failed', 'labels', 'message', 'open', … (a test says what it expects)",
    ),
    ('test "t" { query {} query {} expect conforms }', "3:21 'query' stands twice here"),
    ('test "t" { open open expect conforms }', "3:17 'open' stands twice in this test"),
    (
        'test "t" { query { d: 2026-5-1 } expect conforms }',
        "3:27 found '-'; expected a field name and ':', a quoted text, ',' or '}' (a date is written with two digits for month and day, 2026-05-01)",
    ),
    ("// comment", "3:1 found '//'; expected a declaration (comments begin with '#')"),
    (
        "define a = b \xa0",
        "3:14 '\xa0' (U+00A0) has no meaning outside quoted texts, patterns and comments; expected an operator or a declaration (it looks like a blank but is none)",
    ),
    ("rule r never call a after call b after call c", "3:34 'after' stands twice here"),
]

WHOLE = [
    ("", "1:1 the text is empty; expected 'language' (a contract begins with 'language 1')"),
    (
        "  # c\n",
        "2:1 there is nothing but blanks and comments; expected 'language' (a contract begins with 'language 1')",
    ),
    (
        "langage 1\ncontract c version 1\n",
        "1:1 found 'langage'; expected 'language' (a contract begins with 'language 1')",
    ),
    ("contract c version 1", "1:1 found 'contract'; expected 'language' (a contract begins with 'language 1')"),
    ("language 2\ncontract c version 1", "1:10 language 2 is not known; this release reads language 1"),
    ("language 1\ncontract c", "2:11 the text ends here; expected a quoted text or 'version'"),
    ('language 1\ncontract "c" version 1', "2:10 found '\"c\"'; expected a name"),
    ('{"language": 1}', "1:1 found '{'; expected 'language' (a contract begins with 'language 1')"),
]


def said(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(Refusal) as refusal:
        parse(Source("t", text))
    return refusal.value.diagnostics


def in_a_line(diagnostic: Diagnostic) -> str:
    assert diagnostic.span is not None
    line = f"{diagnostic.span.line}:{diagnostic.span.column} {diagnostic.message}"
    for note in diagnostic.notes:
        assert note.span is not None
        line += f" [{note.message} {note.span.line}:{note.span.column}]"
    return f"{line} ({diagnostic.help})" if diagnostic.help else line


@pytest.mark.parametrize(("text", "expected"), IN_A_CONTRACT)
def test_an_error_in_a_contract(text: str, expected: str) -> None:
    (diagnostic,) = said(HEAD + text)
    assert in_a_line(diagnostic) == expected
    assert (diagnostic.code, diagnostic.severity) == ("C100", Severity.ERROR)


@pytest.mark.parametrize(("text", "expected"), WHOLE)
def test_an_error_at_the_start(text: str, expected: str) -> None:
    (diagnostic,) = said(text)
    assert in_a_line(diagnostic) == expected


def test_the_place_is_what_was_found() -> None:
    (diagnostic,) = said(HEAD + "define a = b\n  requir x by call y")
    assert diagnostic.source is not None
    assert diagnostic.span is not None
    assert diagnostic.source.text[diagnostic.span.start : diagnostic.span.end] == "requir"


def test_no_message_speaks_of_terminals() -> None:
    for text, _ in IN_A_CONTRACT:
        for diagnostic in said(HEAD + text):
            words = diagnostic.message.partition("expected ")[2].replace("'", " ").split()
            assert not [w for w in words if w.isupper() and len(w) > 1], diagnostic.message
