"""OpenAPI 3 documents as lists of tools: one tool an operation.

In: a parsed document. Out: entries of the form `{name, parameters, outputSchema?, annotations?}` whose schemas stand on their own:
components that are referred to are copied into `$defs`. The name is the `operationId`; parameters and the properties of a JSON request body
become arguments side by side. Language reference §2.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
COMPONENT: Final = "#/components/schemas/"


def is_openapi(document: Mapping[str, Any]) -> bool:
    """Whether this is an OpenAPI document of version 3."""
    version = document.get("openapi")
    return isinstance(version, str) and version.startswith("3.") and isinstance(document.get("paths", {}), Mapping)


def operations(document: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each operation's place (`get /orders`) and its entry. One without an `operationId` has no name, which the reader refuses."""
    for path, item in document.get("paths", {}).items():
        if not isinstance(item, Mapping):
            continue
        shared = item.get("parameters")
        for method in METHODS:
            operation = item.get(method)
            if isinstance(operation, Mapping):
                yield (
                    f"{method} {path}",
                    _entry(document, method, operation, shared if isinstance(shared, list) else []),
                )


def _entry(document: Mapping[str, Any], method: str, operation: Mapping[str, Any], shared: list[Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    listed = operation.get("parameters")
    for written in (*shared, *(listed if isinstance(listed, list) else ())):
        parameter = _resolve(document, written)
        if not isinstance(parameter, Mapping) or not isinstance(parameter.get("name"), str):
            continue
        name = parameter["name"]
        properties[name] = parameter.get("schema", {})
        if parameter.get("required") is True and name not in required:
            required.append(name)
    _add_body(document, operation, properties, required)
    entry: dict[str, Any] = {
        "parameters": _whole(document, {"type": "object", "properties": properties, "required": required})
    }
    if isinstance(operation.get("operationId"), str):
        entry["name"] = operation["operationId"]
    if method in ("get", "head"):
        entry["annotations"] = {"readOnlyHint": True}
    result = _result(document, operation)
    if result is not None:
        entry["outputSchema"] = _whole(document, result)
    return entry


def _add_body(
    document: Mapping[str, Any], operation: Mapping[str, Any], properties: dict[str, Any], required: list[str]
) -> None:
    """Add the properties of a JSON request body; a body that is no object becomes the argument `body`."""
    body = _resolve(document, operation.get("requestBody"))
    schema = _json_schema(body)
    if schema is None or not isinstance(body, Mapping):
        return
    needed = body.get("required") is True
    target = _resolve(document, schema)
    if isinstance(target, Mapping) and isinstance(target.get("properties"), Mapping):
        properties.update(target["properties"])
        listed = target.get("required")
        if needed and isinstance(listed, list):
            required.extend(n for n in listed if n not in required)
    else:
        properties["body"] = schema
        if needed:
            required.append("body")


def _result(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Any:
    """The schema of the first successful JSON response, None where there is none."""
    responses = operation.get("responses")
    if isinstance(responses, Mapping):
        for status in sorted(responses):
            if status.startswith("2"):
                return _json_schema(_resolve(document, responses[status]))
    return None


def _json_schema(content: Any) -> Any:
    kinds = content.get("content") if isinstance(content, Mapping) else None
    media = kinds.get("application/json") if isinstance(kinds, Mapping) else None
    return media.get("schema") if isinstance(media, Mapping) else None


def _resolve(document: Mapping[str, Any], part: Any) -> Any:
    """A part of the document, a reference followed (through at most eight others)."""
    for _ in range(8):
        if not (isinstance(part, Mapping) and isinstance(part.get("$ref"), str) and part["$ref"].startswith("#/")):
            return part
        place: Any = document
        for step in part["$ref"][2:].split("/"):
            place = place.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(place, Mapping) else None
        part = place
    return part


def _whole(document: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with the components it refers to, directly or through others, copied into `$defs`."""
    names: list[str] = []
    root = _moved(schema, names)
    found: dict[str, Any] = {}
    while names:
        name = names.pop(0)
        if name not in found:
            found[name] = _moved(_resolve(document, {"$ref": COMPONENT + name}), names)
    return {**root, "$defs": found} if found else root


def _moved(part: Any, wanted: list[str]) -> Any:
    """A copy with component references turned into `$defs` references (noted in `wanted`) and `nullable` into a type with null."""
    if isinstance(part, list):
        return [_moved(p, wanted) for p in part]
    if not isinstance(part, Mapping):
        return part
    copy = {k: _moved(v, wanted) for k, v in part.items() if k != "nullable" or not isinstance(v, bool)}
    reference = copy.get("$ref")
    if isinstance(reference, str) and reference.startswith(COMPONENT):
        name = reference.removeprefix(COMPONENT)
        wanted.append(name)
        copy["$ref"] = f"#/$defs/{name}"
    if part.get("nullable") is True and isinstance(copy.get("type"), str):
        copy["type"] = [copy["type"], "null"]
        if isinstance(copy.get("enum"), list) and None not in copy["enum"]:
            copy["enum"] = [*copy["enum"], None]
    return copy
