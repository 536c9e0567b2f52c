"""The vendors' SDKs reach a fake through the hook. No server listens, so that a miss is an error."""

import asyncio
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from google import genai
from transport_doubles import Site

from fake_providers import Fault, Reply
from fake_providers.serving.scripted_fake import ScriptedFake

MESSAGES: Any = [{"role": "user", "content": "hi"}]
TEXT = "It is sunny in Rome, and will be so tomorrow."


def stream_openai(url: str) -> str:
    with openai.OpenAI(api_key="k", base_url=f"{url}/v1") as client:
        chunks = client.chat.completions.create(model="gpt-5.2", messages=MESSAGES, stream=True)
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def stream_openai_async(url: str) -> str:
    async def run() -> str:
        async with openai.AsyncOpenAI(api_key="k", base_url=f"{url}/v1") as client:
            chunks = await client.chat.completions.create(model="gpt-5.2", messages=MESSAGES, stream=True)
            return "".join([chunk.choices[0].delta.content or "" async for chunk in chunks if chunk.choices])

    return asyncio.run(run())


def stream_anthropic(url: str) -> str:
    client = anthropic.Anthropic(api_key="k", base_url=url)
    with client, client.messages.stream(model="claude-opus-4-6", max_tokens=99, messages=MESSAGES) as stream:
        return "".join(stream.text_stream)


def stream_anthropic_async(url: str) -> str:
    async def run() -> str:
        client = anthropic.AsyncAnthropic(api_key="k", base_url=url)
        async with client, client.messages.stream(model="claude-opus-4-6", max_tokens=99, messages=MESSAGES) as stream:
            return "".join([text async for text in stream.text_stream])

    return asyncio.run(run())


def stream_gemini(url: str) -> str:
    client = genai.Client(api_key="k", http_options={"base_url": url})
    chunks = client.models.generate_content_stream(model="gemini-2.5-flash", contents="hi")
    return "".join(chunk.text or "" for chunk in chunks)


SDKS: dict[str, tuple[str, Callable[[str], str]]] = {
    "openai": ("openai", stream_openai),
    "openai-async": ("openai", stream_openai_async),
    "anthropic": ("anthropic", stream_anthropic),
    "anthropic-async": ("anthropic", stream_anthropic_async),
    "gemini": ("gemini", stream_gemini),
}


@pytest.mark.parametrize("sdk", SDKS)
def test_sdk_streams(sdk: str, site: Site) -> None:
    provider, stream = SDKS[sdk]
    fake = ScriptedFake(provider, [Reply(text=TEXT)])

    assert stream(site.place(fake)) == TEXT
    assert fake.violations == []


@pytest.mark.parametrize("sdk", SDKS)
def test_cut_stream_is_an_error_of_the_sdk_or_its_client(sdk: str, site: Site) -> None:
    provider, stream = SDKS[sdk]
    fake = ScriptedFake(provider, [Reply(text=TEXT, fault=Fault(cut_after=2))])

    with pytest.raises((openai.APIConnectionError, httpx2.RemoteProtocolError)):
        stream(site.place(fake))
