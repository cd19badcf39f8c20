"""The fewest conditions that cannot hold together.

In: the conditions of a place that is never active. Out: a least subset of them and of the declared attribute types that is already
contradictory: with any one member left out it is not (or the solver cannot tell). Ranges are spared first and outer conditions before inner ones, so that the core lies
as near to the place as it can. Trusts the solver; no member rests on a caveat, since what is free can only be spared.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from servanda.contracts.model import QueryAttribute
from servanda.contracts.types import DateType, type_name
from servanda.grammar.span import Span
from servanda.solver.activation_encoding import Condition
from servanda.solver.formula import Formula, constants
from servanda.solver.session import POLISH, Session
from servanda.solver.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Member:
    """One condition of a core: `text` in contract words, `origin` whose it is, empty for a declaration."""

    text: str
    origin: str
    span: Span


def minimal_core(vocabulary: Vocabulary, conditions: Sequence[Condition]) -> tuple[Member, ...] | None:
    """The members of a minimal core, declarations last; None where the solver cannot show the contradiction again."""
    algebra = vocabulary.algebra
    session = Session(algebra)
    cone = frozenset[str]().union(*(constants(c.formula) for c in conditions))
    ranges: dict[str, list[Formula]] = {}
    for fact in vocabulary.facts:
        if not fact.attribute:
            session.add(fact.formula)
        elif fact.names & cone:
            ranges.setdefault(fact.attribute, []).append(fact.formula)
    held: dict[tuple[str, int], Formula] = {}
    for name in sorted(ranges):
        held[name, -1] = algebra.conj(ranges[name])
    for i, condition in enumerate(conditions):
        if condition.formula is not True:
            held["", i] = condition.formula
    if session.possible(*held.values()) is not False:
        return None
    with session.scope(POLISH):
        for key in list(held):
            rest = [formula for k, formula in held.items() if k != key]
            if session.possible(*rest) is False:
                del held[key]
    found = [_member(conditions[i]) for name, i in held if not name]
    for name, _ in (k for k in held if k[0]):
        declared = vocabulary.attributes[name]
        found.append(Member(_declaration(declared), "", declared.span))
    return tuple(found)


def _declaration(attribute: QueryAttribute) -> str:
    """The attribute as it is declared."""
    kind = type_name(attribute.type)
    if isinstance(attribute.type, DateType) and (attribute.type.low or attribute.type.high):
        kind += f" in {attribute.type.low} .. {attribute.type.high}"
    return f"{attribute.name}: {kind}{' optional' if attribute.optional else ''}"


def _member(condition: Condition) -> Member:
    return Member(condition.text, condition.origin, condition.span)
