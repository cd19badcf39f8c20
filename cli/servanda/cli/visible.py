"""Characters that may be shown.

In: texts from contracts and traces of others. Out: the same, with what could steer a terminal or turn the reading direction as its escape.
"""

import re

_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def visible(text: str) -> str:
    """The text with every control character, direction mark and lone surrogate as its escape; line ends and tabs as well."""
    return _UNSHOWN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    number = ord(match.group())
    return named.get(match.group(), f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}")
