"""A server with bounds: large bodies are judged beside others, and what is too slow or too much is ended."""

import contextlib
import select
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from fake_providers import Handler, Request, Response
from fake_providers.http import json_response
from fake_providers.transport import bounds
from fake_providers.transport.answerer import Answerer, Mounts
from fake_providers.transport.bounds import LARGE, Bounds
from fake_providers.transport.connection import Connection
from fake_providers.transport.server import LoopbackServer
from tests.patience import PATIENCE


class Waiting:
    """Answers a large body when it is told to, and any other at once."""

    def __init__(self) -> None:
        self.going_on = threading.Event()
        self.begun = threading.Semaphore(0)
        self.threads: set[str] = set()

    def handle(self, request: Request) -> Response:
        self.threads.add(threading.current_thread().name)
        if len(request.body) > LARGE:
            self.begun.release()
            assert self.going_on.wait(PATIENCE)
        return json_response(200, {"size": len(request.body)})


class Ordered:
    """Notes the order of the requests; waits in the first one."""

    def __init__(self) -> None:
        self.begun, self.going_on = threading.Event(), threading.Event()
        self.paths: list[str] = []

    def handle(self, request: Request) -> Response:
        self.paths.append(request.path)
        self.begun.set()
        assert self.going_on.wait(PATIENCE)
        return json_response(200, {})


@dataclass
class Buffering:
    """A transport that holds so many bytes at each question."""

    sizes: Iterator[int]

    def get_write_buffer_size(self) -> int:
        return next(self.sizes)


class Endless:
    """Answers with more than any socket takes at once."""

    def handle(self, request: Request) -> Response:
        return Response(200, (("content-type", "text/plain"),), (b"x" * 65536,) * 400)


@contextlib.contextmanager
def served(handler: Handler, bounds: Bounds | None) -> Iterator[tuple[LoopbackServer, str]]:
    mounts = Mounts()
    with LoopbackServer(mounts, bounds=bounds) as server:
        yield server, f"/{mounts.mount(handler)}/v1"


def connect(server: LoopbackServer) -> socket.socket:
    connection = socket.create_connection((server.host, server.port), PATIENCE)
    connection.settimeout(PATIENCE)
    return connection


def request(path: str, size: int = 2) -> bytes:
    return f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {size}\r\n\r\n".encode() + b"x" * size


def status_of(connection: socket.socket) -> bytes:
    return connection.recv(65536).partition(b"\r\n")[0]


def test_others_are_answered_while_a_large_body_is_judged() -> None:
    handler = Waiting()
    with served(handler, Bounds()) as (server, path), connect(server) as large, connect(server) as small:
        large.sendall(request(path, LARGE + 1))
        assert handler.begun.acquire(timeout=PATIENCE)
        small.sendall(request(path))

        assert status_of(small) == b"HTTP/1.1 200 OK"
        handler.going_on.set()
        assert status_of(large) == b"HTTP/1.1 200 OK"
        large.sendall(request(path))
        assert status_of(large) == b"HTTP/1.1 200 OK"
        assert handler.threads == {"fakes-judging", "fakes-loopback"}


def test_without_bounds_every_request_is_answered_in_the_thread_of_the_server() -> None:
    handler = Waiting()
    handler.going_on.set()
    with served(handler, None) as (server, path), connect(server) as connection:
        connection.sendall(request(path, LARGE + 1))

        assert status_of(connection) == b"HTTP/1.1 200 OK"
        assert handler.threads == {"fakes-loopback"}


def test_large_bodies_beyond_those_that_may_wait_are_refused() -> None:
    handler = Waiting()
    with served(handler, Bounds(threads=1, waiting=1)) as (server, path), contextlib.ExitStack() as stack:
        judged, waiting, refused = (stack.enter_context(connect(server)) for _ in range(3))
        judged.sendall(request(path, LARGE + 1))
        assert handler.begun.acquire(timeout=PATIENCE)
        waiting.sendall(request(path, LARGE + 1))
        server.catch_up()
        refused.sendall(request(path, LARGE + 1))

        assert status_of(refused) == b"HTTP/1.1 503 Service Unavailable"
        handler.going_on.set()
        assert status_of(judged) == status_of(waiting) == b"HTTP/1.1 200 OK"


def test_connection_that_is_idle_for_longest_makes_room() -> None:
    with served(Waiting(), Bounds(connections=2)) as (server, path), contextlib.ExitStack() as stack:
        first, second = (stack.enter_context(connect(server)) for _ in range(2))
        for connection in (first, second):
            connection.sendall(request(path))
            assert status_of(connection) == b"HTTP/1.1 200 OK"
        third = stack.enter_context(connect(server))
        third.sendall(request(path))

        assert status_of(third) == b"HTTP/1.1 200 OK"
        assert is_closed(first)
        second.sendall(request(path))
        assert status_of(second) == b"HTTP/1.1 200 OK"


def test_descriptors_are_as_many_as_connections_after_a_rush() -> None:
    with served(Waiting(), Bounds(connections=20)) as (server, path), contextlib.ExitStack() as stack:
        rush = [stack.enter_context(connect(server)) for _ in range(300)]
        last = stack.enter_context(connect(server))
        last.sendall(request(path))
        assert status_of(last) == b"HTTP/1.1 200 OK"

        assert sum(not is_closed_now(connection) for connection in rush) == 19


def test_connection_that_is_refused_leaves_nothing() -> None:
    with served(Waiting(), Bounds(connections=2)) as (server, path), contextlib.ExitStack() as stack:
        for _ in range(2):
            slow = stack.enter_context(connect(server))
            slow.sendall(request(path)[:-1])
        server.catch_up()
        for _ in range(20):
            assert status_of(stack.enter_context(connect(server))) == b"HTTP/1.1 503 Service Unavailable"

        assert len(server._connections) == 2


def test_connection_beside_requests_that_are_all_judged_is_refused() -> None:
    handler = Waiting()
    with served(handler, Bounds(connections=1)) as (server, path), connect(server) as judged:
        judged.sendall(request(path, LARGE + 1))
        assert handler.begun.acquire(timeout=PATIENCE)
        with connect(server) as late:
            assert status_of(late) == b"HTTP/1.1 503 Service Unavailable"
        handler.going_on.set()
        assert status_of(judged) == b"HTTP/1.1 200 OK"


def test_request_that_is_slow_to_arrive_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "STALLED_SECONDS", 0.0)
    with served(Waiting(), Bounds(connections=2)) as (server, path), contextlib.ExitStack() as stack:
        slow = [stack.enter_context(connect(server)) for _ in range(2)]
        for connection in slow:
            connection.sendall(request(path)[:-1])
            server.catch_up()
        new = stack.enter_context(connect(server))
        new.sendall(request(path))

        assert status_of(new) == b"HTTP/1.1 200 OK"
        assert is_closed(slow[0])
        slow[1].sendall(b"x")
        assert status_of(slow[1]) == b"HTTP/1.1 200 OK"


def test_client_that_sends_many_requests_at_once_does_not_keep_others_waiting() -> None:
    handler = Ordered()
    with served(handler, Bounds()) as (server, path), connect(server) as many, connect(server) as one:
        many.sendall(request(f"{path}/many") * 200)
        assert handler.begun.wait(PATIENCE)
        one.sendall(request(f"{path}/one"))
        handler.going_on.set()
        assert status_of(one) == b"HTTP/1.1 200 OK"
        server.catch_up()

        assert handler.paths.index("/v1/one") < 10
        assert len(handler.paths) == 201


def test_client_that_reads_a_little_has_read() -> None:
    connection = Connection(Answerer(Mounts()), set(), bytearray(1))
    sizes = iter([0, 900, 900, 800, 800, 0, 800])
    connection.transport = Buffering(sizes)  # type: ignore[assignment]

    assert [connection.unread_since(float(now)) for now in range(7)] == [None, 1, 1, 3, 3, None, 6]


def test_request_that_never_ends_is_ended() -> None:
    with served(Waiting(), Bounds(request_seconds=0.2)) as (server, path), connect(server) as connection:
        connection.sendall(request(path)[:-1])

        assert is_closed(connection)


def test_connection_between_two_requests_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "SWEEP_SECONDS", 0.05)
    with served(Waiting(), Bounds(request_seconds=0.2)) as (server, path), connect(server) as connection:
        connection.sendall(request(path))
        assert status_of(connection) == b"HTTP/1.1 200 OK"
        time.sleep(0.5)
        connection.sendall(request(path))

        assert status_of(connection) == b"HTTP/1.1 200 OK"


def test_client_that_never_reads_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    abort = Connection.abort
    monkeypatch.setattr(Connection, "abort", lambda self: (abort(self), ended.set()))
    with served(Endless(), Bounds(unread_seconds=0.2)) as (server, path), connect(server) as connection:
        connection.sendall(request(path))
        assert ended.wait(PATIENCE)

        assert len(read_all(connection)) < 400 * 65536


def test_bodies_that_are_too_large_together_are_refused() -> None:
    with served(Waiting(), Bounds(body_bytes=2 * LARGE)) as (server, path), contextlib.ExitStack() as stack:
        answers = []
        for _ in range(3):
            connection = stack.enter_context(connect(server))
            with contextlib.suppress(OSError):
                connection.sendall(request(path, 4 * LARGE)[: LARGE + 40_000])
            server.catch_up()
            answers.append(connection)

        assert status_of(answers[-1]) == b"HTTP/1.1 503 Service Unavailable"


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def is_closed_now(connection: socket.socket) -> bool:
    """Whether the server has closed it, without waiting for it."""
    readable, _, _ = select.select([connection], [], [], 0)
    return bool(readable) and is_closed(connection)


def read_all(connection: socket.socket) -> bytes:
    received = b""
    with contextlib.suppress(ConnectionError):
        while more := connection.recv(1 << 20):
            received += more
    return received
