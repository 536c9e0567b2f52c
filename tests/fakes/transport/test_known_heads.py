import gzip
import itertools

import pytest

from fake_providers.transport.request_reader import MOST_UNUSED, RawRequest, RequestReader

HOST = b"POST /v1/messages HTTP/1.1\r\nHost: a\r\n"
HEADS = {
    "plain": HOST + b"Content-Length: %d\r\nx-api-key: k\r\n\r\n",
    "length last": HOST + b"Accept: */*\r\ncontent-length:%d\r\n\r\n",
    "spaces": HOST + b"content-length: \t%d \r\n\r\n",
    "keep-alive": HOST + b"Connection: keep-alive\r\nContent-Length: %d\r\n\r\n",
    "compressed": HOST + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n",
    "a length in a value": HOST + b"x-note: content-length: 7\r\nContent-Length: %d\r\n\r\n",
    "twice": HOST + b"accept: a\r\nAccept: b\r\nContent-Length: %d\r\n\r\n",
    "two hosts": HOST + b"host: b\r\nContent-Length: %d\r\n\r\n",
    "closing": HOST + b"Connection: close\r\nContent-Length: %d\r\n\r\n",
    "expecting": HOST + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n",
    "upgrading": HOST + b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: %d\r\n\r\n",
    "HTTP/1.0": HOST.replace(b"1.1", b"1.0") + b"Content-Length: %d\r\n\r\n",
}
BODIES = (b"{}", b'{"model": "m"}', b"", b"\r\n\r\ncontent-length: 4\r\n\r\n", b"12345678901")


def read(reader: RequestReader, *data: bytes) -> list[RawRequest]:
    found = []
    for part in data:
        reader.feed(part)
        found += [reader.pending.popleft() for _ in range(len(reader.pending))]
    return found


def new_reader(expected: list[str] | None = None) -> RequestReader:
    return RequestReader(lambda: expected is not None and expected.append("100"))


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_request_is_read_the_same_after_others_of_its_head(head: bytes) -> None:
    is_last = read(new_reader(), head % 0)[0].is_last
    expected: list[str] = []
    expected_by_itself: list[str] = []
    reader = new_reader(expected)
    for body in BODIES if not is_last else BODIES[:1]:
        sent = head % len(body) + body

        (found,) = read(reader, sent)

        assert found == read(new_reader(expected_by_itself), sent)[0]
        assert expected == expected_by_itself
        found.headers.clear()  # its reader may change it


@pytest.mark.parametrize(
    ("name", "following"),
    [
        ("in two parts", (HEADS["plain"] % 3, b"abc")),
        ("cut within the length", (HOST + b"Content-Length: 1", b"1\r\nx-api-key: k\r\n\r\n12345678901")),
        ("longer than its length", (HEADS["plain"] % 2 + b"{}" + HEADS["plain"] % 3 + b"abc",)),
        ("with another header", ((HEADS["plain"] % 2).replace(b"x-api-key: k", b"x-api-key: l") + b"{}",)),
        ("without a number", (HEADS["plain"].replace(b"%d", b"+2") + b"{}",)),
        ("of another kind", (b"GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n",)),
        ("no HTTP", (b"\x16\x03\x01",)),
    ],
)
def test_what_follows_a_request_is_read_as_by_itself(name: str, following: tuple[bytes, ...]) -> None:
    first, fresh = new_reader(), new_reader()
    read(first, *[HEADS["plain"] % 2 + b"{}"] * 2)

    assert read(first, *following) == read(fresh, *following)
    assert first.refusal == fresh.refusal


def test_head_that_comes_again_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    parse = RequestReader._parse
    monkeypatch.setattr(RequestReader, "_parse", lambda self, data: parsed.append(data) or parse(self, data))
    reader = new_reader()

    read(reader, *[HEADS["plain"] % len(body) + body for body in BODIES * 3])

    assert len(parsed) == 1


def test_heads_that_never_come_again_are_not_kept() -> None:
    reader = new_reader()
    numbers = itertools.count()

    read(reader, *[HOST + b"x-id: %d\r\nContent-Length: 2\r\n\r\n{}" % next(numbers) for _ in range(9)])

    assert reader._known is not None
    assert b"x-id: %d\r\n" % (MOST_UNUSED - 1) in reader._known.before


def test_compressed_bodies_with_one_head_are_all_decoded() -> None:
    reader = new_reader()
    head, body = HEADS["compressed"], gzip.compress(b"{}")

    for found in read(reader, *[head % len(body) + body] * 3):
        assert found.headers.pop("content-encoding") == "gzip"


@pytest.mark.parametrize("name", ["closing", "HTTP/1.0"])
def test_nothing_is_read_behind_a_request_that_closes(name: str) -> None:
    sent = HEADS[name] % 2 + b"{}"

    assert len(read(new_reader(), sent, sent)) == 1
