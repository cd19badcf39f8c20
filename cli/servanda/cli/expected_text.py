"""The expected graph for a person: what applies to a query and in which order, what does not and why, and what is not known.

In: an expected graph and a screen. Out: lines, in the order of the contract.
"""

from collections.abc import Iterator

from rich.text import Text

from servanda.cli.screen import Screen
from servanda.cli.visible import visible
from servanda.contracts.expected import Element, ExpectedEdge, ExpectedGraph, Reason
from servanda.contracts.model import Contract

_COUNTED = ("require", "optional", "forbid", "rule", "output")


def expected_text(contract: Contract, graph: ExpectedGraph, screen: Screen) -> Iterator[Text]:
    """Three parts: active, inactive, undecided; a part without elements is left out."""
    every = sum(e.kind in _COUNTED for e in graph.elements) + len(graph.edges)
    head = Text(f"{visible(contract.name)} version {contract.version}: ", "bold")
    yield from screen.paragraph(
        head.append(f"{graph.denominator} of {every} duties, rules and order edges apply to this query", "default"),
        hang=2,
    )
    yield from _active(graph, screen)
    yield from _others(graph, "inactive", screen)
    yield from _others(graph, "undecided", screen)


def _active(graph: ExpectedGraph, screen: Screen) -> Iterator[Text]:
    active = [e for e in graph.elements if e.status == "active"]
    if not active:
        return
    yield Text()
    yield Text("active", "bold green")
    depth = _depths(graph)
    shown = {e.id for e in active}
    for element in active:
        indent = 2 + 2 * depth[element.id]
        line = _named(element, element.parent if element.parent in shown else "")
        after = [_after(edge) for edge in graph.edges if edge.later == element.id and edge.status == "active"]
        if after:
            line.append(f"  after {', '.join(after)}", "cyan")
        yield from screen.paragraph(line, indent=indent, hang=indent + 4)


def _after(edge: ExpectedEdge) -> str:
    return visible(f"{edge.earlier} {edge.within}".rstrip())


def _depths(graph: ExpectedGraph) -> dict[str, int]:
    """How deep each element stands."""
    found: dict[str, int] = {}
    for element in graph.elements:
        found[element.id] = found[element.parent] + 1 if element.parent in found else 0
    return found


def _others(graph: ExpectedGraph, status: str, screen: Screen) -> Iterator[Text]:
    """Elements and edges of one status; what stands in a block of that status for no reason of its own is named below the block."""
    same = {e.id: e for e in graph.elements if e.status == status}
    below: dict[str, list[str]] = {}
    elements: list[Element] = []
    for element in same.values():
        if element.parent in same and not _own(element, same[element.parent]):
            below.setdefault(element.parent, []).append(element.id.removeprefix(f"{element.parent}."))
        else:
            elements.append(element)
    edges = [edge for edge in graph.edges if edge.status == status and not {edge.earlier, edge.later} & same.keys()]
    if not elements and not edges:
        return
    yield Text()
    yield Text(status, "bold yellow" if status == "undecided" else "bold")
    for element in elements:
        yield from screen.paragraph(_named(element, ""), indent=2, hang=6)
        for reason in element.reasons:
            yield from screen.paragraph(_because(reason, status), indent=6, hang=8)
        names = list(_beneath(element.id, below))
        if names:
            yield from screen.paragraph(Text(f"and with it {visible(', '.join(names))}", "dim"), indent=6, hang=8)
    for edge in edges:
        yield from screen.paragraph(Text(visible(f"order {edge.earlier} before {edge.later}")), indent=2, hang=6)
        for reason in edge.reasons:
            yield from screen.paragraph(_because(reason, status), indent=6, hang=8)


def _own(element: Element, parent: Element) -> bool:
    """Whether an element has a reason besides its block's."""
    return any(not reason.sentence and reason not in parent.reasons for reason in element.reasons)


def _beneath(block: str, below: dict[str, list[str]]) -> Iterator[str]:
    for name in below.get(block, ()):
        yield name
        for inner in _beneath(f"{block}.{name}", below):
            yield f"{name}.{inner}"


def _because(reason: Reason, status: str) -> Text:
    said = Text(visible(reason.text))
    if reason.sentence:
        return said
    if status == "inactive":
        said.append(" is false")
    elif reason.on:
        said.append(f" hangs on {', '.join(visible(name) for name in reason.on)}")
    if reason.values:
        said.append(": " + ", ".join(visible(f"{name} is {value}") for name, value in reason.values), "dim")
    return said


def _named(element: Element, inside: str) -> Text:
    """`require pay "Refund at most the total"`; by its full path unless it is shown below its block."""
    name = element.id.removeprefix(f"{inside}.") if inside else element.id
    line = Text(f"{element.kind} ", "dim").append(visible(name), "bold")
    if element.title:
        line.append(f'  "{visible(element.title)}"', "default")
    if element.severity != "normal":
        line.append(f"  {element.severity} severity", "default")
    return line
