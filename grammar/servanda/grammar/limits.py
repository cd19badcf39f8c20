"""What is refused before or after reading, whatever it says: size, characters, the language's version, nesting.

In: a source, or the tree read from it. Out: nothing, or a `Refusal` (C101 size, C102 nesting, C103 characters, C104 version).
Trusts nothing; every check is one pass without recursion, so that no text can exhaust the stack of those who read the tree.
"""

import re
from typing import Any

from servanda.grammar.builder import LANGUAGE
from servanda.grammar.diagnostic import refuse
from servanda.grammar.span import NOWHERE, Source
from servanda.grammar.syntax import Tree

MAX_TEXT = 4 * 2**20
"""The longest text that is read, in characters."""

MAX_NESTING = 100
"""How deep brackets, and syntax nodes within one declaration, may be nested."""

MAX_STACK = 10 * MAX_NESTING
"""How many symbols the parser may hold unfinished: no construct holds more than ten while its innermost part is read."""

# Bidirectional controls reorder what a reader sees; half a surrogate pair is no character.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_HEADER = re.compile(r"\ufeff?(?:[ \t\r\n]++|#[^\n]*+)*+language[ \t\r\n]++(\d++)")


def check_text(source: Source) -> None:
    """Refuse a text that is too long, holds characters that cannot be seen, or is of another version of the language."""
    text = source.text
    if len(text) > MAX_TEXT:
        refuse(
            "C101",
            f"this text has {len(text):,} characters; a contract has at most {MAX_TEXT:,}",
            source=source,
            span=NOWHERE,
        )
    found = _FORBIDDEN.search(text)
    if found:
        code = ord(found.group())
        hint = "write it as an escape in a quoted text" if code >= 0xA0 and not 0xD800 <= code < 0xE000 else ""
        at = source.span(found.start(), found.end())
        refuse(
            "C103",
            f"the character U+{code:04X} cannot be seen and may not stand in a contract",
            source=source,
            span=at,
            help=hint,
        )
    header = _HEADER.match(text)
    if header and header.group(1) != str(LANGUAGE):
        at = source.span(*header.span(1))
        version = header.group(1) if len(header.group(1)) <= 20 else header.group(1)[:20] + "…"
        refuse(
            "C104", f"language {version} is not known; this release reads language {LANGUAGE}", source=source, span=at
        )


def check_nesting(source: Source, tree: Tree) -> None:
    """Refuse a tree in which a path from a declaration to a leaf passes more than `MAX_NESTING` nodes."""
    stack: list[tuple[Any, int]] = [(item, 1) for item in tree.items]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_NESTING:
            refuse("C102", f"this is nested more than {MAX_NESTING} deep", source=source, span=node.span,
                   help="name parts of it with 'define' or 'event'")  # fmt: skip
        for slot in type(node).__slots__:
            value = getattr(node, slot)
            if isinstance(value, tuple):
                for part in value:
                    if isinstance(part, tuple):
                        stack.extend((p, depth + 1) for p in part if hasattr(p, "__slots__"))
                    elif hasattr(part, "__slots__"):
                        stack.append((part, depth + 1))
            elif slot != "span" and hasattr(value, "__slots__"):
                stack.append((value, depth + 1))
