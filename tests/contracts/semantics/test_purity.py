"""The reference interpreter reaches no solver and no parser, not even through what it imports."""

import subprocess
import sys

FORBIDDEN = ("z3", "ortools", "lark", "cvc5", "servanda.solver", "servanda.grammar.parser", "servanda.grammar.tables")
ASK = "import sys, servanda.contracts.verdict, servanda.contracts.reference; print(*sorted(sys.modules))"


def test_a_fresh_process_that_imports_it_has_none_of_them() -> None:
    ran = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    loaded = ran.stdout.split()
    assert "servanda.contracts.meaning.grounding" in loaded
    assert [m for m in loaded if m.startswith(FORBIDDEN)] == []
