"""`restored`: what stands in the first request after a restart, a crash, a compaction or a change of the provider."""

import json
from dataclasses import replace
from typing import Any

import pytest

from agent_conformance.adapter.types import Cancelled
from tests.agents.plain import SHAPES, GaveUp, PlainAgent
from tests.judge.test_full_windows import GivesUp
from tests.judge.trying_laws import assert_breaks_only, assert_right
from tests.trying import verdicts

TOOLS = """
system: Answer as a clerk of a bank.
tools:
  - name: pay
    description: Pays an invoice.
    parameters: {invoice: integer}
    results: [paid on Monday, paid on Tuesday, paid on Friday]
"""
ANSWERED = (
    TOOLS
    + """
conversation:
  - user: Pay invoice 17.
    model:
      - calls: [{name: pay, arguments: {invoice: 17}}]
      - text: It is done, as you wished.
"""
)
RESTARTED = (
    ANSWERED
    + """
  - user: Thank you.
    restart: true
    model:
      - text: You are welcome.
"""
)
CRASHED = (
    TOOLS
    + """
conversation:
  - user: Pay the invoices 17 and 18.
    crash: {at: tool, when: after, n: 2}
    model:
      - calls: [{name: pay, arguments: {invoice: 17}}, {name: pay, arguments: {invoice: 18}}]
      - {text: Both are paid., spare: true}
  - user: What have you done so far?
    restart: true
    model:
      - text: I paid the first one.
"""
)
CANCELLED = (
    TOOLS.replace("\ntools:", "\nwires: [openai-chat]\ntools:")
    + """
effects: {pay: {max: 2}}
conversation:
  - user: Pay the invoices 17 and 18.
    cancel: {at: tool, n: 2}
    model:
      - calls: [{name: pay, arguments: {invoice: 17}}]
      - calls: [{name: pay, arguments: {invoice: 18}}]
      - {text: Both are paid., spare: true}
    expect: {outcome: cancelled}
  - user: What have you done so far?
    model:
      - text: I paid the first one.
"""
)
LIMITED = RESTARTED.replace("\ntools:", "\nlimits: {context_tokens: 4000}\ntools:")
FALLBACK = (
    ANSWERED.replace("\ntools:", "\nwires: [openai-chat]\nfallback: {provider: groq}\ntools:")
    + """
  - user: And when was invoice 16?
    model:
      - {fault: {status: 503, retry_after: 0}, forever: true}
      - text: I do not know.
    expect: {reply: I do not know.}
"""
)
COMPACTED = (
    ANSWERED.replace("\ntools:", "\nwires: [openai-chat]\nsummaries: [{text: Invoice 17 is paid.}]\ntools:")
    + """
  - user: Who is on call?
    compact: true
    model:
      - text: Ann is.
  - user: And tomorrow?
    restart: true
    model:
      - text: Bob is.
"""
)


class Stores(PlainAgent):
    """Right: stores each message as soon as it has it; calls that a crash has left have results that say so."""

    features = PlainAgent.features | {"restart", "context-limit"}
    interrupted = "Interrupted. It may have run."

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.file = setup.state_dir / "messages.json"
        self.open: list[Any] = []
        self.done: list[str] = []
        if self.file.exists():
            self.messages, self.open, self.done = json.loads(self.file.read_text())
            self.messages = self.loaded(self.messages)
            if self.open:
                done = [*self.done, *[self.interrupted] * len(self.open)]
                self.answer([(id, name, text) for (id, name, _), text in zip(self.open, done, strict=False)])

    def loaded(self, messages: list[Any]) -> list[Any]:
        return messages

    def store(self, *, open: Any = ()) -> None:
        self.open, self.done = list(open), []
        self.file.write_text(json.dumps([self.messages, self.open, self.done]))

    def run(self, name: str, arguments: Any) -> str:
        text = super().run(name, arguments)
        self.done.append(text)
        self.file.write_text(json.dumps([self.messages, self.open, self.done]))
        return text

    def send(self, message: str) -> Any:
        reply = super().send(message)
        self.store()
        return reply

    def take(self, response: dict[str, Any]) -> Any:
        text, calls = super().take(response)
        self.store(open=calls)
        return text, calls

    def answer(self, results: list[Any]) -> None:
        super().answer(results)
        self.store()


class GoesOnWithWhatWasLeft(Stores):
    """Right: once it runs again, it runs the calls of the batch that had not begun."""

    begins_again_at = 1
    begun = 0

    def __init__(self, setup: Any) -> None:
        self.mark = setup.state_dir / "begun"
        super().__init__(setup)

    def run(self, name: str, arguments: Any) -> str:
        self.begun += 1
        self.mark.write_text(str(self.begun))
        return super().run(name, arguments)

    def answer(self, results: list[Any]) -> None:
        begun = int(self.mark.read_text()) if self.begun == 0 else len(results)
        left = results[begun - 1 + self.begins_again_at :]
        answered = results[: len(results) - len(left)]
        arguments = [call[2] for call in self.open][len(answered) :]
        ran = [(id, name, self.run(name, given)) for (id, name, _), given in zip(left, arguments, strict=True)]
        super().answer([*answered, *ran])


class GoesOnWithAnother(GoesOnWithWhatWasLeft):
    """Wrong: the call that was lost runs again."""

    begins_again_at = 0


class Cancels(PlainAgent):
    """Right: a turn that was cancelled stays, with words in the place of results that did not come."""

    features = PlainAgent.features | {"cancel"}
    cancelled = False

    def cancel(self) -> None:
        self.cancelled = True

    def answer(self, results: list[Any]) -> None:
        if not self.cancelled:
            super().answer(results)
            return
        self.cancelled = False
        super().answer([(*call, "Cancelled. It may have run.") for *call, _ in results])
        self.messages = self.after()
        raise Cancelled

    def after(self) -> list[Any]:
        return self.messages


class NotesTheCancellation(Cancels):
    """Right: what was said stays, and a note on what was done."""

    def after(self) -> list[Any]:
        return [*self.messages[:1], {"role": "assistant", "content": "[Stopped by the user. An invoice may be paid.]"}]


class ForgetsWhatItPaid(Cancels):
    def after(self) -> list[Any]:
        return self.messages[:1]


class Retells(Stores):
    """Right: begins anew with a note of its own on what was before."""

    note = "Before, an invoice was taken care of."

    def loaded(self, messages: list[Any]) -> list[Any]:
        return self.shape.user(self.note)

    def begin(self, message: str) -> None:
        if len(self.messages) == 1:
            self.messages = self.shape.user(f"{self.note}\n{message}")
        else:
            super().begin(message)

    def answer(self, results: list[Any]) -> None:
        if len(self.messages) > 1:
            super().answer(results)


class KeepsItsFrame(Stores):
    """Wrong: it has words of its own in each request, and they are the same as before."""

    def loaded(self, messages: list[Any]) -> list[Any]:
        return []

    def begin(self, message: str) -> None:
        super().begin(f"At 10:0{len(self.messages)} the user says: {message}")


class Forgets(Stores):
    def loaded(self, messages: list[Any]) -> list[Any]:
        return []

    def answer(self, results: list[Any]) -> None:
        if self.messages:
            super().answer(results)


class KeepsTheQuestions(Stores):
    """Wrong: of the model's messages, and of results, nothing comes back."""

    def loaded(self, messages: list[Any]) -> list[Any]:
        return [one for one in messages if one["role"] == "user"]


class KeepsNoRounds(Stores):
    """Advised: calls and results of a turn that was answered do not come back."""

    def loaded(self, messages: list[Any]) -> list[Any]:
        return [one for one in messages if one["role"] != "tool" and "tool_calls" not in one]


class StoresAtTheEnd(Stores):
    """Wrong: a turn in which the process ends is forgotten, and what it has paid with it."""

    run = PlainAgent.run

    def take(self, response: dict[str, Any]) -> Any:
        return PlainAgent.take(self, response)

    def answer(self, results: list[Any]) -> None:
        PlainAgent.answer(self, results)


class StoresNoCalls(Stores):
    """Wrong: the user's message outlives the crash, and the calls do not."""

    run = PlainAgent.run

    def take(self, response: dict[str, Any]) -> Any:
        before = list(self.messages)
        taken = PlainAgent.take(self, response)
        self.file.write_text(json.dumps([before, [], []]))
        return taken


class StoresTheInstructions(Stores):
    """Wrong: what is stored has the system prompt, which is put in front again."""

    def loaded(self, messages: list[Any]) -> list[Any]:
        return [*self.shape.user(f"{self.setup.system} Begin.")[:1], *messages]


class AsksTheSecond(PlainAgent):
    """Right: the second provider gets the conversation."""

    features = PlainAgent.features | {"fallback"}

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().post(body)
        except GaveUp:
            first, second = self.setup, self.setup.fallback
            assert second is not None
            self.setup = replace(first, base_url=second.base_url, api_key=second.api_key)
            self.shape = SHAPES[first.wire](self.setup)
            try:
                messages = self.told(body["messages"])
                return super().post({**body, "messages": messages, "model": second.model})
            finally:
                self.setup, self.shape = first, SHAPES[first.wire](first)

    def told(self, messages: list[Any]) -> list[Any]:
        return messages


class TellsTheLastMessage(AsksTheSecond):
    def told(self, messages: list[Any]) -> list[Any]:
        return [messages[0], messages[-1]]


class Compacts(Stores):
    """Right: what is stored after a compaction is what it has made."""

    features = Stores.features | {"compaction"}
    side_requests = None

    def compact(self) -> None:
        wanted = self.shape.user(f"Sum up this conversation in two sentences: {json.dumps(self.messages)}")
        summary = SHAPES[self.setup.wire](self.setup).read(self.post(self.shape.body(wanted, [])))[1]
        self.messages = self.shape.user(f"What was before: {summary}")
        self.stored(summary)

    def stored(self, summary: str) -> None:
        self.store()


class KeepsBoth(Compacts):
    """Wrong: after a restart the old messages are back beside the summary."""

    def compact(self) -> None:
        self.old = list(self.messages)
        super().compact()

    def store(self, *, open: Any = ()) -> None:
        self.file.write_text(json.dumps([[*getattr(self, "old", []), *self.messages], open, []]))


EFFECT = CRASHED.replace("\nconversation:", "\neffects: {pay: {max: 2}}\nconversation:")


class StoresWholeBatches(Stores):
    """Wrong: after a crash the model reads of each call of the batch that nothing is known of it."""

    interrupted = "[Interrupted: it is unknown whether it ran.]"

    def answer(self, results: list[Any]) -> None:
        super().answer([(*call, self.interrupted) for *call, _ in results] if self.open else results)


class StoresOpenCalls(Stores):
    """Wrong: of the batch that a crash has cut, the calls that were done are not there."""

    def loaded(self, messages: list[Any]) -> list[Any]:
        if self.done:
            calls = messages[-1]["tool_calls"]
            messages[-1]["tool_calls"] = calls[len(self.done) :]
            self.open, self.done = self.open[len(self.done) :], []
        return messages


@pytest.mark.parametrize(
    ("agent", "text", "found"),
    [
        (Stores, EFFECT, []),
        (StoresWholeBatches, EFFECT, [("arrives", "must")]),
        (StoresWholeBatches, CRASHED, []),
        (StoresOpenCalls, CRASHED, [("restored", "must")]),
    ],
)
def test_call_of_a_batch_that_was_done_before_a_crash_counts_as_done(
    agent: Any, text: str, found: list[tuple[str, str]]
) -> None:
    [verdict] = verdicts(agent, text, wires=("openai-chat",))

    assert [(finding.id, finding.level) for finding in verdict.findings] == found


COMPACTED_TWICE = (
    ANSWERED.replace(
        "\ntools:", "\nwires: [openai-chat]\nsummaries: [{text: It is paid.}, {text: Ann is on call.}]\ntools:"
    )
    + """
  - user: Who is on call?
    compact: true
    model:
      - text: Ann is.
  - user: And tomorrow?
    compact: true
    model:
      - text: Bob is.
"""
)


class SumsUpTheLast(Compacts):
    """Wrong: the model that sums up reads the last two messages alone."""

    def compact(self) -> None:
        self.messages = self.messages[-2:]
        super().compact()


class SaysWhatItLeavesOut(SumsUpTheLast):
    """Right: a mark beside the summary says so."""

    def stored(self, summary: str) -> None:
        self.messages = self.shape.user(f"[Older messages were left out.] What was before: {summary}")
        self.store()


@pytest.mark.parametrize(("agent", "law"), [(Compacts, []), (SumsUpTheLast, ["restored"]), (SaysWhatItLeavesOut, [])])
def test_summary_stands_for_what_it_was_made_of(agent: Any, law: list[str]) -> None:
    [verdict] = verdicts(agent, COMPACTED_TWICE)

    assert [finding.id for finding in verdict.findings if finding.level == "must"][:1] == law


RIGHT = [
    *((Stores, text) for text in (RESTARTED, CRASHED, LIMITED)),
    (Retells, RESTARTED),
    (Cancels, CANCELLED),
    (NotesTheCancellation, CANCELLED),
    (AsksTheSecond, FALLBACK),
    (Compacts, COMPACTED),
]
WRONG = [
    (Forgets, RESTARTED),
    (Forgets, LIMITED),
    (KeepsItsFrame, RESTARTED),
    (StoresAtTheEnd, CRASHED),
    (StoresNoCalls, CRASHED),
    (StoresTheInstructions, RESTARTED),
    (ForgetsWhatItPaid, CANCELLED),
    (TellsTheLastMessage, FALLBACK),
    (KeepsBoth, COMPACTED),
]


@pytest.mark.parametrize(("agent", "text"), RIGHT, ids=lambda value: getattr(value, "__name__", ""))
def test_what_comes_back_whole_or_in_other_words_is_right(agent: Any, text: str) -> None:
    assert_right(agent, text)


@pytest.mark.parametrize(("agent", "text"), WRONG, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_lost_or_comes_back_twice_is_one_finding(agent: Any, text: str) -> None:
    assert_breaks_only("restored", agent, text)


@pytest.mark.parametrize(("agent", "level"), [(KeepsTheQuestions, "must"), (KeepsNoRounds, "should")])
def test_results_that_an_answer_tells_of_are_advice_and_the_answer_is_not(agent: Any, level: str) -> None:
    [verdict] = verdicts(agent, RESTARTED, wires=("openai-chat",))

    assert [(finding.id, finding.level) for finding in verdict.findings] == [("restored", level)]


LONG = " ".join(f"Invoice {number} is of {number} euros." for number in range(1000, 1100))
LONG_MESSAGE = RESTARTED.replace("Pay invoice 17.", LONG)
LONG_ANSWER = f"{RESTARTED.replace('It is done, as you wished.', LONG)}  - user: Bye.\n    model:\n      - text: Bye.\n"
LONG_RESULT = RESTARTED.replace("paid on Monday", LONG)


class StoresShortly(Stores):
    """Wrong: its column holds 1,000 characters."""

    mark = ""

    def loaded(self, messages: list[Any]) -> list[Any]:
        return [{**one, "content": self.shortened(one.get("content"))} for one in messages]

    def shortened(self, text: Any) -> Any:
        return f"{text[:1000]}{self.mark}" if isinstance(text, str) and len(text) > 1000 else text


class SaysThatItIsShorter(StoresShortly):
    """Right: it says how much is not there."""

    mark = "[2,000 characters were left out]"


CHAT = "\nwires: [openai-chat]\ntools:"


@pytest.mark.parametrize(
    ("text", "level"),
    [(LONG_MESSAGE, "must"), (LONG_ANSWER, "should"), (LONG_RESULT, "must")],
    ids=["message", "answer", "result"],
)
def test_what_a_store_has_cut_says_so(text: str, level: str) -> None:
    text = text.replace("\ntools:", CHAT)
    [verdict] = verdicts(StoresShortly, text)

    assert ("restored", level) in [(finding.id, finding.level) for finding in verdict.findings]
    assert_right(SaysThatItIsShorter, text)


class StoresOneAlphabet(Stores):
    """Wrong: it reads its store in another encoding than it wrote it."""

    written, read = "ascii", "ascii"

    def loaded(self, messages: list[Any]) -> list[Any]:
        encoded = json.dumps(messages, ensure_ascii=False).encode(self.written, "replace")
        return list(json.loads(encoded.decode(self.read)))


class ReadsItAsLatin(StoresOneAlphabet):
    written, read = "utf-8", "latin-1"


class ReadsItAsWritten(StoresOneAlphabet):
    written, read = "utf-8", "utf-8"


def test_message_in_another_encoding_is_lost() -> None:
    text = RESTARTED.replace("Pay invoice 17.", "Πλήρωσε το 17.").replace("\ntools:", CHAT)

    assert_right(ReadsItAsWritten, text)
    for agent in (StoresOneAlphabet, ReadsItAsLatin):
        assert_breaks_only("restored", agent, text)


LEFT = CRASHED.replace(
    "{name: pay, arguments: {invoice: 18}}]",
    "{name: pay, arguments: {invoice: 18}}, {name: pay, arguments: {invoice: 19}}]",
).replace("      - text: I paid the first one.\n", "      - text: I paid the first one.\n    expect: {executed: []}\n")


def test_calls_that_a_crash_has_left_may_run_once_in_the_next_turn() -> None:
    assert_right(Stores, LEFT)
    assert_right(GoesOnWithWhatWasLeft, LEFT)
    assert_breaks_only("once", GoesOnWithAnother, LEFT)


@pytest.mark.parametrize(
    ("text", "level"), [(CANCELLED, "must"), (CANCELLED.replace("effects: {pay: {max: 2}}\n", ""), "should")]
)
def test_cancelled_turn_that_is_taken_back_is_broken_where_a_call_has_an_effect(text: str, level: str) -> None:
    found = {(one.id, one.level) for verdict in verdicts(ForgetsWhatItPaid, text) for one in verdict.findings}

    assert found == {("restored", level)}


FAILED = (
    CANCELLED.replace("    cancel: {at: tool, n: 2}\n", "")
    .replace("      - calls: [{name: pay, arguments: {invoice: 18}}]\n", "      - fault: {status: 403}\n")
    .replace("outcome: cancelled", "outcome: either")
)


def test_failed_turn_that_is_taken_back_is_broken_where_a_call_has_an_effect() -> None:
    assert_right(PlainAgent, FAILED)
    assert_breaks_only("restored", GivesUp, FAILED)
