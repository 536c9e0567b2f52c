"""What a connection reads, answers and does, call by call: requests as bytes, without a socket.

`raw_exchanges.json` has each. `./dev python -m tests.docs.regenerate --figures=rules` writes it anew. Look at each line
that it changes.
"""

import asyncio
import gzip
import json
import socket
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fake_providers import Request, Response
from fake_providers.http import json_response
from fake_providers.transport.answerer import Answerer, Mounts
from fake_providers.transport.connection import Connection

FILE = Path(__file__).with_name("raw_exchanges.json")
EVENTS = (("content-type", "text/event-stream"),)
RESPONSES: Mapping[str, Response] = {
    "json": json_response(200, {"a": 1}),
    "events": Response(200, EVENTS, (b"data: a\n\n", b"", b"data: b\n\n")),
    "one-event": Response(200, EVENTS, (b"data: a\n\n",)),
    "frames": Response(200, (("content-type", "application/vnd.amazon.eventstream"),), (b"frame",)),
    "lines": Response(200, (("content-type", "application/x-ndjson"),), (b"{}\n", b"{}\n")),
    "bare": Response(200, (), ()),
    "none": Response(204, (("x-a", "b"),), (b"never",)),
    "unchanged": Response(304, (), (b"never",)),
    "stated": Response(200, (("Content-Length", "9"),), (b"four",), cut=True),
    "whole": Response(200, (("Content-Length", "4"),), (b"four",)),
    "chunked": Response(200, (("Transfer-Encoding", "chunked"),), (b"four",)),
    "cut": Response(200, EVENTS, (b"data: a\n\n", b"data: b\n\n"), cut=True),
    "reset": Response(200, EVENTS, (b"data: a\n\n",), cut=True, loss="reset"),
    "no-head": Response(200, (), (), cut=True, headless=True),
    "no-head-reset": Response(200, (), (), cut=True, headless=True, loss="reset"),
    "large": Response(200, (), (b"x" * 40_000, b"y" * 40_000, b"z" * 10)),
    "odd-status": Response(299, (), (b"odd",)),
    "latin": Response(200, (("x-name", "Zürich"),), (b"a",)),
    "not-latin": Response(200, (("x-name", "日本"),), (b"a",)),
}
LONGEST = 600
"""Characters of a note; a longer one is kept without its middle."""
BUFFER = 65536


def get(name: str, *, version: bytes = b"1.1", start: bytes = b"GET", headers: bytes = b"host: h\r\n") -> bytes:
    return start + b" /TOKEN/" + name.encode() + b" HTTP/" + version + b"\r\n" + headers + b"\r\n"


def post(target: bytes, *headers: bytes, body: bytes = b"hi", version: bytes = b"1.1") -> bytes:
    lines = [b"POST " + target + b" HTTP/" + version, b"host: h", *headers, b"content-length: %d" % len(body)]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


CHUNKED = b"POST /TOKEN/a HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n3\r\n yo\r\n0\r\n"
UPGRADE = (b"connection: Upgrade, HTTP2-Settings", b"upgrade: h2c", b"http2-settings: AAMA")
REQUESTS: Mapping[str, tuple[bytes, ...]] = {
    **{f"the answer {name}": (get(name),) for name in RESPONSES},
    **{f"the answer {name} to HEAD": (get(name, start=b"HEAD"),) for name in ("json", "events", "stated")},
    **{f"the answer {name} in HTTP/1.0": (get(name, version=b"1.0"),) for name in ("json", "events", "large", "cut")},
    **{
        f"the answer {name} and a close": (get(name, headers=b"host: h\r\nconnection: close\r\n"),)
        for name in ("json", "events", "none")
    },
    "a body": (post(b"/TOKEN/a"),),
    "a body in chunks": (CHUNKED + b"\r\n",),
    "a body in chunks with trailers": (CHUNKED + b"x-sum: 1\r\n\r\n",),
    "trailers beyond the limit": (CHUNKED, b"x-sum: " + b"1" * 1_048_576 + b"\r\n\r\n"),
    "three at once": (post(b"/TOKEN/a") + post(b"/TOKEN/b") + get("json"),),
    "three at once, the second of which is streamed": (post(b"/TOKEN/a") + get("large") + get("json"),),
    "one, and one after a close": (post(b"/TOKEN/a", b"connection: close") + post(b"/TOKEN/b"),),
    "one, and one in the older version": (post(b"/TOKEN/a") + post(b"/TOKEN/b", version=b"1.0"),),
    "kept alive in the older version": (post(b"/TOKEN/a", b"connection: keep-alive", version=b"1.0"),),
    "no host": (get("json", headers=b""),),
    "no host in the older version": (get("json", headers=b"", version=b"1.0"),),
    "two hosts": (get("json", headers=b"host: h\r\nHost: i\r\n"),),
    "a target for a proxy": (post(b"http://h:80/TOKEN/a?b=c"),),
    "a target for a proxy without a path": (post(b"http://h:80"),),
    "a target of one star": (b"OPTIONS * HTTP/1.1\r\nhost: h\r\n\r\n",),
    "a fragment": (post(b"/TOKEN/a?b=c#d"),),
    "an empty query": (post(b"/TOKEN/a?"),),
    "a query without a path": (post(b"/TOKEN?b=c"),),
    "no path": (post(b"/TOKEN"),),
    "escapes": (post(b"/TOKEN/a%3Ab%2Fc%20d%7e?e=%3A"),),
    "long escapes": (post(b"/TOKEN/" + b"%3A" * 99),),
    "headers again": (post(b"/TOKEN/a", b"X-A: 1", b"x-b: 2", b"x-a: 3", b"X-A: 4"),),
    "a long header": (post(b"/TOKEN/a", b"X-A: " + b"v" * 300),),
    "a header in Latin-1": (post(b"/TOKEN/a", b"X-A: Z\xfcrich"),),
    "a body that is compressed": (post(b"/TOKEN/a", b"Content-Encoding: gzip", body=gzip.compress(b"hi", mtime=0)),),
    "a body that is not what it says": (post(b"/TOKEN/a", b"content-encoding: gzip"),),
    "a body that nobody knows": (post(b"/TOKEN/a", b"content-encoding: br"),),
    "a wait for a Continue": (post(b"/TOKEN/a", b"Expect: 100-Continue")[:-2], b"hi"),
    "a wait for something else": (post(b"/TOKEN/a", b"expect: 200-ok")[:-2], b"hi"),
    "a wait behind another": (post(b"/TOKEN/a") + post(b"/TOKEN/b", b"expect: 100-continue")[:-2], b"hi"),
    "an upgrade": (post(b"/TOKEN/a", *UPGRADE),),
    "an upgrade behind a wait": (post(b"/TOKEN/a", *UPGRADE, b"expect: 100-continue")[:-2], b"hi"),
    "an upgrade and another": (post(b"/TOKEN/a", *UPGRADE) + post(b"/TOKEN/b"),),
    "an upgrade and a close": (get("json", headers=b"host: h\r\nconnection: upgrade, close\r\nupgrade: h2c\r\n"),),
    "a tunnel": (b"CONNECT h:443 HTTP/1.1\r\nhost: h\r\n\r\n\x16\x03\x01",),
    "no HTTP": (b"\x16\x03\x01\x00\xa5",),
    "no HTTP after a request": (post(b"/TOKEN/a") + b"\x16\x03\x01\r\n\r\n",),
    "a head at the limit": (b"GET /TOKEN/json HTTP/1.1\r\nhost: h\r\nx: ", b"1" * (1_048_576 - 60), b"\r\n\r\n"),
    "a head beyond the limit": (b"GET /TOKEN/json HTTP/1.1\r\nhost: h\r\nx: ", b"1" * 1_048_577),
    "half a head": (b"POST /TOKEN/a HTTP/1.1\r\nhost: h\r\ncontent-le",),
    "another token": (post(b"/other/a"),),
    "a token that has ended": (post(b"/ENDED/a"),),
    "a handler that fails": (post(b"/TOKEN/KeyError"),),
    "a handler that exits": (post(b"/TOKEN/SystemExit"),),
}


class Remembering(asyncio.Transport):
    """Notes what is written, and what else is called."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[str] = []
        self._is_closed = False
        self._is_paused = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if data:
            self.notes.append(bytes(data).decode("latin-1"))

    def close(self) -> None:
        self._is_closed = True
        self.notes.append("(closed)")

    def abort(self) -> None:
        self._is_closed = True
        self.notes.append("(aborted)")

    def is_closing(self) -> bool:
        return self._is_closed

    def pause_reading(self) -> None:
        self._is_paused = True
        self.notes.append("(reading paused)")

    def resume_reading(self) -> None:
        if self._is_paused:
            self.notes.append("(reading resumed)")
        self._is_paused = False

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        assert name == "socket"
        return self

    def setsockopt(self, level: int, option: int, value: bytes) -> None:
        assert (level, option) == (socket.SOL_SOCKET, socket.SO_LINGER)
        self.notes.append(f"(lingers {struct.unpack('ii', value)})")


class Echo:
    """Answers by the last word of the path, and notes what it was asked."""

    def __init__(self, notes: list[str]) -> None:
        self._notes = notes

    def handle(self, request: Request) -> Response:
        name = request.path.rpartition("/")[2]
        self._notes.append(f"(asked) {request.method} {request.path} {dict(request.headers)} {request.body!r}")
        if name == "KeyError":
            raise KeyError("x")
        if name == "SystemExit":
            raise SystemExit(3)
        return RESPONSES.get(name, json_response(200, {"path": name}))


def exchange(pieces: tuple[bytes, ...]) -> list[str]:
    """What happens when these bytes come: what the handler is asked, what is written, and what else is called."""
    return asyncio.run(_exchange(pieces))


async def _exchange(pieces: tuple[bytes, ...]) -> list[str]:
    transport, mounts = Remembering(), Mounts(seed="raw")
    token, ended = mounts.mount(Echo(transport.notes)), mounts.mount(Echo(transport.notes))
    mounts.unmount(ended)
    answerer = Answerer(mounts, lambda path, error: transport.notes.append(f"(error) {path} {error!r}"))
    connection = Connection(answerer, set(), bytearray(BUFFER))
    connection.connection_made(transport)
    for piece in pieces:
        data = piece.replace(b"TOKEN", token.encode()).replace(b"ENDED", ended.encode())
        for part in (data[at : at + BUFFER] for at in range(0, len(data), BUFFER)):
            connection.get_buffer(-1)[: len(part)] = part
            connection.buffer_updated(len(part))
        await _settled()
    connection.connection_lost(None)
    await _settled()
    return [_shortened(note.replace(token, "TOKEN").replace(ended, "ENDED")) for note in transport.notes]


def _shortened(note: str) -> str:
    return note if len(note) <= LONGEST else f"{note[:200]}...{len(note)} characters...{note[-60:]}"


async def _settled() -> None:
    """Until no task is left and no callback either."""
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others)
    for _ in range(8):
        await asyncio.sleep(0)


def written() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def write() -> None:
    found = {name: exchange(pieces) for name, pieces in REQUESTS.items()}
    FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
