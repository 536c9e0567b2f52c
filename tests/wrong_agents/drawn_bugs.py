"""Bugs of drawn rows of the page about coverage: one changed method each of agents of several makes.

They show that the scenario of a row finds that row's own bug in an agent that it was not written with.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx2
from openai.types.chat import ChatCompletionMessage

from agent_conformance import AgentError, Setup, Tool, ToolCall
from tests.agents.plain import GaveUp, PlainAgent
from tests.agents.seeing import InResult
from tests.wrong_agents.raw_stream import Broken, RawStream
from tests.wrong_agents.sdk_loop import SdkLoop
from tests.wrong_agents.wrong import wrong


class DeclaresJsonSchemas(PlainAgent):
    """Right: the field of Gemini that takes a JSON Schema as it is."""

    wires = ("gemini-generate",)


@wrong(
    "genspark-ai/genoffice/issues/187",
    ("declarations/schema-words-some-refuse[list-of-types]", "accepted:gemini/*"),
)
class DeclaresThemAsParameters(DeclaresJsonSchemas):
    def body(self) -> dict[str, Any]:
        body = super().body()
        for tools in body.get("tools", ()):
            for one in tools["functionDeclarations"]:
                one["parameters"] = one.pop("parametersJsonSchema")
        return body


class KnowsFullWindows(SdkLoop):
    """Right: a client's error after which a shorter request helps is known by what a shorter one brings."""

    features = SdkLoop.features | {"open-models"}

    def ask(self, *, last: bool) -> Any:
        from openai import APIStatusError

        for smaller in (self.shorten_results, self.drop_old_turns):
            try:
                return self.completion(last=last)
            except APIStatusError as error:
                if not self.is_full(error):
                    raise
                smaller()
        return self.completion(last=last)

    def is_full(self, error: Any) -> bool:
        return error.status_code in (400, 413)


@wrong("BerriAI/litellm/pull/21647", ("limits/too-long-in-other-words[perplexity]", "survives"))
class KnowsTheWordsOfOneVendor(KnowsFullWindows):
    def is_full(self, error: Any) -> bool:
        return "maximum context length" in str(error)


@wrong("docker/docker-agent/issues/2819", ("limits/too-long-in-other-words[page-of-a-proxy]", "survives"))
class AsksForASummaryOfTheWhole(KnowsFullWindows):
    def shorten_results(self) -> None:
        told = [*self.messages, {"role": "user", "content": "Sum up our conversation so far."}]
        answer = self.client.chat.completions.create(model=self.setup.model, messages=told)
        self.messages = [{"role": "user", "content": f"In short: {answer.choices[0].message.content}"}]


@wrong("charmbracelet/crush/issues/3121", ("parallel/same-id-twice", "1.should.requests*"))
class KeepsResultsByTheirId(SdkLoop):
    features = SdkLoop.features | {"open-models"}

    def run_batch(self, answer: Any) -> None:
        calls = {call.id: call for call in answer.tool_calls}
        super().run_batch(answer.model_copy(update={"tool_calls": [*calls.values()]}))


@wrong("QwenLM/qwen-code/issues/8382", ("parallel/ids-come-again", "2.should.executed"))
class TakesAKnownIdForARetry(SdkLoop):
    features = SdkLoop.features | {"open-models"}

    def result(self, call_id: str, name: str, text: str) -> str:
        self.results: dict[str, str] = getattr(self, "results", {})
        if call_id not in self.results:
            self.results[call_id] = super().result(call_id, name, text)
        return self.results[call_id]


class LeavesOutRefusedPictures(InResult):
    """Right: where the provider refuses a request with pictures, they are left out of the conversation."""

    wires = ("anthropic-messages",)

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().post(body)
        except GaveUp:
            for message in self.seen():
                for block in message["content"] if isinstance(message["content"], list) else ():
                    if isinstance(block.get("content"), list):
                        block["content"] = [part for part in block["content"] if part["type"] != "image"]
            return super().post(self.body())

    def seen(self) -> list[dict[str, Any]]:
        return self.messages


@wrong("anthropics/claude-code/issues/45543", ("images/restored-and-refused", "accepted:anthropic/*"))
class LeavesOutItsOwnPictures(LeavesOutRefusedPictures):
    restored = 0

    def begin(self, message: Any) -> None:
        self.restored = self.restored or len(self.messages)
        super().begin(message)

    def seen(self) -> list[dict[str, Any]]:
        return self.messages[self.restored :]


@wrong("griffinwork40/agent-afk/pull/635", ("streaming/without-an-end[in-an-event]", "1.should.reply"))
class TakesAnyEnd(RawStream):
    def end(self) -> None:
        return None


@wrong("microsoft/autogen/issues/7873", ("round-trip/kinds-of-result[number]", "1.requests[0]"))
class KnowsTextsAndObjects(SdkLoop):
    def text(self, value: Any) -> str:
        return Tool.text(value) if isinstance(value, str | dict) else "The tool has run."


@wrong("BaseIntelligence/bounty-challenge/issues/9723", ("turns/allowed-call", "1.executed"))
class RecordsTheAnswer(SdkLoop):
    def run(self, tool: Tool, arguments: dict[str, Any]) -> str:
        return "The user has allowed it." if tool.approval else super().run(tool, arguments)


@wrong("keinsaasforever/better-chatbot/issues/197", ("declarations/dozen-tools", "offered"))
class OffersTheFirstTen(SdkLoop):
    def options(self, *, last: bool) -> Any:
        options = super().options(last=last)
        return {**options, "tools": options["tools"][:10]} if options else options


@wrong("theopenco/llmgateway/pull/2789", ("parallel/results-of-several-tools", "own-result"))
class AnswersInTheOrderOfEnds(SdkLoop):
    def run_batch(self, answer: Any) -> None:
        super().run_batch(answer)
        results = self.messages[-len(answer.tool_calls) :]
        for result, text in zip(results, [one["content"] for one in reversed(results)], strict=True):
            result["content"] = text


class HasAWindow(PlainAgent):
    """Right: where it is full, older exchanges go, and the question of the turn stays."""

    wires = ("gemini-generate",)
    features = PlainAgent.features | {"context-limit"}
    question = 0

    def begin(self, message: str) -> None:
        self.question = len(self.messages)
        super().begin(message)

    def body(self) -> dict[str, Any]:
        most = (self.setup.limits.context_tokens or 100_000) * 3
        kept, rest = self.messages[self.question : self.question + 1], self.messages[self.question + 1 :]
        while len(json.dumps(rest)) > most and len(rest) > 2:
            rest = rest[2:]
        return self.shape.body([*kept, *rest] if len(rest) < len(self.messages) - 1 else self.messages, self.tools())


@wrong("zeroclaw-labs/zeroclaw/pull/6303", ("history/pruned-past-the-user", "accepted:gemini/call-after-user-turn"))
class KeepsTheLastFour(HasAWindow):
    def body(self) -> dict[str, Any]:
        return self.shape.body(self.messages[-4:], self.tools())


@wrong("mudler/LocalAGI/pull/481", ("declarations/names-of-control-verbs[stop]", "1.outcome"))
class HasCommandsOfItsOwn(SdkLoop):
    def run(self, tool: Tool, arguments: dict[str, Any]) -> str:
        if tool.name in ("stop", "finish", "final_answer"):
            raise AgentError("The agent has finished.")
        return super().run(tool, arguments)


class Reports(SdkLoop):
    """Right: it tells its observer of each call, whatever its name."""

    features = SdkLoop.features | {"observer"}

    def result(self, call_id: str, name: str, text: str) -> str:
        if self.setup.observe:
            self.setup.observe({"calls": self.described(name)})
        return super().result(call_id, name, text)

    def described(self, name: str) -> str:
        return name


@wrong("mudler/LocalAGI/pull/481", ("tool-names/invented-name-with-an-observer", "answers"))
class ReportsDescriptions(Reports):
    def described(self, name: str) -> str:
        return {tool.name: tool.description for tool in self.tools()}[name]


class Retries(RawStream):
    """Right: a busy provider is asked again for the same, up to three times for each request."""

    left = 0

    def give_up(self, why: str) -> None:
        if why[:3] in ("429", "500", "503") and self.left > 0:
            self.left -= 1
            raise Broken(why)
        super().give_up(why)

    def attempts(self) -> Iterator[str]:
        self.left = 3
        while True:
            try:
                yield from self.read()
                return
            except (Broken, httpx2.TransportError):
                if not self.left:
                    raise AgentError("the provider failed") from None


@wrong("dyad-sh/dyad/issues/2851", ("faults/passing[*]", "paired"))
class SendsTheQuestionAgain(Retries):
    def send(self, message: str) -> Iterator[str]:
        self.left, before = 3, [*self.messages]
        while True:
            try:
                yield from RawStream.send(self, message)
                return
            except Broken:
                self.messages = [*before]

    def attempts(self) -> Iterator[str]:
        yield from self.read()


@wrong("anomalyco/opencode/issues/35569", ("turns/denied-call", "1.should.requests*"))
class EndsAtADenial(SdkLoop):
    def allowed(self, call: ToolCall) -> bool:
        if not super().allowed(call):
            raise AgentError("the user has denied a call")
        return True


@wrong("zeroclaw-labs/zeroclaw/issues/6544", ("declarations/not-repeated-in-the-instructions", "1.requests[0]"))
class ExplainsItsTools(SdkLoop):
    def __init__(self, setup: Setup) -> None:
        tools = "\n".join(f"<tool_call>{tool.name}: {tool.description}</tool_call>" for tool in setup.tools)
        super().__init__(replace(setup, system=f"{setup.system}\nYou can call these tools:\n{tools}"))


@wrong("openai/codex/issues/7094", ("arguments/no-parameters", "1.requests[0]"))
class StoresNoArgumentsAsNothing(SdkLoop):
    def sent(self) -> list[dict[str, Any]]:
        for message in self.messages:
            for call in message.get("tool_calls") or ():
                call["function"]["arguments"] = call["function"]["arguments"].replace("{}", "null")
        return super().sent()


class ChangesOddNames(SdkLoop):
    """Right: names without odd characters, each with its number where two become the same."""

    def names(self) -> dict[str, Tool]:
        named: dict[str, Tool] = {}
        for tool in self.tools():
            plain = re.sub(r"[^a-zA-Z0-9_-]", "_", tool.name)
            named[self.free(plain, named)] = tool
        return named

    def free(self, name: str, named: dict[str, Tool]) -> str:
        return f"{name}_{len(named)}" if name in named else name

    def declaration(self, tool: Tool) -> dict[str, Any]:
        declared = super().declaration(tool)
        declared["function"]["name"] = next(name for name, one in self.names().items() if one is tool)
        return declared

    def found(self, name: str) -> Tool | None:
        return self.names().get(name)


@wrong("zeroclaw-labs/zeroclaw/issues/6544", ("declarations/names-that-collide", "offered"))
class TakesThemForOne(ChangesOddNames):
    def free(self, name: str, named: dict[str, Tool]) -> str:
        return name

    def options(self, *, last: bool) -> Any:
        declared = [SdkLoop.declaration(self, tool) | {} for tool in self.names().values()]
        for one, name in zip(declared, self.names(), strict=True):
            one["function"]["name"] = name
        return {"tools": declared} if declared else {}


class KeepsThoughts(PlainAgent):
    """Right: the model's blocks go back as they came."""

    wires = ("anthropic-messages",)


@wrong("earendil-works/pi/issues/3743", ("reasoning/thoughts-go-back-with-the-result", "1.should.requests[0]"))
class DropsThoughts(KeepsThoughts):
    def take(self, response: dict[str, Any]) -> Any:
        response["content"] = [block for block in response["content"] if "thinking" not in block["type"]]
        return super().take(response)


class ReadsTaggedCalls(SdkLoop):
    """Right where calls stand in one spelling of tags: it reads JSON between them, and runs what it says."""

    tagged = re.compile(r"<tool_calls?>(.*?)</tool_calls?>", re.DOTALL)

    def reply(self, answer: Any) -> str:
        written = self.tagged.search(answer.content or "")
        if not written:
            return super().reply(answer)
        name, arguments = self.call_in(written[1])
        result = self.result("text", name, json.dumps(arguments))
        self.messages.append({"role": "assistant", "content": f"I call {name}."})
        self.messages.append({"role": "user", "content": f"It returned: {result}"})
        return self.reply(self.ask(last=False))

    def call_in(self, text: str) -> tuple[str, Any]:
        if "<function_name>" in text:
            name, arguments = re.findall(r">\s*([^<>]+?)\s*</", text)
            return name, json.loads(arguments)
        read = json.loads(text)
        return read["name"], read["arguments"]


@wrong("vllm-project/vllm/issues/35906", ("pseudo-calls/function-name-tags[*]", "1.should.means[0]"))
class TakesTagsForNames(ReadsTaggedCalls):
    features = ReadsTaggedCalls.features | {"open-models"}

    def call_in(self, text: str) -> tuple[str, Any]:
        if "<function_name>" in text:
            return "function_name", {}
        return super().call_in(text)


class DeclaresWhatMayBeLeftOut(SdkLoop):
    """Right."""


@wrong(
    "SAP/cloud-sdk-python/pull/171",
    ("declarations/optional-left-out", "offered"),
    ("declarations/offered-whole", "offered"),
)
class DeclaresEachParameterRequired(DeclaresWhatMayBeLeftOut):
    def declaration(self, tool: Tool) -> dict[str, Any]:
        declared = super().declaration(tool)
        parameters = declared["function"]["parameters"]
        parameters["required"] = [*parameters.get("properties", {})]
        return declared


class SaysThatNothingCame(SdkLoop):
    """Right: in place of an empty answer it says so."""

    words = "The model gave no answer."

    def reply(self, answer: Any) -> str:
        if not (answer.content or answer.refusal or "").strip():
            self.messages.append({"role": "assistant", "content": self.words})
            return self.words
        return super().reply(answer)


@wrong(
    "Ivy-Interactive/Ivy-Tendril-V2/issues/192",
    ("finish/empty-completion[once]", "answers"),
    ("finish/empty-after-a-tool", "answers"),
)
class ClaimsASuccess(SaysThatNothingCame):
    words = "I have successfully processed your request."


@wrong("zeroclaw-labs/zeroclaw/issues/6546", ("tool-names/disabled-tool-is-unknown[by-its-name]", "declared-only"))
class RunsWhatIsDisabled(SdkLoop):
    def found(self, name: str) -> Tool | None:
        return next((tool for tool in self.setup.tools if tool.name == name), None)


class AsksEightTimes(SdkLoop):
    """Right: a turn has eight requests at most."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(replace(setup, limits=replace(setup.limits, requests=self.most(setup))))

    def most(self, setup: Setup) -> int:
        return min(8, setup.limits.requests or 8)


@wrong(
    "mudler/LocalAGI/pull/481",
    ("tool-names/invented-name-for-ever", "bounded"),
    ("tool-names/new-name-each-time", "bounded"),
)
class CorrectsForEver(AsksEightTimes):
    def most(self, setup: Setup) -> int:
        return 10_000


@wrong("open-webui/open-webui/issues/27031", ("limits/tokens-are-of-one-request", "1.requests[0]"))
class AddsTokensUp(SdkLoop):
    tokens = 0

    def completion(self, *, last: bool) -> Any:
        sent = [{"role": "system", "content": self.setup.system}, *self.messages]
        made = self.client.chat.completions.create(model=self.setup.model, messages=sent, **self.options(last=last))
        self.tokens += made.usage.total_tokens
        return made.choices[0].message

    def is_too_long(self) -> bool:
        return self.tokens > (self.setup.limits.context_tokens or self.tokens)

    def shorten_results(self) -> None:
        self.tokens = 0
        for message in self.messages[:-1]:
            if message["role"] == "tool":
                message["content"] = "[left out]"


class ReadsTags(SdkLoop):
    """Right: thoughts in tags are taken out first, then calls in tags are read."""

    features = SdkLoop.features | {"open-models"}

    def completion(self, *, last: bool) -> Any:
        answer = super().completion(last=last)
        text = self.without_thoughts(answer.content or "")
        calls = [json.loads(call) for call in re.findall(r"<tool_call>(.*?)</tool_call>", text, re.DOTALL)]
        if calls:
            answer = ChatCompletionMessage.model_validate(
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": f"text_{len(self.messages)}_{number}",
                            "type": "function",
                            "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
                        }
                        for number, call in enumerate(calls)
                    ],
                }
            )
        else:
            answer.content = self.shown(text) or None
        return answer

    def without_thoughts(self, text: str) -> str:
        return re.sub(r"<think>.*?</think>\s*", "", text, flags=re.DOTALL)

    def shown(self, text: str) -> str:
        return text


@wrong(
    "PrimeIntellect-ai/renderers/pull/80",
    ("reasoning/call-inside-reasoning[tagged-json]", "declared-only"),
    ("reasoning/call-inside-reasoning[on-lines]", "declared-only"),
)
class RunsWhatIsThought(ReadsTags):
    def without_thoughts(self, text: str) -> str:
        return text

    def shown(self, text: str) -> str:
        return super().without_thoughts(text)


class ChoosesAsTold(SdkLoop):
    """Right: what the setup says of calls, until a tool has run where one is demanded."""

    features = SdkLoop.features | {"tool-choice"}

    def options(self, *, last: bool) -> Any:
        options = super().options(last=last)
        chosen = self.choice()
        return {"tool_choice": chosen, **options} if chosen and options else options

    def choice(self) -> Any:
        chosen = self.setup.tool_choice
        if chosen in (None, "none"):
            return chosen
        if any(message["role"] == "tool" for message in self.messages):
            return None
        return chosen if isinstance(chosen, str) else {"type": "function", "function": {"name": chosen.tool}}


@wrong(
    "agno-agi/agno/issues/4869",
    ("loops/forced-tool-is-forced-once[named]", "tool-choice"),
    ("no-tools/calls-are-forbidden", "tool-choice"),
)
class ForgetsWhatItWasTold(ChoosesAsTold):
    def choice(self) -> Any:
        return None


@wrong(
    "googleapis/js-genai/issues/1275",
    ("reasoning/parallel-calls-after-reasoning", "accepted:gemini/thought-signature-missing"),
)
class StoresCallsApart(DeclaresJsonSchemas):
    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        said = self.messages.pop()
        calls = [part for part in said["parts"] if "functionCall" in part]
        for call, result in zip(calls, results, strict=True):
            self.messages.append({"role": "model", "parts": [call]})
            super().answer([result])
