"""The fake providers as an agent's process reaches them, and the suite's side, which answers in its own process.

A client that httpx's hook does not patch reaches the loopback server by itself.
"""

import itertools
import os
import queue
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any

from agent_conformance.attach.isolated.channel import BrokenChannel, Channel, Frame, Message
from fake_providers.http import Response, json_response
from fake_providers.transport.answerer import Answerer, Mounts
from fake_providers.transport.framing import Framed, frame
from fake_providers.transport.hook import InProcessHook

SIGN_OF_LIFE = 0.2
"""Seconds of reading a response after which the suite hears that the agent goes on."""
ENDED = json_response(404, {"error": {"message": "The fake provider has ended: its test is over.", "code": 404}})


class RemoteFakes(InProcessHook):
    """Answers httpx and httpx2 with what the suite sends. `start` and `stop` are called around a case."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(Mounts(), "", 0)
        self._channel = channel
        self._answerer: Any = self
        self._numbers = itertools.count(1)
        self._waiting: dict[int, queue.SimpleQueue[Frame | None]] = {}
        self._events: dict[int, threading.Event] = {}
        self._is_open = False
        self._process = os.getpid()

    def start(self, host: str, port: int) -> None:
        self._host, self._port, self._is_open = host, port, True
        self.install()

    def stop(self) -> None:
        """Requests get a 404 from now on, and so do those that wait."""
        self._is_open = False
        for waiting in list(self._waiting.values()):
            waiting.put(None)
        for event in list(self._events.values()):
            event.set()
        self._events.clear()

    def take(self, frame: Frame) -> None:
        """What the suite has sent for a request: its response, or that a held chunk may be read."""
        message = frame[0]
        if message["type"] == "release":
            self.event_of(message["id"]).set()
        elif (waiting := self._waiting.get(message["id"])) is not None:
            waiting.put(frame)

    # What the hook calls.

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Framed:
        number = next(self._numbers)
        message = {"type": "http", "id": number, "method": method, "target": target, "headers": headers}
        answered = self.ask(message, body)
        return frame(ENDED, method=method) if answered is None else self._framed(number, *answered)

    def on_error(self, target: str, error: BaseException) -> None:
        """The listener of this process raises nothing."""

    def ask(self, message: dict[str, Any], payload: bytes = b"") -> Frame | None:
        """Send a message and wait for what is sent for its `id`; None once the case is over."""
        waiting: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self._waiting[message["id"]] = waiting
        try:
            if not self._is_open or os.getpid() != self._process:  # a process that was forked off gets no answer
                return None
            self.tell(message, payload)
            return waiting.get()
        finally:
            self._waiting.pop(message["id"], None)

    def tell(self, message: dict[str, Any], payload: bytes = b"") -> None:
        try:
            self._channel.send(message, payload)
        except BrokenChannel:
            os._exit(1)  # the suite is gone

    def event_of(self, number: int) -> threading.Event:
        """The event that the suite releases for this request."""
        return self._events.setdefault(number, threading.Event())

    def _framed(self, number: int, message: dict[str, Any], payload: bytes) -> Framed:
        listener = _Reading(self, number, asks=message["may_hold"]) if message["listens"] else None
        loss = message["loss"]
        response = Response(
            message["status"],
            (),
            _cut(payload, message["lengths"]),
            cut=message["cut"],
            delay=message["delay"],
            listener=listener,
            loss=loss,
            headless=message["headless"],
            release=self.event_of(number) if loss == "silent" else None,
        )
        return Framed(response, message["lines"].encode("latin-1"), message["length"], message["chunked"])


class _Reading:
    """The listener of one response in the agent's process."""

    def __init__(self, fakes: RemoteFakes, number: int, *, asks: bool) -> None:
        self._fakes = fakes
        self._number = number
        self._asks = asks
        self._reported = time.monotonic()

    def hold(self, chunk: int) -> threading.Event | None:
        if self._asks:
            answered = self._fakes.ask({"type": "hold", "id": self._number, "chunk": chunk})
            return self._fakes.event_of(self._number) if answered is not None and answered[0]["held"] else None
        if time.monotonic() > self._reported + SIGN_OF_LIFE:
            self._reported = time.monotonic()
            self._fakes.tell({"type": "reading", "id": self._number, "chunk": chunk})
        return None

    def done(self, *, complete: bool) -> None:
        self._fakes.tell({"type": "read", "id": self._number, "complete": complete})


def _cut(payload: bytes, lengths: Iterable[int]) -> tuple[bytes, ...]:
    chunks, start = [], 0
    for length in lengths:
        chunks.append(payload[start : start + length])
        start += length
    return tuple(chunks)


class ServedFakes:
    """The responses of one case, until they are read."""

    def __init__(self, answerer: Answerer | None, channel: Channel) -> None:
        self._answerer = answerer
        self._channel = channel
        self._open: dict[int, Framed] = {}

    def take(self, message: Message, payload: bytes) -> None:
        """One message about a request. Raises `BrokenChannel`, and `KeyError` or `TypeError` for a wrong one."""
        match message["type"]:
            case "http":
                self._answer(message, payload)
            case "hold":
                number = message["id"]
                event = self._listener(number).hold(message["chunk"])
                self._channel.send({"type": "held", "id": number, "held": event is not None})
                if event is not None:
                    self._release_after(number, event)
            case "reading":
                self._listener(message["id"]).hold(int(message["chunk"]))
            case "read":
                self._listener(message["id"]).done(complete=message["complete"] is True)
                self._open.pop(message["id"], None)

    def lose(self) -> None:
        """The agent's process is gone: nobody reads the rest."""
        for framed in self._open.values():
            if framed.response.listener is not None:
                framed.response.listener.done(complete=False)
        self._open.clear()

    def _answer(self, message: Message, payload: bytes) -> None:
        assert self._answerer is not None
        number = message["id"]
        headers: dict[str, str] = message["headers"]
        framed = self._answerer.answer(str(message["method"]), str(message["target"]), headers, payload)
        if framed.response.listener is not None:
            self._open[number] = framed
        response = framed.response
        message = {
            "type": "answer",
            "id": number,
            "status": response.status,
            "lines": framed.lines.decode("latin-1"),
            "length": framed.length,
            "chunked": framed.is_chunked,
            "lengths": [len(chunk) for chunk in response.chunks],
            "cut": response.cut,
            "delay": response.delay,
            "loss": response.loss,
            "headless": response.headless,
            "listens": response.listener is not None,
            "may_hold": response.listener is not None and getattr(response.listener, "may_hold", True),
        }
        self._channel.send(*(message, response.body))
        if framed.response.loss == "silent" and framed.response.release is not None:
            self._release_after(number, framed.response.release)

    def _release_after(self, number: int, event: threading.Event) -> None:
        def release() -> None:
            event.wait()
            try:
                self._channel.send({"type": "release", "id": number})
            except BrokenChannel:
                return

        threading.Thread(target=release, name="held-response", daemon=True).start()

    def _listener(self, number: int) -> Any:
        framed = self._open.get(number)
        return _Nobody() if framed is None else framed.response.listener


class _Nobody:
    """Listens to a response that is over."""

    def hold(self, chunk: int) -> None:
        return None

    def done(self, *, complete: bool) -> None:
        return None
