"""The vendors' SDKs that speak Chat Completions, answered by a provider's fake without a socket."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import groq
import httpx
import httpx2
import openai
from mistralai.client import Mistral

from tests.fakes.without_socket import Answer, Httpx2Transport, HttpxTransport

MESSAGES: Any = [{"role": "user", "content": "What is the weather in Oslo?"}]
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS: Any = [{"type": "function", "function": {"name": "get_weather", "description": "Weather.", "parameters": CITY}}]


@dataclass
class RenderedReply:
    """What a caller of the SDK has in hand at the end."""

    text: str = ""
    thinking: str = ""
    calls: list[list[Any]] = field(default_factory=list)
    finish: str | None = None
    tokens: int = 0


def _parts(content: Any) -> tuple[str, str]:
    """Text and thoughts of a content: Mistral tells thoughts as parts, which the SDKs hand on as objects or as JSON."""
    if not isinstance(content, list):
        return (content if isinstance(content, str) else ""), ""
    parts = [part if isinstance(part, dict) else part.model_dump() for part in content]
    text = "".join(part["text"] for part in parts if part["type"] == "text")
    return text, "".join(inner["text"] for part in parts if part["type"] == "thinking" for inner in part["thinking"])


def _thinking(message: Any) -> str:
    return getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None) or ""


def _whole(completion: Any) -> RenderedReply:
    choice = completion.choices[0]
    text, thought = _parts(choice.message.content)
    calls = [[c.id, c.function.name, c.function.arguments] for c in choice.message.tool_calls or ()]
    thinking = _thinking(choice.message) or thought
    return RenderedReply(text, thinking, calls, choice.finish_reason, completion.usage.completion_tokens)


def _add(collected: RenderedReply, chunk: Any) -> None:
    if getattr(chunk, "usage", None):
        collected.tokens = chunk.usage.completion_tokens
    for choice in chunk.choices:
        text, thought = _parts(choice.delta.content)
        collected.text += text
        collected.thinking += _thinking(choice.delta) or thought
        collected.finish = choice.finish_reason or collected.finish
        for call in choice.delta.tool_calls or ():
            if call.index == len(collected.calls):
                collected.calls.append([call.id, call.function.name, ""])
            collected.calls[call.index][2] += call.function.arguments or ""


def _openai(provider: str, answer: Answer, kind: Any) -> Any:
    """The SDK as it is set up for this provider."""
    is_async = kind is openai.AsyncOpenAI
    http: Any = (httpx2.AsyncClient if is_async else httpx2.Client)(transport=Httpx2Transport(answer))
    if provider == "azure":
        azure: Any = openai.AsyncAzureOpenAI if is_async else openai.AzureOpenAI
        where = {"azure_endpoint": "http://fake", "azure_deployment": "gpt-4.1", "api_version": "2025-04-01-preview"}
        return azure(api_key="k", http_client=http, max_retries=0, **where)
    return kind(api_key="k", base_url="http://fake/v1", http_client=http, max_retries=0)


def _groq(answer: Answer, kind: Any) -> Any:
    client: Any = httpx.AsyncClient if kind is groq.AsyncGroq else httpx.Client
    return kind(
        api_key="k", base_url="http://fake", http_client=client(transport=HttpxTransport(answer)), max_retries=0
    )


def _create(client: Any, model: str, **more: Any) -> Any:
    return client.chat.completions.create(model=model, messages=MESSAGES, tools=TOOLS, **more)


def plain(make: Any, kinds: Any, model: str, answer: Answer) -> RenderedReply:
    return _whole(_create(make(answer, kinds[0]), model))


def plain_async(make: Any, kinds: Any, model: str, answer: Answer) -> RenderedReply:
    return _whole(asyncio.run(_create(make(answer, kinds[1]), model)))


def streamed(make: Any, kinds: Any, model: str, answer: Answer) -> RenderedReply:
    collected = RenderedReply()
    for chunk in _create(make(answer, kinds[0]), model, stream=True):
        _add(collected, chunk)
    return collected


def streamed_async(make: Any, kinds: Any, model: str, answer: Answer) -> RenderedReply:
    async def collect() -> RenderedReply:
        collected = RenderedReply()
        async for chunk in await _create(make(answer, kinds[1]), model, stream=True):
            _add(collected, chunk)
        return collected

    return asyncio.run(collect())


def _mistral(answer: Answer) -> Mistral:
    transport = HttpxTransport(answer)
    clients = {"client": httpx.Client(transport=transport), "async_client": httpx.AsyncClient(transport=transport)}
    return Mistral(api_key="k", server_url="http://fake", **clients)  # type: ignore[arg-type]


def mistral_plain(model: str, answer: Answer) -> RenderedReply:
    return _whole(_mistral(answer).chat.complete(model=model, messages=MESSAGES, tools=TOOLS))


def mistral_plain_async(model: str, answer: Answer) -> RenderedReply:
    return _whole(asyncio.run(_mistral(answer).chat.complete_async(model=model, messages=MESSAGES, tools=TOOLS)))


def mistral_streamed(model: str, answer: Answer) -> RenderedReply:
    collected = RenderedReply()
    for event in _mistral(answer).chat.stream(model=model, messages=MESSAGES, tools=TOOLS):
        _add(collected, event.data)
    return collected


def mistral_streamed_async(model: str, answer: Answer) -> RenderedReply:
    async def collect() -> RenderedReply:
        collected = RenderedReply()
        async for event in await _mistral(answer).chat.stream_async(model=model, messages=MESSAGES, tools=TOOLS):
            _add(collected, event.data)
        return collected

    return asyncio.run(collect())


Way = Callable[[str, Answer], RenderedReply]
GENERIC = (plain, plain_async, streamed, streamed_async)


def ways_of(sdk: str, provider: str) -> dict[str, Way]:
    """How this SDK can ask this provider: plain and streamed, sync and async."""
    if sdk == "mistralai":
        context = (mistral_plain, mistral_plain_async, mistral_streamed, mistral_streamed_async)
        return {way.__name__.removeprefix("mistral_"): way for way in context}
    make = _groq if sdk == "groq" else partial(_openai, provider)
    kinds = (groq.Groq, groq.AsyncGroq) if sdk == "groq" else (openai.OpenAI, openai.AsyncOpenAI)
    return {way.__name__: partial(way, make, kinds) for way in GENERIC}
