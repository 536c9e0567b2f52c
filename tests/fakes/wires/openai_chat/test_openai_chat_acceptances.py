"""Requests that OpenAI accepted: refusing one of them would be wrong."""

from copy import deepcopy
from typing import Any

import pytest
from chat_requests import TOOL, USER, call_message, chat, result, violation_of

HELLO = {"role": "assistant", "content": "Hello"}


def call_with(**members: Any) -> dict[str, Any]:
    message = call_message("call_1")
    message["tool_calls"][0].update(members)
    return message


def arguments(text: str) -> dict[str, Any]:
    return call_with(function={"name": "get_weather", "arguments": text})


def tool(**members: Any) -> dict[str, Any]:
    changed = deepcopy(TOOL)
    changed["function"].update(members)
    return changed


ACCEPTED: dict[str, dict[str, Any]] = {
    "calls next to an empty text": chat(USER, {**call_message("c"), "content": ""}, result("c")),
    "calls next to an empty list": chat(USER, {**call_message("c"), "content": []}, result("c")),
    "calls without content": chat(
        USER, {"role": "assistant", "tool_calls": call_message("c")["tool_calls"]}, result("c")
    ),
    "calls next to text": chat(USER, {**call_message("c"), "content": "I look."}, result("c")),
    "results in another order": chat(USER, call_message("a", "b"), result("b"), result("a")),
    "an id used again": chat(USER, call_message("c"), result("c"), HELLO, USER, call_message("c"), result("c")),
    "results without tools": chat(USER, call_message("c"), result("c")),
    "a result with a name": chat(USER, call_message("c"), {**result("c"), "name": "get_weather"}),
    "an empty result": chat(USER, call_message("c"), {**result("c"), "content": ""}),
    "a result in parts": chat(USER, call_message("c"), {**result("c"), "content": [{"type": "text", "text": "7"}]}),
    "a user right after a result": chat(USER, call_message("c"), result("c"), USER),
    "arguments that are no json": chat(USER, arguments('{"city": '), result("call_1")),
    "arguments that are no object": chat(USER, arguments("null"), result("call_1")),
    "an index on a call": chat(USER, call_with(index=0), result("call_1")),
    "an id of another provider": chat(
        USER, call_message("toolu_01A09q90qw90lq917835lq9"), result("toolu_01A09q90qw90lq917835lq9")
    ),
    "an id of 40 characters": chat(USER, call_message("c" * 40), result("c" * 40)),
    "a call of a tool that is not offered": chat(USER, call_message("c"), result("c"), tools=[tool(name="get_time")]),
    "further members of a message": chat(USER, {**HELLO, "annotations": [], "refusal": None, "reasoning": "x"}),
    "two users in a row": chat(USER, USER),
    "two assistants in a row": chat(USER, HELLO, HELLO),
    "an assistant first": chat(HELLO, USER),
    "an assistant last": chat(USER, HELLO),
    "no user at all": chat({"role": "system", "content": "Be brief."}),
    "a system message in the middle": chat(USER, {"role": "system", "content": "Be brief."}, USER),
    "an empty text": chat({"role": "user", "content": ""}),
    "an empty list of parts": chat({"role": "user", "content": []}),
    "an empty assistant": chat(USER, {"role": "assistant", "content": ""}, USER),
    "a refusal in place of content": chat(USER, {"role": "assistant", "refusal": "No."}),
    "audio in place of content": chat(USER, {"role": "assistant", "audio": {"id": "a"}}),
    "the old function call": chat(USER, {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}),
    "a name": chat({**USER, "name": "Ada"}),
    "null tools and tool_choice": chat(tools=None, tool_choice=None),
    "null parameters": chat(max_tokens=None, stop=None, stream=None, response_format=None, parallel_tool_calls=None),
    "a tool without description": chat(tools=[{"type": "function", "function": {"name": "f"}}]),
    "two tools of one name": chat(tools=[TOOL, TOOL]),
    "limits in a strict schema": chat(
        tools=[
            tool(
                strict=True,
                parameters={
                    "type": "object",
                    "properties": {"a": {"anyOf": [{"type": "string", "format": "date"}, {"const": 7}]}},
                    "required": ["a"],
                    "additionalProperties": False,
                },
            )
        ]
    ),
    "keywords of a schema that is not strict": chat(
        tools=[tool(parameters={"type": "object", "properties": {"a": {"type": "object", "propertyNames": {}}}})]
    ),
    "null in place of parameters": chat(tools=[tool(parameters=None)]),
    "an object or null": chat(tools=[tool(parameters={"type": ["object", "null"], "properties": {}})]),
    "an empty schema": chat(tools=[tool(parameters={})]),
    "a schema with definitions": chat(
        tools=[tool(parameters={"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {}}})]
    ),
    "an object without properties further down": chat(
        tools=[tool(parameters={"type": "object", "properties": {"a": {"type": "object"}}})]
    ),
    "a property named required": chat(
        tools=[tool(parameters={"type": "object", "properties": {"required": {"type": "boolean"}}})]
    ),
    "a property without a type": chat(tools=[tool(parameters={"type": "object", "properties": {"a": {}}})]),
    "unknown members of a function": chat(tools=[tool(returns="text", strict=None)]),
    "a tool of another type": chat(tools=[{"type": "custom", "custom": {"name": "f"}}]),
    "allowed tools": chat(
        tools=[TOOL], tool_choice={"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}}
    ),
    "one choice spelt out": chat(n=1, stream=False, tools=[TOOL], tool_choice="auto"),
    "temperature 1 for a reasoning model": chat(model="gpt-5", temperature=1.0),
    "a temperature where the model rests": chat(model="gpt-5.1", temperature=0.7),
    "max_tokens for a chat model": chat(model="gpt-5-chat-latest", max_tokens=32, temperature=0.5),
    "stop for o3-mini": chat(model="o3-mini", stop=["Paris"]),
    "parallel_tool_calls on gpt-5": chat(model="gpt-5", tools=[TOOL], parallel_tool_calls=False),
    "tools and an effort on gpt-5": chat(model="gpt-5-nano", tools=[TOOL], reasoning_effort="medium"),
    "tools without an effort on gpt-5.4": chat(model="gpt-5.4", tools=[TOOL]),
    "parallel_tool_calls without tools on gpt-5.6": chat(model="gpt-5.6-terra", parallel_tool_calls=False),
}


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED)
def test_what_openai_accepts_is_accepted(body: dict[str, Any]) -> None:
    assert violation_of(body) is None


@pytest.mark.parametrize(
    ("model", "refused"),
    [
        ("gpt-4.1", None),
        ("openai/gpt-4.1", None),
        ("gpt-4.1-2025-04-14", None),
        ("gpt-5", "openai/temperature-unsupported"),
        ("gpt-5-mini-2025-08-07", "openai/temperature-unsupported"),
        ("ft:gpt-4o-mini-2024-07-18:acme::AbCdEf", None),
        ("ft:o4-mini-2025-04-16:acme::AbCdEf", "openai/temperature-unsupported"),
        ("gpt-35-turbo", None),
        ("gpt-oss-120b", None),
        ("gpt-5.1-chat-latest", "openai/temperature-unsupported"),
        ("gpt-5.9-luna", None),
        ("gpt-7", None),
        ("a-model-of-ours", None),
    ],
)
def test_model_has_the_traits_of_its_family_and_a_newer_one_has_none(model: str, refused: str | None) -> None:
    violation = violation_of(chat(model=model, temperature=0.5))

    assert (violation.rule if violation else None) == refused


@pytest.mark.parametrize(
    ("model", "effort", "words"),
    [
        ("gpt-5.4-mini", "low", "Please use /v1/responses instead."),
        ("gpt-5.6-luna", None, "To use function tools, use /v1/responses or set reasoning_effort to 'none'."),
        ("gpt-5.6-luna", "low", "To use function tools, use /v1/responses or set reasoning_effort to 'none'."),
    ],
)
def test_newer_models_support_no_tools_while_they_reason(model: str, effort: str | None, words: str) -> None:
    violation = violation_of(chat(model=model, tools=[TOOL], reasoning_effort=effort))

    assert violation is not None
    assert violation.message == (
        f"Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. {words}"
    )
