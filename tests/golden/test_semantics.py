"""Questions on which two readers of the language disagree, each with the verdict that holds, through `contract eval --format json`.

The rows follow the semantics section by section: what the golden corpus does not already hold of it and this release can read.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DESK = """language 1
contract desk "Desk" version 1
tool look(id: string optional) -> { total: decimal(2)  owner: string optional } reads
tool check(id: string optional) -> bool reads
tool pay(id: string optional, amount: decimal(2) optional) -> { ok: bool } writes
tool move(id: string optional) writes
tool think() neutral
label yes : bool on message user
label listed : bool on message assistant
view order(id) = last look(id: id)
"""


def call(tool: str, result: Any = "none", outcome: str = "ok", turn: int | None = None, **args: Any) -> dict[str, Any]:
    event: dict[str, Any] = {"kind": "call", "tool": tool, "args": args, "outcome": outcome}
    if result != "none":
        event["result"] = result
    return event if turn is None else {**event, "turn": turn}


def says(role: str, text: str, turn: int | None = None, **labels: Any) -> dict[str, Any]:
    event: dict[str, Any] = {"kind": "message", "role": role, "text": text, "labels": labels}
    return event if turn is None else {**event, "turn": turn}


YES = says("user", "yes", yes=True)
CONSENT = "rule consent each attempt of writes needs earlier message user where yes since message assistant\nextra writes allowed\n"
ONE_EACH = CONSENT.replace("since message assistant", "since any of { message assistant  attempt of writes }")
BEFORE_PAY = "require check by call check\nrequire pay by call pay\norder check before pay\n"
TOTAL = "require pay by call pay where args.amount <= order(args.id).total\n"
ADJACENT = "rule next each call pay needs immediately earlier call check\nextra writes allowed\n"
OUTPUT = "output json {\n  field n: int\n  rule big output.n >= 1\n}\n"

ROWS: dict[str, tuple[str, dict[str, Any], str, list[tuple[str, str, list[int]]]]] = {
    # an unknown tool is reported and counts as a write; it is never skipped
    "S21 unknown tool": ("require look by call look\n", {"events": [call("look", {"total": 1}), call("erase_all")]}, "violates", [("redundant", "erase_all", [1])]),
    "S21 unknown tool that failed": ("require look by call look\n", {"events": [call("look", {"total": 1}), call("erase_all", outcome="failed")]}, "conforms", []),
    "S21 a write of an unknown tool stops observation": (
        "query { total: decimal(2) in 0 .. 10 observed look().total }\nrequire look if total > 5 by call look\nrule r never failed pay\n",
        {"events": [call("erase_all"), call("look", {"total": 9})]}, "violates", [("redundant", "erase_all", [0])],
    ),
    # needs does not consume; one yes each is said with `attempt of writes` in `since`
    "S19 one yes for two writes": (CONSENT, {"events": [says("assistant", "both?"), YES, call("move"), call("move")]}, "conforms", []),
    "S19 one yes each": (ONE_EACH, {"events": [says("assistant", "both?"), YES, call("move"), call("move")]}, "violates", [("invariant", "consent", [3])]),
    "S19 since reaches to the start": (CONSENT, {"events": [YES, call("move")]}, "conforms", []),
    "S8 text in the response of the call": (CONSENT, {"events": [says("user", "yes", 0, yes=True), says("assistant", "on it", 1), call("move", turn=1)]}, "conforms", []),
    "S8 text in a response of its own": (CONSENT, {"events": [YES, says("assistant", "on it"), call("move")]}, "violates", [("invariant", "consent", [2])]),
    # reads are shared, writes are not
    "S10 one write for two duties": ("require a by call pay\nrequire b by call pay\n", {"events": [call("pay", {"ok": True})]}, "violates", [("omission", "b", [])]),
    "S10 declared shared": ("require a shared by call pay\nrequire b shared by call pay\n", {"events": [call("pay", {"ok": True})]}, "conforms", []),
    "S10 shared in one only": ("require a shared by call pay\nrequire b by call pay\n", {"events": [call("pay", {"ok": True})]}, "violates", [("omission", "b", [])]),
    # success: the adapter's flag, then the contract
    "S3 a business failure": ("success check when result == true\nrequire check by call check\n", {"events": [call("check", False)]}, "violates", [("omission", "check", [0])]),
    "S3 no outcome recorded": ("require check by call check\n", {"events": [{"kind": "call", "tool": "check", "args": {}}]}, "undecided", []),
    "S11 a result without its type": ("require check by call check\n", {"events": [call("check", "maybe")]}, "undecided", []),
    # failed attempts
    "S13 failed write is no extra": ("require pay by call pay\n", {"events": [call("pay", outcome="failed"), call("pay", {"ok": True})]}, "conforms", []),
    "S14 early failed attempt": (BEFORE_PAY, {"events": [call("pay", outcome="failed"), call("check", True), call("pay", {"ok": True})]}, "conforms", []),
    "S7 two calls of one response": (BEFORE_PAY, {"events": [call("check", True, turn=0), call("pay", {"ok": True}, turn=0)]}, "violates", [("misorder", "check before pay", [1])]),
    # views are taken strictly before the event, newest first
    "S2 never does not fire on an undefined view": ("rule over never call pay where args.amount > order(args.id).total\nextra writes allowed\n", {"events": [call("pay", {"ok": True}, id="A", amount=9)]}, "conforms", []),
    "S2 only if does": ("rule over call pay only if args.amount <= order(args.id).total\nextra writes allowed\n", {"events": [call("pay", {"ok": True}, id="A", amount=9)]}, "violates", [("invariant", "over", [0])]),
    "S26 newest read": (TOTAL, {"events": [call("look", {"total": 5}, id="A"), call("look", {"total": 9}, id="A"), call("pay", {"ok": True}, id="A", amount=8)]}, "conforms", []),
    "S26 a read of another order": (TOTAL, {"events": [call("look", {"total": 9}, id="B"), call("pay", {"ok": True}, id="A", amount=8)]}, "violates", [("omission", "pay", [1])]),
    "S30 merged": (
        "rule b_rule attempt pay only if order(args.id).total > 1\nrule a_rule attempt pay only if order(args.id).total > 2\nextra writes allowed\n",
        {"events": [call("pay", {"ok": True}, id="A", amount=8)]}, "violates", [("invariant", "a_rule", [0])],
    ),
    # at most: a finding a key, from n+1 on
    "S27 per key": (
        "rule once at most 1 call pay per args.id\nextra writes allowed\n",
        {"events": [call("pay", {"ok": True}, id=i) for i in "ABAAB"]}, "violates", [("invariant", "once", [2, 3]), ("invariant", "once", [4])],
    ),
    "S27 undefined key": ("rule once at most 1 call pay per args.id\nextra writes allowed\n", {"events": [call("pay", {"ok": True}), call("pay", {"ok": True})]}, "conforms", []),
    # immediately skips neutral calls and nothing else
    "S28 neutral between": (ADJACENT, {"events": [call("check", True), call("think"), call("pay", {"ok": True})]}, "conforms", []),
    "S28 message between": (ADJACENT, {"events": [call("check", True), says("user", "ok"), call("pay", {"ok": True})]}, "violates", [("invariant", "next", [2])]),
    "S28 concurrent": (ADJACENT, {"events": [call("check", True, turn=0), call("pay", {"ok": True}, turn=0)]}, "violates", [("invariant", "next", [1])]),
    # within counts model responses after the earlier event; bounds inclusive
    "S29 inside": ("rule soon each call pay needs later call check within 2 turns\nextra writes allowed\n", {"events": [call("pay", {"ok": True}), says("user", "?"), call("look", {"total": 1}), call("check", True)]}, "conforms", []),
    "S29 beyond": ("rule soon each call pay needs later call check within 1 turns\nextra writes allowed\n", {"events": [call("pay", {"ok": True}), says("user", "?"), call("look", {"total": 1}), call("check", True)]}, "violates", [("invariant", "soon", [0])]),
    # the output: the record's, else the last assistant message if only neutral calls and user messages follow
    "S24 recorded": (OUTPUT, {"events": [], "output": {"n": 1}}, "conforms", []),
    "S24 last message": (OUTPUT, {"events": [says("assistant", '{"n": 2}'), call("think"), says("user", "thanks")]}, "conforms", []),
    "S24 something follows": (OUTPUT, {"events": [says("assistant", '{"n": 2}'), call("check", True)]}, "violates", [("output", "output", [])]),
    "S24 fence is not stripped": (OUTPUT, {"events": [says("assistant", '```json\n{"n": 2}\n```')]}, "violates", [("output", "output", [0])]),
    "S24 undefined is violated": (OUTPUT, {"events": [], "output": {}}, "violates", [("output", "big", []), ("output", "n", [])]),
    # numbers are exact; matches searches, case-sensitive
    "S31 exact": ("rule cents never call pay where args.amount == 0.30\nextra writes allowed\n", {"events": [call("pay", {"ok": True}, amount=0.3)]}, "violates", [("invariant", "cents", [0])]),
    "S31 more digits": ("rule cents never call pay where args.amount > 20\nextra writes allowed\n", {"events": [call("pay", {"ok": True}, amount=20.005)]}, "violates", [("invariant", "cents", [0])]),
    "S31 case": ("rule said never message assistant where text matches /refund/\n", {"events": [says("assistant", "Refund it is")]}, "conforms", []),
    "S31 search": ("rule said never message assistant where text matches /refund/\n", {"events": [says("assistant", "a refund it is")]}, "violates", [("invariant", "said", [0])]),
    # nothing applies; pending; missing labels
    "nothing applies": ("require pay if 1 == 2 by call pay\n", {"events": []}, "undecided", []),
    "nothing applies in one completion": (
        "query { g: bool }\nrequire pay if g by call pay\nextra writes allowed\n",
        {"query": {}, "events": [call("pay", {"ok": True})]},
        "undecided",
        [],
    ),
    # an argument that does not have its type is undefined, so a `never` cannot look at it: that is no pass
    "ill-typed argument under never": (
        "rule cap never attempt pay where args.amount > 100\nextra writes allowed\n",
        {"events": [call("pay", {"ok": True}, amount="900")]},
        "undecided",
        [],
    ),
    "ill-typed argument under only if": (
        "rule cap attempt pay only if args.amount <= 100\nextra writes allowed\n",
        {"events": [call("pay", {"ok": True}, amount="900")]},
        "violates",
        [("invariant", "cap", [0])],
    ),
    "ill-typed argument of a duty": (
        "require pay by call pay where args.amount == 9\n",
        {"events": [call("pay", {"ok": True}, amount="9")]},
        "violates",
        [("omission", "pay", [0])],
    ),
    "S22 later is pending": ("rule tell each call pay needs later message assistant\nextra writes allowed\n", {"events": [call("pay", {"ok": True})], "complete": False}, "undecided", []),
    "S22 earlier is not": ("rule ask each call pay needs earlier call check\nextra writes allowed\n", {"events": [call("pay", {"ok": True})], "complete": False}, "violates", [("invariant", "ask", [0])]),
    "label absent": (CONSENT, {"events": [says("user", "sure"), call("move")]}, "undecided", []),
    "label absent, another says yes": (CONSENT, {"events": [says("user", "hm"), YES, call("move")]}, "conforms", []),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_the_verdict_that_holds(name: str, contract: Callable[..., Any], tmp_path: Path) -> None:
    body, trace, verdict, findings = ROWS[name]
    (tmp_path / "desk.contract").write_text(DESK + body, "utf-8")
    query: dict[str, Any] = {"query": {}} if "query {" not in body else {}
    (tmp_path / "trace.jsonl").write_text(json.dumps({"id": "t", **query, **trace}) + "\n", "utf-8")
    ran = contract("eval", tmp_path / "desk.contract", tmp_path / "trace.jsonl", "--format", "json")
    assert ran.out, ran.err
    (found,) = json.loads(ran.out)["traces"]
    assert (found["verdict"], [(f["kind"], f["element"], f["events"]) for f in found["findings"]]) == (
        verdict,
        findings,
    )
    assert ran.code == {"conforms": 0, "violates": 1, "undecided": 3}[verdict]
