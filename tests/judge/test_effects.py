"""`effects` and `extends: prefix`, on right agents and on wrong ones that nothing else finds."""

from typing import Any

from agent_conformance import Cancelled
from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import assert_right
from tests.trying import WEATHER, verdicts

SENT_AGAIN = (
    WEATHER.replace("get_weather", "send_mail").replace("city", "to")
    + """
conversation:
  - user: Send a mail to Ann.
    model:
      - calls: [{name: send_mail, arguments: {to: Ann}}]
      - text: I sent it.
  - user: Send it unless you have.
    model:
      - calls: [{name: send_mail, arguments: {to: Ann}}]
      - text: I have sent it.
effects: {send_mail: {max: 1}}
"""
)
SENT = SENT_AGAIN.replace("{max: 1}", "2")
STEADY = (
    "system: You are a clerk.\n"
    + SENT_AGAIN.partition("effects:")[0]
    + "    expect: {should: {requests: [{at: 2, extends: prefix}]}}\n"
    + "waive: {steady-prefix: the expectation says it}\n"
)


class RunsNothingTwice(PlainAgent):
    """What it did once for these arguments it does not do again; the model gets the first result."""

    def begin(self, message: str) -> None:
        super().begin(message)
        self.done = getattr(self, "done", {})

    def run(self, name: str, arguments: Any) -> str:
        key = (name, str(arguments))
        if key not in self.done:
            self.done[key] = super().run(name, arguments)
        return self.done[key]


class CountsInTheSystemPrompt(PlainAgent):
    """Says in its system prompt how often it has asked: no request begins with the one before."""

    def body(self) -> dict[str, Any]:
        self.asked = getattr(self, "asked", 0) + 1
        body = super().body()
        body["messages"][0]["content"] += f" Request {self.asked}."
        return body


def findings(agent: Any, text: str) -> set[tuple[str, str, str]]:
    """Each id with what was expected and got."""
    return {
        (finding.id, finding.expected, finding.got) for verdict in verdicts(agent, text) for finding in verdict.findings
    }


def test_a_tool_that_runs_too_often_over_the_turns_is_named_with_its_turns() -> None:
    assert_right(RunsNothingTwice, SENT_AGAIN)
    assert findings(PlainAgent, SENT_AGAIN) == {
        (
            "effects[0]",
            "send_mail to run at most 1 time in the whole conversation",
            "it ran 2 times, in turn 1, turn 2",
        )
    }


def test_a_tool_that_runs_too_rarely_is_named_at_the_end() -> None:
    assert_right(PlainAgent, SENT)
    assert findings(RunsNothingTwice, SENT) == {
        ("effects[0]", "send_mail to run 2 times in the whole conversation", "it ran once, in turn 1")
    }


def test_a_request_that_begins_otherwise_is_advice() -> None:
    text = "wires: [openai-chat]\n" + STEADY

    assert_right(PlainAgent, text)
    (verdict,) = verdicts(CountsInTheSystemPrompt, text)
    (finding,) = verdict.findings
    assert (verdict.outcome, finding.id, finding.level) == ("pass", "2.should.requests[0]", "should")
    assert "the system prompt" in finding.got


class StopsAfterTheNextRequest(PlainAgent):
    """Notices that it was cancelled once the model has answered again, and has a note in place of what the turn did."""

    features = PlainAgent.features | {"cancel"}
    is_stopped = False

    def cancel(self) -> None:
        self.is_stopped = True

    def send(self, message: str) -> Any:
        length = len(self.messages) + 1
        reply = super().send(message)
        if self.is_stopped:
            self.is_stopped = False
            self.messages[length:] = [{"role": "assistant", "content": "[Stopped by the user. A mail may be sent.]"}]
            raise Cancelled("the user has cancelled it")
        return reply


def test_turn_after_a_cancelled_one_may_begin_otherwise() -> None:
    cancelled = SENT_AGAIN.partition("effects:")[0].replace(
        "Ann.\n", "Ann.\n    cancel: {at: tool}\n    expect: {outcome: cancelled}\n"
    )

    assert_right(StopsAfterTheNextRequest, f"wires: [openai-chat]\n{cancelled}")
