"""Bugs that Bedrock alone refuses, or that its streams alone hide: one changed method each of a small right agent."""

import json
from typing import Any

from botocore.eventstream import EventStreamBuffer

from agent_conformance import Message, Setup
from tests.agents.plain import CLIENT, GaveUp, PlainAgent
from tests.wrong_agents.wrong import wrong

NO_TOOL = {"name": "no_tool", "description": "Answer in words.", "inputSchema": {"json": {"type": "object"}}}


class Converses(PlainAgent):
    """Right: results go back together, failures with their flag, and calls of the past are never without a tool."""

    wires = ("bedrock-converse",)

    def run(self, name: str, arguments: Any) -> str:
        return super().run(name, arguments) or "The tool said nothing."

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        for block in self.messages[-1]["content"]:
            result = block["toolResult"]
            if " failed" in result["content"][0]["text"]:
                result["status"] = "error"
        self.sent()

    def restore(self, role: str, run: list[Message]) -> None:
        super().restore(role, run)
        failed = {message.tool_call_id for message in run if message.is_error}
        for block in self.messages[-1]["content"] if failed else ():
            if block["toolResult"]["toolUseId"] in failed:
                block["toolResult"]["status"] = "error"

    def sent(self) -> None:
        """Called when results are the last message."""

    def body(self) -> dict[str, Any]:
        body = super().body()
        if "toolConfig" not in body and self.has_calls():
            body["toolConfig"] = {"tools": [{"toolSpec": NO_TOOL}]}
        return body

    def has_calls(self) -> bool:
        return any("toolUse" in block for message in self.messages for block in message["content"])


@wrong("agno-agi/agno/issues/6694", ("parallel/all-answered", "accepted:bedrock/tool-results-missing"))
class SendsEachResultAlone(Converses):
    def sent(self) -> None:
        blocks = self.messages.pop()["content"]
        self.messages += [{"role": "user", "content": [block]} for block in blocks]


@wrong("NousResearch/hermes-agent/issues/108584", ("parallel/equal-calls", "accepted:bedrock/tool-results-missing"))
class AnswersOneOfTwoEqualCalls(Converses):
    def sent(self) -> None:
        content = self.messages[-1]["content"]
        self.messages[-1]["content"] = (
            content[:1] if len({str(one["toolResult"]["content"]) for one in content}) == 1 else content
        )


@wrong("BerriAI/litellm/issues/20048", ("round-trip/result-comes-back", "accepted:bedrock/tool-result-ids-duplicate"))
class StoresAResultTwice(Converses):
    def sent(self) -> None:
        self.messages[-1]["content"] *= 2


@wrong(
    "aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15",
    ("faults/tool-raises", "accepted:bedrock/error-without-content"),
    ("faults/fails-without-a-word", "accepted:bedrock/error-without-content"),
)
class FailsWithoutAWord(Converses):
    def sent(self) -> None:
        for block in self.messages[-1]["content"]:
            if block["toolResult"].get("status") == "error":
                block["toolResult"]["content"] = []


@wrong("zeroclaw-labs/zeroclaw/issues/1476", ("faults/tool-raises", "accepted:bedrock/tool-results-missing"))
class TellsFailuresAsTheUser(Converses):
    def sent(self) -> None:
        said = [block["toolResult"]["content"][0] for block in self.messages[-1]["content"]]
        self.messages[-1]["content"] = said


@wrong("nearai/ironclaw/issues/1629", ("no-tools/taken-away-after-a-call", "accepted:bedrock/tool-config-missing"))
class LeavesToolsOutOnceTheyAreCalled(Converses):
    def has_calls(self) -> bool:
        return False


class LeavesEmptyMessagesOut(Converses):
    """Right: an answer of the past that says nothing is not sent; two messages of the user may follow each other."""

    def restore(self, role: str, run: list[Message]) -> None:
        super().restore(role, run)
        if not self.messages[-1]["content"]:
            self.messages[-1:] = self.instead()

    def instead(self) -> list[dict[str, Any]]:
        return []


@wrong(
    "NousResearch/hermes-agent/issues/61318",
    ("history/empty-assistant-message[nothing]", "accepted:bedrock/claude-text-blank"),
)
class PadsEmptyMessagesWithABlank(LeavesEmptyMessagesOut):
    def instead(self) -> list[dict[str, Any]]:
        return [{"role": "assistant", "content": [{"text": " "}]}]


@wrong("earendil-works/pi/issues/3443", ("history/empty-assistant-message[nothing]", "accepted:bedrock/content-empty"))
class KeepsEmptyMessages(LeavesEmptyMessagesOut):
    def instead(self) -> list[dict[str, Any]]:
        return [{"role": "assistant", "content": []}]


@wrong(
    "aws-samples/remote-swe-agents/issues/457",
    ("round-trip/result-comes-back", "accepted:bedrock/tool-name-characters"),
)
class NamesToolsByTheirServer(Converses):
    def body(self) -> dict[str, Any]:
        body = super().body()
        for tool in body.get("toolConfig", {}).get("tools", ()):
            tool["toolSpec"]["name"] = f"server.{tool['toolSpec']['name']}"
        return body


@wrong("sigoden/aichat/issues/1550", ("round-trip/kinds-of-result[list]", "accepted:bedrock/result-json"))
class SendsAListAsJson(Converses):
    def sent(self) -> None:
        for block in self.messages[-1]["content"]:
            text = block["toolResult"]["content"][0]["text"]
            if text.startswith("["):
                block["toolResult"]["content"] = [{"json": json.loads(text)}]


class KeepsTurnsApart(Converses):
    """Right: some models take calls and results in turns of their own alone, without words beside them."""

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        text, calls = super().take(response)
        if calls:
            self.messages[-1]["content"] = self.beside(self.messages[-1]["content"])
        return text, calls

    def beside(self, content: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [block for block in content if "text" not in block]

    def begin(self, message: str) -> None:
        if self.messages and "toolResult" in self.messages[-1]["content"][0]:
            self.messages += self.between()
        super().begin(message)

    def between(self) -> list[dict[str, Any]]:
        return [{"role": "assistant", "content": [{"text": "I was interrupted."}]}]


@wrong(
    "quarkiverse/quarkus-langchain4j/issues/1983",
    ("round-trip/words-beside-a-call-are-refused", "accepted:bedrock/calls-beside-text"),
)
class KeepsWordsBesideCalls(KeepsTurnsApart):
    def beside(self, content: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return content


@wrong(
    "strands-agents/harness-sdk/issues/1223",
    ("history/question-after-a-result", "accepted:bedrock/results-beside-text"),
)
class AsksBesideAResult(KeepsTurnsApart):
    def between(self) -> list[dict[str, Any]]:
        return []


class RestoresArguments(Converses):
    """Right: arguments that are no JSON become an object that holds them."""

    def restore(self, role: str, run: list[Message]) -> None:
        super().restore(role, run)
        calls = {call.id: call for message in run for call in message.tool_calls if call.arguments is None}
        for block in self.messages[-1]["content"]:
            if (use := block.get("toolUse")) and use["toolUseId"] in calls:
                use["input"] = self.input_of(calls[use["toolUseId"]].text)

    def input_of(self, text: str) -> Any:
        return {"unreadable": text}


@wrong("vercel/ai/issues/19023", ("history/arguments-that-do-not-parse[*]", "accepted:bedrock/call-input"))
class KeepsUnreadableArgumentsAsText(RestoresArguments):
    def input_of(self, text: str) -> Any:
        return text


class StreamsConverse(Converses):
    """Right: a stream without `messageStop` has broken off, also where its last frame is whole."""

    modes = ("stream",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.shape.path += "-stream"

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        response = CLIENT.post(self.setup.base_url + self.shape.path, json=body, headers=self.shape.headers)
        if response.status_code != 200:
            raise GaveUp(f"{response.status_code} {response.text[:200]}")
        buffer, blocks, stopped = EventStreamBuffer(), {}, False
        buffer.add_data(response.content)
        for frame in buffer:
            event = json.loads(frame.payload)
            match frame.headers.get(":event-type"):
                case "contentBlockStart":
                    blocks[event["contentBlockIndex"]] = {"toolUse": {**event["start"]["toolUse"], "input": ""}}
                case "contentBlockDelta":
                    self.join(blocks.setdefault(event["contentBlockIndex"], {}), event["delta"])
                case "messageStop":
                    stopped = True
                case None:
                    raise GaveUp(event["message"])
        self.end(stopped)
        for block in blocks.values():
            if "toolUse" in block:
                block["toolUse"]["input"] = json.loads(block["toolUse"]["input"] or "{}")
        return {"output": {"message": {"content": list(blocks.values())}}}

    def join(self, block: dict[str, Any], delta: dict[str, Any]) -> None:
        if "toolUse" in delta:
            block["toolUse"]["input"] += delta["toolUse"]["input"]
        else:
            block["text"] = block.get("text", "") + delta["text"]

    def end(self, stopped: bool) -> None:
        if not stopped:
            raise GaveUp("the stream broke off")


@wrong("NousResearch/hermes-agent/issues/109988", ("streaming/without-an-end[in-an-event]", "1.should.reply"))
class TakesEachEndForTheEnd(StreamsConverse):
    def end(self, stopped: bool) -> None:
        pass
