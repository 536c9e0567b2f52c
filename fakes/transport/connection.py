"""HTTP/1.1 on one connection: requests are read, queued and answered in their order. Knows sockets and no wire.

httptools parses; what a response looks like on the connection, and when it is written, is `writing`'s.
"""

import asyncio
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

import httptools

from fakes.transport import writing
from fakes.transport.answering import Answerer
from fakes.transport.decoding import LIMIT, too_large
from fakes.transport.framing import Framed
from fakes.transport.playback import Playback

HEAD_LIMIT = 1024 * 1024
"""Bytes of request line and headers, or of trailers, which the parser would collect for ever."""
HEAD_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
NOT_HTTP = (
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: 24\r\nconnection: close\r\n\r\n"
    b"The request is not HTTP."
)
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass(slots=True)
class Asked:
    """One request as it was read. `body` None is one beyond the limit."""

    method: str
    target: str
    headers: list[tuple[bytes, bytes]]
    body: bytes | None
    version: str
    is_last: bool
    """The client wants the connection closed after the response."""


class Connection(asyncio.Protocol):
    """The protocol of one connection; it is in `open_ones` as long as it is open."""

    transport: asyncio.Transport

    def __init__(self, answerer: Answerer, open_ones: set["Connection"]) -> None:
        self._answerer = answerer
        self._open_ones = open_ones
        self._parser = httptools.HttpRequestParser(self)
        self._asked: deque[Asked] = deque()
        self._answering: asyncio.Task[None] | None = None
        """Set while a response waits for something; most never do."""
        self._refusal = b""
        """What ends the connection, once everything asked before it is answered."""
        self._is_full = False
        self._changed: asyncio.Future[None] | None = None
        self._in_head = False
        self._head = 0

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._open_ones.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._open_ones.discard(self)
        self._asked.clear()
        self._is_full = False
        self._tell()

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
        self._is_full = False
        self._tell()

    def data_received(self, data: bytes) -> None:
        while data and not self._is_over:
            data = self._parse(data)
        if self._in_head and self._head > HEAD_LIMIT:
            self._refusal = HEAD_TOO_LARGE
        self._answer_all()
        if self._asked:
            self.transport.pause_reading()

    @property
    def _is_over(self) -> bool:
        """Nothing that comes now is read."""
        return bool(self._refusal or (self._asked and self._asked[-1].is_last))

    def _parse(self, data: bytes) -> bytes:
        """What is still to be parsed: behind a request that would go on in another protocol the parser stops."""
        self._head += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as stopped:
            rest = data[stopped.args[0] :]
            if self._asked[-1].method == "CONNECT":
                return b""
            self._parser = httptools.HttpRequestParser(self)
            return _not_upgraded(self._asked.pop(), self._url) + rest
        except httptools.HttpParserError:
            if not self._is_over:
                self._refusal = NOT_HTTP
        return b""

    # What the parser calls.

    def on_message_begin(self) -> None:
        self._in_head = True
        self._head = 0
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._size = 0
        self._expects = False

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Raises for trailers without an end, upon which the parser gives up."""
        if self._in_head:
            self._headers.append((name, value))
            self._expects = self._expects or (name.lower() == b"expect" and value.lower() == b"100-continue")
            return
        self._head += len(name) + len(value)
        if self._head > HEAD_LIMIT:
            raise ValueError("too many trailers")

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._head = 0
        if self._expects and not self._asked and self._answering is None:
            self.transport.write(CONTINUE)

    def on_body(self, body: bytes) -> None:
        """One beyond the limit is read to its end, and not kept: a client that still writes would see a reset instead
        of the refusal.
        """
        self._size += len(body)
        if self._size <= LIMIT:
            self._body.append(body)
        else:
            self._body.clear()

    def on_message_complete(self) -> None:
        method, version = self._parser.get_method().decode("ascii"), self._parser.get_http_version()
        is_last = version == "1.0" or method == "CONNECT" or not self._parser.should_keep_alive()
        body = b"".join(self._body) if self._size <= LIMIT else None
        self._body = []
        self._asked.append(Asked(method, _target(self._url), self._headers, body, version, is_last))

    # Answering.

    def _answer_all(self) -> None:
        """Until a response has to wait for something; then a task goes on with it, and afterwards with the others."""
        while self._asked and self._answering is None and not self.has_left:
            self._answer(self._asked.popleft())
        if self._refusal and not self._asked and self._answering is None:
            self.transport.write(self._refusal)
            self.transport.close()

    def _answer(self, asked: Asked) -> None:
        if asked.body is None:
            framed = self._answerer.refuse(asked.method, too_large())
        else:
            framed = self._answerer.answer(asked.method, asked.target, asked.headers, asked.body)
        steps = writing.steps(framed, self._playback(framed, asked), self, closing=asked.is_last, version=asked.version)
        wait = next(steps, None)
        if wait is not None:
            self._answering = asyncio.get_running_loop().create_task(self._go_on(steps, wait))

    def _playback(self, framed: Framed, asked: Asked) -> Playback:
        return Playback(framed.response, lambda error: self._answerer.on_error(asked.target, error))

    async def _go_on(self, steps: writing.Steps, wait: Coroutine[Any, Any, object] | None) -> None:
        try:
            while wait is not None:
                wait = next(steps, None) if await self.stays(wait) else None
        finally:
            steps.close()
        self._answering = None
        self._answer_all()
        if not self._asked and not self.has_left:
            self.transport.resume_reading()

    # What the writing of a response asks for.

    @property
    def has_left(self) -> bool:
        """True from the first write that failed, or once we have closed the connection ourselves."""
        return self.transport.is_closing()

    @property
    def is_full(self) -> bool:
        """The client reads more slowly than is written."""
        return self._is_full

    async def drained(self) -> None:
        while self._is_full:
            await self._change()

    async def stays(self, wait: Coroutine[Any, Any, object]) -> bool:
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

    def _change(self) -> "asyncio.Future[None]":
        """Done at the next change: the client has left, or has made room."""
        if self._changed is None:
            self._changed = asyncio.get_running_loop().create_future()
        return self._changed

    def _tell(self) -> None:
        changed, self._changed = self._changed, None
        if changed is not None and not changed.done():
            changed.set_result(None)


def _not_upgraded(asked: Asked, url: bytes) -> bytes:
    """The head of the same request without its wish for another protocol, which we decline: Java's client has it in
    every request, and sends the body all the same. Told to go on it has been.
    """
    told = [header for header in asked.headers if header[0].lower() not in (b"connection", b"upgrade", b"expect")]
    told += [(b"connection", b"close")] if asked.is_last else []
    lines = b"".join(b"%b: %b\r\n" % header for header in told)
    return b"%b %b HTTP/%b\r\n%b\r\n" % (asked.method.encode(), url, asked.version.encode(), lines)


def _target(url: bytes) -> str:
    """Path and query; one in the form for proxies loses scheme and host, one that is no path is left as it is."""
    if not url.startswith(b"/"):
        try:
            parsed = httptools.parse_url(url)
        except httptools.HttpParserError:
            parsed = None
        if parsed is not None and parsed.path:
            url = parsed.path + (b"?" + parsed.query if parsed.query else b"")
    return url.partition(b"#")[0].removesuffix(b"?").decode("latin-1")
