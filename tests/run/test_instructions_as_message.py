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


HISTORY = """
wires: [openai-chat]
history:
  - {system: Be brief.}
  - {user: What is a pear?}
  - {assistant: A fruit.}
conversation:
  - user: And a quince?
    model: [{text: Another one.}]
    expect: {requests: [{at: 1, system: {contains: [Be brief.]}}]}
"""


class SaysTheHistorysAsTheUser(KeepsAll):
    """The system message of its history becomes a message of the user."""

    instructions_as_message = True

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.messages = [{**one, "role": "user"} if one["role"] == "system" else one for one in self.messages]


class DoesNotDeclareThat(SaysTheHistorysAsTheUser):
    instructions_as_message = False


class Drops(SaysTheHistorysAsTheUser):
    """Wrong: it is said nowhere."""

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        del self.messages[0]


@pytest.mark.parametrize(
    ("agent", "found"),
    [(SaysTheHistorysAsTheUser, []), (DoesNotDeclareThat, ["1.requests[0]"]), (Drops, ["1.requests[0]"])],
)
def test_system_message_of_a_history_counts_there_too(agent: type, found: list[str]) -> None:
    assert only_findings(agent, HISTORY) == {"openai-chat+stream": found}
