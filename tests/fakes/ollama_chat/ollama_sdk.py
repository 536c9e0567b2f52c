"""The vendor's SDK, answered by the fake without a socket: each chunk of a response is one chunk of the body."""

from collections.abc import AsyncIterator, Callable, Iterator

import httpx
import ollama

from fakes import Request, Response

Answer = Callable[[Request], Response]


class _Chunks(httpx.SyncByteStream, httpx.AsyncByteStream):
    def __init__(self, response: Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.chunks
        if self._response.cut:
            raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk


class _Transport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def _respond(self, request: httpx.Request, body: bytes) -> httpx.Response:
        path = request.url.raw_path.decode()
        headers = {name.lower(): value for name, value in request.headers.items()}
        response = self._answer(Request(request.method, path, headers, body))
        return httpx.Response(response.status, headers=list(response.headers), stream=_Chunks(response))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._respond(request, request.read())

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return self._respond(request, await request.aread())


def client(answer: Answer) -> ollama.Client:
    return ollama.Client("http://fake:11434", transport=_Transport(answer))


def async_client(answer: Answer) -> ollama.AsyncClient:
    return ollama.AsyncClient("http://fake:11434", transport=_Transport(answer))
