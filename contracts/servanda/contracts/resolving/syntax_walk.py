"""Walking a syntax tree, whatever its nodes are.

In: a node. Out: the nodes below it, in the order written. Places take no part.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from servanda.grammar.span import Span


@cache
def _slots(kind: type) -> tuple[str, ...]:
    """The fields of a class of nodes that can hold other nodes; none for what is no node."""
    if not is_dataclass(kind) or kind is Span:
        return ()
    return tuple(f.name for f in fields(kind) if f.compare)


def children(node: Any) -> list[Any]:
    """The nodes directly below."""
    found: list[Any] = []
    for slot in _slots(node.__class__):
        _gather(getattr(node, slot), found)
    return found


def _gather(value: Any, found: list[Any]) -> None:
    if type(value) is tuple:
        for part in value:
            _gather(part, found)
    elif _slots(value.__class__):
        found.append(value)


def walk(*nodes: Any) -> Iterator[Any]:
    """Each of the nodes and all below it, parents first."""
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        yield node
        below = children(node)
        below.reverse()
        waiting.extend(below)
