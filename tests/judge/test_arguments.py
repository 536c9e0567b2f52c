from typing import Any

import pytest

from agent_conformance.judge.calls import read_arguments, same_arguments

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
    "number in text with zeros": ({"days": 7}, {"days": "007"}),
    "text that begins with a zero": ({"city": "007"}, {"city": "007"}),
    "text of a fraction": ({"city": 0.5}, {"city": "0.5"}),
    "whole float": ({"city": "Oslo", "days": 3}, {"city": "Oslo", "days": 3.0}),
    "boolean in text": ({"city": "Oslo", "x": True}, {"city": "Oslo", "x": "true"}),
    "false in text": ({"city": "Oslo", "x": False}, {"city": "Oslo", "x": "false"}),
    "boolean as Python writes it": ({"city": "Oslo", "x": True}, {"city": "Oslo", "x": "True"}),
    "false as Python writes it": ({"city": "Oslo", "x": False}, {"city": "Oslo", "x": "False"}),
    "fraction in text": ({"x": 2.5}, {"x": "2.50"}),
    "whole float in text": ({"x": 3.0}, {"x": "3"}),
    "text of a whole float": ({"x": 3}, {"x": "3.0"}),
    "longest exact float in text": ({"x": 2.0**53 - 1}, {"x": "9007199254740991"}),
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
    "no object as it was sent": ("Oslo", "Oslo"),
    "list of one in place of all": (["Oslo"], "Oslo"),
    "null as it was sent": ({"x": None}, {"x": None}),
    "property the schema does not know left out within a list": (
        {"stops": [{"at": "x"}]},
        {"stops": [{"at": "x", "m": 1}]},
    ),
    "property the schema does not know left out in one of several schemas": (
        {"who": {"name": "a"}},
        {"who": {"name": "a", "m": 1}},
    ),
    "values within what the schema does not know": ({"x": {"a": [1, {"b": True}]}}, {"x": {"a": ["1", {"b": "true"}]}}),
    "object in a string there": ({"x": {"a": {"b": ["c"]}}}, {"x": {"a": '{"b": "c"}'}}),
    "list of one there": ({"x": {"a": [["b"]]}}, {"x": {"a": ["b"]}}),
    "list of one object in a string": ({"tags": [{"a": 1}]}, {"tags": '{"a": 1}'}),
    "half a character that the language has not": ({"city": "a\ufffd"}, {"city": "a\ud83d"}),
}

DIFFERENT = {
    "last digits of a long number": ({"days": 1234567890123456768}, {"days": 1234567890123456789}),
    "long number as a float": ({"days": 1234567890123456768.0}, {"days": 1234567890123456789}),
    "last digits of a long text": ({"city": "1234567890123456768"}, {"city": "1234567890123456789"}),
    "zeros at the start of a text": ({"city": "123"}, {"city": "00123"}),
    "zeros at the start of a text that became a number": ({"city": 123}, {"city": "00123"}),
    "another value": ({"city": "Bergen"}, {"city": "Oslo"}),
    "invented": ({"city": "Oslo", "days": 3}, {"city": "Oslo"}),
    "none at all": ({}, {"city": "Oslo"}),
    "one left out": ({"city": "Oslo"}, {"city": "Oslo", "days": 3}),
    "completed": ({"city": "Oslo"}, {"city": "Os"}),
    "true is not one": ({"x": True}, {"x": 1}),
    "order of a list": ({"tags": ["a", "b"]}, {"tags": ["b", "a"]}),
    "first of a list": ({"tags": ["c", "b"]}, {"tags": ["a", "b"]}),
    "list cut": ({"tags": ["a"]}, {"tags": ["a", "b"]}),
    "list made longer": ({"tags": ["a", "b"]}, {"tags": ["a"]}),
    "quotes of a text": ({"city": "Oslo"}, {"city": '"Oslo"'}),
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
    "property the schema does not know invented within a list": (
        {"stops": [{"at": "x", "m": 1}]},
        {"stops": [{"at": "x"}]},
    ),
    "property the schema does not know invented in one of several schemas": (
        {"who": {"name": "a", "m": 1}},
        {"who": {"name": "a"}},
    ),
    "list cut within what the schema does not know": ({"x": {"a": [1]}}, {"x": {"a": ["1", "2"]}}),
    "list made longer there": ({"x": {"a": [1, 2]}}, {"x": {"a": ["1"]}}),
    "property invented there": ({"x": {"a": 1, "b": 2}}, {"x": {"a": "1"}}),
    "property left out there": ({"x": {"a": 1}}, {"x": {"a": "1", "b": 2}}),
    "text for a list of one": ({"tags": "a"}, {"tags": ["a"]}),
    "text for a list of one there": ({"x": {"a": ["b"]}}, {"x": {"a": [["b"]]}}),
    "text for a list of one in place of all": ("Oslo", ["Oslo"]),
    "another fraction": ({"x": 2.5}, {"x": "2.6"}),
    "float that may have lost the last digit": ({"x": 2.0**53}, {"x": "9007199254740992"}),
    "digits with a line between them": ({"x": 1000}, {"x": "1_000"}),
    "true for false": ({"x": True}, {"x": "false"}),
    "true for another word": ({"x": True}, {"x": "yes"}),
    "null for an object": ({"where": None}, {"where": {"lat": 1}}),
    "object for null": ({"where": {"lat": 1}}, {"where": None}),
    "null for a list": ({"tags": None}, {"tags": ["a", "b"]}),
    "list for an object": ({"where": ["lat"]}, {"where": {"lat": 1}}),
    "object for a list": ({"tags": {"a": 1}}, {"tags": ["a"]}),
    "object for a text that is none": ({"where": {"lat": 1}}, {"where": "Oslo"}),
    "list for a text that is none": ({"tags": ["a", "b"]}, {"tags": "a, b"}),
}


@pytest.mark.parametrize("word", ["anyOf", "oneOf", "allOf"])
def test_object_may_be_described_by_one_of_several_schemas(word: str) -> None:
    schema = {"properties": {"who": {word: [{"type": "object", "properties": {"age": {"default": 7}}}]}}}

    assert same_arguments({"who": {"age": 7}}, {"who": {}}, schema)
    assert not same_arguments({"who": {"age": 8}}, {"who": {}}, schema)


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


@pytest.mark.parametrize(
    ("ran", "sent", "same"),
    [
        ({"codes": [7]}, {"codes": ["007"]}, False),
        ({"to": {"code": 7}}, {"to": {"code": "07"}}, False),
        ({"to": {"code": -7}}, {"to": {"code": "-07"}}, False),
        ({"codes": ["007"], "to": {"code": "07"}}, {"codes": ["007"], "to": {"code": "07"}}, True),
        ({"codes": [7], "to": {"code": 0.5}}, {"codes": ["7"], "to": {"code": "0.5"}}, True),
        ({"to": {"days": 7, "other": 7}}, {"to": {"days": "07", "other": "07"}}, True),
    ],
)
def test_zeros_of_a_text_within_a_list_or_an_object_are_not_lost(ran: Any, sent: Any, same: bool) -> None:
    text = {"type": "string"}
    to = {"type": "object", "properties": {"code": text, "days": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"codes": {"type": "array", "items": text}, "to": to}}

    assert same_arguments(ran, sent, schema) is same
