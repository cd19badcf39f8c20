"""A quoted passage of prose for a program.

In: a quote. Out: plain values for JSON.
"""

from typing import Any

from servanda.contracts.words import Quote


def prose_json(quote: Quote) -> dict[str, Any]:
    """`{source, path, first, last, text}`; lines count from 1, both ends included."""
    return {
        "source": quote.source,
        "path": quote.path,
        "first": quote.first,
        "last": quote.last,
        "text": quote.text,
    }
