"""What a tool's answer says: the JSON value in the text of a tool message, and whether it is an error.

In: text or JSON from a log. Out: a JSON value with exact numbers. Text is never evaluated: of Python only literals are read, node by node.
"""

import ast
import warnings
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from servanda.contracts.observed import Json
from servanda.contracts.readers import strict_json
from servanda.contracts.readers.json_fault import NotJson, number_fault

ERROR_PREFIX: Final = "Error"
"""An answer that begins so is a failed attempt: no chat format has a flag for it, and this is how tools in them say it."""

_LONGEST_LITERAL: Final = 1_000_000
_DEEPEST_LITERAL: Final = 100
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
_JSON_STARTS: Final = frozenset('{["-0123456789tf')


class _NoLiteral(Exception):
    """The text is no Python literal that has a JSON value."""


def decoded(text: str) -> tuple[Json, str]:
    """The value of an answer and a remark, or no remark.

    A JSON object, array, number or truth value is taken as such; a Python container (`(True, 750)`, `{'a': 1}`) likewise, with a remark. All
    else is the text itself: a bare id, prose, YAML, a quoted string, null."""
    bare = text.strip()
    if not bare:
        return text, ""
    if bare[0] in _JSON_STARTS:
        try:
            value = strict_json.loads(bare)
        except NotJson:
            pass
        else:
            return (text, "") if isinstance(value, str) else (value, "")
    if _PAIRS.get(bare[0]) != bare[-1]:
        return text, ""
    try:
        return _python_literal(bare), "a result was read as a Python literal"
    except _NoLiteral:
        return text, "a result that looks like data is neither JSON nor a Python literal, and was kept as text"


def is_error(content: Json) -> bool:
    """Whether the content of a tool message says that the call failed."""
    return isinstance(content, str) and content.lstrip().startswith(ERROR_PREFIX)


def _python_literal(text: str) -> Json:
    if len(text) > _LONGEST_LITERAL or _nesting(text) > _DEEPEST_LITERAL:
        raise _NoLiteral
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval")
        return _value(tree.body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _NoLiteral from None


def _nesting(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _value(node: ast.expr) -> Json:
    match node:
        case ast.Constant(None | bool() as value):
            return value
        case ast.Constant(int() | float() as value):
            return _number(value)
        case ast.Constant(str() as value) if not any("\ud800" <= c <= "\udfff" for c in value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)) if not isinstance(value, bool):
            return -_number(value)
        case ast.Tuple(items) | ast.List(items):
            return [_value(i) for i in items]
        case ast.Dict(keys, values):
            return _object(keys, values)
    raise _NoLiteral


def _object(keys: list[ast.expr | None], values: list[ast.expr]) -> Mapping[str, Json]:
    found: dict[str, Json] = {}
    for key, value in zip(keys, values, strict=True):
        name = _value(key) if key is not None else None
        if not isinstance(name, str) or name in found:
            raise _NoLiteral
        found[name] = _value(value)
    return found


def _number(value: float) -> int | Decimal:
    """The number as it was written: what Python prints for a float reads back as the same float, so the text of both is one."""
    word = repr(value)
    if word in ("inf", "nan") or number_fault(word):
        raise _NoLiteral
    return value if isinstance(value, int) else Decimal(word)
