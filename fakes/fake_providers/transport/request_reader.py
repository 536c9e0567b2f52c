"""From the bytes of a connection to the requests in them, by httptools."""

import re
import time
from collections import deque
from collections.abc import Callable

import httptools
from msgspec import Struct
from msgspec.structs import replace

from fake_providers.transport.framing import LIMIT, named

HEAD_LIMIT = 1024 * 1024
"""Bytes of request line and headers, or of trailers, which the parser would collect without limit."""
HEAD_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
NOT_HTTP = (
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: 24\r\nconnection: close\r\n\r\n"
    b"The request is not HTTP."
)


class RawRequest(Struct):
    """One request as it was read. `body` is None where it was larger than the limit."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes | None
    version: str
    is_last: bool
    """The client wants the connection closed after the response."""
    hosts: int
    """How many headers of this name there are."""


_CONTENT_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]+)(?=\r\n)", re.IGNORECASE)
OTHERWISE_READ = frozenset({"transfer-encoding", "expect", "upgrade"})
"""Headers with which more is read than a head and so many bytes."""
MOST_UNUSED = 3
"""Heads of one connection that are kept in vain, before none is any more."""


class KnownHead(Struct):
    """The head of a request, but for the digits of the content length, which are between `before` and `after`: clients
    mostly send the same again. What follows it is read without the parser, which would find the same."""

    before: bytes
    after: bytes
    request: RawRequest

    @classmethod
    def of(cls, data: bytes, request: RawRequest) -> "KnownHead | None":
        """`data` are all the bytes that the request was read from."""
        head = data[: len(data) - len(request.body or b"")]
        lengths = [*_CONTENT_LENGTH.finditer(head)]
        if len(lengths) != 1 or request.is_last or request.headers.keys() & OTHERWISE_READ:
            return None
        (length,) = lengths
        if not head.endswith(b"\r\n\r\n") or length[1].decode() != request.headers.get("content-length"):
            return None
        kept = replace(request, headers={**request.headers}, body=b"")
        return cls(head[: length.start(1)], head[length.end(1) :], kept)

    def read(self, data: bytes) -> RawRequest | None:
        """The request that the data are; None where they are anything else than one with this head."""
        start = len(self.before)
        end = data.find(b"\r", start, start + 10)
        length = data[start:end]
        if not (length.isdigit() and data.startswith(self.before) and data.startswith(self.after, end)):
            return None
        body = data[end + len(self.after) :]
        if len(body) != int(length):
            return None
        known = self.request
        headers = {**known.headers, "content-length": length.decode()}
        return RawRequest(known.method, known.target, headers, body, known.version, known.is_last, known.hosts)


class RequestReader:
    """Reads one connection. `pending` are the complete requests; the connection takes out what it answers.

    `refusal` is sent last, once they are answered, where the next bytes are no request. `expected` is called when a
    client waits for `100 Continue` before it sends its body.
    """

    def __init__(self, expected: Callable[[], object]) -> None:
        self.pending: deque[RawRequest] = deque()
        self.refusal = b""
        self._expected = expected
        self.begun: float | None = None
        """When the request began that is being read."""
        self._size = 0
        self._parser = httptools.HttpRequestParser(self)
        self._head: int | None = None
        """Bytes of the head that is being read, None within a body."""
        self._trailers = 0
        self._known: KnownHead | None = None
        self._unused = 0

    def feed(self, data: bytes) -> None:
        is_between = self.begun is None and not self._is_over
        known = self._known.read(data) if is_between and self._known is not None else None
        if known is not None:
            self.pending.append(known)
            self._unused = 0
            return
        before, all_data = len(self.pending), data
        while data and not self._is_over:
            data = self._parse(data)
        if is_between and self.begun is None and len(self.pending) == before + 1 and self._unused < MOST_UNUSED:
            self._known = KnownHead.of(all_data, self.pending[-1])
            self._unused += 1
        if self._head is not None and self._head > HEAD_LIMIT:
            self.refusal = HEAD_TOO_LARGE

    @property
    def incomplete_bytes(self) -> int:
        """How many bytes are kept of the body that is being read."""
        return self._size if self.begun is not None and self._size <= LIMIT else 0

    @property
    def _is_over(self) -> bool:
        """No further bytes are read."""
        return bool(self.refusal or (self.pending and self.pending[-1].is_last))

    def _parse(self, data: bytes) -> bytes:
        """Returns what is still to be parsed: after a request for another protocol the parser stops."""
        if self._head is not None:
            self._head += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as stopped:
            rest = data[stopped.args[0] :]
            if self.pending[-1].method == "CONNECT":
                return b""
            self._parser = httptools.HttpRequestParser(self)
            return _not_upgraded(self.pending.pop(), self._url, self._headers) + rest
        except httptools.HttpParserError:
            if not self._is_over:
                self.refusal = NOT_HTTP
        return b""

    # What the parser calls.

    def on_message_begin(self) -> None:
        self.begun = time.monotonic()
        self._head = 0
        self._trailers = 0
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._size = 0
        self._expects = False
        self._hosts = 0

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Raises for trailers beyond the limit, upon which the parser gives up."""
        if self._head is not None:
            self._headers.append((name, value))
            lower = name.lower()
            self._hosts += lower == b"host"
            self._expects = self._expects or (lower == b"expect" and value.lower() == b"100-continue")
            return
        self._trailers += len(name) + len(value)
        if self._trailers > HEAD_LIMIT:
            raise ValueError("too many trailers")

    def on_headers_complete(self) -> None:
        self._head = None
        if self._expects and not self.pending:
            self._expected()

    def on_body(self, body: bytes) -> None:
        """A body beyond the limit is read to its end and not kept: a client that still writes would get a reset
        instead of the refusal.
        """
        self._size += len(body)
        if self._size <= LIMIT:
            self._body.append(body)
        else:
            self._body.clear()

    def on_message_complete(self) -> None:
        self.begun = None
        method, version = self._parser.get_method().decode("ascii"), self._parser.get_http_version()
        is_last = version == "1.0" or method == "CONNECT" or not self._parser.should_keep_alive()
        body = b"".join(self._body) if self._size <= LIMIT else None
        self._body = []
        target = _target(self._url)
        self.pending.append(RawRequest(method, target, named(self._headers), body, version, is_last, self._hosts))


def _not_upgraded(request: RawRequest, url: bytes, sent: list[tuple[bytes, bytes]]) -> bytes:
    """The head of the same request without its upgrade to another protocol, which the server declines: Java's client
    has it in every request, and sends the body all the same. `100 Continue` was sent already.
    """
    headers = [header for header in sent if header[0].lower() not in (b"connection", b"upgrade", b"expect")]
    headers += [(b"connection", b"close")] if request.is_last else []
    lines = b"".join(b"%b: %b\r\n" % header for header in headers)
    return b"%b %b HTTP/%b\r\n%b\r\n" % (request.method.encode(), url, request.version.encode(), lines)


def _target(url: bytes) -> str:
    """Path and query; one in the form for proxies loses scheme and host, any other target is left as it is."""
    if not url.startswith(b"/"):
        try:
            parsed = httptools.parse_url(url)
        except httptools.HttpParserError:
            parsed = None
        if parsed is not None and parsed.path:
            url = parsed.path + (b"?" + parsed.query if parsed.query else b"")
    return url.partition(b"#")[0].removesuffix(b"?").decode("latin-1")
