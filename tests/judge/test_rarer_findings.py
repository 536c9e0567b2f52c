"""Findings that few agents get: the key in a request, a tool offered twice, feedback in a stream, too many requests."""

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from agent_conformance.transcripts.transcript import MANY
from tests.agents.plain import PlainAgent
from tests.trying import GHOST, ONE_CALL, WEATHER, verdicts


class SendsItsKey(PlainAgent):
    """Tells the model its key."""

    def begin(self, message: str) -> None:
        super().begin(f"{message} My key is {self.setup.api_key}.")


class SendsItsKeyAsSystem(PlainAgent):
    def body(self) -> dict[str, Any]:
        body = super().body()
        body["messages"] = [{"role": "system", "content": f"Key: {self.setup.api_key}"}, *body["messages"]]
        return body


class ReturnsItsKey(PlainAgent):
    def run(self, name: str, arguments: Any) -> str:
        return f"{super().run(name, arguments)} {self.setup.api_key}"


class OffersTwice(PlainAgent):
    def body(self) -> dict[str, Any]:
        body = super().body()
        return body | {"tools": body["tools"] * 2} if "tools" in body else body


class OffersTwiceLater(PlainAgent):
    """In its second turn."""

    def body(self) -> dict[str, Any]:
        body = super().body()
        users = [message for message in body["messages"] if message["role"] == "user"]
        return body | {"tools": body["tools"] * 2} if len(users) == 2 else body


class StreamsItsFeedback(PlainAgent):
    """Shows, for a moment, what it told the model."""

    features = PlainAgent.features | {"deltas"}

    def send(self, message: str) -> Iterator[str]:
        text = super().send(message)
        if "find out" in text:
            yield "There is no tool get_wether. There are: get_weather. "
        yield text
        return text


class ReadsOften(PlainAgent):
    """Sends one request many times over, and has no limit of its own."""

    features: ClassVar[frozenset[str]] = PlainAgent.features - {"request-limit"}
    times = MANY

    def begin(self, message: str) -> None:
        super().begin(message)
        self.left = self.times

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        response = super().post(body)
        while self.left > 1 and "Oslo" in str(body):
            self.left -= 1
            response = super().post(body)
        return response


class ReadsTooOften(ReadsOften):
    times = MANY + 1


REPEATED = (
    WEATHER
    + """
wires: [openai-chat]
conversation:
  - user: What is the weather in Oslo?
    model:
      - {text: It rains in Oslo., forever: true}
"""
)


def found(agent: type[PlainAgent], text: str, wire: str) -> list[tuple[str, str]]:
    (verdict,) = verdicts(agent, text, wires=(wire,))
    assert verdict.outcome in ("pass", "fail"), verdict.reason
    return [(finding.id, finding.level) for finding in verdict.findings]


@pytest.mark.parametrize(
    ("agent", "text", "wire", "finding"),
    [
        (SendsItsKey, ONE_CALL, "openai-chat", ("key-kept", "must")),
        (SendsItsKey, ONE_CALL, "gemini-generate", ("key-kept", "must")),
        (SendsItsKeyAsSystem, ONE_CALL, "openai-chat", ("key-kept", "must")),
        (ReturnsItsKey, ONE_CALL, "anthropic-messages", ("key-kept", "must")),
        (OffersTwice, ONE_CALL, "ollama-chat", ("offered", "must")),
        (StreamsItsFeedback, GHOST, "openai-chat", ("no-protocol-text", "should")),
        (ReadsTooOften, REPEATED, "openai-chat", ("bounded", "should")),
    ],
)
def test_agent_gets_this_finding(agent: type[PlainAgent], text: str, wire: str, finding: tuple[str, str]) -> None:
    assert finding in found(agent, text, wire)


@pytest.mark.parametrize(
    ("agent", "text", "wire"),
    [(PlainAgent, GHOST, "openai-chat"), (PlainAgent, ONE_CALL, "ollama-chat"), (ReadsOften, REPEATED, "openai-chat")],
)
def test_agent_that_does_none_of_this_has_no_finding(agent: type[PlainAgent], text: str, wire: str) -> None:
    assert found(agent, text, wire) == []


def test_finding_about_a_later_turn_says_so() -> None:
    more = "  - user: And now?\n    model:\n      - text: Rain.\n"
    (verdict,) = verdicts(OffersTwiceLater, ONE_CALL + more, wires=("openai-chat",))
    (finding,) = verdict.findings

    assert finding.at == "turn 2, request 1"
    assert finding.got == "it is offered 2 times"
