from typing import Any

import pytest

from conformance.judge.arguments import read_arguments, same_arguments

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "units": {"type": "string", "default": "metric"},
        "where": {"type": "object", "properties": {"lat": {"type": "number"}, "note": {"type": "string"}}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "stops": {"type": "array", "items": {"type": "object", "properties": {"at": {"type": "string"}, "n": {}}}},
        "who": {"anyOf": [{"type": "object", "properties": {"name": {}, "age": {"default": 7}}}, {"type": "null"}]},
    },
    "required": ["city"],
}

SAME = {
    "equal": ({"city": "Oslo"}, {"city": "Oslo"}),
    "number in text": ({"city": "Oslo", "days": 3}, {"city": "Oslo", "days": "3"}),
    "text of a number": ({"city": "12"}, {"city": 12}),
    "whole float": ({"city": "Oslo", "days": 3}, {"city": "Oslo", "days": 3.0}),
    "boolean in text": ({"city": "Oslo", "x": True}, {"city": "Oslo", "x": "true"}),
    "default filled in": ({"city": "Oslo", "units": "metric"}, {"city": "Oslo"}),
    "default left out": ({"city": "Oslo"}, {"city": "Oslo", "units": "metric"}),
    "null for what was left out": ({"city": "Oslo", "days": None}, {"city": "Oslo"}),
    "null left out": ({"city": "Oslo"}, {"city": "Oslo", "days": None}),
    "a property the schema does not know left out": ({"city": "Oslo"}, {"city": "Oslo", "mood": "good"}),
    "object in a string": ({"city": "Oslo", "where": {"lat": 1}}, {"city": "Oslo", "where": '{"lat": 1}'}),
    "nested null": ({"where": {"lat": 1, "note": None}}, {"where": {"lat": 1}}),
    "list of one": ({"tags": ["a"]}, {"tags": "a"}),
    "list of one in a string": ({"tags": ["a"]}, {"tags": '["a"]'}),
    "list of two in a string": ({"tags": ["a", "b"]}, {"tags": '["a", "b"]'}),
    "null within a list": ({"stops": [{"at": "x", "n": None}]}, {"stops": [{"at": "x"}]}),
    "null within a list in a string": ({"stops": [{"at": "x", "n": None}]}, {"stops": '[{"at": "x"}]'}),
    "default of one of several schemas": ({"who": {"name": "a", "age": 7}}, {"who": {"name": "a"}}),
    "object made a string for the schema": ({"city": '{"name": "Oslo"}'}, {"city": {"name": "Oslo"}}),
    "number that JSON lacks, as JavaScript writes it": ({"days": None}, {"days": float("inf")}),
    "half a character that the language has not": ({"city": "a\ufffd"}, {"city": "a\ud83d"}),
}

DIFFERENT = {
    "last digits of a long number": ({"days": 1234567890123456768}, {"days": 1234567890123456789}),
    "long number as a float": ({"days": 1234567890123456768.0}, {"days": 1234567890123456789}),
    "last digits of a long text": ({"city": "1234567890123456768"}, {"city": "1234567890123456789"}),
    "zeros at the start of a text": ({"city": "123"}, {"city": "00123"}),
    "another value": ({"city": "Bergen"}, {"city": "Oslo"}),
    "invented": ({"city": "Oslo", "days": 3}, {"city": "Oslo"}),
    "none at all": ({}, {"city": "Oslo"}),
    "one left out": ({"city": "Oslo"}, {"city": "Oslo", "days": 3}),
    "completed": ({"city": "Oslo"}, {"city": "Os"}),
    "true is not one": ({"x": True}, {"x": 1}),
    "order of a list": ({"tags": ["a", "b"]}, {"tags": ["b", "a"]}),
    "nested invention": ({"where": {"lat": 1, "note": "x"}}, {"where": {"lat": 1}}),
    "case of text": ({"city": "oslo"}, {"city": "Oslo"}),
    "another in a list": ({"tags": ["b"]}, {"tags": '["a"]'}),
    "invented within a list": ({"stops": [{"at": "x", "n": 1}]}, {"stops": [{"at": "x"}]}),
    "object made a string against the schema": ({"tags": '{"a": 1}'}, {"tags": {"a": 1}}),
    "character lost beside half a one": ({"city": "\ufffd"}, {"city": "a\ud83d"}),
    "null for what is no JSON": ({"days": None}, {"days": float("nan")}),
    "null for a number": ({"days": None}, {"days": 3}),
    "number that JSON lacks for null": ({"days": float("inf")}, {"days": None}),
    "no object": ("Oslo", {"city": "Oslo"}),
}


@pytest.mark.parametrize(("ran", "sent"), SAME.values(), ids=SAME)
def test_coercion_and_defaults_are_the_same_arguments(ran: Any, sent: Any) -> None:
    assert same_arguments(ran, sent, SCHEMA)


@pytest.mark.parametrize(("ran", "sent"), DIFFERENT.values(), ids=DIFFERENT)
def test_invented_changed_or_dropped_values_are_other_arguments(ran: Any, sent: Any) -> None:
    assert not same_arguments(ran, sent, SCHEMA)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        ("  \n", {}),
        ("null", {}),
        ('{"a": 1}', {"a": 1}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ("[1]", [1]),
        ('"x"', "x"),
    ],
)
def test_argument_text_is_read_as_json_with_nothing_for_no_arguments(text: str, value: object) -> None:
    assert read_arguments(text) == value


@pytest.mark.parametrize("text", ['{"a": ', '{"a": 1}{"a": 2}', "x"])
def test_argument_text_that_is_no_json_raises(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        read_arguments(text)
