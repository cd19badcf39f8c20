"""The expected graph as a drawing for Graphviz.

In: a contract's name and its expected graph. Out: a directed graph in the DOT language. Solid arrows are order edges, dashed ones lead from a
block to what stands in it; inactive elements are grey, undecided ones dotted.
"""

from servanda.cli.visible import visible
from servanda.contracts.expected import Element, ExpectedGraph, Reason, Status

_SHAPES = {
    "require": "box",
    "optional": "box",
    "forbid": "octagon",
    "step": "folder",
    "for each": "folder",
    "decide": "diamond",
    "branch": "ellipse",
    "any of": "diamond",
    "option": "ellipse",
    "rule": "note",
    "output": "note",
}
_STYLES: dict[Status, str] = {
    "active": "",
    "inactive": ', color="gray60", fontcolor="gray60"',
    "undecided": ', style="dotted"',
}


def expected_dot(name: str, graph: ExpectedGraph) -> str:
    """The text of the drawing."""
    lines = [f"digraph {_quoted(name)} {{", "  rankdir=LR;", '  node [fontname="sans-serif"];']
    lines += [_node(element) for element in graph.elements]
    for element in graph.elements:
        if element.parent:
            lines.append(f"  {_quoted(element.parent)} -> {_quoted(element.id)} [style=dashed, arrowhead=none];")
    for edge in graph.edges:
        label = f"label={_quoted(edge.within)}" if edge.within else 'label=""'
        lines.append(f"  {_quoted(edge.earlier)} -> {_quoted(edge.later)} [{label}{_STYLES[edge.status]}];")
    return "\n".join([*lines, "}"]) + "\n"


def _node(element: Element) -> str:
    words = [f"{element.kind} {element.id}"]
    if element.title:
        words.append(element.title)
    if element.status != "active":
        words.append(element.status)
        words += [_said(reason) for reason in element.reasons]
    label = _quoted("\n".join(words))
    return f"  {_quoted(element.id)} [label={label}, shape={_SHAPES[element.kind]}{_STYLES[element.status]}];"


def _said(reason: Reason) -> str:
    values = ", ".join(f"{name} is {value}" for name, value in reason.values)
    return f"{reason.text} ({values})" if values else reason.text


def _quoted(text: str) -> str:
    """A DOT string: a backslash and a quote are escaped, a line end is a line of the label."""
    lines = text.split("\n")
    return '"' + "\\n".join(visible(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines) + '"'
