"""The smallest query that meets a goal: the fewest attributes, each as plain as can be.

In: a goal that can be met. Out: a witness in JSON and words, or why there is none. First every constant the goal depends on is fixed, in the
order of names, at its plainest possible value (false, absent, empty, the first member, zero, the low end, else the nearest value to that, which lies
at a constant of some guard). Then each that the goal does not need is let go, one after the other: what is left entails the goal whatever the
other attributes are, and none of it can be spared. Trusts the solver; the caller replays the witness.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from servanda.contracts.types import BoolType, DateType, EnumType, NumberType, StringType, TimeType
from servanda.solver.decoder import Decoder, Valuation, plain
from servanda.solver.formula import Formula
from servanda.solver.inquiry import Inquiry
from servanda.solver.session import POLISH, Answer, Sat, Session, Unknown, Unsat
from servanda.solver.vocabulary import Leaf, Probe, spell

RESTARTS = 20
"""How often the fixing starts again because a string turned out not to exist."""


@dataclass(frozen=True, slots=True)
class Witness:
    """An example. `query`: a whole query as JSON. `text`: what matters of it in contract words. `free`: the attributes that may have any
    value."""

    query: Mapping[str, Any]
    text: str
    free: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A witness with the valuation it was read from."""

    witness: Witness
    valuation: Valuation


def smallest(inquiry: Inquiry, goal: Formula) -> Example | Unsat | Unknown:
    """A smallest witness of the goal."""
    for _ in range(RESTARTS):
        answer = inquiry.ask(goal)
        if not isinstance(answer, Sat):
            return answer
        fixed = _fix(inquiry, goal, answer)
        if isinstance(fixed, Unknown):
            return fixed
        if fixed is not None:
            leaves, valuation = fixed
            return Example(_tell(inquiry, goal, leaves, valuation), valuation)
    return Unknown("too many combinations of regular expressions")


# ---- fixing ----------------------------------------------------------------------------------------------------------


def _fix(inquiry: Inquiry, goal: Formula, model: Sat) -> tuple[list[Leaf], Valuation] | Unknown | None:
    """Every leaf of the goal's cone fixed; None if the strings this asks for do not exist, which the inquiry has then learnt."""
    session = inquiry.session
    cone = inquiry.cone(goal)
    values: dict[str, bool | int] = {}
    kept: list[Leaf] = []
    with session.scope(POLISH):
        session.add(goal)
        for leaf in _ordered(inquiry, cone):
            if _beyond(leaf, values, model):
                continue
            values[leaf.name], model = _plainest(session, leaf, model)
            session.add(leaf.term == values[leaf.name])
            kept.append(leaf)
        answer = session.ask()
        if not isinstance(answer, Sat):
            return answer if isinstance(answer, Unknown) else Unknown("a model was lost")
        texts = inquiry.texts(answer, cone)
        if texts is None or isinstance(texts, Unknown):
            return texts
    return kept, Valuation(values, _probe_values(inquiry, answer), texts.by_code)


def _ordered(inquiry: Inquiry, cone: frozenset[str]) -> list[Leaf]:
    """The leaves of the cone: indices first, then by name, a presence or length before what hangs on it."""
    rank = {"index": 0, "presence": 1, "length": 2, "value": 3, "member": 3}

    def key(leaf: Leaf) -> tuple[bool, list[tuple[int, int, str]], int, int]:
        parts = [(0, p, "") if isinstance(p, int) else (1, 0, str(p)) for p in leaf.path]
        return leaf.role != "index", parts or [(1, 0, leaf.name)], rank[leaf.role], leaf.member

    return sorted((leaf for name, leaf in inquiry.vocabulary.leaves.items() if name in cone), key=key)


def _beyond(leaf: Leaf, values: Mapping[str, bool | int], model: Sat) -> bool:
    """Whether the leaf belongs to an element that the list does not have, or to something absent."""
    for i, part in enumerate(leaf.path):
        if i and values.get(spell(leaf.path[:i]) + "?") is False:
            return True
        if isinstance(part, str):
            continue
        length = values.get(spell(leaf.path[:i]) + "#")
        index = model.whole(part.term) if isinstance(part, Probe) else part
        if length is not None and not 0 <= index < length:
            return True
    return leaf.role != "presence" and values.get(spell(leaf.path) + "?") is False if leaf.path else False


def _plainest(session: Session, leaf: Leaf, model: Sat) -> tuple[bool | int, Sat]:
    """The plainest value the leaf can have, and a model with it; that of the model at hand where the solver cannot tell."""
    if leaf.role in ("presence", "member") or isinstance(leaf.type, BoolType):
        return _first(session, leaf, (False,), model) or (True, model)
    if leaf.role == "value" and isinstance(leaf.type, StringType):
        return _first(session, leaf, (-1, -2, -3), model) or _nearest(session, leaf, 0, model)
    if leaf.role == "value" and isinstance(leaf.type, NumberType | DateType | TimeType):
        return _nearest(session, leaf, plain(leaf.type), model)
    assert leaf.role in ("index", "length") or isinstance(leaf.type, EnumType)
    return _nearest(session, leaf, 0, model)


def _now(leaf: Leaf, model: Sat) -> bool | int:
    numeric = leaf.role in ("index", "length") or (leaf.role == "value" and not isinstance(leaf.type, BoolType))
    return model.whole(leaf.term) if numeric else model.truth(leaf.term)


def _first(
    session: Session, leaf: Leaf, candidates: tuple[bool | int, ...], model: Sat
) -> tuple[bool | int, Sat] | None:
    for value in candidates:
        if _now(leaf, model) == value:
            return value, model
        answer = session.ask(leaf.term == value)
        if isinstance(answer, Sat):
            return value, answer
    return None


def _nearest(session: Session, leaf: Leaf, anchor: int, model: Sat) -> tuple[int, Sat]:
    """The least value from the anchor upwards, else the greatest below it."""
    now = model.whole(leaf.term)
    if now == anchor:
        return anchor, model
    for upwards in (True, False):
        answer: Answer = (
            model if (now > anchor) is upwards else session.ask(leaf.term >= anchor if upwards else leaf.term < anchor)
        )
        if isinstance(answer, Sat):
            return _squeeze(session, leaf, anchor, answer, upwards)
    return now, model


def _squeeze(session: Session, leaf: Leaf, anchor: int, model: Sat, upwards: bool) -> tuple[int, Sat]:
    # `best` has a model; nothing beyond `limit`, seen from the anchor, is left to try.
    best, limit = model.whole(leaf.term), anchor
    while best != limit:
        middle = limit + (best - limit) // 2 if upwards else limit - (limit - best) // 2
        within = (leaf.term >= limit, leaf.term <= middle) if upwards else (leaf.term <= limit, leaf.term >= middle)
        answer = session.ask(*within)
        if isinstance(answer, Unknown):
            break
        if isinstance(answer, Sat):
            best, model = answer.whole(leaf.term), answer
        else:
            limit = middle + 1 if upwards else middle - 1
    return best, model


def _probe_values(inquiry: Inquiry, model: Sat) -> dict[tuple[str, str], int]:
    probes = inquiry.vocabulary.probes
    return {(spell(path), p.name): model.whole(p.term) for path, known in probes.items() for p in known}


# ---- letting go ------------------------------------------------------------------------------------------------------


def _tell(inquiry: Inquiry, goal: Formula, leaves: list[Leaf], valuation: Valuation) -> Witness:
    decoder = Decoder(inquiry.vocabulary, valuation)
    needed = _needed(inquiry, goal, leaves, valuation)
    phrases = dict.fromkeys(p for leaf in needed if (p := decoder.phrase(leaf)))
    named = {str(leaf.path[0]) for leaf in needed if leaf.path}
    free = tuple(sorted(a for a in inquiry.vocabulary.attributes if a not in named))
    return Witness(decoder.query(), ", ".join(phrases) or "any query", free)


def _needed(inquiry: Inquiry, goal: Formula, leaves: list[Leaf], valuation: Valuation) -> list[Leaf]:
    """A least subset of the fixed leaves that entails the goal; all of them where that cannot be shown."""
    vocabulary = inquiry.vocabulary
    session = Session(vocabulary.algebra)
    for fact in vocabulary.facts:
        session.add(fact.formula)
    session.add(vocabulary.algebra.neg(goal))
    holds = {leaf.name: _fixed(inquiry, leaf, valuation) for leaf in leaves}
    needed = list(leaves)
    if session.possible(*holds.values()) is not False:
        return needed
    attributes = list(dict.fromkeys(leaf.path[0] for leaf in leaves if leaf.path))
    groups = [[leaf for leaf in leaves if leaf.path and leaf.path[0] == a] for a in reversed(attributes)]
    with session.scope(POLISH):
        for group in [*groups, *([leaf] for leaf in reversed(leaves))]:
            rest = [leaf for leaf in needed if leaf not in group]
            if len(rest) < len(needed) and session.possible(*(holds[leaf.name] for leaf in rest)) is False:
                needed = rest
    return needed


def _fixed(inquiry: Inquiry, leaf: Leaf, valuation: Valuation) -> Formula:
    """That the leaf has its value; a string with its value, also that each search in it comes out as it did."""
    vocabulary, value = inquiry.vocabulary, valuation.leaves[leaf.name]
    parts: list[Formula] = [leaf.term == value]
    if isinstance(leaf.type, StringType) and leaf.role == "value" and value in valuation.texts:
        parts += vocabulary.outcomes(int(value), valuation.texts[int(value)])
    return vocabulary.algebra.conj(parts)
