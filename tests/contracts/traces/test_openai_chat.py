"""OpenAI chat: turns, pairs of call and result, texts, and what is refused."""

import json
from decimal import Decimal
from typing import Any

import pytest

from servanda.contracts.observed import MISSING, Trace
from servanda.contracts.readers.openai_chat import read_openai
from servanda.grammar.diagnostic import Refusal


def call(name: str, arguments: Any = "{}", call_id: str | None = "c1") -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def assistant(*calls: Any, content: Any = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def tool(content: Any, call_id: str = "c1", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def read(*messages: Any) -> Trace:
    return read_openai({"messages": list(messages)}, "chat.json", name="chat")


def refused(record: Any) -> tuple[str, str]:
    with pytest.raises(Refusal) as caught:
        read_openai(record, "chat.json")
    (found,) = caught.value.diagnostics
    return found.code, found.message


def shown(trace: Trace) -> list[tuple[Any, ...]]:
    return [(e.turn, e.name, e.text or e.result) for e in trace.events]


# ---- turns -------------------------------------------------------------------------------------------------------------


def test_text_and_calls_of_one_message_are_one_turn() -> None:
    trace = read(
        user("hi"), assistant(call("find", {"n": 1}), content="One moment"), tool("x"), assistant(content="Done")
    )
    assert shown(trace) == [
        (0, "user", "hi"),
        (1, "assistant", "One moment"),
        (1, "find", "x"),
        (2, "assistant", "Done"),
    ]
    assert [e.path for e in trace.events] == [
        "$.messages[0]",
        "$.messages[1]",
        "$.messages[1].tool_calls[0]",
        "$.messages[3]",
    ]
    assert [e.index for e in trace.events] == [0, 1, 2, 3]


def test_six_parallel_calls_are_one_turn_with_their_results() -> None:
    calls = [call(f"t{i}", {"i": i}, f"c{i}") for i in range(6)]
    results = [tool(f"r{i}", f"c{i}") for i in reversed(range(6))]
    trace = read(user("go"), assistant(*calls), *results)
    assert shown(trace) == [(0, "user", "go"), *((1, f"t{i}", f"r{i}") for i in range(6))]


def test_system_and_developer_messages_are_dropped_with_a_note() -> None:
    trace = read({"role": "system", "content": "Be good"}, {"role": "developer", "content": "x"}, user("hi"))
    assert shown(trace) == [(0, "user", "hi")]
    assert trace.events[0].path == "$.messages[2]"
    assert [n.split(":")[0] for n in trace.notes] == [
        "a system message was left out",
        "a developer message was left out",
    ]


@pytest.mark.parametrize("content", [None, "", "  \n"])
def test_empty_text_beside_a_call_is_no_event(content: Any) -> None:
    trace = read(assistant(call("find"), content=content), tool("x"))
    assert shown(trace) == [(0, "find", "x")]
    assert trace.notes == ()


def test_an_empty_message_is_dropped_with_a_note_and_is_no_turn() -> None:
    trace = read(user("hi"), {"role": "assistant", "content": ""}, {"role": "assistant", "content": "yes"})
    assert shown(trace) == [(0, "user", "hi"), (1, "assistant", "yes")]
    assert trace.notes == ("an empty message was left out ($.messages[1])",)


# ---- pairs -------------------------------------------------------------------------------------------------------------


def test_an_id_that_repeats_in_one_run_pairs_by_adjacency() -> None:
    trace = read(
        assistant(call("find", {"n": 1}, "same")),
        tool("first", "same"),
        assistant(call("find", {"n": 2}, "same")),
        tool("second", "same"),
    )
    assert [(dict(e.args), e.result) for e in trace.events] == [({"n": 1}, "first"), ({"n": 2}, "second")]


def test_an_id_that_repeats_in_one_message_pairs_by_order_and_tool() -> None:
    trace = read(
        assistant(call("a", "{}", "same"), call("b", "{}", "same"), call("b", "{}", "same")),
        tool("for b", "same", name="b"),
        tool("for a", "same"),
        tool("for b again", "same"),
    )
    assert shown(trace) == [(0, "a", "for a"), (0, "b", "for b"), (0, "b", "for b again")]


def test_results_without_ids_pair_by_order() -> None:
    first, second = ({"role": "tool", "content": c} for c in ("one", "two"))
    assert shown(read(assistant(call("a"), call("b")), first, second)) == [(0, "a", "one"), (0, "b", "two")]


def test_a_call_without_a_result_is_unknown() -> None:
    trace = read(assistant(call("a", "{}", "c1"), call("b", "{}", "c2")), tool("x", "c2"), user("next"))
    assert [(e.name, e.outcome, e.result) for e in trace.events[:2]] == [("a", "unknown", MISSING), ("b", "ok", "x")]
    assert trace.complete


def test_a_run_that_ends_with_calls_of_which_none_came_back_is_open() -> None:
    trace = read(user("go"), assistant(call("a")))
    assert not trace.complete
    assert trace.notes == ("the run is open: its last calls have no result",)


@pytest.mark.parametrize(
    ("messages", "place", "why"),
    [
        ([tool("x")], 0, 'its id is the string "c1", and no call waits for a result'),
        ([assistant(call("a")), tool("x"), tool("y")], 2, 'its id is the string "c1", and no call waits for a result'),
        ([assistant(call("a")), tool("x", "other")], 1, 'its id is the string "other", and 1 call of other ids wait'),
        (
            [assistant(call("a")), assistant(call("b", "{}", "c2")), tool("late")],
            2,
            'its id is the string "c1", and 1 call of other ids wait',
        ),
        ([{"role": "tool", "content": "x"}], 0, "no call waits for a result"),
    ],
)
def test_a_result_without_a_call_is_refused(messages: list[Any], place: int, why: str) -> None:
    assert refused({"messages": messages}) == (
        "T115",
        f"$.messages[{place}]: this result answers no call of the response before it: {why}",
    )


def test_the_old_form_with_one_function_call() -> None:
    trace = read(
        user("go"),
        {"role": "assistant", "content": None, "function_call": {"name": "find", "arguments": '{"n": 1}'}},
        {"role": "function", "name": "find", "content": '{"ok": true}'},
    )
    found = trace.events[1]
    assert (found.turn, found.name, found.args, found.result, found.path) == (
        1,
        "find",
        {"n": 1},
        {"ok": True},
        "$.messages[1].function_call",
    )


def test_a_custom_tool_call_keeps_its_input() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "shell", "input": "ls"}}
    assert read(assistant(custom), tool("x")).events[0].args == {"input": "ls"}


# ---- arguments ---------------------------------------------------------------------------------------------------------


def test_arguments_keep_exact_numbers() -> None:
    assert read(assistant(call("pay", '{"amount": 0.10, "n": 12345678901234567890}')), tool("x")).events[0].args == {
        "amount": Decimal("0.10"),
        "n": 12345678901234567890,
    }


@pytest.mark.parametrize(
    ("written", "remark"),
    [
        (
            '{"a": 1',
            "arguments that are not JSON were taken as none: the text ends where a comma or the closing bracket should stand",
        ),
        ("", "arguments that are not JSON were taken as none: they are empty"),
        ('{"a": 1, "a": 2}', 'arguments that are not JSON were taken as none: the key "a" stands twice in one object'),
        ("[1]", "arguments that are not an object but an array of 1 element were taken as none"),
        ("null", "arguments that are not an object but null were taken as none"),
        ('"x"', 'arguments that are not an object but the string "x" were taken as none'),
        ('{"__raw__": "{bad"}', "arguments that are not JSON were taken as none: so the log says"),
    ],
)
def test_arguments_that_are_no_object_leave_an_attempt_without_arguments(written: str, remark: str) -> None:
    trace = read(assistant(call("find", written)), tool("x"))
    assert (trace.events[0].name, trace.events[0].args, trace.events[0].outcome) == ("find", {}, "ok")
    assert trace.notes == (f"{remark} ($.messages[0].tool_calls[0].function.arguments)",)


def test_arguments_may_be_an_object_already() -> None:
    written = {"id": "c1", "function": {"name": "find", "arguments": {"n": 1}}}
    assert read(assistant(written), tool("x")).events[0].args == {"n": 1}


# ---- text --------------------------------------------------------------------------------------------------------------


def test_parts_are_joined_and_what_is_no_text_is_noted() -> None:
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {"url": "x"}},
        "b",
        {"type": "refusal", "refusal": "c"},
    ]
    trace = read(user(parts))
    assert trace.events[0].text == "a\nb\nc"
    assert trace.notes == ("a part that is no text was left out: image_url ($.messages[0].content[1])",)


def test_a_refusal_is_text() -> None:
    assert read({"role": "assistant", "content": None, "refusal": "I cannot."}).events[0].text == "I cannot."
    assert read({"role": "assistant", "content": "Well.", "refusal": "I cannot."}).events[0].text == "Well.\nI cannot."


def test_text_that_is_json_stays_as_it_is() -> None:
    assert read({"role": "assistant", "content": '{"message": "x"}'}).events[0].text == '{"message": "x"}'


# ---- results -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ('{"a": 1.50, "b": [true, null]}', {"a": Decimal("1.50"), "b": [True, None]}),
        ("[1, 2]", [1, 2]),
        (" 750 ", 750),
        ("12.5", Decimal("12.5")),
        ("true", True),
        ("null", "null"),
        ('"quoted"', '"quoted"'),
        ("ann_lee_1", "ann_lee_1"),
        ("007", "007"),
        ("", ""),
        ("- all_day: false\n  id_: '13'", "- all_day: false\n  id_: '13'"),
        ("The order is on its way.", "The order is on its way."),
        (None, None),
        ({"a": 1}, {"a": 1}),
        ([{"a": 1}], [{"a": 1}]),
        ([], []),
        ([{"type": "text", "text": '{"a":'}, {"type": "text", "text": "1}"}], {"a": 1}),
    ],
)
def test_what_an_answer_says(content: Any, result: Any) -> None:
    trace = read(assistant(call("find")), tool(content))
    found = trace.events[0].result
    assert (found, type(found), trace.events[0].outcome, trace.notes) == (result, type(result), "ok", ())


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ("(True, 750)", [True, 750]),
        ("{'a': 1, 'b': None}", {"a": 1, "b": None}),
        ("[1, -2.5, 'x', ()]", [1, Decimal("-2.5"), "x", []]),
        ("{'amount': 0.1}", {"amount": Decimal("0.1")}),
        ("[{'id': \"it's\"}]", [{"id": "it's"}]),
        ("('a',)", ["a"]),
    ],
)
def test_a_python_literal_is_read_with_a_note(content: str, result: Any) -> None:
    trace = read(assistant(call("find")), tool(content))
    assert trace.events[0].result == result
    assert trace.notes == ("a result was read as a Python literal ($.messages[1])",)


@pytest.mark.parametrize(
    "content",
    [
        "{'a': open('x')}",
        "[x for x in y]",
        "{1: 'a'}",
        "{'a': 1, 'a': 2}",
        "{'a', 'b'}",
        "[1e999]",
        "[1j]",
        "[b'x']",
        "['\\ud800']",
        "[NaN]",
        '{"a": NaN}',
        "{**x}",
        "(" * 5000 + ")" * 5000,
        "[" + "9" * 2000 + "]",
        "[0x" + "f" * 5000 + "]",
        "(see below)",
        "['\\d', \0]",
    ],
)
def test_what_only_looks_like_data_stays_text_with_a_note(content: str) -> None:
    trace = read(assistant(call("find")), tool(content))
    assert trace.events[0].result == content
    assert trace.notes == (
        "a result that looks like data is neither JSON nor a Python literal, and was kept as text ($.messages[1])",
    )


@pytest.mark.parametrize(
    ("message", "outcome", "result"),
    [
        (tool("Error: order not found"), "failed", "Error: order not found"),
        (tool(" Error executing tool"), "failed", " Error executing tool"),
        (tool("No error"), "ok", "No error"),
        (tool("error: lower case"), "ok", "error: lower case"),
        (tool('{"error": "x"}'), "ok", {"error": "x"}),
        (tool("x", error=True), "failed", "x"),
        (tool("x", error=False), "ok", "x"),
        (tool("x", error=None), "ok", "x"),
        (tool("", error="ValueError: bad"), "failed", "ValueError: bad"),
        (tool([{"type": "text", "text": "Error: x"}]), "failed", "Error: x"),
    ],
)
def test_an_answer_that_begins_with_error_is_a_failed_attempt(
    message: dict[str, Any], outcome: str, result: Any
) -> None:
    event = read(assistant(call("find")), message).events[0]
    assert (event.outcome, event.result) == (outcome, result)


# ---- containers --------------------------------------------------------------------------------------------------------


def test_a_bare_array_of_messages() -> None:
    trace = read_openai([user("hi")], "chat.json", name="chat")
    assert (trace.id, trace.events[0].path, trace.output) == ("chat", "$[0]", MISSING)


@pytest.mark.parametrize(
    ("record", "path"),
    [
        (
            {"messages": [user("hi")], "choices": [{"message": {"role": "assistant", "content": "yo"}}]},
            "$.choices[0].message",
        ),
        (
            {
                "request": {"messages": [user("hi")]},
                "response": {"choices": [{"message": {"role": "assistant", "content": "yo"}}]},
            },
            "$.response.choices[0].message",
        ),
        (
            {
                "custom_id": "x",
                "body": {"messages": [user("hi")]},
                "response": {"body": {"choices": [{"message": {"role": "assistant", "content": "yo"}}]}},
            },
            "$.response.body.choices[0].message",
        ),
    ],
)
def test_a_request_with_its_response(record: dict[str, Any], path: str) -> None:
    trace = read_openai(record, "chat.json")
    assert shown(trace) == [(0, "user", "hi"), (1, "assistant", "yo")]
    assert trace.events[1].path == path
    assert trace.complete


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_an_answer_that_was_cut_leaves_the_run_open(reason: str) -> None:
    record = {
        "messages": [user("hi")],
        "choices": [{"message": {"role": "assistant", "content": "yo"}, "finish_reason": reason}],
    }
    trace = read_openai(record, "chat.json")
    assert not trace.complete
    assert trace.notes == (f"the run is open: its last answer ended by {reason}",)


def test_only_the_first_choice_is_read_and_a_note_says_so() -> None:
    choice = {"message": {"role": "assistant", "content": "yo"}}
    trace = read_openai({"messages": [], "choices": [choice, choice]}, "chat.json")
    assert len(trace.events) == 1
    assert trace.notes == ("only the first of 2 choices was read ($.choices)",)


def test_id_and_model_of_the_record() -> None:
    trace = read_openai({"id": "run-7", "model": "m", "messages": [user("hi")]}, "chat.json", name="chat")
    assert (trace.id, trace.tags) == ("run-7", {"model": "m"})


@pytest.mark.parametrize(
    ("record", "code", "message"),
    [
        (5, "T112", "$: a chat is an object with messages or an array of messages, not the number 5"),
        ({"a": 1}, "T112", "$: a chat has 'messages' or 'choices'; this is an object with the key a"),
        ({"messages": {}}, "T112", "$.messages: messages are an array, not an empty object"),
        ({"messages": [1]}, "T112", "$.messages[0]: a message is an object, not the number 1"),
        ({"choices": []}, "T112", "$.choices: choices are an array that is not empty; this is an empty array"),
        ({"choices": [1]}, "T112", "$.choices[0]: a choice is an object with an object under 'message'"),
        (
            {"messages": [{"role": "asistant"}]},
            "T116",
            '$.messages[0]: the role is one of user, assistant, tool, function, system, developer, not the string "asistant"',
        ),
        (
            {"messages": [{"content": "x"}]},
            "T116",
            "$.messages[0]: the role is one of user, assistant, tool, function, system, developer, not none",
        ),
        (
            {"messages": [user(7)]},
            "T112",
            "$.messages[0].content: content is a string, an array of parts or null, not the number 7",
        ),
        (
            {"messages": [user([7])]},
            "T112",
            "$.messages[0].content[0]: a part of a message is an object or a string, not the number 7",
        ),
        (
            {"messages": [user([{"type": "text"}])]},
            "T112",
            "$.messages[0].content[0]: a part of the type text has a string under 'text'",
        ),
        (
            {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "name": "x"}]}]},
            "T111",
            "$.messages[0].content[0]: a part of a message cannot be an object with the keys type, name: it may be a call of another format",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": {}}]},
            "T112",
            "$.messages[0].tool_calls: tool calls are an array, not an empty object",
        ),
        (
            {"messages": [assistant(1)]},
            "T112",
            "$.messages[0].tool_calls[0]: a tool call is an object, not the number 1",
        ),
        (
            {"messages": [assistant({"function": "find", "args": {}})]},
            "T112",
            '$.messages[0].tool_calls[0].function: expected an object with name and arguments, found the string "find"',
        ),
        (
            {"messages": [assistant({"function": {"arguments": "{}"}})]},
            "T112",
            "$.messages[0].tool_calls[0].function: the name of a called tool is a string that is not empty; found none",
        ),
        (
            {"messages": [assistant({"function": {"name": "find"}})]},
            "T112",
            "$.messages[0].tool_calls[0].function: a call of 'find' needs the key 'arguments'",
        ),
        (
            {"messages": [{"role": "assistant", "refusal": 1}]},
            "T112",
            "$.messages[0].refusal: a refusal is a string, not the number 1",
        ),
    ],
)
def test_what_is_no_chat_is_refused_at_its_place(record: Any, code: str, message: str) -> None:
    assert refused(record) == (code, message)
