"""A request for a summary of what was said before is no request of the turn; what goes on after it has the question."""

from dataclasses import replace
from typing import Any, ClassVar

import pytest

from agent_conformance import Tool
from tests.agents.plain import GaveUp, PlainAgent
from tests.trying import only_findings

SCENARIO = """
system: Speak plainly.
window: {tokens: 2500}
tools:
  - name: read_log
    description: Reads the log.
    parameters: {job: string}
    returns: {repeat: "retry of part 12 ", times: 400}
conversation:
  - user: Why did job 41 fail?
    model:
      - calls: [{name: read_log, arguments: {job: "41"}}]
      - text: The upload of job 41 timed out.
  - user: And what of job 42?
    model:
      - calls: [{name: read_log, arguments: {job: "42"}}]
      - text: It is the same with job 42.
        times: 3
        spare: true
    expect: {outcome: either}
"""


class Compacts(PlainAgent):
    """Right: it has the turns before summarised, under a prompt of its own, and keeps this turn."""

    keeps_turn = True

    def begin(self, message: str) -> None:
        self.before = list(self.messages)
        super().begin(message)

    def ask(self) -> tuple[str, list[tuple[Any, str, Any]]]:
        try:
            return super().ask()
        except GaveUp:
            turn = self.messages[len(self.before) :] if self.keeps_turn else []
            summary = self.shape.user(f"So far: {self.summary()}")
            self.messages = [*summary, *turn]
            return super().ask()

    def summary(self) -> str:
        own, self.shape.setup = self.shape.setup, replace(self.setup, system="Summarise what follows.")
        try:
            text, _ = self.take(self.post(self.shape.body(self.shape.user("[User]: Why did job 41 fail?"), [])))
        finally:
            self.shape.setup = own
        return text


class CompactsAll(Compacts):
    """Wrong: what the user has just asked goes, too."""

    keeps_turn = False


class CompactsForGood(Compacts):
    """Wrong: the prompt of the summary stays for the rest of the conversation."""

    def summary(self) -> str:
        text = super().summary()
        self.shape.setup = replace(self.setup, system="Summarise what follows.")
        return text


def test_request_for_a_summary_needs_neither_the_question_nor_the_system_prompt() -> None:
    assert set(map(tuple, only_findings(Compacts, SCENARIO).values())) == {()}


@pytest.mark.parametrize(
    ("agent", "laws"), [(CompactsAll, ["asked", "paired"]), (CompactsForGood, ["system-kept"])], ids=["all", "for good"]
)
def test_request_after_the_summary_needs_all_that_is_open(agent: type[PlainAgent], laws: list[str]) -> None:
    found = only_findings(agent, SCENARIO)

    assert found == {f"{wire}+plain": laws for wire in PlainAgent.wires}


def test_scenario_says_what_the_model_answers_to_requests_for_a_summary() -> None:
    answers = []

    class Listens(Compacts):
        def summary(self) -> str:
            answers.append(super().summary())
            return answers[-1]

    only_findings(Listens, "summaries: [{text: First it failed.}]\n" + SCENARIO, wires=("openai-chat",))

    assert answers == ["First it failed."]


def test_request_that_has_the_form_of_one_for_a_summary_is_one_whatever_becomes_of_the_answer() -> None:
    class Forgets(Compacts):
        """Right: older turns may go without a summary."""

        def ask(self) -> tuple[str, list[tuple[Any, str, Any]]]:
            try:
                return PlainAgent.ask(self)
            except GaveUp:
                turn = self.messages[len(self.before) :]
                self.summary()
                self.messages = turn
                return PlainAgent.ask(self)

    assert only_findings(Forgets, SCENARIO)["openai-chat+plain"] == []


HISTORY = """
system: Speak plainly.
window: {tokens: 1500}
tools:
  - name: read_log
    description: Reads the log of a job.
    parameters: {job: string}
    returns: The upload timed out.
history:
  - user: Why did job 41 fail?
  - assistant: {repeat: "retry of part 12 ", times: 800}
conversation:
  - user: And what of job 42?
    model:
      - {calls: [{name: read_log, arguments: {job: "42"}}], spare: true}
      - {text: It is the same with job 42., spare: true}
    expect: {outcome: either}
"""


def test_request_for_a_summary_that_comes_first_in_a_turn_needs_no_tools() -> None:
    """The model would call a tool there, and says that it has none."""
    assert set(map(tuple, only_findings(Compacts, HISTORY).values())) == {()}


def test_request_for_a_summary_that_the_window_refuses_needs_neither_question_nor_tools() -> None:
    class SumsUpTooMuch(Compacts):
        """Right: where the request for a summary is too long itself, words stand in the place of what was said."""

        def summary(self) -> str:
            own, self.shape.setup = self.shape.setup, replace(self.setup, system="Summarise what follows.")
            told = "\n".join(message.text for message in self.setup.history)
            try:
                return self.take(self.post(self.shape.body(self.shape.user(told), [])))[0]
            except GaveUp:
                return "[Two older messages were left out.]"
            finally:
                self.shape.setup = own

    assert set(map(tuple, only_findings(SumsUpTooMuch, HISTORY).values())) == {()}


def test_request_after_the_summary_needs_the_tools() -> None:
    class LosesTools(Compacts):
        """Wrong: what goes on after the summary offers no tool."""

        has_summary = False

        def summary(self) -> str:
            self.has_summary = True
            return super().summary()

        def tools(self) -> list[Tool]:
            return [] if self.has_summary else super().tools()

    assert "offered" in only_findings(LosesTools, HISTORY)["openai-chat+plain"]


NO_TOOLS = "wires: [openai-chat]\nconversation:" + "".join(
    f"""
  - user: Tell me about number {number}.
    model:
      - text: Number {number} is an odd one.
    expect: {{reply: Number {number} is an odd one.}}
"""
    for number in range(31, 39, 2)
)


class SumsUpTurns(PlainAgent):
    """Right: has the turns before summed up at the beginning of each turn, where there are no tools to leave out."""

    asked = "Sum this up in a sentence, for yourself later:"

    def begin(self, message: str) -> None:
        if self.messages:
            self.sum_up(message)
        super().begin(message)

    def sum_up(self, message: str) -> None:
        told = "\n".join(f"{one['role']}: {one['content']}" for one in self.messages)
        text = self.take(self.post(self.shape.body(self.shape.user(f"{self.asked}\n{told}"), [])))[0]
        self.messages = self.shape.user(f"What was said before: {text}")


class SumsUpAfterTheAnswer(SumsUpTurns):
    def begin(self, message: str) -> None:
        PlainAgent.begin(self, message)

    def reply(self, text: str) -> str:
        self.sum_up("")
        return text


class RetellsTheConversation(PlainAgent):
    """Right: each request is one message, which ends with the question."""

    def body(self) -> dict[str, Any]:
        told = "\n".join(f"{one['role']}: {one['content']}" for one in self.messages)
        return self.shape.body(self.shape.user(f"A summary of our conversation, and what I want:\n{told}"), [])


class AsksForTheSummaryAlone(SumsUpTurns):
    """Wrong: the message of the user goes nowhere."""

    def send(self, message: str) -> Any:
        if not self.messages:
            return super().send(message)
        self.sum_up(message)
        return self.messages[-1]["content"]


@pytest.mark.parametrize("agent", [SumsUpTurns, SumsUpAfterTheAnswer, RetellsTheConversation])
def test_turns_without_tools_may_be_summed_up(agent: type[PlainAgent]) -> None:
    (found,) = only_findings(agent, NO_TOOLS).values()

    assert [law for law in found if law != "steady-prefix"] == []


def test_summary_in_place_of_the_question_is_found() -> None:
    (found,) = only_findings(AsksForTheSummaryAlone, NO_TOOLS).values()

    assert found[:3] == ["2.reply", "3.reply", "4.reply"]


LONG_MESSAGE = """
limits: {context_tokens: 1000}
conversation:
  - user: Say hello.
    model: [{text: Hello.}]
  - user: {repeat: "worker 7: retry of part 12 of the upload. ", times: 400}
    model:
      - {text: The upload was retried., spare: true}
    expect:
      outcome: either
      requests: [{at: each, size: {max: 2000}}]
"""


class RetellsInOneMessage(PlainAgent):
    """Right: what was said before stands, as a summary, above the user's message, which is cut with a mark."""

    def begin(self, message: str) -> None:
        cut = message if len(message) < 500 else f"{message[:100]} [... {len(message) - 100} characters left out]"
        self.messages = []
        super().begin(f"Summary of the conversation so far: user: Say hello.\n{cut}" if self.turns else cut)
        self.turns = True

    features: ClassVar = PlainAgent.features | {"context-limit"}
    turns = False


class RetellsAmongInstructions(RetellsInOneMessage):
    """Right: the summary stands in the system prompt, above the user's message, which is cut with a mark."""

    def begin(self, message: str) -> None:
        if self.turns:
            self.shape.setup = replace(self.setup, system="Summary of the conversation so far: the user said hello.")
        PlainAgent.begin(self, message if len(message) < 500 else f"{message[:100]} [... cut here]")
        self.messages = self.messages[-1:]
        self.turns = True


@pytest.mark.parametrize("agent", [RetellsInOneMessage, RetellsAmongInstructions])
def test_cut_message_below_a_summary_is_no_request_for_one(agent: type[PlainAgent]) -> None:
    assert set(map(tuple, only_findings(agent, LONG_MESSAGE).values())) == {()}
