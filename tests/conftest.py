"""What every test may ask for: the command line in process, and real data where it is at hand."""

import io
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reset-golden", action="store_true", help="write the golden outputs anew instead of comparing")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run of the command left: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


Command = Callable[..., Ran]


@pytest.fixture
def contract(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """`contract("check", path, stdin=…)`: one run of the command, in this process."""
    for name in ("NO_COLOR", "FORCE_COLOR", "SERVANDA_TRACEBACK", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)

    from servanda.cli.app import main

    def run(*arguments: str | Path, stdin: str | bytes = b"") -> Ran:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capsys.readouterr()
        code = main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def library() -> Path:
    """The folder of the audited contracts."""
    return ROOT / "contracts/servanda/contracts/library"


def _shared(folder: str, environment: str) -> Path:
    path = Path(os.environ.get(environment) or ROOT.parent / "shared" / folder)
    if not path.is_dir():
        pytest.skip(f"no folder {folder} beside the project; set {environment} to where it is")
    return path


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data by others; the test is skipped where it is missing."""
    return _shared("data", "SERVANDA_DATA")


@pytest.fixture(scope="session")
def golden_cases() -> Path:
    """The folder of golden contracts and cases, beside the data; the test is skipped where it is missing."""
    given = os.environ.get("SERVANDA_DATA")
    return _golden(Path(given).parent if given else ROOT.parent / "shared")


def _golden(beside: Path) -> Path:
    path = beside / "golden"
    if not path.is_dir():
        pytest.skip("no folder golden beside the data; set SERVANDA_DATA to where the data is")
    return path
