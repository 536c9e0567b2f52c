"""Clients that read slowly or not at all: little is buffered for them, others are served, and stopping does not
wait."""

import contextlib
import socket
import threading

import pytest
from load_requests import OWN
from load_site import Site, connect, is_served, read_all, request_bytes
from separate_server import SeparateServer
from separate_server_process import CHUNK, CHUNKS, Constant

from fake_providers import Call, Reply, Response, ScriptedFake
from fake_providers.http import json_response
from fake_providers.transport import server
from tests.patience import PATIENCE

SMALL = {"SO_RCVBUF": 4096}
STREAM = Response(200, (("content-type", "text/event-stream"),), (CHUNK,) * CHUNKS)


def test_reader_of_single_bytes_gets_every_byte(loopback: Site) -> None:
    load_request = OWN[0]
    fake = ScriptedFake(
        load_request.provider, [Reply(calls=(Call("get_weather", {"city": "Oslo"}),))], wire=load_request.wire.name
    )
    url = loopback.place(fake) + load_request.path
    headers = "".join(f"{name}: {value}\r\n" for name, value in load_request.headers.items()) + "connection: close\r\n"
    body = load_request.content[:-1] + b',"stream":true}'
    with connect(url, **SMALL) as connection:
        connection.sendall(request_bytes(url, headers=headers, body=body))
        received = b"".join(iter(lambda: connection.recv(1), b""))

    assert received.startswith(b"HTTP/1.1 200")
    assert received.endswith(b"0\r\n\r\n")
    assert b"data: [DONE]" in received


def test_writer_of_single_bytes_gets_a_response(loopback: Site) -> None:
    url = loopback.place(Constant(json_response(200, {})))
    with connect(url) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in request_bytes(url, body=b"{}" * 20, headers="connection: close\r\n"):
            connection.sendall(bytes([byte]))

        assert read_all(connection).startswith(b"HTTP/1.1 200")


def test_unread_stream_is_not_kept_in_memory(separate_server: SeparateServer) -> None:
    """Forty streams at once: 400 megabytes are being sent, and a fraction of that is buffered."""
    url = separate_server.urls["stream"]
    assert is_served(separate_server.urls["constant"])
    before = separate_server.memory()
    with contextlib.ExitStack() as open_ones:
        for _ in range(40):
            connection = open_ones.enter_context(connect(url, **SMALL))
            connection.sendall(request_bytes(url))
            assert connection.recv(100).startswith(b"HTTP/1.1 200")
            assert is_served(separate_server.urls["constant"])

        assert separate_server.memory() - before < 40
    assert is_served(separate_server.urls["constant"])


def test_reader_that_pauses_gets_the_whole_stream(loopback: Site) -> None:
    url, quick = loopback.place(Constant(STREAM)), loopback.place(Constant(json_response(200, {})))
    with connect(url, **SMALL) as connection:
        connection.sendall(request_bytes(url, headers="connection: close\r\n"))
        received = connection.recv(1000)
        assert is_served(quick)
        received += read_all(connection)

    assert received.count(CHUNK) == CHUNKS
    assert received.endswith(b"0\r\n\r\n")


def test_server_stops_despite_an_idle_reader(loopback: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "STOP_SECONDS", 2 * PATIENCE)
    url = loopback.place(Constant(STREAM))
    assert loopback.server is not None
    with connect(url, **SMALL) as connection:
        connection.sendall(request_bytes(url))
        connection.recv(1000)
        stopped = threading.Thread(target=loopback.server.stop)
        stopped.start()
        stopped.join(PATIENCE)

        assert not stopped.is_alive()
    assert loopback.server._thread is not None
    assert not loopback.server._thread.is_alive()
    assert loopback.errors == []
