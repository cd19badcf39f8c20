"""Servanda's own trace record: `{id, query?, events, output?, complete?, tags?}`.

In: one JSON value, from anyone. Out: a `Trace`, or a `Refusal` with every fault of the record, each at its JSON path. Nothing is ignored: an
unknown key is a fault. The shape is published as `trace.schema.json`; what goes beyond it are the turns (language reference §3).
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import Final, cast

from servanda.contracts.observed import MISSING, Event, Json, Outcome, Trace
from servanda.contracts.readers.json_fault import step
from servanda.contracts.readers.json_words import in_words
from servanda.contracts.readers.notes import Notes
from servanda.contracts.readers.trace_fault import refuse_trace, trace_fault
from servanda.grammar.diagnostic import Diagnostic, Refusal, nearest

RECORD_KEYS: Final = ("id", "query", "events", "output", "complete", "tags")
CALL_KEYS: Final = ("kind", "tool", "args", "result", "outcome", "turn", "at", "labels")
MESSAGE_KEYS: Final = ("kind", "role", "text", "turn", "at", "labels")
OUTCOMES: Final = ("ok", "failed", "unknown")
MESSAGE_ROLES: Final = ("user", "assistant", "system", "developer")
LAST_TURN: Final = 1_000_000_000

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {"outcome": OUTCOMES, "role": MESSAGE_ROLES}
_Check = Callable[[Json], str]


def read_record(record: Json, path: str, *, where: str = "$") -> Trace:
    """The trace of one record. `path` names the file (and line) it came from, `where` its place in there. Raises `Refusal`."""
    if not isinstance(record, Mapping):
        refuse_trace("T112", where, f"a trace record is an object, not {in_words(record)}")
    reading = _Reading(where)
    reading.keys(record, where, RECORD_KEYS, ("id", "events"), "a trace record")
    reading.values(record, where, _RECORD)
    events = record.get("events")
    if isinstance(events, list):
        reading.events(events)
    reading.close()
    return Trace(
        id=record["id"],
        events=tuple(reading.found),
        complete=record.get("complete", True),
        query=record.get("query"),
        output=record.get("output", MISSING),
        path=path,
        reader="servanda",
        tags=record.get("tags", {}),
        notes=reading.notes.sentences(),
    )


# ---- checks: what was expected, or nothing -----------------------------------------------------------------------------


def _name(value: Json) -> str:
    return "" if isinstance(value, str) and value else "a string that is not empty"


def _text(value: Json) -> str:
    return "" if isinstance(value, str) else "a string"


def _object(value: Json) -> str:
    return "" if isinstance(value, Mapping) else "an object"


def _array(value: Json) -> str:
    return "" if isinstance(value, list) else "an array"


def _truth(value: Json) -> str:
    return "" if isinstance(value, bool) else "true or false"


def _outcome(value: Json) -> str:
    return "" if isinstance(value, str) and value in OUTCOMES else f"one of {', '.join(OUTCOMES)}"


def _role(value: Json) -> str:
    return "" if isinstance(value, str) and value in MESSAGE_ROLES else f"one of {', '.join(MESSAGE_ROLES)}"


def _turn(value: Json) -> str:
    number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    whole = number and 0 <= value <= LAST_TURN and value == int(value)
    return "" if whole else f"a whole number from 0 to {LAST_TURN}"


def _time(value: Json) -> str:
    return "" if isinstance(value, str) and instant(value) else "a time with its zone, such as 2026-05-02T09:30:00Z"


_RECORD: Final[Mapping[str, _Check]] = {
    "id": _name,
    "query": _object,
    "events": _array,
    "complete": _truth,
    "tags": _object,
}
_PLACED: Final[Mapping[str, _Check]] = {"turn": _turn, "at": _time, "labels": _object}
_CALL: Final[Mapping[str, _Check]] = {"tool": _name, "args": _object, "outcome": _outcome, **_PLACED}
_MESSAGE: Final[Mapping[str, _Check]] = {"role": _role, "text": _text, **_PLACED}


def instant(text: str) -> datetime | None:
    """The instant of an RFC 3339 text with a zone, to the microsecond; None if it is none."""
    if not _TIME.fullmatch(text):
        return None
    try:
        found = datetime.fromisoformat(text.upper())
        found.utctimetuple()
    except (ValueError, OverflowError):
        return None
    return found


class _Reading:
    """The faults, notes and events of one record so far."""

    def __init__(self, where: str) -> None:
        self.notes = Notes()
        self.found: list[Event] = []
        self._where = where
        self._faults: list[Diagnostic] = []

    def close(self) -> None:
        """Refuse the record if it has a fault."""
        if self._faults:
            raise Refusal(self._faults)

    def keys(
        self, value: Mapping[str, Json], where: str, known: tuple[str, ...], needed: tuple[str, ...], what: str
    ) -> None:
        """Every key is known, and those that are needed are there."""
        for key in value:
            if key not in known:
                hint = nearest(key, known) or f"its keys are {', '.join(known)}"
                self._fault("T113", step(where, key), f"{what} has no such key", hint)
        for key in needed:
            if key not in value:
                self._fault("T112", where, f"{what} needs the key '{key}'")

    def values(self, value: Mapping[str, Json], where: str, checks: Mapping[str, _Check]) -> None:
        """Every value that is there has its type."""
        for key, check in checks.items():
            if key in value and (wanted := check(value[key])):
                hint = nearest(value[key], _WORDS.get(key, ())) if isinstance(value[key], str) else ""
                self._fault("T112", step(where, key), f"expected {wanted}, found {in_words(value[key])}", hint)

    def events(self, events: list[Json]) -> None:
        """Read all events; their turns are looked at only if each event is sound."""
        base = step(self._where, "events")
        for position, event in enumerate(events):
            self._event(event, step(base, position))
        if not self._faults:
            self._turns(events, base)
        if not self._faults:
            for position, event in enumerate(events):
                self._make(event, step(base, position), position)

    def _event(self, event: Json, where: str) -> None:
        if not isinstance(event, Mapping):
            self._fault("T112", where, f"an event is an object, not {in_words(event)}")
            return
        kind = event.get("kind")
        if kind == "call":
            self.keys(event, where, CALL_KEYS, ("tool", "args"), "a call")
            self.values(event, where, _CALL)
        elif kind == "message":
            self.keys(event, where, MESSAGE_KEYS, ("role", "text"), "a message")
            self.values(event, where, _MESSAGE)
        elif "kind" in event:
            hint = nearest(kind, ("call", "message")) if isinstance(kind, str) else ""
            self._fault("T112", step(where, "kind"), f"expected call or message, found {in_words(kind)}", hint)
        else:
            self._fault("T112", where, "an event needs the key 'kind', call or message")

    def _turns(self, events: list[Json], base: str) -> None:
        placed = [i for i, e in enumerate(events) if "turn" in e]
        if not placed:
            return
        if len(placed) < len(events):
            bare = next(i for i, e in enumerate(events) if "turn" not in e)
            message = f"this event has no turn, and {step(base, placed[0])} has one"
            self._fault("T114", step(base, bare), message, "either all events of a record have a turn or none has")
            return
        for i, (earlier, later) in enumerate(pairwise(events), 1):
            where = step(step(base, i), "turn")
            if later["turn"] < earlier["turn"]:
                self._fault("T114", where, f"turn {later['turn']} after turn {earlier['turn']}; turns never decrease")
            elif later["turn"] == earlier["turn"] and (_of_user(earlier) or _of_user(later)):
                self._fault("T114", where, "a user message is a turn of its own, and this turn has another event too")

    def _make(self, event: Mapping[str, Json], where: str, position: int) -> None:
        """Add the event of a sound entry; a message that says nothing is none."""
        turn = int(event.get("turn", position))
        at = instant(event["at"]) if "at" in event else None
        labels = event.get("labels", {})
        index = len(self.found)
        if event["kind"] == "call":
            result = event.get("result", MISSING)
            outcome = cast(Outcome, event.get("outcome", "unknown" if result is MISSING else "ok"))
            args = event["args"]
            self.found.append(
                Event(index, "call", event["tool"], turn, where, args, result, outcome, at=at, labels=labels)
            )
        elif event["text"].strip():
            text = event["text"]
            self.found.append(Event(index, "message", event["role"], turn, where, text=text, at=at, labels=labels))
        else:
            self.notes.add("an empty message was left out", where)

    def _fault(self, code: str, where: str, message: str, help: str = "") -> None:
        self._faults.append(trace_fault(code, where, message, help))


def _of_user(event: Mapping[str, Json]) -> bool:
    return (event["kind"], event.get("role")) == ("message", "user")
