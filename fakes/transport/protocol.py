"""uvicorn's HTTP/1.1 protocol, silenced. Imported when the first client connects, and by nobody else."""

import asyncio
import logging
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_SILENT = logging.Logger("fakes.transport", level=logging.CRITICAL + 1)
"""Belongs to no hierarchy: a user who turns on logging must not read of our connections."""


class SilentProtocol(HttpToolsProtocol):
    """Says nothing to any logger, and shows the application its connection under `scope["extensions"]`."""

    def __init__(self, **arguments: object) -> None:
        super().__init__(**arguments)  # type: ignore[arg-type]
        self.logger = _SILENT
        self.access_log = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast(asyncio.Transport, Corked(transport)))

    def on_message_begin(self) -> None:
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
