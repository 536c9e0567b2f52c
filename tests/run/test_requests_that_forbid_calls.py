"""A request with `tool_choice: none` gets no calls: providers promise that, and agents that stop rely on it."""

from typing import Any

from tests.agents.plain import PlainAgent
from tests.trying import WEATHER, only_findings

FOREVER = (
    WEATHER
    + """
limits: {requests: 3}
conversation:
  - user: What is the weather in Oslo?
    model:
      - {calls: [{name: get_weather, arguments: {city: Oslo}}], forever: true}
    expect: {reply: The script is over.}
"""
)

FIVE_TIMES = (
    WEATHER
    + """
limits: {requests: 3}
conversation:
  - user: What is the weather in Oslo?
    model:
      - {calls: [{name: ghost, arguments: {}}], times: 5}
      - text: I do not know.
    expect: {reply: I do not know.}
"""
)

NO_CALLS: dict[str, dict[str, Any]] = {
    "openai-chat": {"tool_choice": "none"},
    "openai-responses": {"tool_choice": "none"},
    "anthropic-messages": {"tool_choice": {"type": "none"}},
    "gemini-generate": {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}},
}


class AsksForALastWord(PlainAgent):
    """Right: its last request offers the tools and forbids to call them. An answer of that request has no calls."""

    wires = tuple(NO_CALLS)

    def begin(self, message: str) -> None:
        self.left = self.most()
        super().begin(message)

    def body(self) -> dict[str, Any]:
        self.left -= 1
        return super().body() | (NO_CALLS[self.setup.wire] if self.left == 0 else {})

    def take(self, response: dict[str, Any]) -> Any:
        text, calls = super().take(response)
        if self.left == 0:
            assert not calls
        return text, calls


class OffersNoToolsAtLast(AsksForALastWord):
    """Right: its last request offers nothing."""

    wires = ("openai-chat", "openai-responses", "ollama-chat")

    def body(self) -> dict[str, Any]:
        self.left -= 1
        body = PlainAgent.body(self)
        return {key: value for key, value in body.items() if key != "tools"} if self.left == 0 else body


class TakesIt(PlainAgent):
    """Wrong: it has no last word, and ends its turn with a call that has no result."""

    wires = tuple(NO_CALLS)

    def send(self, message: str) -> Any:
        self.begin(message)
        for _ in range(self.most()):
            text, calls = self.ask()
            if not calls:
                return text
            if _ < self.most() - 1:
                self.answer([(id, name, self.run(name, arguments)) for id, name, arguments in calls])
        return "I stop."


def test_a_last_request_that_forbids_calls_gets_words() -> None:
    assert only_findings(AsksForALastWord, FOREVER) == {f"{wire}+plain": [] for wire in NO_CALLS}
    assert only_findings(AsksForALastWord, FIVE_TIMES) == {f"{wire}+plain": [] for wire in NO_CALLS}


def test_a_last_request_without_tools_gets_words() -> None:
    found = only_findings(OffersNoToolsAtLast, FOREVER)

    assert found == {f"{wire}+plain": [] for wire in OffersNoToolsAtLast.wires}


def test_a_call_that_is_left_open_is_found_where_calls_were_allowed() -> None:
    found = only_findings(TakesIt, FOREVER.replace("{reply: The script is over.}", "{outcome: reply}"))

    assert found == {f"{wire}+plain": ["survives"] for wire in NO_CALLS}


class ForbidsEveryCall(PlainAgent):
    """Wrong: the model cannot call what the scenario has it call."""

    wires = tuple(NO_CALLS)

    def body(self) -> dict[str, Any]:
        return super().body() | NO_CALLS[self.setup.wire]

    def take(self, response: dict[str, Any]) -> Any:
        text, calls = super().take(response)
        assert not calls
        return text, calls


def test_a_first_request_that_forbids_calls_gets_words_too() -> None:
    found = only_findings(ForbidsEveryCall, FIVE_TIMES)

    assert found == {f"{wire}+plain": [] for wire in NO_CALLS}
