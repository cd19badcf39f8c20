"""What can be wrong with a trace: the codes, and the refusal of one record or file.

In: a code, a place, a sentence. Out: `Refusal` (which a reader raises and the corpus turns into `Skipped`). Codes are stable: one is never
used for something else.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NoReturn

from servanda.grammar.diagnostic import Diagnostic, Refusal, Severity

TRACE_CODES: Mapping[str, str] = MappingProxyType(
    {
        # files
        "T101": "a file or folder of traces does not exist or cannot be read",
        "T102": "a folder or a pattern of names holds no file of traces",
        "T103": "a file of traces is not UTF-8 text",
        "T104": "a record or a document is larger than can be read",
        "T105": "a file of traces holds no record",
        "T106": "a file of traces is no text",
        "T107": "no reader has that name",
        # records
        "T110": "a record is not JSON in the strict sense",
        "T111": "a record has a shape that no reader takes",
        "T112": "a part of a record is missing or has another type than it should",
        "T113": "a record has a key that it cannot have",
        "T114": "the turns of a record contradict one another",
        "T115": "a result answers no call",
        "T116": "a message has a role that it cannot have",
    }
)


def trace_fault(code: str, where: str, message: str, help: str = "") -> Diagnostic:
    """The diagnostic of one fault at a JSON path of a record."""
    return Diagnostic(code, Severity.ERROR, f"{where}: {message}", help=help)


def refuse_trace(code: str, where: str, message: str, help: str = "", label: str = "") -> NoReturn:
    """Refuse a record for one fault at a JSON path. `label`: the known format that it is of, where there is one."""
    raise Refusal((replace(trace_fault(code, where, message, help), label=label),))
