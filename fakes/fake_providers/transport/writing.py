"""Writes a response to a connection: in few writes, and waiting where it is held. Knows HTTP/1.1 and no parser."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Coroutine, Generator
from typing import Any, Protocol

from fake_providers.http import Response
from fake_providers.transport import waiting
from fake_providers.transport.delivery import Delivery, is_over
from fake_providers.transport.framing import CHUNKED, Framed

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
    """Writes a response that `write_at_once` does not; its listener is called before the client can see the end.

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


def write_at_once(framed: Framed, client: Client, *, closing: bool, version: str = "1.1") -> bool:
    """Writes a response that waits for nothing and is small, as most are. Returns False, and writes nothing, for any
    other.
    """
    if client.is_full or not _is_due_now(framed.response):
        return False
    chunked = framed.is_chunked and version != "1.0"
    head, chunks = _head(framed, closing=closing, chunked=chunked), framed.response.chunks
    if chunked:
        chunks = (*map(_with_length, filter(None, chunks)), LAST)
    client.transport.write(b"".join((head, *chunks)))
    if closing:
        client.transport.close()
    return True


def _is_due_now(response: Response) -> bool:
    """Nobody listens, nothing is waited for, and nothing goes wrong."""
    if response.listener is not None or response.pacing is not None or response.delay or response.cut:
        return False
    return not response.headless and 0 < sum(map(len, response.chunks)) <= BATCH


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
