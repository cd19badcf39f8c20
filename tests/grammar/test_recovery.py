"""Several errors a run, each an error of its own; none that follows from another."""

from itertools import pairwise
from pathlib import Path

import pytest

from servanda.grammar.diagnostic import Diagnostic, Refusal, Severity
from servanda.grammar.parser import parse, tokens
from servanda.grammar.span import Source

HERE = Path(__file__).resolve().parent
HEAD = "language 1\ncontract c version 1\n"


def errors(text: str) -> list[Diagnostic]:
    with pytest.raises(Refusal) as refusal:
        parse(Source("t", text))
    return list(refusal.value.diagnostics)


def lines(text: str) -> list[int]:
    return [d.span.line for d in errors(HEAD + text) if d.span]


def test_each_broken_declaration_is_reported() -> None:
    text = """
enum A { a b = c }
enum B { a }
record R { a: strin g }
define ok = 1
rule r nevr call x
require y by call
require z by call t where a = b
order a befor b
extra writes forbiden
define fine = 2
"""
    assert lines(text) == [4, 6, 8, 10, 11, 12]


def test_errors_in_and_between_blocks() -> None:
    text = """
decide d {
  branch a when x {
    require p by cal t
    require q by cal t
  }
}
define a = = b
step s {
  require p by call t
  ordr a before b
}
rule r at mots 1 call t
"""
    assert lines(text) == [6, 10, 13, 15]


def test_a_missing_opening_brace_is_one_error() -> None:
    assert lines("decide d\n  branch a when x {\n    require p by call t\n  }\n}\norder a before b\nrequir x\n") == [4]


def test_a_missing_closing_brace_is_one_error() -> None:
    text = "decide d {\n  branch a when x {\n    require p by call t\n}\norder a before b\nrequire q by call t\nextra writes allowed\n"
    assert lines(text) == [7]


def test_a_brace_too_many_is_one_error() -> None:
    text = "step s {\n  require p by call t\n}\n}\norder a before b\nrequir x\n"
    assert lines(text) == [6]


def test_a_text_without_end_that_holds_a_brace_ends_certainty() -> None:
    assert lines('define a = "x {\nrequir y\n') == [3]
    assert lines('define a = "x\ndefine b = "y\ndefine c = d\n') == [3, 4]


def test_a_keyword_within_a_line_or_further_in_begins_nothing() -> None:
    text = "class a = b c, query,\n  query d, order\nclass e = f\nrule h nevr call x\n"
    assert lines(text) == [3, 6]


def test_braces_in_texts_patterns_and_comments_do_not_count() -> None:
    text = 'define a = = 1\ndefine b = "{" == x # {\nrule r never call t where text matches /{ "/\nrequir z\n'
    assert lines(text) == [3, 6]


def test_an_error_of_the_builder_and_one_of_the_parser() -> None:
    found = errors(HEAD + 'require x if a if b by call t\nsource p "\\q"\nrule r eech call t\n')
    assert [d.code for d in found] == ["C100"] * 3
    assert [d.span.line for d in found if d.span] == [3, 4, 5]


def test_errors_come_in_the_order_of_the_text_and_stop_at_fifty() -> None:
    found = errors(HEAD + "requir x\nrequire y by call z\n" * 200)
    assert [d.severity for d in found] == [Severity.ERROR] * 50 + [Severity.NOTE]
    assert found[-1].message == "reading stopped after 50 syntax errors"
    at = [d.span.line for d in found[:50] if d.span]
    assert at == sorted(set(at))


def test_an_error_in_the_header_leaves_the_rest_to_be_read() -> None:
    found = errors("language 1\ncontrakt c version 1\ndefine a = b\nrequir x\n")
    assert [d.span.line for d in found if d.span] == [2, 4]


def test_one_slip_in_a_long_contract_is_one_error() -> None:
    """Whichever token is replaced by one that fits nowhere: the error is there, and it is the only one, or the text shows its brackets
    do not match."""
    text = (HERE / "samples/loans.contract").read_text("utf-8")
    read = list(tokens(Source("t", text)))
    for before, token in list(pairwise(read))[::19]:
        found = errors(f"{text[: token.start]}${text[token.end :]}")
        assert found[0].span is not None
        assert found[0].span.start in (token.start, before.start if token.type == "COLON" else token.start)
        assert len(found) == 1, (token, [d.message for d in found])
