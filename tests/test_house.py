"""The rules of the house that no linter sees."""

import ast
import os
import pkgutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("grammar", "contracts", "solver", "proofs", "cli")
HEAVY = ("z3", "ortools", "lark")
UNNAMED = ("utils", "util", "helpers", "helper", "manager", "handler", "common", "misc")


def modules(room: str) -> list[Path]:
    return sorted(p for p in (ROOT / room / "servanda" / room).rglob("*.py") if "library" not in p.parts)


def every_module() -> Iterator[Path]:
    for room in ROOMS:
        yield from modules(room)


def named(path: Path) -> str:
    room = path.relative_to(ROOT).parts[0]
    return ".".join(path.relative_to(ROOT / room).with_suffix("").parts)


def loaded_after(code: str) -> set[str]:
    """The modules that a fresh process has after running some code."""
    said = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return set(said.stdout.split())


def test_the_namespace_has_no_package_of_its_own() -> None:
    assert not list(ROOT.glob("*/servanda/__init__.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_is_typed_and_every_init_is_empty(room: str) -> None:
    package = ROOT / room / "servanda" / room
    assert (package / "py.typed").is_file()
    assert [str(p) for p in package.rglob("__init__.py") if p.read_text() != ""] == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in every_module()
        if path.name != "__init__.py" and not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert silent == []


def test_every_public_class_and_function_has_a_docstring() -> None:
    silent: list[str] = []
    for path in every_module():
        for node in _public(ast.parse(path.read_text("utf-8"))):
            if not ast.get_docstring(node):
                silent.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert silent == []


def _public(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [str(p) for p in every_module() if set(p.stem.split("_")) & set(UNNAMED)] == []


def test_no_function_changes_a_global() -> None:
    found: list[str] = []
    for path in every_module():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Global):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno} global")
    assert found == []


def test_meaning_is_loaded_without_a_solver_or_a_parser() -> None:
    """All of the contracts room but the loader: the reference interpreter cannot lean on what it is compared with."""
    names = [named(path) for path in modules("contracts") if path.stem not in ("load", "__init__")]
    assert "servanda.contracts.reference" in names
    loaded = loaded_after("\n".join(f"import {name}" for name in names))
    assert set(names) <= loaded
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}
    assert not {name for name in loaded if name.startswith(("servanda.solver", "servanda.proofs", "servanda.cli"))}
    assert "servanda.grammar.parser" not in loaded


def test_loading_a_contract_loads_no_solver_and_no_lark(library: Path) -> None:
    path = library / "refund_desk.contract"
    loaded = loaded_after(f"from servanda.contracts.load import load\nload({str(path)!r})")
    assert "servanda.grammar.parser" in loaded
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}


def test_the_command_starts_light() -> None:
    loaded = loaded_after("import servanda.cli.app")
    assert not {
        name for name in loaded if name.split(".")[0] in (*HEAVY, "rich", "jsonschema", "jsonschema_rs", "networkx")
    }
    assert not {name for name in loaded if name.startswith(("servanda.solver", "servanda.contracts"))}


def test_every_room_is_in_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert set(wheel["only-include"]) == set(wheel["sources"]) == set(ROOMS)
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    assert layers == [f"servanda.{room}" for room in reversed(ROOMS)]


def test_the_lock_names_no_address() -> None:
    lock = (ROOT / "requirements.txt").read_text("utf-8")
    assert "://" not in lock
    assert "--index-url" not in lock


def test_make_has_the_promised_targets() -> None:
    lines = (ROOT / "Makefile").read_text("utf-8").splitlines()
    targets = {line.split(":")[0] for line in lines if ":" in line and not line.startswith(("\t", "#", "."))}
    assert {"check", "test", "lint", "bench", "wheel", "lock", "tables"} <= targets
    assert os.access(ROOT / ".ci/run", os.X_OK)


def test_every_module_can_be_imported() -> None:
    for room in ROOMS:
        found = {m.name for m in pkgutil.iter_modules([str(ROOT / room / "servanda" / room)])}
        assert found >= {p.stem for p in (ROOT / room / "servanda" / room).glob("*.py")} - {"__init__"}
