"""The forms against LTLf: each DECLARE template that the supported forms express, on every word up to length five.

The oracle evaluates the formula of the template position by position; it shares nothing with the monitors. One event a turn, so that the strict
order of the language is the order of positions.
"""

from functools import cache
from itertools import product
from typing import Any

import pytest

from servanda.contracts.meaning.evaluate import Scope
from servanda.contracts.meaning.monitors import judge
from servanda.contracts.meaning.query import read_query
from servanda.contracts.meaning.recorded import Recorded

Formula = tuple[Any, ...]


def holds(formula: Formula, word: str, at: int) -> bool:
    """LTLf over finite words; `next` is strong, `weak` next holds at the end; `once` looks back."""
    match formula:
        case ("is", letter):
            return at < len(word) and word[at] == letter
        case ("not", inner):
            return not holds(inner, word, at)
        case ("and", *parts):
            return all(holds(p, word, at) for p in parts)
        case ("or", *parts):
            return any(holds(p, word, at) for p in parts)
        case ("next", inner):
            return at + 1 < len(word) and holds(inner, word, at + 1)
        case ("weak", inner):
            return at + 1 >= len(word) or holds(inner, word, at + 1)
        case ("eventually", inner):
            return any(holds(inner, word, i) for i in range(at, len(word)))
        case ("always", inner):
            return all(holds(inner, word, i) for i in range(at, len(word)))
        case ("until", first, then):
            return any(
                holds(then, word, i) and all(holds(first, word, j) for j in range(at, i)) for i in range(at, len(word))
            )
        case ("once", inner):
            return any(holds(inner, word, i) for i in range(at + 1))
    raise AssertionError(formula)


A: Formula = ("is", "a")
B: Formula = ("is", "b")


def no(f: Formula) -> Formula:
    return ("not", f)


def implies(f: Formula, g: Formula) -> Formula:
    return ("or", no(f), g)


def always(f: Formula) -> Formula:
    return ("always", f)


def finally_(f: Formula) -> Formula:
    return ("eventually", f)


def weak_until(f: Formula, g: Formula) -> Formula:
    return ("or", ("until", f, g), always(f))


PRECEDENCE = weak_until(no(B), A)
RESPONSE = always(implies(A, finally_(B)))
ALTERNATE_RESPONSE = always(implies(A, ("next", ("until", no(A), B))))
ALTERNATE_PRECEDENCE: Formula = ("and", PRECEDENCE, always(implies(B, ("weak", PRECEDENCE))))
CHAIN_RESPONSE = always(implies(A, ("next", B)))
CHAIN_PRECEDENCE: Formula = ("and", always(implies(("next", B), A)), no(B))
TWO_A = finally_(("and", A, ("next", finally_(A))))
THREE_A = finally_(("and", A, ("next", TWO_A)))
NO_CHAIN = always(implies(A, no(("next", B))))

RESPONDED = "each call a needs anywhere call b"
PRECEDED = "each call b needs earlier call a"
RESPONDS = "each call a needs later call b"
TEMPLATES: dict[str, tuple[list[str], Formula]] = {
    "Existence2": (["at least 2 call a"], TWO_A),
    "Absence2": (["at most 1 call a"], no(TWO_A)),
    "Exactly2": (["exactly 2 call a"], ("and", TWO_A, no(THREE_A))),
    "Absence1": (["never call a"], no(finally_(A))),
    "Choice": (["at least 1 any of { call a  call b }"], ("or", finally_(A), finally_(B))),
    "ExclusiveChoice": (
        ["at least 1 any of { call a  call b }", "each call a forbids anywhere call b"],
        ("and", ("or", finally_(A), finally_(B)), no(("and", finally_(A), finally_(B)))),
    ),
    "RespondedExistence": ([RESPONDED], implies(finally_(A), finally_(B))),
    "CoExistence": (
        [RESPONDED, "each call b needs anywhere call a"],
        ("and", implies(finally_(A), finally_(B)), implies(finally_(B), finally_(A))),
    ),
    "Response": ([RESPONDS], RESPONSE),
    "AlternateResponse": (["each call a needs later call b until call a"], ALTERNATE_RESPONSE),
    "ChainResponse": (["each call a needs immediately later call b"], CHAIN_RESPONSE),
    "Precedence": ([PRECEDED], PRECEDENCE),
    "AlternatePrecedence": (["each call b needs earlier call a since call b"], ALTERNATE_PRECEDENCE),
    "ChainPrecedence": (["each call b needs immediately earlier call a"], CHAIN_PRECEDENCE),
    "Succession": ([RESPONDS, PRECEDED], ("and", RESPONSE, PRECEDENCE)),
    "AlternateSuccession": (
        ["each call a needs later call b until call a", "each call b needs earlier call a since call b"],
        ("and", ALTERNATE_RESPONSE, ALTERNATE_PRECEDENCE),
    ),
    "ChainSuccession": (
        ["each call a needs immediately later call b", "each call b needs immediately earlier call a"],
        ("and", CHAIN_RESPONSE, CHAIN_PRECEDENCE),
    ),
    "NotCoExistence": (["each call a forbids anywhere call b"], no(("and", finally_(A), finally_(B)))),
    "NotResponse": (["each call a forbids later call b"], always(implies(A, no(finally_(B))))),
    "NotPrecedence": (["each call b forbids earlier call a"], always(implies(B, no(("once", A))))),
    "NotAfter": (["never call b after call a"], always(implies(B, no(("once", A))))),
    "NotBefore": (["never call a before call b"], always(implies(A, no(finally_(B))))),
    "NotChainResponse": (["each call a forbids immediately later call b"], NO_CHAIN),
    "NotChainPrecedence": (["each call b forbids immediately earlier call a"], NO_CHAIN),
}
WORDS = ["".join(w) for n in range(6) for w in product("abc", repeat=n)]


@pytest.mark.parametrize("name", TEMPLATES)
def test_template(make: Any, name: str) -> None:
    rules, formula = TEMPLATES[name]
    body = "".join(f"rule r{i} {rule}\n" for i, rule in enumerate(rules))
    contract = make.contract("tool a() writes\ntool b() writes\ntool c() writes\n" + body)
    query = read_query(contract, {}, None).values

    @cache
    def event(letter: str) -> Any:
        return make.call(letter)

    wrong = []
    for word in WORDS:
        trace = make.trace(*(event(letter) for letter in word))
        scope = Scope(Recorded(contract, trace, query, {}))
        endings = {a.ending for rule in contract.body for a in judge(rule.form, trace, scope).activations}
        assert endings <= {"fulfilled", "violated"}
        if ("violated" not in endings) != holds(formula, word, 0):
            wrong.append(word)
    assert wrong == []
