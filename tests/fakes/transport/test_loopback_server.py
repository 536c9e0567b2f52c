"""What only a socket has: connections, half-written requests, resets, slow readers, and the server's own life."""

import contextlib
import gc
import logging
import socket
import struct
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from transport_doubles import CLIENTS, Answering, Gate, Site

from fake_providers import Request, Response
from fake_providers.http import json_response
from fake_providers.transport import LoopbackServer, Mounts
from tests.patience import PATIENCE

OK = json_response(200, {})
BUSY = 0.1
"""Seconds for which a handler keeps the server from reading."""


@contextlib.contextmanager
def connect(url: str) -> Iterator[socket.socket]:
    host, port = url.split("/")[2].split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        yield connection


def ask_for(url: str, *, headers: str = "", body: str = "", start: str = "POST") -> bytes:
    path = "/" + "/".join(url.split("/")[3:])
    return f"{start} {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n{headers}\r\n{body}".encode()


def read_until(connection: socket.socket, end: bytes) -> bytes:
    received = b""
    while not received.endswith(end):
        received += connection.recv(65536)
    return received


def read_all(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65536), b""))


def test_each_chunk_is_a_chunk_of_http(loopback: Site) -> None:
    url = loopback.place(Response(200, (("content-type", "text/event-stream"),), (b"data: a", b"", b"data: bc")))
    with connect(url) as connection:
        connection.sendall(ask_for(url, headers="connection: close\r\n"))
        head, _, body = read_all(connection).partition(b"\r\n\r\n")

    assert body == b"7\r\ndata: a\r\n8\r\ndata: bc\r\n0\r\n\r\n"
    assert b"server:" not in head.lower()
    assert b"date:" not in head.lower()


def test_cut_closes_without_the_final_chunk(loopback: Site) -> None:
    url = loopback.place(Response(200, (("content-type", "text/event-stream"),), (b"data: a",), cut=True))
    with connect(url) as connection:
        connection.sendall(ask_for(url))
        received = read_all(connection)

    assert received.endswith(b"\r\n\r\n7\r\ndata: a\r\n")


def test_headers_do_not_wait_for_a_held_first_chunk(loopback: Site) -> None:
    gate = Gate(0)
    url = loopback.place_held(gate, b"data: a")
    with connect(url) as connection:
        connection.sendall(ask_for(url, headers="connection: close\r\n"))
        assert read_until(connection, b"\r\n\r\n").startswith(b"HTTP/1.1 200 OK")
        gate.open()

        assert read_all(connection) == b"7\r\ndata: a\r\n0\r\n\r\n"


def test_connection_is_kept_for_the_next_request(loopback: Site) -> None:
    handler = Answering(OK)
    url = loopback.place(handler)
    with connect(url) as connection:
        for _ in range(3):
            connection.sendall(ask_for(url))
            assert read_until(connection, b"{}").startswith(b"HTTP/1.1 200 OK")

    assert len(handler.requests) == 3


def test_pipelined_requests_are_answered_in_order(loopback: Site) -> None:
    handler = Answering(lambda request: json_response(200, request.path))
    url = loopback.place(handler)
    with connect(url) as connection:
        connection.sendall(ask_for(f"{url}/a") + ask_for(f"{url}/b", headers="connection: close\r\n"))
        received = read_all(connection)

    assert received.index(b'"/a"') < received.index(b'"/b"')


@pytest.mark.parametrize(
    "garbage", [b"hello\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET /\xff HTTP/1.1\r\n\r\n"]
)
def test_bytes_that_are_not_http_get_a_400(garbage: bytes, loopback: Site) -> None:
    with connect(loopback.url) as connection:
        connection.sendall(garbage)
        received = read_all(connection)

    assert received.startswith(b"HTTP/1.1 400 Bad Request")
    assert CLIENTS["httpx2"].send(loopback.place(OK)).status == 200


def test_writes_do_not_wait_for_the_client_s_acknowledgement() -> None:
    mounts = Mounts()
    with LoopbackServer(mounts) as server, connect(server.url) as connection:
        connection.sendall(ask_for(f"{server.url}/{mounts.mount(Answering(OK))}"))
        read_until(connection, b"{}")
        (served,) = server._connections

        assert served.transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_upgrade_to_a_websocket_is_answered_as_a_request(loopback: Site) -> None:
    url = loopback.place(OK)
    with connect(url) as connection:
        upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: eA==\r\n"
        connection.sendall(ask_for(url, headers=upgrade, start="GET"))

        assert connection.recv(65536).startswith(b"HTTP/1.1 200")


def test_expect_continue_is_honoured(loopback: Site) -> None:
    url = loopback.place(OK)
    with connect(url) as connection:
        connection.sendall(ask_for(url, headers="expect: 100-continue\r\n", body="{}")[:-2])
        assert connection.recv(65536).startswith(b"HTTP/1.1 100 Continue")
        connection.sendall(b"{}")

        assert connection.recv(65536).startswith(b"HTTP/1.1 200")


def test_client_that_leaves_in_the_middle_of_its_body_is_no_request(loopback: Site) -> None:
    handler = Answering(OK)
    url = loopback.place(handler)
    with connect(url) as connection:
        connection.sendall(ask_for(url, body="x" * 1000)[:-500])
    # Answered after the server has dealt with the one that left: it sees connections in order.
    assert CLIENTS["httpx2"].send(loopback.place(OK)).status == 200

    assert handler.requests == []
    assert loopback.errors == []


@pytest.mark.parametrize("held", [0, 1, 9])
def test_reset_connection_does_not_disturb_the_next(held: int, loopback: Site) -> None:
    gate = Gate(held)
    url = loopback.place_held(gate, *[b"x" * 100_000] * 10)
    with connect(url) as connection:
        connection.sendall(ask_for(url))
        assert gate.reached[held].wait(PATIENCE)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert gate.ended.wait(PATIENCE)

    assert gate.endings == [False]
    assert CLIENTS["httpx2"].send(loopback.place(OK)).status == 200
    assert loopback.errors == []


def test_slow_reader_gets_everything_and_delays_no_other(loopback: Site) -> None:
    gate = Gate()
    url = loopback.place_held(gate, *[b"%07d|" % number * 4096 for number in range(256)])
    with connect(url) as connection:
        connection.sendall(ask_for(url, headers="connection: close\r\n"))
        assert connection.recv(1)
        assert all(CLIENTS["httpx2"].send(loopback.place(OK)).status == 200 for _ in range(5))
        assert gate.endings == []
        received = read_all(connection)

    assert received.endswith(b"0000255|\r\n0\r\n\r\n")
    assert received.count(b"|") == 256 * 4096
    assert gate.endings == [True]


def test_slow_reader_that_leaves_is_noticed(loopback: Site) -> None:
    gate = Gate()
    url = loopback.place_held(gate, *[b"x" * 100_000] * 200)
    with connect(url) as connection:
        connection.sendall(ask_for(url))
        assert connection.recv(1)
    assert gate.ended.wait(PATIENCE)

    assert gate.endings == [False]


def test_parallel_requests_reach_their_own_handlers(loopback: Site) -> None:
    urls = [loopback.place(json_response(200, number)) for number in range(64)]
    with ThreadPoolExecutor(16) as pool:
        bodies = list(pool.map(lambda url: CLIENTS["httpx2"].send(url).body, urls))

    assert bodies == [b"%d" % number for number in range(64)]


def test_nothing_is_printed_or_logged(
    loopback: Site, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    url = loopback.place_held(Gate(), *[b"x" * 100_000] * 200)
    for request in (b"no http\r\n\r\n", ask_for(url), ask_for(loopback.place(lambda request: 1 / 0))):
        with connect(url) as connection:
            connection.sendall(request)
            connection.recv(1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    with connect(url) as connection:
        connection.sendall(ask_for(loopback.place(OK)))
        connection.recv(1)

    assert capfd.readouterr() == ("", "")
    assert [record.getMessage() for record in caplog.records if record.name.startswith("asyncio")] == []


def test_server_that_cannot_import_its_parser_reports_it_and_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[tuple[str, BaseException]] = []
    with LoopbackServer(Mounts(), lambda path, error: errors.append((path, error))) as server:
        monkeypatch.setitem(sys.modules, "fake_providers.transport.connection", None)
        with contextlib.suppress(ConnectionError), connect(server.url) as connection:
            assert connection.recv(1) == b""

    assert [(path, type(error)) for path, error in errors] == [("/", ModuleNotFoundError)]


def test_request_before_the_start_is_answered_after_it() -> None:
    mounts = Mounts()
    server = LoopbackServer(mounts)
    with ThreadPoolExecutor(1) as pool:
        response = pool.submit(CLIENTS["httpx2"].send, f"{server.url}/{mounts.mount(Answering(OK))}")
        with server:
            assert response.result().status == 200


def test_stop_ends_held_responses_and_the_thread() -> None:
    gate = Gate(1)
    mounts = Mounts()
    server = LoopbackServer(mounts)
    server.start()
    held = Answering(Response(200, (), (b"a", b"b"), listener=gate))
    with ThreadPoolExecutor(1) as pool:
        response = pool.submit(CLIENTS["httpx2"].send, f"{server.url}/{mounts.mount(held)}")
        assert gate.reached[1].wait(PATIENCE)
        server.stop()
        received = response.result()

    assert received.chunks == (b"a",)
    assert received.error
    assert gate.endings == [False]
    assert not [thread for thread in threading.enumerate() if thread.name == "fakes-loopback" and thread.is_alive()]


@pytest.mark.filterwarnings("always::ResourceWarning")
def test_stop_closes_what_is_accepted_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: left.append(str(one.exc_value)))
    monkeypatch.setattr(warnings, "showwarning", lambda message, *_: left.append(str(message)))
    for clients in (1, 2, 4):
        mounts = Mounts("test")
        server = LoopbackServer(mounts)
        url = server.url + "/" + mounts.mount(Answering(Response(200, (), (b"x",), delay=0.01)))
        held, go_on = threading.Event(), threading.Event()
        with contextlib.ExitStack() as stack:
            server.start()
            assert server._loop is not None
            server._loop.call_soon_threadsafe(lambda held=held, go_on=go_on: (held.set(), go_on.wait(PATIENCE)))
            assert held.wait(PATIENCE)
            for _ in range(clients):
                client = stack.enter_context(socket.create_connection((server.host, server.port)))
                client.sendall(f"POST {url} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n".encode())
            server._loop.call_soon_threadsafe(server._loop.stop)
            go_on.set()
            server.stop()
        del server
        gc.collect()

    assert left == []


def test_server_that_was_never_started_or_never_used_stops() -> None:
    LoopbackServer(Mounts()).stop()
    with LoopbackServer(Mounts()) as server:
        server.stop()
    with pytest.raises(RuntimeError, match="once"):
        server.start()


def test_port_is_refused_after_the_stop() -> None:
    with LoopbackServer(Mounts()) as server:
        pass

    assert CLIENTS["httpx2"].send(server.url).error.startswith("ConnectError")


def test_starting_imports_no_parser() -> None:
    import subprocess

    code = "import sys; from fake_providers.transport import *; s = LoopbackServer(Mounts()); s.start(); s.stop();"
    found = subprocess.run(
        [sys.executable, "-c", f"{code} print('httptools' in sys.modules)"], check=False, capture_output=True, text=True
    )

    assert (found.stdout, found.stderr) == ("False\n", "")


def slow_answer(request: Request) -> Response:
    time.sleep(BUSY)
    return OK


def test_catching_up_waits_for_requests_of_clients_that_have_left() -> None:
    mounts = Mounts()
    handler = Answering(slow_answer)
    with LoopbackServer(mounts) as server:
        url = f"{server.url}/{mounts.mount(handler)}/v1"
        for _ in range(3):
            with connect(url) as connection:
                connection.sendall(ask_for(url))
        server.catch_up()

        assert len(handler.requests) == 3


def test_catching_up_waits_for_a_large_request_on_an_open_connection() -> None:
    mounts = Mounts()
    handler = Answering(slow_answer)
    with LoopbackServer(mounts) as server:
        url = f"{server.url}/{mounts.mount(handler)}/v1"
        with connect(url) as connection:
            connection.sendall(ask_for(url))
            read_until(connection, b"{}")
            connection.sendall(ask_for(url) + ask_for(url, body="x" * 1_000_000))
            server.catch_up()

    assert [len(request.body) for request in handler.requests] == [0, 0, 1_000_000]


def test_catching_up_with_a_server_that_does_not_run_waits_for_nothing() -> None:
    server = LoopbackServer(Mounts())
    server.catch_up()
    with server:
        server.catch_up()
    server.catch_up()
