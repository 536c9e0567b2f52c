"""`steered`, on right agents of four styles and on wrong ones."""

import asyncio
import json
from typing import Any

import pytest

from agent_conformance import Cancelled
from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import assert_breaks_only, assert_right
from tests.trying import only_findings, verdicts

STEERED = """
wires: [openai-chat]
tools:
  - name: measure
    description: Measures a room.
    parameters: {room: string}
    returns: 12 feet
conversation:
  - user: How long are the hall and the kitchen?
    steer: {at: tool, user: Use metres.}
    model:
      - calls: [{name: measure, arguments: {room: hall}}, {name: measure, arguments: {room: kitchen}}]
      - text: About four.
  - user: And together?
    model:
      - text: Eight.
    expect: {reply: Eight.}
"""
RESTARTED = STEERED.replace("  - user: And together?\n", "  - user: And together?\n    restart: true\n")
LAST = STEERED.partition("  - user: And together?")[0]
"""The follow-up message is what comes next."""


class Hears(PlainAgent):
    """Adds what the user says after the results, as a message of its own."""

    features = PlainAgent.features | {"steering"}
    frame = "{}"

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.said: list[str] = []

    def steer(self, message: str) -> None:
        self.said.append(message)

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.hear()

    def hear(self) -> None:
        while self.said:
            self.messages += self.shape.user(self.frame.format(self.said.pop(0)))


class InItsOwnWords(Hears):
    frame = "The user has sent a message while you worked: {} Take it into account."


class AfterTheReply(Hears):
    """Queues it, and lets the model answer it once the turn is done."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        PlainAgent.answer(self, results)

    def reply(self, text: str) -> str:
        while self.said:
            self.hear()
            text = self.ask()[0]
        return text


class AtTheNextTurn(Hears):
    """Queues it, and lets the model answer it before the user's next message."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        PlainAgent.answer(self, results)

    def begin(self, message: str) -> None:
        if self.said:
            self.hear()
            self.ask()
        super().begin(message)


class StreamsEachAnswer(AfterTheReply):
    """Shows each answer when it comes, and reports the last one as its reply."""

    features = AfterTheReply.features | {"deltas"}

    def send(self, message: str) -> Any:
        self.shown: list[str] = []
        reply = super().send(message)
        yield from self.shown
        return reply

    def ask(self) -> Any:
        text, calls = super().ask()
        self.shown.append(text)
        return text, calls


class StreamsItsFirstAnswerAgain(StreamsEachAnswer):
    def reply(self, text: str) -> str:
        self.shown.append(text)
        return super().reply(text)


class GivesUpTheTool(Hears):
    """Runs no further call of the batch once the user has said something."""

    def run(self, name: str, arguments: Any) -> str:
        return "Not run: the user said something." if self.said else super().run(name, arguments)


class Hearsay(Hears):
    """Appends it to the result."""

    def run(self, name: str, arguments: Any) -> str:
        text = super().run(name, arguments)
        return f"{text}\n(user: {self.said.pop(0)})" if self.said else text


class AtOnce(Hears):
    """Adds it to the conversation where that stands: after the call, and before its results."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        self.hear()
        PlainAgent.answer(self, results)


class Deaf(Hears):
    def steer(self, message: str) -> None:
        pass


class HearsOnce(Hears):
    """Sends it with the next request only."""

    def ask(self) -> Any:
        said = super().ask()
        self.messages = [message for message in self.messages if message.get("content") != "Use metres."]
        return said


class HearsForOneRound(Hears):
    """Sends it until the next results are there."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        self.messages = [message for message in self.messages if message.get("content") != "Use metres."]
        super().answer(results)


class HearsOnALoop(Hears):
    async def send(self, message: str) -> str:
        return str(await asyncio.to_thread(super().send, message))

    async def steer(self, message: str) -> None:
        self.said.append(message)


@pytest.mark.parametrize(
    "agent", [Hears, InItsOwnWords, AfterTheReply, StreamsEachAnswer, AtTheNextTurn, GivesUpTheTool, HearsOnALoop]
)
def test_agent_that_hears_the_user_in_its_own_way_is_right(agent: Any) -> None:
    assert_right(agent, STEERED)
    assert_right(agent, LAST)


def test_answer_that_is_streamed_twice_is_one_finding_also_where_more_was_said() -> None:
    spare = STEERED.replace(
        "      - text: About four.\n", "      - text: About four.\n      - {text: Four., spare: true}\n"
    )

    assert_right(StreamsEachAnswer, spare)
    assert_breaks_only("stream-is-reply", StreamsItsFirstAnswerAgain, spare)


TWO_ROUNDS = LAST.replace(
    "      - text:", "      - calls: [{name: measure, arguments: {room: attic}}]\n      - text:", 1
)


def test_message_that_a_later_request_of_the_turn_lacks_is_one_finding() -> None:
    assert_right(Hears, TWO_ROUNDS)
    assert_right(AtTheNextTurn, TWO_ROUNDS)
    assert_breaks_only("steered", HearsForOneRound, TWO_ROUNDS)


@pytest.mark.parametrize("agent", [Hearsay, Deaf, HearsOnce])
def test_message_in_a_result_or_lost_is_one_finding(agent: Any) -> None:
    assert_breaks_only("steered", agent, STEERED)


@pytest.mark.parametrize(
    ("agent", "at", "got"),
    [
        (Hearsay, "turn 1, request 2", 'it stands in the result of a tool: "12 feet\\n(user: Use metres.)"'),
        (
            Deaf,
            "turn 2, request 1",
            "a request without it: user; assistant calls measure, measure; 2 results; assistant; user",
        ),
    ],
)
def test_finding_says_where_the_message_stands(agent: Any, at: str, got: str) -> None:
    [verdict] = verdicts(agent, STEERED)
    [finding] = verdict.findings

    assert (finding.at, finding.got) == (at, got)


def test_message_that_the_follow_up_lacks_is_found_too() -> None:
    assert_breaks_only("steered", Deaf, LAST)


def test_message_between_call_and_result_is_refused_where_the_provider_does_and_found_elsewhere() -> None:
    found = only_findings(AtOnce, STEERED.replace("wires: [openai-chat]\n", ""))

    assert found == {
        "openai-chat+plain": ["accepted:openai/tool-calls-unanswered"],
        "anthropic-messages+plain": ["accepted:anthropic/tool-results-not-first"],
        **{key: ["steered"] for key in ("openai-responses+plain", "gemini-generate+plain", "ollama-chat+plain")},
    }


def test_agent_that_forgets_it_over_a_restart_is_one_finding() -> None:
    class Forgets(Hears):
        features = Hears.features | {"restart"}

    assert_breaks_only("restored", Forgets, RESTARTED)


def test_adapter_without_the_method_is_an_error_of_the_adapter() -> None:
    class Lacks(PlainAgent):
        features = PlainAgent.features | {"steering"}

    [verdict] = verdicts(Lacks, STEERED)

    assert verdict.outcome == "error"
    assert "has no method steer(message)" in verdict.reason


class DropsOlderTurns(Hears):
    """Sends what was said since the turn began."""

    features = Hears.features | {"context-limit"}

    def begin(self, message: str) -> None:
        self.messages.clear()
        super().begin(message)


def test_where_the_context_is_limited_an_older_turn_may_go_with_what_was_said_in_it() -> None:
    assert_right(DropsOlderTurns, f"limits: {{context_tokens: 2000}}\n{STEERED}")

    found = only_findings(DropsOlderTurns, STEERED)
    assert "steered" in found["openai-chat+plain"]


class HearsInEachSession(Hears):
    """Has a conversation for each session, and hears the user in the one whose turn runs."""

    features = Hears.features | {"sessions"}

    def send(self, message: str, session: str | None = None) -> Any:
        self.messages = vars(self).setdefault(f"messages of {session}", self.messages if session is None else [])
        return super().send(message)


class DeafInSessions(HearsInEachSession):
    def steer(self, message: str) -> None:
        pass


def test_what_was_said_in_one_session_is_demanded_in_that_one_alone() -> None:
    between = STEERED.replace(
        "  - user: And together?\n",
        "  - user: I am Ben.\n    session: b\n    model: [{text: Hello Ben.}]\n  - user: And together?\n",
    )

    assert_right(HearsInEachSession, between)
    [verdict] = verdicts(DeafInSessions, between)
    assert [(finding.id, finding.at) for finding in verdict.findings] == [("steered", "turn 3, request 1")]


SEVERAL = STEERED.replace(
    "{at: tool, user: Use metres.}", "[{at: tool, user: Use metres.}, {at: tool, n: 2, user: Leave out the hall.}]"
)


class HearsTheLatestFirst(Hears):
    def hear(self) -> None:
        self.said.reverse()
        super().hear()


class HearsAllInOneMessage(Hears):
    def hear(self) -> None:
        if self.said:
            self.messages += self.shape.user("While you worked, the user said:\n- " + "\n- ".join(self.said))
        self.said.clear()


def test_messages_in_another_order_are_one_finding() -> None:
    for right in (Hears, HearsAllInOneMessage, AfterTheReply, AtTheNextTurn):
        assert_right(right, SEVERAL)
    assert_breaks_only("steered", HearsTheLatestFirst, SEVERAL)


CANCELLED = """
tools:
  - name: measure
    description: Measures a room.
    parameters: {room: string}
    returns: 12 feet
conversation:
  - user: How long are the hall and the kitchen?
    steer: {at: tool, user: Use metres.}
    cancel: {at: tool, n: 2}
    model:
      - calls: [{name: measure, arguments: {room: hall}}, {name: measure, arguments: {room: kitchen}}]
    expect: {outcome: cancelled}
  - user: And together?
    model: [{text: Eight.}, {text: Eight., spare: true}]
"""


class StopsAtOnce(Hears):
    """Keeps the turn that was cancelled, with what waits."""

    features = Hears.features | {"cancel"}

    def cancel(self) -> None:
        self.is_stopped = True

    def begin(self, message: str) -> None:
        self.is_stopped, self.began = False, len(self.messages)
        super().begin(message)

    def run(self, name: str, arguments: Any) -> str:
        return super().run(name, arguments) if not self.is_stopped else "Not run: the user has stopped it."

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        if self.is_stopped:
            self.stop(results)
            raise Cancelled
        super().answer(results)

    def stop(self, results: Any) -> None:
        super().answer(results)


class StopsWithAnEmptyQueue(StopsAtOnce):
    def stop(self, results: Any) -> None:
        self.said.clear()
        super().stop(results)


class ForgetsWhatWasStopped(StopsAtOnce):
    def stop(self, results: Any) -> None:
        del self.messages[self.began :]
        self.said.clear()


class ForgetsTheTurnAlone(StopsAtOnce):
    def stop(self, results: Any) -> None:
        del self.messages[self.began :]
        self.hear()


SUMMED_UP = """
conversation:
  - user: Say hello.
    steer: {at: request, user: And say it in Greek.}
    model: [{text: Hello., times: 2}]
  - user: Now say goodbye.
    compact: true
    model: [{text: Goodbye.}]
"""


class SumsUp(Hears):
    """What waits comes after the summary."""

    features = Hears.features | {"compaction"}

    def begin(self, message: str) -> None:
        self.hear()
        super().begin(message)

    def compact(self) -> None:
        wanted = self.shape.user(f"Sum up this conversation in two sentences: {json.dumps(self.messages)}")
        self.messages = self.shape.user(f"Before: {self.shape.read(self.post(self.shape.body(wanted, [])))[1]}")


class SumsUpWithAnEmptyQueue(SumsUp):
    def compact(self) -> None:
        self.said.clear()
        super().compact()


def test_what_waits_for_the_next_turn_outlives_a_compaction() -> None:
    assert_right(SumsUp, SUMMED_UP)
    assert_breaks_only("steered", SumsUpWithAnEmptyQueue, SUMMED_UP)


def test_what_waits_when_the_turn_is_cancelled_is_said_later_or_has_gone_back_to_the_user() -> None:
    assert_right(StopsAtOnce, CANCELLED)
    assert_right(ForgetsTheTurnAlone, CANCELLED)
    for agent in (StopsWithAnEmptyQueue, ForgetsWhatWasStopped):
        found = verdicts(agent, CANCELLED)
        assert {(finding.id, finding.level) for one in found for finding in one.findings} == {("steered", "should")}
