"""From a contract, a trace and a query to cells (language reference §4 to §8)."""

from typing import Any

import pytest

from servanda.contracts.meaning.grounding import ground
from servanda.contracts.meaning.query import read_query
from servanda.grammar.diagnostic import InternalError

HEAD = """tool get(id: string) -> { total: int  cust: string } reads
tool check(cust: string) -> { ok: bool } reads
tool pay(id: string  amount: int optional) writes
tool note(id: string optional) writes
tool think() neutral
success check when result.ok
query {
  id: string
  b: bool
  x: int in 0 .. 9
  xs: list of string max 4
}
label yes: bool on message user
view order(n) = last get(id: n)
event agreed = message user where yes
"""
FULL: dict[str, Any] = {"id": "A", "b": True, "x": 1, "xs": []}


def cells(make: Any, body: str, *turns: Any, query: Any = None, complete: bool = True, limit: int = 256) -> Any:
    contract = make.contract(HEAD + body)
    trace = make.trace(*turns, complete=complete)
    given = {k: v for k, v in {**FULL, **(query or {})}.items() if v is not None}
    return ground(contract, trace, read_query(contract, given, trace), limit)


def problem(*args: Any, **more: Any) -> Any:
    found = cells(*args, **more)
    assert found.whole and len(found.cells) == 1
    return found.cells[0].problem


def leaf(found: Any, name: str) -> Any:
    return next(x for x in found.leaves if x.id == name)


def got(make: Any, total: int = 20, id: str = "A") -> Any:
    return make.call("get", {"id": id}, {"total": total, "cust": "c"})


def paid(make: Any, amount: int | None = 5, id: str = "A") -> Any:
    return make.call("pay", {"id": id} if amount is None else {"id": id, "amount": amount})


# ---- facts and evidence ----------------------------------------------------------------------------------------------------


def test_what_an_event_is_for_alignment(make: Any) -> None:
    found = problem(
        make, "extra reads forbidden", [got(make), paid(make)], make.failed("pay"), make.call("think"), make.user()
    )
    assert [(f.turn, f.call, f.write, f.extra) for f in found.facts] == [
        (0, True, False, True),
        (0, True, True, True),
        (1, True, False, False),
        (2, True, False, False),
        (3, False, False, False),
    ]


def test_an_unknown_tool_is_an_extra_write(make: Any) -> None:
    found = cells(make, "", make.call("mystery"))
    assert found.cells[0].problem.facts[0].write and found.cells[0].problem.facts[0].extra
    assert found.notes == ("event 0: tool mystery is not in the contract; it counts as writes",)


SHARING = """require m{0} by message user
require g{0} by call get
require t{0} by call think
require p{0} by call pay
require f{0} by failed pay
"""


@pytest.mark.parametrize("word,shared", [("", "mgt"), (" shared", "mgtpf"), (" exclusive", "")])
def test_what_serves_several_duties(make: Any, word: str, shared: str) -> None:
    turns = [make.user(), got(make), make.call("think"), paid(make), make.failed("pay")]
    found = problem(make, SHARING.format(word), *turns)
    assert {x.id: x.candidates for x in found.leaves} == {"m": (0,), "g": (1,), "t": (2,), "p": (3,), "f": (4,)}
    assert "".join(n for n in "mgtpf" if leaf(found, n).shares) == shared


def test_the_tools_of_a_duty(make: Any) -> None:
    body = "event one = any of { call get  attempt note }\nrequire a by event one or by call of writes where true or by message user"
    assert leaf(problem(make, body), "a").calls == ("get", "note", "pay")


def test_signatures_are_equal_where_the_evidence_is(make: Any) -> None:
    body = """require a by message user where yes
require b2 by event agreed
require c2 by message user
for each n in xs { require d by call get where args.id == n }
require e by call get or by message user
require f by message user or by call get"""
    found = problem(make, body, query={"xs": ["p", "q", "p"]})
    sign = {x.id: x.signature for x in found.leaves}
    assert sign["a"] == sign["b2"] != sign["c2"]
    assert sign["n.d[0]"] == sign["n.d[2]"] != sign["n.d[1]"]
    assert sign["e"] == sign["f"]


# ---- branches and options ---------------------------------------------------------------------------------------------------

DECIDE = """decide d {
  branch p when x == 1 { require a by call get  forbid f by call note }
  branch q when x == 2 {
    require a by call pay
    forbid f by call note
    decide e { branch m when b { require z by call note } branch n when not b { require z by call get } }
  }
  branch r otherwise { optional o by message user }
}
"""


def test_branches_not_taken_stand_as_if_they_were(make: Any) -> None:
    found = problem(make, DECIDE)
    assert dict(found.decisions) == {"d": "p"}
    assert [(x.id, x.alternative, x.branches) for x in found.leaves] == [
        ("d.p.a", None, (("d", "p"),)),
        ("d.q.a", ("d", "q"), (("d", "q"),)),
        ("d.q.e.m.z", ("d", "q"), (("d", "q"), ("d.q.e", "m"))),
        ("d.r.o", ("d", "r"), (("d", "r"),)),
    ]
    assert [f.id for f in found.forbids] == ["d.p.f"], "what an inactive branch forbids is not forbidden"
    assert [x.id for x in found.active] == ["d.p.a"]


def test_a_nested_decision_of_the_branch_taken(make: Any) -> None:
    found = problem(make, DECIDE, query={"x": 2})
    assert dict(found.decisions) == {"d": "q", "d.q.e": "m"}
    assert {x.id: x.alternative for x in found.leaves}["d.q.e.n.z"] == ("d.q.e", "n")


def test_an_inactive_decision_has_no_alternatives(make: Any) -> None:
    found = problem(make, f"step s if x == 7 {{ {DECIDE} }}")
    assert found.leaves == () and dict(found.decisions) == {}


def test_options(make: Any) -> None:
    body = """any of g { option z { require a by call get  forbid f by call pay } option m { any of h { option k { require a by call note } } } }"""
    found = problem(make, body)
    assert dict(found.groups) == {"g": ("m", "z"), "g.m.h": ("k",)}
    assert {x.id: x.options for x in found.leaves} == {
        "g.z.a": (("g", "z"),),
        "g.m.h.k.a": (("g", "m"), ("g.m.h", "k")),
    }
    assert found.forbids[0].options == (("g", "z"),)


# ---- order -------------------------------------------------------------------------------------------------------------------


def test_supports_come_before_and_keep_the_bound(make: Any) -> None:
    body = "require a by call get\nrequire z severity low by call pay\norder a before z severity high"
    turns = [got(make), make.says(), [got(make), paid(make)], paid(make)]
    (edge,) = problem(make, body, *turns).edges
    assert dict(edge.supports) == {3: (0,), 4: (0, 2)}
    assert (edge.severity, edge.bounded, edge.order) == ("high", False, 0)
    (edge,) = problem(make, body.replace("z severity high", "z within 1 turns"), *turns).edges
    assert dict(edge.supports) == {3: (), 4: (2,)} and edge.bounded
    (edge,) = problem(make, body.replace("z severity high", "z within 2 events"), *turns).edges
    assert dict(edge.supports) == {3: (0,), 4: (2,)}, "the event concurrent with the later end is not before it"


def test_edges_bind_active_ends_only(make: Any) -> None:
    body = "require a if b by call get\nrequire z by call pay\norder a before z"
    assert problem(make, body, query={"b": False}).edges == ()


# ---- near misses -----------------------------------------------------------------------------------------------------------

PAY = "require p by call pay where args.id == id and args.amount <= order(id).total\n"


def near(found: Any, name: str = "p") -> list[tuple[int, list[str], tuple[int, ...]]]:
    return [(n.event, [a.text for a in n.atoms], n.wanted) for n in leaf(found, name).near]


def test_near_misses_stand_on_the_tool_failed_ones_too(make: Any) -> None:
    turns = [
        got(make),
        paid(make, 25),
        paid(make, 5, "B"),
        make.failed("pay", {"id": "A", "amount": 5}),
        make.call("note"),
        paid(make),
    ]
    assert near(problem(make, PAY, *turns)) == [
        (1, ["args.amount <= order(id).total: 25 > 20"], ()),
        (2, ['args.id == id: "B" != "A"'], ()),
        (3, ["succeeded"], ()),
    ]


def test_a_message_is_a_near_miss_if_some_of_several_conditions_hold(make: Any) -> None:
    body = "require m by message user where text matches /code/ and text matches /[0-9]/"
    turns = [make.user("code"), make.user("no"), make.user("code 1"), make.says("code")]
    assert near(problem(make, body, *turns), "m") == [(0, ["text matches /[0-9]/: no match"], ())]
    assert near(problem(make, "require m by message user where text matches /code/", make.user("x")), "m") == []


def test_the_pattern_that_fails_least_tells(make: Any) -> None:
    body = 'require p by call pay where args.id == "X" and args.amount == 1 or by call pay where args.amount == 2'
    assert near(problem(make, body, paid(make, 5))) == [(0, ["args.amount == 2: 5 != 2"], ())]


def test_calls_that_came_too_late(make: Any) -> None:
    found = problem(make, PAY, paid(make), got(make), got(make, 1))
    ((_, _, wanted),) = near(found)
    assert wanted == (1,), "the earliest match in the trace would have made it evidence"
    (atom,) = leaf(found, "p").near[0].atoms
    assert (atom.view, atom.tools, atom.later) == ('order("A")', ("get",), True)
    assert near(problem(make, PAY, paid(make, 25), got(make)))[0][2] == (), "it would not"
    assert near(problem(make, PAY, paid(make)))[0][2] == (), "there is none"
    assert near(problem(make, PAY, [got(make), paid(make)]))[0][2] == (0,), "one of the same response is too late too"


def test_a_condition_that_fails_by_itself_is_no_matter_of_order(make: Any) -> None:
    ((_, atoms, wanted),) = near(problem(make, PAY, paid(make, 5, "B"), got(make)))
    assert len(atoms) == 2 and wanted == ()


def test_optional_duties_open_traces_and_branches_not_taken_have_none(make: Any) -> None:
    assert near(problem(make, PAY, paid(make, 25), complete=False)) == []
    assert near(problem(make, PAY.replace("require", "optional"), paid(make, 25))) == []
    body = f"decide d {{ branch q when x == 2 {{ {PAY} }} branch r otherwise {{ optional o by message user }} }}"
    assert near(problem(make, body, paid(make, 25)), "d.q.p") == []


# ---- rules -------------------------------------------------------------------------------------------------------------------


def test_violations_of_rules_that_are_active(make: Any) -> None:
    body = """rule one severity high at most 1 call pay per args.id
rule off if not b never call pay
step s { rule inside never call note }
for each n in xs { rule own never call get where args.id == n }"""
    turns = [paid(make), paid(make), make.call("note"), got(make, id="q")]
    found = cells(make, body, *turns, query={"xs": ["p", "q"]}).cells[0]
    assert [(v.element, v.events, v.severity) for v in found.problem.violations] == [
        ("n.own[1]", (3,), "normal"),
        ("one", (1,), "high"),
        ("s.inside", (2,), "normal"),
    ]
    counts = {n: (c.activated, c.fulfilled, c.violated, c.undecided) for n, c in found.rules.items()}
    assert counts == {"one": (1, 0, 1, 0), "s.inside": (1, 0, 1, 0), "n.own[0]": (1, 1, 0, 0), "n.own[1]": (1, 0, 1, 0)}


def test_only_if_from_one_undefined_view_is_one_finding(make: Any) -> None:
    body = """rule z_total attempt pay only if order(args.id).total > 0
rule a_cust severity high attempt pay only if order(args.id).cust == "c"
rule other attempt pay only if order("B").total > 0
rule both attempt pay only if order(args.id).total > 0 and args.amount > 9"""
    found = problem(make, body, paid(make))
    assert [(v.element, v.also, v.severity, v.events) for v in found.violations] == [
        ("a_cust", ("z_total",), "high", (0,)),
        ("both", (), "normal", (0,)),
        ("other", (), "normal", (0,)),
    ]


def test_what_stays_open_in_a_rule_makes_no_cells(make: Any) -> None:
    body = "rule ask each attempt of writes needs earlier event agreed"
    found = cells(make, body, make.user(), paid(make))
    (cell,) = found.cells
    (rule,) = cell.open_rules
    assert (rule.element, rule.pending, [h.text for h in rule.hinges]) == (
        "ask",
        False,
        ["label yes is absent on event 0"],
    )
    assert found.hinges == () and cell.rules["ask"].undecided == 1


def test_a_rule_that_may_not_apply_is_open_where_it_would_be_violated(make: Any) -> None:
    body = "rule quiet if b never call pay"
    (cell,) = cells(make, body, paid(make), query={"b": None}).cells
    assert [(r.element, [h.name for h in r.hinges]) for r in cell.open_rules] == [("quiet", ["b"])]
    (cell,) = cells(make, body, got(make), query={"b": None}).cells
    assert cell.open_rules == ()


def test_pending_rules(make: Any) -> None:
    (cell,) = cells(make, "rule tell each call pay needs later message assistant", paid(make), complete=False).cells
    assert [(r.element, r.pending) for r in cell.open_rules] == [("tell", True)]


SAID = """require ask by {evidence}
require p by call pay
order ask before p
rule consent each attempt of writes needs earlier {target} since message assistant
"""


@pytest.mark.parametrize(
    "evidence,target,said",
    [
        ("event agreed", "event agreed", True),
        ("message user where yes", "event agreed", True),
        ("event agreed or by call get", "event agreed", True),
        ("event agreed", "any of { event agreed  call get }", True),
        ("event agreed or by call get", "any of { call get  event agreed }", True),
        ("event agreed", "message user", False),
        ("event agreed or by call note", "any of { call get  event agreed }", False),
    ],
)
def test_where_a_rule_asks_for_the_earlier_end_of_an_edge(make: Any, evidence: str, target: str, said: bool) -> None:
    found = problem(make, SAID.format(evidence=evidence, target=target), make.says(), paid(make))
    assert found.said == (frozenset({("ask", 1)}) if said else frozenset())


def test_a_rule_on_which_an_edge_hangs_is_settled(make: Any) -> None:
    body = SAID.format(evidence="event agreed", target="event agreed")
    found = cells(make, body, make.user(), paid(make))
    assert [c.assumptions for c in found.cells] == [("yes is true on event 0",), ("yes is false on event 0",)]
    assert [c.problem.said for c in found.cells] == [frozenset(), frozenset({("ask", 1)})]


# ---- cells -------------------------------------------------------------------------------------------------------------------


def test_what_is_settled_everywhere_makes_one_cell(make: Any) -> None:
    found = cells(make, DECIDE, got(make))
    assert found.whole and found.hinges == () and found.cells[0].assumptions == ()


def test_a_two_valued_attribute_is_settled_once_for_all_that_hangs_on_it(make: Any) -> None:
    body = "require a if b by call get\nrequire z if not b by call pay\nrule r if b never call note"
    found = cells(make, body, query={"b": None})
    assert [c.assumptions for c in found.cells] == [("b is true",), ("b is false",)]
    assert [[x.id for x in c.problem.leaves] for c in found.cells] == [["a"], ["z"]]
    assert [h.name for h in found.hinges] == ["b"]
    assert [e.status for e in found.cells[0].graph.elements] == ["active", "inactive", "active"]


def test_exactly_one_branch_holds_in_each_cell(make: Any) -> None:
    found = cells(make, DECIDE, query={"x": None})
    assert [c.assumptions for c in found.cells] == [("d takes p",), ("d takes q",), ("d takes r",)]
    assert [c.problem.decisions["d"] for c in found.cells] == ["p", "q", "r"]


def test_equal_guards_stand_or_fall_together(make: Any) -> None:
    body = "require a if x > 5 by call get\nrequire z if x > 5 by call pay\nrequire y if x > 6 by call note"
    found = cells(make, body, query={"x": None})
    assert [tuple(x.id for x in c.problem.leaves) for c in found.cells] == [("a", "y", "z"), ("a", "z"), ("y",), ()]


def test_a_branch_that_is_taken_settles_its_guard_and_those_of_the_others(make: Any) -> None:
    leaf_ = "require {} if {} by call get\n"
    body = DECIDE + leaf_.format("u", "x == 1") + leaf_.format("v", "x == 2")
    found = cells(make, body, query={"x": None})
    assert [c.assumptions for c in found.cells] == [("d takes p",), ("d takes q",), ("d takes r",)]
    assert [[n for n in "uv" if any(x.id == n for x in c.problem.leaves)] for c in found.cells] == [["u"], ["v"], []]
    found = cells(make, leaf_.format("u", "x == 1") + DECIDE, query={"x": None})
    assert [c.assumptions for c in found.cells] == [
        ("x == 1 holds",),
        ("x == 1 does not hold", "d takes q"),
        ("x == 1 does not hold", "d takes r"),
    ]


def test_an_unknown_outcome_is_settled_once(make: Any) -> None:
    body = "require a by call check\nrequire z by failed check\nforbid f by call check"
    found = cells(make, body, make.unrecorded("check", {"cust": "c"}))
    assert [c.assumptions for c in found.cells] == [("event 0 succeeded",), ("event 0 did not succeed",)]
    assert [[x.candidates for x in c.problem.leaves] for c in found.cells] == [[(0,), ()], [(), (0,)]]
    assert [c.problem.forbids[0].events for c in found.cells] == [(0,), ()]


def test_a_match_that_hangs_on_more_than_two_values(make: Any) -> None:
    body = "require a by call pay where args.id == id\nrequire z by call pay where args.id == id"
    found = cells(make, body, paid(make), query={"id": None})
    assert [[x.candidates for x in c.problem.leaves] for c in found.cells] == [[(0,), (0,)], [(), ()]]
    assert leaf(found.cells[1].problem, "a").near[0].atoms[0].text == "args.id == id (assumed)"


def test_what_does_not_decide_is_not_settled(make: Any) -> None:
    body = "require a by message user where yes and text matches /ok/\nrequire z if b and x == 7 by call get"
    found = cells(make, body, make.user("no"), query={"b": None}, complete=False)
    assert len(found.cells) == 1


def test_whether_an_extra_succeeded_decides(make: Any) -> None:
    found = cells(make, "", make.unrecorded("note"))
    assert [c.problem.facts[0].extra for c in found.cells] == [True, False]


def test_too_many_cells_are_said(make: Any) -> None:
    body = "require a by message user where yes"
    found = cells(make, body, *[make.user() for _ in range(12)])
    assert not found.whole and len(found.cells) <= 32
    assert len(found.hinges) >= 1
    assert cells(make, body, *[make.user() for _ in range(8)]).whole
    assert not cells(make, body, *[make.user() for _ in range(3)], limit=7).whole


def test_an_unknown_list_leaves_the_cells_not_whole(make: Any) -> None:
    found = cells(make, "for each n in xs { require a by call get }", query={"xs": None})
    assert not found.whole and [h.name for h in found.hinges] == ["xs"]
    assert found.cells[0].graph.elements[0].status == "undecided"


def test_conditions_of_near_misses_are_settled_while_that_makes_few_cells(make: Any) -> None:
    body = "require a by message user where text matches /ok/ and yes and text matches /[a-z]/"
    few = cells(make, body, make.user("no"))
    assert [len(leaf(c.problem, "a").near[0].atoms) for c in few.cells] == [1, 2] and few.notes == ()
    many = cells(make, body, *[make.user("no") for _ in range(9)])
    assert many.whole and len(many.cells) == 1
    assert many.notes[0] == "a: what is unknown at event 0 counts as holding where near misses are compared"


def test_notes_are_told_once(make: Any) -> None:
    found = cells(
        make, "rule one at most 1 call pay per args.amount", paid(make, None), paid(make, None), query={"b": None}
    )
    assert found.notes == (
        "rule one: event 0: args.amount is undefined, so it counts for no key",
        "rule one: event 1: args.amount is undefined, so it counts for no key",
    )


def test_events_are_numbered_by_their_places(make: Any) -> None:
    contract = make.contract(HEAD)
    trace = make.trace(lambda _, turn: make.user()(7, turn))
    with pytest.raises(InternalError):
        ground(contract, trace, read_query(contract, FULL, trace))


def test_the_order_of_declarations_changes_nothing(make: Any) -> None:
    parts = [
        "require p by call pay where args.id == id",
        "optional o by message user",
        "require a by call get",
        "rule r at most 1 call pay",
        "forbid f by call note",
        "order a before p",
        "order o before a",
    ]
    turns = [make.user(), got(make), paid(make), paid(make, 5, "B"), make.call("note")]
    one, other = (problem(make, "\n".join(order), *turns) for order in (parts, [*parts[4::-1], *parts[5:]]))
    assert one == other
