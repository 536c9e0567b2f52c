"""The suite's side of `remote_fakes`: answers the requests that an agent's process sends over its channel."""

import threading
from typing import Any

from agent_conformance.attach.isolated.channel import BrokenChannel, Channel, Message
from fake_providers.transport.answerer import Answerer
from fake_providers.transport.framing import Framed


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
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in message["headers"]]
        framed = self._answerer.answer(str(message["method"]), str(message["target"]), headers, payload)
        if framed.response.listener is not None:
            self._open[number] = framed
        response = framed.response
        message = {
            "type": "answer",
            "id": number,
            "status": response.status,
            "headers": [[name.decode("latin-1"), value.decode("latin-1")] for name, value in framed.headers],
            "length": None if framed.length is None else framed.length.decode("latin-1"),
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
