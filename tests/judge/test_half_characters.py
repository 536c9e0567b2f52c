"""Half a character in a call reaches the agent as the script has it, or the wire cannot say it."""

import json
from typing import Any

import pytest

from tests.agents.plain import CLIENT, GaveUp, PlainAgent
from tests.trying import WEATHER, only_findings

HALF = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments_text: '{"city": "Os\\ud83d"}'}]
      - text: I do not know.
"""
)


class Replaces(PlainAgent):
    """Right: written in a language whose texts have no half character."""

    def run(self, name: str, arguments: Any) -> str:
        return super().run(name, {"city": arguments["city"].replace("\ud83d", "\ufffd")})


class Drops(PlainAgent):
    """Wrong: loses what it cannot read."""

    def run(self, name: str, arguments: Any) -> str:
        return super().run(name, {"city": "Os"})


@pytest.mark.parametrize(("agent", "found"), [(PlainAgent, []), (Replaces, []), (Drops, ["sent-arguments"])])
def test_half_a_character_is_sent_as_it_is_or_not_at_all(agent: Any, found: list[str]) -> None:
    assert only_findings(agent, HALF) == {
        "openai-chat+plain": found,
        "openai-responses+plain": found,
    }


RETURNED = """
wires: [anthropic-messages]
tools:
  - name: read_chat
    description: The messages of a chat.
    parameters: {}
    returns: {half: See you in Oslo 😀}
conversation:
  - user: {half: Where do they meet? 😀}
    model:
      - calls: [{name: read_chat, arguments: {}}]
      - text: In Oslo.
    expect:
      requests: [{at: 2, contains: [See you in Oslo]}]
"""


class SentAs(PlainAgent):
    """Half a character goes into the body as `written` does it."""

    written: Any = None

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        headers = {**self.shape.headers, "content-type": "application/json"}
        response = CLIENT.post(self.setup.base_url + self.shape.path, content=self.written(body), headers=headers)
        if response.status_code != 200:
            raise GaveUp(f"{response.status_code} {response.text[:200]}")
        answer: dict[str, Any] = response.json()
        return answer


class AsEscape(SentAs):
    """Wrong: it is sent as it is."""

    written = staticmethod(lambda body: json.dumps(body).encode())


class AsReplacement(SentAs):
    """Right: it is replaced."""

    written = staticmethod(lambda body: json.dumps(body, ensure_ascii=False).encode(errors="replace"))


class LeftOut(SentAs):
    """Right: it is left out."""

    written = staticmethod(lambda body: json.dumps(body, ensure_ascii=False).encode(errors="ignore"))


@pytest.mark.parametrize(
    ("agent", "found"),
    [
        (AsReplacement, []),
        (LeftOut, []),
        (AsEscape, ["accepted:anthropic/lone-surrogate"]),
        (PlainAgent, ["answers"]),
    ],
)
def test_half_a_character_from_outside_is_replaced_or_left_out(agent: Any, found: list[str]) -> None:
    """The plain agent's HTTP library cannot encode it, and the agent crashes."""
    assert only_findings(agent, RETURNED) == {"anthropic-messages+plain": found}
