"""A search that the provider runs before its answer: right agents read over it, and wrong ones have one finding."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.trying import only_findings

SEARCHED = """
server_tools: [web_search]
conversation:
  - user: What is the weather in Oslo?
    model:
      - server_calls: [{name: web_search, arguments: {query: Oslo}, result: rain}]
        thinking: The user asks for Oslo.
        text: It rains in Oslo.
        sources: [{url: https://example.org/oslo, text: rains}]
    expect:
      request_count: {max: 1}
      reply: It rains in Oslo.
  - user: And tomorrow?
    model:
      - text: Sun.
    expect:
      reply: Sun.
"""
SEARCHES = {
    "openai-responses": {"type": "web_search"},
    "anthropic-messages": {"type": "web_search_20250305", "name": "web_search"},
}
RESPONSES = "openai-responses+plain"


class SendsItBack(PlainAgent):
    """Right: what the provider sent goes back as it came."""

    wires = ("openai-responses", "anthropic-messages")
    features = PlainAgent.features | {"server-tools"}

    def body(self) -> dict[str, Any]:
        body = super().body()
        return {**body, "tools": [*body.get("tools", ()), SEARCHES[self.setup.wire]]}


class LetsItBeStored(SendsItBack):
    """Right: the responses are stored, and all items go back with their ids."""

    wires = ("openai-responses",)

    def body(self) -> dict[str, Any]:
        return {**super().body(), "store": True}


class KeepsTheTextAlone(SendsItBack):
    """Right: the answer alone is remembered."""

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        _, text, calls = self.shape.read(response)
        self.messages.append({"role": "assistant", "content": text})
        return text, calls


class ReadsTheFirstItem(SendsItBack):
    """Wrong: the answer is read at a fixed place."""

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        text, calls = super().take(response)
        first = (response.get("output") or response.get("content"))[0]
        return (text if first["type"] in ("message", "text") else "No response"), calls


class RunsItAgain(SendsItBack):
    """Wrong: a search of the provider is taken for a call of a tool, and another request tells what became of it."""

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        text, calls = super().take(response)
        kinds = {item["type"] for item in response.get("output") or response.get("content")}
        if kinds & {"web_search_call", "server_tool_use"}:
            self.messages += self.shape.user("There is no tool web_search.")
            return super().take(self.post(self.body()))
        return text, calls


class ForgetsTheReasoning(LetsItBeStored):
    """Wrong: the search goes back without the reasoning before it, which OpenAI has stored with it."""

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        found = super().take(response)
        self.messages = [message for message in self.messages if message.get("type") != "reasoning"]
        return found


class LosesTheQuery(SendsItBack):
    """Wrong: the block goes back as it began in the stream, before its input had come."""

    wires = ("anthropic-messages",)

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        for block in response["content"]:
            if block["type"] == "server_tool_use":
                block["input"] = {}
        return super().take(response)


@pytest.mark.parametrize("agent", [SendsItBack, LetsItBeStored, KeepsTheTextAlone])
def test_right_agent_reads_over_the_search(agent: Any) -> None:
    assert set(map(tuple, only_findings(agent, SEARCHED).values())) == {()}


@pytest.mark.parametrize(
    ("agent", "finding"),
    [
        (ReadsTheFirstItem, "1.reply"),
        (RunsItAgain, "1.request_count"),
        (LosesTheQuery, "kept-whole"),
        (ForgetsTheReasoning, "accepted:openai/responses-item-without-thought"),
    ],
)
def test_wrong_agent_has_its_finding(agent: Any, finding: str) -> None:
    found = only_findings(agent, SEARCHED)

    assert all(named[0] == finding for named in found.values()), found
