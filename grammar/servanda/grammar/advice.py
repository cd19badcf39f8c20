"""Hints for the slips that the expected words alone do not explain.

In: the token at which reading stopped and the terminals that could stand there. Out: a sentence, or nothing. Trusts nothing.
"""

import re
from collections.abc import Collection

from servanda.grammar.lexer import BAD, Token
from servanda.grammar.span import Source
from servanda.grammar.tables import END

_SHOWN = 40
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_FOREIGN = {
    "&&": "write 'and'",
    "&": "write 'and'",
    "||": "write 'or'",
    "|": "write 'or'",
    "!": "write 'not', or '!=' for 'differs from'",
    ";": "a declaration ends where the next one begins",
    "“": 'quoted texts stand between straight quotes: "…"',
    "”": 'quoted texts stand between straight quotes: "…"',
    "„": 'quoted texts stand between straight quotes: "…"',
    "\u00a0": "it looks like a blank but is none",
    "%": "write a share as a decimal, 0.2",
    "$": "write an amount of money as a bare number",
}


def shortened(text: str) -> str:
    """At most `_SHOWN` characters of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def stray(text: str) -> str:
    """What a text is that is no token of the language."""
    if text.startswith('"'):
        return "a quoted text without its closing quote on this line"
    if text.startswith("'"):
        return "a text between single quotes"
    if text[0].isdigit():
        return f"'{shortened(text)}' is neither a number nor a name"
    if text.isascii():
        return f"'{shortened(text)}' has no meaning in the language"
    return f"'{text}' (U+{ord(text[0]):04X}) has no meaning outside quoted texts, patterns and comments"


def advice(token: Token, previous: Token | None, possible: Collection[str], source: Source) -> str:
    """A hint for a token that none of `possible` fits; empty where there is none."""
    text = token.text
    if token.type == BAD:
        if text.startswith("'"):
            return 'quoted texts stand between double quotes: "…"'
        if text[0].isalpha() and not text.isascii():
            return "a name is made of the letters a to z and A to Z, digits and '_'"
        return _FOREIGN.get(text, "")
    if token.type == END:
        return "a contract begins with 'language 1'" if "LANGUAGE" in possible else ""
    if "LANGUAGE" in possible:
        return "a contract begins with 'language 1'"
    if text.startswith("/"):
        if "REGEX" in possible:
            return "a pattern ends with '/' on its own line; a '/' inside it is written '\\/'"
        return "comments begin with '#'" if text.startswith("//") else "there is no division"
    if text == "=" and "COMPARISON" in possible:
        return "equality is written '=='"
    if token.type == "COMPARISON" and "AND" in possible:
        return "comparisons do not chain; join two of them with 'and'"
    if text == "-" and "NEGATIVE" in possible:
        return "only a number has a sign; write 0 - x"
    if previous and previous.text == "if" and previous.type == "NAME":
        return "a choice between values stands in parentheses: (if … then … else …)"
    if token.type == "IF":
        return "a guard stands before 'by' and before the form of a rule"
    if token.type in ("CALL", "MESSAGE", "TURN", "OUTPUT", "QUERY", "OPEN", "FAILED") and "EXPECT" in possible:
        return "in a test, what is expected comes last"
    if token.type == "RBRACE" and "EXPECT" in possible:
        return "a test says what it expects"
    if token.type == "AS" and "AND" in possible:
        return "'as' stands before 'where'"
    near = _DATE.search(source.line(token.line))
    if near and near.start() <= token.column <= near.end() and text.startswith("-"):
        return "a date is written with two digits for month and day, 2026-05-01"
    return ""
