"""What an agent asks a model beside its conversation: whether a call may run, sub-agents, an extractor, a line for the
status bar. None of it takes up a reply, and a call that the model is asked about runs."""

from typing import Any, ClassVar

import pytest

from agent_conformance import Tool
from agent_conformance.transcripts.request_purposes import allowing_answer
from fake_providers import View, ViewMessage
from tests.agents.plain import PlainAgent
from tests.run.test_forms_of_side_requests import HasOwnTools
from tests.trying import ONE_CALL, TWO_CALLS, WEATHER, only_findings, verdicts

SAVE = Tool("save_memory", "Saves.", {"type": "object", "properties": {}}, run=str, arun=None)  # type: ignore[arg-type]
UNTIL_ANSWERED = (
    WEATHER
    + """
system: You are a careful assistant with tools.
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
        until: answered
      - text: Rain.
"""
)


class Asks(HasOwnTools):
    wires = ("openai-chat",)

    def beside(self, system: str, text: str, tools: list[Tool] | None = None) -> str:
        messages = [{"role": "system", "content": system}, *self.shape.user(text)]
        body: dict[str, Any] = {**self.shape.body([], tools or []), "messages": messages}
        return str(self.shape.read(self.post(body))[1])


class Guards(Asks):
    """Has a model decide on each call."""

    question = "Is this call safe? Answer yes or no."
    allows: ClassVar[str] = "yes"
    more = ""

    def run(self, name: str, arguments: Any) -> str:
        verdict = self.beside(self.question, f"{self.more}{name}({arguments})")
        return super().run(name, arguments) if verdict == self.allows else "It was not permitted."


class Blocks(Guards):
    question = "Decide whether the call has to be blocked. Write <block>yes</block> or <block>no</block>."
    allows = "<block>no</block>"


class Decides(Guards):
    question = 'You guard an agent. Respond with "deny" or "allow".'
    allows = "allow"
    more = "The user said: What is the weather in Oslo? The agent calls "


class GuardsWithoutToolsOfItsOwn(Guards):
    features = PlainAgent.features

    def tools(self) -> list[Tool]:
        return PlainAgent.tools(self)


class GuardsWithTools(Guards):
    """Its guard may look around first, and reads some of the same rules, as that of Codex."""

    rules: ClassVar[str] = "Files are read-only. No network can be reached."

    def tools(self) -> list[Tool]:
        return [SAVE, *super().tools()]

    def body(self) -> dict[str, Any]:
        told = f"You are a careful assistant with tools. You say what you do.\n{self.rules}\nAnswer in few words."
        body = super().body()
        return {**body, "messages": [{"role": "system", "content": told}, *self.messages]}

    def run(self, name: str, arguments: Any) -> str:
        question = f'You judge a call, as "allow" or "deny". Be careful.\n{self.rules}'
        verdict = self.beside(question, f"hello\nThe call: {name}({arguments})", [SAVE])
        return PlainAgent.run(self, name, arguments) if verdict == "allow" else "It was not permitted."


@pytest.mark.parametrize("agent", [Guards, Blocks, Decides, GuardsWithoutToolsOfItsOwn, GuardsWithTools])
@pytest.mark.parametrize("scenario", [ONE_CALL, TWO_CALLS, UNTIL_ANSWERED])
def test_call_that_a_model_is_to_allow_runs(agent: type[Asks], scenario: str) -> None:
    for verdict in verdicts(agent, scenario):
        assert (verdict.outcome, verdict.executions) == ("pass", 2 if scenario is TWO_CALLS else 1)


class Remembers(Asks):
    """Has another agent with a tool of its own look at each exchange."""

    def reply(self, text: str) -> str:
        said = self.messages[-1]["content"]
        self.beside("Extract what is worth remembering of this exchange.", f"User: hello\nAssistant: {said}", [SAVE])
        return text


class SumsUpTheTurn(Asks):
    def reply(self, text: str) -> str:
        asked = [*self.messages, *self.shape.user("Summarize the turn in one line for the status bar.")]
        self.post(self.shape.body(asked, []))
        return text


class SaysMoreBehindTheReply(Asks):
    """Its reply is what the model answers to the request without tools: that is a part of the conversation."""

    def reply(self, text: str) -> str:
        asked = [*self.messages, *self.shape.user("Say it again, in other words.")]
        return str(self.shape.read(self.post(self.shape.body(asked, [])))[1])


@pytest.mark.parametrize("agent", [Remembers, SumsUpTheTurn])
@pytest.mark.parametrize("scenario", [TWO_CALLS, UNTIL_ANSWERED])
def test_other_agent_beside_the_conversation_takes_up_no_reply(agent: type[Asks], scenario: str) -> None:
    assert not any(only_findings(agent, scenario).values())


def test_answer_that_becomes_the_reply_was_asked_for_in_the_conversation() -> None:
    assert all(only_findings(SaysMoreBehindTheReply, TWO_CALLS).values())


class LosesTheToolsOfTheCase(HasOwnTools):
    def tools(self) -> list[Tool]:
        return super().tools()[:1]


def test_agent_that_offers_its_own_tools_alone_is_accused() -> None:
    assert all("offered" in found for found in only_findings(LosesTheToolsOfTheCase, TWO_CALLS).values())


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Is it safe to run `rm x`? Reply YES or NO.", "YES"),
        ("Is the command dangerous? Answer yes or no.", "no"),
        ("Answer with true or false: may the tool be allowed to run?", "true"),
        ("Classify the risk of the call as low, medium or high.", None),
        ("Decide: approve / reject. Permission is asked for the call.", "approve"),
        ("Is this a new topic? Answer yes or no.", None),
        ("What is safer, to wait or to go?", None),
    ],
)
def test_question_is_answered_in_its_form(asked: str, answer: str | None) -> None:
    view = View("", False, messages=(ViewMessage("user", "messages[0]", asked),))

    assert allowing_answer(view) == answer


def test_question_with_a_schema_is_answered_in_json() -> None:
    schema = {
        "properties": {
            "shouldBlock": {"type": "boolean"},
            "decision": {"enum": ["deny", "allow"]},
            "why": {"type": "string"},
        },
        "required": ["shouldBlock", "decision"],
    }
    view = View("", False, messages=(ViewMessage("user", "messages[0]", "Is the call safe?"),), schema=schema)

    assert allowing_answer(view) == '{"shouldBlock": false, "decision": "allow"}'


class Delegates(Asks):
    """Another agent looks at the task first, so that nothing tells yet which of them the conversation is with."""

    def begin(self, message: str) -> None:
        self.beside("Explore the files for another agent.", f"The task: {message}", [SAVE])
        super().begin(message)


def test_finding_that_may_come_from_another_agent_says_how_to_declare_it() -> None:
    (verdict,) = verdicts(Delegates, ONE_CALL)

    (finding,) = [one for one in verdict.findings if one.id == "offered"]
    assert "`side_request` of the adapter, or side=REGEX in front of an acp: command" in finding.got
