"""A transport that is up, and sockets to speak to it below any HTTP client."""

import contextlib
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fakes import Handler
from fakes.transport import InProcessHook, LoopbackServer, Mounts

PATIENCE = 20.0
"""Seconds after which a test gives up waiting for what should have happened at once."""


@dataclass
class Site:
    """`place` a handler and get its base URL; `server` is None where everything stays in process."""

    mounts: Mounts
    url: str
    errors: list[tuple[str, BaseException]] = field(default_factory=list)
    server: LoopbackServer | None = None

    def place(self, handler: Handler) -> str:
        return f"{self.url}/{self.mounts.mount(handler)}"


@contextlib.contextmanager
def open_site(transport: str) -> Iterator[Site]:
    """`loopback`, or `process` with nothing behind it: what misses the hook is refused."""
    mounts, errors = Mounts("test"), []

    def record(path: str, error: BaseException) -> None:
        errors.append((path, error))

    if transport == "loopback":
        with LoopbackServer(mounts, record) as server:
            yield Site(mounts, server.url, errors, server)
    else:
        with InProcessHook(mounts, "127.0.0.1", 9, record):
            yield Site(mounts, "http://127.0.0.1:9", errors)


@contextlib.contextmanager
def connect(url: str, **options: int) -> Iterator[socket.socket]:
    """A connection; `options` are of the level SOL_SOCKET, by their names."""
    host, port = url.split("/")[2].split(":")
    with socket.socket() as connection:
        for name, value in options.items():
            connection.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        connection.settimeout(PATIENCE)
        connection.connect((host, int(port)))
        yield connection


def path_of(url: str) -> str:
    return "/" + url.split("/", 3)[3]


def ask_for(url: str, *, headers: str = "", body: bytes = b"", start: str = "POST") -> bytes:
    head = f"{start} {path_of(url)} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n{headers}\r\n"
    return head.encode() + body


def read_until(connection: socket.socket, end: bytes) -> bytes:
    received = b""
    while not received.endswith(end):
        more = connection.recv(65536)
        if not more:
            raise ConnectionError(f"closed after {received[-200:]!r}")
        received += more
    return received


def read_all(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65536), b""))


def is_served(url: str) -> bool:
    """Whether a plain request is answered: after anything bad that came before."""
    with connect(url) as connection:
        connection.sendall(ask_for(url, headers="connection: close\r\n"))
        return read_all(connection).startswith(b"HTTP/1.1 200")


def tasks_of(server: LoopbackServer) -> int:
    """How many tasks the server's loop has, asked in its own thread."""
    import asyncio

    async def count() -> int:
        return len(asyncio.all_tasks()) - 1

    loop: Any = server._loop
    return asyncio.run_coroutine_threadsafe(count(), loop).result(PATIENCE)
