"""`contract schema`: the published JSON Schema of a trace record.

In: nothing. Out: the schema on standard output.
"""


def schema() -> None:
    """Print the JSON Schema of a trace record.

    One such record stands on each line of a Servanda JSONL file.
    """
    from servanda.cli.streams import write_result
    from servanda.contracts.readers.trace_schema import trace_schema_text

    write_result(trace_schema_text())
