"""The vendor's SDK, answered by the fake without a socket: each chunk of a response is one chunk of the body."""

from collections.abc import AsyncIterator, Callable, Iterator

import httpx2
import openai

from fakes import Request, Response

Answer = Callable[[Request], Response]

STATUSES: dict[int, type[openai.APIStatusError]] = {
    400: openai.BadRequestError,
    401: openai.AuthenticationError,
    403: openai.PermissionDeniedError,
    404: openai.NotFoundError,
    408: openai.APIStatusError,
    409: openai.ConflictError,
    422: openai.UnprocessableEntityError,
    429: openai.RateLimitError,
    500: openai.InternalServerError,
    502: openai.InternalServerError,
    503: openai.InternalServerError,
    504: openai.InternalServerError,
    529: openai.InternalServerError,
}
"""The exception that the SDK raises for each status."""


class _Chunks(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    def __init__(self, response: Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.chunks
        if self._response.cut:
            raise httpx2.RemoteProtocolError("peer closed connection without sending complete message body")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk


class _Transport(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def _respond(self, request: httpx2.Request, body: bytes) -> httpx2.Response:
        path = request.url.raw_path.decode()
        headers = {name.lower(): value for name, value in request.headers.items()}
        response = self._answer(Request(request.method, path, headers, body))
        return httpx2.Response(response.status, headers=list(response.headers), stream=_Chunks(response))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._respond(request, request.read())

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._respond(request, await request.aread())


def client(answer: Answer, *, retries: int = 0) -> openai.OpenAI:
    http = httpx2.Client(transport=_Transport(answer))
    return openai.OpenAI(api_key="sk-test", base_url="http://fake/v1", http_client=http, max_retries=retries)


def async_client(answer: Answer) -> openai.AsyncOpenAI:
    http = httpx2.AsyncClient(transport=_Transport(answer))
    return openai.AsyncOpenAI(api_key="sk-test", base_url="http://fake/v1", http_client=http, max_retries=0)
