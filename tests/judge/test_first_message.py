"""A request that does not begin with the user is advice, but for one without any user message where that is refused."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL_BEFORE, verdicts

RESTORED = (
    ONE_CALL_BEFORE
    + """
waive: {kept-whole: it is about where a request begins}
conversation:
  - user: ""
    model:
      - text: Sun.
"""
)


class BeginsWithTheCall(PlainAgent):
    """Restores a history from its second message on."""

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        del self.messages[0]


class HasNoUser(BeginsWithTheCall):
    """Wrong: sends no user message at all."""

    def begin(self, message: str) -> None:
        return


def levels(agent: Any, text: str, **options: Any) -> dict[str, str]:
    [verdict] = verdicts(agent, text, **options)
    return {finding.id: finding.level for finding in verdict.findings if finding.id == "user-first"}


@pytest.mark.parametrize("wire", ["openai-chat", "openai-responses", "anthropic-messages", "ollama-chat"])
def test_beginning_with_a_call_is_advice_where_it_is_accepted(wire: str) -> None:
    text = RESTORED.replace('user: ""', "user: And tomorrow?")
    [verdict] = verdicts(BeginsWithTheCall, text, wires=(wire,))

    assert [(finding.id, finding.level) for finding in verdict.findings] == [("user-first", "should")]
    assert verdict.outcome == "pass"


@pytest.mark.parametrize(
    ("wire", "provider", "level"),
    [
        ("openai-chat", "openai", "should"),
        ("openai-chat", "vllm", "must"),
        ("openai-chat", "llama.cpp", "must"),
        ("ollama-chat", "ollama", "must"),
    ],
)
def test_no_user_message_at_all_is_a_failure_where_servers_refuse_it(wire: str, provider: str, level: str) -> None:
    assert levels(HasNoUser, RESTORED, wires=(wire,), providers=(provider,)) == {"user-first": level}


class BeginsWithTheResult(PlainAgent):
    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        del self.messages[:2]


class BeginsWithTheAnswer(PlainAgent):
    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        del self.messages[:3]


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (BeginsWithTheCall, "it begins with an assistant message that calls get_weather"),
        (BeginsWithTheResult, "it begins with a tool result"),
        (BeginsWithTheAnswer, 'it begins with an assistant message: "Rain."'),
        (HasNoUser, "it begins with an assistant message that calls get_weather; there is no user message at all"),
    ],
)
def test_finding_says_what_the_request_begins_with(agent: Any, said: str) -> None:
    text = RESTORED if agent is HasNoUser else RESTORED.replace('user: ""', "user: And tomorrow?")
    [verdict] = verdicts(agent, text, wires=("ollama-chat",))

    assert [finding.got for finding in verdict.findings if finding.id == "user-first"] == [said]


@pytest.mark.parametrize("provider", ["openai", "vllm"])
def test_right_agent_begins_with_the_user(provider: str) -> None:
    text = RESTORED.replace('user: ""', "user: And tomorrow?")
    [verdict] = verdicts(PlainAgent, text, wires=("openai-chat",), providers=(provider,))

    assert verdict.findings == ()
