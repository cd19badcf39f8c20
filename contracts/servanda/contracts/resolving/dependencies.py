"""What hangs on what among definitions, views, events and labels: an order in which they can be resolved, and the cycles.

In: their declarations. Out: the declarations, each after all it reads; those on a cycle are left out and reported with the cycle.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from servanda.contracts.resolving.faults import Faults
from servanda.contracts.resolving.syntax_walk import walk
from servanda.grammar import syntax as s
from servanda.grammar.span import Span

Declared = s.DefineDecl | s.ViewDecl | s.EventDecl | s.LabelDecl
Key = tuple[str, str]


def kind_of(item: Declared) -> str:
    """The word that declares it."""
    match item:
        case s.DefineDecl():
            return "define"
        case s.ViewDecl():
            return "view"
        case s.EventDecl():
            return "event"
        case s.LabelDecl():
            return "label"


def in_order(items: Iterable[Declared], faults: Faults) -> tuple[Declared, ...]:
    """The items that lie on no cycle, each after those it reads."""
    table = {(kind_of(i), i.name.text): i for i in items}
    reads = {key: tuple(_reads(item, table)) for key, item in table.items()}
    spans = {key: item.name.span for key, item in table.items()}
    order = acyclic(reads, spans, faults)
    return tuple(table[key] for key in order)


def acyclic(reads: Mapping[Key, tuple[Key, ...]], spans: Mapping[Key, Span], faults: Faults) -> tuple[Key, ...]:
    """The keys that lie on no cycle, each after those it reads; each cycle is reported once, at the member that stands first in the text."""
    done: dict[Key, bool] = {}
    order: list[Key] = []

    for start in sorted(reads, key=lambda k: spans[k].start):
        trail: list[tuple[Key, Iterator[Key]]] = [(start, iter(reads[start]))] if start not in done else []
        while trail:
            key, rest = trail[-1]
            following = next(rest, None)
            if following is None:
                trail.pop()
                done.setdefault(key, True)
                if done[key]:
                    order.append(key)
                continue
            names = [k for k, _ in trail]
            if following in names:
                cycle = names[names.index(following) :]
                if not any(done.get(k) is False for k in cycle):
                    words = " -> ".join(f"{name}" for _, name in [*cycle, cycle[0]])
                    first = min(cycle, key=lambda k: spans[k].start)
                    faults.error("C134", spans[first], f"'{first[1]}' hangs on itself: {words}")
                for member in cycle:
                    done[member] = False
            elif following not in done:
                trail.append((following, iter(reads[following])))
    return tuple(order)


def _reads(item: Declared, table: Mapping[Key, Declared]) -> Iterator[Key]:
    match item:
        case s.DefineDecl(body=read) | s.ViewDecl(of=read) | s.EventDecl(pattern=read) | s.LabelDecl(pattern=read):
            own = () if isinstance(item, s.LabelDecl) else tuple(p.text for p in item.parameters)
            named = (key for node in walk(read) for key in _named(node))
            return iter(
                dict.fromkeys(key for key in named if key in table and (key[1] not in own or key[0] == "event"))
            )


def _named(node: Any) -> tuple[Key, ...]:
    match node:
        case s.Var(name):
            return ("define", name), ("view", name), ("label", name)
        case s.Attr(s.Var(base), name) if base not in ("args", "result", "output"):
            return (("label", name.text),)
        case s.Apply():
            return ("define", node.name.text), ("view", node.name.text)
        case s.EventHead():
            return (("event", node.name.text),)
        case _:
            return ()
