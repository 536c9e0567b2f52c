"""Which handler answers under which path prefix. Knows tokens and handlers, and nothing of HTTP beyond a path."""

import itertools
import secrets
import threading
from hashlib import sha256

from fake_providers.http import Handler


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
        """With the number of requests that came afterwards."""

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
