"""Chat messages to events: the part that OpenAI chat and the tau files share.

In: the list of messages of one run, from anyone. Out: events with their turns, notes, and whether the run was visibly cut; or a `Refusal`
naming the JSON path. One assistant message is one turn, with the results of its calls; a user message is a turn of its own (language
reference §3). A result belongs to the calls of the last assistant message: ids repeat within one run in real logs, so adjacency comes first
and the id only chooses among those calls.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from servanda.contracts.observed import Event, Json
from servanda.contracts.readers import strict_json
from servanda.contracts.readers.json_fault import NotJson, step
from servanda.contracts.readers.json_words import in_words
from servanda.contracts.readers.notes import Notes
from servanda.contracts.readers.tool_result import decoded, is_error
from servanda.contracts.readers.trace_fault import refuse_trace
from servanda.grammar.diagnostic import nearest

CHAT_ROLES: Final = ("user", "assistant", "tool", "function", "system", "developer")
RAW_ARGUMENTS: Final = "__raw__"
"""The key under which a log keeps an argument text that could not be parsed."""
TEXT_PARTS: Final[Mapping[str, str]] = {
    "text": "text",
    "input_text": "text",
    "output_text": "text",
    "refusal": "refusal",
}
"""The types of parts that have text, and the key it stands under."""
OTHER_PARTS: Final = ("image_url", "input_image", "image", "input_audio", "audio", "file", "input_file")


@dataclass(frozen=True, slots=True)
class Conversation:
    """The events of one run. `cut`: its last response has calls of which none has a result."""

    events: tuple[Event, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class _Open:
    """A call of the last response without a result; `event` is its position, None for a call of the user's side, which is dropped."""

    id: str | None
    tool: str
    event: int | None


Placed = tuple[Json, str]
"""A message, or what should be one, and its JSON path."""


def placed(messages: Json, where: str) -> tuple[Placed, ...]:
    """The messages of an array with their paths. Raises `Refusal` where it is no array."""
    if not isinstance(messages, list):
        refuse_trace("T112", where, f"messages are an array, not {in_words(messages)}")
    return tuple((message, step(where, position)) for position, message in enumerate(messages))


def read_conversation(messages: Iterable[Placed], notes: Notes, *, wrapped: bool = False) -> Conversation:
    """The events of messages. `wrapped`: the assistant's text may stand in JSON of the form `{"message": TEXT}`. Raises `Refusal`."""
    reading = _Conversing(notes, wrapped)
    for message, where in messages:
        reading.message(message, where)
    return Conversation(tuple(reading.events), reading.cut())


class _Conversing:
    """The events of one run so far, and the calls that wait for a result."""

    def __init__(self, notes: Notes, wrapped: bool) -> None:
        self.events: list[Event] = []
        self._notes = notes
        self._wrapped = wrapped
        self._turn = -1
        self._open: list[_Open] = []
        self._answered = False

    def cut(self) -> bool:
        """Whether the run ends with calls of which none came back."""
        last = self.events[-1] if self.events else None
        return last is not None and last.kind == "call" and not self._answered and bool(self._open)

    def message(self, message: Json, where: str) -> None:
        """Read one message."""
        if not isinstance(message, Mapping):
            refuse_trace("T112", where, f"a message is an object, not {in_words(message)}")
        if "parts" in message:
            refuse_trace(
                "T111", where, "a chat message has no 'parts': its calls may stand there, as in another format"
            )
        match message.get("role"):
            case "system" | "developer" as role:
                self._notes.add(f"a {role} message was left out: it is what the agent was told, not what it did", where)
            case "user":
                self._user(message, where)
            case "assistant":
                self._assistant(message, where)
            case "tool" | "function":
                self._tool(message, where)
            case other:
                hint = nearest(other, CHAT_ROLES) if isinstance(other, str) else ""
                found = in_words(other) if "role" in message else "none"
                refuse_trace("T116", where, f"the role is one of {', '.join(CHAT_ROLES)}, not {found}", hint)

    # ---- messages and calls --------------------------------------------------------------------------------------------

    def _user(self, message: Mapping[str, Json], where: str) -> None:
        _needs(message, where, ("content", "tool_calls"))
        for position, call in enumerate(self._calls(message, where)):
            place = step(step(where, "tool_calls"), position)
            self._notes.add("a tool call of the user's side was left out", place)
            self._open.append(_Open(_id(call), self._function(call, place)[0], None))
        text = self._text(message, where)
        if text.strip():
            self._turn += 1
            self._say("user", text, where)
        elif not message.get("tool_calls"):
            self._notes.add("an empty message was left out", where)

    def _assistant(self, message: Mapping[str, Json], where: str) -> None:
        _needs(message, where, ("content", "tool_calls", "function_call", "refusal", "audio"))
        text = self._text(message, where)
        calls = self._calls(message, where)
        legacy = message.get("function_call")
        if not text.strip() and not calls and legacy is None:
            self._notes.add("an empty message was left out", where)
            return
        self._turn += 1
        self._open, self._answered = [], False
        if text.strip():
            self._say("assistant", self._unwrapped(text, where) if self._wrapped else text, where)
        for position, call in enumerate(calls):
            place = step(step(where, "tool_calls"), position)
            tool, arguments = self._function(call, place)
            if isinstance(call, Mapping) and call.get("requestor") == "user":
                self._notes.add("a tool call of the user's side was left out", place)
                self._open.append(_Open(_id(call), tool, None))
            else:
                self._call(tool, arguments, place, _id(call))
        if legacy is not None:
            place = step(where, "function_call")
            self._call(*self._called(legacy, place), place, None)

    def _say(self, role: str, text: str, where: str) -> None:
        self.events.append(Event(len(self.events), "message", role, self._turn, where, text=text))

    def _call(self, tool: str, arguments: Mapping[str, Json], where: str, call_id: str | None) -> None:
        self._open.append(_Open(call_id, tool, len(self.events)))
        self.events.append(Event(len(self.events), "call", tool, self._turn, where, arguments))

    def _calls(self, message: Mapping[str, Json], where: str) -> list[Json]:
        calls = message.get("tool_calls")
        if calls is None:
            return []
        if not isinstance(calls, list):
            refuse_trace("T112", step(where, "tool_calls"), f"tool calls are an array, not {in_words(calls)}")
        return calls

    def _function(self, call: Json, where: str) -> tuple[str, Mapping[str, Json]]:
        """The tool and the arguments of a call, whose function is an object of its own or is spread into the call."""
        if not isinstance(call, Mapping):
            refuse_trace("T112", where, f"a tool call is an object, not {in_words(call)}")
        if call.get("type") == "custom":
            name, written = self._named(call.get("custom"), step(where, "custom"), "input")
            return name, {"input": written}
        return (
            self._called(call["function"], step(where, "function")) if "function" in call else self._called(call, where)
        )

    def _called(self, function: Json, where: str) -> tuple[str, Mapping[str, Json]]:
        name, arguments = self._named(function, where, "arguments")
        return name, self._arguments(arguments, step(where, "arguments"))

    def _named(self, function: Json, where: str, key: str) -> tuple[str, Json]:
        """The name in a call, and what stands under a key that it must have."""
        if not isinstance(function, Mapping):
            refuse_trace("T112", where, f"expected an object with name and {key}, found {in_words(function)}")
        name = function.get("name")
        if not isinstance(name, str) or not name:
            found = in_words(name) if "name" in function else "none"
            refuse_trace("T112", where, f"the name of a called tool is a string that is not empty; found {found}")
        if key not in function:
            refuse_trace("T112", where, f"a call of '{name}' needs the key '{key}'", nearest(key, function))
        return name, function[key]

    def _arguments(self, arguments: Json, where: str) -> Mapping[str, Json]:
        if isinstance(arguments, str):
            try:
                arguments = strict_json.loads(arguments)
            except NotJson as fault:
                reason = "they are empty" if not arguments.strip() else fault.reason
                self._notes.add(f"arguments that are not JSON were taken as none: {reason}", where)
                return {}
        if not isinstance(arguments, Mapping):
            self._notes.add(f"arguments that are not an object but {in_words(arguments)} were taken as none", where)
            return {}
        if RAW_ARGUMENTS in arguments and len(arguments) == 1:
            self._notes.add("arguments that are not JSON were taken as none: so the log says", where)
            return {}
        return arguments

    # ---- text ----------------------------------------------------------------------------------------------------------

    def _text(self, message: Mapping[str, Json], where: str) -> str:
        """The text of a message; parts of a list and a refusal are joined by line ends."""
        text = self._content(message.get("content"), step(where, "content"))
        refusal = message.get("refusal")
        if refusal is not None and not isinstance(refusal, str):
            refuse_trace("T112", step(where, "refusal"), f"a refusal is a string, not {in_words(refusal)}")
        if message.get("audio") is not None:
            self._notes.add("a sound was left out", step(where, "audio"))
        return "\n".join(t for t in (text, refusal) if t)

    def _content(self, content: Json, where: str) -> str:
        if content is None:
            return ""
        if isinstance(content, str):
            return content
        if not isinstance(content, list):
            refuse_trace("T112", where, f"content is a string, an array of parts or null, not {in_words(content)}")
        return "\n".join(t for i, part in enumerate(content) if (t := self._part(part, step(where, i))))

    def _part(self, part: Json, where: str) -> str:
        if isinstance(part, str):
            return part
        if not isinstance(part, Mapping):
            refuse_trace("T112", where, f"a part of a message is an object or a string, not {in_words(part)}")
        kind = part.get("type")
        key = TEXT_PARTS.get(kind) if isinstance(kind, str) else None
        if key is not None:
            text = part.get(key)
            if not isinstance(text, str):
                refuse_trace("T112", where, f"a part of the type {kind} has a string under '{key}'")
            return text
        if not isinstance(kind, str) or "tool" in kind or "function" in kind:
            refuse_trace(
                "T111", where, f"a part of a message cannot be {in_words(part)}: it may be a call of another format"
            )
        self._notes.add(f"a part that is no text was left out: {kind}", where)
        return ""

    def _unwrapped(self, text: str, where: str) -> str:
        bare = text.strip()
        if not bare.startswith("{"):
            return text
        try:
            value = strict_json.loads(bare)
        except NotJson:
            return text
        if isinstance(value, dict) and list(value) == ["message"] and isinstance(value["message"], str):
            inner: str = value["message"]
            if inner.strip():
                self._notes.add('a text was taken out of the JSON it stood in, {"message": …}', where)
                return inner
        return text

    # ---- results -------------------------------------------------------------------------------------------------------

    def _tool(self, message: Mapping[str, Json], where: str) -> None:
        bundle = message.get("tool_messages")
        if bundle is not None:
            if not isinstance(bundle, list):
                refuse_trace("T112", step(where, "tool_messages"), f"expected an array, found {in_words(bundle)}")
            for position, inner in enumerate(bundle):
                place = step(step(where, "tool_messages"), position)
                if not isinstance(inner, Mapping):
                    refuse_trace("T112", place, f"a message is an object, not {in_words(inner)}")
                self._result(inner, place)
            return
        self._result(message, where)

    def _result(self, message: Mapping[str, Json], where: str) -> None:
        _needs(message, where, ("content", "error"))
        call = self._answered_call(message)
        if message.get("requestor") == "user" or (call is not None and call.event is None):
            self._notes.add("a tool result of the user's side was left out", where)
            if call is not None:
                self._open.remove(call)
            return
        if call is None:
            refuse_trace(
                "T115", where, f"this result answers no call of the response before it: {self._waiting(message)}"
            )
        self._open.remove(call)
        self._answered = True
        content = message.get("content")
        if _is_parts(content):
            content = self._content(content, step(where, "content"))
        error = message.get("error")
        if not content and isinstance(error, str) and error:
            content = error
        failed = is_error(content) or error is True or (isinstance(error, str) and bool(error))
        if isinstance(content, str):
            content, remark = decoded(content)
            if remark:
                self._notes.add(remark, where)
        assert call.event is not None
        self.events[call.event] = replace(self.events[call.event], result=content, outcome="failed" if failed else "ok")

    def _answered_call(self, message: Mapping[str, Json]) -> _Open | None:
        """Among the calls that wait: the first with the id of the result, that of the same tool before others; without ids, by order."""
        given, name, side = _answered_id(message), message.get("name"), message.get("requestor")
        waiting = [c for c in self._open if side is None or (c.event is None) == (side == "user")]
        fitting = [c for c in waiting if given is None or c.id == given or all(o.id is None for o in waiting)]
        same = [c for c in fitting if c.tool == name] if isinstance(name, str) and name else []
        return next(iter(same or fitting), None)

    def _waiting(self, message: Mapping[str, Json]) -> str:
        given = _answered_id(message)
        named = "" if given is None else f"its id is {in_words(given)}, and "
        number = len(self._open)
        return named + (
            "no call waits for a result" if not number else f"{number} call{'s' * (number > 1)} of other ids wait"
        )


def _needs(message: Mapping[str, Json], where: str, keys: tuple[str, ...]) -> None:
    if not any(key in message for key in keys):
        hint = next((n for key in message if (n := nearest(key, keys))), "")
        refuse_trace("T112", where, f"a message of this role needs one of the keys {', '.join(keys)}", hint)


def _is_parts(content: Json) -> bool:
    """Whether the content of a result is a list of parts, and not an array that a tool returned."""
    return (
        bool(content)
        and isinstance(content, list)
        and all(
            isinstance(p, Mapping) and isinstance(k := p.get("type"), str) and (k in TEXT_PARTS or k in OTHER_PARTS)
            for p in content
        )
    )


def _answered_id(message: Mapping[str, Json]) -> str | None:
    found = message.get("tool_call_id")
    found = message.get("id") if found is None else found
    return found if isinstance(found, str) and found else None


def _id(call: Json) -> str | None:
    found = call.get("id") if isinstance(call, Mapping) else None
    return found if isinstance(found, str) and found else None
