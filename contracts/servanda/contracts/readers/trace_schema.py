"""The published JSON Schema of a trace record (draft 2020-12).

In: nothing; the schema is a file of this package. Out: its text, to be printed or handed to a validator. `record.py` refuses all that it
refuses, in better words; a test holds the two together.
"""

from importlib.resources import files


def trace_schema_text() -> str:
    """The schema as JSON text."""
    return (files("servanda.contracts.readers") / "trace.schema.json").read_text("utf-8")
