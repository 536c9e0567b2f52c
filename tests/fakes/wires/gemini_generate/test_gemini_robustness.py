import json
import random
from typing import Any

import pytest
from gemini_requests import RESULT, SIGNED, WIRE, model, request, user

from fake_providers import judge
from fake_providers.wires.gemini_generate.proto_messages import MESSAGES

WHOLE = {
    "contents": [user("hi"), model("Let me see.", SIGNED), user(RESULT)],
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "tools": [
        {
            "functionDeclarations": [
                {"name": "f", "parameters": {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}]}}}}
            ]
        }
    ],
    "toolConfig": {"functionCallingConfig": {"mode": "AUTO", "allowedFunctionNames": ["f"]}},
    "generationConfig": {"responseSchema": {"type": "array", "items": {"type": "string"}}},
}
ODD: tuple[Any, ...] = (None, True, 0, -1.5, "", "x", [], [None], [[]], {}, {"x": 1}, [{"parts": [1]}], {"type": []})


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, child in inner for place in places(child, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    copied = json.loads(json.dumps(value))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = odd
    return copied


def test_judge_and_view_never_raise_on_any_value_in_any_place() -> None:
    tried = 0
    for path in places(WHOLE):
        for odd in ODD:
            context = request(replaced(WHOLE, path, odd))
            judge("gemini", context.path, context.body, {})
            assert WIRE.view(context).model == "gemini-3-flash-preview"
            tried += 1

    assert tried == len(places(WHOLE)) * len(ODD) > 600


def test_judge_and_view_never_raise_on_any_value_in_any_known_field() -> None:
    for name in MESSAGES["GenerateContentRequest"]:
        for odd in ODD:
            context = request({"contents": [user("hi")], name: odd})
            judge("gemini", context.path, context.body, {})
            WIRE.view(context)


def test_judge_and_view_never_raise_on_cut_bodies() -> None:
    whole = json.dumps(WHOLE).encode()
    for end in random.Random(7).sample(range(len(whole)), 200):
        context = request(whole[:end])
        violation = judge("gemini", context.path, context.body, {})
        assert violation is not None
        assert violation.rule == "gemini/not-json"
        assert WIRE.view(context).messages == ()


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"null", b"[" * 100_000, b'{"contents":[NaN]}', b'{"a":1e999999}'])
def test_judge_and_view_never_raise_on_bodies_that_are_not_messages(body: bytes) -> None:
    violation = judge("gemini", request().path, body, {})

    assert violation is not None
    assert violation.status == 400
    assert WIRE.view(request(body)).messages == ()


@pytest.mark.parametrize("levels", [101, 500, 100_000])
def test_nesting_limit_does_not_depend_on_pythons_stack(levels: int) -> None:
    violation = judge("gemini", request().path, b'{"contents":' + b"[" * levels + b"]" * levels + b"}", {})

    assert violation is not None
    assert violation.message == "Invalid JSON payload received. Message too deep. Max recursion depth reached."


@pytest.mark.parametrize("levels", [60, 400])
def test_deep_bodies_are_judged_without_raising(levels: int) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    context = request(
        {"contents": [user("hi")], "tools": [{"functionDeclarations": [{"name": "f", "parameters": schema}]}]}
    )

    violation = judge("gemini", context.path, context.body, {})

    assert (violation is None) is (levels == 60)
    assert len(WIRE.view(context).tools) == (levels == 60)
