"""How a response is written to a connection: in few writes, and waiting where it is held. Knows HTTP/1.1, no parser."""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Coroutine, Generator
from typing import Any, Protocol

from fakes.transport import waiting
from fakes.transport.framing import CHUNKED, Framed
from fakes.transport.playback import Playback

BATCH = 64 * 1024
"""Bytes after which others get their turn."""

NO_LINGER = struct.pack("ii", 1, 0)
"""A socket that is closed so sends a reset in place of a regular end; what was written before comes first."""

Steps = Generator[Coroutine[Any, Any, object], None, None]
"""What has to be waited for before it goes on. When the client leaves meanwhile, it is closed instead."""


class Client(Protocol):
    """The other end of one exchange."""

    transport: asyncio.Transport

    @property
    def has_left(self) -> bool: ...

    @property
    def is_full(self) -> bool: ...

    async def drained(self) -> None:
        """Returns once the client has read what was written, or has left."""


def steps(framed: Framed, playback: Playback, client: Client, *, closing: bool, version: str = "1.1") -> Steps:
    """Writes the response; its listener hears of the end before the client can see it.

    The first chunk goes out at once, as a model's would come; the others together, up to one that is held. `closing`
    ends the connection afterwards. A client of HTTP/1.0 gets chunks without their lengths.
    """
    response = framed.response
    try:
        if client.is_full:
            yield client.drained()
        if response.delay:
            yield waiting.sleep(response.delay)
        if response.headless:
            playback.done(complete=True)
        elif not (yield from _chunks(framed, playback, client, closing=closing, version=version)):
            return
        lost = response.headless or playback.is_cut
        if lost and response.loss == "silent":
            yield waiting.wait_for(response.release or threading.Event(), None)
        if lost and response.loss == "reset":
            _reset(client.transport)
        elif lost or closing:
            client.transport.close()
    finally:
        playback.done(complete=False)


def _chunks(
    framed: Framed, playback: Playback, client: Client, *, closing: bool, version: str
) -> Generator[Coroutine[Any, Any, object], None, bool]:
    """False when the client has left meanwhile."""
    write, chunked = client.transport.write, framed.is_chunked and version != "1.0"
    kept, size, most = [_head(framed, closing=closing, chunked=chunked)], 0, 0
    for step in playback.steps():
        if not isinstance(step, bytes):
            if not step.is_set():
                write(b"".join(kept))
                kept = []
                yield waiting.wait_for(step, None)
            continue
        if playback.at_last_chunk and framed.length is not None:
            playback.done(complete=True)
        kept.append(b"%x\r\n%b\r\n" % (len(step), step) if chunked else step)
        size += len(step)
        if size > most:
            write(b"".join(kept))
            if most:
                yield client.drained() if client.is_full else asyncio.sleep(0)
            kept, size, most = [], 0, BATCH
        if client.has_left:
            return False
    playback.done(complete=True)
    if chunked and not playback.is_cut:
        kept.append(b"0\r\n\r\n")
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
