"""The requests of one client of a server, with what became of each, bounded."""

import threading
import time
from collections import deque

from msgspec import Struct

from agent_conformance.commands.shared.served import OnWire
from fake_providers import Request
from fake_providers.wire import Wire

MOST = 100
MOST_BYTES = 4 * 1024 * 1024
"""Requests that are kept, and the bytes of their bodies."""


class Entry(Struct, frozen=True):
    """`number` counts the client's requests from 1, `seconds` are since 1970. `answer` is what the fake says of its
    response: see `Answers`."""

    number: int
    seconds: float
    provider: str
    wire: Wire
    request: Request
    status: int
    answer: object


class RequestLog:
    """The newest requests. Thread-safe."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self._bytes = 0
        self._count = 0
        self._lock = threading.Lock()

    def add(self, fake: OnWire, request: Request, status: int, answer: object) -> None:
        with self._lock:
            self._count += 1
            self._entries.append(Entry(self._count, time.time(), fake.provider, fake.wire, request, status, answer))
            self._bytes += len(request.body)
            while len(self._entries) > MOST or self._bytes > MOST_BYTES:
                self._bytes -= len(self._entries.popleft().request.body)

    @property
    def count(self) -> int:
        """How many requests there were, those that are not kept included."""
        return self._count

    def entries(self) -> list[Entry]:
        with self._lock:
            return list(self._entries)

    def clear(self) -> None:
        """Forget the requests; their numbers go on."""
        with self._lock:
            self._entries.clear()
            self._bytes = 0
