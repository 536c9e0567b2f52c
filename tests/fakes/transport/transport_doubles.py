"""What the transport tests are made with: handlers, a listener with gates, and the four clients as one."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import httpx2

from fake_providers import Request, Response
from fake_providers.transport import InProcessHook, LoopbackServer, Mounts
from tests.patience import PATIENCE

BRIEF = (0.05, 0.5, 5.0, 50.0)
"""Seconds that a client waits for a byte that never comes, until it has those that do, which are late on a busy
machine."""


class Answering:
    """A handler that gives what `answer` makes of a request, and remembers the requests."""

    def __init__(self, answer: Response | Callable[[Request], Response]) -> None:
        self._answer = answer
        self.requests: list[Request] = []

    def handle(self, request: Request) -> Response:
        self.requests.append(request)
        return self._answer if isinstance(self._answer, Response) else self._answer(request)


class Gate:
    """A listener that holds back the given chunks until `open`, and knows how the response ended."""

    def __init__(self, *held: int) -> None:
        self.gates = {chunk: threading.Event() for chunk in held}
        self.reached = {chunk: threading.Event() for chunk in held}
        self.ended = threading.Event()
        self.endings: list[bool] = []

    def hold(self, chunk: int) -> threading.Event | None:
        if chunk in self.reached:
            self.reached[chunk].set()
        return self.gates.get(chunk)

    def done(self, *, complete: bool) -> None:
        self.endings.append(complete)
        self.ended.set()

    def open(self) -> None:
        for gate in self.gates.values():
            gate.set()


class Breaking:
    """A listener with a fault of its own."""

    def hold(self, chunk: int) -> threading.Event | None:
        if chunk == 1:
            raise ZeroDivisionError("hold")
        return None

    def done(self, *, complete: bool) -> None:
        raise ZeroDivisionError("done")


@dataclass(frozen=True)
class Received:
    """What a client received of a response; `error` names the exception that ended it."""

    status: int = 0
    headers: tuple[tuple[bytes, bytes], ...] = ()
    chunks: tuple[bytes, ...] = ()
    error: str = ""

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)


@dataclass(frozen=True)
class Client:
    """One of httpx and httpx2, synchronous or not."""

    module: Any
    is_async: bool

    def make(self, timeout: float) -> Any:
        # Without certificates, which take 20 ms to load.
        kind = self.module.AsyncClient if self.is_async else self.module.Client
        return kind(timeout=self.module.Timeout(PATIENCE, read=timeout), trust_env=False, verify=False)

    def send(self, url: str, *, method: str = "POST", timeout: float = PATIENCE, **request: Any) -> Received:
        if self.is_async:
            return asyncio.run(self.asend(url, method=method, timeout=timeout, **request))
        chunks: list[bytes] = []
        start: tuple[int, Any] = (0, ())
        try:
            with self.make(timeout) as client, client.stream(method, url, **request) as response:
                start = response.status_code, tuple(response.headers.raw)
                chunks.extend(response.iter_raw())
        except self.module.HTTPError as error:
            return Received(*start, tuple(chunks), f"{type(error).__name__}: {error}")
        return Received(*start, tuple(chunks))

    async def asend(self, url: str, *, method: str = "POST", timeout: float = PATIENCE, **request: Any) -> Received:
        chunks: list[bytes] = []
        start: tuple[int, Any] = (0, ())
        try:
            async with self.make(timeout) as client, client.stream(method, url, **request) as response:
                start = response.status_code, tuple(response.headers.raw)
                async for chunk in response.aiter_raw():
                    chunks.append(chunk)
        except self.module.HTTPError as error:
            return Received(*start, tuple(chunks), f"{type(error).__name__}: {error}")
        return Received(*start, tuple(chunks))


CLIENTS = {
    "httpx2": Client(httpx2, is_async=False),
    "httpx2-async": Client(httpx2, is_async=True),
    "httpx": Client(httpx, is_async=False),
    "httpx-async": Client(httpx, is_async=True),
}


@dataclass
class Site:
    """A transport that is up: `place` a handler and get its base URL."""

    mounts: Mounts
    url: str
    errors: list[tuple[str, BaseException]] = field(default_factory=list)

    def place(self, answer: Any) -> str:
        handler = answer if hasattr(answer, "handle") else Answering(answer)
        return f"{self.url}/{self.mounts.mount(handler)}"

    def place_held(self, gate: Gate, *chunks: bytes) -> str:
        return self.place(Response(200, (("content-type", "text/event-stream"),), chunks, listener=gate))


@contextlib.contextmanager
def open_site(transport: str) -> Iterator[Site]:
    """`loopback`, or `process` without a server: a request that misses the hook is refused."""
    mounts = Mounts("test")
    errors: list[tuple[str, BaseException]] = []

    def record(path: str, error: BaseException) -> None:
        errors.append((path, error))

    if transport == "loopback":
        with LoopbackServer(mounts, record) as server:
            yield Site(mounts, server.url, errors)
    else:
        with InProcessHook(mounts, "127.0.0.1", 9, record):
            yield Site(mounts, "http://127.0.0.1:9", errors)
