"""HTTP without I/O: the requests and responses of a fake."""

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from fake_providers.reply import Loss


class Request(Struct, frozen=True, gc=False):
    """One HTTP request. `path` has the query and no prefix of a case; header names are lower case.

    `stored` is what the provider stores that the request may name, a conversation or what a profile of models stands
    for: put there by `fake_providers.serving`, never by a client. `prefix` is what a server took from the path before.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    stored: object = None
    prefix: str = ""


class Listener(Protocol):
    """Hears, from the transport's thread, how far a response has got."""

    def hold(self, chunk: int) -> threading.Event | None:
        """Called before chunk `chunk` is written; the transport waits for the event, where there is one."""

    def done(self, *, complete: bool) -> None:
        """Called once: the response was written to its end, or the client had gone."""


class Pacing(Protocol):
    """Says when each chunk of a response is sent."""

    def wait_before(self, chunk: int) -> threading.Event | float:
        """What to wait for before chunk `chunk`: an event, or so many seconds."""


_T = TypeVar("_T")


class Joined(tuple[_T, ...]):
    """The headers or the chunks of a response, and how HTTP/1.1 writes them: `sent`, each chunk with its length."""

    sent: bytes


class Response(Struct, frozen=True):
    """One HTTP response; each chunk is written by itself.

    `cut` loses the connection after the last one: it is closed, `reset`, or `silent` until the client leaves or
    `release` is set. `headless` loses it before the status; nothing is written then. `delay` is before the status, and
    `pacing` after it.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    chunks: tuple[bytes, ...]
    cut: bool = False
    delay: float = 0.0
    listener: Listener | None = None
    loss: Loss = "closed"
    headless: bool = False
    release: threading.Event | None = None
    pacing: Pacing | None = None

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    def of_type(self, content_type: str) -> "Response":
        rest = (header for header in self.headers if header[0] != "content-type")
        return replace(self, headers=(("content-type", content_type), *rest))

    def halved(self) -> "Response":
        """The first half of the body, with a content length for all of it."""
        body = self.body
        headers = (*self.headers, ("content-length", str(len(body))))
        return Response(self.status, headers, (body[: len(body) // 2],), cut=True)


def json_encoder(item: str, key: str) -> Callable[[Any], str]:
    """A function from a value to its JSON, text unescaped, with these separators.

    It is the C encoder of `json` made once: `json.dumps` makes one for each value, which takes longer than small values
    themselves. Elsewhere than in CPython there is none.
    """
    plain = json.JSONEncoder(ensure_ascii=False, separators=(item, key))
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return plain.encode
    encode = make(None, plain.default, json.encoder.encode_basestring, None, key, item, False, False, True)
    return lambda value: "".join(encode(value, 0))


AS_ESCAPE = "backslashreplace"
"""How JSON is encoded: half a character, which UTF-8 does not have, becomes the escape that JSON has for it."""

quoted: Callable[[str], str] = json.encoder.encode_basestring
"""A text as JSON, unescaped."""
compact = json_encoder(",", ":")
"""A value as JSON without white space, text unescaped."""
spaced = json_encoder(", ", ": ")
"""A value as JSON with a space behind each separator, as `json.dumps` writes; text unescaped."""


def json_response(status: int, body: Any, headers: Iterable[tuple[str, str]] = ()) -> Response:
    """The body as one chunk of compact JSON, text unescaped."""
    return Response(status, (("content-type", "application/json"), *headers), (compact(body).encode(errors=AS_ESCAPE),))


class Handler(Protocol):
    """What a transport serves: a request in, a response out. May be called from several threads."""

    def handle(self, request: Request) -> Response: ...
