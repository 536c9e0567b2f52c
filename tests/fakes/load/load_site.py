"""A running transport, and raw sockets connected to it."""

import contextlib
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fake_providers import Handler
from fake_providers.transport import InProcessHook, LoopbackServer, Mounts
from tests.patience import PATIENCE


@dataclass
class Site:
    """`place` mounts a handler and returns its base URL; `server` is None for the in-process transport."""

    mounts: Mounts
    url: str
    errors: list[tuple[str, BaseException]] = field(default_factory=list)
    server: LoopbackServer | None = None

    def place(self, handler: Handler) -> str:
        return f"{self.url}/{self.mounts.mount(handler)}"


@contextlib.contextmanager
def open_site(transport: str) -> Iterator[Site]:
    """`loopback`, or `process` without a server behind it: a request that misses the hook is refused."""
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
    """A connection; `options` are names of socket options of the level SOL_SOCKET."""
    host, port = url.split("/")[2].split(":")
    with socket.socket() as connection:
        for name, value in options.items():
            connection.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        connection.settimeout(PATIENCE)
        connection.connect((host, int(port)))
        yield connection


def path_of(url: str) -> str:
    return "/" + url.split("/", 3)[3]


def request_bytes(url: str, *, headers: str = "", body: bytes = b"", start: str = "POST") -> bytes:
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
    """Whether a plain request still gets a response."""
    with connect(url) as connection:
        connection.sendall(request_bytes(url, headers="connection: close\r\n"))
        return read_all(connection).startswith(b"HTTP/1.1 200")


def tasks_of(server: LoopbackServer) -> int:
    """The number of tasks in the server's event loop."""
    import asyncio

    async def count() -> int:
        return len(asyncio.all_tasks()) - 1

    loop: Any = server._loop
    return asyncio.run_coroutine_threadsafe(count(), loop).result(PATIENCE)
