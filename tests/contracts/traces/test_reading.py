"""Files of traces: what is found, what is passed over and told, and that the rest is read."""

import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from servanda.contracts.observed import Trace
from servanda.contracts.readers import documents
from servanda.contracts.readers.reading import Skipped, read_traces
from servanda.grammar.diagnostic import Refusal


def record(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "events": [{"kind": "message", "role": "user", "text": "hi"}], **more}


def ids(found: Sequence[Trace | Skipped]) -> list[str]:
    return [f.id if isinstance(f, Trace) else f"{f.code} {f.id}" for f in found]


def read(*paths: Path | str, reader: str = "auto", stdin: bytes = b"") -> list[Trace | Skipped]:
    return list(read_traces([str(p) for p in paths], reader, stdin=io.BytesIO(stdin)))


def only(found: list[Trace | Skipped]) -> Skipped:
    (one,) = found
    assert isinstance(one, Skipped)
    return one


# ---- what a file can hold ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["t.json", "t.jsonl", "t"])
@pytest.mark.parametrize("indent", [None, 2])
def test_one_record_however_it_is_laid_out(tmp_path: Path, name: str, indent: int | None) -> None:
    file = tmp_path / name
    file.write_text(json.dumps(record("a"), indent=indent))
    assert ids(read(file)) == ["a"]


@pytest.mark.parametrize("name", ["t.json", "t.jsonl", "t"])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_records_however_it_is_laid_out(tmp_path: Path, name: str, indent: int | None) -> None:
    file = tmp_path / name
    file.write_text(json.dumps([record("a"), record("b")], indent=indent))
    assert ids(read(file)) == ["a", "b"]


@pytest.mark.parametrize("name", ["t.json", "t.jsonl", "t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n \n"])
def test_records_on_lines_whatever_the_file_is_called(tmp_path: Path, name: str, end: str) -> None:
    file = tmp_path / name
    file.write_bytes(end.join(json.dumps(record(n)) for n in "abc").encode())
    found = read(file)
    assert ids(found) == ["a", "b", "c"]
    assert found[2].path == f"{file}:{1 + 2 * end.count(chr(10))}"


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(record("a")).encode())
    assert ids(read(file)) == ["a"]


def test_a_corpus_may_mix_shapes(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    chat = [{"role": "user", "content": "hi"}]
    lines = [
        record("a"),
        {"messages": chat},
        chat,
        {"task_id": 1, "messages": chat},
        {"task_id": 2, "traj": chat},
        [record("b")],
    ]
    file.write_text("\n".join(json.dumps(line) for line in lines))
    found = read(file)
    assert [(f.id, f.reader) for f in found if isinstance(f, Trace)] == [
        ("a", "servanda"),
        ("t:2", "openai"),
        ("t:3", "openai"),
        ("task-1", "tau2"),
        ("task-2", "tau-bench"),
        ("b", "servanda"),
    ]
    assert len(found) == 6


def test_records_of_an_array_are_placed_by_line(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text('[\n {"messages": [{"role": "user", "content": "x"}]},\n\n {"messages": []}\n]\n')
    found = read(file)
    assert [(f.id, f.path) for f in found] == [("t[0]", f"{file}:2"), ("t[1]", f"{file}:4")]


def test_standard_input_is_read_like_a_file() -> None:
    lines = b"\n".join(json.dumps(record(n)).encode() for n in "ab")
    assert [f.path for f in read("-", stdin=lines)] == ["-:1", "-:2"]
    assert [f.path for f in read("-", stdin=json.dumps(record("a"), indent=1).encode())] == ["-"]
    assert ids(read("-", stdin=b'{"messages": []}')) == ["stdin"]


# ---- which files are read ----------------------------------------------------------------------------------------------


def test_folders_patterns_and_files_in_a_stable_order(tmp_path: Path) -> None:
    for name in ("b/2.jsonl", "b/10.json", "a/x.JSON", "a/notes.txt", "a/deep/er/y.jsonl", "z.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps(record(name)))
    (tmp_path / "a/loop").symlink_to(tmp_path, target_is_directory=True)
    everything = ["a/deep/er/y.jsonl", "a/x.JSON", "b/10.json", "b/2.jsonl", "z.jsonl"]
    assert ids(read(tmp_path)) == everything
    assert ids(read(tmp_path / "z.jsonl", tmp_path / "b", tmp_path)) == [
        "z.jsonl",
        "b/10.json",
        "b/2.jsonl",
        *everything[:2],
    ]
    assert ids(read(tmp_path / "b/*.json*")) == ["b/10.json", "b/2.jsonl"]
    assert ids(read(f"{tmp_path}/**/*.jsonl")) == ["a/deep/er/y.jsonl", "b/2.jsonl", "z.jsonl"]
    assert ids(read(tmp_path / "?")) == ["a/deep/er/y.jsonl", "a/x.JSON", "b/10.json", "b/2.jsonl"]
    assert ids(read(tmp_path / "a/notes.txt")) == ["a/notes.txt"]


def test_a_file_whose_name_looks_like_a_pattern(tmp_path: Path) -> None:
    file = tmp_path / "run[1].json"
    file.write_text(json.dumps(record("a")))
    assert ids(read(file)) == ["a"]


def test_an_id_that_was_met_is_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(json.dumps(record(n)) for n in ("a", "a#2", "a", "a")))
    found = read(file)
    assert ids(found) == ["a", "a#2", "a#3", "a#4"]
    assert isinstance(found[2], Trace)
    assert found[2].notes == (f"the id a is that of a trace before it ({file}:1); this one is called a#3",)


# ---- bad input ---------------------------------------------------------------------------------------------------------


def test_an_unknown_reader_is_refused_at_once() -> None:
    with pytest.raises(Refusal) as caught:
        read_traces([], "opnai")
    (found,) = caught.value.diagnostics
    assert (found.code, found.help) == ("T107", "did you mean 'openai'?")
    assert found.message == "no reader is called 'opnai'; there are auto, servanda, openai, tau-bench, tau2"


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    missing, empty, pattern = tmp_path / "missing.json", tmp_path / "empty", tmp_path / "*.jsonl"
    found = read(missing, empty, pattern, "a\0b")
    assert [(f.code, f.message) for f in found if isinstance(f, Skipped)] == [
        ("T101", f"{missing} does not exist"),
        ("T102", f"the folder {empty} holds no file that ends in .json or .jsonl"),
        ("T102", f"no file matches {pattern}"),
        ("T101", "a path cannot have a NUL character in it"),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text("{}")
    file.chmod(0)
    assert only(read(file)).message == f"{file} cannot be read: Permission denied"


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"", "T105", "the file is empty: it holds no record"),
        (b" \n\n", "T105", "the file is empty: it holds no record"),
        (b"\xef\xbb\xbf\n", "T105", "the file is empty: it holds no record"),
        (b"[]", "T105", "the array at $ is empty: it holds no record"),
        (b'{"simulations": []}', "T105", "the array at $.simulations is empty: it holds no record"),
        (b"\x1f\x8b\x08 x", "T106", "the file is no text but packed (gzip); unpack it first"),
        (b"PK\x03\x04", "T106", "the file is no text but packed (zip); unpack it first"),
        (b"\x89PNG\x00\x1a\n", "T106", "the file is binary; traces are UTF-8 text"),
        ("{}".encode("utf-16"), "T103", "the file is UTF-16; traces are UTF-8 text"),
        (b'{"id": "\xff"}', "T103", "no UTF-8 text: the byte at offset 8 is 0xff"),
        (b'\n{\n"id": "\xe9"}', "T103", "no UTF-8 text: the byte at offset 10 is 0xe9"),
        (b"contract x", "T110", "no JSON: 'contract' stands where a value should (line 1, column 1, at $)"),
        (
            b'{"id": "a",\n "events": [}',
            "T110",
            "no JSON: '}' stands where a value or ] should (line 2, column 13, at $.events[0])",
        ),
        (
            b'{\n"id": "a",\n "events": NaN\n}',
            "T110",
            "no JSON: NaN is no JSON number (line 3, column 12, at $.events)",
        ),
        (b'"text"', "T111", '$: the string "text"; expected a Servanda record'),
        (b"{}", "T111", "$: an empty object; expected a Servanda record"),
        (
            b'{"a": 1, "b": 2}',
            "T111",
            "$: an object with the keys a, b; expected a Servanda record (id, events), an OpenAI chat",
        ),
        (b'{"id": "a", "event": []}', "T111", "$: an object with the keys id, event; expected a Servanda record"),
        (b"[1, 2]", "T111", "$[0]: the number 1; expected a Servanda record"),
    ],
)
def test_a_file_that_holds_no_trace(tmp_path: Path, data: bytes, code: str, message: str) -> None:
    file = tmp_path / "t.json"
    file.write_bytes(data)
    found = read(file)[0]
    assert isinstance(found, Skipped)
    assert found.code == code
    assert found.message.startswith(message)
    assert found.path.startswith(str(file))


def test_the_nearest_key_is_named() -> None:
    assert only(read("-", stdin=b'{"id": "a", "event": []}')).message.endswith("; did you mean 'events'?")


def test_a_bad_line_does_not_stop_the_others(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    bad = [
        b"{",
        b'{"id": "b", "events": [], "evnets": []}',
        b"\xff",
        b'{"id": "c", "id": "d", "events": []}',
        b"nonsense",
        b"[" * 600,
    ]
    good = [json.dumps(record(n)).encode() for n in ("r1", "r2")]
    file.write_bytes(b"\n".join([bad[0], good[0], *bad[1:], good[1]]))
    found = read(file)
    assert ids(found) == ["T110 t:1", "r1", "T113 b", "T103 t:4", "T110 t:5", "T110 t:6", "T110 t:7", "r2"]
    assert [f.path for f in found] == [f"{file}:{i}" for i in range(1, 9)]
    assert isinstance(found[2], Skipped)
    assert found[2].message == "$.evnets: a trace record has no such key; did you mean 'events'?"
    assert isinstance(found[4], Skipped)
    assert found[4].message == 'no JSON: the key "id" stands twice in one object (line 5, column 13, at $.id)'


def test_a_bad_element_does_not_stop_the_others(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(f'[{json.dumps(record("a"))},\n {{"id": "x", "events": [1,]}},\n{json.dumps(record("b"))}, 7]')
    found = read(file)
    assert ids(found) == ["a", "T110 t[1]", "b", "T111 t[3]"]
    assert isinstance(found[1], Skipped)
    assert found[1].message == "no JSON: a comma before the closing ] (line 2, column 27, at $[1].events[1])"


def test_an_array_that_breaks_off_keeps_what_was_before(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(f'[{json.dumps(record("a"))},\n{{"id": "b", "events": [')
    found = read(file)
    assert ids(found) == ["a", "T110 t[1]"]
    assert isinstance(found[1], Skipped)
    assert found[1].message == "no JSON: the text ends, or breaks, before this value does (line 2, column 1, at $[1])"


def test_a_broken_first_line_does_not_make_a_document_of_lines() -> None:
    lines = b'{"id": "a", "eve\n' + json.dumps(record("b")).encode() + b"\n" + json.dumps(record("c")).encode()
    assert ids(read("-", stdin=lines)) == ["T110 stdin:1", "b", "c"]


def test_many_faults_of_a_record_are_told_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(json.dumps({"id": "a", "events": [1] * 50}))
    message = only(read(file)).message
    assert message.startswith("$.events[0]: an event is an object, not the number 1 · $.events[1]: ")
    assert message.endswith(" · and 47 more")


def test_another_format_is_told_once(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    span = json.dumps({"jsonrpc": "2.0", "id": 1})
    file.write_text("\n".join([span, span, span, json.dumps(record("a")), span]))
    found = read(file)
    assert ids(found) == ["T111 t:1", "a", "T111 t:5"]
    assert isinstance(found[0], Skipped)
    assert found[0].message.endswith(f"(and so are the 2 records after it, up to {file}:3)")


# ---- limits ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits at a size that is quick to reach: a record of 2000, a document of 10000."""
    monkeypatch.setattr(documents, "LARGEST_RECORD", 2000)
    monkeypatch.setattr(documents, "LARGEST_DOCUMENT", 10_000)


def long(name: str, size: int) -> str:
    return json.dumps(record(name, tags={"pad": "x" * size}))


@pytest.mark.usefixtures("small")
def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    for place in range(3):
        lines = [long(n, 10) for n in "ab"]
        lines.insert(place, long("big", 50_000))
        file.write_text("\n".join(lines))
        found = read(file)
        assert [f.path for f in found] == [f"{file}:{i}" for i in (1, 2, 3)]
        assert ids([f for f in found if isinstance(f, Trace)]) == ["a", "b"]
        assert [f.code for f in found if isinstance(f, Skipped)] == ["T104"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("indent", [None, 1])
def test_a_record_in_a_document_that_is_too_large_is_passed_over(tmp_path: Path, indent: int | None) -> None:
    file = tmp_path / "t.json"
    file.write_text(json.dumps([json.loads(long(n, s)) for n, s in (("a", 5), ("big", 5000), ("b", 5))], indent=indent))
    found = read(file)
    assert ids(found) == ["a", "T104 t[1]", "b"]
    file.write_text(json.dumps(json.loads(long("big", 5000)), indent=indent))
    assert only(read(file)).code == "T104"


@pytest.mark.usefixtures("small")
def test_a_document_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(json.dumps([json.loads(long(f"a{i}", 500)) for i in range(30)], indent=1))
    assert only(read(file)).message.endswith("write one record a line (JSONL)")


def test_a_record_of_fifty_megabytes_is_named_and_costs_no_values(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    with file.open("w") as handle:
        handle.write('{"id": "big", "events": [' + ", ".join(["[]"] * 13_000_000) + "]}\n")
        handle.write(json.dumps(record("a")) + "\n")
    found = read(file)
    assert ids(found) == ["T104 t:1", "a"]
    assert isinstance(found[0], Skipped)
    assert found[0].message == "the line is longer than 32 MB, the largest record"
