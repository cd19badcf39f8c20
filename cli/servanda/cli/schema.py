"""`contract schema`: the published JSON Schema of a trace record.

In: nothing. Out: the schema on standard output.
"""


def schema() -> None:
    """Print the JSON Schema of a trace record, one of which stands on each line of a Servanda JSONL file."""
