"""Answers httpx and httpx2 in process, at their transports: which requests it takes, and how they and their responses
are converted.

Requests elsewhere, and clients that the hook does not patch, are unaffected: the base URL is a real loopback server.
Both libraries have the same names, so every function takes the module that it works for. No other module knows them.
"""

import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from threading import Event
from types import ModuleType
from typing import Any

from fake_providers.transport import waiting
from fake_providers.transport.answerer import Answerer, Mounts, OnError, ignore_error, refused
from fake_providers.transport.framing import CHECKPOINT, LIMIT, Delivery, Framed, named, too_large

RESET = "[Errno 104] Connection reset by peer"
"""The message of a reset in a synchronous client; in an asynchronous one it is empty."""


class KeptBody:
    """The pieces of a body, up to the limit."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self._size = 0

    @property
    def is_too_large(self) -> bool:
        return self._size > LIMIT

    def takes(self, piece: bytes) -> bool:
        """Whether there may be more."""
        self._size += len(piece)
        if self.is_too_large:
            self.pieces.clear()
            return False
        self.pieces.append(piece)
        return True


class InterceptedRequest:
    """One request of `module` and its response, answered without a socket.

    Call `read` or `aread` before `answer`, unless the request is read already. The client's read timeout holds for
    delays and held chunks.
    """

    def __init__(self, module: ModuleType, request: Any, answerer: Answerer, *, prefix: str = "") -> None:
        self._module = module
        self._request = request
        self._answerer = answerer
        self._target = prefix + request.url.raw_path.decode("ascii")
        self._is_too_large = False

    def read(self) -> None:
        """The whole body, or as much as a server keeps: a client may never end it."""
        if self._is_read:
            return
        kept = KeptBody()
        for piece in self._request.stream:
            if not kept.takes(piece):
                break
        self._keep(kept)

    async def aread(self) -> None:
        if self._is_read:
            return
        kept = KeptBody()
        async for piece in self._request.stream:
            if not kept.takes(piece):
                break
        self._keep(kept)

    @property
    def _is_read(self) -> bool:
        try:
            return self._request.content is not None
        except self._module.RequestNotRead:
            return False

    def _keep(self, kept: KeptBody) -> None:
        self._is_too_large = kept.is_too_large
        if not kept.is_too_large:
            self._request.stream = self._module.ByteStream(b"".join(kept.pieces))
            self._request.read()

    def answer(self) -> Any:
        """The response after its delay."""
        framed = self._frame()
        if framed.response.delay:
            self.sleep(framed.response.delay)
        if framed.response.headless:
            raise self.connection_lost_error(framed, self.delivery(framed))
        return self._respond(framed)

    async def aanswer(self) -> Any:
        """Answers as the synchronous one does, and lets other tasks run once, as a socket would."""
        framed = self._frame()
        await self.asleep(framed.response.delay)
        if framed.response.headless:
            raise await self.alost(framed, self.delivery(framed))
        return self._respond(framed)

    def _frame(self) -> Framed:
        request = self._request
        if self._is_too_large:
            return refused(request.method, too_large())
        return self._answerer.answer(request.method, self._target, named(request.headers.raw), request.content)

    def _respond(self, framed: Framed) -> Any:
        stream = _stream_class(self._module)(self, framed)
        extensions = {"http_version": b"HTTP/1.1", "reason_phrase": framed.reason}
        return self._module.Response(
            framed.response.status, headers=framed.headers, stream=stream, extensions=extensions
        )

    def delivery(self, framed: Framed) -> Delivery:
        return Delivery(framed.response, lambda error: self._answerer.on_error(self._target, error))

    @property
    def read_timeout(self) -> float | None:
        timeout: float | None = self._request.extensions.get("timeout", {}).get("read")
        return timeout

    def sleep(self, seconds: float) -> None:
        """Raises the client's exception where that takes longer than it waits."""
        limited, fits = self._limit(seconds)
        time.sleep(limited)
        self._expect(fits)

    async def asleep(self, seconds: float) -> None:
        limited, fits = self._limit(seconds)
        await (waiting.sleep(limited) if limited else waiting.checkpoint())
        self._expect(fits)

    def _limit(self, seconds: float) -> tuple[float, bool]:
        timeout = self.read_timeout
        return (seconds, True) if timeout is None or seconds < timeout else (timeout, False)

    def _expect(self, arrived: bool) -> None:
        if not arrived:
            raise self.timed_out()

    def timed_out(self) -> Exception:
        error: Exception = self._module.ReadTimeout("timed out", request=self._request)
        return error

    def connection_lost_error(self, framed: Framed, delivery: Delivery) -> Exception:
        """The client's exception for a connection that ends here; waits where it is silent."""
        delivery.done(complete=True)
        response = framed.response
        if response.loss == "silent":
            (response.release or Event()).wait(self.read_timeout)
        return self._ending(framed, reset=RESET)

    async def alost(self, framed: Framed, delivery: Delivery) -> Exception:
        delivery.done(complete=True)
        response = framed.response
        if response.loss == "silent":
            await waiting.wait_for(response.release, self.read_timeout)
        return self._ending(framed, reset="")

    def _ending(self, framed: Framed, *, reset: str) -> Exception:
        response = framed.response
        if response.loss == "silent" and not (response.release and response.release.is_set()):
            return self.timed_out()
        if response.loss == "reset":
            reset_error: Exception = self._module.ReadError(reset, request=self._request)
            return reset_error
        missing = "Server disconnected without sending a response." if response.headless else framed.missing
        error: Exception = self._module.RemoteProtocolError(missing, request=self._request)
        return error


@cache
def _stream_class(module: ModuleType) -> Callable[[InterceptedRequest, Framed], Any]:
    """The body as both kinds of stream of `module`: the client chooses which one it reads."""

    class Stream(module.SyncByteStream, module.AsyncByteStream):  # type: ignore[misc, name-defined]
        def __init__(self, intercepted: InterceptedRequest, framed: Framed) -> None:
            self._intercepted = intercepted
            self._framed = framed
            self._delivery = intercepted.delivery(framed)

        def __iter__(self) -> Iterator[bytes]:
            for step in self._delivery.steps():
                if isinstance(step, bytes):
                    if self._delivery.at_last_chunk:  # a client of events leaves at `[DONE]`
                        self._delivery.done(complete=True)
                    yield step
                elif isinstance(step, float):
                    self._intercepted.sleep(step)
                elif not step.wait(self._intercepted.read_timeout):
                    raise self._intercepted.timed_out()
            if self._delivery.is_cut:
                raise self._intercepted.connection_lost_error(self._framed, self._delivery)
            self._delivery.done(complete=True)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            written = 0
            for step in self._delivery.steps():
                if isinstance(step, float):
                    await self._intercepted.asleep(step)
                    continue
                if isinstance(step, Event):
                    if not await waiting.wait_for(step, self._intercepted.read_timeout):
                        raise self._intercepted.timed_out()
                    continue
                if self._delivery.at_last_chunk:
                    self._delivery.done(complete=True)
                yield step
                written += 1
                if written % CHECKPOINT == 0:
                    await waiting.checkpoint()
            if self._delivery.is_cut:
                raise await self._intercepted.alost(self._framed, self._delivery)
            self._delivery.done(complete=True)

        def close(self) -> None:
            self._delivery.done(complete=False)

        async def aclose(self) -> None:
            self._delivery.done(complete=False)

    return Stream


LIBRARIES = ("httpx", "httpx2")


class InProcessHook:
    """Patches the transports of every imported library. Thread-safe for requests, not for `install` and `restore`."""

    def __init__(self, mounts: Mounts, host: str, port: int, on_error: OnError = ignore_error) -> None:
        self._answerer = Answerer(mounts, on_error)
        self._host = host
        self._port = port
        self._patched: dict[ModuleType, _Patch] = {}
        self._active = False

    def __enter__(self) -> "InProcessHook":
        self.install()
        return self

    def __exit__(self, *exception: object) -> None:
        self.restore()

    def install(self) -> None:
        """Patches what is imported by now. Called again at the start of each case, for what was imported since.

        Goes by the module and not by its name: `httpx2.alias_httpx()` makes both names one module.
        """
        self._active = True
        for name in LIBRARIES:
            module = sys.modules.get(name)
            # A module that is being imported just now has no transports yet.
            if module is not None and module not in self._patched and hasattr(module, "AsyncHTTPTransport"):
                self._patched[module] = _Patch(module, self)

    def restore(self) -> None:
        """Undoes the patches. One that somebody else has patched over stays, and passes every request on."""
        self._active = False
        for patch in self._patched.values():
            patch.undo()
        self._patched.clear()

    def answers(self, request: Any) -> bool:
        url = request.url
        return self._active and url.port == self._port and url.host == self._host

    def intercepted(self, module: ModuleType, request: Any) -> InterceptedRequest:
        return InterceptedRequest(module, request, self._answerer)


class _Patch:
    """The two patched methods of one library."""

    def __init__(self, module: ModuleType, hook: InProcessHook) -> None:
        self._transports: tuple[tuple[Any, str, Any, Any], ...] = (
            _replace(module.HTTPTransport, "handle_request", lambda original: _sync(module, hook, original)),
            _replace(
                module.AsyncHTTPTransport, "handle_async_request", lambda original: _async(module, hook, original)
            ),
        )

    def undo(self) -> None:
        for transport, name, original, replacement in self._transports:
            if transport.__dict__.get(name) is replacement:
                setattr(transport, name, original)


def _replace(transport: Any, name: str, make: Callable[[Any], Any]) -> tuple[Any, str, Any, Any]:
    original = transport.__dict__[name]
    replacement = make(original)
    setattr(transport, name, replacement)
    return transport, name, original, replacement


def _sync(module: ModuleType, hook: InProcessHook, original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def handle_request(self: Any, request: Any) -> Any:
        if not hook.answers(request):
            return original(self, request)
        intercepted = hook.intercepted(module, request)
        intercepted.read()
        return intercepted.answer()

    return handle_request


def _async(module: ModuleType, hook: InProcessHook, original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    async def handle_async_request(self: Any, request: Any) -> Any:
        if not hook.answers(request):
            return await original(self, request)
        intercepted = hook.intercepted(module, request)
        await intercepted.aread()
        return await intercepted.aanswer()

    return handle_async_request
