"""Instances: every node of a contract for one query, with its status and, where that is open, the question that would settle it.

In: a contract and the values of its query; the answers a cell assumes. Out: instances in the order of the contract, a parent before its
children. Activation of language reference §5 in one place: `act(o) = act(parent) and branch guard and own guard`. Pure.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never, cast

from servanda.contracts.expected import Reason, Status
from servanda.contracts.expression import Expr
from servanda.contracts.meaning.evaluate import NOTHING, Scope, evaluate, holds
from servanda.contracts.meaning.query import QueryValues
from servanda.contracts.meaning.reasons import false_atoms, unknown_atoms
from servanda.contracts.meaning.recorded import Recorded
from servanda.contracts.meaning.values import Undefined, Unknown, Value, merge_unknown
from servanda.contracts.model import (
    AnyOf,
    Branch,
    Contract,
    Decide,
    Duty,
    ForEach,
    Node,
    Option,
    Rule,
    Step,
)
from servanda.contracts.observed import Trace
from servanda.contracts.words import source_text
from servanda.grammar.diagnostic import refuse

Answer = bool | str
Assumed = Mapping[Hashable, Answer]
"""Key of a question, or of a two-valued hinge, to the answer a cell assumes."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something unknown that decides. `answers`: each with the words in which a cell assumes it. `open`: what it hangs on."""

    key: Hashable
    answers: tuple[tuple[Answer, str], ...]
    open: Unknown


@dataclass(frozen=True, slots=True)
class Truth3:
    """A truth value and why it is not true."""

    value: bool | Unknown
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Instance:
    """One node of the expected graph. `act`: its activation. `would`: the same as if the branches around it that are not taken were, of which
    the outermost is `alternative` (None where there is none; then `would` is `act`). `taken`: of a decision the name of the branch taken by
    `would`, empty for none; None while open."""

    node: Node | Branch | Option
    id: str
    parent: str
    indices: tuple[int, ...]
    variables: Mapping[str, Value]
    options: tuple[tuple[str, str], ...]
    branches: tuple[tuple[str, str], ...]
    alternative: tuple[str, str] | None
    act: Truth3
    would: Truth3
    taken: str | None = None

    @property
    def status(self) -> Status:
        """The activation as a status."""
        value = self.act.value
        return "undecided" if isinstance(value, Unknown) else "active" if value else "inactive"


@dataclass(frozen=True, slots=True)
class Instances:
    """All instances; `questions` of guards and decisions that are open though all around them is settled; `lists`: the unknown lists of
    `for each` blocks, for which there are no instances."""

    all: tuple[Instance, ...]
    questions: tuple[Question, ...]
    lists: tuple[Unknown, ...]


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around a node. `why`: why nothing in it is active, where that is not that its parent is not (a guard of `for each`)."""

    parent: str = ""
    indices: tuple[int, ...] = ()
    variables: Mapping[str, Value] = field(default_factory=lambda: NOTHING)
    options: tuple[tuple[str, str], ...] = ()
    branches: tuple[tuple[str, str], ...] = ()
    alternative: tuple[str, str] | None = None
    act: Truth3 = Truth3(True)
    would: Truth3 = Truth3(True)
    why: tuple[Reason, ...] = ()

    def both(self, own: Truth3) -> tuple[Truth3, Truth3]:
        """The activation of a node in here, as it is and as if the branches around it were taken."""
        why = self.why or (Reason(f"{self.parent} is inactive", sentence=True),)
        return _both(self.act, own, why), _both(self.would, own, why)


def query_scope(contract: Contract, query: QueryValues, assumed: Assumed) -> Scope:
    """The scope of guards: the query alone, with what is assumed of two-valued attributes."""
    return Scope(Recorded(contract, _NO_RUN, query.values, two_valued(assumed)))


_NO_RUN = Trace("", (), True, None, None, "", "")


def two_valued(assumed: Assumed) -> dict[str, bool]:
    """The part of what is assumed that speaks of two-valued hinges."""
    return {k: v for k, v in assumed.items() if isinstance(k, str) and isinstance(v, bool)}


def instances(contract: Contract, query: QueryValues, assumed: Assumed = NOTHING) -> Instances:
    """All instances. Raises Refusal (Q120, Q121) where an active decision does not have exactly one branch for this query."""
    walk = _Walk(contract, query_scope(contract, query, assumed), assumed)
    walk.body(contract.body, _Around())
    return Instances(tuple(walk.found), tuple(walk.questions), tuple(walk.lists))


class _Walk:
    def __init__(self, contract: Contract, scope: Scope, assumed: Assumed) -> None:
        self._contract = contract
        self._scope = scope
        self._assumed = assumed
        self.found: list[Instance] = []
        self.questions: list[Question] = []
        self.lists: list[Unknown] = []
        self._implied: dict[Hashable, bool] = {}

    def body(self, nodes: Iterable[Node], around: _Around) -> None:
        for node in nodes:
            match node:
                case Duty() | Rule():
                    self._add(node, around, self._guard(node.path, node.guard, around, asks=isinstance(node, Duty)))
                case Step():
                    made = self._add(node, around, self._guard(node.path, node.guard, around))
                    self.body(node.body, self._inside(around, made))
                case ForEach():
                    self._for_each(node, around)
                case AnyOf():
                    made = self._add(node, around, self._guard(node.path, node.guard, around))
                    for option in node.options:
                        inner = self._add(option, self._inside(around, made), Truth3(True))
                        options = (*around.options, (made.id, option.name))
                        self.body(option.body, replace(self._inside(around, inner), options=options))
                case Decide():
                    self._decide(node, around)
                case _:
                    assert_never(node)

    def _inside(self, around: _Around, made: Instance) -> _Around:
        return replace(around, parent=made.id, act=made.act, would=made.would, why=())

    def _add(self, node: Node | Branch | Option, around: _Around, own: Truth3, taken: str | None = None) -> Instance:
        made = Instance(
            node,
            _identity(node.path, around.indices),
            around.parent,
            around.indices,
            around.variables,
            around.options,
            around.branches,
            around.alternative,
            *around.both(own),
            taken,
        )
        self.found.append(made)
        return made

    def _here(self, around: _Around) -> Scope:
        return Scope(self._scope.reads, None, None, around.variables)

    def _guard(self, path: str, guard: Expr | None, around: _Around, *, asks: bool = True) -> Truth3:
        """The node's own condition; an open one is a question where all around it is active, and the node's evidence hangs on it (`asks`)."""
        scope = self._here(around)
        value = holds(guard, scope)
        if value is True:
            return Truth3(True)
        if value is False or guard is None:
            return Truth3(False, false_atoms(guard, scope))
        key = guard_key(_identity(path, around.indices), guard, around.indices)
        assumed = self._answer(key)
        text = source_text(self._contract, guard.span)
        if isinstance(assumed, bool):
            return Truth3(assumed, () if assumed else (Reason(text, on=_names(value)),))
        if asks and around.would.value is True:
            shown = f"{text} for {_identity(path, around.indices)}" if around.indices else text
            self.questions.append(Question(key, ((True, f"{shown} holds"), (False, f"{shown} does not hold")), value))
        return Truth3(value, unknown_atoms(guard, scope))

    def _for_each(self, node: ForEach, around: _Around) -> None:
        scope = self._here(around)
        xs = evaluate(node.list, scope)
        text = source_text(self._contract, node.list.span)
        if isinstance(xs, Unknown):
            own = Truth3(xs, (Reason(text, on=_names(xs)),))
            if around.would.value is True:
                self.lists.append(xs)
        elif isinstance(xs, Undefined):
            own = Truth3(False, (Reason(f"{text} is absent", sentence=True),))
        elif not xs:
            own = Truth3(False, (Reason(f"no element in {text}", sentence=True),))
        else:
            own = Truth3(True)
        made = self._add(node, around, own)
        if own.value is not True:
            return
        for place, element in enumerate(cast(tuple[Value, ...], xs)):
            variables = {**around.variables, node.variable: element}
            inner = replace(self._inside(around, made), indices=(*around.indices, place), variables=variables)
            guard = self._guard(node.path, node.guard, inner)
            act, would = inner.both(guard)
            why = guard.reasons if guard.value is False and made.act.value is not False else ()
            self.body(node.body, replace(inner, act=act, would=would, why=why))

    def _decide(self, node: Decide, around: _Around) -> None:
        guard = self._guard(node.path, node.guard, around)
        identity = _identity(node.path, around.indices)
        here = self._here(around)
        act, would = around.both(guard)
        truths = [self._condition(b, here, around) for b in node.branches]
        if act.value is True:
            self._exclusive(node, identity, truths)
        key = ("branch", identity)
        assumed = self._assumed.get(key)
        places = _possible(truths, partial=node.partial)
        possible = [node.branches[i].name if i >= 0 else "" for i in places]
        if isinstance(assumed, str):
            possible = [assumed]
            for branch in node.branches:
                if branch.guard is not None:
                    self._implied[self._key(branch, branch.guard, around)] = branch.name == assumed
        open_ = merge_unknown(t for t in truths if isinstance(t, Unknown))
        if len(possible) > 1 and would.value is True:
            answers: tuple[tuple[Answer, str], ...] = tuple(
                (b, f"{identity} takes {b or 'no branch'}") for b in possible
            )
            self.questions.append(Question(key, answers, open_))
        taken = possible[0] if len(possible) == 1 else None
        made = self._add(node, around, guard, taken)
        for branch, truth in zip(node.branches, truths, strict=True):
            self._branch(branch, truth, made, around, possible, open_)

    def _condition(self, branch: Branch, here: Scope, around: _Around) -> bool | Unknown | None:
        """The guard of a branch, as assumed where it is open; None for `otherwise`."""
        if branch.guard is None:
            return None
        value = holds(branch.guard, here)
        answer = self._answer(self._key(branch, branch.guard, around)) if isinstance(value, Unknown) else value
        return answer if isinstance(answer, bool) else value

    @staticmethod
    def _key(branch: Branch, guard: Expr, around: _Around) -> Hashable:
        return guard_key(_identity(branch.path, around.indices), guard, around.indices)

    def _answer(self, key: Hashable) -> Answer | None:
        """What is assumed of an open condition, or follows from the branch that is assumed to be taken: its guard holds, no other does."""
        return self._assumed.get(key, self._implied.get(key))

    def _exclusive(self, node: Decide, identity: str, truths: list[bool | Unknown | None]) -> None:
        true = [b.name for b, t in zip(node.branches, truths, strict=True) if t is True]
        if len(true) > 1:
            refuse(
                "Q120",
                f"decision {identity}: branches {true[0]} and {true[1]} both hold for this query",
                source=self._contract.source,
                span=node.span,
                help="`contract check` proves that no query takes two branches, or shows the smallest that does",
            )
        if not node.partial and all(t is False for t in truths):
            refuse(
                "Q121",
                f"decision {identity}: no branch holds for this query",
                source=self._contract.source,
                span=node.span,
                help="`contract check` proves that no query falls through, or shows the smallest that does",
            )

    def _branch(
        self,
        branch: Branch,
        truth: bool | Unknown | None,
        made: Instance,
        around: _Around,
        possible: list[str],
        open_: Unknown,
    ) -> None:
        here = self._here(around)
        inside = self._inside(around, made)
        sure = len(possible) == 1
        if branch.name not in possible:
            if truth is False:
                reasons = false_atoms(branch.guard, here)
            else:
                held = possible[0] if sure and possible[0] else "another branch"
                reasons = (Reason(f"branch {held} holds" if sure and possible[0] else f"{held} holds", sentence=True),)
            own = Truth3(False, reasons)
        elif sure:
            own = Truth3(True)
        elif branch.guard is None:
            own = Truth3(open_, (Reason("otherwise", on=_names(open_)),))
        else:
            own = Truth3(open_, unknown_atoms(branch.guard, here) or (Reason(branch.name, on=_names(open_)),))
        added = self._add(branch, inside, own)
        pair = (made.id, branch.name)
        alternative = around.alternative
        would = added.would
        if own.value is False and alternative is None:
            alternative, would = pair, made.would
        branches = (*around.branches, pair)
        self.body(
            branch.body,
            replace(self._inside(around, added), branches=branches, alternative=alternative, would=would),
        )


def guard_key(identity: str, guard: Expr, indices: tuple[int, ...]) -> Hashable:
    """The key of an open guard: equal guards outside of any `for each` stand or fall together."""
    return ("guard", identity, guard) if indices else ("guard", guard)


def _identity(path: str, indices: tuple[int, ...]) -> str:
    return path + "".join(f"[{i}]" for i in indices)


def _names(value: Unknown) -> tuple[str, ...]:
    return tuple(dict.fromkeys(h.name for h in value.hinges))


def _both(parent: Truth3, own: Truth3, why: tuple[Reason, ...]) -> Truth3:
    """`parent and own`, with the reasons of whichever settles it; `why`: the reasons where the parent does."""
    if parent.value is False:
        return Truth3(False, why)
    if parent.value is True or own.value is False:
        return own
    if isinstance(own.value, Unknown) and isinstance(parent.value, Unknown):
        return Truth3(merge_unknown((parent.value, own.value)), (*parent.reasons, *own.reasons))
    return parent


def _possible(truths: list[bool | Unknown | None], *, partial: bool) -> list[int]:
    """The places of the branches that can hold, exactly one of which does; -1 for none. Branches are exclusive, so a true one settles it.

    Where none can hold (only in a branch that is not taken itself), none does."""
    for place, truth in enumerate(truths):
        if truth is True:
            return [place]
    found = [i for i, t in enumerate(truths) if t is None or isinstance(t, Unknown)]
    if not found or (partial and None not in truths):
        found.append(-1)
    return found
