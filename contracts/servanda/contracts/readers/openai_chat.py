"""OpenAI chat completions: messages, a request with its response, or a bare array of messages.

In: one JSON value, from anyone. Out: a `Trace` or a `Refusal`. The format has no flag for a failed call and none for a run that was cut: a
result that begins with `Error` is a failure, and a run is open where its last answer stopped for length or its last calls have no result.
"""

from collections.abc import Mapping
from typing import Final

from servanda.contracts.observed import MISSING, Json, Trace
from servanda.contracts.readers.conversation import Placed, placed, read_conversation
from servanda.contracts.readers.json_fault import step
from servanda.contracts.readers.json_words import in_words
from servanda.contracts.readers.notes import Notes
from servanda.contracts.readers.trace_fault import refuse_trace

REQUEST_PLACES: Final = ((), ("request",), ("request", "body"), ("body",))
"""Where the object that has `messages` stands: the record itself, a logged request, a line of a batch file."""
RESPONSE_PLACES: Final = ((), ("response",), ("response", "body"))
"""Where the object that has `choices` stands."""
CUT_SHORT: Final = ("length", "content_filter")


def read_openai(record: Json, path: str, *, where: str = "$", name: str = "trace") -> Trace:
    """The trace of one chat. `name` is its id where the record has none. Raises `Refusal`."""
    notes = Notes()
    complete = True
    head: Mapping[str, Json] = {}
    if isinstance(record, list):
        messages = placed(record, where)
    elif isinstance(record, Mapping):
        head = record
        messages, finish = _messages(record, where, notes)
        if finish in CUT_SHORT:
            complete = False
            notes.add(f"the run is open: its last answer ended by {finish}")
    else:
        refuse_trace(
            "T112", where, f"a chat is an object with messages or an array of messages, not {in_words(record)}"
        )
    conversation = read_conversation(messages, notes)
    if conversation.cut and complete:
        complete = False
        notes.add("the run is open: its last calls have no result")
    return Trace(
        id=_id(head, name),
        events=conversation.events,
        complete=complete,
        query=None,
        output=MISSING,
        path=path,
        reader="openai",
        tags={"model": head["model"]} if isinstance(head.get("model"), str) else {},
        notes=notes.sentences(),
    )


def _id(head: Mapping[str, Json], name: str) -> str:
    return next((v for k in ("custom_id", "id") if isinstance(v := head.get(k), str) and v), name)


def _messages(record: Mapping[str, Json], where: str, notes: Notes) -> tuple[tuple[Placed, ...], Json]:
    """The messages of the request and the response, and why the response ended (null if there is none)."""
    asked = _find(record, where, REQUEST_PLACES, "messages")
    answered = _find(record, where, RESPONSE_PLACES, "choices")
    if asked is None and answered is None:
        refuse_trace("T112", where, f"a chat has 'messages' or 'choices'; this is {in_words(record)}")
    messages = placed(*asked) if asked is not None else ()
    if answered is None:
        return messages, None
    choices, at = answered
    if not isinstance(choices, list) or not choices:
        refuse_trace("T112", at, f"choices are an array that is not empty; this is {in_words(choices)}")
    if len(choices) > 1:
        notes.add(f"only the first of {len(choices)} choices was read", at)
    first = choices[0]
    if not isinstance(first, Mapping) or not isinstance(first.get("message"), Mapping):
        refuse_trace("T112", step(at, 0), "a choice is an object with an object under 'message'")
    return (*messages, (first["message"], step(step(at, 0), "message"))), first.get("finish_reason")


def _find(
    record: Mapping[str, Json], where: str, places: tuple[tuple[str, ...], ...], key: str
) -> tuple[Json, str] | None:
    for keys in places:
        inner: Json = record
        at = where
        for name in keys:
            inner = inner.get(name) if isinstance(inner, Mapping) else None
            at = step(at, name)
        if isinstance(inner, Mapping) and key in inner:
            return inner[key], step(at, key)
    return None
