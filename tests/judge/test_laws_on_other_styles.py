"""Laws on agents that do the same in another way: chained responses, results without ids, restored results."""

from dataclasses import replace
from typing import Any

from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, WEATHER, only_findings

INSTRUCTED = "system: Answer in rhyme.\n" + ONE_CALL

TWO_TOOLS = """
wires: [gemini-generate]
tools:
  - {name: get_weather, description: Weather., parameters: {city: string}, returns: 7 degrees and rain}
  - {name: get_time, description: Time., parameters: {city: string}, returns: half past nine}
conversation:
  - user: Weather and time in Oslo?
    model:
      - calls:
          - {name: get_weather, arguments: {city: Oslo}}
          - {name: get_time, arguments: {city: Oslo}}
      - text: Rain at half past nine.
"""

TWO_RESTORED = (
    WEATHER
    + """
history:
  - user: What is the weather in Oslo and Rome?
  - assistant:
      calls:
        - {id: call000001, name: get_weather, arguments: {city: Oslo}}
        - {id: call000002, name: get_weather, arguments: {city: Rome}}
  - tool: {id: call000001, result: seven degrees}
  - tool: {id: call000002, result: twenty degrees}
  - assistant: Cold and warm.
conversation:
  - user: Thanks.
    model:
      - text: You are welcome.
"""
)


class Chained(PlainAgent):
    """Right: continues from the response before, which has the system prompt as an item of its input."""

    wires = ("openai-responses",)
    previous = ""

    def body(self) -> dict[str, Any]:
        body = {**super().body(), "store": True}
        prompt = self.prompt(body)
        if self.previous:
            body |= {"previous_response_id": self.previous, "input": self.messages[self.sent :]}
        else:
            body["input"] = prompt + body["input"]
        return body

    def prompt(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"role": "system", "content": body.pop("instructions")}]

    def take(self, response: dict[str, Any]) -> Any:
        taken = super().take(response)
        self.previous, self.sent = response["id"], len(self.messages)
        return taken


class InstructsTheFirstResponse(Chained):
    """Sends `instructions` once, which OpenAI does not carry over to the next response."""

    def prompt(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        if self.previous:
            del body["instructions"]
        return []


class AnswersInReverseWithoutIds(PlainAgent):
    """Right where the names tell the results apart."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer([(None, name, text) for _, name, text in reversed(results)])


class SwapsRestoredResults(PlainAgent):
    def restore(self, role: str, run: list[Any]) -> None:
        texts = [message.text for message in reversed(run)]
        super().restore(role, [replace(m, text=text) for m, text in zip(run, texts, strict=True)])


def test_a_chain_of_responses_keeps_the_system_prompt_or_loses_it() -> None:
    assert only_findings(Chained, INSTRUCTED) == {"openai-responses+plain": []}
    assert only_findings(InstructsTheFirstResponse, INSTRUCTED) == {"openai-responses+plain": ["system-kept"]}


def test_results_without_ids_belong_to_calls_by_name_and_else_by_order() -> None:
    one_name = TWO_TOOLS.replace("get_time, arguments: {city: Oslo}", "get_weather, arguments: {city: Rome}")
    one_name = one_name.replace("returns: 7 degrees and rain", "results: [7 degrees and rain, 20 degrees and sun]")

    assert only_findings(AnswersInReverseWithoutIds, TWO_TOOLS) == {"gemini-generate+plain": []}
    assert only_findings(AnswersInReverseWithoutIds, one_name) == {"gemini-generate+plain": ["own-result"]}


def test_restored_results_stand_under_their_own_calls() -> None:
    assert {*map(tuple, only_findings(PlainAgent, TWO_RESTORED).values())} == {()}
    assert {*map(tuple, only_findings(SwapsRestoredResults, TWO_RESTORED).values())} == {("own-result",)}
