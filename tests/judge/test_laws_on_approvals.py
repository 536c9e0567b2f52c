"""`approved` and `answered`, on right agents of four styles and on wrong ones."""

from typing import Any

from agent_conformance import Cancelled, Pending, Tool, ToolCall
from tests.agents.plain import PlainAgent
from tests.judge.test_restored import CRASHED, Stores
from tests.judge.trying_laws import assert_breaks_only, assert_right
from tests.trying import verdicts

TOOLS = """
wires: [openai-chat]
tools:
  - name: read_file
    description: Reads a file.
    parameters: {path: string}
    returns: three old invoices
  - name: delete_file
    description: Deletes a file.
    parameters: {path: string}
    returns: deleted
    approval: ask
"""
DENIED = (
    TOOLS
    + """
conversation:
  - user: Read a.txt and delete b.txt.
    approve: {delete_file: false}
    model:
      - calls: [{name: read_file, arguments: {path: a.txt}}, {name: delete_file, arguments: {path: b.txt}}]
      - text: I did not delete b.txt.
    expect: {outcome: either}
"""
)
EACH = (
    TOOLS
    + """
conversation:
  - user: Delete a.txt and b.txt.
    approve: {delete_file: [false, true]}
    model:
      - calls: [{name: delete_file, arguments: {path: a.txt}}, {name: delete_file, arguments: {path: b.txt}}]
      - text: I deleted b.txt.
    expect:
      executed: [{delete_file: {path: b.txt}}]
      approvals: [{delete_file: {path: b.txt}}, {delete_file: {path: a.txt}}]
"""
)
PENDING = (
    TOOLS
    + """
waive: {restored: it is about the answer of the user}
conversation:
  - user: Delete b.txt.
    approve: {delete_file: pending}
    model:
      - calls: [{name: delete_file, arguments: {path: b.txt}}]
      - text: It is up to you.
        spare: true
    expect: {executed: []}
  - user: I have decided.
    restart: true
    approve: {delete_file: true}
    model:
      - text: Very well.
    expect: {executed: {one_of: [[{delete_file: {path: b.txt}}], []]}, reply: Very well.}
"""
)


class Asks(PlainAgent):
    """Asks about each call just before it runs."""

    features = PlainAgent.features | {"approval", "restart"}
    denied = "The user does not want that."

    def run(self, name: str, arguments: Any) -> str:
        allowed = self.allows(name, arguments)
        return super().run(name, arguments) if allowed else self.denied

    def allows(self, name: str, arguments: Any) -> bool:
        return self.setup.approve(ToolCall(None, name, arguments))


class AsksAboutAllFirst(Asks):
    """Asks about all calls of a reply, in another order, before any of them runs, as agents that interrupt do."""

    def send(self, message: str) -> Any:
        self.begin(message)
        while (said := self.ask())[1]:
            answers = {(name, str(args)): self.allows(name, args) for _, name, args in reversed(said[1])}
            self.answer([(id, n, self.run_if(answers[n, str(args)], n, args)) for id, n, args in said[1]])
        return said[0]

    def run_if(self, allowed: bool, name: str, arguments: Any) -> str:
        return PlainAgent.run(self, name, arguments) if allowed else self.denied


class EndsTheTurn(Asks):
    """A denial ends the turn in its own words; the model learns of it in the next one."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        if any(text == self.denied for _, _, text in results):
            raise self.errors[0]("You denied a call, so I stopped.")


class KnowsNoArguments(Asks):
    """Its question names the tool alone, as permissions of the Agent Client Protocol may."""

    def allows(self, name: str, arguments: Any) -> bool:
        return self.setup.approve(ToolCall("c1", name))


class Remembers(Asks):
    """Stores the open call, and asks again once it is started again; then it goes on with the user's next message."""

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.file = setup.state_dir / "open.txt"

    def send(self, message: str) -> Any:
        if self.file.exists():
            self.messages = [*self.shape.user("Delete b.txt."), self.open_call()]
            self.answer([("c1", "delete_file", self.run("delete_file", {"path": "b.txt"}))])
            self.ask()
        return super().send(message)

    def open_call(self) -> dict[str, Any]:
        function = {"name": "delete_file", "arguments": '{"path": "b.txt"}'}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        }

    def allows(self, name: str, arguments: Any) -> bool:
        try:
            return super().allows(name, arguments)
        except Pending:
            self.file.touch()
            raise


class StreamsBothAnswers(Remembers):
    """Shows what the resumed run answered, and then the answer to the message, which is its reply."""

    features = Asks.features | {"deltas"}
    between = ""

    def send(self, message: str) -> Any:
        if self.file.exists():
            self.messages = [*self.shape.user("Delete b.txt."), self.open_call()]
            self.answer([("c1", "delete_file", self.run("delete_file", {"path": "b.txt"}))])
            yield self.ask()[0] + self.between
        reply = Asks.send(self, message)
        yield reply
        return reply


class StreamsMoreThanBothAnswers(StreamsBothAnswers):
    between = " One moment."


class AnswersItself(Asks):
    """Says to the model that nobody answered, and never runs the call."""

    def allows(self, name: str, arguments: Any) -> bool:
        try:
            return super().allows(name, arguments)
        except Pending:
            return False


class AsksNobody(Asks):
    def allows(self, name: str, arguments: Any) -> bool:
        return True


class AsksAndRuns(Asks):
    def allows(self, name: str, arguments: Any) -> bool:
        super().allows(name, arguments)
        return True


class AsksAfterwards(Asks):
    def run(self, name: str, arguments: Any) -> str:
        text = PlainAgent.run(self, name, arguments)
        return text if self.allows(name, arguments) else self.denied


class KeepsTheAnswer(Asks):
    def allows(self, name: str, arguments: Any) -> bool:
        self.answers: dict[str, bool] = getattr(self, "answers", {})
        return self.answers.setdefault(name, super().allows(name, arguments))


class SaysNothing(Asks):
    denied = ""


class SaysThatItIsDone(Asks):
    denied = "Done."


class SaysThatItSucceeded(Asks):
    denied = '{"status": "success", "result": true}'


class SaysThatTheToolIsDone(Asks):
    denied = "delete_file was executed successfully."


class SaysThatNothingWasDone(Asks):
    """Right, though it has a word of success."""

    denied = "Not done: status denied."


class RunsWhileItWaits(Asks):
    def allows(self, name: str, arguments: Any) -> bool:
        try:
            return super().allows(name, arguments)
        except Pending:
            return True


STOPPED = (
    TOOLS
    + """
conversation:
  - user: Delete b.txt.
    cancel: {at: approval}
    approve: {delete_file: true}
    model:
      - calls: [{name: delete_file, arguments: {path: b.txt}}]
      - {text: It is gone., spare: true}
    expect: {outcome: cancelled, executed: []}
  - user: Say hello.
    model: [{text: Hello., times: 2}]
    expect: {reply: Hello.}
"""
)


class EndsTheOpenCallFirst(Asks):
    """Once the user has stopped it at a question, its next turn first tells the model that the call did not run."""

    features = Asks.features | {"cancel"}

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.stopped = False

    def cancel(self) -> None:
        self.stopped = True

    def run(self, name: str, arguments: Any) -> str:
        self.allows(name, arguments)
        return "The user stopped before this call."

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        if self.stopped:
            raise Cancelled("the user has stopped the turn")

    def send(self, message: str) -> Any:
        if self.stopped:
            self.stopped = False
            self.ask()
        return super().send(message)


class TellsTheOpenCallAsDone(EndsTheOpenCallFirst):
    def run(self, name: str, arguments: Any) -> str:
        super().run(name, arguments)
        return "Done."


class StreamsBothAfterAStop(EndsTheOpenCallFirst):
    features = EndsTheOpenCallFirst.features | {"deltas"}

    def send(self, message: str) -> Any:
        if self.stopped:
            self.stopped = False
            yield self.ask()[0]
        reply = Asks.send(self, message)
        yield reply
        return reply


class NeverAsksForTheMessage(EndsTheOpenCallFirst):
    def send(self, message: str) -> Any:
        return self.ask()[0] if self.stopped else super().send(message)


def test_what_was_stopped_at_a_question_may_be_ended_first_but_not_instead_of_the_message() -> None:
    assert_right(EndsTheOpenCallFirst, STOPPED)
    assert_right(StreamsBothAfterAStop, STOPPED)
    assert_breaks_only("asked", NeverAsksForTheMessage, STOPPED.replace(", times: 2", ""))


def test_agents_that_ask_in_their_own_order_are_right() -> None:
    for agent in (Asks, AsksAboutAllFirst):
        assert_right(agent, DENIED)
        assert_right(agent, EACH)


def test_agent_that_ends_the_turn_after_a_denial_is_right() -> None:
    assert_right(EndsTheTurn, DENIED)


def test_agent_that_does_not_say_the_arguments_is_right() -> None:
    assert_right(KnowsNoArguments, DENIED)
    assert_right(KnowsNoArguments, EACH)


def test_what_waits_over_a_restart_may_be_resumed_answered_or_forgotten() -> None:
    for agent in (Remembers, StreamsBothAnswers, AnswersItself, Asks):
        assert_right(agent, PENDING)


def test_more_than_the_answers_of_both_runs_is_one_finding() -> None:
    assert_breaks_only("stream-is-reply", StreamsMoreThanBothAnswers, PENDING)


def test_run_without_a_question_or_against_the_answer_is_one_finding() -> None:
    for agent in (AsksNobody, AsksAndRuns, AsksAfterwards):
        assert_breaks_only("approved", agent, DENIED)


def test_answer_about_another_call_is_no_answer() -> None:
    wrong = EACH.replace("[false, true]", "[true, false]").replace(
        "executed: [{delete_file: {path: b.txt}}]", "should: {}"
    )

    assert_breaks_only("approved", KeepsTheAnswer, wrong)


def test_run_without_the_answer_that_is_pending_is_one_finding() -> None:
    assert_breaks_only("approved", RunsWhileItWaits, PENDING)


def test_denied_call_that_is_told_as_done_is_one_finding() -> None:
    for agent in (SaysThatItIsDone, SaysThatItSucceeded, SaysThatTheToolIsDone):
        assert_breaks_only("answered", agent, DENIED)
    assert_right(SaysThatNothingWasDone, DENIED)


class TellsOfACrashAsDone(Stores):
    interrupted = "ok"


def test_call_that_a_crash_has_kept_from_running_is_not_told_as_done() -> None:
    assert_right(Stores, CRASHED.replace("when: after", "when: before"))
    assert_breaks_only("answered", TellsOfACrashAsDone, CRASHED.replace("when: after", "when: before"))
    assert_right(TellsOfACrashAsDone, CRASHED)


def test_denied_call_with_a_blank_result_is_one_finding() -> None:
    assert_breaks_only("answered", SaysNothing, DENIED)


def test_blank_result_of_a_call_that_has_nothing_to_do_with_the_denied_one_is_right() -> None:
    later = DENIED.replace(
        "      - text: I did not", "      - calls: [{name: clear, arguments: {}}]\n      - text: I did not"
    )
    tool = "  - {name: clear, description: Clears the screen., parameters: {}, returns: ''}\n"

    assert_right(Asks, later.replace("tools:\n", f"tools:\n{tool}"))


def test_tool_that_asks_nobody_needs_no_question() -> None:
    assert_right(
        AsksNobody, DENIED.replace("    approval: ask\n", "").replace("    approve: {delete_file: false}\n", "")
    )


def test_setup_of_a_test_of_the_adapter_allows_every_call() -> None:
    tool = Tool("look", "Looks.", {"type": "object"}, run=str, arun=str, approval="ask")

    assert tool.approval == "ask"


def test_finding_says_what_the_user_had_answered() -> None:
    said = {
        agent.__name__: [finding.got.partition("; ")[2] for finding in verdict.findings]
        for agent, text in ((AsksNobody, DENIED), (AsksAndRuns, DENIED), (RunsWhileItWaits, PENDING))
        for verdict in verdicts(agent, text)
    }

    assert said == {
        "AsksNobody": ["the user was not asked"],
        "AsksAndRuns": ["the user had denied it"],
        "RunsWhileItWaits": ["the user had not answered"],
    }


LATER = (
    TOOLS
    + """
conversation:
  - user: Delete b.txt when I am gone.
    approve: {delete_file: $answer}
    model:
      - calls: [{name: delete_file, arguments: {path: b.txt}}]
      - text: I will.
    expect: {outcome: either}
  - user: I am still here.
    model: [{text: Yes.}]
  - user: Now I go.
    model: [{text: Bye.}]
"""
)


class RunsLater(Asks):
    """Asks at once, and runs what was allowed two turns later."""

    denied = "It is put off."

    def allows(self, name: str, arguments: Any) -> bool:
        self.setup.approve(ToolCall("c1", name, arguments))
        return False

    def begin(self, message: str) -> None:
        super().begin(message)
        if message == "Now I go.":
            next(tool for tool in self.tools() if tool.name == "delete_file").call({"path": "b.txt"})


def test_answer_of_an_earlier_turn_still_holds() -> None:
    assert_right(RunsLater, LATER.replace("$answer", "true"))


def test_denial_of_an_earlier_turn_still_holds() -> None:
    assert_breaks_only("approved", RunsLater, LATER.replace("$answer", "false"))


def test_question_about_a_tool_that_needs_none_is_recorded_and_answered() -> None:
    text = EACH.replace("- calls: [", "- calls: [{name: read_file, arguments: {path: c.txt}}, ")
    text = text.replace("executed: [", "executed: [{read_file: {path: c.txt}}, ")

    (verdict,) = verdicts(Asks, text)

    (finding,) = verdict.findings
    assert finding.id == "1.approvals"
    assert finding.got.startswith('read_file {"path": "c.txt"}, delete_file')


def test_call_of_a_turn_that_was_cancelled_is_not_told_as_done() -> None:
    assert_right(EndsTheOpenCallFirst, STOPPED)
    assert_breaks_only("answered", TellsTheOpenCallAsDone, STOPPED)
