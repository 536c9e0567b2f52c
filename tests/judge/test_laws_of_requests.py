"""The laws about what an agent sends pass right agents, and name the one mistake of wrong ones."""

import json
from dataclasses import replace
from typing import Any

import pytest

from agent_conformance import Message, Tool
from tests.agents.plain import GaveUp, PlainAgent
from tests.judge.trying_laws import WIRES, assert_breaks_only, assert_right
from tests.trying import ONE_CALL, ONE_CALL_BEFORE, WEATHER, only_findings, verdicts

INSTRUCTED = "system: Answer in rhyme.\n" + ONE_CALL

OVERFLOWING = """
window: {tokens: 2000}
tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    returns: {repeat: "rain and more rain ", times: 2000}
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: They want the weather. It rains.
        spare: true
      - text: It rains in Oslo.
        spare: true
    expect: {outcome: either}
"""

TWO_STEPS = ONE_CALL + "  - user: And in Rome?\n    model:\n      - text: I do not know.\n"

NESTED = """
tools:
  - name: book_table
    description: Books a table.
    parameters:
      type: object
      properties:
        contact: {type: object, properties: {name: {type: string}, phone: {type: string}}}
    returns: booked
conversation:
  - user: A table for Ann.
    model:
      - calls: [{name: book_table, arguments: {contact: {name: Ann}}}]
      - text: Done.
"""

HALF: dict[str, Any] = {
    "type": "object",
    "properties": {"contact": {"type": "object", "properties": {"name": {"type": "string"}}}},
}

RESTORED = (
    ONE_CALL_BEFORE
    + """
waive: {kept-whole: it is about where a request begins}
conversation:
  - user: Thanks. And tomorrow?
    model:
      - text: Sun.
"""
)

TWO_TOOLS = """
tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    returns: 7 degrees and rain
  - name: send_mail
    description: Send a mail.
    parameters: {to: string}
    returns: sent
    enabled: false
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: Rain.
"""

ENABLES = TWO_TOOLS.replace(
    "    returns: 7 degrees and rain\n", "    returns: 7 degrees\n    enables: [send_mail]\n"
).replace("      - text: Rain.\n", "      - calls: [{name: send_mail, arguments: {to: Ann}}]\n      - text: Rain.\n")

TWO_CITIES = """
tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    results: [7 degrees and rain, 20 degrees and sun]
conversation:
  - user: What is the weather in Oslo and Rome?
    model:
      - calls:
          - {name: get_weather, arguments: {city: Oslo}}
          - {name: get_weather, arguments: {city: Rome}}
      - text: Rain in Oslo, sun in Rome.
"""

TWO_ENABLED = TWO_TOOLS.replace("    enabled: false\n", "")


class Refused(PlainAgent):
    """Sends what every provider refuses: a message without content."""

    def begin(self, message: str) -> None:
        super().begin(message)
        self.messages.insert(
            0, {"role": "narrator", "content": [{"type": "text", "text": "x"}], "parts": [{"text": "x"}]}
        )
        if self.setup.wire != "gemini-generate":
            del self.messages[0]["parts"]
        else:
            del self.messages[0]["content"]


class ForgetsTheUser(PlainAgent):
    """Sends another message than the user's."""

    def begin(self, message: str) -> None:
        super().begin("Please go on." if message.startswith("What") else message)


class HasItSummarised(PlainAgent):
    """Where the window is full, the model summarises the turn, and its summary takes the place of everything."""

    def ask(self) -> tuple[str, list[tuple[Any, str, Any]]]:
        try:
            return super().ask()
        except GaveUp:
            self.messages = self.shape.user(f"The conversation so far: {self.summary()}")
            return super().ask()

    def summary(self) -> str:
        text, _ = self.take(self.post(self.shape.body(self.shape.user(f"Summarise: {self.said}"), [])))
        return text

    def begin(self, message: str) -> None:
        self.said = message
        super().begin(message)

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.said += "".join(f" {text[:3000]}" for _, _, text in results)


class SummarisesByItself(HasItSummarised):
    """Puts a phrase of its own in the place of the user's message and of the result."""

    def summary(self) -> str:
        return "The user has a question."


class HasTheResultSummarised(HasItSummarised):
    """Has the model summarise something, but not what the user wants."""

    def begin(self, message: str) -> None:
        super().begin(message)
        self.said = "It rains and rains."


class InstructsOnce(PlainAgent):
    """Sends the system prompt with the first request of a turn, and not with its results."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.shape.setup = replace(self.setup, system="")


class InstructsAsUser(PlainAgent):
    """Right: puts the system prompt into the first user message, and keeps it there."""

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.shape.setup = replace(setup, system="")

    def begin(self, message: str) -> None:
        super().begin(message if self.messages else f"{self.setup.system}\n\n{message}")


class NeverInstructs(PlainAgent):
    """Right by this law: has a system prompt of its own."""

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.shape.setup = replace(setup, system="You are a helpful assistant.")


class BeginsWithACall(PlainAgent):
    """Restores a history from its second message on."""

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        del self.messages[0]


class DropsDeclarations(PlainAgent):
    """Offers a tool without its description."""

    def body(self) -> dict[str, Any]:
        return self.shape.body(
            self.messages, [Tool(t.name, "x", t.parameters, run=t.call, arun=t.acall) for t in self.tools()]
        )


class OffersHalfAnObject(PlainAgent):
    """Offers one property of an object within the parameters, and not the other."""

    def body(self) -> dict[str, Any]:
        return self.shape.body(
            self.messages, [Tool(t.name, t.description, HALF, run=t.call, arun=t.acall) for t in self.tools()]
        )


class OffersDisabled(PlainAgent):
    def body(self) -> dict[str, Any]:
        return self.shape.body(self.messages, list(self.setup.tools))


class CollectsToolsOnce(PlainAgent):
    def begin(self, message: str) -> None:
        super().begin(message)
        self.collected = super().tools()

    def tools(self) -> list[Tool]:
        return self.collected


class ResultsAsUserText(PlainAgent):
    """Sends neither the call nor its result natively."""

    def take(self, response: dict[str, Any]) -> Any:
        _, text, calls = self.shape.read(response)
        return text, calls

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        self.messages += self.shape.user("\n".join(text for _, _, text in results))


class AnswersInReverse(PlainAgent):
    """Right: sends the results in the order in which the tools finished, each with the id of its call."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results[::-1])


class PutsResultsIntoOneSentence(PlainAgent):
    """Right by this law: each call gets both results."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        both = " and ".join(text for _, _, text in results)
        super().answer([(id, name, both) for id, name, _ in results])


class SwapsResults(PlainAgent):
    """Sends the results under each other's calls."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        texts = [text for _, _, text in results][::-1]
        super().answer([(id, name, text) for (id, name, _), text in zip(results, texts, strict=True)])


HALF_ANSWERED = (
    WEATHER
    + """
history:
  - user: How is the weather in Oslo and Rome?
  - assistant:
      calls:
        - {id: call_oslo, name: get_weather, arguments: {city: Oslo}}
        - {id: call_rome, name: get_weather, arguments: {city: Rome}}
  - tool: {id: call_rome, result: sunny and dry}
conversation:
  - user: Never mind.
    model:
      - text: As you like.
"""
)


class AnswersWhatIsOpen(PlainAgent):
    """Says of each restored call without a result that it was interrupted, in the order of the calls."""

    def restore(self, role: str, run: list[Message]) -> None:
        if role == "tool":
            texts = {message.tool_call_id: message.text for message in run}
            run = [
                Message("tool", texts.get(call.id, "Interrupted."), tool_call_id=call.id, name=call.name)
                for call in self.open
            ]
        super().restore(role, run)
        self.open = run[-1].tool_calls


class AnswersTheFirstThatIsOpen(AnswersWhatIsOpen):
    """Gives the results that are there to the first calls."""

    def restore(self, role: str, run: list[Message]) -> None:
        if role == "tool":
            run = [replace(message, tool_call_id=call.id) for message, call in zip(run, self.open, strict=False)]
        super().restore(role, run)


class KeepsTheNewestResult(PlainAgent):
    """Has the results by the name of their tool, so that a newer one takes the place of an older."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        shown = json.dumps(self.messages)
        for _, _, text in results:
            for older in getattr(self, "older", []):
                shown = shown.replace(older, text)
            self.older = [*getattr(self, "older", []), text]
        self.messages[:] = json.loads(shown)


class ClearsOlderResults(PlainAgent):
    """Says in the place of each older result that it is gone."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        shown = json.dumps(self.messages)
        for older in getattr(self, "older", []):
            shown = shown.replace(older, "[older result cleared]")
        self.older = [*getattr(self, "older", []), *(text for _, _, text in results)]
        self.messages[:] = json.loads(shown)
        super().answer(results)


class NamesResultsByTheirId(PlainAgent):
    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer([(id, f"call-{id}", text) for id, _, text in results])


class TellsTheTime(PlainAgent):
    """Puts a clock into the system prompt."""

    def ask(self) -> Any:
        self.clock = getattr(self, "clock", 0) + 1
        self.shape.setup = replace(self.setup, system=f"It is {self.clock} o'clock. Answer in rhyme.")
        return super().ask()


class ShufflesTools(PlainAgent):
    """Declares its tools in another order each time."""

    def body(self) -> dict[str, Any]:
        self.turned = not getattr(self, "turned", False)
        return self.shape.body(self.messages, self.tools()[:: 1 if self.turned else -1])


class SortsProperties(PlainAgent):
    """Declares the properties of its tools in alphabetical order."""

    def body(self) -> dict[str, Any]:
        sorted_ = json.loads(json.dumps([t.parameters for t in self.tools()], sort_keys=True))
        tools = [
            Tool(t.name, t.description, s, run=t.call, arun=t.acall) for t, s in zip(self.tools(), sorted_, strict=True)
        ]
        return self.shape.body(self.messages, tools)


class RewritesMessages(PlainAgent):
    """Puts a note into the user's first message after each answer."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.messages[:1] = self.shape.user("Note 1. How is the weather? What is the weather in Oslo?")


CITY_BY_CITY = """
tools:
  - name: weather
    description: Says the weather.
    parameters: {city: string}
    results: [sunny, rainy, sunny]
conversation:
  - user: How is the weather in Oslo, in Rome and in Bonn?
    model:
      - calls: [{name: weather, arguments: {city: Oslo}}]
      - calls: [{name: weather, arguments: {city: Rome}}]
      - calls: [{name: weather, arguments: {city: Bonn}}]
      - text: It varies.
"""

RIGHT = [
    (PlainAgent, ONE_CALL),
    (PlainAgent, TWO_STEPS),
    (PlainAgent, INSTRUCTED),
    (InstructsAsUser, INSTRUCTED),
    (NeverInstructs, INSTRUCTED),
    (HasItSummarised, OVERFLOWING),
    (PlainAgent, NESTED),
    (PlainAgent, RESTORED),
    (PlainAgent, TWO_TOOLS),
    (PlainAgent, ENABLES),
    (PlainAgent, TWO_CITIES),
    (AnswersInReverse, TWO_CITIES),
    (AnswersWhatIsOpen, HALF_ANSWERED),
    (PlainAgent, CITY_BY_CITY),
    (PutsResultsIntoOneSentence, TWO_CITIES),
    (NamesResultsByTheirId, "wires: [openai-chat]\n" + ONE_CALL),
]

WRONG = [
    (ForgetsTheUser, ONE_CALL, "asked"),
    (HasTheResultSummarised, OVERFLOWING, "asked"),
    (InstructsOnce, INSTRUCTED, "system-kept"),
    (DropsDeclarations, ONE_CALL, "offered"),
    (OffersHalfAnObject, NESTED, "offered"),
    (OffersDisabled, TWO_TOOLS, "offered"),
    (CollectsToolsOnce, ENABLES, "offered"),
    (ResultsAsUserText, ONE_CALL, "paired"),
    (SwapsResults, TWO_CITIES, "own-result"),
    (AnswersTheFirstThatIsOpen, HALF_ANSWERED, "own-result"),
    (KeepsTheNewestResult, CITY_BY_CITY, "own-result"),
    (NamesResultsByTheirId, "wires: [gemini-generate]\n" + ONE_CALL, "own-result"),
]

ADVISED = [
    (ClearsOlderResults, CITY_BY_CITY, "steady-prefix"),
    (TellsTheTime, INSTRUCTED, "steady-prefix"),
    (ShufflesTools, TWO_ENABLED, "steady-prefix"),
    (RewritesMessages, ONE_CALL, "steady-prefix"),
    (SortsProperties, ONE_CALL.replace("{city: string}", "{town: string, city: string}"), "property-order"),
]


def test_a_phrase_in_place_of_a_turn_loses_the_question_and_the_result() -> None:
    assert set(map(tuple, only_findings(SummarisesByItself, OVERFLOWING).values())) == {("asked", "paired")}


@pytest.mark.parametrize(("agent", "text"), RIGHT, ids=lambda value: getattr(value, "__name__", ""))
def test_no_law_accuses_a_right_agent(agent: Any, text: str) -> None:
    assert_right(agent, text)


@pytest.mark.parametrize(("agent", "text", "law"), WRONG, ids=lambda value: getattr(value, "__name__", ""))
def test_a_law_names_the_one_mistake_of_a_wrong_agent(agent: Any, text: str, law: str) -> None:
    assert_breaks_only(law, agent, text)


@pytest.mark.parametrize(("agent", "text", "law"), ADVISED, ids=lambda value: getattr(value, "__name__", ""))
def test_a_law_of_the_level_should_is_advice(agent: Any, text: str, law: str) -> None:
    found = verdicts(agent, text)

    assert len(found) == len(WIRES)
    assert {verdict.outcome for verdict in found} == {"pass"}
    assert {tuple((finding.id, finding.level) for finding in verdict.findings) for verdict in found} == {
        ((law, "should"),)
    }


def test_a_refused_request_is_one_finding_with_its_consequences() -> None:
    found = only_findings(Refused, ONE_CALL)

    assert len(found) == len(WIRES)
    for ids in found.values():
        assert len(ids) == 1
        assert ids[0].startswith("accepted:")


def test_a_request_that_begins_with_a_call_is_refused_or_not_user_first() -> None:
    found = only_findings(BeginsWithACall, RESTORED)

    assert found["openai-chat+plain"] == ["user-first"]
    assert all(len(ids) == 1 for ids in found.values())
    assert found["gemini-generate+plain"] == ["accepted:gemini/call-after-user-turn"]


def test_order_of_properties_is_named_as_it_was_wanted_and_found() -> None:
    text = "wires: [openai-chat]\n" + ONE_CALL.replace("{city: string}", "{town: string, city: string}")

    (verdict,) = verdicts(SortsProperties, text)

    (finding,) = verdict.findings
    assert finding.expected == "get_weather with its properties in the order town, city"
    assert finding.got == "city, town"
    assert str(finding.place).startswith("turn 1, request 1"), "and not in a later one"
