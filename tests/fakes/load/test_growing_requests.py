"""The shapes of `benchmarks/growth.py` have every field of a request that can be of any length, and no cost that grows
faster than the request. Costs are counted in calls of functions, so that no clock is needed.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from growing_requests import Shape, grown, place_of, shapes

from fake_providers.body_slices import PartReader
from fake_providers.serving.scripted_fake import ScriptedFake
from fake_providers.wires.anthropic_messages.rules.schemas import optional_properties
from fake_providers.wires.gemini_generate.proto_messages import MESSAGES
from fake_providers.wires.ollama_chat import go_json_fields
from fake_providers.wires.ollama_chat.go_json_fields import Struct

ROOT = Path(__file__).parents[3]
SHAPES = shapes()
WIRES = sorted({shape.wire.name for shape in SHAPES})
READERS = ("rules/*.py", "request.py", "conversation.py", "offered_tools.py", "message_parts.py")
NO_FIELDS = frozenset(
    {
        *("authorization", "x-api-key", "x-goog-api-key", "anthropic-beta", "key", "alt"),  # of headers and queries
        *("code", "param", "error", "details", "date", "base", "Expecting value"),  # of answers and tables
        "max_output_tokens",  # a number
    }
)
QUADRATIC_ONCE = (
    ("openai-chat openai messages.*.tool_calls", "list"),
    ("openai-chat openai messages", "list"),
    ("openai-chat deepseek messages", "list"),
    ("openai-chat deepseek messages.*.tool_calls", "list"),
    ("openai-chat openai tools.*.function.parameters.properties", "map"),
    ("openai-chat openai response_format.json_schema.schema.properties", "map"),
    ("anthropic-messages anthropic tools.*.input_schema.$defs", "map"),
    ("anthropic-messages anthropic messages.*.content", "list"),
    ("gemini-generate gemini contents", "list"),
    ("gemini-generate gemini contents.*.parts", "list"),
)


def keys_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from keys_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys_of(item)


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", name)


def shown_by(wire: str) -> set[str]:
    """The names of all fields in the shapes of a wire, in both spellings."""
    names = {name for shape in SHAPES if shape.wire.name == wire for name in keys_of(shape.sample)}
    return names | {snake(name) for name in names}


def read_by(wire: str) -> set[str]:
    """The names of all fields that the code of a wire reads from a request."""
    folder = ROOT / "fakes" / "fake_providers" / "wires" / wire.replace("-", "_")
    files = [path for pattern in READERS for path in folder.glob(pattern)]
    return {name for path in files for name in names_in(ast.parse(path.read_text(encoding="utf-8")))} - NO_FIELDS


def names_in(tree: ast.AST) -> Iterator[str]:
    """Of `x.get("name")`, `x["name"]`, and `field(x, "name")`, which reads protobuf. What is kept in `context.read` was
    found before, and is no field.
    """
    for node in ast.walk(tree):
        if getattr(getattr(getattr(node, "func", node), "value", None), "attr", "") == "read":
            continue
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield from () if getattr(node.value, "id", "") == "Literal" else texts(node.slice)  # a type reads nothing
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            yield from texts(*node.args[:1])
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("field", "items", "has_field"):
            yield from texts(*node.args[1:2])


def texts(*nodes: ast.AST) -> Iterator[str]:
    return (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def test_there_is_a_shape_for_each_place() -> None:
    places = {(shape.wire.name, shape.place, shape.kind) for shape in SHAPES}

    assert len(places) >= 250


@pytest.mark.parametrize("wire", WIRES)
def test_each_field_that_a_wire_reads_is_in_a_shape(wire: str) -> None:
    assert read_by(wire) - shown_by(wire) == set()


def test_each_field_of_googles_messages_that_is_read_is_in_a_shape() -> None:
    """Of the others only the types are checked, which is asked of each message as a whole."""
    fields = {name for message in MESSAGES.values() for name in message} & read_by("gemini-generate")

    assert fields
    assert fields - shown_by("gemini-generate") == set()


def test_each_field_of_ollamas_types_is_in_a_shape() -> None:
    scalars = {"truncate", "shift", "_debug_render_only", "logprobs", "top_logprobs", "index"}

    structs = [value for value in vars(go_json_fields).values() if isinstance(value, Struct)]
    fields = {name for struct in structs for name in struct.members}

    assert len(structs) >= 8
    assert fields - shown_by("ollama-chat") <= scalars


@pytest.mark.parametrize(("name", "kind"), QUADRATIC_ONCE)
def test_calls_of_functions_grow_as_the_request_does(name: str, kind: str) -> None:
    found = [shape for shape in SHAPES if (shape.name, shape.kind) == (name, kind)]

    assert found
    for shape in found:
        assert calls_for(shape, 320) < 5 * calls_for(shape, 80), shape


def calls_for(shape: Shape, count: int) -> int:
    """How many functions are called, or go on, while one request is answered."""
    calls = 0

    def count_call(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    fake, request = ScriptedFake(shape.provider, wire=shape.wire.name), shape.request(count)
    before = sys.getprofile()
    with mock.patch.object(PartReader, "read", return_value=None):  # nothing is known from the shorter request
        sys.setprofile(count_call)
        try:
            fake.handle(request)
        finally:
            sys.setprofile(before)
    return calls


def test_what_refers_to_an_item_is_repeated_with_it() -> None:
    call, result = {"id": "a", "name": "f"}, {"role": "tool", "tool_call_id": "a"}
    body = {"messages": [{"role": "user"}, {"tool_calls": [call]}, result]}

    larger = grown(body, ("messages", 1, "tool_calls"), "list", 3)

    assert [one["id"] for one in larger["messages"][1]["tool_calls"]] == ["a", "a1", "a2"]
    assert [one["tool_call_id"] for one in larger["messages"][2:]] == ["a", "a1", "a2"]


def test_names_beside_a_map_are_repeated_with_it() -> None:
    schema = {"properties": {"city": {}}, "required": ["city"]}

    larger = grown({"schema": schema}, ("schema", "properties"), "map", 2)

    assert larger == {"schema": {"properties": {"city": {}, "city_1": {}}, "required": ["city", "city_1"]}}


def test_json_in_a_text_is_repeated_within() -> None:
    larger = grown({"arguments": '{"a": 1}'}, ("arguments",), "json", 3)

    assert json.loads(larger["arguments"]) == {"a": 1, "a_1": 1, "a_2": 1}


def test_place_has_no_index_and_no_made_up_name() -> None:
    assert place_of(("tools", 0, "parameters", "properties", "city", "type")) == "tools.*.parameters.properties.*.type"


class Unsearched(list[str]):
    """A list in which looking for one item after another would cost that of every pair."""

    def __contains__(self, item: object) -> bool:
        raise AssertionError("it is searched")


def test_names_of_required_properties_are_not_searched_one_by_one() -> None:
    schema = {"properties": {"a": {}, "b": {}, "c": {}}, "required": Unsearched(["a", "c"])}

    assert optional_properties(schema) == 1
    assert optional_properties({**schema, "required": "a"}) == 3
    assert optional_properties({**schema, "required": [["a"], {}, "b"]}) == 2
