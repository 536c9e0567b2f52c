"""Compressed and oversized request bodies."""

import gzip
import json
import zlib
from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest
from transport_doubles import Answering, Client, Site, open_site

from fake_providers.http import json_response
from fake_providers.transport.framing import LIMIT, UnreadableRequest, decode_body

PLAIN = b'{"model": "gpt-5"}' * 50


def raw_deflate(body: bytes) -> bytes:
    deflater = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return deflater.compress(body) + deflater.flush()


ENCODED = {
    "gzip": gzip.compress(PLAIN),
    "x-gzip": gzip.compress(PLAIN),
    "GZip": gzip.compress(PLAIN),
    "deflate": zlib.compress(PLAIN),
    "identity": PLAIN,
    "deflate, gzip": gzip.compress(zlib.compress(PLAIN)),
    "gzip, identity": gzip.compress(PLAIN),
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_known_encodings_are_decoded(encoding: str) -> None:
    assert decode_body(ENCODED[encoding], encoding) == PLAIN


def test_deflate_without_the_zlib_header_is_decoded() -> None:
    assert decode_body(raw_deflate(PLAIN), "deflate") == PLAIN


@pytest.mark.parametrize(
    ("body", "encoding", "status"),
    [
        (b"", "br", 415),
        (b"", "zstd, gzip", 400),
        (PLAIN, "gzip", 400),
        (PLAIN, "deflate", 400),
        (gzip.compress(PLAIN)[:-9], "gzip", 400),
        (gzip.compress(bytes(LIMIT + 1)), "gzip", 413),
    ],
    # Not the bodies: gzip writes the time into them, and xdist wants the same names from every worker.
    ids=["brotli", "damaged-before-an-unknown", "no-gzip", "no-deflate", "too-short", "bomb"],
)
def test_other_bodies_are_refused(body: bytes, encoding: str, status: int) -> None:
    with pytest.raises(UnreadableRequest) as caught:
        decode_body(body, encoding)

    assert caught.value.status == status


def test_body_at_the_limit_is_accepted() -> None:
    assert len(decode_body(gzip.compress(bytes(LIMIT)), "gzip")) == LIMIT


def test_handler_sees_the_decoded_body(site: Site, client: Client) -> None:
    handler = Answering(json_response(200, {}))
    client.send(site.place(handler), content=ENCODED["gzip"], headers={"content-encoding": "gzip"})

    assert handler.requests[0].body == PLAIN
    assert "content-encoding" not in handler.requests[0].headers


def test_unknown_encoding_is_a_415_without_the_handler(site: Site, client: Client) -> None:
    handler = Answering(json_response(200, {}))
    received = client.send(site.place(handler), content=b"x", headers={"content-encoding": "br"})

    assert received.status == 415
    assert "br" in json.loads(received.body)["error"]["message"]
    assert handler.requests == []
    assert site.errors == []


@pytest.mark.parametrize(("size", "status"), [(5_000_000, 200), (LIMIT, 200), (LIMIT + 1, 413)])
def test_size_of_a_body_decides(size: int, status: int, site: Site) -> None:
    import httpx2

    handler = Answering(json_response(200, {}))
    received = Client(httpx2, is_async=False).send(site.place(handler), content=bytes(size))

    assert received.status == status
    assert [len(request.body) for request in handler.requests] == [size] * (status == 200)


@pytest.mark.parametrize("is_async", [False, True])
def test_endless_body_in_process_is_read_to_the_limit(is_async: bool) -> None:
    read = []

    def pieces() -> Iterator[bytes]:
        while True:
            read.append(len(piece))
            yield piece

    async def async_pieces() -> AsyncIterator[bytes]:
        for one in pieces():
            yield one

    handler, piece = Answering(json_response(200, {})), bytes(1_000_000)
    with open_site("process") as site:
        client = Client(httpx2, is_async=is_async)
        received = client.send(site.place(handler), content=async_pieces() if is_async else pieces())

    assert received.status == 413
    assert sum(read) <= LIMIT + len(piece)
    assert handler.requests == []


@pytest.mark.parametrize("is_async", [False, True])
def test_body_in_pieces_arrives_whole(is_async: bool, site: Site) -> None:
    async def async_pieces() -> AsyncIterator[bytes]:
        yield b"one, "
        yield b"two"

    handler = Answering(json_response(200, {}))
    content = async_pieces() if is_async else iter([b"one, ", b"two"])
    Client(httpx2, is_async=is_async).send(site.place(handler), content=content)

    assert [request.body for request in handler.requests] == [b"one, two"]
