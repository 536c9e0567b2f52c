import asyncio
import inspect
import typing
from typing import Any, Literal

import pytest

from agent_conformance import Tool
from agent_conformance.adapter.functions import fields_of, property_schemas

PARAMETERS = {
    "type": "object",
    "properties": {
        "unit": {"type": "string", "enum": ["C", "F"], "description": "Scale of\nthe answer."},
        "city": {"type": "string", "description": "Where."},
        "days": {"type": "integer"},
        "from": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "extra": {"type": "object"},
        "limit": {"type": "integer", "default": 5},
    },
    "required": ["city", "days"],
}


def tool(parameters: dict[str, Any] = PARAMETERS, name: str = "get-weather") -> tuple[Tool, list[Any]]:
    received: list[Any] = []

    async def arun(arguments: Any) -> str:
        received.append(arguments)
        return "7 degrees"

    def run(arguments: Any) -> str:
        received.append(arguments)
        return "7 degrees"

    return Tool(name, "Current weather.", parameters, run=run, arun=arun), received


def of_type(schema: dict[str, Any]) -> Any:
    made = tool({"type": "object", "properties": {"x": schema}, "required": ["x"]})[0].function()
    return inspect.signature(made).parameters["x"].annotation


def test_function_has_name_and_documentation_of_the_tool():
    function = tool()[0].function()

    assert function.__name__ == "get_weather"
    assert function.__doc__ == (
        "Current weather.\n\nArgs:\n    city: Where.\n    days: days\n    unit: Scale of the answer.\n"
        "    from_: from\n    tags: tags\n    extra: extra\n    limit: limit"
    )


def test_signature_has_required_parameters_first():
    parameters = inspect.signature(tool()[0].function()).parameters

    assert list(parameters) == ["city", "days", "unit", "from_", "tags", "extra", "limit"]
    assert parameters["city"].default is inspect.Parameter.empty
    assert parameters["unit"].default is None
    assert parameters["limit"].default == 5


def test_annotations_are_what_type_hints_give():
    assert typing.get_type_hints(tool()[0].function()) == {
        "city": str,
        "days": int,
        "unit": Literal["C", "F"] | None,
        "from_": str | None,
        "tags": list[str] | None,
        "extra": dict[str, Any] | None,
        "limit": int | None,
        "return": Any,
    }


@pytest.mark.parametrize(
    ("schema", "annotation"),
    [
        ({"type": "number"}, float),
        ({"type": "boolean"}, bool),
        ({"type": "array"}, list[Any]),
        ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, list[list[int]]),
        ({"type": ["string", "null"]}, str | None),
        ({"type": ["null", "integer"]}, int | None),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, str | int),
        ({"anyOf": [{"type": "string"}, {}]}, Any),
        ({"enum": [1.5, {}]}, Any),
        ({}, Any),
    ],
)
def test_schema_becomes_the_nearest_type(schema, annotation):
    assert of_type(schema) == annotation


def test_keyword_and_positional_arguments_reach_the_tool_under_their_own_names():
    weather, received = tool()

    assert weather.function()("Oslo", 2, from_="today") == "7 degrees"
    assert received == [{"city": "Oslo", "days": 2, "from": "today"}]


def test_optional_argument_that_is_none_is_left_out():
    weather, received = tool()

    weather.function()(city="Oslo", days=2, unit=None, tags=None)

    assert received == [{"city": "Oslo", "days": 2}]


def test_wrong_arguments_reach_the_tool_so_that_the_attempt_is_recorded():
    weather, received = tool()

    weather.function()(city=None, town="Oslo")

    assert received == [{"city": None, "town": "Oslo"}]


def test_more_positional_arguments_than_parameters_are_a_type_error():
    function = tool({"type": "object", "properties": {}})[0].function()

    with pytest.raises(TypeError, match=r"get_weather\(\) takes 0 positional arguments but 1 were given"):
        function("Oslo")


def test_async_function_is_a_coroutine_function():
    weather, received = tool()
    function = weather.afunction()

    assert inspect.iscoroutinefunction(function)
    assert asyncio.run(function(city="Oslo", days=1)) == "7 degrees"
    assert received == [{"city": "Oslo", "days": 1}]


def test_names_that_python_cannot_say_are_kept_apart():
    properties = {"a-b": {"type": "string"}, "a_b": {"type": "string"}, "3d": {"type": "string"}}
    weather, received = tool({"type": "object", "properties": properties, "required": list(properties)}, name="2.x")
    function = weather.function()

    function(a_b="1", a_b_="2", _3d="3")

    assert function.__name__ == "_2_x"
    assert received == [{"a-b": "1", "a_b": "2", "3d": "3"}]


def test_tool_without_arguments_has_only_its_description():
    function = tool({"type": "object", "properties": {}})[0].function()

    assert function.__doc__ == "Current weather."
    assert str(inspect.signature(function)) == "() -> Any"


def test_a_property_on_its_own_has_what_it_refers_to():
    place = {"type": "object", "properties": {"city": {"type": "string"}, "near": {"$ref": "#/$defs/place"}}}
    parameters = {"properties": {"to": {"$ref": "#/$defs/place", "title": "To"}}, "$defs": {"place": place}}

    to = property_schemas(parameters)["to"]

    assert to["title"] == "To"
    assert to["properties"]["near"]["properties"]["city"] == {"type": "string"}
    assert "$ref" not in repr(to)
    assert property_schemas({"properties": {"a": {"$ref": "#/$defs/gone"}}}) == {"a": {}}


def test_what_holds_together_at_the_top_is_one_object():
    number = {"properties": {"number": {"type": "integer"}}, "required": ["number"]}
    schema = {"type": "object", "allOf": [{"properties": {"title": {"type": "string"}}}, number]}

    assert {(field.name, field.required) for field in fields_of(schema)} == {("title", False), ("number", True)}


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_union_at_the_top_has_the_arguments_of_all_its_members(word):
    union = {
        "type": "object",
        "properties": {"book": {"type": "string"}},
        "required": ["book"],
        word: [
            {"properties": {"title": {"type": "string"}}, "required": ["title"]},
            {word: [{"properties": {"number": {"type": "integer"}}}, True]},
        ],
    }

    found = {(field.name, field.required) for field in fields_of(union)}

    assert found == {("book", True), ("title", False), ("number", False)}
    assert property_schemas(union)["number"] == {"type": "integer"}
