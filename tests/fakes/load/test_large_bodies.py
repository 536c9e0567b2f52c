"""Bodies of fifty megabytes and compression bombs: judged or refused, with memory of a small multiple of their size."""

import gzip
import json
import zlib

import httpx2
import pytest
from load_requests import OWN, OWN_NAMES, LoadRequest
from load_site import connect, is_served, read_all, request_bytes
from separate_server import SeparateServer

from fake_providers.transport.framing import LIMIT
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

MEGABYTE = 1_000_000
SIZE = 50 * MEGABYTE
MEMORY_FACTOR = 6
"""The most bytes of memory for each byte of a large body: the body, its text, its values, and copies."""

STATUS = {
    "openai-chat": 400,
    "openai-responses": 400,
    "anthropic-messages": 413,
    "gemini-generate": 200,
    "ollama-chat": 200,
    "bedrock-converse": 400,
    "cohere-chat": 200,
}
"""The status for one text of fifty megabytes: OpenAI and Claude on Bedrock refuse the text, Anthropic the request."""


def post(url: str, load_request: LoadRequest, body: bytes, **headers: str) -> httpx2.Response:
    with httpx2.Client(trust_env=False, verify=False, timeout=PATIENCE) as client:
        return client.post(url + load_request.path, content=body, headers={**load_request.headers, **headers})


@pytest.mark.parametrize("load_request", OWN, ids=OWN_NAMES)
def test_large_bodies_are_judged_in_bounded_memory(load_request: LoadRequest, separate_server: SeparateServer) -> None:
    url = separate_server.urls[load_request.wire.name]
    assert post(url, load_request, load_request.content).status_code == 200
    before = separate_server.resident()
    text = json.dumps(load_request.with_text("x" * SIZE)).encode()
    answers = [post(url, load_request, body).status_code for body in (text, b"\xff" * SIZE, b"[" * SIZE)]

    garbage = 413 if load_request.provider == "anthropic" else 400
    assert answers == [STATUS[load_request.wire.name], garbage, garbage]
    assert (separate_server.peak() - before) * MEGABYTE < MEMORY_FACTOR * SIZE
    assert is_served(separate_server.urls["constant"])
    assert post(url, load_request, load_request.content).status_code == 200


@pytest.mark.parametrize("load_request", OWN, ids=OWN_NAMES)
def test_many_small_messages_are_judged_in_bounded_memory(
    load_request: LoadRequest, separate_server: SeparateServer
) -> None:
    """Values take more memory than one long text: a message of 40 bytes takes half a kilobyte in Python."""
    url, listed = (
        separate_server.urls[load_request.wire.name],
        next(name for name in ("messages", "input", "contents") if name in load_request.body),
    )
    body = json.dumps({**load_request.body, listed: load_request.body[listed] * 20_000}).encode()
    before = separate_server.resident()
    answer = post(url, load_request, body)

    assert answer.status_code < 500
    assert (separate_server.peak() - before) * MEGABYTE < 60 * len(body)


def test_body_beyond_the_limit_is_not_kept(separate_server: SeparateServer) -> None:
    """Sent in chunks without a length. It is read to the end, because a client that is still writing would miss the
    refusal."""
    load_request, piece = OWN[0], b"x" * MEGABYTE
    before = separate_server.resident()
    with httpx2.Client(trust_env=False, verify=False, timeout=PATIENCE) as client:
        answer = client.post(
            separate_server.urls["constant"], content=(piece for _ in range(120)), headers=load_request.headers
        )

    assert answer.status_code == 413
    assert (separate_server.peak() - before) * MEGABYTE < 2.5 * LIMIT


def bomb(head: bytes) -> bytes:
    """A gigabyte of zeroes in a megabyte: the same ten megabytes a hundred times, compressed independently."""
    deflater = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return head + (deflater.compress(bytes(10 * MEGABYTE)) + deflater.flush(zlib.Z_FULL_FLUSH)) * 100


GZIP = bomb(gzip.compress(b"")[:10])
BOMBS = {"gzip": GZIP, "deflate": bomb(zlib.compress(b"")[:2]), "gzip, gzip": gzip.compress(GZIP)}


@pytest.mark.parametrize("encoding", BOMBS)
def test_bomb_is_refused_in_bounded_memory(encoding: str, separate_server: SeparateServer) -> None:
    assert is_served(separate_server.urls["constant"])
    before = separate_server.resident()
    answer = post(separate_server.urls["constant"], OWN[0], BOMBS[encoding], **{"content-encoding": encoding})

    assert len(BOMBS[encoding]) < 1.1 * MEGABYTE
    assert answer.status_code == 413
    assert (separate_server.peak() - before) * MEGABYTE < 2.5 * LIMIT


def test_stacked_encodings_are_refused_at_a_limit(separate_server: SeparateServer) -> None:
    body = b"{}"
    for _ in range(100):
        body = gzip.compress(body)
    answers = {
        count: post(
            separate_server.urls["constant"], OWN[0], body, **{"content-encoding": ", ".join(["gzip"] * count)}
        ).status_code
        for count in (100, 10_000)
    }

    assert answers[100] in (200, 400, 415)
    assert answers[10_000] in (400, 415, 431)


@pytest.mark.parametrize("part", ["one-header", "many-headers", "request-line"])
def test_endless_head_is_refused(part: str, separate_server: SeparateServer) -> None:
    url = separate_server.urls["constant"]
    assert is_served(url)
    before = separate_server.memory()
    line = {"one-header": b"x" * 65536, "many-headers": b"x: " + b"y" * 65531 + b"\r\n", "request-line": b"x" * 65536}
    start = request_bytes(url).partition(b"\r\n")[0]
    with connect(url) as connection:
        connection.sendall(
            start[:-9] if part == "request-line" else start + b"\r\nx: y" + b"\r\n" * (part == "many-headers")
        )
        sent = 0
        try:
            while sent < 2000:
                connection.sendall(line[part])
                sent += 1
            received = read_all(connection)
        except ConnectionError:
            received = b""

    assert sent < 2000
    assert received == b"" or received.startswith((b"HTTP/1.1 431", b"HTTP/1.1 400"))
    assert separate_server.memory() - before < 20
    assert is_served(url)
