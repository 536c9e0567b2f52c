"""From the bytes of a connection to the requests in them, by httptools. Knows HTTP/1.1, and nothing of answers."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import httptools

from fakes.transport.decoding import LIMIT

HEAD_LIMIT = 1024 * 1024
"""Bytes of request line and headers, or of trailers, which the parser would collect for ever."""
HEAD_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
NOT_HTTP = (
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: 24\r\nconnection: close\r\n\r\n"
    b"The request is not HTTP."
)


@dataclass(slots=True)
class RequestContext:
    """One request as it was read. `body` None is one beyond the limit."""

    method: str
    target: str
    headers: list[tuple[bytes, bytes]]
    body: bytes | None
    version: str
    is_last: bool
    """The client wants the connection closed after the response."""


class RequestReader:
    """Reads one connection. `asked` are the requests that were read whole; whoever answers takes them away.

    `refusal` is what ends the connection once they are answered: what comes then is no request. `expected` is called
    when a client waits to be told to go on with its body.
    """

    def __init__(self, expected: Callable[[], object]) -> None:
        self.context: deque[RequestContext] = deque()
        self.refusal = b""
        self._expected = expected
        self._parser = httptools.HttpRequestParser(self)
        self._head: int | None = None
        """Bytes of the head that is being read, None within a body."""
        self._trailers = 0

    def feed(self, data: bytes) -> None:
        while data and not self._is_over:
            data = self._parse(data)
        if self._head is not None and self._head > HEAD_LIMIT:
            self.refusal = HEAD_TOO_LARGE

    @property
    def _is_over(self) -> bool:
        """Nothing that comes now is read."""
        return bool(self.refusal or (self.context and self.context[-1].is_last))

    def _parse(self, data: bytes) -> bytes:
        """What is still to be parsed: behind a request that would go on in another protocol the parser stops."""
        if self._head is not None:
            self._head += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as stopped:
            rest = data[stopped.args[0] :]
            if self.context[-1].method == "CONNECT":
                return b""
            self._parser = httptools.HttpRequestParser(self)
            return _not_upgraded(self.context.pop(), self._url) + rest
        except httptools.HttpParserError:
            if not self._is_over:
                self.refusal = NOT_HTTP
        return b""

    # What the parser calls.

    def on_message_begin(self) -> None:
        self._head = 0
        self._trailers = 0
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._size = 0
        self._expects = False

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Raises for trailers without an end, upon which the parser gives up."""
        if self._head is not None:
            self._headers.append((name, value))
            self._expects = self._expects or (name.lower() == b"expect" and value.lower() == b"100-continue")
            return
        self._trailers += len(name) + len(value)
        if self._trailers > HEAD_LIMIT:
            raise ValueError("too many trailers")

    def on_headers_complete(self) -> None:
        self._head = None
        if self._expects and not self.context:
            self._expected()

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
        self.context.append(RequestContext(method, _target(self._url), self._headers, body, version, is_last))


def _not_upgraded(context: RequestContext, url: bytes) -> bytes:
    """The head of the same request without its wish for another protocol, which we decline: Java's client has it in
    every request, and sends the body all the same. Told to go on it has been.
    """
    told = [header for header in context.headers if header[0].lower() not in (b"connection", b"upgrade", b"expect")]
    told += [(b"connection", b"close")] if context.is_last else []
    lines = b"".join(b"%b: %b\r\n" % header for header in told)
    return b"%b %b HTTP/%b\r\n%b\r\n" % (context.method.encode(), url, context.version.encode(), lines)


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
