"""Requests that Ollama accepted: refusing one of them would be wrong."""

from typing import Any

import pytest
from ollama_requests import SCHEMA, USER, call_message, chat_body, http_request, result, tool, violation_of

from fake_providers import judge
from fake_providers.wires.ollama_chat.wire import WIRE

HELLO = {"role": "assistant", "content": "Hello"}

ACCEPTED: dict[str, Any] = {
    "no messages": chat_body() | {"messages": []},
    "null messages": chat_body() | {"messages": None},
    "a model and nothing else": {"model": "qwen3:8b"},
    "null content": chat_body(USER, {"role": "assistant", "content": None}),
    "a message without content": chat_body({"role": "user"}),
    "a message without role": chat_body({"content": "Hello"}),
    "an unknown role": chat_body({"role": "narrator", "content": "Hello"}),
    "calls without content": chat_body(
        USER, {"role": "assistant", "tool_calls": call_message("c")["tool_calls"]}, result()
    ),
    "an empty list of calls": chat_body(USER, {**HELLO, "tool_calls": []}),
    "a call with a type": chat_body(USER, {"role": "assistant", "tool_calls": [{"type": "function", "function": {}}]}),
    "a call without an answer": chat_body(USER, call_message("c")),
    "a call without arguments": chat_body(USER, call_message("c", arguments=None), result()),
    "an answer without a call": chat_body(USER, result()),
    "an answer without name and id": chat_body(USER, call_message("c"), {"role": "tool", "content": "7"}),
    "an answer with the name OpenAI has": chat_body(USER, call_message("c"), result(name="get_weather")),
    "one id used twice": chat_body(USER, call_message("c", "c"), result(), result()),
    "thinking that is sent back": chat_body(USER, {**HELLO, "thinking": "Hm."}),
    "an assistant first": chat_body(HELLO, USER),
    "an assistant last": chat_body(USER, HELLO),
    "a system message in the middle": chat_body(USER, {"role": "system", "content": "Be brief."}, USER),
    "two users in a row": chat_body(USER, USER),
    "bare base64 with line ends": chat_body({**USER, "images": ["iVBORw0K\nGgo="]}),
    "no tools": chat_body(tools=[]),
    "null tools": chat_body(tools=None),
    "tools again in the history alone": chat_body(USER, call_message("c"), result()),
    "a tool without description": chat_body(tools=[tool(description=None)]),
    "a tool without parameters": chat_body(tools=[tool(parameters=None)]),
    "parameters without properties": chat_body(tools=[tool(parameters={"type": "object"})]),
    "unknown keywords": chat_body(tools=[tool(parameters={**SCHEMA, "$schema": "x", "additionalProperties": False})]),
    "a property without a type": chat_body(tools=[tool(parameters={"properties": {"a": {}, "b": None}})]),
    "a property of two types": chat_body(tools=[tool(parameters={"properties": {"a": {"type": ["string", "null"]}}})]),
    "a property named required": chat_body(tools=[tool(parameters={"properties": {"required": {"type": "boolean"}}})]),
    "a property with alternatives": chat_body(
        tools=[tool(parameters={"properties": {"a": {"anyOf": [{"type": "x"}]}}})]
    ),
    "items of any kind": chat_body(tools=[tool(parameters={"properties": {"a": {"items": True}}})]),
    "names of any kind": chat_body(tools=[tool(name="what is this?"), tool(name="what is this?")]),
    "tool_choice and other foreign fields": chat_body(tools=[tool()], tool_choice="none", temperature="hot"),
    "unknown options": chat_body(options={"stop_sequences": "END", "temperature": 1, "num_ctx": 4096.0, "seed": None}),
    "a schema for the answer": chat_body(format=SCHEMA),
    "an empty format": chat_body(format=""),
    "a duration": chat_body(keep_alive="1h30m"),
    "a duration below zero": chat_body(keep_alive="-1m"),
    "no duration": chat_body(keep_alive="0"),
    "thinking at an effort": chat_body(think="high"),
    "thinking": chat_body(think=True),
    "no thinking where there is none": chat_body(model="llama3.2", think=False),
    "names in another case": {"Model": "qwen3:8b", "MESSAGES": [USER]},
    "something after the body": b'{"model": "qwen3:8b", "messages": []} and more',
    "white space before the body": b'\n {"model": "qwen3:8b"}',
    "a number that is long": chat_body(options={"seed": 10**400}),
}


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED)
def test_what_ollama_accepts_is_accepted(body: Any) -> None:
    assert violation_of(body) is None


def test_no_key_is_needed() -> None:
    request = http_request(chat_body())

    assert WIRE.missing_key(request) is None
    assert judge("ollama", "/api/chat", request.body, {}) is None


@pytest.mark.parametrize(
    ("model", "tools", "thinks"),
    [
        ("qwen3:8b", True, True),
        ("qwen3", True, True),
        ("qwen3:4b-instruct-2507-q4_K_M", True, False),
        ("gpt-oss:20b", True, True),
        ("gemma4:e2b", True, True),
        ("gemma3:1b", False, False),
        ("gemma3", False, False),
        ("Gemma3:1B", False, False),
        ("library/gemma3:1b", False, False),
        ("registry.ollama.ai/library/gemma3:1b", False, False),
        ("gemma2:9b", False, False),
        ("llama3", False, False),
        ("llama3.1:8b", True, False),
        ("mistral:7b", True, False),
        ("gemma3-tools:4b", True, True),
        ("PetrosStav/gemma3:4b", True, True),
        ("hf.co/unsloth/gemma3:Q4_K_M", True, True),
        ("gemma3:27b-cloud", True, True),
        ("a-model-of-tomorrow", True, True),
    ],
)
def test_thinking_and_tools_depend_on_the_model(model: str, tools: bool, thinks: bool) -> None:
    assert (violation_of(chat_body(model=model, tools=[tool()])) is None) == tools
    assert (violation_of(chat_body(model=model, think=True)) is None) == thinks
