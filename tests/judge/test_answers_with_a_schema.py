"""Answers with a schema: right agents of four styles pass, and each wrong one has one finding."""

import json
from dataclasses import replace
from typing import Any

import pytest

from agent_conformance import Tool
from tests.agents.plain import SHAPES, PlainAgent
from tests.trying import WEATHER, only_findings

ANSWER = '{"place_name": "Oslo", "temperature_celsius": 7}'
SHAPED = (
    WEATHER
    + f"""
output_schema: {{place_name: string, temperature_celsius: integer}}
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{{name: get_weather, arguments: {{city: Oslo}}}}]
      - text: '{ANSWER}'
      - {{text: '{ANSWER}', spare: true}}
    expect:
      executed: [{{get_weather: {{city: Oslo}}}}]
      reply: {{json: {{place_name: Oslo, temperature_celsius: 7}}}}
"""
)


def native(wire: str, schema: Any) -> dict[str, Any]:
    """The schema in the wire's own field."""
    return {
        "openai-chat": {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}}},
        "openai-responses": {"text": {"format": {"type": "json_schema", "name": "a", "schema": schema}}},
        "anthropic-messages": {"output_config": {"format": {"type": "json_schema", "schema": schema}}},
        "gemini-generate": {
            "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": schema},
        },
        "ollama-chat": {"format": schema},
        "bedrock-converse": {
            "outputConfig": {
                "textFormat": {"type": "json_schema", "structure": {"jsonSchema": {"schema": json.dumps(schema)}}}
            }
        },
    }[wire]


class InEveryRequest(PlainAgent):
    """Right, where the wire allows it: the schema stands beside the tools."""

    wires = ("openai-chat", "openai-responses", "anthropic-messages", "gemini-generate")
    features = PlainAgent.features | {"structured-output"}

    def body(self) -> dict[str, Any]:
        return super().body() | native(self.setup.wire, self.setup.output_schema)


class InOneMore(PlainAgent):
    """Right: one further request has the schema and no tools, once the model has answered in words."""

    features = PlainAgent.features | {"structured-output"}

    def reply(self, text: str) -> str:
        body = self.shape.body(self.messages[:-1], []) | native(self.setup.wire, self.setup.output_schema)
        return self.take(self.post(body))[0]


class InOneMoreIfNeeded(InOneMore):
    """Right: the same, unless the words are JSON already."""

    def reply(self, text: str) -> str:
        return text if text.startswith("{") else super().reply(text)


class OfTheAnswerAlone(PlainAgent):
    """Right: the further request has the answer in words, and instructions of the agent's own in place of all else."""

    features = PlainAgent.features | {"structured-output"}
    system = "You write JSON."

    def quoted(self, text: str) -> str:
        return f"Write as JSON: {text}"

    def reply(self, text: str) -> str:
        setup = replace(self.setup, system=self.system)
        shape = SHAPES[setup.wire](setup)
        body = shape.body(shape.user(self.quoted(text)), []) | native(setup.wire, setup.output_schema)
        return shape.read(self.post(body))[1]


class OfNothing(OfTheAnswerAlone):
    """Wrong: the further request has neither the conversation nor the answer."""

    def quoted(self, text: str) -> str:
        return "Write it as JSON."


class InThePrompt(PlainAgent):
    """Right: the schema stands in the system prompt, in words, and the JSON in a block of code."""

    features = PlainAgent.features | {"structured-output"}

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        object.__setattr__(setup, "system", f"Answer with JSON of this schema: {json.dumps(setup.output_schema)}")

    def reply(self, text: str) -> str:
        return f"```json\n{text}\n```"


class AsACall(PlainAgent):
    """Right: the model answers by a call of the agent's own tool, whose arguments are the answer."""

    features = PlainAgent.features | {"structured-output"}
    reply_tool: Any = ("final_result", None)

    def tools(self) -> list[Tool]:
        schema = self.setup.output_schema or {}
        return [*super().tools(), Tool("final_result", "The answer.", schema, run=json.dumps, arun=_never)]

    def send(self, message: str) -> Any:
        self.begin(message)
        while True:
            _, calls = self.ask()
            final = next((arguments for _, name, arguments in calls if name == "final_result"), None)
            self.answer([(id, name, self.run(name, arguments)) for id, name, arguments in calls])
            if final is not None:
                return json.dumps(final)


class AsAForcedCall(AsACall):
    """Right: every request forces a call, of a tool of the case or of its own for the answer."""

    wires = ("openai-chat", "gemini-generate")
    reply_tool = None

    def body(self) -> dict[str, Any]:
        forced = {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}
        return super().body() | (forced if self.setup.wire == "gemini-generate" else {"tool_choice": "required"})


async def _never(_: Any) -> Any:
    raise NotImplementedError


class BoundToEveryRequest(InEveryRequest):
    """Wrong on Ollama: with the schema in every request, the model cannot call."""

    wires = ("ollama-chat",)


class Forgets(InEveryRequest):
    """Wrong: once there are results, it sends no schema."""

    def body(self) -> dict[str, Any]:
        return super().body() if len(self.messages) < 2 else PlainAgent.body(self)


class NeverSaysIt(PlainAgent):
    """Wrong: it declares the feature and does nothing about it."""

    features = PlainAgent.features | {"structured-output"}


class LosesTheAnswer(InEveryRequest):
    """Wrong: it returns a part of the answer alone."""

    def reply(self, text: str) -> str:
        value = json.loads(text)
        return str(value["place_name"])


RIGHT = [InEveryRequest, InOneMore, InOneMoreIfNeeded, OfTheAnswerAlone, InThePrompt, AsACall, AsAForcedCall]


@pytest.mark.parametrize("agent", RIGHT)
def test_right_agent_has_no_finding(agent: type[PlainAgent]) -> None:
    assert only_findings(agent, SHAPED) == {f"{wire}+plain": [] for wire in agent.wires}


@pytest.mark.parametrize(
    ("agent", "finding"),
    [
        *((BoundToEveryRequest, "1.executed"), (Forgets, "1.reply"), (NeverSaysIt, "1.reply")),
        *((LosesTheAnswer, "1.reply"), (OfNothing, "asked")),
    ],
)
def test_wrong_agent_has_one_finding(agent: type[PlainAgent], finding: str) -> None:
    found = only_findings(agent, SHAPED)

    assert {target: ids[:1] for target, ids in found.items()} == {f"{wire}+plain": [finding] for wire in agent.wires}
    assert all(set(ids) <= {finding, "survives"} for ids in found.values())


def test_schema_beside_tools_is_refused_by_an_older_gemini() -> None:
    older = SHAPED + "model: {gemini-generate: gemini-2.5-flash}\n"
    found = only_findings(InEveryRequest, older, wires=("gemini-generate",))

    assert found == {"gemini-generate+plain": ["accepted:gemini/json-with-functions"]}


def test_agent_without_the_feature_is_not_verified() -> None:
    found = only_findings(PlainAgent, SHAPED, wires=("openai-chat",))

    assert found == {"openai-chat+plain": ["not-verified: needs structured-output"]}


class StreamsOtherwise(InEveryRequest):
    """Right: it streams, but not with a schema."""

    wires = ("openai-chat",)
    modes = ("stream",)


def test_answer_with_a_schema_need_not_be_streamed() -> None:
    assert only_findings(StreamsOtherwise, SHAPED) == {"openai-chat+stream": []}


def test_answer_is_put_in_shape_without_the_system_prompt() -> None:
    found = only_findings(OfTheAnswerAlone, f"system: You report the weather.\n{SHAPED}", wires=("openai-chat",))

    assert found == {"openai-chat+plain": []}
