"""A fake as a respx route, for people's own tests. Imports respx when it is first used, and nothing else does.

respx 0.23 sees httpx only. `register_httpx2` teaches it httpx2, which today's vendor SDKs use:

    register_httpx2()
    with respx.mock(base_url="https://api.openai.com", using="httpx2") as router:
        route = add_route(router, handler)
"""

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from fakes.http import Handler
from fakes.transport.answering import Answerer
from fakes.transport.bridge import Exchange
from fakes.transport.mounts import Mounts

if TYPE_CHECKING:
    import respx


def add_route(router: "respx.Router", handler: Handler, **lookups: Any) -> "respx.Route":
    """A route of `router` that `handler` answers, with real chunks, delays and cuts.

    It matches everything below the router's base URL; `lookups` are respx's own and narrow it down
    (`path__startswith="/v1"`). The handler sees the whole path. An exception of the handler is raised in the test.
    A delay blocks the loop of an asynchronous client: respx does not say which kind of client asks.
    """
    import httpx

    mounts = Mounts()
    prefix = f"/{mounts.mount(handler)}"
    answerer = Answerer(mounts, _raise)

    def answer(request: httpx.Request) -> httpx.Response:
        response: httpx.Response = Exchange(httpx, request, answerer, prefix=prefix).answer()
        return response

    return router.route(**lookups).mock(side_effect=answer)


def _raise(path: str, error: BaseException) -> None:
    raise error


def register_httpx2() -> None:
    """Makes `respx.mock(using="httpx2")` work; calling it again changes nothing.

    respx converts through httpx: what it cannot match or mock is an httpx error even for an httpx2 client, but the
    errors of a cut or a delay are httpx2's own.
    """
    from respx.mocks import Mocker

    if "httpx2" not in Mocker.registry:
        _define_mocker()


def _define_mocker() -> None:
    import httpx
    import httpx2
    from respx.mocks import AbstractRequestMocker

    class Stream(httpx2.SyncByteStream, httpx2.AsyncByteStream):
        """A body of httpx as one of httpx2, with its errors."""

        def __init__(self, stream: Any) -> None:
            self._stream = stream

        def __iter__(self) -> Iterator[bytes]:
            try:
                yield from self._stream
            except httpx.TransportError as error:
                raise translate(error) from None

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for chunk in self._stream:
                    yield chunk
            except httpx.TransportError as error:
                raise translate(error) from None

        def close(self) -> None:
            self._stream.close()

        async def aclose(self) -> None:
            await self._stream.aclose()

    def translate(error: Exception) -> Exception:
        made: Exception = getattr(httpx2, type(error).__name__)(str(error))
        return made

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
                stream=Stream(httpx_response.stream),
                extensions=httpx_response.extensions,
            )

        @classmethod
        async def from_async_httpx_response(cls, httpx_response: Any, target: Any, **arguments: Any) -> Any:
            return cls.from_sync_httpx_response(httpx_response, target, **arguments)
