"""Converts requests of httpx or httpx2 to the fakes' `Request`, and the fakes' responses to theirs.

Both libraries have the same names, so every function takes the module that it works for. No other module knows them.
"""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from threading import Event
from types import ModuleType
from typing import Any

from fake_providers.transport import waiting
from fake_providers.transport.answerer import Answerer, refused
from fake_providers.transport.decoding import LIMIT, too_large
from fake_providers.transport.framing import CHECKPOINT, Delivery, Framed

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
        """The same; lets other tasks run once, as a socket would."""
        framed = self._frame()
        await self.asleep(framed.response.delay)
        if framed.response.headless:
            raise await self.alost(framed, self.delivery(framed))
        return self._respond(framed)

    def _frame(self) -> Framed:
        request = self._request
        if self._is_too_large:
            return refused(request.method, too_large())
        return self._answerer.answer(request.method, self._target, request.headers.raw, request.content)

    def _respond(self, framed: Framed) -> Any:
        stream = _stream_class(self._module)(self, framed)
        extensions = {"http_version": b"HTTP/1.1", "reason_phrase": framed.reason}
        headers = list(framed.headers)
        return self._module.Response(framed.response.status, headers=headers, stream=stream, extensions=extensions)

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
