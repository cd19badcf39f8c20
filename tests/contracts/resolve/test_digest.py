"""The digest: it changes with what is meant, and with nothing else."""

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servanda.contracts.load import load, load_text
from servanda.grammar.diagnostic import Refusal

TOKEN = re.compile(
    r"""#[^\n]*|"(?:\\.|[^"\\\n])*"|(?<=matches )/(?:\\.|[^/\n\\])+/|/[A-Za-z_][A-Za-z_/]*|\d{4}-\d\d-\d\d|\d+\.\d+|\d+[dhms]?"""
    r"""|[A-Za-z_][A-Za-z0-9_]*|[<>=!]=|->|\.\.|\S"""
)


def items_of(text: str) -> tuple[str, list[str]]:
    """The header, and the items: each begins at the margin, and its further lines are indented or close a brace."""
    lines = text.strip().split("\n")
    header = "\n".join(lines[:2])
    items: list[str] = []
    for line in lines[2:]:
        if items and (line.startswith((" ", "}")) or not line):
            items[-1] += f"\n{line}"
        else:
            items.append(line)
    return header, items


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("desk")
    (place / "policy.md").write_text("Look the order up.\n\nPay at most the total.\n", "utf-8")
    return place


def digest_of(text: str, folder: Path) -> str:
    return load_text(text, "desk.contract", folder)[0].digest


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_order_of_declarations_does_not_matter(seed: int, folder: Path, wide: str) -> None:
    header, items = items_of(wide)
    random.Random(seed).shuffle(items)
    assert digest_of("\n".join([header, *items]), folder) == digest_of(wide, folder)


def test_the_order_inside_blocks_does_not_matter_where_it_means_nothing(folder: Path, wide: str) -> None:
    for one, other in (
        ("  order_id: string\n  verified: bool\n", "  verified: bool\n  order_id: string\n"),
        ("class order_writes = pay, cancel", "class order_writes = cancel, pay"),
        ("order_writes forbidden, reads forbidden", "reads forbidden, order_writes forbidden"),
    ):
        assert wide.count(one) == 1
        assert digest_of(wide.replace(one, other), folder) == digest_of(wide, folder)


def test_layout_comments_and_commas_do_not_matter(folder: Path, wide: str) -> None:
    spaced = (
        wide.replace("\n", "   # a remark\n\n", 1).replace("{ ", "{\n    ").replace("pay, cancel", "pay ,\n cancel")
    )
    assert digest_of(spaced, folder) == digest_of(wide, folder)
    assert digest_of(wide.replace("amount > 500", "(amount > 500.00)"), folder) == digest_of(wide, folder)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('contract desk "A desk" version 1', 'contract desk "A desk" version 2'),
        ('"A desk"', '"The desk"'),
        ("severity low exclusive", "severity high exclusive"),
        ("severity low exclusive", "severity low shared"),
        ('step s "A step"', 'step s "Step"'),
        ("from policy:1 {", "from policy:1-3 {"),
        ("matches /two/ or by call think", "matches /two/"),
        ("or by call think", "or by call cancel"),
        ("branch refund when big and verified", "branch refund when verified and big"),
        ("within 9 turns", "within 9 events"),
        ("reads forbidden", "reads allowed"),
        ("amount > 500", "amount > 500.01"),
        ("amount > 500", "amount >= 500"),
        ("age: int in 0 .. 100", "age: int in 0 .. 101"),
        ("hint: string optional", "hint: string"),
        ("{ pending, delivered,", "{ delivered, pending,"),
        ("thought: string", "thought: string optional"),
        ("monotone", "allow remove"),
        ("expect undecided on amount", "expect undecided on today"),
        ("  open\n", ""),
        ('message user "x"', 'message user "y"'),
        (
            "call pay where args.order_id == order_id and args.amount",
            "attempt pay where args.order_id == order_id and args.amount",
        ),
    ],
)
def test_what_is_meant_matters(old: str, new: str, folder: Path, wide: str) -> None:
    assert wide.count(old) == 1, old
    assert digest_of(wide.replace(old, new), folder) != digest_of(wide, folder)


def test_the_prose_and_the_tools_matter(tmp_path: Path) -> None:
    text = 'language 1\ncontract c version 1\nsource p "p.md"\nuse tools "t.json"\n'
    tool = {
        "name": "t",
        "description": "one",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
    }
    seen = set()
    for prose, maximum in (("one\n", 1), ("two\n", 1), ("one\n", 2)):
        (tmp_path / "p.md").write_text(prose, "utf-8")
        described = {**tool, "parameters": {**tool["parameters"], "maxProperties": maximum}}  # type: ignore[dict-item]
        (tmp_path / "t.json").write_text(json.dumps([described]), "utf-8")
        seen.add(digest_of(text, tmp_path))
    assert len(seen) == 3


def without(text: str, found: re.Match[str]) -> str:
    return text[: found.start()] + text[found.end() :]


def test_no_word_can_be_lost(folder: Path, wide: str) -> None:
    kept = digest_of(wide, folder)
    same = []
    for found in TOKEN.finditer(wide):
        if found.group() == "," or found.group().startswith("#"):
            continue
        try:
            if digest_of(without(wide, found), folder) == kept:
                same.append((wide.count("\n", 0, found.start()) + 1, found.group()))
        except Refusal:
            continue
    assert same == []


def test_no_word_of_the_library_can_be_lost_in_a_sample(library: Path) -> None:
    for path in sorted(library.glob("*.contract")):
        text, kept = path.read_text("utf-8"), load(path).digest
        tokens = [t for t in TOKEN.finditer(text) if t.group() != "," and not t.group().startswith("#")]
        for found in random.Random(path.name).sample(tokens, 25):
            try:
                changed = load_text(without(text, found), str(path), library)[0].digest
            except Refusal:
                continue
            line = text.count("\n", 0, found.start()) + 1
            assert changed != kept, f"{path.name}:{line}: '{found.group()}' means nothing"
