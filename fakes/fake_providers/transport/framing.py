"""Heads and bodies as they are on the wire: where that of a response ends, and those of requests before they were
compressed.

Writes nothing.
"""

import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from http import HTTPStatus

from msgspec import Struct

from fake_providers.http import Joined, Response

LIMIT = 50 * 1024 * 1024
"""Bytes a request body may have, before and after decoding."""


LONGEST_KEPT = 200
"""Bytes of a header, or of a path, that is kept: a client sends the same few again and again."""


def named(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers of a request by their names in lower case; the values of one that is there twice are joined."""
    found: dict[str, str] = {}
    repeated: dict[str, list[str]] = {}
    for raw_name, raw_value in headers:
        name, value = (_kept_header if len(raw_value) <= LONGEST_KEPT else _header)(raw_name, raw_value)
        if name in found:
            repeated.setdefault(name, [found[name]]).append(value)
        else:
            found[name] = value
    for name, values in repeated.items():
        found[name] = ", ".join(values)
    return found


def _header(name: bytes, value: bytes) -> tuple[str, str]:
    return name.decode("latin-1").lower(), value.decode("latin-1")


_kept_header = lru_cache(maxsize=512)(_header)


class UnreadableRequest(Exception):
    """The request cannot be read; `status` is the 4xx that says so."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def decode_body(body: bytes, encoding: str) -> bytes:
    """The body without its content encodings, of which `encoding` is the header's value.

    Knows `identity`, `gzip` and `deflate` (with and without the zlib header, as servers on the web take both). Raises
    `UnreadableRequest`: 415 for another encoding, 400 for a damaged body, 413 for one beyond `LIMIT`.
    """
    if len(body) > LIMIT:
        raise too_large()
    if not encoding:
        return body
    for name in reversed([part.strip().lower() for part in encoding.split(",")]):
        if name in ("", "identity"):
            continue
        if name in ("gzip", "x-gzip"):
            body = _inflate(body, 16 + zlib.MAX_WBITS, name)
        elif name == "deflate":
            body = _inflate(body, zlib.MAX_WBITS if _has_zlib_header(body) else -zlib.MAX_WBITS, name)
        else:
            raise UnreadableRequest(415, f"The request's content-encoding is {name}; understood are gzip and deflate.")
    return body


def too_large() -> UnreadableRequest:
    return UnreadableRequest(413, f"The request's body is larger than {LIMIT} bytes.")


def _has_zlib_header(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0


def _inflate(body: bytes, window_bits: int, name: str) -> bytes:
    inflater = zlib.decompressobj(window_bits)
    try:
        plain = inflater.decompress(body, LIMIT + 1)
    except zlib.error as error:
        raise UnreadableRequest(
            400, f"The request's body is not {name}, as its content-encoding says: {error}."
        ) from None
    if len(plain) > LIMIT:
        raise too_large()
    if not inflater.eof:
        raise UnreadableRequest(400, f"The request's {name} body ends too early.")
    return plain


WITHOUT_BODY = frozenset({204, 304})
CHUNKED = b"transfer-encoding: chunked\r\n"
REASONS = {status.value: status.phrase.encode() for status in HTTPStatus}


class Framed(Struct, frozen=True):
    """A response ready for a transport.

    `lines` are its headers as HTTP/1.1 writes them, names in lower case, without the one of a body that is chunked.
    """

    response: Response
    lines: bytes
    length: str | None
    """The content length: with it the client sees the end with the last byte."""
    is_chunked: bool

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """With the one that says where the body ends."""
        lines = (self.lines + CHUNKED if self.is_chunked else self.lines).split(b"\r\n")[:-1]
        return [(name, value) for name, _, value in [line.partition(b": ") for line in lines]]

    @property
    def reason(self) -> bytes:
        return REASONS.get(self.response.status, b"")

    @property
    def missing(self) -> str:
        """A client's error message when the connection closes after a cut body."""
        sentence = "peer closed connection without sending complete message body"
        if self.length is None:
            return f"{sentence} (incomplete chunked read)"
        return f"{sentence} (received {len(self.response.body)} bytes, expected {int(self.length)})"


def frame(response: Response, *, method: str) -> Framed:
    """A body of one chunk gets a content length, unless it is an event stream or cut; any other body is chunked.

    A content length that the response itself states is kept, so a cut body can fall short of it.
    """
    headers, is_chunked = response.headers, False
    stated = dict(headers)
    text = "" if isinstance(headers, Joined) else "".join(map("%s: %s\r\n".__mod__, headers))
    if isinstance(headers, Joined):
        lines = headers.sent
    elif text.isascii() and "".join(stated).islower() and "transfer-encoding" not in stated:
        lines = text.encode()
    else:
        encoded = [(name.lower().encode("ascii"), value.encode("latin-1")) for name, value in headers]
        lines = b"".join([b"%b: %b\r\n" % header for header in encoded if header[0] != b"transfer-encoding"])
        stated = {name.lower(): value for name, value in headers}
        is_chunked = "transfer-encoding" in stated
    if method == "HEAD" or response.status in WITHOUT_BODY:
        response = Response(response.status, response.headers, (), delay=response.delay, listener=response.listener)
    elif "content-length" not in stated and not is_chunked:
        chunks, content_type = response.chunks, stated.get("content-type", "")
        is_chunked = len(chunks) > 1 or response.cut or "eventstream" in content_type.replace("-", "")
        if not is_chunked:
            stated["content-length"] = length = str(len(chunks[0]) if chunks else 0)
            lines += b"content-length: %b\r\n" % length.encode()
    return Framed(response, lines, stated.get("content-length"), is_chunked)


CHECKPOINT = 16
"""After so many chunks an asynchronous transport lets other tasks run; after each would triple a stream's cost."""


def is_over(wait: threading.Event | float) -> bool:
    """Whether there is nothing to wait for any more."""
    return wait <= 0 if isinstance(wait, float) else wait.is_set()


class Delivery:
    """One response on its way. Iterate over `steps`, write or wait for each, then call `done`."""

    def __init__(self, response: Response, on_error: Callable[[BaseException], None]) -> None:
        self._response = response
        self._on_error = on_error
        self._is_done = False
        self.at_last_chunk = False
        self.broken = False
        """A listener raised: the response ends here, as if it were cut."""

    def steps(self) -> Iterator[bytes | threading.Event | float]:
        """Each chunk that is not empty, and before it what to wait for: an event, or so many seconds."""
        listener, pacing = self._response.listener, self._response.pacing
        for index, chunk in enumerate(self._response.chunks):
            if listener is not None:
                try:
                    event = listener.hold(index)
                except Exception as error:
                    self.broken = True
                    self._on_error(error)
                    return
                if event is not None:
                    yield event
            if pacing is not None:
                yield pacing.wait_before(index)
            self.at_last_chunk = index == len(self._response.chunks) - 1
            if chunk:
                yield chunk

    @property
    def is_cut(self) -> bool:
        """After the last step: whether the connection ends here, without the end of the body."""
        return self._response.cut or self.broken

    def done(self, *, complete: bool) -> None:
        """Calls the listener's `done`, once. A cut response is complete when all of its chunks were written."""
        if self._is_done or self._response.listener is None:
            return
        self._is_done = True
        try:
            self._response.listener.done(complete=complete and not self.broken)
        except Exception as error:
            self._on_error(error)
