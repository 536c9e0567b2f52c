"""Bugs of loops around an SDK: what is kept, what runs, what the model gets, one changed method each."""

import json
from dataclasses import replace
from itertools import count
from typing import Any

from openai.types.chat import ChatCompletionMessage

from agent_conformance import AgentError, Setup, Tool, ToolCall
from tests.wrong_agents.sdk_loop import PENDING, STOPPED, SdkLoop
from tests.wrong_agents.wrong import wrong


@wrong("xorbitsai/xagent/issues/2416", ("round-trip/results-of-any-length[60000-characters]", "kept-whole"))
class CutsAt51200(SdkLoop):
    def text(self, value: Any) -> str:
        return Tool.text(value)[:51_200]


@wrong("cloudflare/agents/issues/2224", ("round-trip/results-of-any-length[25000-characters]", "kept-whole"))
class CutsAt24000(SdkLoop):
    def text(self, value: Any) -> str:
        return Tool.text(value)[:24_000]


@wrong("preset-io/agor/issues/2744", ("round-trip/messages-of-any-length[*]", "asked"))
class CutsMessagesAt1600(SdkLoop):
    def begin(self, message: str) -> None:
        super().begin(message[:1600])


@wrong("anthropics/claude-code/issues/74004", ("round-trip/messages-of-any-length[110000-characters]", "asked"))
class LosesTheMiddleOfMessages(SdkLoop):
    def begin(self, message: str) -> None:
        super().begin(message if len(message) < 100_000 else message[:20_000] + message[-20_000:])


@wrong("openai/codex/issues/13386", ("round-trip/instructions-of-any-length[40000-characters]", "system-kept"))
class CutsInstructionsAt32768(SdkLoop):
    def __init__(self, setup: Setup) -> None:
        super().__init__(replace(setup, system=setup.system[:32_768]))


@wrong("Aharshi3614/Devwhisper/issues/293", ("round-trip/same-words-in-three-turns", "answers"))
class AnswersFromACache(SdkLoop):
    def send(self, message: str) -> str:
        self.answers: dict[str, str] = getattr(self, "answers", {})
        if message not in self.answers:
            self.answers[message] = super().send(message)
        return self.answers[message]


@wrong("777genius/agent-teams-ai/pull/546", ("round-trip/same-words-in-three-turns", "kept-whole"))
class TakesWordsForTheSameMessage(SdkLoop):
    def begin(self, message: str) -> None:
        if all(one["content"] != message for one in self.messages if one["role"] == "user"):
            super().begin(message)


@wrong("microsoft/agent-framework/pull/6414", ("turns/call-that-needs-no-question", "1.should.approvals"))
class AsksAboutEachCall(SdkLoop):
    def run(self, tool: Tool, arguments: dict[str, Any]) -> str:
        if not tool.approval and not self.allowed(ToolCall(None, tool.name, arguments)):
            return "Error: the user does not allow this call."
        return super().run(tool, arguments)


@wrong(
    "can1357/oh-my-pi/pull/3303",
    ("arguments/empty-values-are-kept[list]", "sent-arguments"),
    ("arguments/empty-values-are-kept[text]", "sent-arguments"),
)
class LeavesOutWhatIsEmpty(SdkLoop):
    def run(self, tool: Tool, arguments: dict[str, Any]) -> str:
        required = tool.parameters.get("required", ())
        return super().run(
            tool, {name: one for name, one in arguments.items() if name in required or one not in ("", [])}
        )


@wrong("agno-agi/agno/issues/6760", ("arguments/names-of-arguments[runtime]", "answers"))
class SpreadsArguments(SdkLoop):
    def run(self, tool: Tool, arguments: dict[str, Any]) -> str:
        return self.entry(tool, agent=self, team=None, **arguments)

    def entry(self, tool: Tool, *, agent: Any, team: Any, **arguments: Any) -> str:
        return super().run(tool, arguments)


@wrong("SWE-agent/SWE-agent/issues/1019", ("round-trip/message-as-it-was-written[braces]", "answers"))
class FormatsItsPrompts(SdkLoop):
    def begin(self, message: str) -> None:
        super().begin(f"{message}\n\nYou are {{name}}.".format(name="an agent"))


@wrong("anthropics/claude-code/issues/81268", ("declarations/long-description", "offered"))
class CutsDescriptions(SdkLoop):
    def declaration(self, tool: Tool) -> dict[str, Any]:
        declared = super().declaration(tool)
        declared["function"]["description"] = tool.description[:500]
        return declared


@wrong("UKGovernmentBEIS/inspect_ai/pull/2011", ("round-trip/braces-in-the-instructions", "answers"))
class FormatsItsInstructions(SdkLoop):
    def options(self, *, last: bool) -> Any:
        f"{self.setup.system}\nYou have {{tools}}.".format(tools=len(self.tools()))
        return super().options(last=last)


@wrong("odysseus-dev/odysseus/pull/2529", ("declarations/offered-whole", "offered"))
class DropsWhatArgumentsMean(SdkLoop):
    def declaration(self, tool: Tool) -> dict[str, Any]:
        declared = json.loads(json.dumps(super().declaration(tool)))
        for schema in declared["function"]["parameters"].get("properties", {}).values():
            schema.pop("description", None)
        return declared


RECORDS = (
    ({"title", "output"}, "output"),
    ({"content", "isError"}, "content"),
    ({"status", "result"}, "result"),
    ({"output", "exit_code"}, "output"),
)


@wrong("ktoulgaridis/forge/issues/25", ("round-trip/result-keys-of-the-runtime[*]", "1.requests[0]"))
class TakesResultsForRecords(SdkLoop):
    def text(self, value: Any) -> str:
        for keys, content in RECORDS:
            if isinstance(value, dict) and keys <= set(value):
                return str(value[content])
        return Tool.text(value)


@wrong("fr0ster/llm-agent/issues/267", ("round-trip/text-is-sent-as-text", "1.should.requests[0]"))
class MakesJsonOfParts(SdkLoop):
    def text(self, value: Any) -> str:
        return json.dumps([{"type": "text", "text": Tool.text(value)}])


@wrong("n8n-io/n8n/issues/38870", ("parallel/each-of-many-results", "arrives"))
class LosesEveryFourthResult(SdkLoop):
    number = count(1)

    def text(self, value: Any) -> str:
        return Tool.text(value) if next(self.number) % 4 else ""


@wrong("anomalyco/opencode/issues/47902", ("arguments/fields-of-another-tool[*]", "sent-arguments"))
class KeepsFieldsOfTheCallBefore(SdkLoop):
    def run(self, tool: Tool, arguments: dict[str, Any]) -> str:
        self.fields = {**getattr(self, "fields", {}), **arguments}
        return super().run(tool, self.fields)


@wrong("Toloka/tolokaforge/pull/1445", ("declarations/nested-choice-is-offered", "offered"))
class MergesBranches(SdkLoop):
    def declaration(self, tool: Tool) -> dict[str, Any]:
        declared = json.loads(json.dumps(super().declaration(tool)))
        for schema in declared["function"]["parameters"].get("properties", {}).values():
            branches = schema.pop("oneOf", [])
            for branch in branches:
                schema.setdefault("properties", {}).update(branch["properties"])
        return declared


@wrong("bubbuild/bub/issues/306", ("limits/error-longer-than-the-window", "fits"))
class ErrorsHaveNoLimit(SdkLoop):
    def shorten_results(self) -> None:
        errors = {id(message): message["content"] for message in self.messages if self.is_error(message)}
        super().shorten_results()
        for message in self.messages:
            message["content"] = errors.get(id(message), message["content"])

    def is_error(self, message: dict[str, Any]) -> bool:
        return message["role"] == "tool" and message["content"].startswith("Error:")

    def drop_old_turns(self) -> None: ...


@wrong("get-bb/bb/issues/3626", ("limits/tools-after-a-full-window", "offered"))
class OffersNothingAfterAFullWindow(SdkLoop):
    was_full = False

    def shorten_results(self) -> None:
        super().shorten_results()
        self.was_full = True

    def options(self, *, last: bool) -> Any:
        return {} if self.was_full else super().options(last=last)


@wrong("shiaho777/web-to-app/issues/745", ("turns/cancelled-call-stays-cancelled", "arrives"))
class RunsCancelledCallsLater(SdkLoop):
    def run_batch(self, answer: Any) -> None:
        try:
            super().run_batch(answer)
        finally:
            self.left = answer.tool_calls[1:] if self.stopped else []

    def take_what_was_said(self) -> None:
        for call in getattr(self, "left", []):
            self.result(call.id, call.function.name, call.function.arguments)
        self.left: list[Any] = []
        super().take_what_was_said()


@wrong("TulipFarm/tulipfarm/issues/736", ("limits/answer-at-the-limit", "1.should.outcome"))
class FailsAtTheLimit(SdkLoop):
    def ask(self, *, last: bool) -> Any:
        if last:
            raise AgentError("tool_call_limit")
        return super().ask(last=last)


@wrong("amd/gaia/issues/4028", ("limits/answer-at-the-limit", "1.should.reply"))
class CannedWordsAtTheLimit(SdkLoop):
    def ask(self, *, last: bool) -> Any:
        if not last:
            return super().ask(last=last)
        return ChatCompletionMessage(role="assistant", content="Reached maximum steps limit.")


@wrong("osaurus-ai/osaurus/pull/2653", ("long-sessions/said-before-the-window-is-full", "asked"))
class TakesWhatWasSaidForTheQuestion(SdkLoop):
    def start_of_turn(self) -> int:
        return max(place for place, message in enumerate(self.messages) if message["role"] == "user")


@wrong("openai/codex/issues/42695", ("long-sessions/said-before-the-window-is-full", "steered"))
class KeepsTheOldestMessageOfTheUser(SdkLoop):
    def drop_old_turns(self) -> None:
        start = self.start_of_turn()
        self.messages = [
            message
            for place, message in enumerate(self.messages)
            if place >= start and (place == start or message["role"] != "user")
        ]


@wrong("openai/codex/issues/42695", ("long-sessions/said-while-a-summary-is-made", "steered"))
class SummaryTakesWhatWasSaid(SdkLoop):
    def shorten_results(self) -> None:
        start = self.start_of_turn()
        told = f"Sum this up for another agent: {json.dumps(self.messages[:start])}"
        answer = self.client.chat.completions.create(
            model=self.setup.model, messages=[{"role": "user", "content": told}]
        )
        summary = {"role": "user", "content": f"What was said before, in short: {answer.choices[0].message.content}"}
        question, *work = self.messages[start:]
        self.messages = [summary, question, *(message for message in work if message["role"] != "user")]


@wrong("cline/cline/issues/14197", ("turns/cancelled-while-the-user-is-asked", "1.executed"))
class RunsWhatWasAllowedTooLate(SdkLoop):
    def is_stopped(self) -> bool:
        return False


@wrong("micro/go-micro/issues/4936", ("turns/answered-after-a-restart[allowed]", "2.should.executed"))
class AsksTheModelAgainOnResume(SdkLoop):
    def resume(self) -> None:
        for message in self.messages:
            if message["content"] == PENDING:
                message["content"] = "The user has answered. Call again if it is still needed."


@wrong("smg-project/smg/pull/2441", ("faults/tool-whose-answer-is-lost", "once"))
class SendsALostCallAgain(SdkLoop):
    def run(self, tool: Tool, arguments: dict[str, Any]) -> str:
        text = super().run(tool, arguments)
        return super().run(tool, arguments) if "connection was lost" in text else text


@wrong("openai/codex/issues/46408", ("declarations/allowed-names-are-kept[double-underscore]", "1.executed"))
class KnowsNamesWithoutTheirServer(SdkLoop):
    def found(self, name: str) -> Tool | None:
        return super().found(name.rpartition("__")[2])


@wrong("NousResearch/hermes-agent/issues/111318", ("arguments/no-object[unterminated]", "1.outcome"))
class EndsAtUnreadableArguments(SdkLoop):
    def unreadable(self, error: ValueError) -> str:
        raise AgentError(f"the response was cut off: {error}") from error


@wrong("nicobailon/pi-subagents/issues/1843", ("parallel/results-of-several-tools", "accepted:*"))
class LosesTheLastCall(SdkLoop):
    def run_batch(self, answer: Any) -> None:
        super().run_batch(answer)
        if len(answer.tool_calls) > 1:
            self.messages.pop()


@wrong("anomalyco/opencode/issues/48863", ("round-trip/restored-call-without-arguments", "answers"))
class NeedsArgumentsOfAStoredCall(SdkLoop):
    def sent(self) -> list[dict[str, Any]]:
        for message in self.messages:
            for call in message.get("tool_calls") or ():
                min(json.loads(call["function"]["arguments"]))
        return super().sent()


@wrong("open-webui/computer/issues/277", ("limits/result-larger-than-the-window", "survives"))
class CompactsOneRequest(SdkLoop):
    was_full = False

    def ask(self, *, last: bool) -> Any:
        if self.was_full:
            return self.completion(last=last)
        kept = [dict(message) for message in self.messages]
        answer = super().ask(last=last)
        self.was_full, self.messages = self.messages != kept, kept
        return answer


@wrong("NousResearch/hermes-agent/issues/113233", ("turns/said-while-a-tool-runs[in-one-session]", "steered"))
class DropsWhatIsSaidMeanwhile(SdkLoop):
    def steer(self, message: str) -> None:
        return None


@wrong("NousResearch/hermes-agent/issues/113233", ("turns/several-things-said-meanwhile", "steered"))
class KeepsTheLastThingSaid(SdkLoop):
    def steer(self, message: str) -> None:
        self.said = [message]


@wrong("elidickinson/pi-claude-bridge/issues/81", ("declarations/tool-that-a-tool-enables", "offered"))
class CollectsToolsOnceATurn(SdkLoop):
    offered: tuple[Tool, ...] = ()

    def begin(self, message: str) -> None:
        super().begin(message)
        self.offered = tuple(super().tools())

    def tools(self) -> list[Tool]:
        return [*self.offered]


@wrong("OpenHands/software-agent-sdk/issues/3997", ("round-trip/result-comes-back", "1.request_count"))
class NudgesAfterProse(SdkLoop):
    def reply(self, answer: Any) -> str:
        text = super().reply(answer)
        self.messages.append({"role": "user", "content": "Please continue with the task, or finish it."})
        return super().reply(self.ask(last=False)) or text


@wrong("microsoft/amplifier/issues/320", ("limits/result-larger-than-the-window", "fits"))
class SendsTheSameAgain(SdkLoop):
    def shorten_results(self) -> None: ...

    def drop_old_turns(self) -> None: ...


@wrong("langchain-ai/deepagentsjs/issues/150", ("turns/denied-call", "accepted:*"))
class LeavesADeniedCallOpen(SdkLoop):
    def run_batch(self, answer: Any) -> None:
        super().run_batch(answer)
        self.messages = [one for one in self.messages if "does not allow" not in str(one.get("content"))]


@wrong("openai/openai-agents-python/issues/4896", ("turns/each-call-has-its-answer[the-first]", "approved"))
class KeepsTheAnswerForTheTool(SdkLoop):
    def allowed(self, call: ToolCall) -> bool:
        self.answers: dict[str, bool] = getattr(self, "answers", {})
        if call.name not in self.answers:
            self.answers[call.name] = super().allowed(call)
        return self.answers[call.name]


@wrong("earendil-works/pi/issues/3344", ("limits/cancelled-in-a-batch", "accepted:*"))
class ForgetsWhatWasNotRun(SdkLoop):
    def end_stopped(self) -> None:
        self.messages = [message for message in self.messages if message["content"] != STOPPED]
        super().end_stopped()


@wrong(
    "MoonshotAI/kimi-code/issues/2554", ("round-trip/result-keys-of-the-runtime[status-and-result]", "1.requests[0]")
)
class TakesTheTextForTheWhole(SdkLoop):
    def text(self, value: Any) -> str:
        return super().text(value["text"] if isinstance(value, dict) and "text" in value else value)


@wrong("router-for-me/CLIProxyAPI/issues/5199", ("history/results-in-another-order", "own-result"))
class RestoresResultsByTheirPlace(SdkLoop):
    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        open_ids: list[str] = []
        for message in self.messages:
            open_ids += [call["id"] for call in message.get("tool_calls") or ()]
            if message["role"] == "tool" and open_ids:
                message["tool_call_id"] = open_ids.pop(0)


class AnswersInJson(SdkLoop):
    """Right: what is no JSON is no answer."""

    features = SdkLoop.features | {"structured-output"}

    def options(self, *, last: bool) -> Any:
        options = super().options(last=last)
        if not self.setup.output_schema:
            return options
        schema = {"name": "answer", "schema": dict(self.setup.output_schema)}
        return {**options, "response_format": {"type": "json_schema", "json_schema": schema}}

    def reply(self, answer: Any) -> str:
        text = super().reply(answer)
        return self.checked(text) if self.setup.output_schema else text

    def checked(self, text: str) -> str:
        try:
            json.loads(text)
        except ValueError as error:
            raise AgentError("the answer is no JSON") from error
        return text


@wrong("mastra-ai/mastra/issues/24442", ("finish/cut-off-answer-with-a-schema", "1.reply"))
class ClosesWhatWasCutOff(AnswersInJson):
    def checked(self, text: str) -> str:
        return super().checked(text if text.endswith("}") else f'{text}"}}')


@wrong("microsoft/autogen/pull/7730", ("round-trip/kinds-of-result[other-scripts]", "1.should.requests[0]"))
class EscapesOtherScripts(SdkLoop):
    def text(self, value: Any) -> str:
        return json.dumps(value)
