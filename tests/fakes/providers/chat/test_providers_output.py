"""Answers of each provider, member for member: what differs from OpenAI's, in the order and the types recorded."""

import json
import re
from typing import Any

import pytest
from provider_requests import EXPECTED, NAMES, TOOL, answered, chat, events, plain, streamed, wire

from fake_providers import Call, Reply
from fake_providers.ids import Ids

OSLO = Call("get_weather", {"city": "Oslo"}, id="call_1")
TEXT = Reply(text="It is 7 degrees.")
FUNCTION = {"name": "get_weather", "arguments": '{"city":"Oslo"}'}

EACH = pytest.mark.parametrize("name", NAMES)


@EACH
def test_members_of_a_completion_come_in_the_providers_order(name: str) -> None:
    body = plain(answered(name, TEXT))

    assert list(body) == EXPECTED[name]["members"]
    assert list(body["choices"][0]) == EXPECTED[name]["choice"]
    assert body["choices"][0]["message"]["content"] == "It is 7 degrees."
    assert body["choices"][0]["finish_reason"] == "stop"


@EACH
def test_ids_are_of_the_providers_form(name: str) -> None:
    assert re.fullmatch(EXPECTED[name]["id"], plain(answered(name, TEXT))["id"])
    assert re.fullmatch(EXPECTED[name]["call_id"], wire(name).call_id(Ids("a")))
    assert wire(name).call_id(Ids("a")) != wire(name).call_id(Ids("b"))


@pytest.mark.parametrize("name", [name for name in NAMES if "message_with_call" in EXPECTED[name]])
def test_message_with_a_call_is_the_providers_own(name: str) -> None:
    message = plain(answered(name, Reply(calls=(OSLO,))))["choices"][0]["message"]

    assert json.dumps(message) == json.dumps({key: message[key] for key in EXPECTED[name]["message_with_call"]})
    assert message == EXPECTED[name]["message_with_call"]


def test_gemini_signs_the_first_call_of_an_answer() -> None:
    message = plain(answered("gemini", Reply(calls=(OSLO, OSLO))))["choices"][0]["message"]

    assert list(message) == ["role", "tool_calls"]
    first, second = message["tool_calls"]
    assert list(first["extra_content"]["google"]) == ["thought_signature"]
    assert list(second) == ["function", "id", "type"]


def test_gemini_without_signatures_signs_nothing() -> None:
    body = chat("gemini", model="gemini-2.5-flash", tools=[TOOL])
    message = plain(answered("gemini", Reply(calls=(OSLO,)), body))["choices"][0]["message"]

    assert "extra_content" not in message["tool_calls"][0]


@EACH
def test_answers_carry_the_providers_labels(name: str) -> None:
    assert dict(answered(name, TEXT).headers)["content-type"] == EXPECTED[name]["content_types"][0]
    assert dict(streamed(name, TEXT).headers)["content-type"] == EXPECTED[name]["content_types"][1]


@EACH
def test_stream_ends_with_its_reason_and_its_terminator(name: str) -> None:
    *chunks, done = events(streamed(name, Reply(text="It is 7 degrees.", finish="length")))
    finishes = [choice.get("finish_reason") for one in chunks if isinstance(one, dict) for choice in one["choices"]]

    assert done == "data: [DONE]"
    assert {finish for finish in finishes if finish} == {"length"}
    assert finishes[-1] == "length"


@EACH
def test_text_of_a_stream_is_the_reply_however_it_is_cut(name: str) -> None:
    for split in ("provider", "whole", "characters", "bytes"):
        response = answered(name, Reply(text="Ōsaka: 🌧 7 °C"), chat(name, stream=True), split)  # type: ignore[arg-type]
        deltas = [c["delta"] for one in events(response) if isinstance(one, dict) for c in one["choices"]]
        assert "".join(delta.get("content") or "" for delta in deltas) == "Ōsaka: 🌧 7 °C"


def usages(name: str, **fields: Any) -> list[Any]:
    chunks = [one for one in events(streamed(name, TEXT, **fields)) if isinstance(one, dict)]
    return [one["usage"] for one in chunks if one.get("usage")]


@pytest.mark.parametrize("name", ["mistral", "deepseek", "groq", "openrouter"])
def test_usage_is_always_sent(name: str) -> None:
    assert len(usages(name)) == 1


@pytest.mark.parametrize("name", ["xai", "vllm", "llama.cpp", "azure", "gemini"])
def test_usage_is_sent_on_request(name: str) -> None:
    assert usages(name) == []
    assert len(usages(name, stream_options={"include_usage": True})) == 1


def test_deepseek_fills_the_other_chunks_with_null_if_usage_is_requested() -> None:
    context = events(streamed("deepseek", TEXT, stream_options={"include_usage": True}))
    not_requested = events(streamed("deepseek", TEXT))

    assert [chunk["usage"] is None for chunk in context[:-1]] == [True] * (len(context) - 2) + [False]
    assert ["usage" in chunk for chunk in not_requested[:-1]] == [False] * (len(not_requested) - 2) + [True]


def test_deepseek_thinks_unless_thinking_is_disabled() -> None:
    quiet = plain(answered("deepseek", TEXT, chat("deepseek", thinking={"type": "disabled"})))
    older = plain(answered("deepseek", TEXT, chat("deepseek", model="deepseek-chat")))

    assert plain(answered("deepseek", TEXT))["choices"][0]["message"]["reasoning_content"] == "Let me see."
    assert "reasoning_content" not in quiet["choices"][0]["message"]
    assert "reasoning_content" not in older["choices"][0]["message"]
    assert "completion_tokens_details" not in older["usage"]


def test_mistral_says_why_it_ends_with_its_last_piece() -> None:
    first, *_, last, _done = events(streamed("mistral", Reply(text="It is 7 degrees.")))

    assert first["choices"] == [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]
    assert last["choices"][0] == {"index": 0, "delta": {"content": " degrees."[1:]}, "finish_reason": "stop"}
    assert list(last["usage"])[:3] == ["prompt_tokens", "total_tokens", "completion_tokens"]


def test_mistral_tells_thoughts_as_parts_of_the_content() -> None:
    content = plain(answered("mistral", Reply(text="7.", thinking="I know.")))["choices"][0]["message"]["content"]

    assert content == [
        {"type": "thinking", "thinking": [{"type": "text", "text": "I know."}], "closed": True},
        {"type": "text", "text": "7."},
    ]


def test_groq_tells_its_usage_with_its_own_id_and_once_more() -> None:
    first, *_, last, _done = events(streamed("groq", Reply(text="7.", thinking="I know.")))

    assert list(first["x_groq"]) == ["id", "seed"]
    assert last["x_groq"] == {"id": first["x_groq"]["id"], "usage": last["usage"]}
    assert list(last["usage"])[:2] == ["queue_time", "prompt_tokens"]


def test_groq_thinks_on_a_channel_of_its_own() -> None:
    deltas = [one["choices"][0]["delta"] for one in events(streamed("groq", Reply(text="7.", thinking="I")))[:-1]]

    assert deltas == [
        {"role": "assistant", "content": ""},
        {"reasoning": "I", "channel": "analysis"},
        {"content": "7."},
        {},
    ]


def test_openrouter_waits_in_comments_and_names_who_serves() -> None:
    waiting, first, *_ = events(streamed("openrouter", TEXT))

    assert waiting == ": OPENROUTER PROCESSING"
    assert first["provider"] == "OpenAI"
    assert first["choices"][0]["native_finish_reason"] is None


def test_xai_hands_calls_over_whole_and_leaves_out_a_reason_that_is_not_there() -> None:
    first, last, _done = events(streamed("xai", Reply(calls=(OSLO,))))
    call = {"id": "call_1", "function": FUNCTION, "index": 0, "type": "function"}

    assert first["choices"] == [{"index": 0, "delta": {"tool_calls": [call], "role": "assistant"}}]
    assert last["choices"] == [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]


def test_xai_counts_thoughts_beside_the_completion() -> None:
    usage = plain(answered("xai", Reply(text="It is 7.", thinking="I know it.")))["usage"]

    assert usage["completion_tokens"] == 2
    assert usage["completion_tokens_details"]["reasoning_tokens"] == 3
    assert usage["total_tokens"] == usage["prompt_tokens"] + 5


def test_llama_cpp_puts_timings_into_the_last_chunk() -> None:
    *others, last, _done = events(streamed("llama.cpp", TEXT))
    *_, counted, _ = events(streamed("llama.cpp", TEXT, stream_options={"include_usage": True}))

    assert list(last["timings"])[:2] == ["cache_n", "prompt_n"]
    assert not any("timings" in chunk for chunk in others)
    assert (counted["choices"], list(counted)[-2:]) == ([], ["usage", "timings"])


def test_azure_tells_first_what_its_filter_says_of_the_prompt() -> None:
    first, second, *_ = events(streamed("azure", TEXT))

    assert list(first) == ["choices", "created", "id", "model", "object", "prompt_filter_results"]
    assert (first["choices"], first["id"]) == ([], "")
    assert list(second["choices"][0]) == ["content_filter_results", "delta", "finish_reason", "index", "logprobs"]


def test_azure_names_the_deployment_of_the_path() -> None:
    path = "/openai/deployments/my%20gpt/chat/completions?api-version=2025-04-01-preview"
    body = plain(answered("azure", TEXT, {"messages": [{"role": "user", "content": "a"}]}, path=path))

    assert body["model"] == "my gpt"


def test_together_has_role_and_text_in_each_chunk_and_its_usage_in_one_of_its_own() -> None:
    *chunks, last, _done = events(streamed("together", TEXT))
    choices = [chunk["choices"][0] for chunk in chunks]

    assert last["choices"] == []
    assert last["usage"]["total_tokens"] > 0
    assert all("usage" not in chunk for chunk in chunks)
    assert {choice["delta"]["role"] for choice in choices} == {"assistant"}
    assert [choice["text"] for choice in choices] == [choice["delta"]["content"] for choice in choices]
    assert "".join(choice["text"] for choice in choices) == "It is 7 degrees."
    assert all("token_id" in choice["delta"] for choice in choices)


def test_together_always_has_a_list_of_calls_in_a_plain_answer() -> None:
    body = plain(answered("together", TEXT))

    assert body["prompt"] == []
    assert body["choices"][0]["message"]["tool_calls"] == []


@EACH
def test_answers_have_the_headers_that_clients_read(name: str) -> None:
    reply = Reply(text="7 degrees")
    plain_ones = EXPECTED[name].get("headers", [])
    for response, expected in (
        (answered(name, reply), plain_ones),
        (answered(name, reply, chat(name, stream=True)), EXPECTED[name].get("stream_headers", plain_ones)),
    ):
        headers = dict(response.headers)
        assert [one for one in headers if one != "content-type"] == expected
        assert all(headers.values())


@pytest.mark.parametrize(("name", "header"), [("openrouter", "x-generation-id"), ("cerebras", "inference-id")])
def test_header_names_the_answer(name: str, header: str) -> None:
    response = answered(name, Reply(text="7 degrees"))

    assert dict(response.headers)[header] == json.loads(response.body)["id"]
