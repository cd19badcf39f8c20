"""JSON read exactly: whole numbers as int, all others as Decimal.

In: JSON text. Out: dict, list, str, int, Decimal, bool, None. Refuses what standard readers let pass: a key twice, NaN, Infinity.
"""

import json
from decimal import Decimal
from typing import Any, NoReturn


class NotJson(ValueError):
    """The text is no JSON in the strict sense; the message says what and where."""


def loads(text: str) -> Any:
    """The value of a JSON text, with exact numbers. Raises NotJson."""
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg} (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    except ValueError as error:
        raise NotJson(str(error)) from None


def _constant(word: str) -> NoReturn:
    raise NotJson(f"{word} is no JSON number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise NotJson(f'the key "{key}" stands twice in one object')
        found[key] = value
    return found
