"""`judge` and `view` return for any request, and the served refusal is the one that `judge` returns."""

import json
import random
from typing import Any

import pytest
from anthropic_requests import (
    PATH,
    TOOL,
    WIRE,
    assistant,
    body,
    context,
    request,
    system,
    text_block,
    tool_result,
    tool_use,
    user,
)

from fake_providers import Reply, Request, judge
from fake_providers.wires.anthropic_messages.rules import values

MARK = {"cache_control": {"type": "ephemeral"}}
FULL_REQUEST = body(
    user([text_block("a") | MARK]),
    assistant(
        [{"type": "thinking", "thinking": "t", "signature": "REDACTED"}, text_block("b"), tool_use(input={"x": 1})]
    ),
    user([tool_result(content=[text_block("x")], is_error=False), text_block("c")]),
    system([text_block("s")]),
    system=[text_block("s")],
    tools=[
        TOOL
        | {
            "strict": True,
            "description": "d",
            "input_schema": {
                "type": "object",
                "properties": {"a": {"anyOf": [{"type": "string"}]}},
                "required": ["a"],
                "$defs": {"N": {"$ref": "#/$defs/N"}},
            },
        }
    ],
    tool_choice={"type": "tool", "name": "f"},
    thinking={"type": "enabled", "budget_tokens": 1024},
    output_config={"format": {"type": "json_schema", "schema": {"type": "array", "items": {"type": "string"}}}},
    metadata={"user_id": "u"},
    stop_sequences=["z"],
    stream=True,
)
ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1.5,
    10**400,
    "",
    "x",
    "\ud800",
    [],
    [None],
    [[]],
    {},
    {"x": 1},
    [{"type": 1}],
    {"type": []},
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, child in inner for place in places(child, (*path, key)))]


def replaced(path: tuple[Any, ...], odd_value: Any) -> Any:
    if not path:
        return odd_value
    copied = json.loads(json.dumps(FULL_REQUEST))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = odd_value
    return copied


def handle(raw: bytes) -> Any:
    """Runs every method of the wire on a request; returns the violation."""
    request = Request("POST", PATH, {}, raw)
    violation = judge("anthropic", PATH, raw, {})
    assert WIRE.route(request) is not None
    WIRE.view(request)
    if violation is not None:
        assert WIRE.refuse(violation, context(sent=request)).status == violation.status
    WIRE.encode(Reply(text="x"), context(sent=request))
    return violation


@pytest.mark.slow
def test_any_value_in_any_place_can_be_judged() -> None:
    count, refused = 0, 0
    for path in places(FULL_REQUEST):
        for odd_value in ODD:
            refused += handle(json.dumps(replaced(path, odd_value)).encode()) is not None
            count += 1

    assert count == len(places(FULL_REQUEST)) * len(ODD) > 1000
    assert refused > count / 2


def test_any_value_in_any_known_field_can_be_judged() -> None:
    for name in values.FIELDS:
        for odd_value in ODD:
            handle(json.dumps(body(**{name: odd_value})).encode())


def test_cut_bodies_are_not_json() -> None:
    whole = json.dumps(FULL_REQUEST).encode()
    for end in random.Random(7).sample(range(len(whole)), 200):
        violation = handle(whole[:end])
        assert violation.rule == "anthropic/not-json"
        assert violation.message.startswith("The request body is not valid JSON: ")


@pytest.mark.parametrize(
    "raw", [b"", b"\xff\xfe", b"[" * 100_000, b'{"messages":[NaN]}', b"{}x", b'{"a":' + b"9" * 5000 + b"}"]
)
def test_body_that_is_not_json_is_refused(raw: bytes) -> None:
    assert handle(raw).rule == "anthropic/not-json"


@pytest.mark.parametrize("raw", [b"null", b"[]", b"7", b'"x"'])
def test_body_that_is_not_an_object_is_refused(raw: bytes) -> None:
    assert handle(raw).rule == "anthropic/body-type"


@pytest.mark.parametrize("levels", [60, 300])
def test_deep_schemas_and_values_can_be_judged(levels: int) -> None:
    schema: dict[str, Any] = {"type": "string"}
    value: Any = 1
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
        value = [value]
    strict = {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False}
    tool = TOOL | {"strict": True, "input_schema": strict}

    context = body(user(), assistant([tool_use(input={"a": value})]), user([tool_result()]), tools=[tool])

    assert handle(json.dumps(context).encode()) is None


def test_same_request_gets_the_same_violation() -> None:
    wrong, right = request(user("")), request(user("a"))

    first = WIRE.judge(wrong, provider="anthropic")

    assert WIRE.judge(right, provider="anthropic") is None
    assert WIRE.judge(wrong, provider="anthropic") == first


@pytest.mark.parametrize(("size", "status"), [(32 * 2**20, None), (32 * 2**20 + 1, 413)], ids=["at", "beyond"])
def test_size_of_a_request_is_limited(size: int, status: int | None) -> None:
    raw = request(user("a")).body
    violation = judge("anthropic", PATH, raw + b" " * (size - len(raw)), {})

    assert (violation and violation.status) == status
    assert violation is None or violation.body["error"]["type"] == "request_too_large"
