"""Cells against completions (language reference §4): a verdict, and a finding of it, holds however what is unknown is settled.

Random small runs of three contracts with some attributes, labels and outcomes unknown; the oracle settles them in every way and judges each.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from servanda.contracts import reference
from servanda.contracts.load import load_text
from servanda.contracts.model import Contract
from servanda.contracts.observed import MISSING, Event, Trace
from servanda.contracts.verdict import Evaluation, decide

HEAD = """language 1
contract t "t" version 1
tool get(k: int) -> { v: int } reads
tool pay(k: int) -> { ok: bool } writes
success pay when result.ok
query { b: bool  c: enum { red, green, blue }  x: int in 0 .. 2 }
label yes: bool on message user
view seen(n) = last get(k: n)
event agreed = message user where yes
"""
BODIES = (
    """require look by call get where args.k == x
require ask by event agreed
decide d {
  branch p when b and c == red { require a by call pay where args.k == seen(x).v  forbid f by failed pay }
  branch q when not b { require a by call pay where args.k == 1  optional o by event agreed }
  branch r otherwise { require a by message assistant  forbid f by attempt pay }
}
order look before d.p.a
order ask before d.q.a
rule consent each attempt of writes needs earlier event agreed
""",
    """for each n in xs { require a if n == x by call pay where args.k == n  require z by call get where args.k == n  order z before a }
any of g { option m { require u by event agreed } option n { require u by message assistant } }
rule own call pay only if seen(args.k).v == x
rule once at most 1 call pay per args.k
extra reads forbidden
""".replace("for each n in xs", "for each n in only"),
    """require a severity high by failed pay where args.k == seen(x).v
require z by call get where args.k == seen(x).v or by event agreed
optional o if b by call pay
rule tell each call pay needs later message assistant until call get
rule none never message user where yes
""",
)


@cache
def contract(number: int) -> Contract:
    head = HEAD.replace("x: int", "only: list of int max 2  x: int") if "only" in BODIES[number] else HEAD
    return load_text(head + BODIES[number], "t.contract", Path())[0]


def random_event(rng: Random, index: int, turn: int) -> Event:
    kind = rng.choice(["get", "get", "pay", "pay", "user", "assistant"])
    path = f"$.events[{index}]"
    if kind == "user":
        labels = {} if rng.random() < 0.4 else {"yes": rng.random() < 0.5}
        return Event(index, "message", "user", turn, path, text="hi", labels=labels)
    if kind == "assistant":
        return Event(index, "message", "assistant", turn, path, text="hi")
    if rng.random() < 0.25:
        return Event(index, "call", kind, turn, path, {"k": rng.randrange(2)})
    if rng.random() < 0.15:
        return Event(index, "call", kind, turn, path, {"k": rng.randrange(2)}, MISSING, "failed")
    result = {"v": rng.randrange(2)} if kind == "get" else {"ok": rng.random() < 0.8}
    return Event(index, "call", kind, turn, path, {"k": rng.randrange(2)}, result, "ok")


def random_case(rng: Random, number: int) -> tuple[Trace, dict[str, Any]]:
    query: dict[str, Any] = {"b": rng.random() < 0.5, "c": rng.choice(["red", "green"]), "x": rng.randrange(2)}
    if "only" in BODIES[number]:
        query["only"] = [rng.randrange(2) for _ in range(rng.randrange(3))]
    for name in "bcx":
        if rng.random() < 0.25:
            del query[name]
    turn = 0
    events: list[Event] = []
    for index in range(rng.randrange(6)):
        event = random_event(rng, index, turn)
        alone = not event.by_model or not events or not events[-1].by_model
        turn += 1 if alone or rng.random() < 0.8 else 0
        events.append(replace(event, turn=turn))
    return Trace("t", tuple(events), rng.random() < 0.85, None, MISSING, "t", "test"), query


def ways(event: Event) -> list[Event]:
    """Every way to settle what was not recorded of an event."""
    if event.kind == "message":
        return (
            [replace(event, labels={"yes": v}) for v in (True, False)]
            if event.name == "user" and not event.labels
            else [event]
        )
    if event.outcome != "unknown":
        return [event]
    results = [{"v": v} for v in (0, 1, 2)] if event.name == "get" else [{"ok": True}, {"ok": False}]
    return [replace(event, outcome="failed"), *(replace(event, outcome="ok", result=r) for r in results)]


def completions(trace: Trace, query: dict[str, Any]) -> Iterator[tuple[Trace, dict[str, Any]]]:
    domain: dict[str, list[Any]] = {"b": [True, False], "c": ["red", "green", "blue"], "x": [0, 1, 2]}
    attributes = [[(n, v) for v in ([query[n]] if n in query else values)] for n, values in domain.items()]
    for given in product(*attributes):
        for events in product(*(ways(e) for e in trace.events)):
            yield replace(trace, events=events), {**query, **dict(given)}


def judged(number: int, trace: Trace, query: dict[str, Any]) -> tuple[Evaluation, Counter[Any]]:
    found = decide(contract(number), trace, query, reference.solve)
    return found, Counter(r.finding.identity for r in found.findings)


@pytest.mark.parametrize("number", range(len(BODIES)))
def test_what_is_said_holds_in_every_completion(number: int) -> None:
    rng = Random(number)
    said: Counter[str] = Counter()
    while said.total() < 45:
        trace, query = random_case(rng, number)
        settled = list(completions(trace, query))
        if not 1 < len(settled) <= 120:
            continue
        found, findings = judged(number, trace, query)
        said[found.verdict] += 1
        if found.verdict == "undecided":
            assert found.undecided_on or not trace.complete
            continue
        for one, whole in settled:
            completed, others = judged(number, one, whole)
            assert completed.verdict == found.verdict, (trace, query, one, whole)
            assert findings <= others, (trace, query, one, whole)
    assert said["violates"] and said["undecided"]
