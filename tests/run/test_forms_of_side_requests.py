"""Which requests are beside the conversation by their form, where the agent always offers tools of its own."""

import json
from typing import Any, ClassVar

import pytest

from agent_conformance import Tool
from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, TWO_CALLS, WEATHER, only_findings, verdicts


async def _nobody(arguments: Any) -> str:
    return ""


OWN = Tool(
    "bash",
    "Runs a command.",
    {"type": "object", "properties": {"command": {"type": "string"}}},
    run=str,
    arun=_nobody,
)
WITHOUT_TOOLS = """
conversation:
  - user: How are you today?
    model:
      - text: Very well.
    expect: {reply: Very well.}
"""
TITLE = "Write a title of at most five words for this conversation."


class HasOwnTools(PlainAgent):
    """Offers a tool of its own besides in every request."""

    wires = ("openai-chat", "anthropic-messages", "gemini-generate")
    features = PlainAgent.features | {"own-tools"}
    answers: ClassVar[list[str]] = []

    def tools(self) -> list[Tool]:
        return [OWN, *super().tools()]

    def aside(self, text: str, tools: list[Tool] | None = None, **more: Any) -> None:
        body = self.shape.body(self.shape.user(text), tools or []) | more
        self.answers.append(self.shape.read(self.post(body))[1])


class TitlesFirst(HasOwnTools):
    def begin(self, message: str) -> None:
        self.aside(f"{TITLE}\n\n{message}")
        super().begin(message)


class PingsFirst(HasOwnTools):
    """Sees whether it may ask at all."""

    def begin(self, message: str) -> None:
        self.aside("quota")
        super().begin(message)


class WarmsUp(HasOwnTools):
    """Asks for a helper that has a tool of its own."""

    def begin(self, message: str) -> None:
        self.aside("Warmup", [OWN])
        super().begin(message)


class TitlesAfterTheReply(HasOwnTools):
    def reply(self, text: str) -> str:
        self.aside(f"{TITLE}\n\nUser: {self.said}\nYou: {text}")
        return text

    def begin(self, message: str) -> None:
        self.said = message
        super().begin(message)


class TitlesBetween(HasOwnTools):
    def answer(self, results: Any) -> None:
        self.aside(TITLE)
        super().answer(results)


@pytest.mark.parametrize("agent", [HasOwnTools, TitlesFirst, PingsFirst, TitlesAfterTheReply, TitlesBetween])
@pytest.mark.parametrize("scenario", [ONE_CALL, TWO_CALLS, WITHOUT_TOOLS])
def test_side_request_of_a_program_with_tools_takes_up_no_reply(agent: type[HasOwnTools], scenario: str) -> None:
    assert not any(only_findings(agent, scenario).values())


@pytest.mark.parametrize("scenario", [ONE_CALL, TWO_CALLS])
def test_request_with_nothing_of_what_was_said_and_no_tool_of_the_case_takes_up_no_reply(scenario: str) -> None:
    assert not any(only_findings(WarmsUp, scenario).values())


def test_side_request_is_shown_and_not_counted() -> None:
    for verdict in verdicts(TitlesFirst, ONE_CALL):
        assert verdict.narrative.count(" (side): ") == 2, "one in the turn, and one after it"
        assert verdict.requests == 3


def test_side_request_with_a_schema_is_answered_in_json() -> None:
    class Classifies(HasOwnTools):
        wires = ("openai-chat",)
        answers: ClassVar[list[str]] = []

        def begin(self, message: str) -> None:
            kinds = {"title": {"type": "string"}, "is_new": {"type": "boolean"}, "mood": {"enum": ["good", "bad"]}}
            schema = {"type": "object", "properties": kinds, "required": [*kinds], "additionalProperties": False}
            named = {"name": "topic", "schema": schema, "strict": True}
            self.aside(TITLE, response_format={"type": "json_schema", "json_schema": named})
            super().begin(message)

    assert not any(only_findings(Classifies, ONE_CALL).values())
    assert json.loads(Classifies.answers[0]).keys() == {"title", "is_new", "mood"}


# What is no side request: an agent that loses its tools, or what was said, is accused of that.


class DropsItsTools(HasOwnTools):
    """In the first request of the turn with this number."""

    loses_in = 1
    turn = 0

    def begin(self, message: str) -> None:
        super().begin(message)
        self.turn += 1
        self.is_first = True

    def body(self) -> dict[str, Any]:
        body = super().body()
        if self.is_first and self.turn == self.loses_in:
            body.pop("tools", None)
        self.is_first = False
        return body


class DropsThemInTheNextTurn(DropsItsTools):
    loses_in = 2


class DropsThemAlways(HasOwnTools):
    def tools(self) -> list[Tool]:
        return []


SHAPED = """
wires: [openai-chat]
output_schema: {type: object, properties: {degrees: {type: integer}}, required: [degrees]}
""" + TWO_CALLS.replace("wires: [openai-chat]\n", "")


class AsksForTheShape(HasOwnTools):
    features = HasOwnTools.features | {"structured-output"}

    def body(self) -> dict[str, Any]:
        form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": self.setup.output_schema}}
        return super().body() | {"response_format": form}


class RoutesFirst(AsksForTheShape):
    def begin(self, message: str) -> None:
        self.aside(f"Answer with one word, CHAT or SEARCH: what is this?\n\n{message}")
        super().begin(message)


class DropsThemFirst(AsksForTheShape, DropsItsTools):
    """Wrong: also where the answer has a schema."""


def test_request_that_comes_before_any_other_is_not_for_the_shape_of_the_answer() -> None:
    assert only_findings(RoutesFirst, SHAPED) == only_findings(AsksForTheShape, SHAPED)
    assert "offered" in only_findings(DropsThemFirst, SHAPED)["openai-chat+plain"]


@pytest.mark.parametrize("agent", [DropsItsTools, DropsThemInTheNextTurn, DropsThemAlways])
def test_agent_that_loses_its_tools_is_accused(agent: type[HasOwnTools]) -> None:
    for found in only_findings(agent, TWO_CALLS).values():
        assert "offered" in found


def test_last_word_without_tools_is_a_request_of_the_conversation() -> None:
    endless = (
        WEATHER
        + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - {calls: [{name: get_weather, arguments: {city: Oslo}}], forever: true}
limits: {requests: 4}
"""
    )

    class AsksForALastWord(HasOwnTools):
        wires = ("openai-chat",)
        features = HasOwnTools.features - {"native-tools"}

        def send(self, message: str) -> Any:
            self.begin(message)
            for _ in range(self.most() - 1):
                _, text, calls = self.shape.read(self.post(self.body()))
                if not calls:
                    return text
                results = [f"{name} says: {self.run(name, arguments)}" for _, name, arguments in calls]
                self.messages += [{"role": "assistant", "content": "I ask."}, *self.shape.user(", ".join(results))]
            return self.shape.read(self.post(self.shape.body(self.messages, [])))[1]

    assert only_findings(AsksForALastWord, endless) == {"openai-chat+plain": []}


def test_agent_without_tools_of_its_own_has_to_say_so() -> None:
    class SaysNothing(TitlesFirst):
        features = PlainAgent.features

    assert all(only_findings(SaysNothing, ONE_CALL).values())
