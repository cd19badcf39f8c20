"""The analysis as a whole: same answer every time, whatever the order of declarations or the hash seed; the library is sound; it is quick."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import servanda.contracts.load as loading
from servanda.contracts.load import load, load_text
from servanda.solver.consistency import analyse

LIBRARY = sorted((Path(loading.__file__).parent / "library").glob("*.contract"))
FAULTY = """language 1
contract t "t" version 1
tool w() writes
record Item { k: enum { p, q }  n: int in 0 .. 9 }
query {
  s: string
  a: decimal(2) in 0 .. 100
  e: enum { p, q, r }
  xs: list of Item max 4
}
define big = a > 50 and e != r
decide d {
  branch x when big { require m if a < 40 by call w }
  branch y when not big and s matches /^A\\d/ { }
  branch z when e == r { }
}
for each i in xs if i.n > 2 { require f if i.k == p by call w
  require g by call w }
order f before g
order g before f
rule never_there if a > 100 never call w
"""
SHOW = """
import sys
from pathlib import Path
from servanda.contracts.load import load_text
from servanda.solver.consistency import analyse
found = analyse(load_text(sys.stdin.read(), "t.contract", Path())[0])
for d in found.diagnostics:
    print(d.code, d.span.line, d.message, [n.message for n in d.notes])
for f in found.findings:
    print(f.element, f.witness, [(m.text, m.origin) for m in f.core])
"""


def shown(seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    ran = subprocess.run(
        [sys.executable, "-c", SHOW], input=FAULTY, capture_output=True, text=True, env=environment, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_hash_seed_changes_nothing() -> None:
    first = shown("0")
    assert [line.split()[0] for line in first.splitlines()[:5]] == ["C203", "C201", "C204", "C205", "C206"]
    assert shown("1") == shown("7") == first


def test_the_order_of_declarations_changes_no_finding() -> None:
    contract, _ = load_text(FAULTY, "t.contract", Path())
    turned = replace(
        contract,
        attributes=dict(reversed(list(contract.attributes.items()))),
        body=tuple(reversed(contract.body)),
        orders=tuple(reversed(contract.orders)),
    )
    one, other = analyse(contract), analyse(turned)
    assert {(f.element, f.witness and f.witness.text) for f in one.findings} == {
        (f.element, f.witness and f.witness.text) for f in other.findings
    }
    assert one.diagnostics == other.diagnostics


@pytest.mark.parametrize("path", LIBRARY, ids=lambda p: p.stem)
def test_a_library_contract_is_sound(path: Path) -> None:
    found = analyse(load(path))
    assert (found.diagnostics, found.unknown, found.sound) == ((), (), True)


def test_thirty_obligations_in_ten_decisions_are_quick() -> None:
    """A bound that no slow machine meets only by luck: the work itself is counted."""
    query = "\n".join(f"n{i}: int in 0 .. 100" for i in range(10))
    body = "\n".join(
        f"decide d{i} if n{(i + 1) % 10} > 3 {{\n branch a when n{i} < {5 * i} or n{(i + 3) % 10} == 7 {{ require r by call w }}\n"
        f" branch b when n{i} >= {5 * i} and n{(i + 3) % 10} != 7 {{ require s if n{i} > 60 by call w\n require t by call w }} }}"
        for i in range(10)
    )
    contract, _ = load_text(
        f'language 1\ncontract t "t" version 1\ntool w() writes\nquery {{\n{query}\n}}\n{body}', "t", Path()
    )
    started = time.perf_counter()
    found = analyse(contract)
    assert time.perf_counter() - started < 2
    assert (found.diagnostics, found.sound) == ((), True)
    assert found.questions <= 70
