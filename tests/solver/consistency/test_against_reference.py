"""The analysis against the reference evaluator on every query of small domains: what is dead, falls through or overlaps is so, and nothing else is.

Guards are generated as text, so that parser, resolver and evaluator are what a user has. Strings have no small domain: there a query that shows
something must be found by the analysis, and what the analysis finds was replayed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import combinations, product
from math import prod
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from servanda.contracts.load import load_text
from servanda.contracts.meaning.evaluate import NOTHING, evaluate, holds
from servanda.contracts.meaning.instances import query_scope
from servanda.contracts.meaning.query import read_query
from servanda.contracts.model import Decide, ForEach
from servanda.solver.consistency import analyse

HEAD = """language 1
contract t "t" version 1
tool w() writes
record Item { k: enum { p, q }  n: int in 0 .. 1  o: bool optional }
"""
ITEMS = [
    {"k": k, "n": n} | ({} if o is None else {"o": o}) for k in ("p", "q") for n in (0, 1) for o in (None, False, True)
]
DOMAINS: dict[str, tuple[str, list[Any]]] = {
    "bb": ("bool", [False, True]),
    "cc": ("bool", [False, True]),
    "ii": ("int in 0 .. 3", [0, 1, 2, 3]),
    "jj": ("int in 0 .. 2", [0, 1, 2]),
    "dd": ("decimal(1) in 0 .. 0.5", [Decimal(n) / 10 for n in range(6)]),
    "gg": ("decimal(2) in 0.45 .. 0.55", [Decimal(n) / 100 for n in range(45, 56)]),
    "ee": ("enum { p, q, r }", ["p", "q", "r"]),
    "oo": ("int in 0 .. 2 optional", [None, 0, 1, 2]),
    "mm": ("bool optional", [None, False, True]),
    "tt": ("date in 2024-02-27 .. 2024-03-01", ["2024-02-27", "2024-02-28", "2024-02-29", "2024-03-01"]),
    "uu": ("date in 2024-02-28 .. 2024-03-01", ["2024-02-28", "2024-02-29", "2024-03-01"]),
    "xs": ("list of Item max 2", [list(r) for n in range(3) for r in product(ITEMS, repeat=n)]),
    "ss": ("string", ["", "a", "b", "ab", "ba", "aab", "b1"]),
}

INTS = ["ii", "jj", "ii + jj", "2 * ii - jj", "count(xs)", "(sum y in xs: (y.n))", "3 - ii"]
ORDERS = ["<", "<=", ">", ">=", "==", "!="]
INNER = [
    "x.k == p", "x.k != ee", "x.n == 1", "x.o", "x.o is absent", "x.k in {q}", "x.n == xs[0].n", "x.n < ii", "x.n + 1 == jj",
    "not (x.o)", "x.o iff x.n == 1", "x.k == p or x.o", "x.k == q and x.n == 0", "x.n == 1 implies bb", "x.k == xs[1].k",
]  # fmt: skip
ATOMS = [
    "bb", "cc", "mm", "mm is present", "oo is absent", "(if oo is present then oo else 0) == 1", "oo + ii == 3", "ee == p",
    "ee in {p, q}", "ee != r", "oo > 1", "oo <= jj", "dd == gg", "tt - uu <= 1d", "tt - uu == 0d", "uu + 1d < tt", "tt - 2d > uu",
    "tt >= 2024-02-29", "tt in {2024-02-28}", "xs[0].k == q", "xs[ii].n == 1", "xs[1].o is present", "xs[jj].o", 'ss == "a"',
    'ss in {"a", "b1"}', "ss matches /^a/", "ss matches /b/", 'ss contains "ab"', "ss matches /^b\\d$/",
    *(" ".join(p) for p in product(INTS, ORDERS, "0123")),
    *(" ".join(p) for p in product(["dd", "gg", "dd + 0.05", "3 * dd"], ORDERS, ["0.5", "0.45", "gg", "ii"]) if p[0] != p[2]),
    *(f"{w} y in xs: ({c})" for w, c in product(["any", "all", "no"], [c.replace("x.", "y.") for c in INNER])),
    *(f"(count y in xs: ({c})) {o} {n}" for c, o, n in product([c.replace("x.", "y.") for c in INNER], ORDERS, "01")),
    *(f"(first y in xs: ({c})).n == 1" for c in [c.replace("x.", "y.") for c in INNER]),
]  # fmt: skip
LARGEST = 640
"""How many queries are tried for one contract."""


def used(text: str) -> list[str]:
    return [n for n in DOMAINS if re.search(rf"\b{n}\b", text)]


def weight(names: Iterable[str]) -> int:
    return prod(len(DOMAINS[n][1]) for n in names)


PALETTES = [p for n in (1, 2, 3) for p in combinations(DOMAINS, n) if weight(p) <= LARGEST]


def grown(atoms: st.SearchStrategy[str], leaves: int) -> st.SearchStrategy[str]:
    joined = st.sampled_from(["and", "or", "implies", "iff"])
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            inner.map(lambda a: f"not ({a})"),
            st.tuples(inner, joined, inner).map(lambda p: f"({p[0]}) {p[1]} ({p[2]})"),
        ),
        max_leaves=leaves,
    )


USES = {a: set(used(a)) for a in (*INNER, *ATOMS)}


@cache
def guards_of(palette: tuple[str, ...], inner: bool = False) -> st.SearchStrategy[str]:
    return grown(st.sampled_from([a for a in (INNER if inner else ATOMS) if USES[a] <= set(palette)] or ["true"]), 3)


@st.composite
def duties(draw: st.DrawFn) -> str:
    guards = guards_of(draw(st.sampled_from(PALETTES)))
    return "\n".join(f"require r{n} if {draw(guards)} by call w" for n in range(draw(st.integers(1, 4))))


@st.composite
def decided(draw: st.DrawFn) -> str:
    guards = guards_of(draw(st.sampled_from(PALETTES)))
    branches = [f"branch b{n} when {draw(guards)} {{ }}" for n in range(draw(st.integers(1, 3)))]
    branches += ["branch rest otherwise { }"] * draw(st.booleans())
    own = f" if {draw(guards)}" if draw(st.booleans()) else ""
    return f"decide d{own} {{ {' '.join(branches)} }}"


@st.composite
def blocks(draw: st.DrawFn) -> str:
    palette = draw(st.sampled_from([p for p in PALETTES if "xs" in p]))
    inside, outside = guards_of(palette, inner=True), guards_of(palette)
    last = "otherwise" if draw(st.booleans()) else f"when not ({draw(inside)}) and ({draw(outside)})"
    branches = f"branch y when {draw(inside)} {{ }} branch z {last} {{ }}"
    duty = f"require r if {draw(outside)} by call w"
    return f"for each x in xs if {draw(inside)} {{ decide d {{ {branches} }} {duty} }}"


@dataclass(frozen=True)
class Truth:
    """What the queries of the grid show."""

    dead: set[str]
    gaps: set[str]
    overlaps: set[str]


def source(body: str, names: list[str]) -> str:
    lines = "  ".join(f"{n}: {DOMAINS[n][0]}" for n in names)
    return f"{HEAD}query {{ {lines} }}\ndefine never_used = true\n{body}"


def grid(names: list[str]) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in product(*(DOMAINS[n][1] for n in names))]


def enumerated(contract: Any, queries: list[dict[str, Any]]) -> Truth:
    """The reference evaluator on every query: `require`, `decide` and one `for each` at the top of the contract."""
    live: set[str] = set()
    every: set[str] = set()
    gaps: set[str] = set()
    overlaps: set[str] = set()

    def look(nodes: Any, scope: Any, prefix_live: bool) -> None:
        for node in nodes:
            every.add(node.path)
            here = prefix_live and scope is not None
            if isinstance(node, ForEach):
                elements = evaluate(node.list, scope) if here else ()
                fitting = [scope.within(node.variable, e) for e in elements] if isinstance(elements, tuple) else []
                fitting = [inner for inner in fitting if holds(node.guard, inner) is True]
                if fitting:
                    live.add(node.path)
                for inner in fitting or [None]:
                    look(node.body, inner, inner is not None)
                continue
            here = here and holds(node.guard, scope) is True
            if here:
                live.add(node.path)
            if isinstance(node, Decide):
                true = [b.path for b in node.branches if here and b.guard is not None and holds(b.guard, scope) is True]
                otherwise = [b.path for b in node.branches if b.guard is None]
                every.update(b.path for b in node.branches)
                live.update(true or (otherwise if here else []))
                if here and not true and not otherwise:
                    gaps.add(node.path)
                if len(true) > 1:
                    overlaps.add(node.path)

    for query in queries:
        look(contract.body, query_scope(contract, read_query(contract, query, None), NOTHING), True)
    return Truth(every - live, gaps, overlaps)


def judged(body: str) -> None:
    names = used(body) or ["bb"]
    contract, _ = load_text(source(body, names), "t.contract", Path())
    analysis = analyse(contract)
    # A pattern and a part asked of one text is a question that may stay open; nothing else is.
    assert all(u.why == "`matches` and `contains` asked of one text" for u in analysis.unknown)
    if analysis.unknown:
        event("unknown")
        return
    truth = enumerated(contract, grid(names))
    found = {c: {f.element for f in analysis.findings if f.diagnostic.code in c} for c in ("C201 C202", "C203", "C204")}
    dead = {p for p in truth.dead if not any(p.startswith(f"{d}.") for d in truth.dead)}
    exact = "ss" not in names
    event(f"exact {exact}, dead {bool(dead)}, gap {bool(truth.gaps)}, overlap {bool(truth.overlaps)}")
    for shown, told in ((dead, found["C201 C202"]), (truth.gaps, found["C203"]), (truth.overlaps, found["C204"])):
        if exact:
            assert shown == told
    assert found["C201 C202"] <= dead
    assert truth.gaps <= found["C203"]
    assert truth.overlaps <= found["C204"]
    for finding in analysis.findings:
        if finding.witness is not None and "ss" not in names:
            enough(contract, finding)


def enough(contract: Any, finding: Any) -> None:
    """Whatever the attributes have that the witness leaves free, the fault stays."""
    for row in product(*(DOMAINS[n][1] for n in finding.witness.free if n in contract.attributes)):
        query = {**finding.witness.query, **dict(zip(finding.witness.free, row, strict=True))}
        truth = enumerated(contract, [query])
        assert finding.element in (truth.gaps if finding.diagnostic.code == "C203" else truth.overlaps)


WIDE = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@WIDE
@given(duties())
def test_duties_are_dead_iff_no_query_activates_them(body: str) -> None:
    judged(body)


@WIDE
@given(decided())
def test_decisions_have_gaps_and_overlaps_iff_some_query_shows_them(body: str) -> None:
    judged(body)


@WIDE
@given(blocks())
def test_one_element_stands_for_all_of_a_block(body: str) -> None:
    judged(body)
