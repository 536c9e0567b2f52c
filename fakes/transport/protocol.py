"""uvicorn's HTTP/1.1 protocol, silenced. Imported when the first client connects, and by nobody else."""

import logging

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_SILENT = logging.Logger("fakes.transport", level=logging.CRITICAL + 1)
"""Belongs to no hierarchy: a user who turns on logging must not read of our connections."""


class SilentProtocol(HttpToolsProtocol):
    """Says nothing to any logger, and shows the application its connection under `scope["extensions"]`."""

    def __init__(self, **arguments: object) -> None:
        super().__init__(**arguments)  # type: ignore[arg-type]
        self.logger = _SILENT
        self.access_log = False

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {"connection": {"transport": self.transport}}
