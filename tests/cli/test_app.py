"""The command as a whole: help, version, usage errors, faults of our own, closed pipes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from servanda.grammar.diagnostic import InternalError

Contract = Callable[..., Any]
ROOT = Path(__file__).resolve().parent.parent.parent


def test_help_names_every_command_and_every_exit_code(contract: Contract) -> None:
    ran = contract("--help")
    assert ran.code == 0
    for word in ("fmt", "check", "expect", "eval", "schema", "0 holds", "1 findings", "2 bad input", "3 undecided"):
        assert word in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.parametrize("command", ["fmt", "check", "expect", "eval", "schema"])
def test_each_command_has_help(contract: Contract, command: str) -> None:
    ran = contract(command, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: contract {command}")


def test_version(contract: Contract) -> None:
    from importlib.metadata import version

    assert contract("--version").out == f"contract {version('servanda')}\n"


@pytest.mark.parametrize(
    "arguments",
    [["chek"], ["check"], ["check", "--format", "xml", "a"], ["eval", "a.contract"], ["fmt", "--what", "a"]],
)
def test_a_wrong_command_line_is_bad_input(contract: Contract, arguments: list[str]) -> None:
    ran = contract(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert "Traceback" not in ran.err


def test_a_misspelt_command_is_told_its_name(contract: Contract) -> None:
    assert "'check'" in contract("chek", "a.contract").err


@pytest.mark.parametrize("error", [InternalError("the parts disagree"), KeyError("lost")])
def test_a_fault_of_ours_exits_70_without_a_traceback(
    contract: Contract, monkeypatch: pytest.MonkeyPatch, library: Path, error: Exception
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr("servanda.solver.consistency.analyse", broken)
    ran = contract("check", library / "refund_desk.contract", "missing.contract")
    assert ran.code == 70
    assert f"internal error: {type(error).__name__}" in ran.err
    assert "Please report it" in ran.err
    assert "Traceback" not in ran.err + ran.out
    assert "missing.contract: refused" in ran.out

    monkeypatch.setenv("SERVANDA_TRACEBACK", "1")
    assert "Traceback" in contract_again(contract, library).err


def contract_again(contract: Contract, library: Path) -> Any:
    """The fixture drops the variable before each test, not before each run."""
    return contract("check", library / "refund_desk.contract")


def test_python_m_is_the_same_command(library: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "servanda.cli", "check", "--no-tests", str(library / "nothing.contract")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 2
    assert "F101" in said.stdout


def test_a_closed_pipe_is_quiet_and_keeps_the_verdict() -> None:
    bad = ROOT / "tests/golden/bad/many_errors.contract"
    read, write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "servanda.cli", "check", str(bad)], stdout=write, stderr=subprocess.PIPE, text=True
    )
    os.close(write)
    os.close(read)
    _, said = process.communicate(timeout=60)
    assert said == ""
    assert process.returncode == 2


def test_colour_only_on_a_terminal() -> None:
    bad = ROOT / "tests/golden/bad/name_unknown_fact.contract"
    said = subprocess.run(
        [sys.executable, "-m", "servanda.cli", "check", str(bad)], capture_output=True, text=True, check=False
    )
    assert "\x1b" not in said.stdout


def test_output_is_utf8_in_any_locale() -> None:
    bad = ROOT / "tests/golden/bad/syntax_strange_character.contract"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    said = subprocess.run(
        [sys.executable, "-m", "servanda.cli", "check", str(bad)], capture_output=True, env=environment, check=False
    )
    assert said.returncode == 2
    assert "≤" in said.stdout.decode("utf-8")
