"""The rules of a contract judged over one trace: findings, counts, and what stays open (language reference §6 and §8).

In: the instances of a contract, the reads of the run, the places where an order edge hangs on a rule. Out: violations (those of `only if` rules at
one event from one undefined view as one), how often each rule was activated and how that ended, the rules left open, and where a violated
`needs earlier` rule asks for the evidence of a duty.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from servanda.contracts.cell import Hinge, OpenRule, RuleCount
from servanda.contracts.finding import SEVERITIES
from servanda.contracts.meaning.assumptions import Oracle
from servanda.contracts.meaning.evaluate import Scope
from servanda.contracts.meaning.instances import Instance, Instances, guard_key
from servanda.contracts.meaning.monitors import Activation, Judged, judge
from servanda.contracts.meaning.recorded import Recorded
from servanda.contracts.meaning.signature import Keys, pattern_keys
from servanda.contracts.meaning.values import Unknown
from servanda.contracts.model import Contract, Each, Rule
from servanda.contracts.observed import Trace
from servanda.contracts.problem import Violation


@dataclass(frozen=True, slots=True)
class Earlier:
    """The earlier end of order edges: its evidence patterns, and the events at which a later end may be judged."""

    leaf: str
    keys: Keys
    events: frozenset[int]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the rules give. `said`: (leaf, event) pairs at which a violated rule asks for the leaf's own patterns."""

    violations: tuple[Violation, ...]
    counts: Mapping[str, RuleCount]
    open: tuple[OpenRule, ...]
    said: frozenset[tuple[str, int]]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Judged:
    """One active or undecided rule."""

    instance: Instance
    rule: Rule
    activations: tuple[Activation, ...]
    open: Unknown | None


def judge_rules(
    contract: Contract, trace: Trace, run: Recorded, found: Instances, ends: tuple[Earlier, ...], oracle: Oracle
) -> Ruling:
    """Judge every rule that is active or may be."""
    judged: list[_Judged] = []
    said: set[tuple[str, int]] = set()
    notes: list[str] = []
    for instance in found.all:
        rule = instance.node
        if not isinstance(rule, Rule) or instance.act.value is False:
            continue
        result = judge(rule.form, trace, Scope(run, None, None, instance.variables))
        notes += [f"rule {instance.id}: {note}" for note in result.notes]
        asked = list(_asked(contract, rule, instance, ends))
        one = _settled(instance, rule, result, asked, oracle)
        judged.append(one)
        if one.open is None:
            broken = {a.event for a in one.activations if a.ending == "violated"}
            said |= {(end.leaf, e) for end in asked for e in end.events & broken}
    violations = (*_single(judged), *_merged(judged))
    counts = {j.instance.id: _count(j) for j in judged}
    return Ruling(violations, counts, tuple(o for j in judged for o in _open(j)), frozenset(said), tuple(notes))


def _asked(contract: Contract, rule: Rule, instance: Instance, ends: tuple[Earlier, ...]) -> Iterator[Earlier]:
    """The earlier ends whose own patterns a `needs earlier` rule asks for: it names one of them, or any of all of them."""
    form = rule.form
    if not isinstance(form, Each) or form.mode != "needs" or form.direction != "earlier":
        return
    keys = pattern_keys(contract, form.target, instance.variables)
    for end in ends:
        if end.keys <= keys or (len(keys) == 1 and keys <= end.keys):
            yield end


def _settled(instance: Instance, rule: Rule, result: Judged, asked: list[Earlier], oracle: Oracle) -> _Judged:
    """The activations, with those settled on which an order edge hangs: whether it is a finding or a consequence."""
    hang = {e for end in asked for e in end.events}
    open_ = instance.act.value if isinstance(instance.act.value, Unknown) else None
    activations: list[Activation] = []
    for one in result.activations:
        if one.event in hang and one.ending in ("violated", "undecided"):
            if open_ is not None and rule.guard is not None:
                key = guard_key(instance.id, rule.guard, instance.indices)
                oracle.settle(open_, key, f"rule {instance.id} applies", f"rule {instance.id} does not apply")
            if one.open is not None:
                key = ("activation", instance.id, one.event)
                yes = f"rule {instance.id} is violated at event {one.event}"
                broken = oracle.settle(one.open, key, yes, f"rule {instance.id} is kept at event {one.event}")
                one = replace(one, ending="violated" if broken else "fulfilled", open=None, sure=True, seen=yes)
        activations.append(one)
    return _Judged(instance, rule, tuple(activations), open_)


def _single(judged: list[_Judged]) -> Iterator[Violation]:
    for j in judged:
        if j.open is None:
            for a in j.activations:
                if a.ending == "violated" and not a.view:
                    yield Violation("invariant", j.instance.id, a.events, j.rule.severity, a.seen)


def _merged(judged: list[_Judged]) -> Iterator[Violation]:
    """Violations of `only if` at one event from one undefined view: one finding, named after the first rule by name."""
    groups: dict[tuple[int, str], list[tuple[str, Rule, Activation]]] = {}
    for j in judged:
        if j.open is None:
            for a in j.activations:
                if a.ending == "violated" and a.view:
                    groups.setdefault((a.event, a.view), []).append((j.instance.id, j.rule, a))
    for _, members in sorted(groups.items()):
        first, *others = sorted(members, key=lambda m: m[0])
        severity = min((rule.severity for _, rule, _ in members), key=SEVERITIES.index)
        also = tuple(name for name, _, _ in others)
        yield Violation("invariant", first[0], first[2].events, severity, first[2].seen, also)


def _count(judged: _Judged) -> RuleCount:
    endings = [a.ending for a in judged.activations]
    if judged.open is not None:
        return RuleCount(len(endings), 0, 0, len(endings))
    fulfilled, violated = endings.count("fulfilled"), endings.count("violated")
    return RuleCount(len(endings), fulfilled, violated, len(endings) - fulfilled - violated)


def _open(judged: _Judged) -> Iterator[OpenRule]:
    """The rule where it stays undecided because a value is unknown, and where because the trace is open."""
    unmet = [a for a in judged.activations if a.ending != "fulfilled"]
    hinges: dict[Hinge, None] = {}
    if judged.open is not None and unmet:
        hinges.update(dict.fromkeys(judged.open.hinges))
    for a in unmet:
        if a.open is not None and (a.ending == "undecided" or judged.open is not None):
            hinges.update(dict.fromkeys(a.open.hinges))
    if hinges:
        yield OpenRule(judged.instance.id, tuple(sorted(hinges, key=lambda h: (h.name, h.text))), False)
    if any(a.ending == "pending" for a in unmet):
        yield OpenRule(judged.instance.id, (), True)
