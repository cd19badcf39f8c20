"""Speed of the command line, measured and written to `benchmarks/results.md`; asserted nowhere.

In: the checkout with its environment; the real data where it is at hand (`SERVANDA_DATA`, default `../shared/data`). Out: a table of wall-clock
medians over fresh processes, with the largest resident memory of each and the aim where there is one.
"""

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "contracts/servanda/contracts/library"
DATA = Path(os.environ.get("SERVANDA_DATA") or ROOT.parent / "shared/data")
COMMAND = [sys.executable, "-m", "servanda.cli"]
PARSING = """
import sys, timeit
from servanda.grammar.parser import parse
from servanda.grammar.span import Source
text = open(sys.argv[1], encoding="utf-8").read()
best = min(timeit.repeat(lambda: parse(Source("x", text)), number=1, repeat=8))
print(len(text.encode()) / 1000 / best)
"""


@dataclass(frozen=True, slots=True)
class Case:
    """One command line, how often it is run, and the aim in seconds."""

    name: str
    arguments: Sequence[str]
    runs: int
    aim: float
    needs: Path | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of wall clock and of processor (medians), and megabytes of resident memory (largest)."""

    seconds: float
    processor: float
    megabytes: float


def measure(arguments: Sequence[str], runs: int) -> Measured:
    """Run a command several times, each in a fresh process."""
    seconds, processor, largest = [], [], 0
    for _ in range(runs):
        start = time.perf_counter()
        process = subprocess.Popen(
            [*COMMAND, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds.append(time.perf_counter() - start)
        processor.append(usage.ru_utime + usage.ru_stime)
        largest = max(largest, usage.ru_maxrss)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1, 3):
            raise SystemExit(f"contract {' '.join(arguments)} exits with {process.returncode}")
    return Measured(
        statistics.median(seconds),
        statistics.median(processor),
        largest / (1024 if sys.platform == "linux" else 1024 * 1024),
    )


def cases(long_contract: Path) -> list[Case]:
    """What is measured."""
    retail = str(LIBRARY / "tau_retail.contract")
    desk = str(LIBRARY / "refund_desk.contract")
    runs = DATA / "tau_bench/retail_trajectories_toolorchestra_tau2.jsonl"
    samples = sorted(str(p) for p in (LIBRARY / "samples").glob("refund_desk.jsonl"))
    return [
        Case("contract --help", ["--help"], 9, 0.25),
        Case("contract fmt --check, 200 lines", ["fmt", "--check", str(long_contract)], 9, 0.5),
        Case("contract check, retail, without its tests", ["check", "--no-tests", retail], 5, 1.0),
        Case("contract check, retail, with its tests", ["check", retail], 5, 3.0),
        Case("contract eval, refund desk, bundled samples", ["eval", desk, *samples], 5, 3.0),
        Case("contract eval, retail, 114 runs of tau2", ["eval", retail, str(runs)], 5, 3.0, runs),
    ]


def parsing_speed() -> float:
    """Kilobytes of contract parsed a second, in one warm process."""
    said = subprocess.run(
        [sys.executable, "-c", PARSING, str(LIBRARY / "refund_desk.contract")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(said.stdout)


def table() -> str:
    """The measurements as Markdown."""
    rows = ["| what | median s | of it processor s | aim s | memory MB | runs |", "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        long_contract = Path(folder) / "long.contract"
        lines = (LIBRARY / "refund_desk.contract").read_text("utf-8").splitlines(keepends=True)
        long_contract.write_text(_whole(lines, 200), "utf-8")
        for case in cases(long_contract):
            if case.needs is not None and not case.needs.exists():
                rows.append(f"| {case.name} | not measured: no data | | {case.aim} | | |")
                continue
            found = measure(case.arguments, case.runs)
            rows.append(
                f"| {case.name} | {found.seconds:.2f} | {found.processor:.2f} | {case.aim} | {found.megabytes:.0f} | {case.runs} |"
            )
    rows.append("")
    rows.append(
        f"Parsing: {parsing_speed():.0f} kB/s (aim: at least 150), the refund desk, best of 7 in a warm process."
    )
    return "\n".join(rows)


def _whole(lines: list[str], number: int) -> str:
    """The first declarations of a contract, `number` lines at most: cut before one that begins a line and is no closing brace."""
    while number and not (lines[number - 1].strip() == "" or lines[number - 1].startswith("}")):
        number -= 1
    return "".join(lines[:number])


def main() -> None:
    """Measure, print, and keep."""
    machine = (
        f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"
    )
    text = f"# Speed\n\nMeasured by `make bench` on {machine}.\n\n{table()}\n"
    (ROOT / "benchmarks/results.md").write_text(text, "utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
