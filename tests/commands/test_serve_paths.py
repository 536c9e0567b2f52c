"""`agent-conformance serve` with several providers: each below a path of its name, as its SDK takes it."""

import re
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import ollama
import openai
import pytest
from google import genai

from agent_conformance.commands.main import main
from agent_conformance.commands.serve.command import ServeOptions, serve
from fake_providers import PROVIDERS
from tests.docs.documents import ROOT, blocks_of

USER: Any = {"role": "user", "content": "Hi."}
Bases = dict[str, str]


def served(capsys: pytest.CaptureFixture[str], use: Callable[[Bases], None], options: ServeOptions) -> str:
    """What is printed while `use` gets the base URLs, each by `provider on wire`."""

    def until() -> None:
        lines = capsys.readouterr().out.splitlines()
        use(dict(line.split(": base URL ") for line in lines))  # type: ignore[misc]

    assert serve(options, until=until) == 0
    return capsys.readouterr().out


def test_each_sdk_takes_the_base_url_that_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    replies: dict[str, Any] = {}

    def use(bases: Bases) -> None:
        with openai.OpenAI(api_key="k", base_url=bases["openai on openai-chat"]) as client:
            chat = client.chat.completions.create(model="gpt-4.1", messages=[USER])
            replies["chat"] = chat.choices[0].message.content
            replies["responses"] = client.responses.create(model="gpt-5.4", input="Hi.").output_text
            replies["models"] = [model.object for model in client.models.list()]
        with anthropic.Anthropic(api_key="k", base_url=bases["anthropic on anthropic-messages"]) as client_2:
            message: Any = client_2.messages.create(model="claude-sonnet-4-6", max_tokens=99, messages=[USER])
            replies["anthropic"] = message.content[0].text
        client_3 = genai.Client(api_key="k", http_options={"base_url": bases["gemini on gemini-generate"]})
        replies["gemini"] = client_3.models.generate_content(model="gemini-2.5-flash", contents="Hi.").text
        client_3.close()
        with openai.OpenAI(api_key="k", base_url=bases["gemini on openai-chat"]) as client:
            chat = client.chat.completions.create(model="gemini-2.5-flash", messages=[USER])
            replies["gemini chat"] = chat.choices[0].message.content
        with ollama.Client(bases["ollama on ollama-chat"]) as client_4:
            replies["ollama"] = client_4.chat("qwen3:8b", [USER]).message.content
        with openai.OpenAI(api_key="k", base_url=bases["ollama on openai-chat"]) as client:
            chat = client.chat.completions.create(model="qwen3:8b", messages=[USER])
            replies["ollama chat"] = chat.choices[0].message.content

    beside = ("anthropic", "gemini", "ollama")
    printed = served(capsys, use, ServeOptions(provider="openai", beside=beside))

    assert replies.pop("models") == ["model"]
    assert set(replies.values()) == {"Done."}
    assert "POST /openai/v1/chat/completions: 200" in printed
    assert "POST /anthropic/v1/messages: 200" in printed


def test_page_shows_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = blocks_of(ROOT / "docs" / "serve.md")
    shown = next(block.text for block in blocks if block.text.startswith("openai on openai-chat: base URL"))

    def use(bases: Bases) -> None:
        lines = [f"{wire}: base URL {url}" for wire, url in bases.items()]
        assert re.sub(r":\d+/", ":8080/", "\n".join(lines)) == shown.strip()

    served(capsys, use, ServeOptions(provider="openai", beside=("anthropic", "gemini")))


def test_all_providers_are_served_on_one_port(capsys: pytest.CaptureFixture[str]) -> None:
    found: Bases = {}
    statuses: dict[str, int] = {}

    def use(bases: Bases) -> None:
        found.update(bases)
        port = next(iter(bases.values())).split("/openai")[0]
        for name in PROVIDERS:
            statuses[name] = httpx2.get(f"{port}/{name}/nothing", trust_env=False).status_code
        elsewhere = httpx2.get(f"{port}/v1/models", trust_env=False)
        statuses["elsewhere"] = elsewhere.status_code
        assert "No provider is at /v1/models: the base URLs of this server end in /openai/v1, " in elsewhere.text
        assert httpx2.get(f"{port}/", headers={"host": "evil.example"}, trust_env=False).status_code == 421

    first, *others = PROVIDERS
    served(capsys, use, ServeOptions(provider=first, beside=tuple(others)))

    assert len(found) == sum(len(wires) for wires in PROVIDERS.values())
    assert set(statuses.values()) == {404}


def test_state_of_one_provider_is_unknown_to_another(capsys: pytest.CaptureFixture[str]) -> None:
    def use(bases: Bases) -> None:
        with (
            openai.OpenAI(api_key="k", base_url=bases["openai on openai-responses"]) as one,
            openai.OpenAI(api_key="k", base_url=bases["xai on openai-responses"]) as other,
        ):
            made = one.responses.create(model="gpt-5.4", input="Hi.")
            assert one.responses.retrieve(made.id).id == made.id
            with pytest.raises(openai.NotFoundError):
                other.responses.retrieve(made.id)

    served(capsys, use, ServeOptions(provider="openai", beside=("xai",)))


def test_one_provider_answers_all_its_wires_at_the_root(capsys: pytest.CaptureFixture[str]) -> None:
    def use(bases: Bases) -> None:
        (url,) = bases.values()
        with openai.OpenAI(api_key="k", base_url=url, max_retries=0) as client:
            assert client.chat.completions.create(model="gpt-4.1", messages=[USER]).id
            assert client.responses.create(model="gpt-5.4", input="Hi.").output_text == "Done."
            with pytest.raises(openai.NotFoundError, match="no model request of openai-chat or openai-responses"):
                client.vector_stores.list()

    served(capsys, use, ServeOptions(provider="openai"))


def test_only_the_wire_that_is_named_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    def use(bases: Bases) -> None:
        (url,) = bases.values()
        with openai.OpenAI(api_key="k", base_url=url, max_retries=0) as client:
            assert client.responses.create(model="gpt-5.4", input="Hi.").output_text == "Done."
            with pytest.raises(openai.NotFoundError):
                client.chat.completions.create(model="gpt-4.1", messages=[USER])

    served(capsys, use, ServeOptions(provider="openai", wire="openai-responses"))


def test_wire_of_several_providers_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    options = ServeOptions(provider="openai", beside=("xai",), wire="openai-chat")

    assert serve(options) == 2
    assert "of several providers all wires are served. Leave it out." in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--all", "--provider", "openai"]])
def test_providers_are_named_or_all(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["serve", *arguments])

    assert stopped.value.code == 2
    assert "--all" in capsys.readouterr().err
