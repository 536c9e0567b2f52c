"""Whatever is sent, judging and viewing answer; and the served refusal is the judged one."""

import json
import random
from typing import Any

import pytest
from anthropic_requests import PATH, TOOL, WIRE, assistant, body, context, request, result, system, text, use, user

from fakes import Reply, Request, judge
from fakes.wires.anthropic_messages.rules import wording

MARK = {"cache_control": {"type": "ephemeral"}}
WHOLE = body(
    user([text("a") | MARK]),
    assistant([{"type": "thinking", "thinking": "t", "signature": "s"}, text("b"), use(input={"x": 1})]),
    user([result(content=[text("x")], is_error=False), text("c")]),
    system([text("s")]),
    system=[text("s")],
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


def replaced(path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    copied = json.loads(json.dumps(WHOLE))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = odd
    return copied


def ask(raw: bytes) -> Any:
    """Everything the wire does with a request; gives the violation."""
    asked = Request("POST", PATH, {}, raw)
    violation = judge("anthropic", PATH, raw, {})
    assert WIRE.route(asked) is not None
    WIRE.view(asked)
    if violation is not None:
        assert WIRE.refuse(violation, context(sent=asked)).status == violation.status
    WIRE.encode(Reply(text="x"), context(sent=asked))
    return violation


def test_any_value_in_any_place_is_judged() -> None:
    tried, refused = 0, 0
    for path in places(WHOLE):
        for odd in ODD:
            refused += ask(json.dumps(replaced(path, odd)).encode()) is not None
            tried += 1

    assert tried == len(places(WHOLE)) * len(ODD) > 1000
    assert refused > tried / 2


def test_any_value_in_any_known_field_is_judged() -> None:
    for name in wording.FIELDS:
        for odd in ODD:
            ask(json.dumps(body(**{name: odd})).encode())


def test_cut_bodies_are_no_json() -> None:
    whole = json.dumps(WHOLE).encode()
    for end in random.Random(7).sample(range(len(whole)), 200):
        violation = ask(whole[:end])
        assert violation.rule == "anthropic/not-json"
        assert violation.message.startswith("The request body is not valid JSON: ")


@pytest.mark.parametrize(
    "raw", [b"", b"\xff\xfe", b"[" * 100_000, b'{"messages":[NaN]}', b"{}x", b'{"a":' + b"9" * 5000 + b"}"]
)
def test_what_is_no_json_is_refused(raw: bytes) -> None:
    assert ask(raw).rule == "anthropic/not-json"


@pytest.mark.parametrize("raw", [b"null", b"[]", b"7", b'"x"'])
def test_what_is_no_object_is_refused(raw: bytes) -> None:
    assert ask(raw).rule == "anthropic/body-type"


@pytest.mark.parametrize("levels", [60, 300])
def test_deep_schemas_and_values_are_judged(levels: int) -> None:
    schema: dict[str, Any] = {"type": "string"}
    value: Any = 1
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
        value = [value]
    strict = {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False}
    tool = TOOL | {"strict": True, "input_schema": strict}

    context = body(user(), assistant([use(input={"a": value})]), user([result()]), tools=[tool])

    assert ask(json.dumps(context).encode()) is None


def test_same_request_is_judged_the_same_again() -> None:
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
