"""What the page about the server says to set for each client leads the vendors' SDKs to it."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from fake_providers import Reply, serve
from tests.docs.documents import ROOT

PAGE = (ROOT / "docs" / "serve.md").read_text()
SHOWN = "http://127.0.0.1:8080"
MESSAGES: Any = [{"role": "user", "content": "Hi"}]


def variable_of(client: str) -> tuple[str, str]:
    """Name and value of the environment variable in the row of a client."""
    found = re.search(rf"^\| {re.escape(client)} \| `([A-Z_]+)=({re.escape(SHOWN)}[^`]*)`", PAGE, re.MULTILINE)
    assert found, f"the page shows no variable for {client}"
    return found[1], found[2].removeprefix(SHOWN)


def ask_openai() -> str | None:
    import openai

    with openai.OpenAI() as client:
        return client.chat.completions.create(model="gpt-4.1", messages=MESSAGES).choices[0].message.content


def ask_anthropic() -> str | None:
    import anthropic

    with anthropic.Anthropic() as client:
        block = client.messages.create(model="claude-sonnet-4-6", max_tokens=100, messages=MESSAGES).content[0]
    return getattr(block, "text", None)


def ask_google() -> str | None:
    from google import genai

    with genai.Client() as client:
        return client.models.generate_content(model="gemini-2.5-flash", contents="Hi").text


def ask_ollama() -> str | None:
    import ollama

    client = ollama.Client()
    try:
        return client.chat(model="qwen3", messages=MESSAGES).message.content
    finally:
        client._client.close()  # it has no other way


CLIENTS: dict[str, tuple[str, Callable[[], str | None]]] = {
    "OpenAI, Python and Node": ("openai", ask_openai),
    "Anthropic, Python and TypeScript": ("anthropic", ask_anthropic),
    "Google Gen AI, Python": ("gemini", ask_google),
    "Ollama": ("ollama", ask_ollama),
}


@pytest.mark.parametrize("client", CLIENTS)
def test_variable_of_the_page_leads_the_sdk_to_the_server(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    provider, ask = CLIENTS[client]
    name, path = variable_of(client)
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(key, "any")
    monkeypatch.setenv("NO_PROXY", "*")
    with serve(provider, [Reply(text="Hello.")]) as fake:
        root = fake.base_url.removesuffix(fake.wire.base_path)
        monkeypatch.setenv(name, root + path)

        assert ask() == "Hello."
