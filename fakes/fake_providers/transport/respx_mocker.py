"""What makes `respx.mock(using="httpx2")` work. Imported for that alone: it imports httpx, httpx2 and respx."""

from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

import httpx
import httpx2
from respx.mocks import AbstractRequestMocker


class _Stream(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A body of httpx as one of httpx2, with its errors."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._stream
        except httpx.TransportError as error:
            raise _translated(error) from None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._stream:
                yield chunk
        except httpx.TransportError as error:
            raise _translated(error) from None

    def close(self) -> None:
        self._stream.close()

    async def aclose(self) -> None:
        await self._stream.aclose()


class Httpx2Mocker(AbstractRequestMocker):
    """Patches the transports, so that a client's own mounts and custom transports stay as they are."""

    name = "httpx2"
    targets: ClassVar[list[str]] = [
        "httpx2._transports.default.HTTPTransport",
        "httpx2._transports.default.AsyncHTTPTransport",
    ]
    target_methods: ClassVar[list[str]] = ["handle_request", "handle_async_request"]

    @classmethod
    def prepare_sync_request(cls, httpx_request: Any, **arguments: Any) -> Any:
        content = httpx_request.read()
        arguments["request"].stream = httpx2.ByteStream(content)
        return httpx_request, arguments

    @classmethod
    async def prepare_async_request(cls, httpx_request: Any, **arguments: Any) -> Any:
        content = await httpx_request.aread()
        arguments["request"].stream = httpx2.ByteStream(content)
        return httpx_request, arguments

    @classmethod
    def to_httpx_request(cls, **arguments: Any) -> Any:
        request = arguments["request"]
        return httpx.Request(
            request.method,
            str(request.url),
            headers=request.headers.raw,
            stream=request.stream,
            extensions=request.extensions,
        )

    @classmethod
    def from_sync_httpx_response(cls, httpx_response: Any, target: Any, **arguments: Any) -> Any:
        return httpx2.Response(
            httpx_response.status_code,
            headers=httpx_response.headers.raw,
            stream=_Stream(httpx_response.stream),
            extensions=httpx_response.extensions,
        )

    @classmethod
    async def from_async_httpx_response(cls, httpx_response: Any, target: Any, **arguments: Any) -> Any:
        return cls.from_sync_httpx_response(httpx_response, target, **arguments)


def _translated(error: Exception) -> Exception:
    made: Exception = getattr(httpx2, type(error).__name__)(str(error))
    return made
