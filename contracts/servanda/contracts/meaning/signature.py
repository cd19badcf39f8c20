"""When two patterns are the same: the canonical text of a pattern together with the values it stands for.

In: patterns and the loop variables around them. Out: texts that are equal iff the patterns are (language reference §8: evidence patterns of two
duties, and of a duty and a rule). Pure.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any

from servanda.contracts.expression import Variable
from servanda.contracts.meaning.evaluate import key_of
from servanda.contracts.meaning.matching import alternatives
from servanda.contracts.meaning.values import Value
from servanda.contracts.model import Contract, Duty, Pattern

Keys = frozenset[str]
"""The texts of patterns any of which will do."""


def pattern_keys(contract: Contract, pattern: Pattern, variables: Mapping[str, Value]) -> Keys:
    """The texts of a pattern's alternatives."""
    return frozenset(_key(p, variables) for p in alternatives(contract, pattern))


def duty_keys(contract: Contract, duty: Duty, variables: Mapping[str, Value]) -> Keys:
    """The texts of all the evidence patterns of a duty."""
    return frozenset(k for p in duty.by for k in pattern_keys(contract, p, variables))


def signature(keys: Keys) -> str:
    """A short text for a set of patterns."""
    return hashlib.sha256("\n".join(sorted(keys)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _key(pattern: Pattern, variables: Mapping[str, Value]) -> str:
    text, names = _canonical(_Itself(pattern))
    values = [(n, key_of(variables[n])) for n in names if n in variables]
    return f"{text} {values!r}" if values else text


class _Itself:
    """A pattern by its identity, which it keeps while this is alive: comparing it whole costs more than what is remembered of it."""

    __slots__ = ("pattern",)

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern

    def __hash__(self) -> int:
        return id(self.pattern)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other.pattern is self.pattern


@lru_cache(maxsize=4096)
def _canonical(itself: _Itself) -> tuple[str, tuple[str, ...]]:
    """The pattern without its places in the source, and the variables it reads. No name hides another, so a bound one is no loop variable."""
    return repr(itself.pattern), tuple(sorted(set(_variables(itself.pattern))))


def _variables(node: Any) -> Iterator[str]:
    match node:
        case Variable(name):
            yield name
        case tuple():
            for part in node:
                yield from _variables(part)
        case _ if is_dataclass(node):
            for slot in fields(node):
                if slot.compare and slot.name != "type":
                    yield from _variables(getattr(node, slot.name))
