"""A call that an agent leaves out is missed also where others stand beside it, of other tools or of the same."""

import json
from typing import Any

import pytest

from agent_conformance import Pending, ToolCall
from agent_conformance.baseline.case_report import facts_of
from tests.agents.plain import GaveUp, PlainAgent
from tests.judge.test_laws_on_approvals import TOOLS, Remembers
from tests.judge.trying_laws import assert_breaks_only, assert_right
from tests.trying import verdicts

TWO_TOOLS = """
wires: [openai-chat]
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}
  - {name: find, description: Finds a place., parameters: {word: string}, returns: in the garden}
conversation:
  - user: What is a pear, and where?
    model:
      - calls: [{name: look_up, arguments: {word: pear}}]
      - calls: [{name: find, arguments: {word: pear}}]
      - text: A fruit, in the garden.
"""


class TellsWhatItFound(PlainAgent):
    """Wrong: writes the result of one tool as text of the user, and leaves out the call."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        ((_, name, text),) = results
        if name == "find":
            self.messages[-1:] = self.shape.user(f"It is {text}.")
        else:
            super().answer(results)


def test_call_that_is_left_out_beside_another_is_one_finding() -> None:
    (right,), (wrong,) = verdicts(PlainAgent, TWO_TOOLS), verdicts(TellsWhatItFound, TWO_TOOLS)

    assert right.findings == ()
    assert [finding.id for finding in wrong.findings] == ["paired"]
    facts = dict(facts_of(wrong.findings[0]))
    assert facts["expected"] == "the model's call of find, answered by a native result"
    assert facts["got"] == "a request in which the call is missing: calls: look_up; native results: 1"


BUSY = """
wires: [openai-chat]
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}
conversation:
  - user: What is a pear?
    model:
      - calls: [{name: look_up, arguments: {word: pear}}]
      - {fault: {status: 503, retry_after: 0}, times: 2}
      - text: A fruit.
"""


class AsksAgain(PlainAgent):
    def ask(self) -> Any:
        for _ in range(2):
            try:
                return super().ask()
            except GaveUp:
                self.try_again()
        return super().ask()

    def try_again(self) -> None: ...


class BeginsAnew(AsksAgain):
    """Wrong: the call has run, and nothing of it is left."""

    def try_again(self) -> None:
        del self.messages[1:]


def test_call_is_there_still_when_a_busy_provider_is_asked_again() -> None:
    assert_right(AsksAgain, BUSY)
    assert_breaks_only("paired", BeginsAnew, BUSY)


def test_call_may_be_gone_where_the_request_had_to_change() -> None:
    assert_right(BeginsAnew, BUSY.replace("503, retry_after: 0", "413").replace("times: 2", "times: 1"))


DANGLING_AT_THE_END = """
wires: [ollama-chat]
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}
history:
  - user: What is a pear?
  - assistant: {calls: [{id: call000001, name: look_up, arguments: {word: pear}}]}
conversation:
  - user: And a leek?
    model: [{text: A vegetable.}]
"""


class AnswersWhatIsOpen(PlainAgent):
    def restore(self, role: str, run: list[Any]) -> None:
        super().restore(role, run)
        for call in (call for message in run for call in message.tool_calls):
            self.answer([(call.id, call.name, "It never ran.")])


def test_last_request_of_a_case_is_looked_at_like_the_others() -> None:
    (right,), (wrong,) = (verdicts(agent, DANGLING_AT_THE_END) for agent in (AnswersWhatIsOpen, PlainAgent))

    assert right.findings == ()
    assert [finding.id for finding in wrong.findings] == ["paired"]
    assert str(wrong.findings[0].place) == "turn 1, request 1, messages[1]"


WEATHER = """
tools:
  - name: weather
    description: Says the weather.
    parameters: {city: string, day: {type: string, default: today}}
    results: [7 degrees and rain, 20 degrees and sun, 3 degrees and fog, 30 degrees and dust]
"""
BATCH = (
    WEATHER
    + """
conversation:
  - user: How is the weather in Oslo, Rome and Bonn?
    model:
      - calls:
          - {name: weather, arguments: {city: Oslo}}
          - {name: weather, arguments: {city: Rome}}
          - {name: weather, arguments: {city: Bonn}}
      - text: Rain, sun and fog.
"""
)
AGAIN = (
    WEATHER
    + """
conversation:
  - user: How is the weather in Oslo?
    model:
      - calls: [{name: weather, arguments: {city: Oslo}}]
      - text: Rain.
  - user: And in Rome, and is it still the same in Oslo?
    model:
      - calls: [{name: weather, arguments: {city: Rome}}]
      - calls: [{name: weather, arguments: {city: Oslo}}]
      - text: Sun there, and fog in Oslo.
"""
)
TWICE = BATCH.replace("Bonn}}", "Rome}}")


def without_call(value: Any, number: int) -> Any:
    """A response without its call of this number, on any wire."""
    if isinstance(value, dict):
        return {key: without_call(inner, number) for key, inner in value.items()}
    if not isinstance(value, list):
        return value
    calls = [one for one in value if isinstance(one, dict) and is_call(one)]
    gone = calls[number] if len(calls) > number else None
    return [without_call(one, number) for one in value if one is not gone]


def is_call(part: dict[str, Any]) -> bool:
    return part.get("type") in ("function_call", "tool_use") or "function" in part or "functionCall" in part


class LosesTheSecondCall(PlainAgent):
    """Wrong: keeps calls in a map by something that two of them share."""

    number = 1

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        return without_call(super().post(body), self.number)


class LosesTheThirdCall(LosesTheSecondCall):
    number = 2


class TellsWhatItKnowsAlready(PlainAgent):
    """Wrong: from its second call of a tool on, the result goes into a text of the user, and the call is gone."""

    def take(self, response: dict[str, Any]) -> Any:
        before = len(self.messages)
        text, calls = super().take(response)
        self.knows = getattr(self, "knows", 0) + len(calls)
        if calls and self.knows > 1:
            del self.messages[before:]
        return text, calls

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        if self.knows > 1:
            self.messages += self.shape.user(f"The tool says: {results[0][2]}")
        else:
            super().answer(results)


class HasIdsOfItsOwn(PlainAgent):
    """Right: numbers calls and results in its own way, as clients do that store no ids."""

    def take(self, response: dict[str, Any]) -> Any:
        text, calls = super().take(response)
        self.ids = [*getattr(self, "ids", []), *(id for id, _, _ in calls if id)]
        return text, calls

    def body(self) -> dict[str, Any]:
        shown = json.dumps(super().body())
        for number, id in enumerate(getattr(self, "ids", [])):
            shown = shown.replace(json.dumps(id), json.dumps(f"own{number:06}"))
        return json.loads(shown)


class SendsTheNewestExchange(PlainAgent):
    """Right but for advice: forgets older turns."""

    def begin(self, message: str) -> None:
        self.messages.clear()
        super().begin(message)


@pytest.mark.parametrize("text", [BATCH, AGAIN, TWICE], ids=["batch", "again", "twice"])
@pytest.mark.parametrize("agent", [PlainAgent, HasIdsOfItsOwn])
def test_no_call_is_missed_of_an_agent_that_keeps_them(agent: Any, text: str) -> None:
    found = verdicts(agent, text)

    assert {finding.id for verdict in found for finding in verdict.at_level("must")} == set()


def test_window_that_drops_the_same_call_of_an_older_turn_loses_none() -> None:
    found = verdicts(SendsTheNewestExchange, AGAIN)

    assert {finding.id for verdict in found for finding in verdict.findings} <= {"kept-whole", "steady-prefix"}


@pytest.mark.parametrize("agent", [LosesTheSecondCall, LosesTheThirdCall])
def test_one_call_that_is_lost_of_a_batch_of_one_tool_is_one_finding(agent: Any) -> None:
    assert_breaks_only("paired", agent, BATCH)


def test_of_two_calls_that_are_the_same_one_is_enough() -> None:
    assert_right(LosesTheThirdCall, TWICE)


def test_call_of_a_tool_that_was_called_before_is_missed() -> None:
    assert_breaks_only("paired", TellsWhatItKnowsAlready, AGAIN)


DELETED_BEFORE = (
    TOOLS
    + """
history:
  - user: Delete a.txt.
  - assistant: {calls: [{id: call000001, name: delete_file, arguments: {path: a.txt}}]}
  - tool: {id: call000001, result: deleted}
  - assistant: I deleted it.
conversation:
  - user: Delete b.txt.
    approve: {delete_file: pending}
    model:
      - calls: [{name: delete_file, arguments: {path: b.txt}}]
  - user: I have decided.
    restart: true
    approve: {delete_file: true}
    model:
      - text: Very well.
    expect: {executed: [{delete_file: {path: b.txt}}], reply: Very well.}
"""
)


class Resumes(Remembers):
    """Stores its messages with the open call, asks again once it is started again, and goes on."""

    features = Remembers.features | {"history"}

    def allows(self, name: str, arguments: Any) -> bool:
        try:
            return self.setup.approve(ToolCall(None, name, arguments))
        except Pending:
            self.file.write_text(json.dumps(self.messages))
            raise

    def send(self, message: str) -> Any:
        if self.file.exists():
            self.messages = json.loads(self.file.read_text())
            call = self.messages[-1]["tool_calls"][0]["id"]
            self.file.unlink()
            self.resume([(call, "delete_file", self.run("delete_file", {"path": "b.txt"}))])
        return super(Remembers, self).send(message)

    def resume(self, results: list[tuple[Any, str, str]]) -> None:
        self.answer(results)


class ResumesWithWordsAlone(Resumes):
    """Wrong: the call that ran is a word of the user."""

    def resume(self, results: list[tuple[Any, str, str]]) -> None:
        self.messages[-1:] = self.shape.user(f"It is {results[0][2]}.")


def test_call_that_ran_once_it_was_allowed_is_missed_beside_an_older_call_of_its_tool() -> None:
    (right,), (wrong,) = verdicts(Resumes, DELETED_BEFORE), verdicts(ResumesWithWordsAlone, DELETED_BEFORE)

    assert right.findings == ()
    assert [(finding.id, str(finding.place)) for finding in wrong.findings] == [("paired", "turn 2, request 1")]


FILTERED = """
wires: [openai-chat]
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}
conversation:
  - user: What is a pear?
    model:
      - {text: "", calls: [{name: look_up, arguments: {word: pear}}], finish: FINISH}
      - {text: A fruit., spare: true}
    expect: {outcome: either}
"""


class ThrowsAwayWhatIsFiltered(PlainAgent):
    """Asks again where the provider's filter has stopped the answer, and keeps nothing of that."""

    reason = "content_filter"

    def take(self, response: dict[str, Any]) -> Any:
        if response["choices"][0]["finish_reason"] == self.reason:
            return self.ask()
        return super().take(response)


class ThrowsAwayCalls(ThrowsAwayWhatIsFiltered):
    reason = "tool_calls"


def test_call_of_an_answer_that_was_filtered_may_be_thrown_away() -> None:
    assert_right(ThrowsAwayWhatIsFiltered, FILTERED.replace("FINISH", "content_filter"))
    assert_breaks_only("paired", ThrowsAwayCalls, FILTERED.replace(", finish: FINISH", ""))
