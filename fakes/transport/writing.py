"""Writes a response to a connection: in few writes, and waiting where it is held. Knows HTTP/1.1 and no parser."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Coroutine, Generator
from typing import Any, Protocol

from fakes.http import Response
from fakes.transport import waiting
from fakes.transport.delivery import Delivery, is_over
from fakes.transport.framing import CHUNKED, Framed

BATCH = 64 * 1024
"""Bytes after which other connections are served."""

LAST = b"0\r\n\r\n"
"""The chunk that ends a body."""

NO_LINGER = struct.pack("ii", 1, 0)
"""A socket option: closing sends a reset instead of a regular end, after what was written before."""

Steps = Generator[Coroutine[Any, Any, object], None, None]
"""Yields what to await before the next write. When the client leaves meanwhile, close the generator."""


class Client(Protocol):
    """The other end of the connection."""

    transport: asyncio.Transport

    @property
    def has_left(self) -> bool: ...

    @property
    def is_full(self) -> bool: ...

    async def drained(self) -> None:
        """Returns once the client has read what was written, or has left."""


def steps(framed: Framed, delivery: Delivery, client: Client, *, closing: bool, version: str = "1.1") -> Steps:
    """Writes the response; its listener is called before the client can see the end.

    The first chunk is written at once, as a model's would be; the others together, up to one that is held. `closing`
    ends the connection afterwards. A client of HTTP/1.0 gets chunks without their lengths.
    """
    response = framed.response
    try:
        if client.is_full:
            yield client.drained()
        if response.delay:
            yield waiting.sleep(response.delay)
        if response.headless:
            delivery.done(complete=True)
        elif _is_sent_at_once(response):
            if not _write_at_once(framed, client, closing=closing, version=version):
                return
        elif not (yield from _chunks(framed, delivery, client, closing=closing, version=version)):
            return
        lost = response.headless or delivery.is_cut
        if lost and response.loss == "silent":
            yield waiting.wait_for(response.release, None)
        if lost and response.loss == "reset":
            _reset(client.transport)
        elif lost or closing:
            client.transport.close()
    finally:
        delivery.done(complete=False)


def _is_sent_at_once(response: Response) -> bool:
    """Nothing is waited for between its chunks, of which there are few: most responses."""
    if response.listener is not None or response.pacing is not None:
        return False
    return 0 < sum(map(len, response.chunks)) <= BATCH


def _write_at_once(framed: Framed, client: Client, *, closing: bool, version: str) -> bool:
    """What `_chunks` writes, in the same two pieces. Returns False when the client has left meanwhile."""
    chunked = framed.is_chunked and version != "1.0"
    first, *others = filter(None, framed.response.chunks)
    if chunked:
        first, others = _with_length(first), [*map(_with_length, others)]
        others += [] if framed.response.cut else [LAST]
    client.transport.write(_head(framed, closing=closing, chunked=chunked) + first)
    if client.has_left:
        return False
    if others:
        client.transport.write(b"".join(others))
    return True


def _with_length(chunk: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(chunk), chunk)


def _chunks(
    framed: Framed, delivery: Delivery, client: Client, *, closing: bool, version: str
) -> Generator[Coroutine[Any, Any, object], None, bool]:
    """Returns False when the client has left meanwhile."""
    write, chunked = client.transport.write, framed.is_chunked and version != "1.0"
    kept, size, most = [_head(framed, closing=closing, chunked=chunked)], 0, 0
    for step in delivery.steps():
        if not isinstance(step, bytes):
            if not is_over(step):
                write(b"".join(kept))
                kept = []
                yield waiting.sleep(step) if isinstance(step, float) else waiting.wait_for(step, None)
                if client.is_full:
                    yield client.drained()
            continue
        if delivery.at_last_chunk and framed.length is not None:
            delivery.done(complete=True)
        kept.append(_with_length(step) if chunked else step)
        size += len(step)
        if size > most:
            write(b"".join(kept))
            if most:
                yield client.drained() if client.is_full else asyncio.sleep(0)
            kept, size, most = [], 0, BATCH
        if client.has_left:
            return False
    delivery.done(complete=True)
    if chunked and not delivery.is_cut:
        kept.append(LAST)
    write(b"".join(kept))
    return True


def _head(framed: Framed, *, closing: bool, chunked: bool) -> bytes:
    left_out = CHUNKED if framed.is_chunked and not chunked else None
    lines = [b"%b: %b\r\n" % header for header in framed.headers if header != left_out]
    end = b"connection: close\r\n\r\n" if closing else b"\r\n"
    return b"HTTP/1.1 %d %b\r\n%b%b" % (framed.response.status, framed.reason, b"".join(lines), end)


def _reset(transport: asyncio.Transport) -> None:
    with contextlib.suppress(OSError):
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
    transport.abort()
