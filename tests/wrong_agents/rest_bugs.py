"""Bugs of agents that post bodies of their own making: one changed method each of a small right agent."""

import time
from email.utils import parsedate_to_datetime
from typing import Any

from agent_conformance import Message, Tool
from tests.agents.plain import CLIENT, PlainAgent
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


class JoinsBlocks(PlainAgent):
    """Right: the reply is all texts of the answer, and they go back as they came."""

    wires = ("anthropic-messages",)


@wrong("AstroVela/vane/pull/160", ("round-trip/several-texts-in-one-reply", "1.reply"))
class ReadsTheFirstBlock(JoinsBlocks):
    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        text, calls = super().take(response)
        return next((block["text"] for block in response["content"] if block["type"] == "text"), text), calls


@wrong("mastra-ai/mastra/issues/23785", ("round-trip/several-texts-in-one-reply", "2.requests[0]"))
class StoresBlocksByTheirPlace(JoinsBlocks):
    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        taken = super().take(response)
        for message in self.messages[-1:]:
            texts = [block for block in message["content"] if block["type"] == "text"]
            others = [block for block in message["content"] if block["type"] != "text"]
            message["content"] = [*texts[1:], *texts[:1], *others]
        return taken


@wrong("zavora-ai/adk-rust/pull/655", ("reasoning/thoughts-go-back-with-the-result", "kept-whole"))
class StoresThoughtsAsText(JoinsBlocks):
    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        thoughts = [{"type": "text", "text": one["thinking"]} for one in response["content"] if "thinking" in one]
        taken = super().take(response)
        self.messages[-1:] = [
            message | {"content": [*thoughts, *(block for block in message["content"] if block["type"] != "thinking")]}
            for message in self.messages[-1:]
        ]
        return taken


class Compacts(PlainAgent):
    """Right: a summary of the conversation takes its place, once the user asks for that."""

    wires = ("openai-chat",)
    features = PlainAgent.features | {"compaction"}

    def compact(self) -> None:
        told = "\n".join(f"{message['role']}: {message.get('content')}" for message in self.messages)
        asked = [{"role": "user", "content": f"Summarise this conversation.\n{told}"}]
        response = self.post({"model": self.setup.model, "messages": asked})
        self.keep(f"Summary so far: {response['choices'][0]['message']['content']}")

    def keep(self, summary: str) -> None:
        self.messages = [{"role": "user", "content": summary}]


@wrong("open-webui/computer/issues/277", ("limits/compaction-on-demand", "4.requests[0]"))
class CompactsAnotherCopy(Compacts):
    def keep(self, summary: str) -> None:
        self.shown = [{"role": "user", "content": summary}]


@wrong("open-webui/computer/issues/277", ("limits/compaction-on-demand", "5.requests[0]"))
class CompactsOneTurn(Compacts):
    whole: tuple[dict[str, Any], ...] = ()

    def keep(self, summary: str) -> None:
        self.whole = (*self.messages,)
        super().keep(summary)

    def reply(self, text: str) -> str:
        self.messages = [*self.whole, *self.messages]
        self.whole = ()
        return text


class ComesBackLater(PlainAgent):
    """Right: it asks once more after what the provider asks for, as seconds or as a date, and a date may be over."""

    wires = ("openai-chat", "anthropic-messages")

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        response = CLIENT.post(self.setup.base_url + self.shape.path, json=body, headers=self.shape.headers)
        if response.status_code in (429, 503):
            time.sleep(self.seconds(response.headers.get("retry-after") or "0"))
        return super().post(body) if response.status_code != 200 else response.json()

    def seconds(self, said: str) -> float:
        return float(said) if said.isdigit() else max(0.0, parsedate_to_datetime(said).timestamp() - time.time())


@wrong("interviewstreet/hiring-agent/issues/386", ("faults/a-date-to-come-back[*]", "answers"))
class ReadsADateAsSeconds(ComesBackLater):
    def seconds(self, said: str) -> float:
        return float(said)


@wrong("openai/openai-java/issues/853", ("faults/a-date-to-come-back[*]", "answers"))
class SleepsUntilAPastDate(ComesBackLater):
    def seconds(self, said: str) -> float:
        return float(said) if said.isdigit() else parsedate_to_datetime(said).timestamp() - time.time()


class ClosesInWords(PlainAgent):
    """Right: the last request that its limit allows offers no tools, so that the model answers."""

    features = PlainAgent.features | {"open-models"}

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
    features = ClosesInWords.features | {"open-models"}

    def closing(self, body: dict[str, Any]) -> dict[str, Any]:
        return super().closing(body) | {"tool_choice": "auto"}


class KeepsSchemas(PlainAgent):
    """Right: the schema goes into the field that takes any JSON Schema."""

    wires = ("gemini-generate",)


@wrong(
    "genspark-ai/genoffice/issues/187", ("declarations/schema-words-some-refuse[list-of-types]", "accepted:gemini/*")
)
class SendsSchemasAsTheyAre(KeepsSchemas):
    def body(self) -> dict[str, Any]:
        body = super().body()
        for tool in body.get("tools", ()):
            for declaration in tool["functionDeclarations"]:
                declaration["parameters"] = declaration.pop("parametersJsonSchema")
        return body


class DropsStrayResults(PlainAgent):
    """Right: a result whose call is not there is left out, and the others stay."""

    wires = ("anthropic-messages",)

    def restore(self, role: str, run: list[Message]) -> None:
        kept = self.kept(run) if role == "tool" else run
        if kept:
            super().restore(role, kept)

    def kept(self, run: list[Message]) -> list[Message]:
        return [message for message in run if message.tool_call_id in self.open_ids()]

    def open_ids(self) -> set[str]:
        blocks = self.messages[-1]["content"] if self.messages else []
        return {block["id"] for block in blocks if isinstance(block, dict) and block["type"] == "tool_use"}


@wrong("google/adk-go/issues/766", ("history/orphan-result-amid[other-id]", "accepted:anthropic/tool-use-unanswered"))
class DropsAllResultsWithAStray(DropsStrayResults):
    def kept(self, run: list[Message]) -> list[Message]:
        kept = super().kept(run)
        return kept if len(kept) == len(run) else []


@wrong("NousResearch/hermes-agent/issues/48244", ("round-trip/kinds-of-result[object]", "arrives"))
class SendsTheTypeOfAnObject(PlainAgent):
    def run(self, name: str, arguments: Any) -> str:
        tool = next(tool for tool in self.tools() if tool.name == name)
        value = tool.call(arguments)
        return str(value) if isinstance(value, str) else "[object Object]"


@wrong("mudler/LocalAGI/pull/481", ("tool-names/invented-name[*]", "answers"))
class TrustsEachName(PlainAgent):
    def run(self, name: str, arguments: Any) -> str:
        return Tool.text({tool.name: tool for tool in self.tools()}[name].call(arguments))
