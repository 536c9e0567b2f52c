"""Thousands of requests: each is answered, and nothing of them is left."""

import json
import re
import selectors
import socket

import pytest
from alone import Alone
from load_requests import OWN, Ask
from load_site import PATIENCE, ask_for, connect, is_served, read_all, read_until

BATCH = 50
"""Requests in flight on one connection: few enough for the buffers of sockets to take both ways."""


def flood(url: str, body: bytes, count: int, headers: str = "") -> int:
    """Sends that many requests over one connection, in batches; gives how many were answered with a 200."""
    request, answered = ask_for(url, headers=headers, body=body), 0
    with connect(url) as connection:
        for _ in range(count // BATCH):
            connection.sendall(request * BATCH)
            answered += read_answers(connection, BATCH)
    return answered


def read_answers(connection: socket.socket, count: int) -> int:
    """Reads that many answers of a stated length; gives how many were a 200."""
    buffer, good = b"", 0
    for _ in range(count):
        while (end := buffer.find(b"\r\n\r\n")) < 0:
            buffer += receive(connection)
        length = re.search(rb"content-length: (\d+)", buffer[:end])
        assert length is not None
        whole = end + 4 + int(length.group(1))
        while len(buffer) < whole:
            buffer += receive(connection)
        good += buffer.startswith(b"HTTP/1.1 200")
        buffer = buffer[whole:]
    assert buffer == b""
    return good


def receive(connection: socket.socket) -> bytes:
    received = connection.recv(65536)
    assert received, "the server has closed the connection"
    return received


def test_flood_over_few_connections_leaves_nothing(alone: Alone) -> None:
    count, url = 4000, alone.urls["constant"]
    sizes = []
    for _ in range(3):
        assert sum(flood(url, b"{}" * 500, count // 4) for _ in range(4)) == count
        sizes.append(alone.memory())

    # The first flood warms up; 8,000 requests of a kilobyte after it leave less than 0.1 KB each.
    assert sizes[2] - sizes[0] < 1
    assert is_served(url)


@pytest.mark.parametrize("ask", OWN, ids=[ask.wire.name for ask in OWN])
def test_wires_keep_nothing_of_requests_that_all_differ(ask: Ask, alone: Alone) -> None:
    """Names, ids and texts come from clients: caches of them are bounded."""
    url = alone.urls[ask.wire.name] + ask.path
    headers = "".join(f"{name}: {value}\r\n" for name, value in ask.headers.items())
    sizes = []
    for turn in range(3):
        with connect(url) as connection:
            for number in range(300):
                unknown = f"x{turn}-{number}" + "x" * 10_000
                body = {**ask.body, "model": unknown, unknown: 1}
                connection.sendall(ask_for(url, headers=headers, body=json.dumps(body).encode()))
                read_answers(connection, 1)
        sizes.append(alone.memory())

    # 600 names of 10 KB, kept once, would be 6 MB.
    assert sizes[2] - sizes[0] < 2


def test_many_connections_at_once_are_all_answered(alone: Alone) -> None:
    url, count = alone.urls["constant"], 400
    assert is_served(url)
    descriptors, threads = alone.descriptors(), alone.threads()
    connections = [socket.create_connection(address(url), timeout=PATIENCE) for _ in range(count)]
    for connection in connections:
        connection.sendall(ask_for(url))
    answers = [read_until(connection, b"{}") for connection in connections]
    for connection in connections:
        connection.close()

    assert sum(answer.startswith(b"HTTP/1.1 200") for answer in answers) == count
    assert alone.closes_all_but(descriptors)
    assert alone.threads() == threads


def address(url: str) -> tuple[str, int]:
    host, port = url.split("/")[2].split(":")
    return host, int(port)


def test_client_that_only_writes_is_held_back(alone: Alone) -> None:
    """It pipelines requests and reads no answer: sooner or later the server reads no more of them."""
    url = alone.urls["stream"]
    request = ask_for(url, body=b"x" * 10_000) * 10
    assert is_served(alone.urls["constant"])
    before, sent = alone.memory(), 0
    with connect(url) as connection, selectors.DefaultSelector() as selector:
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_WRITE)
        while sent < 50_000_000 and selector.select(timeout=1):
            sent += connection.send(request)

        assert sent < 50_000_000
        assert alone.memory() - before < 10
        assert is_served(alone.urls["constant"])


def test_pipelined_flood_is_answered_in_order(alone: Alone) -> None:
    url = alone.urls["constant"]
    with connect(url) as connection:
        connection.sendall(ask_for(url) * 200 + ask_for(url, headers="connection: close\r\n"))
        received = read_all(connection)

    assert received.count(b"HTTP/1.1 200") == 201
