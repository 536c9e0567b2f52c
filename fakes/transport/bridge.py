"""Between the fakes and httpx or httpx2: a request of theirs to one of ours, a response of ours to one of theirs.

Both libraries have the same names, so every function is given the module it works for. The one place that knows them.
"""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from threading import Event
from types import ModuleType
from typing import Any

from fakes.transport import waiting
from fakes.transport.answering import Answerer
from fakes.transport.framing import Framed
from fakes.transport.playback import CHECKPOINT, Playback

RESET = "[Errno 104] Connection reset by peer"
"""What a synchronous client says of a reset; an asynchronous one says nothing."""


class InterceptedRequest:
    """One request of `module` and its response, answered without a socket.

    `request.read()` or `aread()` comes before `answer`. The client's read timeout holds for delays and held chunks.
    """

    def __init__(self, module: ModuleType, request: Any, answerer: Answerer, *, prefix: str = "") -> None:
        self._module = module
        self._request = request
        self._answerer = answerer
        self._target = prefix + request.url.raw_path.decode("ascii")

    def answer(self) -> Any:
        """The response after its delay."""
        framed = self._frame()
        if framed.response.delay:
            seconds, fits = self._limit(framed.response.delay)
            time.sleep(seconds)
            self._expect(fits)
        if framed.response.headless:
            raise self.lost(framed, self.playback(framed))
        return self._respond(framed)

    async def aanswer(self) -> Any:
        """The same; lets other tasks run once, as a socket would."""
        framed = self._frame()
        seconds, fits = self._limit(framed.response.delay)
        await (waiting.sleep(seconds) if seconds else waiting.checkpoint())
        self._expect(fits)
        if framed.response.headless:
            raise await self.alost(framed, self.playback(framed))
        return self._respond(framed)

    def _frame(self) -> Framed:
        request = self._request
        return self._answerer.answer(request.method, self._target, request.headers.raw, request.content)

    def _respond(self, framed: Framed) -> Any:
        stream = _stream_class(self._module)(self, framed)
        extensions = {"http_version": b"HTTP/1.1", "reason_phrase": framed.reason}
        headers = list(framed.headers)
        return self._module.Response(framed.response.status, headers=headers, stream=stream, extensions=extensions)

    def playback(self, framed: Framed) -> Playback:
        return Playback(framed.response, lambda error: self._answerer.on_error(self._target, error))

    @property
    def read_timeout(self) -> float | None:
        timeout: float | None = self._request.extensions.get("timeout", {}).get("read")
        return timeout

    def _limit(self, seconds: float) -> tuple[float, bool]:
        timeout = self.read_timeout
        return (seconds, True) if timeout is None or seconds < timeout else (timeout, False)

    def _expect(self, arrived: bool) -> None:
        if not arrived:
            raise self.timed_out()

    def timed_out(self) -> Exception:
        error: Exception = self._module.ReadTimeout("timed out", request=self._request)
        return error

    def lost(self, framed: Framed, playback: Playback) -> Exception:
        """What the client makes of a connection that ends here; waits where it is silent."""
        playback.done(complete=True)
        response = framed.response
        if response.loss == "silent":
            (response.release or Event()).wait(self.read_timeout)
        return self._ending(framed, reset=RESET)

    async def alost(self, framed: Framed, playback: Playback) -> Exception:
        playback.done(complete=True)
        response = framed.response
        if response.loss == "silent":
            await waiting.wait_for(response.release or Event(), self.read_timeout)
        return self._ending(framed, reset="")

    def _ending(self, framed: Framed, *, reset: str) -> Exception:
        response = framed.response
        if response.loss == "silent" and not (response.release and response.release.is_set()):
            return self.timed_out()
        if response.loss == "reset":
            breach: Exception = self._module.ReadError(reset, request=self._request)
            return breach
        missing = "Server disconnected without sending a response." if response.headless else framed.missing
        error: Exception = self._module.RemoteProtocolError(missing, request=self._request)
        return error


@cache
def _stream_class(module: ModuleType) -> Callable[[InterceptedRequest, Framed], Any]:
    """The body as both kinds of stream of `module`: which kind is read is up to the client."""

    class Stream(module.SyncByteStream, module.AsyncByteStream):  # type: ignore[misc, name-defined]
        def __init__(self, intercepted: InterceptedRequest, framed: Framed) -> None:
            self._exchange = intercepted
            self._framed = framed
            self._playback = intercepted.playback(framed)

        def __iter__(self) -> Iterator[bytes]:
            for step in self._playback.steps():
                if isinstance(step, bytes):
                    yield step
                elif not step.wait(self._exchange.read_timeout):
                    raise self._exchange.timed_out()
            if self._playback.is_cut:
                raise self._exchange.lost(self._framed, self._playback)
            self._playback.done(complete=True)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            given = 0
            for step in self._playback.steps():
                if isinstance(step, Event):
                    if not await waiting.wait_for(step, self._exchange.read_timeout):
                        raise self._exchange.timed_out()
                    continue
                yield step
                given += 1
                if given % CHECKPOINT == 0:
                    await waiting.checkpoint()
            if self._playback.is_cut:
                raise await self._exchange.alost(self._framed, self._playback)
            self._playback.done(complete=True)

        def close(self) -> None:
            self._playback.done(complete=False)

        async def aclose(self) -> None:
            self._playback.done(complete=False)

    return Stream
