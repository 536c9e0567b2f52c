from typing import Any

import jsonschema_rs
import pytest

from fake_providers.values.minimal_value import MOST, minimal_value

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
    "date": ({"type": "string", "format": "date"}, "2026-01-01"),
    "long-uuid": ({"type": "string", "format": "uuid", "minLength": 40}, "x" * 40),
    "unusual-format": ({"type": "string", "format": "isbn"}, "x"),
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


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "required": [["a"], None, 1]},
        {"type": "object", "required": "a"},
        {"type": "object", "required": ["a"], "properties": [{"a": 1}]},
        {"enum": {"a": 1}},
        {"enum": 7},
        {"anyOf": {"a": {}}},
        {"allOf": True},
        {"$ref": ["#"]},
        {"type": "array", "minItems": 1, "prefixItems": "string"},
        {"type": "array", "minItems": "3"},
        {"type": "string", "minLength": None},
        {"type": "number", "minimum": "0"},
        {"type": "number", "minimum": float("inf")},
        {"type": "number", "minimum": 10**400, "multipleOf": 0.5},
        {"type": "number", "exclusiveMaximum": 1, "multipleOf": []},
        {"type": {"a": 1}},
    ],
)
def test_schema_that_is_none_is_survived(schema: Any) -> None:
    minimal_value(schema)
    minimal_value({"type": "object", "required": ["a"], "properties": {"a": schema}})


NAMES = [f"a{number}" for number in range(20)]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 10**12},
        {"type": "array", "minItems": 10**12, "items": {"type": "string"}},
        {"type": "object", "required": NAMES, "properties": {name: {"$ref": "#"} for name in NAMES}},
        {"allOf": [{"$ref": "#"}] * 20},
        {"type": "array", "minItems": 20, "items": {"$ref": "#"}},
    ],
    ids=["long-text", "long-array", "wide-and-deep", "parts-of-parts", "arrays-of-arrays"],
)
def test_schema_that_asks_for_too_much_gets_less(schema: Any) -> None:
    assert len(str(minimal_value(schema))) < 200 * MOST
