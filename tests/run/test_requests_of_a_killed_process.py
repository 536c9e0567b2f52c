"""A request belongs to the turn in which it was sent, also where the server reads it after its client was killed."""

import json
import socket
import time
from urllib.parse import urlsplit

import pytest

from fake_providers.transport.request_reader import RequestReader
from tests.agents.plain import PlainAgent
from tests.trying import WEATHER, verdicts

CANCELLED_AT_A_TOOL = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: It is 7 degrees and raining in Oslo.
        spare: true
    cancel: {at: tool}
    expect:
      outcome: cancelled
  - user: Never mind. Say hello.
    model:
      - text: Hello.
    expect:
      reply: Hello.
      request_count: 1
"""
)
BUSY = 0.1
"""Seconds that the server takes before it reads what was sent."""


class SendsAsItIsKilled(PlainAgent):
    """Sends its next request when its turn is cancelled, and is gone before the server reads it."""

    wires = ("openai-chat",)
    features = frozenset({"conversation", "native-tools", "cancel"})

    async def send(self, message: str) -> str:
        self.begin(message)
        text, calls = self.ask()
        if not calls:
            return text
        ((id, name, arguments),) = calls
        try:
            await self.setup.tools[0].acall(arguments)
        finally:
            self.answer([(id, name, "It was stopped.")])
            self.send_and_leave()
        raise AssertionError("the turn was not cancelled")

    def send_and_leave(self) -> None:
        body = json.dumps(self.body()).encode()
        url = urlsplit(f"{self.setup.base_url}/chat/completions")
        headers = {"host": url.netloc, "content-length": len(body), **self.shape.headers}
        head = f"POST {url.path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        with socket.create_connection((url.hostname, url.port)) as connection:
            connection.sendall(head.encode() + b"\r\n" + body)


@pytest.mark.parametrize("transport", ["process", "loopback"])
def test_request_that_is_read_late_belongs_to_the_turn_that_sent_it(
    transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = RequestReader.feed

    def feed_late(reader: RequestReader, data: bytes) -> None:
        time.sleep(BUSY)
        feed(reader, data)

    monkeypatch.setattr(RequestReader, "feed", feed_late)
    (verdict,) = verdicts(SendsAsItIsKilled, CANCELLED_AT_A_TOOL, transport=transport)

    assert verdict.findings == ()
    assert verdict.requests == 4  # two of turn 1, one of turn 2, one of the follow-up
