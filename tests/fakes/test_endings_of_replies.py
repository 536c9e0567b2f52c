"""How each wire says why a reply ended, where the reason is odd, as it was reported."""

import json
from typing import Any

import pytest

from fake_providers import Call, Reply, wire_named
from fake_providers.provider_facts import own_provider
from fake_providers.registry import wire_for
from fake_providers.reply import CannotExpress
from tests.fakes.test_expressible import context

OSLO = Call("get_weather", {"city": "Oslo"})


def plain(wire: str, reply: Reply, provider: str | None = None) -> Any:
    encoder = wire_for(provider or own_provider(wire), wire)
    return json.loads(encoder.encode(reply, context(wire, "plain")).body)


def streamed(wire: str, reply: Reply) -> str:
    return wire_named(wire).encode(reply, context(wire, "stream")).body.decode()


@pytest.mark.parametrize(("finish", "sent"), [("stop", "stop"), ("none", None)])
def test_calls_of_chat_completions_end_with_stop_or_nothing(finish: Any, sent: Any) -> None:
    reply = Reply(calls=(OSLO,), finish=finish)

    assert plain("openai-chat", reply)["choices"][0]["finish_reason"] == sent
    assert plain("openai-chat", reply)["choices"][0]["message"]["tool_calls"]
    assert 'tool_calls"}]' not in streamed("openai-chat", reply)
    assert streamed("openai-chat", reply).endswith("data: [DONE]\n\n")


@pytest.mark.parametrize(
    "provider", ["azure", "deepseek", "gemini", "llama.cpp", "mistral", "ollama", "openrouter", "vllm", "xai"]
)
def test_every_server_of_the_wire_can_leave_the_reason_out(provider: str) -> None:
    assert plain("openai-chat", Reply(text="7", finish="none"), provider)["choices"][0]["finish_reason"] is None


def test_reason_of_calls_comes_without_a_call() -> None:
    reply = Reply(finish="tool_calls")

    assert plain("openai-chat", reply)["choices"][0]["finish_reason"] == "tool_calls"
    assert "tool_calls" not in plain("openai-chat", reply)["choices"][0]["message"]
    assert (plain("anthropic-messages", reply)["stop_reason"], plain("anthropic-messages", reply)["content"]) == (
        "tool_use",
        [],
    )


def test_refusal_without_words_has_no_content() -> None:
    assert plain("anthropic-messages", Reply(finish="refusal"))["content"] == []
    assert "content" not in plain("gemini-generate", Reply(finish="refusal"))["candidates"][0]


def test_undeclared_call_of_gemini_has_a_message_and_no_content() -> None:
    candidate = plain("gemini-generate", Reply(finish="unexpected-call"))["candidates"][0]

    assert candidate["finishReason"] == "UNEXPECTED_TOOL_CALL"
    assert candidate["finishMessage"].startswith("Unexpected tool call: ")
    assert "content" not in candidate


@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_blocked_prompt_has_no_candidates(provider: str) -> None:
    body = plain("gemini-generate", Reply(finish="blocked-prompt"), provider)

    assert "candidates" not in body
    assert body["promptFeedback"] == {"blockReason": "PROHIBITED_CONTENT"}
    assert body["usageMetadata"]["promptTokenCount"] > 0


def test_blocked_prompt_is_one_event_of_a_stream() -> None:
    body = streamed("gemini-generate", Reply(finish="blocked-prompt"))

    assert body.count("data: ") == body.count("blockReason") == 1


@pytest.mark.parametrize("wire", ["openai-chat", "openai-responses"])
def test_refusal_of_openai_always_has_words(wire: str) -> None:
    with pytest.raises(CannotExpress) as caught:
        plain(wire, Reply(finish="refusal"))

    assert caught.value.feature == "refusal-without-text"
