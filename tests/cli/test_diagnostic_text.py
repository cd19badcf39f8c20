"""Diagnostics on the terminal: the place is marked right, nothing is wider than the screen, nothing steers the terminal."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from servanda.cli.diagnostic_text import compact, pretty
from servanda.cli.screen import Screen
from servanda.cli.visible import visible
from servanda.grammar.diagnostic import Diagnostic, Note, Severity
from servanda.grammar.span import Source


def shown(text: str, start: int, end: int, *, width: int = 80, label: str = "", path: str = "a.contract") -> list[str]:
    source = Source(path, text)
    diagnostic = Diagnostic("C110", Severity.ERROR, "no such fact", source, source.span(start, end), label)
    screen = Screen(width)
    return screen.render(pretty([diagnostic], screen)).splitlines()


def test_block_with_label_note_and_help() -> None:
    source = Source("desk.contract", "query { verified: bool }\nrequire v if not verifed by call x\n")
    at = source.text.index("verifed")
    diagnostic = Diagnostic(
        "C110",
        Severity.ERROR,
        "'verifed' is not declared",
        source,
        source.span(at, at + 7),
        "no fact has this name",
        (Note("the query is declared here", source.span(0, 5)),),
        "did you mean 'verified'?",
    )
    screen = Screen()
    assert screen.render(pretty([diagnostic], screen)) == (
        "error[C110] 'verifed' is not declared\n"
        "  desk.contract:2:18\n"
        "  2 | require v if not verifed by call x\n"
        "    |                  ^^^^^^^ no fact has this name\n"
        "  note: the query is declared here\n"
        "    desk.contract:1:1\n"
        "    1 | query { verified: bool }\n"
        "      | ^^^^^\n"
        "  help: did you mean 'verified'?\n"
    )


def test_tabs_and_wide_characters_keep_the_caret_under_the_word() -> None:
    line = "\t漢字 word\there"
    at = line.index("word")
    _, _, code, pointer = shown(line, at, at + 4)
    assert cell_len(code[: code.index("word")]) == pointer.index("^")
    assert pointer.count("^") == 4
    assert "\t" not in code


def test_wide_characters_are_underlined_whole() -> None:
    _, _, _, pointer = shown("a 漢字 b", 2, 4)
    assert pointer.count("^") == 4


def test_long_line_is_cut_around_the_mark() -> None:
    line = "x" * 300 + " HERE " + "y" * 300
    at = line.index("HERE")
    _, _, code, pointer = shown(line, at, at + 4)
    assert code[pointer.index("^") : pointer.rindex("^") + 1] == "HERE"
    assert cell_len(code) <= 80
    assert code.count("…") == 2


def test_a_span_of_several_lines_marks_the_rest_of_its_first() -> None:
    _, place, _, pointer = shown("rule {\n  never x\n}\n", 0, 17)
    assert place.strip() == "a.contract:1:1"
    assert pointer.count("^") == len("rule {")


def test_a_place_at_the_end_of_a_line_has_one_caret() -> None:
    _, _, code, pointer = shown("rule", 4, 4)
    assert pointer.index("^") == len(code)
    assert pointer.count("^") == 1


def test_a_file_without_a_place_and_an_empty_line() -> None:
    whole = Diagnostic("F105", Severity.ERROR, "the file is empty", Source("a.contract", ""))
    screen = Screen()
    assert screen.render(pretty([whole], screen)) == "error[F105] the file is empty\n  a.contract\n"
    assert shown("\n\n", 1, 1) == ["error[C110] no such fact", "  a.contract:2:1"]


def test_compact_is_one_line_each() -> None:
    source = Source("a.contract", "x\ny\n")
    first = Diagnostic("C110", Severity.ERROR, "line\nbreak", source, source.span(2, 3), help="mend it")
    second = Diagnostic("F101", Severity.WARNING, "gone")
    assert list(compact([first, second])) == [
        "a.contract:2:1: error[C110] line\\nbreak; mend it",
        "warning[F101] gone",
    ]


def test_control_characters_are_shown_not_sent() -> None:
    assert visible("a\x1b[31mb\u202ec\ud800") == "a\\x1b[31mb\\u202ec\\ud800"


def test_colour_only_where_asked() -> None:
    source = Source("a.contract", "x")
    diagnostic = Diagnostic("C110", Severity.ERROR, "m", source, source.span(0, 1))
    assert "\x1b[" not in Screen().render(pretty([diagnostic], Screen()))
    assert "\x1b[" in Screen(80, True).render(pretty([diagnostic], Screen(80, True)))


@given(st.text(max_size=200), st.integers(0, 200), st.integers(0, 200), st.integers(40, 120))
def test_any_text_fits_and_has_a_caret_where_a_line_is_shown(text: str, start: int, length: int, width: int) -> None:
    start = min(start, len(text))
    lines = shown(text, start, min(len(text), start + length), width=width)
    assert all(cell_len(line) <= width for line in lines)
    assert all(visible(line) == line for line in lines)
    if len(lines) > 2:
        assert "^" in lines[-1]
