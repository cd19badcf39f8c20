"""Files: what is no contract is refused with a code and a place."""

from pathlib import Path

import pytest

from servanda.contracts.load import load, load_text, load_with_warnings
from servanda.grammar.diagnostic import Refusal, Severity

TEXT = "language 1\ncontract c version 1\n"


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (None, "F101", "does not exist"),
        ("folder", "F102", "is a folder"),
        (TEXT.encode() + b"# \xe9t\xe9", "F103", f"offset {len(TEXT) + 2}"),
        (b"# " + b"x" * 4_200_000, "F104", "4 MB"),
        (b"", "F105", "is empty"),
        (b" \n\t\n", "F105", "is empty"),
        (b"PK\x03\x04", "C103", "U+0003"),
        (b"{}", "C100", "'{'"),
        (b"language 1\ncontract c version 1\nx", "C100", "'x'"),
    ],
)
def test_what_is_no_contract_is_refused(content: bytes | str | None, code: str, words: str, tmp_path: Path) -> None:
    place = tmp_path / "c.contract"
    if content == "folder":
        place.mkdir()
    elif isinstance(content, bytes):
        place.write_bytes(content)
    with pytest.raises(Refusal) as caught:
        load(place)
    first = caught.value.diagnostics[0]
    assert (first.code, first.severity) == (code, Severity.ERROR)
    assert words in first.message


def test_another_ending_is_a_note(tmp_path: Path) -> None:
    place = tmp_path / "c.txt"
    place.write_text(TEXT, "utf-8")
    contract, said = load_with_warnings(place)
    assert contract.name == "c"
    assert [(d.code, d.severity) for d in said] == [("F106", Severity.NOTE)]


def test_a_byte_order_mark_and_foreign_line_ends_are_read(tmp_path: Path) -> None:
    place = tmp_path / "c.contract"
    place.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert load(place).digest == load_text(TEXT, "-", tmp_path)[0].digest


def test_files_are_named_from_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "policy.md").write_text("one\r\ntwo\n", "utf-8", newline="")
    (folder / "c.contract").write_text(TEXT + 'source p "policy.md"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert load("desk/c.contract").prose["p"].lines == ("one", "two")


def test_refusals_hold_errors_and_warnings(tmp_path: Path) -> None:
    text = TEXT + "tool t(x: int)\nrequire r by call t\ndefine f = nothing\n"
    with pytest.raises(Refusal) as caught:
        load_text(text, "c.contract", tmp_path)
    assert [d.code for d in caught.value.diagnostics] == ["C110"]
    _, said = load_text(text.replace("nothing", "true"), "c.contract", tmp_path)
    assert [d.code for d in said] == ["C152"]


def test_deep_nesting_is_refused_or_read_but_never_falls(tmp_path: Path) -> None:
    for depth in (50, 99, 2000):
        text = TEXT + f"define f = {'(' * depth}true{')' * depth}\n"
        try:
            load_text(text, "c.contract", tmp_path)
        except Refusal as refusal:
            assert refusal.diagnostics[0].code in ("C102", "F107")
    chain = "\n".join(f"define d{i} = d{i + 1}" for i in range(3000)) + "\ndefine d3000 = true\n"
    assert len(load_text(TEXT + chain, "c.contract", tmp_path)[0].definitions) == 3001


def test_a_cycle_of_many_is_told_once(tmp_path: Path) -> None:
    chain = "\n".join(f"define d{i} = d{(i + 1) % 50}" for i in range(50))
    with pytest.raises(Refusal) as caught:
        load_text(TEXT + chain, "c.contract", tmp_path)
    (found,) = caught.value.diagnostics
    assert found.code == "C134"
    assert found.message.endswith("d48 -> d49 -> d0")
