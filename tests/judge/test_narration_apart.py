"""`narration-apart`: the reply is the answer, and what the model said beside calls may be shown as it comes."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import WIRES, assert_right
from tests.trying import ONE_CALL, verdicts

NARRATED = ONE_CALL.replace("      - calls: [{", "      - text: Let me look.\n        calls: [{")


class JoinsNarration(PlainAgent):
    """Replies with every text of the turn."""

    def begin(self, message: str) -> None:
        self.texts: list[str] = []
        super().begin(message)

    def take(self, response: dict[str, Any]) -> Any:
        text, calls = super().take(response)
        self.texts.append(text)
        return text, calls

    def reply(self, text: str) -> str:
        return "\n\n".join(filter(None, self.texts))


class StreamsNarration(JoinsNarration):
    """Right: shows each text as it comes, and replies with the last."""

    features = PlainAgent.features | {"deltas"}

    def send(self, message: str) -> Any:
        reply = super().send(message)
        yield from (f"{text}\n" for text in self.texts)
        return reply

    def reply(self, text: str) -> str:
        return text


class ShowsOnly(StreamsNarration):
    """Right: what it showed is all that there is."""

    def send(self, message: str) -> Any:
        yield from super().send(message)


class RepeatsWhatItStreamed(StreamsNarration):
    """Wrong: the finished reply begins with what was streamed before the call."""

    def reply(self, text: str) -> str:
        return "\n".join(filter(None, self.texts))


@pytest.mark.parametrize("agent", [PlainAgent, StreamsNarration, ShowsOnly])
def test_reply_that_is_the_answer_alone_is_right(agent: Any) -> None:
    assert_right(agent, NARRATED)


@pytest.mark.parametrize("agent", [JoinsNarration, RepeatsWhatItStreamed])
def test_reply_that_begins_with_text_beside_a_call_is_advice(agent: Any) -> None:
    found = verdicts(agent, NARRATED)

    assert len(found) == len(WIRES)
    assert {verdict.outcome for verdict in found} == {"pass"}
    assert {tuple((f.id, f.level) for f in verdict.findings) for verdict in found} == {(("narration-apart", "should"),)}
