"""Random alignment problems, directed by their type: what the grounding of some contract and trace could hand over.

In: a seeded `random.Random` and bounds on size. Out: a `Problem` whose parts fit together (candidates share patterns, supports lie before what
they support, near misses are no evidence). Leaves draw from few patterns, so that they compete. Nothing here looks at what a solver does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from random import Random
from typing import TypeVar

from servanda.contracts.model import Severity
from servanda.contracts.problem import Atom, EdgeInstance, Fact, Forbidden, Leaf, NearMiss, Problem, Violation

TOOLS = ("read_a", "read_b", "write_a", "write_b")
VIEWS = {"at": ("read_a",), "of": ("read_a", "read_b"), "done": ("write_a",)}


@dataclass(frozen=True, slots=True)
class Size:
    """Bounds. `choices`: at most as many choices for the reference to look at."""

    leaves: int = 6
    events: int = 7
    choices: int = 2500


@dataclass(frozen=True, slots=True)
class _Pattern:
    """What some `by` says: the events that match and those that nearly do."""

    name: str
    tools: tuple[str, ...]
    candidates: tuple[int, ...]
    near: tuple[NearMiss, ...]


Path = tuple[tuple[str, str], ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Profile:
    """What a problem is about: how often a part of a block is a group or a decision, how often a branch has no leaves, how many edges and
    forbids there are, how many patterns the leaves draw from, and how dense their candidates are."""

    group: float
    decision: float
    edges: tuple[int, ...]
    forbid: float
    patterns: tuple[int, ...]
    densities: tuple[float, ...]
    views: float = 0.5


PROFILES = (
    _Profile(0.14, 0.2, (0, 1, 2, 3, 4), 0.2, (1, 2, 3, 4, 5), (0.2, 0.6, 0.9)),
    _Profile(0.03, 0.0, (2, 3, 4, 5, 6), 0.05, (1, 2, 3), (0.4, 0.7, 0.9)),
    _Profile(0.0, 0.4, (0, 1, 2), 0.2, (2, 3, 4), (0.3, 0.5, 0.7)),
    _Profile(0.05, 0.05, (1, 2, 3, 4), 0.05, (1, 2, 3), (0.1, 0.4, 0.6), 0.9),
    _Profile(0.4, 0.05, (0, 1, 2, 3), 0.4, (1, 2, 3), (0.3, 0.6)),
)


@dataclass
class _Making:
    rng: Random
    profile: _Profile
    facts: list[Fact]
    patterns: list[_Pattern]
    leaves: list[Leaf] = field(default_factory=list)
    forbids: list[Forbidden] = field(default_factory=list)
    decisions: dict[str, str] = field(default_factory=dict)
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    names: int = 0

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def name(self, prefix: str) -> str:
        """A new name whose place in the order says nothing about when it was made."""
        self.names += 1
        return f"{prefix}{self.rng.choice('mnpqrstuv')}{self.names}"

    def severity(self) -> Severity:
        return self.rng.choice(("high", "normal", "normal", "normal", "low"))


def problem(rng: Random, size: Size = Size()) -> Problem:
    """One problem within the bounds."""
    while True:
        made = _problem(rng, size)
        active = [x for x in made.leaves if x.alternative is None]
        choices = prod(len(x.candidates) + 1 for x in active) * prod(map(len, made.groups.values()))
        if choices <= size.choices:
            return made


def _problem(rng: Random, size: Size) -> Problem:
    facts = _facts(rng, size)
    profile = rng.choice(PROFILES)
    making = _Making(rng, profile, facts, _patterns(rng, profile, facts))
    _block(making, "", (), (), None, rng.randint(1, size.leaves) if rng.random() < 0.3 else size.leaves, 0)
    leaves = tuple(sorted(making.leaves, key=lambda leaf: leaf.id))
    edges = _edges(making, [x for x in leaves if x.alternative is None])
    leaves = tuple(_with_wanted(making, leaf, edges) for leaf in leaves)
    violations, said = _violations(making, edges)
    return Problem(
        tuple(facts),
        leaves,
        tuple(sorted(making.forbids, key=lambda f: f.id)),
        tuple(sorted(edges, key=lambda e: (e.earlier, e.later, e.bounded, e.order))),
        dict(sorted(making.decisions.items())),
        dict(sorted(making.groups.items())),
        violations,
        said,
        rng.random() < 0.85,
    )


def _facts(rng: Random, size: Size) -> list[Fact]:
    facts: list[Fact] = []
    turn = 0
    strict = rng.random() < 0.3
    tools = rng.sample(TOOLS, rng.choice((1, 2, 2, 3)))
    for index in range(rng.randint(0, size.events) if rng.random() < 0.2 else size.events):
        turn += rng.random() < 0.85
        if rng.random() < 0.25:
            facts.append(Fact(index, rng.choice(("user", "assistant")), turn, False, False, False))
            continue
        tool = rng.choice(tools)
        ok = rng.random() < 0.85
        write = ok and tool.startswith("write")
        facts.append(Fact(index, tool, turn, True, write, write or (ok and strict and tool == "read_b")))
    return facts


def _patterns(rng: Random, profile: _Profile, facts: Sequence[Fact]) -> list[_Pattern]:
    patterns = []
    seen = sorted({f.name for f in facts}) or ["read_a"]
    for number in range(rng.choice(profile.patterns)):
        tool = rng.choice(("read_a", "write_a", "write_b", "user")) if rng.random() < 0.25 else rng.choice(seen)
        tools = tuple(sorted({tool, rng.choice(TOOLS)})) if tool in TOOLS and rng.random() < 0.2 else (tool,)
        fitting = [f for f in facts if f.name in tools]
        density = rng.choice(profile.densities)
        chosen = [f.index for f in fitting if rng.random() < density]
        near = []
        for fact in fitting:
            if fact.index not in chosen and rng.random() < 0.8:
                near.append(_near(rng, profile, facts, fact))
        patterns.append(_Pattern(f"p{number}", tools, tuple(chosen), tuple(near)))
    return patterns


def _near(rng: Random, profile: _Profile, facts: Sequence[Fact], fact: Fact) -> NearMiss:
    atoms = []
    views = rng.random() < profile.views
    for number in range(rng.choice((1, 1, 1, 2))):
        if views and rng.random() < 0.85:
            view = rng.choice(sorted(VIEWS))
            tools = VIEWS[view]
            after = any(f.name in tools and f.turn >= fact.turn and f.index != fact.index for f in facts)
            atoms.append(Atom(f"{view} is undefined", view, tools, after and rng.random() < 0.8))
        else:
            atoms.append(Atom(f"k{number} 1 is not 2"))
    return NearMiss(fact.index, tuple(atoms))


def _with_wanted(making: _Making, leaf: Leaf, edges: Sequence[EdgeInstance]) -> Leaf:
    """Near misses that fail on views with later matches get the calls those views would have read, mostly ones that an edge asks for."""
    rng = making.rng
    turns = {f.index: f.turn for f in making.facts}
    asked = [e for x in making.leaves for d in edges if d.earlier == x.id and d.later == leaf.id for e in x.candidates]
    near = []
    for miss in leaf.near:
        wanted: tuple[int, ...] = ()
        if all(a.view and a.later for a in miss.atoms):
            able = [f.index for f in making.facts if f.call and f.turn >= turns[miss.event] and f.index != miss.event]
            if rng.random() < 0.9:
                able = sorted(set(able) & set(asked))
            wanted = tuple(sorted(rng.sample(able, min(len(able), rng.choice((1, 1, 1, 2))))))
        near.append(replace(miss, wanted=wanted))
    return replace(leaf, near=tuple(near))


def _block(
    making: _Making,
    prefix: str,
    options: Path,
    branches: Path,
    alternative: tuple[str, str] | None,
    room: int,
    depth: int,
) -> None:
    """Duties of one block: leaves, forbids, groups and decisions inside it."""
    rng = making.rng
    while room > 0:
        roll = rng.random()
        if roll < making.profile.group and depth < 3:
            group = making.name(prefix + "any")
            names = tuple(sorted(making.name("o") for _ in range(rng.choice((1, 2, 2, 3)))))
            if alternative is None:
                making.groups[group] = names
            for option in names:
                inside = rng.choice((0, 1, 1, 2))
                _block(
                    making, f"{group}.{option}.", (*options, (group, option)), branches, alternative, inside, depth + 1
                )
                room -= inside
            room -= 1
        elif roll < making.profile.group + making.profile.decision and depth < 3:
            decision = making.name(prefix + "dec")
            # Inside a branch not taken only what would be active there is told: one branch of a decision.
            names = tuple(making.name("b") for _ in range(rng.choice((2, 2, 3)) if alternative is None else 1))
            if alternative is None:
                making.decisions[decision] = names[0] if rng.random() < 0.95 else ""
            for branch in names:
                inside = rng.choice((0, 1, 1, 2))
                here = alternative
                if alternative is None and branch != making.decisions[decision]:
                    here = (decision, branch)
                path = (*branches, (decision, branch))
                _block(making, f"{decision}.{branch}.", options, path, here, inside, depth + 1)
                room -= inside if here is None else 0
        else:
            _leaf(making, prefix, options, branches, alternative)
            room -= 1
    if alternative is None and making.facts and rng.random() < making.profile.forbid:
        name = making.name(prefix + "f")
        events = tuple(f.index for f in making.facts if rng.random() < 0.25)
        making.forbids.append(Forbidden(name, name, making.severity(), options, branches, events))


def _leaf(making: _Making, prefix: str, options: Path, branches: Path, alternative: tuple[str, str] | None) -> None:
    rng = making.rng
    pattern = rng.choice(making.patterns)
    if branches and rng.random() < 0.7:
        # Branches not taken are shown, and those taken lack evidence, more often than chance would have it.
        by_number = sorted(making.patterns, key=lambda p: len(p.candidates), reverse=alternative is not None)
        pattern = rng.choice(by_number[: len(by_number) // 2 + 1])
    sharing = rng.choice((None, None, "shared", "exclusive", "exclusive"))
    shares = (
        pattern.candidates
        if sharing == "shared" or (sharing is None and not any(t.startswith("write") for t in pattern.tools))
        else ()
    )
    near = pattern.near
    if rng.random() < 0.3:
        near = tuple(n for n in near if rng.random() < 0.7)
    kind = "require" if rng.random() < 0.78 else "optional"
    name = making.name(prefix)
    calls = tuple(t for t in pattern.tools if t in TOOLS)
    making.leaves.append(
        Leaf(
            name,
            name,
            "require" if kind == "require" else "optional",
            making.severity(),
            options,
            branches,
            alternative,
            pattern.candidates,
            shares,
            pattern.name,
            near if kind == "require" and alternative is None else (),
            calls,
        )
    )


def _edges(making: _Making, active: Sequence[Leaf]) -> list[EdgeInstance]:
    rng = making.rng
    facts = {f.index: f for f in making.facts}
    ranked = list(active)
    rng.shuffle(ranked)
    edges: list[EdgeInstance] = []
    for number in range(rng.choice(making.profile.edges) if len(ranked) > 1 else 0):
        i, j = sorted(rng.sample(range(len(ranked)), 2))
        early = [k for k, x in enumerate(ranked) if k and any(all(a.later for a in n.atoms) for n in x.near)]
        if early and rng.random() < making.profile.views - 0.3:
            j = rng.choice(early)
            i = rng.randrange(j)
        first, last = ranked[i], ranked[j]
        bound = rng.choice((1, 2)) if rng.random() < 0.2 else None
        supports = {
            f: tuple(
                e
                for e in first.candidates
                if facts[e].turn < facts[f].turn and (bound is None or facts[f].turn - facts[e].turn <= bound)
            )
            for f in last.candidates
        }
        if any((e.earlier, e.later, e.bounded) == (first.id, last.id, bound is not None) for e in edges):
            continue
        edges.append(EdgeInstance(first.id, last.id, bound is not None, supports, last.severity, number))
    return edges


def _violations(
    making: _Making, edges: Sequence[EdgeInstance]
) -> tuple[tuple[Violation, ...], frozenset[tuple[str, int]]]:
    rng = making.rng
    found = []
    said = set()
    for number in range(rng.choice((0, 0, 0, 0, 0, 1, 2))):
        if not making.facts:
            break
        event = rng.choice(making.facts).index
        kind = "invariant" if rng.random() < 0.8 else "output"
        found.append(
            Violation(
                "invariant" if kind == "invariant" else "output", f"rule{number}", (event,), making.severity(), "seen"
            )
        )
        if kind == "invariant":
            said |= {(e.earlier, event) for e in edges if rng.random() < 0.6}
    return tuple(sorted(found, key=lambda v: (v.kind, v.element))), frozenset(said)


def permuted(made: Problem, rng: Random) -> Problem:
    """The same problem, its parts in another order."""

    def mixed(items: Sequence[T]) -> tuple[T, ...]:
        return tuple(rng.sample(list(items), len(items)))

    return replace(
        made,
        leaves=mixed(made.leaves),
        forbids=mixed(made.forbids),
        edges=mixed(made.edges),
        violations=mixed(made.violations),
        decisions=dict(mixed(list(made.decisions.items()))),
        groups=dict(mixed(list(made.groups.items()))),
    )
