"""Messages over a socket between the suite and an agent's process: a JSON object on a line, and bytes after it.

Of a message only the field `bytes` is read: the number of bytes that follow its line.
"""

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

from agent_conformance.machine.platform_features import is_ready
from agent_conformance.transcripts.redaction import redacted

Message = dict[str, Any]
Frame = tuple[Message, bytes]

AT_A_TIME = 1 << 18
BUFFER = 1 << 20
LONGEST_LINE = 64 << 20
MOST_BYTES = 1 << 30
"""More than the law `bounded` lets a turn send: a larger number is no message of the worker's."""
ENCODE = json.JSONEncoder(separators=(",", ":")).encode
"""Made before an agent can patch `json.dumps`."""
WRITING = 10.0
"""Seconds for which a message may wait until the other side reads."""


class BrokenChannel(Exception):
    """The other side is gone, does not read, or wrote something that is no message."""


class Frames:
    """Cuts what was received into messages."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._searched = 0
        self._opened: tuple[Message, int] | None = None

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The messages that are complete now. Raises `BrokenChannel`."""
        self._data += data
        while (frame := self._next()) is not None:
            yield frame

    def _next(self) -> Frame | None:
        if self._opened is None:
            end = self._data.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self._data)
                if self._searched > LONGEST_LINE:
                    raise BrokenChannel(f"a line of more than {LONGEST_LINE} bytes")
                return None
            self._opened = _opened(bytes(self._data[:end]))
            del self._data[: end + 1]
            self._searched = 0
        message, size = self._opened
        if len(self._data) < size:
            return None
        payload = bytes(self._data[:size]) if size else b""
        if size:
            del self._data[:size]
        self._opened = None
        return message, payload


def _opened(line: bytes) -> tuple[Message, int]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    size = message.get("bytes", 0) if isinstance(message, dict) else None
    if not isinstance(size, int) or not 0 <= size <= MOST_BYTES or not isinstance(message, dict):
        raise BrokenChannel(f"the line {redacted(repr(line))[:60]}, which is no message of the suite's own worker")
    return message, size


class Channel:
    """One end of a socket. Any thread may send; one at a time receives."""

    def __init__(self, end: socket.socket) -> None:
        self.socket = end
        end.setblocking(False)
        for size in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            end.setsockopt(socket.SOL_SOCKET, size, BUFFER)
        self._lock = threading.Lock()
        self._frames = Frames()
        self._ready: list[Frame] = []
        self._process = os.getpid()

    def send(self, message: Message, payload: bytes = b"") -> None:
        """Raises `BrokenChannel`. A process that was forked off the one that has this end sends nothing."""
        if os.getpid() != self._process:
            return
        if payload:
            message = {**message, "bytes": len(payload)}
        data = ENCODE(message).encode() + b"\n" + payload
        with self._lock:
            rest = memoryview(data)
            until = None
            while rest:
                try:
                    sent = self.socket.send(rest)
                    rest, until = rest[sent:], None
                except (BlockingIOError, InterruptedError):
                    until = until or time.monotonic() + WRITING
                    if not is_ready(self.socket, to_read=False, seconds=until - time.monotonic()):
                        raise BrokenChannel("it does not read") from None
                except OSError as error:
                    raise BrokenChannel("it is gone") from error

    def receive(self, seconds: float | None = None) -> Frame:
        """The next message. Raises `TimeoutError`, and `BrokenChannel` at the end of the channel."""
        until = None if seconds is None else time.monotonic() + seconds
        while not self._ready:
            left = None if until is None else until - time.monotonic()
            if not is_ready(self.socket, to_read=True, seconds=left):
                raise TimeoutError
            self._ready += self.received()
        return self._ready.pop(0)

    def received(self) -> list[Frame]:
        """The messages that have arrived. Waits for nothing. Raises `BrokenChannel` at the end of the channel."""
        try:
            data = self.socket.recv(AT_A_TIME)
        except (BlockingIOError, InterruptedError):
            return []
        except OSError as error:
            raise BrokenChannel("it is gone") from error
        if not data:
            raise BrokenChannel("it is gone")
        return list(self._frames.feed(data))

    def close(self) -> None:
        self.socket.close()
