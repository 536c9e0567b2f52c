"""What the tests of the reference agent share: a setup, a strict fake in process, and running a turn to its end."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import httpx2

from agent_conformance import Limits, Message, Reply, Setup, Tool, ToolError
from agent_conformance.agents.reference import Adapter
from fake_providers.http import Handler, Request
from fake_providers.provider_facts import own_provider
from fake_providers.registry import wire_named
from fake_providers.reply import Call
from fake_providers.reply import Reply as Scripted
from fake_providers.serving.scripted_fake import ScriptedFake

MODELS = {
    "openai-chat": "gpt-4.1",
    "openai-responses": "gpt-5.4",
    "anthropic-messages": "claude-sonnet-4-5",
    "gemini-generate": "gemini-3-pro-preview",
    "ollama-chat": "qwen3:8b",
    "bedrock-converse": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "cohere-chat": "command-a-03-2025",
}
WIRES = tuple(MODELS)


class Recorder:
    """Tools that record their arguments."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, Any]] = []

    def tool(self, name: str = "get_weather", returns: Any = "7 degrees", *, fails: bool = False, **more: Any) -> Tool:
        def run(arguments: Any) -> Any:
            self.ran.append((name, arguments))
            if fails:
                raise ToolError(str(returns))
            return returns

        async def arun(arguments: Any) -> Any:
            return run(arguments)

        schema = {"type": "object", "properties": {"city": {"type": "string"}}}
        return Tool(name, f"What {name} does.", schema, run=run, arun=arun, **more)


class InProcess(httpx2.AsyncBaseTransport):
    """Answers from a handler, chunk by chunk, without a socket."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.raw_path.decode()
        headers = {name.lower(): value for name, value in request.headers.items()}
        response = self._handler.handle(Request(request.method, path, headers, await request.aread()))
        return httpx2.Response(
            response.status, headers=list(response.headers), stream=_Chunks(response.chunks, cut=response.cut)
        )


class _Chunks(httpx2.AsyncByteStream):
    def __init__(self, chunks: Iterable[bytes], *, cut: bool) -> None:
        self._chunks = chunks
        self._cut = cut

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        if self._cut:
            raise httpx2.RemoteProtocolError("the connection was closed")


def setup_for(
    wire: str,
    folder: Path,
    *,
    tools: Iterable[Tool] = (),
    history: Iterable[Message] = (),
    stream: bool = False,
    **more: Any,
) -> Setup:
    limits = more.pop("limits", Limits())
    base_url = "http://127.0.0.1:9" + wire_named(wire).base_path
    return Setup(
        wire=wire,
        provider=own_provider(wire),
        base_url=base_url,
        api_key="key",
        model=more.pop("model", MODELS[wire]),
        stream=stream,
        system=more.pop("system", ""),
        tools=tuple(tools),
        history=tuple(history),
        limits=limits,
        state_dir=folder,
        **more,
    )


def start_adapter(setup: Setup, handler: Handler, cls: type[Adapter] = Adapter) -> Adapter:
    return cls(setup, transport=InProcess(handler))


def scripted_fake(wire: str, *replies: Scripted) -> ScriptedFake:
    return ScriptedFake(own_provider(wire), replies, wire=wire, strict_replies=False)


def calls(*names: str, **arguments: Any) -> Scripted:
    return Scripted(calls=tuple(Call(name, arguments) for name in names))


def sent(adapter: Adapter, *messages: str) -> tuple[str, str]:
    """Send the messages. The last reply, and its deltas joined. The adapter is closed afterwards."""

    async def drive() -> tuple[str, str]:
        reply, deltas = "", ""
        try:
            for message in messages:
                reply, deltas = "", ""
                async for piece in adapter.send(message):
                    if isinstance(piece, Reply):
                        reply = piece
                    else:
                        deltas += piece
        finally:
            await adapter.close()
        return reply, deltas

    return asyncio.run(drive())
