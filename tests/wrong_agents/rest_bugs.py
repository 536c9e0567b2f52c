"""Bugs of agents that post bodies of their own making: one changed method each of a small right agent."""

from typing import Any

from tests.agents.plain import PlainAgent
from tests.wrong_agents.wrong import wrong


class Failure(str):
    """The text of a result of a tool that failed."""


class FlagsFailures(PlainAgent):
    """Right: what failed goes back with its flag."""

    wires = ("anthropic-messages",)

    def run(self, name: str, arguments: Any) -> str:
        text = super().run(name, arguments)
        return Failure(text) if text.startswith(f"{name} failed") else text

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        for block in self.messages[-1]["content"]:
            block["is_error"] = isinstance(block["content"], Failure)


@wrong("run-llama/llama_index/issues/22944", ("round-trip/failure-stays-a-failure", "failed-result"))
class MakesASuccessOfAFailure(FlagsFailures):
    def run(self, name: str, arguments: Any) -> str:
        return str(super().run(name, arguments).removeprefix(f"{name} failed: "))


@wrong("appstrate/appstrate/issues/1490", ("round-trip/failure-stays-a-failure", "failed-result"))
class SaysSuccessBeforeEachResult(FlagsFailures):
    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer([(id, name, f"Successfully called tool: {text}") for id, name, text in results])


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
