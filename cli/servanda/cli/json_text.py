"""JSON as this command writes it: UTF-8, two blanks of indentation, keys in the order given.

In: plain values (dict, list, str, int, bool, None; no floats). Out: text that ends in one line end.
"""

import json
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def dumps(value: Any) -> str:
    """The text of a value. A lone surrogate, which UTF-8 cannot carry, is written as its escape."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _SURROGATE.sub(lambda m: f"\\u{ord(m.group()):04x}", text) + "\n"
