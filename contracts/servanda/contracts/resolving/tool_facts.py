"""The tools of a contract: from files and declarations, with their results, effect classes and other classes.

In: `use tools`, `tool`, `result` and `class` items; the folder the files are named from. Out: tools and classes by name. What counts as
success is added later, since it is an expression. Language reference §2.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from servanda.contracts.model import Effect, Tool
from servanda.contracts.resolving.declared_types import DeclaredTypes
from servanda.contracts.resolving.faults import Faults
from servanda.contracts.toolfiles.files import FileFault, read_text
from servanda.contracts.toolfiles.schema_types import schema_of_fields
from servanda.contracts.toolfiles.tools import read_tools
from servanda.contracts.types import RecordType, Type
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Note, nearest
from servanda.grammar.span import Span

EFFECTS: tuple[Effect, ...] = ("reads", "writes", "neutral")


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """Tools by name, classes by name (the effect classes and `writes` with every tool that counts as writing included).

    `whole` is False where a tools file could not be read: then an unknown tool is no news."""

    tools: Mapping[str, Tool]
    classes: Mapping[str, tuple[str, ...]]
    whole: bool


def key(name: s.Name | s.Text) -> str:
    """A tool's name as text."""
    return name.text if isinstance(name, s.Name) else name.value


def resolve_tools(items: Iterable[s.Item], types: DeclaredTypes, base: Path, faults: Faults) -> ToolFacts:
    """All tools and classes; every fault in them is recorded."""
    listed = tuple(items)
    tools: dict[str, Tool] = {}
    whole = True
    files: dict[str, Span] = {}
    for item in listed:
        if not isinstance(item, s.UseTools):
            continue
        if item.file.value in files:
            _twice(faults, item.file.span, f"the tools file {item.file.value}", files[item.file.value])
            continue
        files[item.file.value] = item.file.span
        whole = _add_file(item, base, tools, faults) and whole
    for item in listed:
        if isinstance(item, s.ToolDecl):
            _add_declared(item, types, tools, faults)
    _add_results(listed, types, tools, whole, faults)
    classes = _classes(listed, tools, whole, faults)
    return ToolFacts(tools, classes, whole)


def _add_file(item: s.UseTools, base: Path, tools: dict[str, Tool], faults: Faults) -> bool:
    shown = item.file.value
    found = read_text(base / shown, shown)
    if isinstance(found, FileFault):
        faults.error(found.code, item.file.span, f"the tools file {found.message}")
        return False
    listing = read_tools(found.text, shown)
    for fault in listing.faults:
        faults.error(fault.code, item.file.span, fault.message)
    for tool in listing.tools:
        if tool.name in tools:
            faults.error("F113", item.file.span, f"{shown}: the tool '{tool.name}' stands in another tools file too")
            continue
        classes = (tool.effect,) if tool.effect else ()
        tools[tool.name] = Tool(
            tool.name,
            tool.arguments,
            tool.schema,
            tool.result,
            tool.effect or "writes",
            tool.effect is not None,
            classes,
            None,
            item.file.span,
        )
    return not listing.faults


def _add_declared(item: s.ToolDecl, types: DeclaredTypes, tools: dict[str, Tool], faults: Faults) -> None:
    name = key(item.name)
    arguments = RecordType("", types.fields(item.arguments, f"the tool '{name}'"))
    result = None if item.result is None else types.type_of(item.result)
    if name in tools:
        _twice(faults, item.name.span, f"the tool '{name}'", tools[name].span)
        return
    effect = cast(Effect | None, item.effect.text if item.effect else None)
    classes = (effect,) if effect else ()
    schema = schema_of_fields(arguments.fields)
    tools[name] = Tool(
        name, arguments, schema, result, effect or "writes", effect is not None, classes, None, item.name.span
    )


def _add_results(
    items: tuple[s.Item, ...], types: DeclaredTypes, tools: dict[str, Tool], whole: bool, faults: Faults
) -> None:
    typed: dict[str, Span] = {
        key(i.name): i.name.span
        for i in items
        if isinstance(i, s.ToolDecl) and i.result is not None and tools[key(i.name)].span == i.name.span
    }
    for item in items:
        if not isinstance(item, s.ResultDecl):
            continue
        kind: Type = types.type_of(item.type)
        for written in item.tools:
            name = key(written)
            if name not in tools:
                unknown_tool(written, tools, whole, faults)
            elif name in typed:
                _twice(faults, written.span, f"the result of '{name}'", typed[name])
            else:
                typed[name] = written.span
                tools[name] = replace(tools[name], result=kind)


def unknown_tool(written: s.Name | s.Text, tools: Mapping[str, Tool], whole: bool, faults: Faults) -> None:
    """Record that a tool is not declared, unless its file could not be read."""
    if whole:
        faults.error("C117", written.span, f"no tool is called '{key(written)}'", help=nearest(key(written), tools))


def _classes(
    items: tuple[s.Item, ...], tools: dict[str, Tool], whole: bool, faults: Faults
) -> Mapping[str, tuple[str, ...]]:
    """The classes; the tools learn theirs. A `class` item overrides the effect that a hint in a file gives."""
    declared = {key(i.name): i.effect for i in items if isinstance(i, s.ToolDecl) and i.effect is not None}
    effects: dict[str, tuple[str, Span]] = {t: (e.text, e.span) for t, e in declared.items()}
    named: dict[str, tuple[str, ...]] = {}
    places: dict[str, Span] = {}
    for item in items:
        if not isinstance(item, s.ClassDecl):
            continue
        cls = item.name.text
        if cls == "tools":
            faults.error("C112", item.name.span, "'tools' is the class of every tool; another class needs another name")
            continue
        if cls in named:
            _twice(faults, item.name.span, f"the class '{cls}'", places[cls])
            continue
        places[cls] = item.name.span
        named[cls] = _listed(item, tools, whole, faults)
        for written in item.tools if cls in EFFECTS else ():
            tool = key(written)
            if tool in effects and effects[tool][0] != cls:
                faults.error(
                    "C143",
                    written.span,
                    f"the tool '{tool}' is in two effect classes, {effects[tool][0]} and {cls}",
                    notes=(Note(f"it is put into {effects[tool][0]} here", effects[tool][1]),),
                )
            elif tool in effects and tool in declared:
                _twice(faults, written.span, f"the effect of '{tool}'", effects[tool][1])
            else:
                effects.setdefault(tool, (cls, written.span))
    for name, found in list(tools.items()):
        effect = cast(Effect, effects[name][0]) if name in effects else found.effect if found.classified else None
        also = [c for c, members in named.items() if name in members and c not in EFFECTS]
        classes = tuple(sorted([*also, *([effect] if effect else [])]))
        tools[name] = replace(found, effect=effect or "writes", classified=effect is not None, classes=classes)
    whole_classes = {c: tuple(sorted(m)) for c, m in named.items()}
    for effect in EFFECTS:
        whole_classes[effect] = tuple(sorted(t.name for t in tools.values() if t.effect == effect))
    return dict(sorted(whole_classes.items()))


def _listed(item: s.ClassDecl, tools: Mapping[str, Tool], whole: bool, faults: Faults) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for written in item.tools:
        name = key(written)
        if name not in tools:
            unknown_tool(written, tools, whole, faults)
        elif name in found:
            faults.error("C111", written.span, f"the tool '{name}' stands twice in the class '{item.name.text}'")
        else:
            found[name] = None
    return tuple(found)


def _twice(faults: Faults, span: Span, what: str, first: Span) -> None:
    faults.error("C111", span, f"{what} is declared twice", notes=(Note("it is declared here first", first),))
