"""Cycles against the expected graph of the interpreter, on every query of small domains and every choice of options."""

from graphlib import CycleError, TopologicalSorter
from itertools import combinations_with_replacement, permutations, product
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from servanda.contracts.load import load_text
from servanda.contracts.meaning.activation import graph_of
from servanda.contracts.meaning.instances import instances
from servanda.contracts.meaning.query import read_query
from servanda.contracts.model import Contract
from servanda.solver.consistency import analyse

HEAD = """language 1
contract t "t" version 1
tool w() writes
record Item { k: enum { p, q, r } }
query { v: bool  xs: list of Item max 3 }
"""
# The order of elements is of no account to any guard below.
LISTS = [list(xs) for m in range(4) for xs in combinations_with_replacement([{"k": k} for k in "pqr"], m)]
QUERIES = [{"v": v, "xs": xs} for v in (False, True) for xs in LISTS]
ELEMENT = ["f", "g", "h", "l", "m"]
LEAVES = ["a", "b", "c", "d", "x.f", "x.g", "x.h", "x.o.i.l", "x.o.j.m"]
APART = [{"c", "d"}, {"x.o.i.l", "x.o.j.m"}]

outer_guards = st.sampled_from(["", "if v", "if not v", "if count(xs) < 2", "if any y in xs: (y.k == q)"])
element_guards = st.sampled_from(
    [
        "",
        "if x.k == p",
        "if x.k == q",
        "if x.k != p",
        "if x.k == q and v",
        "if x.k == r and no y in xs: (y.k == p)",
    ]
)
outer_orders = st.lists(st.sampled_from(list(permutations(LEAVES, 2))), min_size=4, max_size=9, unique=True)
inner_orders = st.lists(st.sampled_from(list(permutations(ELEMENT, 2))), max_size=3, unique=True)


@st.composite
def contracts(draw: st.DrawFn) -> str:
    def leaf(name: str, guards: st.SearchStrategy[str]) -> str:
        return f"require {name} {draw(guards)} by call w"

    inner = [f"order {a} before {b}" for a, b in draw(inner_orders) if {f"x.o.i.{a}", f"x.o.j.{b}"} != APART[1]]
    inner = [line for line in inner if line not in ("order l before m", "order m before l")]
    outer = [f"order {a} before {b}" for a, b in draw(outer_orders) if {a, b} not in APART]
    return "\n".join(
        [
            leaf("a", outer_guards),
            leaf("b", outer_guards),
            f"any of z {{ option y1 {{ {leaf('c', outer_guards)} }} option y2 {{ {leaf('d', outer_guards)} }} }}",
            "for each x in xs {",
            *(leaf(n, element_guards) for n in "fgh"),
            f"any of o {{ option i {{ {leaf('l', element_guards)} }} option j {{ {leaf('m', element_guards)} }} }}",
            *inner,
            "}",
            *outer,
        ]
    )


def closes(contract: Contract, query: dict[str, Any]) -> bool:
    """Whether some choice of options leaves a cycle of active orders."""
    found = instances(contract, read_query(contract, query, None))
    edges = [(e.earlier, e.later) for e in graph_of(contract, found).edges if e.status == "active"]
    if acyclic(edges):
        return False
    options = {i.id: i.options for i in found.all}
    groups = sorted({g for _, _ in edges for pairs in options.values() for g, _ in pairs})
    names = {g: sorted({o for pairs in options.values() for h, o in pairs if h == g}) for g in groups}
    for choice in product(*(names[g] for g in groups)):
        chosen = dict(zip(groups, choice, strict=True))
        bound = [e for e in edges if all(chosen[g] == o for end in e for g, o in options[end])]
        if not acyclic(bound):
            return True
    return False


def acyclic(edges: list[tuple[str, str]]) -> bool:
    before: dict[str, list[str]] = {}
    for a, b in edges:
        before.setdefault(b, []).append(a)
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return False
    return True


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(contracts())
def test_a_cycle_is_reported_iff_some_query_and_choice_closes_one(body: str) -> None:
    contract, _ = load_text(HEAD + body, "t.contract", Path())
    found = analyse(contract)
    assert not found.unknown
    reported = [f for f in found.findings if f.diagnostic.code == "C205"]
    event(f"cycle {bool(reported)}")
    for finding in reported:
        assert finding.witness is not None
        assert closes(contract, dict(finding.witness.query))
    if not reported:
        assert not any(closes(contract, query) for query in QUERIES)
