"""Error messages word for word: message, `param` and `code`."""

from typing import Any

import pytest
from chat_requests import TOOL, USER, call_message, chat, http_request, refusal_error, result, violation_of

from fake_providers.wires.openai_chat.wire import WIRE


def error(message: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    return {"message": message, "type": "invalid_request_error", "param": param, "code": code}


def schema(parameters: Any, **members: Any) -> dict[str, Any]:
    return chat(tools=[{"type": "function", "function": {"name": "f", "parameters": parameters, **members}}])


def refused_schema(fault: str) -> dict[str, Any]:
    return error(
        f"Invalid schema for function 'f': {fault}", "tools[0].function.parameters", "invalid_function_parameters"
    )


UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: "
)

WORDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"messages": [USER]}, error("you must provide a model parameter")),
    ({"model": "gpt-4.1"}, error("Missing required parameter: 'messages'.", "messages", "missing_required_parameter")),
    (
        {"model": "gpt-4.1", "messages": []},
        error(
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            "messages",
            "empty_array",
        ),
    ),
    (
        chat(model="gpt-5", zzz_unknown=1),
        error("Unknown parameter: 'zzz_unknown'.", "zzz_unknown", "unknown_parameter"),
    ),
    (
        chat(model="gpt-5", stor=1),
        error("Unknown parameter: 'stor'. Did you mean 'stop' or 'store'?", "stor", "unknown_parameter"),
    ),
    (
        chat(model="gpt-5", messagess=1),
        error("Unknown parameter: 'messagess'.", "messagess", "unknown_parameter"),
    ),
    (chat(chat="x"), error("Unrecognized request argument supplied: chat")),
    (chat(thinking={}, chat="x"), error("Unrecognized request arguments supplied: thinking, chat")),
    (
        chat("Hello"),
        error(
            "Invalid type for 'messages[0]': expected an object, but got a string instead.",
            "messages[0]",
            "invalid_type",
        ),
    ),
    (
        chat({"role": "bogus", "content": "a"}),
        error(
            "Invalid value: 'bogus'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
            "'developer'.",
            "messages[0].role",
            "invalid_value",
        ),
    ),
    (
        chat(USER, {"role": "user", "content": 7}),
        error(
            "Invalid type for 'messages[1].content': expected one of a string or array of objects, but got an integer "
            "instead.",
            "messages[1].content",
            "invalid_type",
        ),
    ),
    (
        chat(USER, {"role": "assistant", "content": None}),
        error("Invalid value for 'content': expected a string, got null.", "messages.[1].content"),
    ),
    (
        chat(USER, {"role": "developer", "content": None}),
        error(
            "Invalid type for 'messages[1].content': expected one of a string or array of objects, but got null "
            "instead.",
            "messages[1].content",
            "invalid_type",
        ),
    ),
    (chat(USER, call_message("call_1")), error(f"{UNANSWERED}call_1", "messages")),
    (chat(USER, call_message("call_1", "call_2"), USER), error(f"{UNANSWERED}call_1, call_2", "messages.[2].role")),
    (
        chat(USER, call_message("call_1", "call_2"), result("call_1"), USER),
        error(f"{UNANSWERED}call_2", "messages.[3].role"),
    ),
    (
        chat(USER, result("call_1")),
        error(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
            "'tool_calls'.",
            "messages.[1].role",
        ),
    ),
    (
        chat(USER, call_message("call_1"), result("call_2")),
        error(
            "Invalid parameter: 'tool_call_id' of 'call_2' not found in 'tool_calls' of previous message.",
            "messages.[2].tool_call_id",
        ),
    ),
    (
        chat(tools=[]),
        error(
            "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            "tools",
            "empty_array",
        ),
    ),
    (
        chat(tools=[{"type": "function", "function": {"name": "a b"}}]),
        error(
            "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the "
            "pattern '^[a-zA-Z0-9_-]+$'.",
            "tools[0].function.name",
            "invalid_value",
        ),
    ),
    (
        chat(tools=[TOOL] * 150),
        error(
            "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length "
            "150 instead.",
            "tools",
            "array_above_max_length",
        ),
    ),
    (
        chat(tool_choice="auto"),
        error(
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.", "tool_choice"
        ),
    ),
    (
        chat(tools=[TOOL], tool_choice="any"),
        error(
            "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.",
            "tool_choice",
            "invalid_value",
        ),
    ),
    (
        chat(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "never_declared"}}),
        error(
            "Invalid value for 'function_call': no function named 'never_declared' was specified in the 'functions' "
            "parameter.",
            "function_call",
        ),
    ),
    (schema({"type": "object"}), refused_schema("In context=(), object schema missing properties.")),
    (
        schema({"type": "object", "properties": {"a": {"type": "array"}}}),
        refused_schema("In context=('properties', 'a'), array schema missing items."),
    ),
    (
        schema({"type": "object", "properties": {"a": {"anyOf": [{"type": "array"}, {"type": "null"}]}}}),
        refused_schema("In context=('properties', 'a', 'anyOf', '0'), array schema missing items."),
    ),
    (
        schema({"type": "object", "properties": {"a": {"type": ["string", "array"]}}}),
        refused_schema("In context=('properties', 'a', 'type', '1'), array schema missing items."),
    ),
    (
        schema({"properties": {}}),
        refused_schema("schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'."),
    ),
    *(
        (
            schema({"type": "object", "properties": {}, union: value}),
            refused_schema(
                "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
            ),
        )
        for union, value in {"oneOf": [{}], "anyOf": [{}], "allOf": [{}], "enum": [{}], "not": {}}.items()
    ),
    (
        schema([]),
        error(
            "Invalid type for 'tools[0].function.parameters': expected an object, but got an array instead.",
            "tools[0].function.parameters",
            "invalid_type",
        ),
    ),
    (
        chat(
            USER,
            {**call_message("a"), "tool_calls": [{**call_message("a")["tool_calls"][0], "type": None}]},
            result("a"),
        ),
        error(
            "Invalid type for 'messages[1].tool_calls[0].type': expected one of 'function', 'all...ols', or 'custom', "
            "but got null instead.",
            "messages[1].tool_calls[0].type",
            "invalid_type",
        ),
    ),
    (
        schema({"type": "object", "properties": {}, "required": ["a"], "additionalProperties": False}, strict=True),
        refused_schema(
            "In context=(), 'required' is required to be supplied and to be an array including every key in "
            "properties. Extra required key 'a' supplied."
        ),
    ),
    (
        schema({"type": "object", "properties": {}, "required": [[]], "additionalProperties": False}, strict=True),
        refused_schema(
            "In context=(), 'required' is required to be supplied and to be an array including every key in "
            "properties. Extra required key '[]' supplied."
        ),
    ),
    (
        schema(
            {
                "type": "object",
                "properties": {"a": {"type": "array", "items": {"type": "string"}, "uniqueItems": True}},
                "required": ["a"],
                "additionalProperties": False,
            },
            strict=True,
        ),
        refused_schema("In context=('properties', 'a'), 'uniqueItems' is not permitted."),
    ),
    (
        chat(tools=[{"type": "function", "function": {"name": "f", "strict": True}}]),
        refused_schema("In context=(), 'additionalProperties' is required to be supplied and to be false."),
    ),
    (
        schema(
            {"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False}, strict=True
        ),
        refused_schema("In context=('properties', 'a'), schema must have a 'type' key."),
    ),
    (
        chat(model="gpt-5", max_tokens=32),
        error(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
            "instead.",
            "max_tokens",
            "unsupported_parameter",
        ),
    ),
    (
        chat(model="gpt-5", temperature=0.5),
        error(
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is "
            "supported.",
            "temperature",
            "unsupported_value",
        ),
    ),
    (
        chat(temperature=99.0),
        error(
            "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 99.0 instead.",
            "temperature",
            "decimal_above_max_value",
        ),
    ),
    (chat(model="gpt-4o-mini-search-preview", stop=["a"]), error("Model incompatible request argument supplied: stop")),
]


@pytest.mark.parametrize(("body", "expected"), WORDS)
def test_request_is_refused_with_openais_message(body: dict[str, Any], expected: dict[str, Any]) -> None:
    assert refusal_error(body) == expected


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"temperature": NaN}', b"[" * 100_000])
def test_body_that_is_not_json_is_refused(content: bytes) -> None:
    violation = violation_of(content)

    assert violation is not None
    assert (violation.rule, violation.status) == ("openai/body-not-json", 400)
    assert violation.message.startswith("We could not parse the JSON body of your request. (HINT: ")


@pytest.mark.parametrize("body", [[], "text", 7, None, True])
def test_body_that_is_not_an_object_is_refused(body: Any) -> None:
    violation = violation_of(body)

    assert violation is not None
    assert (violation.rule, violation.status) == ("openai/body-not-object", 400)


@pytest.mark.parametrize("headers", [{"x": "y"}, {"authorization": "Basic abc"}, {"authorization": "Bearer "}])
def test_missing_key_is_a_401_only_when_serving(headers: dict[str, str]) -> None:
    request = http_request(chat(), headers)

    violation = WIRE.missing_key(request)

    assert violation is not None
    assert (violation.rule, violation.status) == ("openai/missing-key", 401)
    assert violation.body["error"]["message"].startswith("You didn't provide an API key.")
    assert violation.body["error"]["code"] is None
    assert WIRE.judge(request, provider="openai") is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"service_tier": "bogus"},
            "Invalid value: 'bogus'. Supported values are: 'auto', 'default', 'fast', 'flex', and",
        ),
        (
            {"service_tier": {"a": 1}},
            "Invalid type for 'service_tier': expected one of 'auto', 'default', 'fast', 'flex', or 'priority', but "
            "got an object instead.",
        ),
        ({"verbosity": "bogus"}, "Invalid value: 'bogus'. Supported values are: 'low', 'medium', and 'high'."),
        (
            {"metadata": "x"},
            "Invalid type for 'metadata': expected a metadata object, but got a string instead.",
        ),
        (
            {"metadata": {f"k{number}": "v" for number in range(17)}},
            "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object "
            "with 17 properties instead.",
        ),
        (
            {"metadata": {"k" * 70: "v"}},
            "Invalid property name in 'metadata': 'kkk...kkk' is too long. Expected a string with maximum length 64, "
            "but got a string with length 70 instead.",
        ),
        (
            {"metadata": {"k": "x" * 600}},
            "Invalid 'metadata.k': string too long. Expected a string with maximum length 512, but got a string with "
            "length 600 instead.",
        ),
        ({"metadata": {"k": 7}}, "Invalid type for 'metadata.k': expected a string, but got an integer instead."),
        (
            {"response_format": {"type": "bogus"}},
            "Invalid value: 'bogus'. Supported values are: 'json_object', 'json_schema', and 'text'.",
        ),
    ],
)
def test_unknown_words_and_metadata_are_refused_as_measured(fields: dict[str, Any], words: str) -> None:
    assert refusal_error(chat(**fields))["message"].startswith(words)


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": {f"k{number}": "v" for number in range(16)}},
        {"metadata": {"k" * 64: "v" * 512}},
        {"service_tier": "scale"},
        {"verbosity": None, "metadata": None, "service_tier": None},
    ],
)
def test_values_at_the_limits_are_accepted(fields: dict[str, Any]) -> None:
    assert violation_of(chat(**fields)) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("audio", {"voice": "alloy", "format": "wav"}),
        ("modalities", ["text", "audio"]),
        ("web_search_options", {}),
    ],
)
def test_parameters_of_other_models_are_unknown_to_reasoning_models(key: str, value: Any) -> None:
    audible = {"modalities": ["text", "audio"], key: value}

    assert violation_of(chat(model="gpt-4o-audio-preview", **audible)) is None
    assert refusal_error(chat(model="gpt-5.6-terra", **{key: value})) == error(
        f"Unknown parameter: '{key}'.", key, "unknown_parameter"
    )


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("temperatur", " Did you mean 'temperature'?"),
        ("top_k", " Did you mean 'top_p'?"),
        ("prompt_cache", ""),
        ("messagess", ""),
    ],
)
def test_spelling_is_suggested_up_to_two_letters_away(key: str, meant: str) -> None:
    assert refusal_error(chat(model="gpt-5", **{key: 1}))["message"] == f"Unknown parameter: '{key}'.{meant}"


def test_stream_options_are_refused_without_stream() -> None:
    words = error("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")

    assert refusal_error(chat(stream_options={"include_usage": True})) == words
    assert refusal_error(chat(stream_options={"include_usage": True}, stream=False)) == words
    assert violation_of(chat(stream_options={"include_usage": True}, stream=True)) is None
    assert violation_of(chat(stream_options=None)) is None


@pytest.mark.parametrize("model", ["o1", "o3", "o3-mini", "o4-mini-2025-04-16"])
def test_parallel_tool_calls_is_refused_by_models_that_make_one_call(model: str) -> None:
    words = "Unsupported parameter: 'parallel_tool_calls' is not supported with this model."

    assert refusal_error(chat(model=model, tools=[TOOL], parallel_tool_calls=False)) == error(
        words, "parallel_tool_calls", "unsupported_parameter"
    )
    assert violation_of(chat(model=model, tools=[TOOL], parallel_tool_calls=None)) is None


@pytest.mark.parametrize(
    "model", ["gpt-4o-mini-search-preview", "gpt-4o-search-preview-2025-03-11", "gpt-5-chat-latest"]
)
def test_tools_are_refused_by_models_without_tool_support(model: str) -> None:
    violation = violation_of(chat(model=model, tools=[TOOL], tool_choice="required", parallel_tool_calls=True))
    assert violation is not None

    assert violation.status == 404
    assert violation.body["error"] == error(
        "tools is not supported in this model. For a list of supported models, refer to "
        "https://platform.openai.com/docs/guides/function-calling#models-supporting-function-calling."
    )
    assert violation_of(chat(model=model)) is None


def test_image_in_a_result_is_refused_by_gpt_4o() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}
    result_with_picture = {**result("call_1"), "content": [{"type": "text", "text": "Oslo"}, picture]}

    assert violation_of(chat({**USER, "content": [picture]}, model="gpt-4o-mini")) is None
    assert violation_of(chat(USER, call_message("call_1"), result_with_picture, model="gpt-4.1-nano")) is None
    assert refusal_error(
        chat(USER, call_message("call_1"), result_with_picture, model="gpt-4o-mini-2024-07-18")
    ) == error(
        "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role "
        "'tool' contains an image URL.",
        "messages[2]",
        "invalid_value",
    )


def test_temperature_is_unsupported_on_o3_mini() -> None:
    assert refusal_error(chat(model="o3-mini", temperature=0)) == error(
        "Unsupported parameter: 'temperature' is not supported with this model.", "temperature", "unsupported_parameter"
    )


def test_schema_name_allows_no_spaces_and_no_dots() -> None:
    def answering(name: str) -> dict[str, Any]:
        schema = {"type": "object", "properties": {}}
        return chat(response_format={"type": "json_schema", "json_schema": {"name": name, "schema": schema}})

    assert violation_of(answering("an-answer_2")) is None
    assert refusal_error(answering("answer.v2")) == error(
        "Invalid 'response_format.json_schema.name': string does not match pattern. Expected a string that matches the "
        "pattern '^[a-zA-Z0-9_-]+$'.",
        "response_format.json_schema.name",
        "invalid_value",
    )


def test_text_over_ten_mebibytes_is_refused_with_both_numbers() -> None:
    assert violation_of(chat({**USER, "content": "a" * 10_485_760})) is None
    assert refusal_error(chat(USER, {**USER, "content": "a" * 10_485_761})) == error(
        "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a "
        "string with length 10485761 instead.",
        "messages[1].content",
        "string_above_max_length",
    )


def test_any_bearer_token_is_a_key() -> None:
    assert WIRE.missing_key(http_request(chat())) is None


def test_conversation_over_the_window_is_refused_with_both_numbers() -> None:
    violation = WIRE.too_long(http_request(chat()), provider="openai", tokens=150008, window=128000)

    assert violation.rule == "openai/context-length"
    assert violation.body["error"] == error(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 150008 tokens. "
        "Please reduce the length of the messages.",
        "messages",
        "context_length_exceeded",
    )


@pytest.mark.parametrize(
    ("body", "at"),
    [
        (chat(USER, call_message("call_1")), "messages[1]"),
        (chat(USER, call_message("call_1"), USER), "messages[2].role"),
        (chat(zzz=1), "zzz"),
        (chat(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "x"}}), "tool_choice.function.name"),
    ],
)
def test_violation_has_the_place_in_the_body(body: dict[str, Any], at: str) -> None:
    violation = violation_of(body)

    assert violation is not None
    assert violation.at == at
