"""Error messages word for word, beyond the rules' own samples, and which of two errors is reported."""

from typing import Any

import pytest
from ollama_requests import SCHEMA, USER, call_message, chat_body, refusal_message, result, tool, violation_of

from fake_providers.wires.ollama_chat.model_names import parse_name

CHAT = "json: cannot unmarshal {} into Go struct field ChatRequest.{} of type {}"
TOOLS = "json: cannot unmarshal {} into Go struct field {}.tools.{} of type {}"
NO_OBJECT = "Value looks like object, but can't find closing '}' symbol"


def schema(**members: Any) -> dict[str, Any]:
    return chat_body(tools=[tool(parameters={**SCHEMA, **members})])


def a_property(value: Any) -> dict[str, Any]:
    return schema(properties={"city": value})


PARAMETERS = "function.parameters"
PROPERTIES = f"{PARAMETERS}.properties"

OPTIONS = {
    "integer": "num_keep seed num_predict top_k repeat_last_n num_ctx num_batch num_gpu main_gpu num_thread "
    "draft_num_predict",
    "float32": "top_p min_p typical_p temperature repeat_penalty presence_penalty frequency_penalty",
}
"""Of Ollama's `api.Options`, by the types in which it reads them."""

WORDS: dict[str, tuple[Any, str]] = {
    "nothing": (b"", "missing request body"),
    "white space": (b" \n", "missing request body"),
    "half a body": (b'{"model": "a', "unexpected EOF"),
    "a comma too many": (b'{"model": "a",}', "invalid character '}' looking for beginning of object key string"),
    "single quotes": (b"{'model': 1}", "invalid character '\\'' looking for beginning of object key string"),
    "no number": (b'{"model": NaN}', "invalid character 'N' looking for beginning of value"),
    "a bare word": (b"hello", "invalid character 'h' looking for beginning of value"),
    "a nul": (b"\x00", r"invalid character '\x00' looking for beginning of value"),
    "an accent": ("é".encode(), "invalid character 'Ã' looking for beginning of value"),
    "a line break in a text": (b'{"a": "x\ny"}', r"invalid character '\n' in string literal"),
    "a return in a text": (b'{"a": "x\ry"}', r"invalid character '\r' in string literal"),
    "a tab in a text": (b'{"a": "x\ty"}', r"invalid character '\t' in string literal"),
    "a backslash": (b'{"a": \\}', r"invalid character '\\' looking for beginning of value"),
    "lists too deep": (b"[" * 10_001, "invalid character '[' exceeded max depth"),
    "objects too deep": (b'{"a":' * 10_001, "invalid character '{' exceeded max depth"),
    "too deep behind others": (b"[" + b"[],{}," * 50 + b"[" * 10_000, "invalid character '[' exceeded max depth"),
    "too deep": (b'{"a":' * 5001 + b"[" * 5000, "invalid character '[' exceeded max depth"),
    "a list": ([], "json: cannot unmarshal array into Go value of type api.ChatRequest"),
    "a text": ("x", "json: cannot unmarshal string into Go value of type api.ChatRequest"),
    "null": (None, "model is required"),
    "no model": ({"messages": [USER]}, "model is required"),
    "a blank model": (chat_body(model=" "), "model is required"),
    "a model of seven": ({"model": 7}, CHAT.format("number", "model", "string")),
    "a model with a space": (chat_body(model="my model"), "invalid model name"),
    "a model with half a tag": (chat_body(model="qwen3:"), "invalid model name"),
    "messages as text": ({"model": "a", "messages": "x"}, CHAT.format("string", "messages", "[]api.Message")),
    "a message as text": (chat_body("x"), CHAT.format("string", "messages", "api.Alias")),
    "parts": (chat_body({"content": [{"type": "text"}]}), CHAT.format("array", "messages.content", "string")),
    "content as object": (chat_body({"content": {}}), CHAT.format("object", "messages.content", "string")),
    "a role of seven": (chat_body({"role": 7}), CHAT.format("number", "messages.role", "string")),
    "an address as image": (chat_body({"images": ["https://a.b/c.png"]}), "illegal base64 data at input byte 5"),
    "an image cut off": (chat_body({"images": ["iVBORw0KGgo"]}), "illegal base64 data at input byte 8"),
    "arguments as text": (chat_body(USER, call_message("c", arguments="{}")), NO_OBJECT),
    "arguments as list": (chat_body(USER, call_message("c", arguments=[])), NO_OBJECT),
    "a call of no name": (
        chat_body(USER, call_message("c", name=["f"])),
        CHAT.format("array", "messages.tool_calls.function.name", "string"),
    ),
    "an index of one half": (
        chat_body(USER, call_message("c", index=0.5)),
        CHAT.format("number 0.5", "messages.tool_calls.function.index", "int"),
    ),
    "an id of seven": (
        chat_body(USER, result(tool_call_id=7)),
        CHAT.format("number", "messages.tool_call_id", "string"),
    ),
    "tools as object": (chat_body(tools={}), CHAT.format("object", "tools", "api.Tools")),
    "a tool as text": (chat_body(tools=["f"]), CHAT.format("string", "tools", "api.Tool")),
    "a function as text": (
        chat_body(tools=[{"function": "f"}]),
        TOOLS.format("string", "Tool", "function", "api.ToolFunction"),
    ),
    "a schema as text": (
        chat_body(tools=[tool(parameters="{}")]),
        TOOLS.format("string", "ToolFunction", PARAMETERS, "api.ToolFunctionParameters"),
    ),
    "two types at the root": (
        schema(type=["object"]),
        TOOLS.format("array", "ToolFunctionParameters", f"{PARAMETERS}.type", "string"),
    ),
    "required that is true": (
        schema(required=True),
        TOOLS.format("bool", "ToolFunctionParameters", f"{PARAMETERS}.required", "[]string"),
    ),
    "required with a number": (
        schema(required=[1]),
        TOOLS.format("number", "ToolFunctionParameters", f"{PARAMETERS}.required", "string"),
    ),
    "properties as list": (schema(properties=[]), NO_OBJECT),
    "a property that is true": (
        a_property(True),
        TOOLS.format("bool", "ToolFunctionParameters", PROPERTIES, "api.ToolProperty"),
    ),
    "a type that is an object": (
        a_property({"type": {}}),
        TOOLS.format("object", "ToolFunctionParameters", f"{PROPERTIES}.type", "[]string"),
    ),
    "a property that is required": (
        a_property({"required": True}),
        TOOLS.format("bool", "ToolFunctionParameters", f"{PROPERTIES}.required", "[]string"),
    ),
    "a fault further down": (
        a_property({"properties": {"a": {"properties": {"b": {"enum": "c"}}}}}),
        TOOLS.format("string", "ToolFunctionParameters", f"{PROPERTIES}.properties.properties.enum", "[]interface {}"),
    ),
    "an alternative that is true": (
        a_property({"anyOf": [True]}),
        TOOLS.format("bool", "ToolFunctionParameters", f"{PROPERTIES}.anyOf", "api.ToolProperty"),
    ),
    "options as list": (chat_body(options=[]), CHAT.format("array", "options", "map[string]interface {}")),
    "a stream as text": (chat_body(stream="true"), CHAT.format("string", "stream", "bool")),
    "an effort of another provider": (
        chat_body(think="minimal"),
        'invalid think value: "minimal" (must be "high", "medium", "low", "max", true, or false)',
    ),
    "an effort as number": (
        chat_body(think=1),
        'think must be a boolean or string ("high", "medium", "low", "max", true, or false)',
    ),
    "a duration without unit": (chat_body(keep_alive="300"), 'time: missing unit in duration "300"'),
    "a duration in days": (chat_body(keep_alive="1d"), 'time: unknown unit "d" in duration "1d"'),
    "a duration in words": (chat_body(keep_alive="forever"), 'time: invalid duration "forever"'),
    "a duration that is true": (chat_body(keep_alive=True), "Unsupported type: 'bool'"),
    "21 alternatives": (chat_body(top_logprobs=21), "top_logprobs must be between 0 and 20"),
    "one text to stop at": (chat_body(options={"stop": "a"}), 'option "stop" must be of type array'),
    "a number to stop at": (chat_body(options={"stop": [1]}), 'option "stop" must be of an array of strings'),
    "a window as text": (chat_body(options={"num_ctx": "4096"}), 'option "num_ctx" must be of type integer'),
    "a temperature as text": (chat_body(options={"temperature": "0"}), 'option "temperature" must be of type float32'),
    **{
        f"{option} as text": (chat_body(options={option: "x"}), f'option "{option}" must be of type {kind}')
        for kind, options in OPTIONS.items()
        for option in options.split()
    },
    "a flag as number": (chat_body(options={"use_mmap": 1}), 'option "use_mmap" must be of type boolean'),
    "a format there is not": (
        chat_body(format="xml"),
        'invalid format: "\\"xml\\""; expected "json" or a valid JSON Schema object',
    ),
    "a model that cannot think": (chat_body(model="gemma3", think="low"), '"gemma3" does not support thinking'),
    "a model without tools": (
        chat_body(model="llama3", tools=[tool()]),
        "registry.ollama.ai/library/llama3:latest does not support tools",
    ),
}


@pytest.mark.parametrize(("body", "words"), WORDS.values(), ids=WORDS)
def test_request_is_refused_with_ollamas_sentence(body: Any, words: str) -> None:
    assert refusal_message(body) == words


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ({"stream": "x", "messages": "x"}, "ollama/stream-type"),
        ({"stream": "x", "messages": [{"content": []}]}, "ollama/content-type"),
        (chat_body({"content": [], "tool_calls": [{"function": {"arguments": ""}}]}), "ollama/arguments-type"),
        (chat_body(model="", tools="x"), "ollama/tools-type"),
        (chat_body(model="gemma3", think=True, tools=[tool()]), "ollama/no-thinking"),
        (chat_body(model="gemma3", options={"stop": "a"}, tools=[tool()]), "ollama/no-tools"),
        (chat_body(options={"stop": "a"}, format="xml"), "ollama/option-type"),
    ],
)
def test_error_that_ollama_finds_first_is_reported(body: Any, rule: str) -> None:
    violation = violation_of(body)

    assert violation is not None
    assert violation.rule == rule


def test_violation_has_the_place() -> None:
    violation = violation_of(chat_body(USER, call_message("a"), call_message("b", arguments="{}")))

    assert violation is not None
    assert (violation.at, violation.status) == ("messages[2].tool_calls[0].function.arguments", 400)


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("qwen3", "registry.ollama.ai/library/qwen3:latest"),
        (" qwen3:8b ", "registry.ollama.ai/library/qwen3:8b"),
        ("me/mine", "registry.ollama.ai/me/mine:latest"),
        ("hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M", "hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M"),
        ("http://localhost:5000/me/mine:1", "localhost:5000/me/mine:1"),
        ("gpt-oss:20b-cloud", "registry.ollama.ai/library/gpt-oss:20b"),
        ("qwen3:8b:local", "registry.ollama.ai/library/qwen3:8b"),
        ("", None),
        ("a b", None),
        ("ä", None),
        ("me/", None),
        ("m.e/mine", None),
        ("a" * 81, None),
    ],
)
def test_name_of_a_model_is_parsed_into_its_parts(name: str, full: str | None) -> None:
    found = parse_name(name)

    assert (found.full if found else None) == full


@pytest.mark.parametrize("body", [b"[" * 10_000, b'{"a":' * 10_000, b"[" + b"[],{}," * 6_000 + b"[" * 9_999])
def test_what_is_as_deep_as_go_reads_is_not_refused_for_its_depth(body: bytes) -> None:
    assert violation_of(body) is None
