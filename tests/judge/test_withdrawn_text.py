"""What an agent streams and withdraws again is not judged; what stays on the user's screen is."""

from collections.abc import Iterator
from typing import Any

import pytest

from agent_conformance import Reply, Withdrawn
from tests.agents.plain import PlainAgent
from tests.trying import only_findings, verdicts

TEXT = """
wires: [openai-chat]
conversation:
  - user: Say hello.
    model:
      - text: Hello, Ann.
        means: {handling: show, never_show: ["<secret>"]}
"""


class Retries(PlainAgent):
    """Streams, loses the stream, takes the text back and streams again."""

    features = PlainAgent.features | {"deltas"}
    first: tuple[Any, ...] = ("Hel", Withdrawn())

    def send(self, message: str) -> Iterator[Any]:
        text = super().send(message)
        if text == "Hello, Ann.":
            yield from self.first
        yield from (text[:5], text[5:])
        yield Reply(text)


class TakesBackTheEnd(Retries):
    def send(self, message: str) -> Iterator[Any]:
        text = PlainAgent.send(self, message)
        yield from (text, " And more.", Withdrawn(10), Reply(text))


class TakesBackASecret(Retries):
    first = ("<secret>", Withdrawn())


class NeverTakesBack(Retries):
    first = ("Hel",)


class TakesBackTooLittle(Retries):
    first = ("Hello", Withdrawn(2))


class TakesBackTheReply(Retries):
    def send(self, message: str) -> Iterator[Any]:
        text = PlainAgent.send(self, message)
        yield from (text, Withdrawn())


@pytest.mark.parametrize("agent", [Retries, TakesBackTheEnd, TakesBackASecret])
def test_text_that_was_withdrawn_is_not_judged(agent: Any) -> None:
    [verdict] = verdicts(agent, TEXT)

    assert verdict.findings == ()
    assert "  withdrawn: " in verdict.narrative


@pytest.mark.parametrize(
    ("agent", "finding"),
    [(NeverTakesBack, "stream-is-reply"), (TakesBackTooLittle, "stream-is-reply"), (TakesBackTheReply, "answers")],
)
def test_text_that_stays_is_judged(agent: Any, finding: str) -> None:
    found = only_findings(agent, TEXT)["openai-chat+plain"]

    assert found[:1] == [finding]
