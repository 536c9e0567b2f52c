"""Completions without chat: OpenAI's and its likes', and Ollama's `generate`, read by the vendors' SDKs."""

from typing import Any

import ollama
import openai
import pytest

import fake_providers
from fake_providers import Reply

INSTRUCT = "gpt-3.5-turbo-instruct"
MODELS = {"openai": INSTRUCT, "vllm": "my-model", "llama.cpp": "my-model", "deepseek": "deepseek-chat"}


def client(fake: Any) -> openai.OpenAI:
    return openai.OpenAI(base_url=fake.base_url, api_key="any", max_retries=0)


@pytest.mark.parametrize("provider", MODELS)
def test_text_is_completed_plain_and_streamed(provider: str) -> None:
    replies = [Reply(text="Rain."), Reply(text="Sun.")]
    with fake_providers.serve(provider, wire="openai-chat", replies=replies) as fake, client(fake) as sdk:
        plain = sdk.completions.create(model=MODELS[provider], prompt="Weather:", max_tokens=9)
        chunks = list(sdk.completions.create(model=MODELS[provider], prompt="And now:", stream=True))

    assert (plain.choices[0].text, plain.choices[0].finish_reason, plain.object) == ("Rain.", "stop", "text_completion")
    assert "".join(choice.text for chunk in chunks for choice in chunk.choices) == "Sun."
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert [view.messages[0].text for view in fake.views] == ["Weather:", "And now:"]
    assert not fake.violations


def test_several_choices_are_sent_where_they_are_asked_for() -> None:
    reply = Reply(text="Rain.", alternatives=("Sun.",))
    with fake_providers.serve("openai", wire="openai-chat", replies=[reply]) as fake, client(fake) as sdk:
        choices = sdk.completions.create(model=INSTRUCT, prompt="Weather:", n=2).choices

    assert [choice.text for choice in choices] == ["Rain.", "Sun."]


def test_chat_model_is_refused() -> None:
    served = fake_providers.serve("openai", wire="openai-chat")
    with served as fake, client(fake) as sdk, pytest.raises(openai.NotFoundError) as refused:
        sdk.completions.create(model="gpt-4.1", prompt="Weather:")

    assert "Did you mean to use v1/chat/completions?" in str(refused.value)
    assert [violation.rule for violation in fake.violations] == ["openai/completions-of-a-chat-model"]


def test_provider_without_them_answers_404() -> None:
    with fake_providers.serve("groq") as fake, client(fake) as sdk, pytest.raises(openai.NotFoundError):
        sdk.completions.create(model="any", prompt="Weather:")


def test_ollama_generates_plain_and_streamed() -> None:
    replies = [Reply(text="Rain.", thinking="Hm."), Reply(text="Sun.")]
    with fake_providers.serve("ollama", replies=replies) as fake, ollama.Client(host=fake.base_url) as sdk:
        plain = sdk.generate(model="qwen3", prompt="Weather:", system="Be brief.")
        parts = list(sdk.generate(model="qwen3", prompt="And now:", stream=True))

    assert (plain.response, plain.thinking, plain.done, plain.done_reason) == ("Rain.", "Hm.", True, "stop")
    assert "".join(part.response for part in parts) == "Sun."
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    assert (fake.views[0].system, fake.views[0].messages[0].text) == ("Be brief.", "Weather:")


def test_ollama_refuses_a_name_that_is_none() -> None:
    with (
        fake_providers.serve("ollama") as fake,
        ollama.Client(host=fake.base_url) as sdk,
        pytest.raises(ollama.ResponseError),
    ):
        sdk.generate(model="a b:c:d//", prompt="Weather:")

    assert len(fake.violations) == 1
