"""From a raw HTTP request to a framed response: of the handler that is mounted under its path, or the transport's own.

A thread that an agent has left behind may ask again as soon as it is answered, for as long as the process lives.
"""

import itertools
import secrets
import threading
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from urllib.parse import quote, unquote_to_bytes

from msgspec.structs import replace

from fake_providers.http import Handler, Request, Response, json_response
from fake_providers.transport.framing import LIMIT, LONGEST_KEPT, Framed, UnreadableRequest, decode_body, frame


class Mounts:
    """Handlers by token. Thread-safe.

    The token is the first segment of the path, so that parallel and late requests never reach the wrong handler. With a
    `seed` the tokens are the same in every run; without one nobody can guess them.
    """

    def __init__(self, seed: str | None = None) -> None:
        self._seed = secrets.token_hex(16) if seed is None else seed
        self._count = itertools.count()
        self._lock = threading.Lock()
        self._handlers: dict[str, Handler] = {}
        self._ended: dict[str, int] = {}
        """How many requests came to each token after its end."""

    def mount(self, handler: Handler) -> str:
        """A new token of 20 hexadecimal digits, under which `handler` answers from now on."""
        with self._lock:
            token = sha256(f"{self._seed}/{next(self._count)}".encode()).hexdigest()[:20]
            self._handlers[token] = handler
        return token

    def unmount(self, token: str) -> None:
        """Requests under `token` get a 404 from now on. Raises `KeyError` for a token that is not mounted."""
        with self._lock:
            del self._handlers[token]
            self._ended[token] = 0

    def resolve(self, path: str) -> tuple[Handler, str] | None:
        """The handler of `/<token>/...` and the path without the token, which begins with a slash; a query stays."""
        token, slash, rest = path.removeprefix("/").partition("/")
        if not slash:
            token, mark, query = token.partition("?")
            rest = mark + query
        handler = self._handlers.get(token)
        return None if handler is None else (handler, f"/{rest}")

    def has_ended(self, path: str) -> bool:
        """Whether the path's token was mounted once and is no more."""
        return _token(path) in self._ended

    def count_late(self, path: str) -> int:
        """The number of this request among those that came after the end; 0 where the token was never mounted."""
        token = _token(path)
        with self._lock:
            if token not in self._ended:
                return 0
            self._ended[token] += 1
            return self._ended[token]


def _token(path: str) -> str:
    return path.removeprefix("/").partition("/")[0].partition("?")[0]


OnError = Callable[[str, BaseException], None]
"""Called with every error of the fakes themselves: the request's path with its token, and the exception. Any thread."""

SEGMENT_SAFE = ":@!$&'()*+,;=-._~"


def ignore_error(path: str, error: BaseException) -> None:
    """What a transport without `on_error` does; the client still gets the error in the 500."""


class Answerer:
    """Answers requests of any transport; raises nothing but Ctrl-C."""

    def __init__(self, mounts: Mounts, on_error: OnError = ignore_error) -> None:
        self._mounts = mounts
        self.on_error = on_error

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Framed:
        """`target` is the path and query with the token. `headers` are this request's own, and changed. An exception
        of the handler becomes a 500 that names it.

        Even `SystemExit` of a handler is caught: it must not end the thread that serves all other cases.
        """
        try:
            response = self._respond(method, target, headers, body)
            return frame(response, method=method)
        except UnreadableRequest as error:
            return refused(method, error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.on_error(target, error)
            whose = "The fake provider failed, which is the test suite's fault, not the agent's"
            return frame(_own_error(500, f"{whose}: {type(error).__name__}: {error}"), method=method)

    def _respond(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Response:
        found = self._mounts.resolve(target)
        if found is None:
            return slowed(_own_error(404, self._explain(target)), self._mounts.count_late(target))
        handler, path = found
        encoding = headers.pop("content-encoding", "")
        if encoding or len(body) > LIMIT:
            body = decode_body(body, encoding)
        if "%" in path:
            path = (_kept_spelling if len(path) <= LONGEST_KEPT else _normalise)(path)
        return handler.handle(Request(method, path, headers, body, prefix=f"/{_token(target)}"))

    def _explain(self, target: str) -> str:
        if self._mounts.has_ended(target):
            return f"The fake provider at {target} has ended: the request came after its test was over."
        return f"No fake provider is at {target}: use the base URL as it was given, with its first path segment."


def refused(method: str, error: UnreadableRequest) -> Framed:
    """The 4xx for a body that cannot be read."""
    return frame(_own_error(error.status, str(error)), method=method)


def _own_error(status: int, message: str) -> Response:
    """`x-should-retry` keeps the SDKs that know it from retrying; all wires' SDKs read `error.message`."""
    body = {"error": {"message": message, "type": "fake_provider", "code": status}}
    return json_response(status, body, [("x-should-retry", "false")])


def _normalise(path: str) -> str:
    """Spells `%3A` as `:` and the like, as clients differ there; an escaped slash stays escaped."""
    path, mark, query = path.partition("?")
    segments = (quote(unquote_to_bytes(segment), safe=SEGMENT_SAFE) for segment in path.split("/"))
    return "/".join(segments) + mark + query


_kept_spelling = lru_cache(maxsize=64)(_normalise)


FIRST = 0.1
"""Seconds for the first late response; each further one takes twice as long."""
LATE = 5
"""Late responses that are sent."""


def slowed(response: Response, number: int) -> Response:
    """The response to late request `number`, counted from 1; one that is in time has none."""
    if number < 1:
        return response
    if number <= LATE:
        return replace(response, delay=FIRST * 2 ** (number - 1))
    return Response(response.status, (), (), cut=True, headless=True, loss="silent")
