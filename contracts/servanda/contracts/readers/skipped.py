"""A record or a file of traces that was not read, as data: the rest of the corpus is read all the same.

In: made by the reading of files. Out: shown in every report, so that nothing is passed over in silence.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Skipped:
    """`id`: the id that the record gives itself, else its place; of a file its name. `code` is one of `TRACE_CODES`. `path`: the file as typed,
    with the line where there is one."""

    id: str
    code: str
    message: str
    path: str
