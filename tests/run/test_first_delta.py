"""A delta reaches the suite before the fake has sent the next chunk, so that a user would see it early.

The fake holds the chunk with the second half of the text until the suite has been given the first half. An agent that
gathers the whole text first never gets there, so that the test can fail.
"""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import httpx2
import pytest

from agent_conformance.agents.reference import Adapter as Reference
from agent_conformance.run.agent.driver import _Emitter
from agent_conformance.run.provider.answering import CaseModel
from agent_conformance.run.provider.case_provider import CaseProvider
from fake_providers import Request, Response
from tests.agents.plain import PlainAgent
from tests.trying import verdicts

FIRST, SECOND = "Seven degrees ", "and raining."
TWO_CHUNKS = f"""
conversation:
  - user: What is the weather?
    model:
      - text: {FIRST}{SECOND}
        chunks: ["{FIRST}", "{SECOND}"]
"""


class Gate:
    """Holds every chunk from the one with the second half on; opens when the suite is given the first half."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened = threading.Event()
        self.closed_at = 0
        self.events: list[str] = []
        handle, hold, take = CaseProvider.handle, CaseModel.hold, _Emitter.take

        def handled(provider: CaseProvider, request: Request) -> Response:
            response = handle(provider, request)
            halves = (number for number, chunk in enumerate(response.chunks) if SECOND.encode() in chunk)
            self.closed_at = next(halves, len(response.chunks))
            return response

        def held(model: CaseModel, recorded: Any, chunk: int) -> threading.Event | None:
            if chunk < self.closed_at or self.opened.is_set():
                return hold(model, recorded, chunk)
            self.events.append("second half is due")
            return self.opened

        def taken(emitter: _Emitter, item: Any) -> None:
            take(emitter, item)
            if isinstance(item, str) and FIRST.strip() in item and not self.opened.is_set():
                self.events.append("first half is shown")
                self.opened.set()

        monkeypatch.setattr(CaseProvider, "handle", handled)
        monkeypatch.setattr(CaseModel, "hold", held)
        monkeypatch.setattr(_Emitter, "take", taken)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate(monkeypatch)
    yield gate
    gate.opened.set()


class Streams(PlainAgent):
    """Requests a stream and shows each piece of text as it arrives."""

    wires = ("openai-chat", "anthropic-messages", "gemini-generate")
    modes = ("stream",)
    features = frozenset({"deltas"})

    def request(self, message: str) -> dict[str, Any]:
        self.begin(message)
        gemini = self.setup.wire == "gemini-generate"
        path = self.shape.path.replace(":generateContent", ":streamGenerateContent?alt=sse")
        body = self.body() if gemini else {**self.body(), "stream": True}
        return {"url": self.setup.base_url + path, "json": body, "headers": self.shape.headers}

    def text(self, line: str) -> str:
        if not line.startswith("data: {"):
            return ""
        event = json.loads(line.removeprefix("data: "))
        match self.setup.wire:
            case "openai-chat":
                return "".join(choice["delta"].get("content") or "" for choice in event["choices"])
            case "anthropic-messages":
                return str(event.get("delta", {}).get("text", ""))
            case _:
                parts = event["candidates"][0].get("content", {}).get("parts", [])
                return "".join(part.get("text", "") for part in parts)


class StreamsInSync(Streams):
    def send(self, message: str) -> Iterator[str]:
        with httpx2.Client() as client, client.stream("POST", **self.request(message)) as response:
            for line in response.iter_lines():
                if text := self.text(line):
                    yield text


class StreamsInAsync(Streams):
    async def send(self, message: str) -> AsyncIterator[str]:
        async with httpx.AsyncClient() as client, client.stream("POST", **self.request(message)) as response:
            async for line in response.aiter_lines():
                if text := self.text(line):
                    yield text


class GathersFirst(Streams):
    def send(self, message: str) -> Iterator[str]:
        with httpx2.Client() as client, client.stream("POST", **self.request(message)) as response:
            yield "".join(self.text(line) for line in response.iter_lines())


class ReferenceInStreams(Reference):
    modes = ("stream",)


@pytest.mark.parametrize("transport", ["process", "socket"])
@pytest.mark.parametrize("wire", Streams.wires)
@pytest.mark.parametrize("agent", [StreamsInSync, StreamsInAsync, ReferenceInStreams])
def test_first_delta_is_shown_before_the_second_chunk_is_sent(
    agent: Any, wire: str, transport: str, gate: Gate
) -> None:
    [verdict] = verdicts(agent, TWO_CHUNKS, transport=transport, wires=(wire,))

    assert (verdict.outcome, verdict.findings) == ("pass", ())
    assert gate.events[-1] == "first half is shown"


@pytest.mark.parametrize("transport", ["process", "socket"])
def test_agent_that_collects_the_text_first_shows_nothing_early(transport: str, gate: Gate) -> None:
    [verdict] = verdicts(GathersFirst, TWO_CHUNKS, transport=transport, wires=("openai-chat",), timeout=0.3)

    assert [finding.id for finding in verdict.findings] == ["answers"]
    assert set(gate.events) == {"second half is due"}


CANCELLED = f"""
conversation:
  - user: What is the weather?
    model:
      - text: {FIRST}{SECOND}
        chunks: ["{FIRST}", "{SECOND}"]
    cancel: {{at: chunk, n: 2}}
    expect:
      outcome: cancelled
      should: {{reply: {{contains: [{FIRST}]}}}}
"""


class GathersAndIsCancelled(ReferenceInStreams):
    async def send(self, message: Any, session: str | None = None) -> AsyncIterator[Any]:
        for piece in [piece async for piece in super().send(message, session)]:
            yield piece


class GathersWithoutDeltas(GathersAndIsCancelled):
    features = ReferenceInStreams.features - {"deltas"}


@pytest.mark.parametrize(
    ("agent", "advice"),
    [(ReferenceInStreams, []), (GathersAndIsCancelled, ["1.should.reply"]), (GathersWithoutDeltas, [])],
)
def test_turn_is_cancelled_once_the_first_half_is_shown(agent: Any, advice: list[str]) -> None:
    """Or after a while, for an agent that shows nothing until the end, which is advised against it."""
    [verdict] = verdicts(agent, CANCELLED, wires=("openai-chat",))

    assert (verdict.outcome, [finding.id for finding in verdict.findings]) == ("pass", advice)
