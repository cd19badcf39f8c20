"""Whether the arguments of a call fit the JSON Schema of its tool.

In: a schema that was accepted when the contract was read, and arguments with exact numbers. Out: the first misfit in words, or nothing. Numbers are
handed to the validator as it takes them; what hangs on more digits than a double has is not told here but by the typed view.
"""

import json
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any


def schema_misfit(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """What in the arguments breaks the schema, with its place; empty where they fit."""
    validator = _validator(json.dumps(schema, default=_plain))
    for error in validator.iter_errors(_tree(arguments)):
        place = "".join(f"/{step}" for step in error.instance_path)
        return f"{place}: {error.message}" if place else str(error.message)
    return ""


@lru_cache(maxsize=512)
def _validator(schema: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.validator_for(json.loads(schema))


def _tree(value: Any) -> Any:
    match value:
        case Mapping():
            return {k: _tree(v) for k, v in value.items()}
        case list() | tuple():
            return [_tree(v) for v in value]
        case Decimal():
            return _plain(value)
        case _:
            return value


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    raise TypeError(f"{type(value).__name__} is no JSON")
