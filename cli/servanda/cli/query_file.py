"""A query as the command line names it: a JSON file, or `-` for standard input.

In: a path. Out: its attributes with exact numbers; whether they fit a contract is judged elsewhere.
"""

from collections.abc import Mapping

from servanda.cli.contract_file import read_input
from servanda.contracts.observed import Json
from servanda.contracts.readers.json_fault import NotJson
from servanda.contracts.readers.strict_json import loads
from servanda.grammar.diagnostic import refuse
from servanda.grammar.span import Source, Span


def read_query_file(path: str) -> Mapping[str, Json]:
    """The attributes given in the file. Raises `Refusal` (F101 to F104, Q101, Q102)."""
    text = read_input(path).text
    try:
        value = loads(text)
    except NotJson as error:
        at = Span(0, 1, error.line, error.column)
        refuse("Q101", f"the query is not JSON: {error.reason}", source=Source(path, text), span=at)
    if not isinstance(value, Mapping):
        refuse("Q102", f"{path} holds no query: a JSON object with one key for each attribute is needed")
    return value
