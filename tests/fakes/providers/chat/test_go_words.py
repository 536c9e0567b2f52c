"""What Go's validator says of a value, by keyword, and of a value that is right."""

from typing import Any

import pytest

from fake_providers.providers.groq.groq_chat import go_words
from fake_providers.replies.call_validation import mismatches


def said(schema: Any, value: Any) -> list[str]:
    return go_words(mismatches(schema, value), schema)


def on_a(**schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}}


CASES: list[tuple[dict[str, Any], Any, Any, str]] = [
    ({"type": "integer"}, 1.5, 1.0, "expected integer, but got number"),
    ({"type": "array"}, "x", [], "expected array, but got string"),
    ({"type": "object"}, None, {}, "expected object, but got null"),
    ({"type": "string"}, True, "x", "expected string, but got boolean"),
    ({"type": "number"}, [], 1, "expected number, but got array"),
    ({"type": "boolean"}, {}, False, "expected boolean, but got object"),
    ({"type": ["string", "null"]}, 1, None, "expected string or null, but got number"),
    ({"type": ["null", "integer"]}, "1", 1, "expected null or integer, but got string"),
    ({"type": "string", "enum": ["x", "y"]}, "z", "x", 'value must be one of "x", "y"'),
    ({"enum": ["x"]}, "z", "x", 'value must be "x"'),
    ({"enum": ["é"]}, "z", "é", 'value must be "é"'),
    ({"enum": [1, None, True]}, 2, 1, 'value must be one of "1", <nil>, true'),
    ({"enum": [1, {}]}, 2, {}, "enum failed"),
    ({"const": "x"}, "y", "x", 'value must be "x"'),
    ({"const": [1]}, "y", [1], "const failed"),
    ({"type": "string", "minLength": 1}, "", "é", "length must be >= 1, but got 0"),
    ({"maxLength": 2}, "abc", "ab", "length must be <= 2, but got 3"),
    ({"pattern": "^\\d+'$"}, "x", "7'", "does not match pattern '^\\\\d+\\'$'"),
    ({"minimum": 1}, 0.5, 1, "must be >= 1 but found 0.5"),
    ({"maximum": 1_000_000}, 1_000_001, 1_000_000, "must be <= 1e+06 but found 1000001"),
    ({"maximum": 1.2345678}, 2, 1, "must be <= 1.2345678 but found 2"),
    ({"minimum": 10**400}, 2, 10**400, "must be >= +Inf but found 2"),
    ({"exclusiveMinimum": 1}, 1, 2, "must be > 1 but found 1"),
    ({"exclusiveMaximum": 1}, 1, 0, "must be < 1 but found 1"),
    ({"multipleOf": 2}, 3, 4, "3 not multipleOf 2"),
    ({"minItems": 2}, [1], [1, 2], "minimum 2 items required, but found 1 items"),
    ({"maxItems": 0}, [1], [], "maximum 0 items required, but found 1 items"),
    ({"uniqueItems": True}, [3, 1, 1], [3, 1], "items at index 1 and 2 are equal"),
    ({"minProperties": 1}, {}, {"x": 1}, "minimum 1 properties allowed, but found 0 properties"),
    ({"maxProperties": 0}, {"x": 1}, {}, "maximum 0 properties allowed, but found 1 properties"),
    ({"required": ["x", "y"]}, {}, {"x": 1, "y": 1}, "missing properties: 'x', 'y'"),
    ({"properties": {}, "additionalProperties": False}, {"it's": 1}, {}, "additionalProperties 'it\\'s' not allowed"),
    ({"not": {"type": "null"}}, None, 1, "not failed"),
    ({"oneOf": [{"type": "integer"}, {}, {}]}, "x", None, "valid against schemas at indexes 1 and 2"),
]


@pytest.mark.parametrize(("schema", "wrong", "right", "words"), CASES[:-1])
def test_keyword_has_the_librarys_words(schema: dict[str, Any], wrong: Any, right: Any, words: str) -> None:
    assert said(on_a(**schema), {"a": wrong}) == [f"`/a`: {words}"]
    assert said(on_a(**schema), {"a": right}) == []
    assert said(schema, wrong) == [words]


def test_first_two_of_several_that_fit_are_named() -> None:
    schema, wrong, _, words = CASES[-1]

    assert said(on_a(**schema), {"a": wrong}) == [f"`/a`: {words}"]
    assert said(on_a(oneOf=schema["oneOf"][:2]), {"a": "x"}) == []


def test_what_is_missing_comes_before_the_values_and_what_is_too_much_after_them() -> None:
    schema = {**on_a(type="string"), "required": ["y", "x"], "additionalProperties": False}

    assert said(schema, {"z": 1, "a": 1}) == [
        "missing properties: 'y', 'x'",
        "`/a`: expected string, but got number",
        "additionalProperties 'z' not allowed",
    ]


def test_place_starts_at_the_root() -> None:
    items = {"type": "object", "properties": {"x/y ~": {"type": "string"}}, "required": ["q"]}

    assert said(on_a(type="array", items=items), {"a": [{"q": 1}, {}, {"q": 1, "x/y ~": 2}]}) == [
        "`/a/1`: missing properties: 'q'",
        "`/a/2/x~1y%20~0`: expected string, but got number",
    ]


def test_wrong_type_ends_what_is_said_of_its_value_alone() -> None:
    items = {"type": "string", "enum": ["x", "y"]}

    assert said(on_a(type="array", items=items), {"a": [1, "z"]}) == [
        "`/a/0`: expected string, but got number",
        '`/a/1`: value must be one of "x", "y"',
    ]


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_errors_of_each_branch_are_reported(keyword: str) -> None:
    branches = [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]

    assert said(on_a(**{keyword: branches}), {"a": [7]}) == [
        "`/a`: expected string, but got array",
        "`/a/0`: expected string, but got number",
    ]
    assert said(on_a(**{keyword: branches}), {"a": ["x"]}) == []


def test_missing_properties_are_reported_for_each_branch() -> None:
    schema = {"anyOf": [{"required": ["a", "b"]}, {"required": ["c"]}]}

    assert said(schema, {}) == ["missing properties: 'a', 'b'", "missing properties: 'c'"]
    assert said(schema, {"c": 1}) == []


def test_reference_is_reported_by_its_target() -> None:
    schema = {**on_a(**{"$ref": "#/$defs/text"}), "$defs": {"text": {"type": ["string", "null"]}}}

    assert said(schema, {"a": 1}) == ["`/a`: expected string or null, but got number"]


def test_type_of_a_schema_that_has_an_address_is_found_all_the_same() -> None:
    schema = {"$id": "urn:top", **on_a(**{"$ref": "urn:part"}), "$defs": {"p": {"$id": "urn:part", "type": "string"}}}

    assert said(schema, {"a": 1}) == ["`/a`: expected string, but got number"]


def test_format_counts_in_the_drafts_that_assert_it() -> None:
    older = {"$schema": "http://json-schema.org/draft-07/schema#", **on_a(format="email")}

    assert said(older, {"a": "unknown"}) == ["`/a`: 'unknown' is not valid 'email'"]
    assert said(on_a(format="email"), {"a": "unknown"}) == []
