"""Tools files: OpenAI functions, MCP `tools/list`, OpenAPI 3.

In: the text of a tools file. Out: its tools, with the JSON Schema of the arguments kept whole, a typed view of it, the result type and the
effect class where the file tells them; or faults, as codes and sentences. Nothing is fetched from anywhere.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from servanda.contracts.model import Effect
from servanda.contracts.readers.json_fault import NotJson
from servanda.contracts.readers.strict_json import loads
from servanda.contracts.toolfiles.files import FileFault
from servanda.contracts.toolfiles.openapi import is_openapi, operations
from servanda.contracts.toolfiles.schema_types import type_of_schema, typed_view
from servanda.contracts.types import RecordType, Type, UntypedType

EMPTY_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {}}

FORMS = "a list of OpenAI functions (or an object with `tools`), the result of MCP `tools/list`, or an OpenAPI 3 document in JSON"


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as its file gives it. `effect` and `result` are None where the file is silent."""

    name: str
    schema: Mapping[str, Any]
    arguments: RecordType
    result: Type | None
    effect: Effect | None


@dataclass(frozen=True, slots=True)
class Listing:
    """What a tools file holds, and what is wrong with it."""

    tools: tuple[ListedTool, ...]
    faults: tuple[FileFault, ...]


def read_tools(text: str, shown: str) -> Listing:
    """The tools of the file called `shown` in messages."""
    try:
        document = loads(text)
    except NotJson as error:
        return Listing((), (FileFault("F110", f"{shown} is not JSON: {error}"),))
    entries = _entries(document)
    if entries is None:
        return Listing((), (FileFault("F111", f"{shown} has none of the known forms: {FORMS}"),))
    tools: dict[str, ListedTool] = {}
    faults: list[FileFault] = []
    for place, entry in entries:
        found = _tool(entry, place)
        if isinstance(found, str):
            faults.append(FileFault("F112", f"{shown}: {found}"))
            continue
        fault = schema_fault(found.schema)
        if fault:
            faults.append(FileFault("F114", f"{shown}: the argument schema of '{found.name}' is refused: {fault}"))
        elif tools.get(found.name, found) != found:
            faults.append(FileFault("F113", f"{shown}: two tools are called '{found.name}'"))
        elif found.name in tools and not place.startswith("suite "):
            faults.append(FileFault("F113", f"{shown}: the tool '{found.name}' stands in it twice"))
        else:
            tools[found.name] = found
    return Listing(tuple(tools.values()), tuple(faults))


def _entries(document: Any) -> Iterable[tuple[str, Any]] | None:
    """The entries of a tools file with their places in words; None for an unknown form."""
    if isinstance(document, Mapping) and isinstance(document.get("result"), Mapping):
        document = document["result"]
    if isinstance(document, list):
        return [(f"entry {i}", e) for i, e in enumerate(document)]
    if not isinstance(document, Mapping):
        return None
    if isinstance(document.get("tools"), list):
        return [(f"entry {i}", e) for i, e in enumerate(document["tools"])]
    if is_openapi(document):
        return [(f"operation {place}", e) for place, e in operations(document)]
    if document and all(isinstance(v, list) for v in document.values()):
        return list(_suites(document))
    return None


def _suites(document: Mapping[str, list[Any]]) -> Iterator[tuple[str, Any]]:
    """An object of named lists: one tool may stand in several of them, the same each time."""
    for suite, entries in document.items():
        for i, entry in enumerate(entries):
            yield f"suite {suite}, entry {i}", entry


def _tool(entry: Any, place: str) -> ListedTool | str:
    """The tool of one entry, or what is wrong with it."""
    if not isinstance(entry, Mapping):
        return f"{place} is not an object"
    if isinstance(entry.get("function"), Mapping):
        entry = entry["function"]
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        return f"{place} has no name"
    schema = next(
        (entry[k] for k in ("parameters", "inputSchema", "input_schema") if entry.get(k) is not None), EMPTY_SCHEMA
    )
    if not isinstance(schema, Mapping):
        return f"the arguments of '{name}' ({place}) are no JSON Schema of an object"
    if schema.get("type", "object") != "object":
        return f"the arguments of '{name}' ({place}) are declared as {schema['type']}, not as an object"
    result = type_of_schema(entry["outputSchema"]) if "outputSchema" in entry else None
    return ListedTool(
        name,
        schema,
        typed_view(schema),
        None if isinstance(result, UntypedType) else result,
        _hinted(entry.get("annotations")),
    )


def _hinted(annotations: Any) -> Effect | None:
    """The effect class that MCP's hints give: read-only is `reads`, said not to be read-only or said to destroy is `writes`."""
    if not isinstance(annotations, Mapping):
        return None
    if annotations.get("readOnlyHint") is True:
        return "reads"
    if annotations.get("readOnlyHint") is False or annotations.get("destructiveHint") is True:
        return "writes"
    return None


def schema_fault(schema: Mapping[str, Any]) -> str:
    """Why a JSON Schema is refused; empty if it is sound. References out of the document are refused, never fetched."""
    import jsonschema_rs

    try:
        jsonschema_rs.validator_for(schema, retriever=_no_retrieval)  # type: ignore[arg-type]
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        return str(getattr(error, "message", None) or error).splitlines()[0]
    return ""


def _no_retrieval(address: str) -> NoReturn:
    raise ValueError(f"{address} lies outside of the document")
