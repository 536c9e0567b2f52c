"""Bugs that a session shows only when it is long: one changed method each of a right agent."""

import json
from dataclasses import replace
from typing import Any

from openai import APIConnectionError

from agent_conformance import AgentError, Message, Setup, Tool, ToolError
from tests.agents.plain import SHAPES, PlainAgent
from tests.wrong_agents.raw_stream import RawStream
from tests.wrong_agents.sdk_loop import SdkLoop
from tests.wrong_agents.wrong import wrong

MOST_TOOLS = 40
BUDGET = 100_000
"""Characters of all results of a session together."""


@wrong("microsoft/vscode-copilot-release/issues/13337", ("long-sessions/hundred-tools", "offered"))
class OffersTheFirstForty(SdkLoop):
    def tools(self) -> list[Tool]:
        return super().tools()[:MOST_TOOLS]


@wrong("NousResearch/hermes-agent/issues/70724", ("long-sessions/ids-begin-anew-in-each-round", "own-result"))
class KeepsResultsById(SdkLoop):
    features = SdkLoop.features | {"open-models"}

    def run_batch(self, answer: Any) -> None:
        super().run_batch(answer)
        results: dict[str, str] = {}
        for message in self.messages:
            if message["role"] == "tool":
                message["content"] = results.setdefault(message["tool_call_id"], message["content"])


@wrong("openclaw/openclaw/issues/143526", ("long-sessions/small-result-in-a-full-session", "kept-whole"))
class HasOneBudgetForAllResults(SdkLoop):
    def text(self, value: Any) -> str:
        used = sum(len(message["content"]) for message in self.messages if message["role"] == "tool")
        return Tool.text(value)[: max(0, BUDGET - used)]


@wrong(
    "block/goose/issues/2951",
    ("long-sessions/cancelled-in-the-eleventh-round", "accepted:openai/tool-calls-unanswered"),
)
class LeavesTheCancelledCallOpen(SdkLoop):
    def end_stopped(self) -> None:
        if self.stopped:
            self.messages.pop()
        super().end_stopped()


class AsksAgain(SdkLoop):
    """Right: a request whose connection was lost is sent once more as it was."""

    def ask(self, *, last: bool) -> Any:
        try:
            return super().ask(last=last)
        except APIConnectionError:
            self.lost()
            return super().ask(last=last)

    def lost(self) -> None:
        """Called before the second attempt."""


@wrong(
    "strands-agents/sdk-typescript/issues/687",
    ("long-sessions/connection-lost-in-the-ninth-round[*]", "paired"),
)
class BeginsTheTurnAgain(AsksAgain):
    def lost(self) -> None:
        del self.messages[self.start_of_turn() + 1 :]


@wrong("cline/cline/issues/1612", ("long-sessions/failures-that-are-far-apart", "1.should.outcome"))
class GivesUpAtTheThirdFailure(SdkLoop):
    failures = 0

    def error_text(self, tool: Tool, error: ToolError) -> str:
        self.failures += 1
        return super().error_text(tool, error)

    def run_batch(self, answer: Any) -> None:
        super().run_batch(answer)
        if self.failures == 3:
            raise AgentError("three tools have failed")


@wrong("NousResearch/hermes-agent/issues/92231", ("long-sessions/requests-grow-by-what-is-new", "21.requests*"))
class SaysTheInstructionsInEachTurn(SdkLoop):
    def begin(self, message: str) -> None:
        self.resume()
        self.messages.append({"role": "user", "content": f"{self.setup.system}\n\n{message}"})


@wrong("langbot-app/LangBot/issues/2329", ("long-sessions/streamed-rounds", "narration-apart"))
class AddsUpTheRounds(RawStream):
    shown = ""

    def end(self) -> None:
        super().end()
        self.shown += self.text

    def reply(self) -> str:
        shown, self.shown = self.shown, ""
        return shown


@wrong("openclaw/openclaw/issues/112725", ("long-sessions/summary-beside-an-open-question", "paired"))
class ForgetsWhatTheUserAllowed(SdkLoop):
    def shorten_results(self) -> None:
        self.messages = self.messages[-1:]


class SendsThoughtsBack(PlainAgent):
    """Right: each message of the model goes back as it came."""

    wires = ("anthropic-messages",)


@wrong("anthropics/claude-code/issues/24087", ("long-sessions/thinking-in-sixteen-rounds", "accepted:*"))
class ShortensOldThoughts(SendsThoughtsBack):
    def body(self) -> dict[str, Any]:
        body = json.loads(json.dumps(super().body()))
        old = body["messages"][:-6]
        for block in (block for message in old if message["role"] == "assistant" for block in message["content"]):
            if block["type"] == "thinking":
                block["thinking"] = block["thinking"][:12]
        return dict(body)


class TellsInWords(PlainAgent):
    """Right: at another provider it begins anew, with what was said, called and returned in its own words."""

    wires = ("anthropic-messages", "openai-chat", "openai-responses")
    features = PlainAgent.features | {"model-switch"}

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.said: list[Message] = []

    def begin(self, message: str) -> None:
        super().begin(message)
        self.said.append(Message("user", message))

    def reply(self, text: str) -> str:
        self.said.append(Message("assistant", text))
        return text

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.said += [Message("user", f"{name} returned: {text}") for _, name, text in results]

    def switch(self, setup: Setup) -> None:
        said = self.said
        self.__init__(replace(setup, history=tuple(said)))  # type: ignore[misc]
        self.said = said


@wrong("can1357/oh-my-pi/issues/6379", ("long-sessions/model-changed-after-ten-turns[chat]", "accepted:*"))
class KeepsTheOldShape(TellsInWords):
    def switch(self, setup: Setup) -> None:
        self.setup, self.shape = setup, SHAPES[setup.wire](setup)


class GoesOnWithAnotherModel(PlainAgent):
    """Right: all that was said and found goes to the model that the user chooses now."""

    wires = ("openai-chat",)
    features = PlainAgent.features | {"model-switch"}

    def switch(self, setup: Setup) -> None:
        self.setup, self.shape = setup, SHAPES[setup.wire](setup)


@wrong("pingdotgg/t3code/pull/1296", ("turns/switched-to-another-model", "2.requests[0]"))
class LeavesResultsBehind(GoesOnWithAnotherModel):
    def switch(self, setup: Setup) -> None:
        super().switch(setup)
        self.messages = [message for message in self.messages if message.get("content") and message["role"] != "tool"]
