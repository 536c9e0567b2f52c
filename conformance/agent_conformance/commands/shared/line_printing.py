"""Prints the lines of a server: at once while it is calm, and together while it is busy. Knows no request.

Each write wakes whoever reads the lines, which takes a tenth of a request.
"""

import asyncio
import sys
import threading
import time

from agent_conformance.record.redaction import RedactedStream, redacted

SECONDS = 0.05
"""A line that follows another sooner may wait for so long."""
MOST = 200
"""Lines that wait."""


class LinePrinter:
    """Writes texts to standard output in their order, without what is secret. Thread-safe.

    Nothing waits unless it `gathers`; whoever sets that calls `flush` at the end.
    """

    def __init__(self) -> None:
        self.gathers = False
        self._lock = threading.Lock()
        self._waiting: list[str] = []
        self._is_timed = False
        self._written = 0.0

    def print(self, text: str, *, may_wait: bool) -> None:
        with self._lock:
            self._waiting.append(f"{text}\n")
            if not (self.gathers and may_wait and len(self._waiting) <= MOST and self._can_wait()):
                self._write()

    def flush(self) -> None:
        with self._lock:
            self._is_timed = False
            self._write()

    def _can_wait(self) -> bool:
        """Whether the last line was written just now, and an event loop will write this one."""
        if self._is_timed:
            return True
        if time.monotonic() - self._written > SECONDS:
            return False
        try:
            asyncio.get_running_loop().call_later(SECONDS, self.flush)
        except RuntimeError:  # a thread without a loop
            return False
        self._is_timed = True
        return True

    def _write(self) -> None:
        text, self._waiting = "".join(self._waiting), []
        if not text:
            return
        if not isinstance(sys.stdout, RedactedStream):
            text = redacted(text)
        # In one piece, since each is looked through for keys and written by itself; `print` writes the end separately.
        sys.stdout.write(text)
        sys.stdout.flush()
        self._written = time.monotonic()


LINES = LinePrinter()
"""Of this process, as its standard output is."""


def progress(text: str) -> None:
    """On one line of a terminal, in place of the text before; nothing where the output is kept."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
