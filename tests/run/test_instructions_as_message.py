"""A program that reads the system prompt from a file may send it in the user's first message, and only there."""

from typing import Any

import pytest

from tests.agents.session_styles import KeepsAll
from tests.trying import only_findings

RHYME = """
wires: [openai-chat]
system: Answer in rhyme.
conversation:
  - user: What is a pear?
    model: [{text: A pear to share.}]
  - user: And a quince?
    model: [{text: A quince to mince.}]
    expect:
      reply: A quince to mince.
      requests:
        - {at: 1, system: {contains: [Answer in rhyme.]}, added: {lacks: [Answer in rhyme.]}}
"""


class SaysItAsTheUser(KeepsAll):
    """As Codex has `AGENTS.md`: in a message of the user in front of the first one."""

    instructions_as_message = True

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.system = []
        self.messages = [{"role": "user", "content": f"# Instructions\n{setup.system}"}]


class SaysItInEachTurn(SaysItAsTheUser):
    def send(self, message: str) -> Any:
        return super().send(f"Answer in rhyme. {message}")


class DoesNotDeclareIt(SaysItAsTheUser):
    instructions_as_message = False


@pytest.mark.parametrize(
    ("agent", "found"),
    [
        (KeepsAll, []),
        (SaysItAsTheUser, []),
        (SaysItInEachTurn, ["2.requests[0]"]),
        (DoesNotDeclareIt, ["2.requests[0]"]),
    ],
)
def test_instructions_are_once_where_the_agent_declares_them(agent: type, found: list[str]) -> None:
    assert only_findings(agent, RHYME) == {"openai-chat+stream": found}
