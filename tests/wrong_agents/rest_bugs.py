"""Bugs of agents that post bodies of their own making: one changed method each of a small right agent."""

from typing import Any

from tests.agents.plain import PlainAgent
from tests.wrong_agents.wrong import wrong


class ClosesInWords(PlainAgent):
    """Right: the last request that its limit allows offers no tools, so that the model answers."""

    def send(self, message: str) -> Any:
        self.left = self.most()
        return super().send(message)

    def body(self) -> dict[str, Any]:
        self.left -= 1
        return super().body() if self.left else self.closing(super().body())

    def closing(self, body: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in body.items() if key != "tools"}


@wrong("NousResearch/hermes-agent/issues/109207", ("loops/last-request-at-xai", "accepted:*"))
class ChoosesAmongNoTools(ClosesInWords):
    wires = ("openai-responses",)

    def closing(self, body: dict[str, Any]) -> dict[str, Any]:
        return super().closing(body) | {"tool_choice": "auto"}
