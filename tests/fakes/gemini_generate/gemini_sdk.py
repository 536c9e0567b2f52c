"""google-genai in front of this fake, without a socket: a transport of httpx2 that feeds it the response's chunks."""

from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import Any

import httpx2
from gemini_requests import WIRE
from google import genai
from google.genai import types
from google.oauth2.credentials import Credentials

from fakes import Fault, Reply, Request, Response, Telling
from fakes.ids import Ids
from fakes.reply import Split


class Body(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """The chunks as they are; a cut ends as a real transport ends it."""

    def __init__(self, response: Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.chunks
        if self._response.cut:
            raise httpx2.RemoteProtocolError("peer closed connection without sending complete message body")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk


class Served(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """Judges each request, then tells the next reply; `refusals` must stay empty where the client is right."""

    def __init__(self, *replies: Reply | Fault, split: Split = "provider", provider: str = "gemini") -> None:
        self._replies = list(replies)
        self._split = split
        self.provider = provider
        self._ids = Ids("sdk")
        self.requests: list[Request] = []
        self.refusals: list[str] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._answer(request, request.read())

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._answer(request, await request.aread())

    def _answer(self, asked: httpx2.Request, body: bytes) -> httpx2.Response:
        headers = {name.lower(): value for name, value in asked.headers.items()}
        request = Request(asked.method, asked.url.raw_path.decode(), headers, body)
        self.requests.append(request)
        response = self._respond(request, Telling(request, self.provider, self._ids, self._split))
        return httpx2.Response(response.status, headers=list(response.headers), stream=Body(response))

    def _respond(self, request: Request, telling: Telling) -> Response:
        violation = WIRE.missing_key(request) or WIRE.judge(request, provider=self.provider)
        if violation is not None:
            self.refusals.append(violation.rule)
            return WIRE.refuse(violation, telling)
        reply = self._replies.pop(0)
        return WIRE.fail(reply, telling) if isinstance(reply, Fault) else WIRE.encode(reply, telling)


class Relay(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """Stands in the one client of all tests of a provider, since making one takes a tenth of a second, and hands on."""

    def __init__(self) -> None:
        self.served = Served()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self.served.handle_request(request)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await self.served.handle_async_request(request)


@cache
def only_client(provider: str) -> tuple[genai.Client, Relay]:
    relay = Relay()
    options = types.HttpOptions(
        base_url="http://fake.invalid",
        client_args={"transport": relay},
        async_client_args={"transport": relay},
        retry_options=types.HttpRetryOptions(attempts=1),
    )
    if provider == "vertex":
        token = Credentials("token")  # type: ignore[no-untyped-call]
        return genai.Client(
            vertexai=True, project="p", location="global", credentials=token, http_options=options
        ), relay
    return genai.Client(api_key="key", http_options=options), relay


def client_of(served: Served) -> genai.Client:
    client, relay = only_client(served.provider)
    relay.served = served
    return client


async def ask(served: Served, *, asynchronous: bool, streamed: bool, contents: Any = "Rain?") -> list[Any]:
    """The responses of one request: one where it is plain, one for each chunk where it is streamed."""
    client, model = client_of(served), "gemini-3-flash-preview"
    if asynchronous and streamed:
        return [
            chunk async for chunk in await client.aio.models.generate_content_stream(model=model, contents=contents)
        ]
    if asynchronous:
        return [await client.aio.models.generate_content(model=model, contents=contents)]
    if streamed:
        return list(client.models.generate_content_stream(model=model, contents=contents))
    return [client.models.generate_content(model=model, contents=contents)]
