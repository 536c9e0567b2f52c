"""uvicorn's HTTP/1.1 protocol, silenced. Imported when the first client connects, and by nobody else."""

import asyncio
import logging
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_SILENT = logging.Logger("fakes.transport", level=logging.CRITICAL + 1)
"""Belongs to no hierarchy: a user who turns on logging must not read of our connections."""


HEAD_LIMIT = 1024 * 1024
"""Bytes of request line and headers, which the parser would collect for ever."""
HEAD_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class SilentProtocol(HttpToolsProtocol):
    """Says nothing to any logger, and shows the application its connection under `scope["extensions"]`."""

    def __init__(self, **arguments: object) -> None:
        super().__init__(**arguments)  # type: ignore[arg-type]
        self.logger = _SILENT
        self.access_log = False
        self._in_head = False
        self._head = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast(asyncio.Transport, Corked(transport)))

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._in_head:
            self._head += len(data)
            if self._head > HEAD_LIMIT:
                self.transport.write(HEAD_TOO_LARGE)
                self.transport.close()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Raises for trailers without an end, upon which the parser gives up."""
        super().on_header(name, value)
        if not self._in_head:
            self._head += len(name) + len(value)
            if self._head > HEAD_LIMIT:
                raise ValueError("too many trailers")

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def on_message_begin(self) -> None:
        self._in_head = True
        self._head = 0
        super().on_message_begin()
        self.scope["extensions"] = {"connection": {"transport": self.transport}}


class Corked:
    """A transport that can keep writes back and send them as one: then they cost one system call, and the client one
    wake-up. What separates them for the client, the chunks of HTTP, is in the bytes.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._corked = False
        self._kept: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def cork(self) -> None:
        """Keeps what is written from now on until `flush`, `uncork` or `close`."""
        self._corked = True

    def flush(self) -> None:
        """Sends what was kept, and goes on keeping."""
        kept, self._kept = self._kept, []
        if kept:
            self._transport.write(b"".join(kept))

    def uncork(self) -> None:
        self._corked = False
        self.flush()

    def write(self, data: bytes) -> None:
        if self._corked:
            self._kept.append(data)
        else:
            self._transport.write(data)

    def close(self) -> None:
        self.uncork()
        self._transport.close()
