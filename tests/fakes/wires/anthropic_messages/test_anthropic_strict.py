"""Strict tools and structured output: keywords that are refused, and next to each what is accepted."""

from typing import Any

import pytest
from anthropic_requests import error_message, violation_of

from fake_providers.wires.anthropic_messages.rules.schemas import nodes


def context(schema: Any, **tool: Any) -> dict[str, Any]:
    whole = {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False}
    return {"tools": [{"name": "f", "strict": True, "input_schema": whole, **tool}]}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "integer", "minimum": 1}, "For 'integer' type, property 'minimum' is not supported"),
        (
            {"type": "number", "minimum": 0, "maximum": 1},
            "For 'number' type, properties maximum, minimum are not supported",
        ),
        ({"type": ["integer", "null"], "multipleOf": 5}, "For 'integer' type, property 'multipleOf' is not supported"),
        ({"type": "array", "items": {}, "maxItems": 3}, "For 'array' type, property 'maxItems' is not supported"),
        (
            {"type": "object", "additionalProperties": False, "propertyNames": {}},
            "For 'object' type, property 'propertyNames' is not supported",
        ),
        (
            {"type": "array", "items": {}, "minItems": 2},
            "For 'array' type, 'minItems' values other than 0 or 1 are not supported",
        ),
    ],
)
def test_unsupported_keyword_is_refused_in_compiled_schemas(schema: Any, message: str) -> None:
    format = {"type": "json_schema", "schema": context(schema)["tools"][0]["input_schema"]}

    assert error_message(**context(schema)) == f"tools.0.custom: {message}"
    assert error_message(output_config={"format": format}) == f"output_config.format.schema: {message}"
    assert violation_of(**context(schema, strict=False)) is None


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 1, "format": "date"},
        {"type": "array", "items": {"type": "string"}, "minItems": 1},
        {"type": "integer", "enum": [1, 2], "description": "a", "default": 1},
        {"type": "string", "minimum": 1},
        {"const": 1},
    ],
)
def test_other_keywords_are_accepted(schema: Any) -> None:
    assert violation_of(**context(schema)) is None


def definitions(**refers: str) -> dict[str, Any]:
    """A tool with definitions, each of which refers to those whose letters stand after it."""
    described = {
        name: {
            "type": "object",
            "properties": {target: {"$ref": f"#/$defs/{target}"} for target in targets},
            "required": list(targets),
            "additionalProperties": False,
        }
        for name, targets in refers.items()
    }
    tool = context({"type": "string"})
    tool["tools"][0]["input_schema"]["$defs"] = described
    return tool


@pytest.mark.parametrize(
    ("refers", "pair"),
    [
        ({"a": "a"}, "a -> a"),
        ({"a": "b", "b": "a"}, "a -> b"),
        ({"a": "b", "b": "c", "c": "a"}, "a -> b"),
        ({"d": "a", "a": "b", "b": "a"}, "a -> b"),
        ({"a": "bc", "b": "", "c": "a"}, "a -> c"),
    ],
)
def test_definitions_in_a_circle_are_refused_by_name(refers: dict[str, str], pair: str) -> None:
    sentence = f"tools.0.custom: Invalid schema: Circular reference detected in schema definitions: {pair}. "

    assert (error_message(**definitions(**refers)) or "").startswith(sentence)


@pytest.mark.parametrize("refers", [{"a": "b", "b": "c", "c": ""}, {"a": "bc", "b": "c", "c": ""}])
def test_definitions_that_refer_to_others_without_a_circle_are_accepted(refers: dict[str, str]) -> None:
    assert violation_of(**definitions(**refers)) is None


@pytest.mark.parametrize("union", ["oneOf", "allOf", "anyOf"])
def test_union_at_the_top_of_a_schema_is_refused(union: str) -> None:
    message = "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"

    assert error_message(tools=[{"name": "f", "input_schema": {"type": "object", union: [{}]}}]) == message
    assert error_message(tools=[{"name": "f", "input_schema": {"type": "object", "not": {}}}]) is None


def test_every_schema_within_a_schema_is_looked_at() -> None:
    inner = {"type": "integer"}
    schema = {
        **{word: {"a": inner} for word in ("properties", "$defs", "definitions", "patternProperties")},
        **{word: [inner, True] for word in ("anyOf", "oneOf", "allOf", "prefixItems")},
        **dict.fromkeys(("items", "additionalProperties", "not"), inner),
    }

    assert [node for node in nodes(schema) if node is not schema] == [inner] * 11
    assert list(nodes({"properties": [], "anyOf": {}, "items": True, "default": inner})) == [
        {"properties": [], "anyOf": {}, "items": True, "default": inner}
    ]
