from typing import Any

import jsonschema_rs
import pytest

from fakes.minimal import minimal_value

NODE = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "next": {"$ref": "#"}}}
SCHEMAS: dict[str, tuple[Any, Any]] = {
    "nothing-required": ({"type": "object", "properties": {"a": {"type": "string"}}}, {}),
    "no-properties": ({"type": "object"}, {}),
    "required": (
        {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
        {"a": "x"},
    ),
    "nested": (
        {
            "type": "object",
            "required": ["a"],
            "properties": {"a": {"required": ["b"], "properties": {"b": {"const": 7}}}},
        },
        {"a": {"b": 7}},
    ),
    "enum": ({"enum": ["celsius", "kelvin"]}, "celsius"),
    "default": ({"type": "integer", "default": 5}, 5),
    "example": ({"type": "string", "examples": ["Paris"]}, "Paris"),
    "long-string": ({"type": "string", "minLength": 3}, "xxx"),
    "integer": ({"type": "integer"}, 1),
    "integer-from": ({"type": "integer", "minimum": 10, "multipleOf": 4}, 12),
    "integer-above": ({"type": "integer", "exclusiveMinimum": 10}, 11),
    "integer-to": ({"type": "integer", "maximum": -3}, -3),
    "integer-below": ({"type": "integer", "exclusiveMaximum": 0}, -1),
    "number-from": ({"type": "number", "minimum": 0.5}, 1.0),
    "boolean": ({"type": "boolean"}, True),
    "null": ({"type": "null"}, None),
    "empty-array": ({"type": "array", "items": {"type": "string"}}, []),
    "array": ({"type": "array", "items": {"type": "string"}, "minItems": 2}, ["x", "x"]),
    "tuple": ({"type": "array", "prefixItems": [{"const": 1}], "items": {"const": 2}, "minItems": 2}, [1, 2]),
    "nullable": ({"type": ["null", "string"]}, "x"),
    "any-of": ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "x"),
    "one-of": ({"description": "d", "oneOf": [{"type": "integer"}, {"type": "string"}]}, 1),
    "all-of": (
        {
            "allOf": [
                {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}},
                {"required": ["b"], "properties": {"b": {"type": "boolean"}}},
            ]
        },
        {"a": "x", "b": True},
    ),
    "reference": (
        {
            "type": "object",
            "required": ["a"],
            "properties": {"a": {"$ref": "#/$defs/a~1b"}},
            "$defs": {"a/b": {"type": "integer"}},
        },
        {"a": 1},
    ),
    "contains-itself": (NODE, {"name": "x"}),
    "anything": ({}, None),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_least_value_fits_the_schema(name: str) -> None:
    schema, least = SCHEMAS[name]

    assert minimal_value(schema) == least
    assert jsonschema_rs.is_valid(schema, least)


@pytest.mark.parametrize(
    "schema",
    [
        None,
        True,
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}},
        {"anyOf": [{"$ref": "#"}]},
        {"allOf": [{"$ref": "#"}]},
        {"type": "object", "required": ["a"]},
    ],
)
def test_schema_that_nothing_can_be_made_of_ends(schema: Any) -> None:
    minimal_value(schema)


def test_types_in_capitals_are_known() -> None:
    schema = {"type": "OBJECT", "required": ["a"], "properties": {"a": {"type": "STRING"}}}

    assert minimal_value(schema) == {"a": "x"}
