"""Connections that end where they should not: nobody hears of it, nothing of it is left, and the next is served."""

import socket
import struct

import pytest
from alone import Alone
from load_site import ask_for, connect, is_served

STAGES: dict[str, tuple[str, float]] = {
    "before-anything": ("constant", 0.0),
    "in-the-request-line": ("constant", 0.02),
    "in-the-headers": ("constant", 0.06),
    "in-the-body": ("constant", 0.5),
    "before-the-response": ("constant", 1.0),
    "before-the-stream": ("stream", 1.0),
}
"""Whom to ask, and which part of the request is sent."""


def abort(url: str, part: float, *, reset: bool, read: int = 0, headers: str = "") -> None:
    request = ask_for(url, body=b"x" * 2000, headers=headers)
    with connect(url) as connection:
        connection.sendall(request[: int(len(request) * part)])
        while read > 0:
            read -= len(connection.recv(min(read, 65536)))
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
def test_aborted_connections_leave_nothing(reset: bool, alone: Alone) -> None:
    """Of each kind fifty, in one server: what is written to standard error is looked at when it ends."""
    url = alone.urls["constant"]
    assert is_served(url)
    descriptors, threads, before = alone.descriptors(), alone.threads(), alone.memory()
    for _ in range(50):
        for whom, part in STAGES.values():
            abort(alone.urls[whom], part, reset=reset)
        abort(alone.urls["stream"], 1.0, reset=reset, read=100_000)
        abort(url, 1.0, reset=reset, headers="transfer-encoding: chunked\r\n")
        abort(url, 0.9, reset=reset, headers="expect: 100-continue\r\n")

        assert is_served(url)
    assert alone.closes_all_but(descriptors)
    assert alone.threads() == threads
    assert alone.memory() - before < 10


def test_half_closed_connection_is_answered_or_closed(alone: Alone) -> None:
    url = alone.urls["constant"]
    with connect(url) as connection:
        connection.sendall(ask_for(url, headers="connection: close\r\n"))
        connection.shutdown(socket.SHUT_WR)
        received = connection.recv(65536)

    assert received == b"" or received.startswith(b"HTTP/1.1 200")
    assert is_served(url)


def test_connections_that_say_nothing_keep_nobody_waiting(alone: Alone) -> None:
    url = alone.urls["constant"]
    silent = [socket.create_connection(("127.0.0.1", int(url.split("/")[2].split(":")[1]))) for _ in range(100)]

    assert is_served(url)
    for connection in silent:
        connection.close()
    assert is_served(url)
