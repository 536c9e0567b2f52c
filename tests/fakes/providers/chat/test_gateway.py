"""OpenRouter passes a request on to the maker of its model, whose refusal comes back inside its own."""

import json
from typing import Any

import pytest
from provider_requests import TOOL, USER, answered, calling, chat, events, judged, plain, result, streamed

from fake_providers import Call, Reply
from fake_providers.providers.shared.chat_as_responses import as_chat, as_responses, place_in_chat

GPT, CLAUDE, GEMINI = "openai/gpt-5.2", "anthropic/claude-sonnet-4.6", "google/gemini-3-flash-preview"
DEEPSEEK, KIMI, MISTRAL = "deepseek/deepseek-v4-flash", "moonshotai/kimi-k2.5", "mistralai/mistral-large-2512"
CALLS = calling("call_1", "call_2")
ONE = calling("call_1")
NINE = "abcdefgh1"
DETAILS = [{"type": "reasoning.encrypted", "data": "c2tpcA==", "format": "google-gemini-v1", "index": 0}]

REFUSED: list[tuple[str, str, list[Any], dict[str, Any], str, str, str]] = [
    ("openai-call-without-result", GPT, [USER, CALLS, result("call_1")], {}, "messages[1]", "OpenAI",
        "No tool output found for function call call_2."),
    ("openai-result-without-call", GPT, [USER, result("call_9")], {}, "messages[1]", "OpenAI",
        "No tool call found for function call output with call_id call_9."),
    ("openai-parameter-range", GPT, [USER], {"max_tokens": 10}, "max_tokens", "OpenAI",
        "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 10 instead."),
    ("anthropic-tool-use-unanswered", CLAUDE, [USER, CALLS, result("call_1")], {}, "messages[1]", "Anthropic",
        "`tool_use` ids were found without `tool_result` blocks immediately after: call_2."),
    ("anthropic-prefill", CLAUDE, [USER, {"role": "assistant", "content": "It is"}], {}, "messages[1]", "Anthropic",
        "This model does not support assistant message prefill."),
    ("google-tool-call-signature-missing", GEMINI, [USER, ONE, result("call_1")], {},
        "messages[1].tool_calls[0].extra_content.google.thought_signature", "Google AI Studio",
        "Function call is missing a thought_signature in functionCall parts."),
    ("deepseek-reasoning-content-required", DEEPSEEK, [USER, ONE, result("call_1")], {},
        "messages[1].reasoning_content", "DeepSeek", "must be passed back to the API."),
    ("moonshotai-reasoning-content-required", KIMI, [USER, ONE, result("call_1")], {},
        "messages[1].reasoning_content", "Moonshot AI", "reasoning_content is missing in assistant tool call message"),
    ("mistralai-tool-call-id", MISTRAL, [USER, ONE, result("call_1")], {}, "messages[1].tool_calls[0].id", "Mistral",
        "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."),
    ("mistralai-role-order", MISTRAL, [USER, result(NINE)], {}, "messages[1].role", "Mistral",
        "Unexpected role 'tool' after role 'user'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "model", "messages", "fields", "at", "server", "words"), REFUSED, ids=[row[0] for row in REFUSED]
)
def test_refusal_of_the_maker_comes_back_as_a_text(
    rule: str, model: str, messages: list[Any], fields: dict[str, Any], at: str, server: str, words: str
) -> None:
    found = judged("openrouter", chat("openrouter", *messages, model=model, tools=[TOOL], **fields))

    assert found is not None
    assert (found.rule, found.status, found.at) == (f"openrouter/{rule}", 400, at)
    error = found.body["error"]
    assert (error["message"], error["metadata"]["provider_name"]) == ("Provider returned error", server)
    raw = error["metadata"]["raw"]
    assert words in raw
    assert json.loads(raw[raw.index("{") :])


@pytest.mark.parametrize(
    ("model", "messages", "fields"),
    [
        (GPT, [USER, CALLS, result("call_2"), result("call_1")], {"max_tokens": 16}),
        (GPT, [USER], {"temperature": 0.2, "reasoning_effort": "low"}),
        ("openai/gpt-oss-120b", [USER, CALLS, result("call_1")], {"max_tokens": 1}),
        (CLAUDE, [USER, CALLS, result("call_1"), result("call_2")], {"temperature": 1.5, "max_tokens": 900_000}),
        ("anthropic/claude-3.5-haiku", [USER, {"role": "assistant", "content": "It is"}], {}),
        (GEMINI, [USER, {**ONE, "reasoning_details": DETAILS}, result("call_1")], {}),
        ("google/gemini-2.5-flash", [USER, ONE, result("call_1")], {}),
        (DEEPSEEK, [USER, {**ONE, "reasoning": "I ask."}, result("call_1")], {}),
        (DEEPSEEK, [USER, ONE, result("call_1")], {"reasoning": {"enabled": False}}),
        (KIMI, [USER, {**ONE, "reasoning_details": DETAILS}, result("call_1")], {}),
        (MISTRAL, [USER, calling(NINE), result(NINE)], {}),
        ("qwen/qwen3-max", [USER, CALLS, result("call_1")], {}),
    ],
)
def test_what_the_maker_accepts_or_the_gateway_mends_is_accepted(
    model: str, messages: list[Any], fields: dict[str, Any]
) -> None:
    assert judged("openrouter", chat("openrouter", *messages, model=model, tools=[TOOL], **fields)) is None


@pytest.mark.parametrize("model", [GEMINI, MISTRAL, GPT, CLAUDE])
def test_calls_of_each_model_may_come_back_as_they_were_sent(model: str) -> None:
    reply = Reply(calls=(Call("get_weather", {"city": "Oslo"}),))
    message = plain(answered("openrouter", reply, chat("openrouter", model=model)))["choices"][0]["message"]
    told = result(message["tool_calls"][0]["id"])

    assert judged("openrouter", chat("openrouter", USER, message, told, model=model, tools=[TOOL])) is None


def test_signature_comes_beside_the_first_call_of_a_stream() -> None:
    reply = Reply(calls=(Call("get_weather", {"city": "Oslo"}), Call("get_weather", {"city": "Rome"})))
    chunks = events(streamed("openrouter", reply, model=GEMINI))
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks if isinstance(chunk, dict) and chunk["choices"]]
    (details,) = [delta["reasoning_details"] for delta in deltas if "reasoning_details" in delta]

    assert [(one["type"], one["format"]) for one in details] == [("reasoning.encrypted", "google-gemini-v1")]


def test_chat_request_becomes_items() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://a.b"}}
    sound = {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}
    looks = {"role": "user", "content": [{"type": "text", "text": "Look."}, picture, sound]}
    asked = {"role": "assistant", "content": [{"type": "text", "text": "I look."}], "tool_calls": ONE["tool_calls"]}
    body = {
        "model": "m",
        "messages": [looks, asked, result("call_1")],
        "max_completion_tokens": 20,
        "tools": [TOOL],
        "tool_choice": {"type": "function", "function": {"name": "get_weather"}},
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": {}, "strict": True}},
    }
    made = as_responses(body)

    parts = [{"type": "input_text", "text": "Look."}, {"type": "input_image", "image_url": "https://a.b"}]
    wanted = {"name": "get_weather", "arguments": ONE["tool_calls"][0]["function"]["arguments"]}
    assert made == {
        "model": "m",
        "input": [
            {"role": "user", "content": parts},
            {"role": "assistant", "content": "I look."},
            {"type": "function_call", "call_id": "call_1", **wanted},
            {"type": "function_call_output", "call_id": "call_1", "output": "7 degrees"},
        ],
        "max_output_tokens": 20,
        "text": {"format": {"type": "json_schema", "name": "answer", "schema": {}, "strict": True}},
        "tools": [{"type": "function", **TOOL["function"]}],
        "tool_choice": {"type": "function", "name": "get_weather"},
    }
    assert place_in_chat("input[3].output", body) == "messages[2]"
    assert place_in_chat("text.format.schema", body) == "response_format.json_schema.schema"
    assert as_responses(as_chat(made)) == made
