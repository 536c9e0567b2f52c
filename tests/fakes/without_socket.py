"""A fake in front of a vendor's SDK without a socket: transports of both clients, which hand on chunk by chunk."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import httpx2

from fake_providers import Request, Response

Answer = Callable[[Request], Response]

CUT = "peer closed connection without sending complete message body"


class _Chunks:
    """The chunks as they are; a cut ends as a real transport ends it."""

    def __init__(self, response: Response, breach: type[Exception]) -> None:
        self._response = response
        self._broken = breach

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.chunks
        if self._response.cut:
            raise self._broken(CUT)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk


class _HttpxChunks(_Chunks, httpx.SyncByteStream, httpx.AsyncByteStream):
    pass


class _Httpx2Chunks(_Chunks, httpx2.SyncByteStream, httpx2.AsyncByteStream):
    pass


def _request_of(request: Any, body: bytes) -> Request:
    headers = {name.lower(): value for name, value in request.headers.items()}
    return Request(request.method, request.url.raw_path.decode(), headers, body)


class HttpxTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def _respond(self, request: httpx.Request, body: bytes) -> httpx.Response:
        given = self._answer(_request_of(request, body))
        stream = _HttpxChunks(given, httpx.RemoteProtocolError)
        return httpx.Response(given.status, headers=list(given.headers), stream=stream)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._respond(request, request.read())

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return self._respond(request, await request.aread())


class Httpx2Transport(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def _respond(self, request: httpx2.Request, body: bytes) -> httpx2.Response:
        given = self._answer(_request_of(request, body))
        stream = _Httpx2Chunks(given, httpx2.RemoteProtocolError)
        return httpx2.Response(given.status, headers=list(given.headers), stream=stream)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._respond(request, request.read())

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._respond(request, await request.aread())
