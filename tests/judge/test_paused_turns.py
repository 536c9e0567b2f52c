"""A turn that the provider has paused: right agents send it back or close it, and wrong ones have one finding."""

from typing import Any

import pytest

from tests.agents.plain import Messages, PlainAgent
from tests.trying import only_findings

PAUSED = """
server_tools: [web_search]
conversation:
  - user: What is the weather in Oslo?
    model:
      - text: I will look it up.
        server_calls: [{name: web_search, arguments: {query: Oslo}}]
        finish: pause
      - server_calls: [{name: web_search, result: rain}]
        text: It rains.
    expect:
      reply: {contains: [It rains.]}
"""
SEARCH = {"type": "web_search_20250305", "name": "web_search"}


class SendsItBack(PlainAgent):
    """Right: sends the paused content back as it is, as the documentation says."""

    wires = ("anthropic-messages",)
    features = PlainAgent.features | {"server-tools"}
    shape: Messages

    def body(self) -> dict[str, Any]:
        body = super().body()
        return {**body, "tools": [*body.get("tools", ()), SEARCH]} if self.setup.server_tools else body

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        while response["stop_reason"] == "pause_turn":
            self.pause(response["content"])
            response = self.post(self.body())
        return super().take(response)

    def pause(self, content: list[dict[str, Any]]) -> None:
        self.messages.append({"role": "assistant", "content": content})


class ClosesIt(SendsItBack):
    """Right: keeps the text alone, and asks for the rest as the user."""

    def pause(self, content: list[dict[str, Any]]) -> None:
        text = "".join(block.get("text", "") for block in content)
        self.messages += [{"role": "assistant", "content": text}, {"role": "user", "content": "Go on."}]


class KeepsNoSearches(SendsItBack):
    """Right: once the turn is over, its searches are dropped from the history, each as a whole."""

    def reply(self, text: str) -> str:
        kept = [text_of(message) for message in self.messages if text_of(message)["content"]]
        self.messages = kept
        return text


class TakesItForTheEnd(SendsItBack):
    """Wrong: "I will look it up." is the answer."""

    take = PlainAgent.take


class AsksOnTop(SendsItBack):
    """Wrong: the search stays open, and a message of the user follows."""

    def pause(self, content: list[dict[str, Any]]) -> None:
        super().pause(content)
        self.messages.append({"role": "user", "content": "Go on."})


class SendsTheTextBack(SendsItBack):
    """Wrong: of the paused content only the text goes back, as the beginning of an answer."""

    def pause(self, content: list[dict[str, Any]]) -> None:
        super().pause([block for block in content if block["type"] == "text"])


def text_of(message: dict[str, Any]) -> dict[str, Any]:
    content = message["content"]
    if isinstance(content, list):
        content = [block for block in content if block["type"] == "text"]
    return {**message, "content": content}


@pytest.mark.parametrize("agent", [SendsItBack, ClosesIt, KeepsNoSearches])
def test_right_agent_goes_on(agent: Any) -> None:
    assert only_findings(agent, PAUSED) == {"anthropic-messages+plain": []}


@pytest.mark.parametrize(
    ("agent", "finding"),
    [
        (TakesItForTheEnd, "1.reply"),
        (AsksOnTop, "accepted:anthropic/server-tool-unanswered"),
        (SendsTheTextBack, "accepted:anthropic/prefill"),
    ],
)
def test_wrong_agent_has_one_finding(agent: Any, finding: str) -> None:
    found = only_findings(agent, PAUSED)["anthropic-messages+plain"]

    assert found[0] == finding
    assert set(found) <= {finding, "survives"}


def test_agent_that_does_not_declare_it_is_not_verified() -> None:
    class Plain(PlainAgent):
        wires = ("anthropic-messages",)

    assert only_findings(Plain, PAUSED) == {"anthropic-messages+plain": ["not-verified: needs server-tools"]}


def test_other_wires_have_no_case() -> None:
    class OnChat(SendsItBack):
        wires = ("openai-chat",)

    assert only_findings(OnChat, PAUSED) == {}
