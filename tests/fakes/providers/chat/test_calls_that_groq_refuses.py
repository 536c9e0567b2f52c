"""What Groq says of a call that its own model generated, by model, plain and streamed; and what it hands on."""

import json
from typing import Any

import pytest
from provider_requests import TOOL, chat, context, plain, streamed, wire

from fake_providers import Call, Reply, Response

NAMED = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}
LLAMA = "meta-llama/llama-4-scout-17b-16e-instruct"
NOT_READ = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details."
NO_SCHEMA: tuple[Any, ...] = (None, {}, True, {"type": "text"}, {"$ref": "http://127.0.0.1:9/"}, {"$ref": "#/$defs/a"})


def request_body(parameters: Any = NAMED, **fields: Any) -> dict[str, Any]:
    return chat("groq", tools=[{"type": "function", "function": {"name": "find", "parameters": parameters}}], **fields)


def answered(body: Any, *calls: Call, **reply: Any) -> Response:
    return wire("groq").encode(Reply(calls=calls, **reply), context("groq", body))


def error_of(response: Response) -> dict[str, Any]:
    found: dict[str, Any] = plain(response)["error"]
    return found


def test_call_of_a_tool_that_was_not_offered_is_refused() -> None:
    reply = Reply(calls=(Call("get_time", {"zone": "CET"}),))
    sentence = "attempted to call tool 'get_time' which was not in request.tools"
    error = {
        "message": f"Tool call validation failed: tool call validation failed: {sentence}",
        "type": "invalid_request_error",
        "code": "tool_use_failed",
        "failed_generation": '{"name": "get_time", "arguments": {"zone":"CET"}}',
    }

    response = answered(chat("groq", tools=[TOOL]), *reply.calls)
    assert (response.status, plain(response)) == (400, {"error": error})
    live = streamed("groq", reply)
    assert (live.status, len(live.chunks)) == (200, 1)
    assert json.loads(live.body.decode().split("data: ")[1])["error"] == {**error, "status_code": 400}


def test_arguments_that_do_not_fit_are_refused_as_recorded_of_gpt_oss() -> None:
    response = answered(request_body(), Call("find", {"foo": "bar"}))

    assert response.status == 400
    assert plain(response) == {
        "error": {
            "message": "Tool call validation failed: tool call validation failed: parameters for tool find did not "
            "match schema: errors: [missing properties: 'name', additionalProperties 'foo' not allowed]",
            "type": "invalid_request_error",
            "code": "tool_use_failed",
            "failed_generation": '{"name": "find", "arguments": {"foo":"bar"}}',
        }
    }


def test_arguments_that_do_not_fit_are_refused_in_a_stream_of_status_200() -> None:
    live = answered(request_body(stream=True), Call("find", {"name": 7}))

    name, data, *_ = live.body.decode().split("\n")
    assert (live.status, name) == (200, "event: error")
    error = json.loads(data[6:])["error"]
    assert error["message"].endswith("errors: [`/name`: expected string, but got number]")
    assert error["status_code"] == 400


def test_other_models_are_do_not_repeat_that_validation_failed() -> None:
    parameters = {"type": "object", "properties": {"age": {"type": "integer"}}}

    response = answered(request_body(parameters, model=LLAMA), Call("find", {"age": "30"}))

    sentence = "parameters for tool find did not match schema: errors: [`/age`: expected integer, but got string]"
    assert error_of(response)["message"] == f"tool call validation failed: {sentence}"


@pytest.mark.parametrize("mode", ["plain", "stream"])
@pytest.mark.parametrize("call", [Call("find", {"name": "Oslo"}), Call("find", arguments_text=' {"name": "Oslo"}')])
def test_arguments_that_fit_are_handed_on(call: Call, mode: str) -> None:
    response = answered(request_body(stream=mode == "stream"), call)

    assert response.status == 200
    assert "Oslo" in response.body.decode()
    assert "event: error" not in response.body.decode()


@pytest.mark.parametrize("text", ["[]", "7", '"Oslo"', "[{}]"])
def test_arguments_that_are_no_object_are_refused(text: str) -> None:
    response = answered(request_body(), Call("find", arguments_text=text))

    assert "errors: [expected object, but got " in error_of(response)["message"]


@pytest.mark.parametrize("text", ["", " ", "null"])
def test_no_arguments_are_an_empty_object(text: str) -> None:
    assert answered(request_body({"type": "object"}), Call("find", arguments_text=text)).status == 200
    response = answered(request_body(), Call("find", arguments_text=text))
    assert "errors: [missing properties: 'name']" in error_of(response)["message"]


@pytest.mark.parametrize("text", ['{"name": "Osl', "{}{}", "Oslo", '{"name": NaN}', "[" * 100_000])
def test_arguments_that_are_no_json_are_refused(text: str) -> None:
    error = error_of(answered(request_body(), Call("find", arguments_text=text)))

    assert error["message"] == "Failed to parse tool call arguments as JSON"
    assert error["failed_generation"] == f'{{"name": "find", "arguments": {text}}}'
    assert error_of(answered(request_body(model=LLAMA), Call("find", arguments_text=text)))["message"] == NOT_READ


@pytest.mark.parametrize("parameters", NO_SCHEMA)
def test_what_is_no_schema_takes_any_arguments(parameters: Any) -> None:
    assert answered(request_body(parameters), Call("find", {"foo": "bar"})).status == 200
    assert answered(request_body(parameters), Call("find", arguments_text='{"foo"')).status == 400


def test_arguments_beyond_what_can_be_checked_are_handed_on() -> None:
    assert answered(request_body(), Call("find", {"foo": "\ud800"})).status == 200


def test_text_where_a_tool_was_demanded_is_refused() -> None:
    demanding = request_body(tool_choice="required")

    refused = answered(demanding, text="maybe")
    assert refused.status == 400
    assert error_of(refused)["failed_generation"] == "maybe"
    assert error_of(refused)["message"] == "Tool choice is required, but model did not call a tool"
    assert answered(request_body(), text="maybe").status == 200
    assert answered(demanding, Call("find", {"name": "Oslo"})).status == 200


def test_text_where_one_tool_was_demanded_is_refused_of_models_that_are_known_for_it() -> None:
    choice = {"type": "function", "function": {"name": "find"}}

    assert error_of(answered(request_body(tool_choice=choice, model=LLAMA), text="maybe"))["message"] == NOT_READ
    assert error_of(answered(request_body(tool_choice="required", model=LLAMA), text="maybe"))["message"] == NOT_READ
    assert answered(request_body(tool_choice=choice), text="maybe").status == 200
