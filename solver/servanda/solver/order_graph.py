"""The order edges of a contract between instances of its leaves.

In: the orders and places of a contract. Out: strongly connected parts of the path-level graph, and for one part the instances and edges that are
enough to find any cycle in it. A cycle needs no more elements of a block than the part has leaves in it: two steps that leave the same leaf for
another element could be cut short.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from servanda.contracts.model import Contract, Duty, ForEach, Order
from servanda.contracts.types import ListType
from servanda.solver.activation_encoding import Copies, Place

INSTANCES = 64
"""How many instances one part may have before only one element of each block is looked at."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A leaf for one choice of elements."""

    place: Place
    copies: Copies

    @property
    def name(self) -> str:
        """Unique within the contract."""
        return self.place.path + "".join(f"@{c}" for c in self.copies)


@dataclass(frozen=True, slots=True)
class Edge:
    """`order` between two instances."""

    order: Order
    earlier: Instance
    later: Instance


@dataclass(frozen=True, slots=True)
class Part:
    """A strongly connected part. `whole` is False where not enough elements are looked at to exclude a cycle."""

    instances: tuple[Instance, ...]
    edges: tuple[Edge, ...]
    whole: bool


def parts(contract: Contract, by_path: Mapping[str, Place]) -> tuple[Part, ...]:
    """The parts in which a cycle is possible, sorted by their first leaf."""
    orders = [o for o in contract.orders if _binds(by_path, o)]
    found = []
    for component in _components(orders):
        inside = [o for o in orders if o.earlier in component and o.later in component]
        if inside:
            found.append(_part([by_path[p] for p in component], inside))
    return tuple(found)


def _binds(by_path: Mapping[str, Place], order: Order) -> bool:
    ends = (by_path[order.earlier].node, by_path[order.later].node)
    return all(isinstance(e, Duty) and e.kind != "forbid" for e in ends)


def _part(leaves: list[Place], orders: list[Order]) -> Part:
    counts: dict[int, int] = {}
    for leaf in leaves:
        for loop in leaf.loops:
            counts[loop.index] = counts.get(loop.index, 0) + 1
    size = {loop.index: min(_most(loop), counts[loop.index]) for leaf in leaves for loop in leaf.loops}
    whole = True
    while sum(1 for leaf in leaves for _ in _copies(leaf, size)) > INSTANCES:
        whole = False
        largest = max(sorted(size), key=lambda i: size[i])
        if size[largest] == 1:
            break
        size[largest] -= 1
    instances = tuple(Instance(leaf, copies) for leaf in leaves for copies in _copies(leaf, size))
    of: dict[str, list[Instance]] = {}
    for instance in instances:
        of.setdefault(instance.place.path, []).append(instance)
    edges = tuple(
        Edge(order, a, b)
        for order in orders
        for a, b in product(of[order.earlier], of[order.later])
        if a.copies[: order.depth] == b.copies[: order.depth]
    )
    return Part(instances, edges, whole)


def _copies(leaf: Place, size: Mapping[int, int]) -> Iterator[Copies]:
    return product(*(range(size[loop.index]) for loop in leaf.loops))


def _most(loop: Place) -> int:
    assert isinstance(loop.node, ForEach)
    kind = loop.node.list.type
    return kind.max if isinstance(kind, ListType) else 1


def _components(orders: Sequence[Order]) -> list[list[str]]:
    """Strongly connected components of the paths (Tarjan), each sorted, sorted by their first path."""
    after: dict[str, list[str]] = {}
    for order in orders:
        after.setdefault(order.earlier, []).append(order.later)
        after.setdefault(order.later, [])
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on: set[str] = set()
    found: list[list[str]] = []
    for root in sorted(after):
        if root in number:
            continue
        work = [(root, iter(sorted(set(after[root]))))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in number:
                    number[target] = low[target] = len(number)
                    stack.append(target)
                    on.add(target)
                    work.append((target, iter(sorted(set(after[target])))))
                    break
                if target in on:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    cut = stack.index(node)
                    found.append(sorted(stack[cut:]))
                    on.difference_update(stack[cut:])
                    del stack[cut:]
    return sorted(found)
