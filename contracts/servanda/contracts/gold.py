"""A query from the gold actions of a benchmark run: what the user wanted, as far as gold tells it.

In: a contract whose query has an attribute `requests: list of RECORD`, and a trace with gold actions. Out: the query with that attribute and
no other, and notes on what was left out; or None where the contract has no such attribute or gold does not fit it. Trusts gold to be right.
"""

from collections.abc import Mapping
from typing import Final

from servanda.contracts.model import Contract, effect_of
from servanda.contracts.observed import Json, Trace
from servanda.contracts.types import EnumType, ListType, RecordType
from servanda.grammar.diagnostic import nearest

REQUESTS: Final = "requests"
TOOL: Final = "tool"
TRANSFER: Final = "transfer"
"""How the tools that hand over to a person begin: such an action is a request, whatever the class of its tool."""


def query_from_gold(contract: Contract, trace: Trace) -> tuple[Mapping[str, Json] | None, tuple[str, ...]]:
    """The query, None where it stays unknown, and notes. One request is made of each gold action of a writing tool, in order:
    `{tool: NAME, …arguments}`, reduced to the fields of the record."""
    if trace.gold is None:
        return None, ("the record has no gold actions: nothing is given as query",)
    element = _element(contract)
    if element is None:
        why = f"the query of the contract has no attribute `{REQUESTS}: list of RECORD` to hold gold actions"
        return None, (f"{why}: nothing is given as query",)
    wanted = [(tool, arguments) for tool, arguments in trace.gold if _is_request(contract, tool)]
    strange = _strange_tools(element, [tool for tool, _ in wanted])
    if strange:
        return None, (*strange, "nothing is given as query")
    fields = {field.name for field in element.fields}
    dropped: dict[str, None] = {}
    requests: list[dict[str, Json]] = []
    for tool, arguments in wanted:
        whole = {**arguments, TOOL: tool}
        requests.append({f.name: whole[f.name] for f in element.fields if f.name in whole})
        dropped.update((f"{name} of {tool}", None) for name in whole if name not in fields)
    notes = ["query from gold actions"]
    if dropped:
        notes.append(f"left out of the requests, which have no such field: {', '.join(dropped)}")
    return {REQUESTS: requests}, tuple(notes)


def _element(contract: Contract) -> RecordType | None:
    attribute = contract.attributes.get(REQUESTS)
    if attribute is None or not isinstance(attribute.type, ListType):
        return None
    element = attribute.type.element
    return element if isinstance(element, RecordType) else None


def _is_request(contract: Contract, tool: str) -> bool:
    return effect_of(contract, tool) == "writes" or tool.startswith(TRANSFER)


def _strange_tools(element: RecordType, tools: list[str]) -> list[str]:
    """A note for each tool that the field `tool` cannot name."""
    field = element.field(TOOL)
    if field is None or not isinstance(field.type, EnumType):
        return []
    members = field.type.members
    strange = sorted({tool for tool in tools if tool not in members})
    return ["; ".join(filter(None, (_no_member(element, tool), nearest(tool, members)))) for tool in strange]


def _no_member(element: RecordType, tool: str) -> str:
    return f"the gold action {tool} is no value of the field {TOOL} of {element.name or 'a request'}"
