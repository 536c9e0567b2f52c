"""Thousands of requests: each gets a response, and nothing of them is kept."""

import json
import re
import selectors
import socket

import pytest
from load_requests import OWN, LoadRequest
from load_site import connect, is_served, read_all, read_until, request_bytes
from separate_server import SeparateServer

from tests.patience import PATIENCE

BATCH = 50
"""Requests in flight on one connection: few enough for the socket buffers in both directions."""


def flood(url: str, body: bytes, count: int, headers: str = "") -> int:
    """Sends `count` requests over one connection, in batches; returns how many got a 200."""
    request, successful = request_bytes(url, headers=headers, body=body), 0
    with connect(url) as connection:
        for _ in range(count // BATCH):
            connection.sendall(request * BATCH)
            successful += read_answers(connection, BATCH)
    return successful


def read_answers(connection: socket.socket, count: int) -> int:
    """Reads `count` responses with a content length; returns how many were a 200."""
    buffer, successful = b"", 0
    for _ in range(count):
        while (end := buffer.find(b"\r\n\r\n")) < 0:
            buffer += receive(connection)
        length = re.search(rb"content-length: (\d+)", buffer[:end])
        assert length is not None
        whole = end + 4 + int(length.group(1))
        while len(buffer) < whole:
            buffer += receive(connection)
        successful += buffer.startswith(b"HTTP/1.1 200")
        buffer = buffer[whole:]
    assert buffer == b""
    return successful


def receive(connection: socket.socket) -> bytes:
    received = connection.recv(65536)
    assert received, "the server has closed the connection"
    return received


def test_flood_over_few_connections_leaves_nothing(separate_server: SeparateServer) -> None:
    count, url = 4000, separate_server.urls["constant"]
    sizes = []
    for _ in range(3):
        assert sum(flood(url, b"{}" * 500, count // 4) for _ in range(4)) == count
        sizes.append(separate_server.memory())

    # The first flood is the warm-up; 8,000 requests of a kilobyte after it leave less than 0.1 KB each.
    assert sizes[2] - sizes[0] < 1
    assert is_served(url)


@pytest.mark.slow
@pytest.mark.parametrize("load_request", OWN, ids=[load_request.wire.name for load_request in OWN])
def test_wires_keep_nothing_of_requests_that_all_differ(
    load_request: LoadRequest, separate_server: SeparateServer
) -> None:
    """Names, ids and texts come from clients, so caches of them must be limited."""
    url = separate_server.urls[load_request.wire.name] + load_request.path
    headers = "".join(f"{name}: {value}\r\n" for name, value in load_request.headers.items())
    sizes = []
    for turn in range(3):
        with connect(url) as connection:
            for number in range(300):
                unknown = f"x{turn}-{number}" + "x" * 10_000
                body = {**load_request.body, "model": unknown, unknown: 1}
                connection.sendall(request_bytes(url, headers=headers, body=json.dumps(body).encode()))
                read_answers(connection, 1)
        sizes.append(separate_server.memory())

    # 600 names of 10 KB, kept once, would be 6 MB.
    assert sizes[2] - sizes[0] < 2


def test_many_simultaneous_connections_all_get_a_response(separate_server: SeparateServer) -> None:
    url, count = separate_server.urls["constant"], 400
    assert is_served(url)
    descriptors, threads = separate_server.descriptors(), separate_server.threads()
    connections = [socket.create_connection(address(url), timeout=PATIENCE) for _ in range(count)]
    for connection in connections:
        connection.sendall(request_bytes(url))
    answers = [read_until(connection, b"{}") for connection in connections]
    for connection in connections:
        connection.close()

    assert sum(answer.startswith(b"HTTP/1.1 200") for answer in answers) == count
    assert separate_server.closes_all_but(descriptors)
    assert separate_server.threads() == threads


def address(url: str) -> tuple[str, int]:
    host, port = url.split("/")[2].split(":")
    return host, int(port)


def test_client_that_only_writes_is_throttled(separate_server: SeparateServer) -> None:
    """It pipelines requests and reads no response: at some point the server stops reading."""
    url = separate_server.urls["stream"]
    request = request_bytes(url, body=b"x" * 10_000) * 10
    assert is_served(separate_server.urls["constant"])
    before, sent = separate_server.memory(), 0
    with connect(url) as connection, selectors.DefaultSelector() as selector:
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_WRITE)
        while sent < 50_000_000 and selector.select(timeout=1):
            sent += connection.send(request)

        assert sent < 50_000_000
        assert separate_server.memory() - before < 10
        assert is_served(separate_server.urls["constant"])


def test_pipelined_requests_are_answered_in_order(separate_server: SeparateServer) -> None:
    url = separate_server.urls["constant"]
    with connect(url) as connection:
        connection.sendall(request_bytes(url) * 200 + request_bytes(url, headers="connection: close\r\n"))
        received = read_all(connection)

    assert received.count(b"HTTP/1.1 200") == 201
