"""The tables are built without a conflict, kept, current, and read without Lark."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lark.exceptions import GrammarError, LexError

from servanda.grammar import tables
from servanda.grammar.builder import Builder

HERE = Path(__file__).resolve().parent
SAMPLES = sorted((HERE / "samples").glob("*.contract"))


def test_strict_build_finds_no_conflict_and_the_kept_tables_are_its_result() -> None:
    assert tables.FILE.read_text("utf-8") == tables.text(), "run python -m servanda.grammar.tables"


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ('by: "by" pattern (OR_BY pattern)*', 'by: "by" pattern ("or" "by" pattern)*'),
        ('| literal', '| literal | "-" operand -> negation'),
        ('"(" "if" expr "then" expr "else" expr ")"', '"if" expr "then" expr "else" expr'),
        ('_json_item: ', '_json_item: expr | '),
    ],
)  # fmt: skip
def test_strict_build_refuses_what_cannot_be_read_in_one_way(written: str, instead: str) -> None:
    grammar = tables.GRAMMAR.read_text("utf-8")
    assert grammar.count(written) == 1
    with pytest.raises(GrammarError):
        tables.build(grammar.replace(written, instead), strict=True)


def test_strict_build_refuses_terminals_that_collide() -> None:
    grammar = tables.GRAMMAR.read_text("utf-8").replace("LENGTH.5", "LENGTH.2").replace(r"\d+[dhms]", r"\d+[dhms]?")
    with pytest.raises(LexError):
        tables.build(grammar, strict=True)


def test_every_production_has_its_method() -> None:
    actions = {p.action for p in tables.load().productions if p.action}
    methods = {name for name in dir(Builder) if not name.startswith("_")}
    assert actions == methods


def test_tables_of_another_grammar_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tables.load()
    other = tmp_path / "contract.tables"
    other.write_text(f"{'0' * 64} lark 1.0.0\n{json.dumps({'terminals': []})}\n", "utf-8")
    for file in (other, tmp_path / "missing"):
        monkeypatch.setattr(tables, "FILE", file)
        tables.load.cache_clear()
        assert tables.load() == kept
    tables.load.cache_clear()


def test_reading_needs_no_lark() -> None:
    code = (
        "import sys; from servanda.grammar.parser import parse; from servanda.grammar.formatter import format_tree;"
        "from servanda.grammar.span import Source; s = Source('x', sys.stdin.read());"
        "format_tree(parse(s), s); print(sorted(m for m in sys.modules if m.split('.')[0] in ('lark', 'interegular')))"
    )
    text = SAMPLES[0].read_text("utf-8")
    run = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
