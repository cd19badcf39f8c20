"""The ends of the pipe: files are replaced whole or not at all, and a closed pipe is no fault."""

import os
import stat
from pathlib import Path

import pytest

from servanda.cli.exit_code import ExitCode, lenient, worst
from servanda.cli.streams import write_file
from servanda.grammar.diagnostic import Refusal


def test_a_file_is_replaced_with_its_mode_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.contract"
    path.write_text("old")
    path.chmod(0o640)
    write_file(path, "né\n")
    assert path.read_bytes() == "né\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    path = tmp_path / "a.contract"
    path.write_text("old")
    link = tmp_path / "link.contract"
    link.symlink_to(path)
    write_file(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        write_file(tmp_path / "out.json", "{}")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "out.json").stat().st_mode) == 0o644


def test_a_device_is_written_through() -> None:
    write_file(Path(os.devnull), "x")
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("name", ["", "no/such/folder/out.json"])
def test_what_cannot_be_written_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refusal) as caught:
        write_file(tmp_path / name, "x")
    assert caught.value.diagnostics[0].code == "F130"
    assert list(tmp_path.iterdir()) == []


def test_the_worst_code_wins() -> None:
    rank = [ExitCode.HOLDS, ExitCode.UNDECIDED, ExitCode.FINDINGS, ExitCode.BAD_INPUT, ExitCode.INTERNAL]
    for low, code in enumerate(rank):
        assert all(worst([code, other]) is code and worst([other, code]) is code for other in rank[: low + 1])
    assert worst([]) is ExitCode.HOLDS


def test_exit_zero_never_hides_bad_input_or_a_fault_of_ours() -> None:
    assert [lenient(code) for code in ExitCode] == [0, 0, 2, 0, 70]
