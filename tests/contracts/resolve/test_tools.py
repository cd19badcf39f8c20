"""Tools files: the known forms, real ones, and what is wrong with others."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from servanda.contracts.load import load_text
from servanda.contracts.toolfiles.schema_types import (
    ARRAY_MAX,
    NUMBER_DIGITS,
    schema_of_type,
    type_of_schema,
    typed_view,
)
from servanda.contracts.toolfiles.tools import Listing, read_tools
from servanda.contracts.types import (
    BoolType,
    DateType,
    EnumType,
    ListType,
    NumberType,
    RecordField,
    RecordType,
    StringType,
    Type,
    UntypedType,
)
from servanda.grammar.diagnostic import Refusal

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


def listed(document: Any) -> Listing:
    return read_tools(json.dumps(document), "tools.json")


def codes(document: Any) -> list[str]:
    return [f.code for f in listed(document).faults]


@pytest.mark.parametrize(
    "document",
    [
        [{"type": "function", "function": {"name": "t", "parameters": SCHEMA}}],
        [{"type": "function", "name": "t", "parameters": SCHEMA}],
        {"tools": [{"type": "function", "function": {"name": "t", "parameters": SCHEMA}}]},
        {"tools": [{"name": "t", "inputSchema": SCHEMA}]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "t", "inputSchema": SCHEMA}]}},
        {"one": [{"function": {"name": "t", "parameters": SCHEMA}}], "two": [{"function": {"name": "t", "parameters": SCHEMA}}]},
    ],
)  # fmt: skip
def test_one_tool_in_every_form(document: Any) -> None:
    found = listed(document)
    assert found.faults == ()
    (tool,) = found.tools
    assert (tool.name, tool.schema, tool.effect, tool.result) == ("t", SCHEMA, None, None)
    assert tool.arguments == RecordType("", (RecordField("a", StringType()),))


@pytest.mark.parametrize(
    ("hints", "effect"),
    [
        ({"readOnlyHint": True}, "reads"),
        ({"readOnlyHint": False}, "writes"),
        ({"destructiveHint": True}, "writes"),
        ({"destructiveHint": False}, None),
        ({"idempotentHint": True}, None),
        (None, None),
    ],
)
def test_hints_give_the_effect(hints: Any, effect: str | None) -> None:
    (tool,) = listed([{"name": "t", "inputSchema": SCHEMA, "annotations": hints}]).tools
    assert tool.effect == effect


def test_an_output_schema_types_the_result() -> None:
    result = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    (tool, other) = listed(
        [{"name": "t", "outputSchema": result}, {"name": "u", "outputSchema": {"type": ["string", "integer"]}}]
    ).tools
    assert tool.result == RecordType("", (RecordField("ok", BoolType()),))
    assert other.result is None


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string"}, StringType()),
        ({"type": "string", "format": "date"}, DateType()),
        ({"type": "string", "enum": ["b", "a", "b"]}, EnumType("", ("b", "a"))),
        ({"const": "a"}, EnumType("", ("a",))),
        ({"enum": [1, 2]}, UntypedType()),
        ({"type": "boolean"}, BoolType()),
        ({"type": "integer"}, NumberType()),
        ({"type": "integer", "minimum": 1, "exclusiveMaximum": 5}, NumberType(0, 1, 4)),
        ({"type": "integer", "minimum": Decimal("0.5"), "exclusiveMinimum": 2}, NumberType(0, 3)),
        ({"type": "integer", "exclusiveMaximum": Decimal("4.5")}, NumberType(0, None, 4)),
        ({"type": "number"}, NumberType(NUMBER_DIGITS)),
        ({"type": "number", "multipleOf": Decimal("0.01"), "minimum": 0}, NumberType(2, 0)),
        ({"type": "number", "multipleOf": 5}, NumberType(0)),
        ({"type": "array", "items": {"type": "string"}}, ListType(StringType(), ARRAY_MAX)),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 3}, ListType(StringType(), 3)),
        ({"type": "array"}, ListType(UntypedType(), ARRAY_MAX)),
        ({"type": ["string", "integer"]}, UntypedType()),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, UntypedType()),
        ({"type": "object"}, RecordType("", ())),
        ({}, UntypedType()),
        (True, UntypedType()),
    ],
)
def test_types_of_schemas(schema: Any, kind: Type) -> None:
    assert type_of_schema(schema) == kind


def test_fields_are_optional_unless_required_and_never_null() -> None:
    view = typed_view(
        {
            "type": "object",
            "properties": {
                "must": {"type": "string"},
                "may": {"type": "string"},
                "null": {"type": ["string", "null"]},
                "union": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                "inner": {"type": "object", "properties": {"x": {"$ref": "#/$defs/X"}}, "required": ["x"]},
            },
            "required": ["must", "null", "union", "inner"],
            "$defs": {"X": {"type": "boolean"}},
        }
    )
    assert [(f.name, f.optional) for f in view.fields] == [
        ("must", False),
        ("may", True),
        ("null", True),
        ("union", True),
        ("inner", False),
    ]
    assert view.fields[3].type == NumberType()
    assert view.fields[4].type == RecordType("", (RecordField("x", BoolType()),))


def test_a_schema_that_holds_itself_is_untyped_somewhere() -> None:
    loop = {"$ref": "#/$defs/T", "$defs": {"T": {"type": "object", "properties": {"next": {"$ref": "#/$defs/T"}}}}}
    assert isinstance(type_of_schema(loop), RecordType)
    assert type_of_schema({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}) == UntypedType()


@pytest.mark.parametrize(
    "kind",
    [
        BoolType(),
        NumberType(0, 1, 3),
        DateType(),
        StringType(),
        EnumType("", ("a", "b")),
        ListType(NumberType(0), 3),
        RecordType("", (RecordField("a", BoolType()), RecordField("b", StringType(), True))),
    ],
)
def test_schema_and_type_agree_both_ways(kind: Type) -> None:
    assert type_of_schema(schema_of_type(kind)) == kind


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("text", ["F111"]),
        ({"x": 1}, ["F111"]),
        ({}, ["F111"]),
        ([1], ["F112"]),
        ([{"function": {"parameters": SCHEMA}}], ["F112"]),
        ([{"name": "t", "parameters": {"type": "string"}}], ["F112"]),
        ([{"name": "t", "parameters": SCHEMA}, {"name": "t", "parameters": SCHEMA}], ["F113"]),
        ({"a": [{"name": "t", "parameters": SCHEMA}], "b": [{"name": "t"}]}, ["F113"]),
        ([{"name": "t", "parameters": {"type": "object", "properties": {"a": {"type": "text"}}}}], ["F114"]),
        ([{"name": "t", "parameters": {"$ref": "http://127.0.0.1:1/x.json"}}], ["F114"]),
        ([{"name": "t", "parameters": {"$ref": "#/$defs/none"}}], ["F114"]),
        ([{"name": "t", "parameters": {"required": ["a", "a"]}}], ["F114"]),
        ([1, {"name": "t", "parameters": {"required": 1}}, {"name": "u"}], ["F112", "F114"]),
    ],
)
def test_what_is_wrong_is_told(document: Any, expected: list[str]) -> None:
    assert codes(document) == expected


@pytest.mark.parametrize("text", ["", "{", '{"a": NaN}', '{"a": 1, "a": 2}', "[Infinity]", "[" * 100_000])
def test_what_is_no_json_is_told(text: str) -> None:
    assert [f.code for f in read_tools(text, "tools.json").faults] == ["F110"]


def test_openapi() -> None:
    document = {
        "openapi": "3.0.3",
        "paths": {
            "/orders/{id}": {
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "get": {
                    "operationId": "get_order",
                    "responses": {
                        "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}
                    },
                },
                "put": {
                    "operationId": "put_order",
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}},
                    },
                },
            }
        },
        "components": {
            "schemas": {
                "Order": {
                    "type": "object",
                    "required": ["status"],
                    "properties": {
                        "status": {"type": "string", "enum": ["open", "done"]},
                        "note": {"type": "string", "nullable": True},
                        "lines": {"type": "array", "items": {"$ref": "#/components/schemas/Line"}},
                    },
                },
                "Line": {"type": "object", "properties": {"price": {"type": "number"}}},
            }
        },
    }
    found = listed(document)
    assert found.faults == ()
    get, put = found.tools
    assert (get.name, get.effect, put.name, put.effect) == ("get_order", "reads", "put_order", None)
    status = EnumType("", ("open", "done"))
    assert isinstance(get.result, RecordType) and get.result.field("status") == RecordField("status", status)
    assert [(f.name, f.optional) for f in put.arguments.fields] == [
        ("id", False),
        ("status", False),
        ("note", True),
        ("lines", True),
    ]
    assert put.arguments.field("note") == RecordField("note", StringType(), True)
    lines = put.arguments.field("lines")
    assert lines is not None and isinstance(lines.type, ListType) and isinstance(lines.type.element, RecordType)


def test_an_operation_without_a_name_is_told() -> None:
    assert codes({"openapi": "3.1.0", "paths": {"/x": {"get": {}}}}) == ["F112"]


def test_real_tools_files(data: Path, tmp_path: Path) -> None:
    counts = {
        "tau_bench/retail_tools.json": 16,
        "tau_bench/airline_tools.json": 14,
        "agentdojo/tools.json": 69,
        "trace_formats/mcp_tools_list.json": 1,
    }
    for name, count in counts.items():
        found = read_tools((data / name).read_text("utf-8"), name)
        assert (len(found.tools), found.faults) == (count, ())
        (tmp_path / "tools.json").write_text((data / name).read_text("utf-8"), "utf-8")
        head = 'language 1\ncontract c version 1\nuse tools "tools.json"\n'
        contract, _ = load_text(head, "c.contract", tmp_path)
        assert sorted(contract.tools) == sorted(t.name for t in found.tools)


def test_a_hint_is_overridden_by_a_class(data: Path, tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text((data / "trace_formats/mcp_tools_list.json").read_text("utf-8"), "utf-8")
    head = 'language 1\ncontract c version 1\nuse tools "tools.json"\n'
    by_hint, _ = load_text(head, "c.contract", tmp_path)
    by_class, _ = load_text(head + "class neutral = cancel_pending_order\n", "c.contract", tmp_path)
    name = "cancel_pending_order"
    assert (by_hint.tools[name].effect, by_class.tools[name].effect) == ("writes", "neutral")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "F101"),
        ("folder", "F102"),
        (b"\xff[]", "F103"),
        (b"[", "F110"),
        (b"[1]", "F112"),
        (b" " * 5_000_000, "F104"),
    ],
)
def test_a_bad_tools_file_is_told_where_it_is_used(content: bytes | str | None, code: str, tmp_path: Path) -> None:
    place = tmp_path / "tools.json"
    if content == "folder":
        place.mkdir()
    elif isinstance(content, bytes):
        place.write_bytes(content)
    text = 'language 1\ncontract c version 1\nuse tools "tools.json"\nclass writes = pay\nrequire r by call pay where args.x == 1\n'
    with pytest.raises(Refusal) as caught:
        load_text(text, "c.contract", tmp_path)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert found.span is not None and text[found.span.start : found.span.end] == '"tools.json"'
