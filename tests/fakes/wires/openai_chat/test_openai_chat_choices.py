"""Several choices, log probabilities, and ids that the script gives: read by the vendor's SDK, plain and streamed."""

from collections import defaultdict
from typing import Any

import httpx2
import openai
import pytest

import fake_providers
from fake_providers import Call, Reply

ASKED: dict[str, Any] = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi."}]}
COUNTED: Any = {"include_usage": True}


def ask(reply: Reply, provider: str = "openai", **fields: Any) -> Any:
    with (
        fake_providers.serve(provider, wire="openai-chat", replies=[reply]) as fake,
        openai.OpenAI(base_url=fake.base_url, api_key="any", max_retries=0) as client,
    ):
        answer = client.chat.completions.create(**{**ASKED, **fields})
        return list(answer) if fields.get("stream") else answer


def texts(chunks: list[Any]) -> dict[int, str]:
    joined: defaultdict[int, str] = defaultdict(str)
    for chunk in chunks:
        for choice in chunk.choices:
            joined[choice.index] += choice.delta.content or ""
    return dict(joined)


@pytest.mark.parametrize("provider", ["openai", "azure", "vllm"])
def test_each_choice_has_its_text(provider: str) -> None:
    reply = Reply(text="Rain.", alternatives=("Sun, and more of it.", "Mist."))
    plain = ask(reply, provider, n=4)
    chunks = ask(reply, provider, n=4, stream=True, stream_options=COUNTED)
    said = {0: "Rain.", 1: "Sun, and more of it.", 2: "Mist.", 3: "Mist."}

    assert {choice.index: choice.message.content for choice in plain.choices} == said
    assert texts(chunks) == said
    assert [choice.finish_reason for choice in plain.choices] == ["stop"] * 4
    assert len({chunk.id for chunk in chunks if chunk.choices}) == 1
    assert chunks[-1].usage.completion_tokens == plain.usage.completion_tokens
    assert plain.usage.total_tokens == plain.usage.prompt_tokens + plain.usage.completion_tokens


def test_choices_of_a_call_have_ids_of_their_own() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    first, second = ask(Reply(calls=(Call("f", {}),)), n=2, tools=[tool]).choices

    assert first.message.tool_calls[0].id != second.message.tool_calls[0].id


def test_provider_with_one_choice_refuses_more() -> None:
    with pytest.raises(openai.BadRequestError):
        ask(Reply(text="Rain."), "groq", n=2, model="openai/gpt-oss-120b")


def test_log_probabilities_stand_beside_each_piece() -> None:
    plain = ask(Reply(text="Rain in Oslo."), logprobs=True, top_logprobs=2).choices[0].logprobs
    chunks = ask(Reply(text="Rain in Oslo."), logprobs=True, top_logprobs=2, stream=True)
    streamed = [
        entry for chunk in chunks for choice in chunk.choices if choice.logprobs for entry in choice.logprobs.content
    ]

    assert "".join(entry.token for entry in plain.content) == "Rain in Oslo."
    assert [entry.logprob for entry in streamed] == [entry.logprob for entry in plain.content]
    assert all(entry.logprob <= 0 and len(entry.top_logprobs) == 2 for entry in plain.content)
    assert bytes(plain.content[0].bytes).decode() == plain.content[0].token


def test_without_the_field_there_are_none() -> None:
    assert ask(Reply(text="Rain.")).choices[0].logprobs is None


@pytest.mark.parametrize(
    ("provider", "wire", "path", "body", "member"),
    [
        ("openai", "openai-chat", "/chat/completions", ASKED, "id"),
        ("deepseek", "openai-chat", "/chat/completions", {**ASKED, "model": "deepseek-chat"}, "id"),
        ("openai", "openai-responses", "/responses", {"model": "gpt-4.1", "input": "Hi."}, "id"),
        ("xai", "openai-responses", "/responses", {"model": "grok-4.3", "input": "Hi."}, "id"),
        (
            "anthropic",
            "anthropic-messages",
            "/v1/messages",
            {"model": "claude-sonnet-4-6", "max_tokens": 99, "messages": ASKED["messages"]},
            "id",
        ),
        (
            "gemini",
            "gemini-generate",
            "/v1beta/models/gemini-2.5-flash:generateContent",
            {"contents": [{"role": "user", "parts": [{"text": "Hi."}]}]},
            "responseId",
        ),
    ],
)
def test_response_has_the_id_that_the_script_gives(
    provider: str, wire: Any, path: str, body: dict[str, Any], member: str
) -> None:

    headers = {"authorization": "Bearer any", "x-api-key": "any", "x-goog-api-key": "any"}
    if wire == "anthropic-messages":
        headers["anthropic-version"] = "2023-06-01"
    with fake_providers.serve(provider, wire=wire, replies=[Reply(text="Rain.", id="my-own")]) as fake:
        answer = httpx2.post(f"{fake.base_url}{path}", json=body, headers=headers).json()

    assert answer[member] == "my-own"
