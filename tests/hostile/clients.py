"""Kinds of HTTP clients that are hostile, each a function that abuses a server and says what must come of it.

They speak in bytes: a client library would refuse to send most of it.
"""

import gzip
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

PATIENCE = 60.0
"""Seconds that no answer takes, also on a machine that does much else."""
CHAT = json.dumps({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi."}]}).encode()
STREAM = CHAT[:-1] + b', "stream": true}'
CLOSE = "connection: close"
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Target:
    """A fake of OpenAI at `http://127.0.0.1:<port><prefix>`."""

    port: int
    prefix: str

    @property
    def path(self) -> str:
        return f"{self.prefix}/v1/chat/completions"

    @contextmanager
    def connected(self) -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            yield connection

    def head(self, *lines: str, start: str = "", key: str = "authorization: Bearer any") -> bytes:
        first = start or f"POST {self.path} HTTP/1.1"
        return "\r\n".join((first, f"host: 127.0.0.1:{self.port}", key, *lines, "", "")).encode("latin-1")

    def request(self, body: bytes = CHAT, *lines: str) -> bytes:
        return self.head(f"content-length: {len(body)}", "content-type: application/json", *lines) + body

    def statuses(self, *pieces: bytes) -> list[int]:
        """Of all answers on one connection, until the server closes it."""
        with self.connected() as connection:
            try:
                for piece in pieces:
                    connection.sendall(piece)
            except OSError:  # it has closed the connection already, and may have answered before
                pass
            return statuses_of(read_all(connection))

    def is_served(self) -> bool:
        return self.statuses(self.request(CHAT, CLOSE)) == [200]


def read_all(connection: socket.socket) -> bytes:
    received = b""
    try:
        while more := connection.recv(65536):
            received += more
    except ConnectionError:
        pass
    return received


def statuses_of(received: bytes) -> list[int]:
    """Of the answers in these bytes, by their lengths: a body may look like an answer."""
    found = []
    while received.startswith(b"HTTP/1.1 "):
        head, _, rest = received.partition(b"\r\n\r\n")
        found.append(int(head[9:12]))
        lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        if b"content-length" not in lines:
            break
        received = rest[int(lines[b"content-length"]) :]
    return found


Kind = Callable[[Target], None]
KINDS: dict[str, Kind] = {}


def client(abuse: Kind) -> Kind:
    KINDS[abuse.__name__] = abuse
    return abuse


# Bytes that are no request.


@client
def speaks_tls(target: Target) -> None:
    assert target.statuses(bytes.fromhex("160301020001000001fc0303") + bytes(500)) == [400]


@client
def speaks_http_2(target: Target) -> None:
    assert target.statuses(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)) in ([400], [404], [505])


@client
def sends_random_bytes(target: Target) -> None:
    assert target.statuses(bytes(range(255, -1, -1)) * 100) == [400]


@client
def sends_line_breaks_alone(target: Target) -> None:
    with target.connected() as connection:
        connection.sendall(b"\r\n" * 100_000)


@client
def sends_nothing(target: Target) -> None:
    with target.connected():
        pass


@client
def ends_lines_with_a_line_feed(target: Target) -> None:
    assert target.statuses(target.request(CHAT, CLOSE).replace(b"\r\n", b"\n")) in ([400], [200])


@client
def leaves_out_the_version(target: Target) -> None:
    assert target.statuses(f"POST {target.path}\r\n\r\n".encode()) in ([400], [401], [404])


@client
def speaks_a_version_to_come(target: Target) -> None:
    assert target.statuses(target.head(CLOSE, start=f"POST {target.path} HTTP/9.9")) in ([400], [505])


# Framing.


@client
def has_two_lengths(target: Target) -> None:
    assert target.statuses(target.head("content-length: 2", "content-length: 3") + b"{}") == [400]


@client
def has_a_list_of_lengths(target: Target) -> None:
    assert target.statuses(target.head("content-length: 2, 2") + b"{}") == [400]


@client
def has_a_negative_length(target: Target) -> None:
    assert target.statuses(target.head("content-length: -1")) == [400]


@client
def has_a_length_beyond_all_numbers(target: Target) -> None:
    assert target.statuses(target.head(f"content-length: {'9' * 100}")) == [400]


@client
def smuggles_behind_a_length(target: Target) -> None:
    """A server that reads the length sees one request, and one that reads the chunks sees two."""
    hidden = target.request(CHAT, CLOSE)
    lines = (f"content-length: {len(hidden) + 5}", "transfer-encoding: chunked")
    assert target.statuses(target.head(*lines) + b"0\r\n\r\n" + hidden) == [400]


@client
def smuggles_in_a_coding_of_other_spelling(target: Target) -> None:
    for coding in ("xchunked", "chunked, identity", "\x0bchunked", "chunked\x00", "identity, chunked, identity"):
        found = target.statuses(target.head(f"transfer-encoding: {coding}", CLOSE) + b"2\r\n{}\r\n0\r\n\r\n")
        assert found == [400], coding


@client
def sends_chunks_without_a_size(target: Target) -> None:
    assert target.statuses(target.head("transfer-encoding: chunked") + b"\r\n{}\r\n0\r\n\r\n") == [400]


@client
def sends_a_chunk_of_endless_size(target: Target) -> None:
    assert target.statuses(target.head("transfer-encoding: chunked") + b"f" * 1000 + b"\r\n") == [400]


@client
def sends_a_million_chunks_of_a_byte(target: Target) -> None:
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in CHAT) + b"1\r\n \r\n" * 100_000 + b"0\r\n\r\n"
    assert target.statuses(target.head("transfer-encoding: chunked", CLOSE) + chunks) == [200]


@client
def sends_endless_trailers(target: Target) -> None:
    head = target.head("transfer-encoding: chunked") + b"2\r\n{}\r\n0\r\n"
    assert target.statuses(head + (b"x: " + b"y" * 100 + b"\r\n") * 30_000) in ([400], [431], [])


@client
def folds_a_header(target: Target) -> None:
    assert target.statuses(target.head("x: a\r\n b", CLOSE)) == [400]


@client
def puts_a_space_before_the_colon(target: Target) -> None:
    assert target.statuses(target.head("content-length : 2", CLOSE) + b"{}") == [400]


@client
def puts_control_characters_into_a_header(target: Target) -> None:
    for value in ("a\x00b", "a\rb", "a\x7fb", "\x1b[31m"):
        assert target.statuses(target.head(f"x: {value}", "content-length: 2", CLOSE) + b"{}") in ([400], [200])


# Sizes.


@client
def sends_a_huge_header(target: Target) -> None:
    assert target.statuses(target.head(f"x: {'y' * 2 * MEGABYTE}", CLOSE)) in ([431], [])


@client
def sends_a_hundred_thousand_headers(target: Target) -> None:
    assert target.statuses(target.head(*("x: y",) * 300_000, CLOSE)) in ([431], [])


@client
def sends_a_huge_target(target: Target) -> None:
    assert target.statuses(target.head(CLOSE, start=f"POST /{'x' * 2 * MEGABYTE} HTTP/1.1")) in ([431], [414], [])


@client
def sends_a_body_beyond_the_limit(target: Target) -> None:
    size = 60 * MEGABYTE
    assert target.statuses(target.head(f"content-length: {size}", CLOSE), *[bytes(MEGABYTE)] * 60) == [413]


@client
def sends_deep_json(target: Target) -> None:
    assert target.statuses(target.request(b"[" * MEGABYTE, CLOSE)) == [400]


def bomb(head: bytes) -> bytes:
    """A gigabyte of zeroes: one megabyte a thousand times, compressed independently."""
    deflater = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return head + (deflater.compress(bytes(MEGABYTE)) + deflater.flush(zlib.Z_FULL_FLUSH)) * 1000


@client
def sends_a_gzip_bomb(target: Target) -> None:
    body = bomb(gzip.compress(b"")[:10])
    assert target.statuses(target.request(body, CLOSE, "content-encoding: gzip")) == [413]


@client
def sends_a_bomb_of_deflate(target: Target) -> None:
    body = bomb(zlib.compress(b"")[:2])
    assert target.statuses(target.request(body, CLOSE, "content-encoding: deflate")) == [413]


@client
def sends_a_bomb_in_a_bomb(target: Target) -> None:
    body = gzip.compress(bomb(gzip.compress(b"")[:10]))
    assert target.statuses(target.request(body, CLOSE, "content-encoding: gzip, gzip")) == [413]


@client
def names_a_thousand_encodings(target: Target) -> None:
    encodings = ", ".join(["gzip"] * 10_000)
    assert target.statuses(target.request(CHAT, CLOSE, f"content-encoding: {encodings}")) in ([400], [415])


@client
def says_gzip_of_what_is_none(target: Target) -> None:
    assert target.statuses(target.request(CHAT, CLOSE, "content-encoding: gzip")) == [400]


# Time.


@client
def sends_a_byte_at_a_time(target: Target) -> None:
    with target.connected() as connection:
        for byte in target.request(CHAT, CLOSE):
            connection.sendall(bytes([byte]))
        assert statuses_of(read_all(connection)) == [200]


@client
def never_ends_its_head(target: Target) -> None:
    """A hundred of them, while somebody else is answered."""
    open_ones = [socket.create_connection(("127.0.0.1", target.port), timeout=PATIENCE) for _ in range(100)]
    for connection in open_ones:
        connection.sendall(target.head()[:-2] + b"x: ")
    assert target.is_served()
    for connection in open_ones:
        connection.close()


@client
def never_ends_its_body(target: Target) -> None:
    open_ones = [socket.create_connection(("127.0.0.1", target.port), timeout=PATIENCE) for _ in range(100)]
    for connection in open_ones:
        connection.sendall(target.head("content-length: 1000") + b"{")
    assert target.is_served()
    for connection in open_ones:
        connection.close()


@client
def aborts_its_uploads(target: Target) -> None:
    for size in range(100):
        with target.connected() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            connection.sendall(target.head("content-length: 1000000") + b"x" * size * 100)


@client
def leaves_in_the_middle_of_its_answers(target: Target) -> None:
    for _ in range(100):
        with target.connected() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            connection.sendall(target.request(STREAM))
            connection.recv(1)


@client
def never_reads(target: Target) -> None:
    """It pipelines until the server reads no more; others are answered meanwhile."""
    with target.connected() as connection:
        connection.setblocking(False)
        request, sent, until = target.request(STREAM), 0, time.monotonic() + 2
        while time.monotonic() < until and sent < 50 * MEGABYTE:
            try:
                sent += connection.send(request * 10)
            except BlockingIOError:
                time.sleep(0.01)
        assert sent < 50 * MEGABYTE
        assert target.is_served()


@client
def half_closes(target: Target) -> None:
    with target.connected() as connection:
        connection.sendall(target.request())
        connection.shutdown(socket.SHUT_WR)
        assert statuses_of(read_all(connection)) == [200]


@client
def waits_to_be_told_to_continue(target: Target) -> None:
    with target.connected() as connection:
        connection.sendall(target.head(f"content-length: {len(CHAT)}", "expect: 100-continue", CLOSE))
        assert connection.recv(1000).startswith(b"HTTP/1.1 100")
        connection.sendall(CHAT)
        assert statuses_of(read_all(connection)) == [200]


@client
def expects_what_nobody_knows(target: Target) -> None:
    assert target.statuses(target.request(CHAT, "expect: 200-ok", CLOSE)) in ([200], [417])


# Many at once.


@client
def pipelines(target: Target) -> None:
    assert target.statuses(target.request() * 200 + target.request(CHAT, CLOSE)) == [200] * 201


@client
def pipelines_a_wrong_one_in_the_middle(target: Target) -> None:
    found = target.statuses(target.request() * 3 + target.request(b"{}") + target.request() + b"\x00\xff\r\n\r\n")
    assert found == [200, 200, 200, 400, 200, 400]


@client
def sends_three_thousand_requests(target: Target) -> None:
    for _ in range(30):
        assert target.statuses(target.request() * 99 + target.request(CHAT, CLOSE)) == [200] * 100


@client
def connects_four_hundred_times(target: Target) -> None:
    open_ones = [socket.create_connection(("127.0.0.1", target.port), timeout=PATIENCE) for _ in range(400)]
    for connection in open_ones:
        connection.sendall(target.request(CHAT, CLOSE))
    found = [statuses_of(read_all(connection)) for connection in open_ones]
    for connection in open_ones:
        connection.close()
    assert found == [[200]] * 400


@client
def sends_from_fifty_threads(target: Target) -> None:
    barrier = threading.Barrier(50)

    def one(number: int) -> list[int]:
        barrier.wait(PATIENCE)
        return target.statuses(target.request(CHAT, CLOSE))

    with ThreadPoolExecutor(50) as pool:
        assert list(pool.map(one, range(50))) == [[200]] * 50


# Requests that are none of a model.


@client
def uses_absurd_methods(target: Target) -> None:
    for method in ("BREW", "x", "GET\x01", "POST" * 1000, "get", "CONNECT", "TRACE", "M-SEARCH"):
        found = target.statuses(target.head(CLOSE, start=f"{method} {target.path} HTTP/1.1"))
        assert found in ([400], [404], [405], [501]), method


@client
def climbs_out_of_its_path(target: Target) -> None:
    for path in (
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "//etc/passwd",
        "/\\..\\",
        "/%00",
        "/%",
        "/" + "a/" * 9000,
    ):
        found = target.statuses(target.head(CLOSE, start=f"GET {target.prefix}{path} HTTP/1.1"))
        assert found in ([404], [400]), path


@client
def asks_for_another_server(target: Target) -> None:
    for start in ("GET http://example.com/ HTTP/1.1", "CONNECT example.com:443 HTTP/1.1", "OPTIONS * HTTP/1.1"):
        assert target.statuses(target.head(CLOSE, start=start)) in ([404], [400], [403], [405], [421]), start


@client
def comes_as_another_host(target: Target) -> None:
    """A page whose name was bound to loopback: there is nothing to take, and nothing fails."""
    request = target.request(CHAT, CLOSE, "origin: https://example.com")
    found = target.statuses(request.replace(b"127.0.0.1", b"example.com", 1))
    assert found in ([200], [400], [403], [421])


@client
def comes_without_a_host(target: Target) -> None:
    assert target.statuses(target.request(CHAT, CLOSE).replace(b"host: ", b"x: ", 1)) == [400]


@client
def comes_as_two_hosts(target: Target) -> None:
    assert target.statuses(target.request(CHAT, CLOSE, "host: example.com")) == [400]


@client
def wants_a_websocket(target: Target) -> None:
    lines = ("upgrade: websocket", "connection: Upgrade", "sec-websocket-key: eA==", "sec-websocket-version: 13")
    with target.connected() as connection:
        connection.sendall(target.head(*lines, start=f"GET {target.path} HTTP/1.1"))
        assert connection.recv(1000).startswith(b"HTTP/1.1 4")


@client
def sends_a_body_with_get(target: Target) -> None:
    start = f"GET {target.path} HTTP/1.1"
    found = target.statuses(target.head(f"content-length: {len(CHAT)}", CLOSE, start=start) + CHAT)
    assert found in ([404], [405])
