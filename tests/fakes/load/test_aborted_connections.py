"""Connections that are aborted: no error is reported, nothing of them is kept, and the next request is served."""

import socket
import struct

import pytest
from load_site import connect, is_served, request_bytes
from separate_server import SeparateServer

STAGES: dict[str, tuple[str, float]] = {
    "before-anything": ("constant", 0.0),
    "in-the-request-line": ("constant", 0.02),
    "in-the-headers": ("constant", 0.06),
    "in-the-body": ("constant", 0.5),
    "before-the-response": ("constant", 1.0),
    "before-the-stream": ("stream", 1.0),
}
"""The URL, and the part of the request that is sent."""


def abort(url: str, part: float, *, reset: bool, read: int = 0, headers: str = "") -> None:
    request = request_bytes(url, body=b"x" * 2000, headers=headers)
    with connect(url) as connection:
        connection.sendall(request[: int(len(request) * part)])
        while read > 0:
            read -= len(connection.recv(min(read, 65536)))
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
def test_aborted_connections_leave_nothing(reset: bool, separate_server: SeparateServer) -> None:
    """Fifty of each kind on one server, whose standard error is checked when it stops."""
    url = separate_server.urls["constant"]
    assert is_served(url)
    descriptors, threads, before = separate_server.descriptors(), separate_server.threads(), separate_server.memory()
    for _ in range(50):
        for url_name, part in STAGES.values():
            abort(separate_server.urls[url_name], part, reset=reset)
        abort(separate_server.urls["stream"], 1.0, reset=reset, read=100_000)
        abort(url, 1.0, reset=reset, headers="transfer-encoding: chunked\r\n")
        abort(url, 0.9, reset=reset, headers="expect: 100-continue\r\n")

        assert is_served(url)
    assert separate_server.closes_all_but(descriptors)
    assert separate_server.threads() == threads
    assert separate_server.memory() - before < 10


def test_half_closed_connection_gets_a_response_or_is_closed(separate_server: SeparateServer) -> None:
    url = separate_server.urls["constant"]
    with connect(url) as connection:
        connection.sendall(request_bytes(url, headers="connection: close\r\n"))
        connection.shutdown(socket.SHUT_WR)
        received = connection.recv(65536)

    assert received == b"" or received.startswith(b"HTTP/1.1 200")
    assert is_served(url)


def test_silent_connections_do_not_block_others(separate_server: SeparateServer) -> None:
    url = separate_server.urls["constant"]
    silent = [socket.create_connection(("127.0.0.1", int(url.split("/")[2].split(":")[1]))) for _ in range(100)]

    assert is_served(url)
    for connection in silent:
        connection.close()
    assert is_served(url)
