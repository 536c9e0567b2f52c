"""One connection: its requests are answered in their order. `request_reader` reads the requests, and `writing` writes
the responses.
"""

import asyncio
import contextlib
import socket
import struct
import time
from collections.abc import Coroutine, Generator
from functools import partial
from typing import Any, Protocol

from fake_providers.http import Joined
from fake_providers.transport import waiting
from fake_providers.transport.answerer import Answerer, refused
from fake_providers.transport.bounds import LARGE, Beside, Bounds, Busy, make_room, takes_too_much
from fake_providers.transport.framing import CHUNKED, Delivery, Framed, UnreadableRequest, is_over, too_large
from fake_providers.transport.request_reader import RawRequest, RequestReader

BATCH = 64 * 1024
"""Bytes after which other connections are served."""

LAST = b"0\r\n\r\n"
"""The chunk that ends a body."""

NO_LINGER = struct.pack("ii", 1, 0)
"""A socket option: closing sends a reset instead of a regular end, after what was written before."""

Steps = Generator[Coroutine[Any, Any, object], None, None]
"""Yields what to await before the next write. When the client leaves meanwhile, close the generator."""


class Client(Protocol):
    """The other end of the connection."""

    transport: asyncio.Transport

    @property
    def has_left(self) -> bool: ...

    @property
    def is_full(self) -> bool: ...

    async def drained(self) -> None:
        """Returns once the client has read what was written, or has left."""


def steps_of(framed: Framed, delivery: Delivery, client: Client, *, closing: bool, version: str = "1.1") -> Steps:
    """Writes a response that `write_at_once` does not; its listener is called before the client can see the end.

    The first chunk is written at once, as a model's would be; the others together, up to one that is held. `closing`
    ends the connection afterwards. A client of HTTP/1.0 gets chunks without their lengths.
    """
    response = framed.response
    try:
        if client.is_full:
            yield client.drained()
        if response.delay:
            yield waiting.sleep(response.delay)
        if response.headless:
            delivery.done(complete=True)
        elif not (yield from _chunks(framed, delivery, client, closing=closing, version=version)):
            return
        lost = response.headless or delivery.is_cut
        if lost and response.loss == "silent":
            yield waiting.wait_for(response.release, None)
        if lost and response.loss == "reset":
            with contextlib.suppress(OSError):
                client.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
            client.transport.abort()
        elif lost or closing:
            client.transport.close()
    finally:
        delivery.done(complete=False)


def write_at_once(framed: Framed, client: Client, *, closing: bool, version: str = "1.1") -> bool:
    """Writes a response to which nobody listens, that waits for nothing, and that is small, as most are. Returns False,
    and writes nothing, for any other.
    """
    response = framed.response
    if response.listener is not None or response.pacing is not None or response.delay or response.cut:
        return False
    chunks = response.chunks
    if client.is_full or response.headless or not 0 < sum(map(len, chunks)) <= BATCH:
        return False
    chunked = framed.is_chunked and version != "1.0"
    head = _head(framed, closing=closing, chunked=chunked)
    if chunked and isinstance(chunks, Joined):
        chunks = (chunks.sent, LAST)
    elif chunked:
        chunks = (*map(_with_length, filter(None, chunks)), LAST)
    client.transport.write(b"".join((head, *chunks)))
    if closing:
        client.transport.close()
    return True


def _with_length(chunk: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(chunk), chunk)


def _chunks(
    framed: Framed, delivery: Delivery, client: Client, *, closing: bool, version: str
) -> Generator[Coroutine[Any, Any, object], None, bool]:
    """Returns False when the client has left meanwhile."""
    write, chunked = client.transport.write, framed.is_chunked and version != "1.0"
    kept, size, most = [_head(framed, closing=closing, chunked=chunked)], 0, 0
    for step in delivery.steps():
        if not isinstance(step, bytes):
            if not is_over(step):
                write(b"".join(kept))
                kept = []
                yield waiting.sleep(step) if isinstance(step, float) else waiting.wait_for(step, None)
                if client.is_full:
                    yield client.drained()
            continue
        if delivery.at_last_chunk:  # a client of events leaves at `[DONE]`, before the end of the body
            delivery.done(complete=True)
        kept.append(_with_length(step) if chunked else step)
        size += len(step)
        if size > most:
            write(b"".join(kept))
            if most:
                yield client.drained() if client.is_full else asyncio.sleep(0)
            kept, size, most = [], 0, BATCH
        if client.has_left:
            return False
    delivery.done(complete=True)
    if chunked and not delivery.is_cut:
        kept.append(LAST)
    write(b"".join(kept))
    return True


def _head(framed: Framed, *, closing: bool, chunked: bool) -> bytes:
    end = b"connection: close\r\n\r\n" if closing else b"\r\n"
    chunks = CHUNKED if chunked else b""
    return b"HTTP/1.1 %d %b\r\n%b%b%b" % (framed.response.status, framed.reason, framed.lines, chunks, end)


CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
FULL = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nretry-after: 1\r\nconnection: close\r\n\r\n"


class Connection(asyncio.BufferedProtocol):
    """The protocol of one connection; it is in `open_ones` as long as it is open.

    `buffer` is that of all connections of one server, which reads one after the other: asyncio's own is allocated and
    given back for every read. With `bounds`, it ends where these are exceeded, and `beside` judges large bodies.
    """

    transport: asyncio.Transport

    def __init__(
        self,
        answerer: Answerer,
        open_ones: set["Connection"],
        buffer: bytearray,
        bounds: Bounds | None = None,
        beside: Beside | None = None,
    ) -> None:
        self._answerer = answerer
        self._open_ones = open_ones
        self._buffer = buffer
        self._bounds = bounds
        self._beside = beside
        self.used: float = time.monotonic()
        self._unread = 0
        self._unread_since = self.used
        self._reader = RequestReader(self._send_continue)
        self._answering: asyncio.Task[None] | None = None
        """Set while a response waits for something; most never do."""
        self._is_full = False
        self._changed: asyncio.Future[None] | None = None

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        if self._bounds is None or make_room(self._open_ones, self._bounds):
            self._open_ones.add(self)
        else:
            self._refuse()

    def connection_lost(self, error: Exception | None) -> None:
        self._open_ones.discard(self)
        self._reader.pending.clear()
        self._is_full = False
        self._notify_change()

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
        self._is_full = False
        self._notify_change()

    def get_buffer(self, sizehint: int) -> bytearray:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.used = time.monotonic()
        self._reader.feed(bytes(memoryview(self._buffer)[:nbytes]))
        if self._bounds is not None and self.incomplete_bytes > LARGE and takes_too_much(self._open_ones, self._bounds):
            self._refuse()
            return
        self._go_on()

    # What the bounds need of a connection.

    @property
    def is_idle(self) -> bool:
        return self.begun is None and self._answering is None and not self._reader.pending

    @property
    def begun(self) -> float | None:
        return self._reader.begun

    @property
    def incomplete_bytes(self) -> int:
        return self._reader.incomplete_bytes

    def unread_since(self, now: float) -> float | None:
        size = self.transport.get_write_buffer_size()
        if size != self._unread:
            self._unread, self._unread_since = size, now
        return self._unread_since if size else None

    def abort(self) -> None:
        """Its descriptor is closed in the next round of the event loop; until then it counts as gone, or one connection
        would make room for all that come in the same round."""
        self._open_ones.discard(self)
        self.transport.abort()

    def _refuse(self) -> None:
        self.transport.write(FULL)
        self.transport.close()

    # Answering.

    def _send_continue(self) -> None:
        if self._answering is None:
            self.transport.write(CONTINUE)

    @property
    def has_turn(self) -> bool:
        """Whether there is a request to answer, which waits for those of other connections alone."""
        return bool(self._reader.pending) and self._answering is None and not self.has_left

    def _go_on(self) -> None:
        """Answers one request. The next one has to wait until other connections had their turn: a client may send
        hundreds at once."""
        if self.has_turn:
            self._answer(self._reader.pending.popleft())
        if self._reader.pending:
            self.transport.pause_reading()
        if self._answering is not None or self.has_left:
            return
        if self._reader.pending:
            asyncio.get_running_loop().call_soon(self._go_on)
        elif self._reader.refusal:
            self.transport.write(self._reader.refusal)
            self.transport.close()
        else:
            self.transport.resume_reading()

    def _answer(self, request: RawRequest) -> None:
        if self._beside is not None and request.body is not None and is_large(request):
            task = self._answer_beside(request, self._beside)
            self._answering = asyncio.get_running_loop().create_task(task)
        else:
            self._write(request, self._framed(request))

    async def _answer_beside(self, request: RawRequest, beside: Beside) -> None:
        """Other connections are served meanwhile; this one sends its next response afterwards."""
        try:
            framed = await beside.run(partial(self._framed, request))
        except Busy:
            self._answering = None
            self._refuse()
            return
        self._answering = None
        if not self.has_left:
            self._write(request, framed)
            self._go_on()

    def _framed(self, request: RawRequest) -> Framed:
        if request.body is None:
            return refused(request.method, too_large())
        if request.hosts != 1 and request.version == "1.1":
            message = f"The request has {request.hosts or 'no'} Host headers; HTTP/1.1 demands one."
            return refused(request.method, UnreadableRequest(400, message))
        return self._answerer.answer(request.method, request.target, request.headers, request.body)

    def _write(self, request: RawRequest, framed: Framed) -> None:
        if write_at_once(framed, self, closing=request.is_last, version=request.version):
            return
        delivery = Delivery(framed.response, lambda error: self._answerer.on_error(request.target, error))
        steps = steps_of(framed, delivery, self, closing=request.is_last, version=request.version)
        wait = next(steps, None)
        if wait is not None:
            self._answering = asyncio.get_running_loop().create_task(self._finish(steps, wait))

    async def _finish(self, steps: Steps, wait: Coroutine[Any, Any, object] | None) -> None:
        try:
            while wait is not None:
                wait = next(steps, None) if await self._stays(wait) else None
        finally:
            steps.close()
        self._answering = None
        self._go_on()

    async def _stays(self, wait: Coroutine[Any, Any, object]) -> bool:
        """Waits for `wait`, or until the client leaves; False if it has left."""
        waiting_for = asyncio.get_running_loop().create_task(wait)
        try:
            while not waiting_for.done() and not self.has_left:
                either: set[asyncio.Future[Any]] = {self._change(), waiting_for}
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not waiting_for.done():
                waiting_for.cancel()
        return not self.has_left

    # What `writing` needs of the client.

    @property
    def has_left(self) -> bool:
        """True from the first write that failed, or once the server has closed the connection."""
        return self.transport.is_closing()

    @property
    def is_full(self) -> bool:
        """The client reads more slowly than the server writes."""
        return self._is_full

    async def drained(self) -> None:
        while self._is_full:
            await self._change()

    def _change(self) -> "asyncio.Future[None]":
        """Done at the next change: the client has left, or has made room."""
        if self._changed is None:
            self._changed = asyncio.get_running_loop().create_future()
        return self._changed

    def _notify_change(self) -> None:
        changed, self._changed = self._changed, None
        if changed is not None and not changed.done():
            changed.set_result(None)


def is_large(request: RawRequest) -> bool:
    """A compressed body is sooner: nobody knows yet what it will be."""
    size = len(request.body or b"")
    if size <= LARGE // 16:
        return False
    return size > LARGE or "content-encoding" in request.headers
