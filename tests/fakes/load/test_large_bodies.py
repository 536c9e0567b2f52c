"""Bodies of fifty megabytes and bombs: judged or refused, in memory that is a small multiple of what was sent."""

import gzip
import json
import zlib

import httpx2
import pytest
from alone import Alone
from load_requests import OWN, OWN_NAMES, Ask
from load_site import ask_for, connect, is_served, read_all

from fakes.transport.decoding import LIMIT

pytestmark = pytest.mark.slow

MEGABYTE = 1_000_000
SIZE = 50 * MEGABYTE
TIMES = 6
"""Bytes of memory for each byte of a large body, at the worst of it: the body, its text, its values, and copies."""

STATUS = {
    "openai-chat": 400,
    "openai-responses": 400,
    "anthropic-messages": 413,
    "gemini-generate": 200,
    "ollama-chat": 200,
}
"""For one text of fifty megabytes: OpenAI says that it is too long, and Anthropic takes no such request."""


def post(url: str, ask: Ask, body: bytes, **headers: str) -> httpx2.Response:
    with httpx2.Client(trust_env=False, verify=False, timeout=50) as client:
        return client.post(url + ask.path, content=body, headers={**ask.headers, **headers})


@pytest.mark.parametrize("ask", OWN, ids=OWN_NAMES)
def test_large_bodies_are_judged_in_bounded_memory(ask: Ask, alone: Alone) -> None:
    url = alone.urls[ask.wire.name]
    assert post(url, ask, ask.content).status_code == 200
    before = alone.memory()
    text = json.dumps(ask.with_text("x" * SIZE)).encode()
    answers = [post(url, ask, body).status_code for body in (text, b"\xff" * SIZE, b"[" * SIZE)]

    garbage = 413 if ask.provider == "anthropic" else 400
    assert answers == [STATUS[ask.wire.name], garbage, garbage]
    assert (alone.peak() - before) * MEGABYTE < TIMES * SIZE
    assert is_served(alone.urls["constant"])
    assert post(url, ask, ask.content).status_code == 200


@pytest.mark.parametrize("ask", OWN, ids=OWN_NAMES)
def test_many_small_messages_are_judged_in_bounded_memory(ask: Ask, alone: Alone) -> None:
    """Values take more memory than one long text: a message of 40 bytes is half a kilobyte of Python."""
    url, listed = (
        alone.urls[ask.wire.name],
        next(name for name in ("messages", "input", "contents") if name in ask.body),
    )
    body = json.dumps({**ask.body, listed: ask.body[listed] * 20_000}).encode()
    before = alone.memory()
    answer = post(url, ask, body)

    assert answer.status_code < 500
    assert (alone.peak() - before) * MEGABYTE < 60 * len(body)


def test_body_beyond_the_limit_is_not_kept(alone: Alone) -> None:
    """Sent in chunks, without a length: it is read to its end, as a client that still writes would miss the refusal."""
    ask, piece = OWN[0], b"x" * MEGABYTE
    before = alone.memory()
    with httpx2.Client(trust_env=False, verify=False, timeout=50) as client:
        answer = client.post(alone.urls["constant"], content=(piece for _ in range(120)), headers=ask.headers)

    assert answer.status_code == 413
    assert (alone.peak() - before) * MEGABYTE < 2.5 * LIMIT


def bomb(head: bytes) -> bytes:
    """A gigabyte of zeroes in a megabyte: a hundred times the same ten megabytes, which know nothing of each other."""
    deflater = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return head + (deflater.compress(bytes(10 * MEGABYTE)) + deflater.flush(zlib.Z_FULL_FLUSH)) * 100


GZIP = bomb(gzip.compress(b"")[:10])
BOMBS = {"gzip": GZIP, "deflate": bomb(zlib.compress(b"")[:2]), "gzip, gzip": gzip.compress(GZIP)}


@pytest.mark.parametrize("encoding", BOMBS)
def test_bomb_is_refused_in_bounded_memory(encoding: str, alone: Alone) -> None:
    assert is_served(alone.urls["constant"])
    before = alone.memory()
    answer = post(alone.urls["constant"], OWN[0], BOMBS[encoding], **{"content-encoding": encoding})

    assert len(BOMBS[encoding]) < 1.1 * MEGABYTE
    assert answer.status_code == 413
    assert (alone.peak() - before) * MEGABYTE < 2.5 * LIMIT


def test_encodings_over_encodings_end(alone: Alone) -> None:
    body = b"{}"
    for _ in range(100):
        body = gzip.compress(body)
    answers = {
        count: post(
            alone.urls["constant"], OWN[0], body, **{"content-encoding": ", ".join(["gzip"] * count)}
        ).status_code
        for count in (100, 10_000)
    }

    assert answers[100] in (200, 400, 415)
    assert answers[10_000] in (400, 415, 431)


@pytest.mark.parametrize("part", ["one-header", "many-headers", "request-line"])
def test_head_without_an_end_is_refused(part: str, alone: Alone) -> None:
    url = alone.urls["constant"]
    assert is_served(url)
    before = alone.memory()
    line = {"one-header": b"x" * 65536, "many-headers": b"x: " + b"y" * 65531 + b"\r\n", "request-line": b"x" * 65536}
    start = ask_for(url).partition(b"\r\n")[0]
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
    assert alone.memory() - before < 20
    assert is_served(url)
