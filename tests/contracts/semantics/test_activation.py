"""Activation (language reference §5): what a query activates, and why the rest is not."""

from typing import Any

import pytest

from servanda.contracts.meaning.activation import expected_graph
from servanda.contracts.meaning.query import read_query
from servanda.grammar.diagnostic import Refusal

HEAD = """tool look(id: string optional) reads
tool pay(id: string optional) writes
query {
  b: bool
  x: int in 0 .. 9
  c: enum { red, green }
  o: int optional
  xs: list of int max 5
}
define warm = c == red and x > 2
define over(n) = x > n
"""
FULL: dict[str, Any] = {"b": True, "x": 1, "c": "green", "xs": [7, 8]}


def graph(make: Any, body: str, **query: Any) -> Any:
    contract = make.contract(HEAD + body)
    given = {k: v for k, v in {**FULL, **query}.items() if v is not None}
    return expected_graph(contract, read_query(contract, given, None))


def statuses(found: Any) -> dict[str, str]:
    return {e.id: e.status for e in found.elements}


def reasons(found: Any, name: str) -> list[Any]:
    element = next(e for e in found.elements if e.id == name)
    return [(r.text, dict(r.values), r.on) if r.values or r.on else r.text for r in element.reasons]


def leaf(name: str, guard: str = "") -> str:
    return f"require {name}{f' if {guard}' if guard else ''} by call look\n"


@pytest.mark.parametrize(
    "guard,expected",
    [
        ("x == 2", [("x == 2", {"x": "1"}, ())]),
        ("b and x == 2 and c == red", [("x == 2", {"x": "1"}, ()), ("c == red", {"c": "green"}, ())]),
        ("x == 2 or c == red", [("x == 2", {"x": "1"}, ()), ("c == red", {"c": "green"}, ())]),
        ("warm", [("c == red", {"c": "green"}, ()), ("x > 2", {"x": "1"}, ())]),
        ("over(5)", [("over(5)", {"x": "1"}, ())]),
        ("not b", [("not b", {"b": "true"}, ())]),
        ("o == 1", [("o == 1", {"o": "absent"}, ())]),
        ("any n in xs: (n == x)", [("any n in xs: (n == x)", {"xs": "[7, 8]", "x": "1"}, ())]),
    ],
)
def test_a_false_guard_gives_its_false_atoms_with_their_values(make: Any, guard: str, expected: Any) -> None:
    found = graph(make, leaf("a", guard))
    assert statuses(found) == {"a": "inactive"}
    assert reasons(found, "a") == expected


def test_an_unknown_guard_says_what_it_hangs_on(make: Any) -> None:
    found = graph(make, leaf("a", "x == 2 and b"), b=None)
    assert statuses(found) == {"a": "inactive"}, "no value of b makes it active"
    found = graph(make, leaf("a", "x == 1 and b"), b=None)
    assert statuses(found) == {"a": "undecided"}
    assert reasons(found, "a") == [("b", {}, ("b",))]
    assert found.denominator == 0


def test_a_step_is_active_with_its_parts(make: Any) -> None:
    found = graph(make, f"step s if not b {{ {leaf('a')} {leaf('b2', 'x == 1')} }}")
    assert statuses(found) == {"s": "inactive", "s.a": "inactive", "s.b2": "inactive"}
    assert reasons(found, "s.a") == ["s is inactive"]
    assert next(e for e in found.elements if e.id == "s.a").parent == "s"


DECIDE = f"""decide d {{
  branch p when x == 1 {{ {leaf("a")} }}
  branch q when x == 2 {{ {leaf("a")} }}
  branch r otherwise {{ forbid a by attempt pay }}
}}
"""


def test_one_branch_of_a_decision(make: Any) -> None:
    found = graph(make, DECIDE)
    active = [name for name, status in statuses(found).items() if status == "active"]
    assert active == ["d", "d.p", "d.p.a"]
    assert reasons(found, "d.q") == [("x == 2", {"x": "1"}, ())]
    assert reasons(found, "d.r") == ["branch p holds"]
    assert statuses(graph(make, DECIDE, x=5))["d.r.a"] == "active"


def test_a_decision_that_hangs_on_an_unknown(make: Any) -> None:
    found = graph(make, DECIDE, x=None)
    assert statuses(found)["d"] == "active"
    assert {statuses(found)[n] for n in ("d.p", "d.q", "d.r", "d.p.a", "d.r.a")} == {"undecided"}
    assert reasons(found, "d.r") == [("otherwise", {}, ("x",))]


def test_the_one_branch_that_can_still_hold_does(make: Any) -> None:
    body = f"decide d {{ branch p when b and x == 1 {{ {leaf('a')} }} branch q when x == 1 and not b {{ {leaf('a')} }} branch r when x != 1 {{ {leaf('a')} }} }}"
    found = graph(make, body, b=None, x=3)
    assert statuses(found)["d.r.a"] == "active"


def test_two_branches_or_none_are_a_fault_of_the_contract(make: Any) -> None:
    two = f"decide d {{ branch p when b {{ {leaf('a')} }} branch q when x == 1 {{ {leaf('a')} }} }}"
    with pytest.raises(Refusal) as caught:
        graph(make, two)
    (one,) = caught.value.diagnostics
    assert (one.code, one.message) == ("Q120", "decision d: branches p and q both hold for this query")
    with pytest.raises(Refusal) as caught:
        graph(make, two, b=False, x=2)
    assert caught.value.diagnostics[0].code == "Q121"
    assert statuses(graph(make, f"step s if x == 7 {{ {two} }}"))["s.d"] == "inactive", "it is not asked for"


def test_for_each_element_an_instance(make: Any) -> None:
    found = graph(make, f"for each n in xs if n > x {{ {leaf('a', 'n == 8')} }}", xs=[1, 8, 9])
    assert statuses(found) == {"n": "active", "n.a[0]": "inactive", "n.a[1]": "active", "n.a[2]": "inactive"}
    assert reasons(found, "n.a[0]") == [("n > x", {"n": "1", "x": "1"}, ())]
    assert reasons(found, "n.a[2]") == [("n == 8", {"n": "9"}, ())]


def test_for_each_over_nothing(make: Any) -> None:
    found = graph(make, f"for each n in xs {{ {leaf('a')} }}", xs=[])
    assert statuses(found) == {"n": "inactive"} and reasons(found, "n") == ["no element in xs"]
    found = graph(make, f"for each n in xs {{ {leaf('a')} }}", xs=None)
    assert statuses(found) == {"n": "undecided"} and reasons(found, "n") == [("xs", {}, ("xs",))]


def test_equal_elements_are_two_instances(make: Any) -> None:
    found = graph(make, f"for each n in xs {{ {leaf('a')} }}", xs=[4, 4])
    assert list(statuses(found)) == ["n", "n.a[0]", "n.a[1]"]


def test_options_are_active_together(make: Any) -> None:
    found = graph(make, f"any of g if b {{ option m {{ {leaf('a')} }} option n {{ {leaf('a')} }} }}")
    assert set(statuses(found).values()) == {"active"}
    assert [e.kind for e in found.elements] == ["any of", "option", "require", "option", "require"]


def test_edges_join_instances_that_agree_where_they_were_written(make: Any) -> None:
    inside = f"for each n in xs {{ {leaf('a')} {leaf('z')} order a before z }}\n"
    outside = f"{leaf('first')} for each n in xs {{ {leaf('a')} }}\norder first before a within 3 turns\n"
    edges = [(e.earlier, e.later, e.within, e.status) for e in graph(make, inside).edges]
    assert edges == [("n.a[0]", "n.z[0]", "", "active"), ("n.a[1]", "n.z[1]", "", "active")]
    edges = [(e.earlier, e.later, e.within, e.status) for e in graph(make, outside).edges]
    assert edges == [("first", "n.a[0]", "within 3 turns", "active"), ("first", "n.a[1]", "within 3 turns", "active")]


def test_an_edge_is_active_with_both_its_ends(make: Any) -> None:
    body = f"{leaf('a', 'b')}{leaf('z', 'x == 1')}order a before z"
    (edge,) = graph(make, body, b=False).edges
    assert (edge.status, edge.reasons[0].text) == ("inactive", "a is inactive")
    (edge,) = graph(make, body, b=None).edges
    assert (edge.status, edge.reasons[0].on) == ("undecided", ("b",))
    assert graph(make, body).denominator == 3


def test_rules_and_output_rules_are_elements_too(make: Any) -> None:
    body = """rule quiet if not b never message assistant
    step s { require a by call look  rule once at most 1 call pay }
    output json { field n: int  rule big output.n > x }"""
    found = graph(make, body)
    assert [(e.kind, e.id, e.status) for e in found.elements] == [
        ("rule", "quiet", "inactive"),
        ("step", "s", "active"),
        ("require", "s.a", "active"),
        ("rule", "s.once", "active"),
        ("output", "big", "active"),
    ]
    assert found.denominator == 3


def test_a_decision_in_a_branch_not_taken_is_inactive_without_a_fault(make: Any) -> None:
    inner = f"decide e {{ branch p when x == 2 {{ {leaf('a')} }} branch q when x == 3 {{ {leaf('a')} }} }}"
    found = graph(make, f"decide d {{ branch p when x == 1 {{ {leaf('a')} }} branch q otherwise {{ {inner} }} }}")
    assert statuses(found)["d.q.e.p.a"] == "inactive"
