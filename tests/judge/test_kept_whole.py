"""`kept-whole`, and `asked` on messages that were cut: right agents of several styles, and wrong ones."""

import json
from typing import Any

import pytest

from tests.agents.plain import GaveUp, PlainAgent
from tests.judge.test_laws_on_other_styles import Chained
from tests.judge.trying_laws import assert_breaks_only, assert_right
from tests.trying import only_findings, verdicts

REPORT = " ".join(f"At {hour} the pump ran for {hour * 7} minutes, and then it stopped." for hour in range(40))

LONG_RESULT = f"""
tools:
  - {{name: read_file, description: Reads a file., parameters: {{path: string}}, returns: "{REPORT}"}}
conversation:
  - user: Read report.txt.
    model:
      - calls: [{{name: read_file, arguments: {{path: report.txt}}}}]
      - text: I have read it.
  - user: Thanks.
    model:
      - text: You are welcome.
"""
LONG_MESSAGE = f"""
conversation:
  - user: "{REPORT}"
    model:
      - text: I have read it.
"""
RESTORED = f"""
tools:
  - {{name: read_file, description: Reads a file., parameters: {{path: string}}}}
history:
  - user: Read report.txt for me.
  - assistant: {{calls: [{{id: call000001, name: read_file, arguments: {{path: report.txt}}}}]}}
  - tool: {{id: call000001, result: "{REPORT}"}}
  - assistant: I have read it.
conversation:
  - user: When did it stop?
    model:
      - text: After three hours.
"""
RESTARTED = """
  - user: And the next day?
    restart: true
    model:
      - text: After two hours.
"""
MANY_TURNS = "conversation:" + "".join(
    f"""
  - user: What is the square of {number}?
    model:
      - text: It is {number * number}.
"""
    for number in range(11, 16)
)
CALL_IN_THE_LAST_TURN = f"""
tools:
  - {{name: add, description: Adds., parameters: {{a: integer, b: integer}}, returns: 42}}
{MANY_TURNS}
  - user: Add 20 and 22 to it.
    model:
      - calls: [{{name: add, arguments: {{a: 20, b: 22}}}}]
      - text: It is 42.
"""
SAME_WORDS = "wires: [openai-chat]\nconversation:" + "".join(
    f"""
  - user: Go on.
    model:
      - text: Page {number}.
"""
    for number in range(1, 9)
)
LIMITED = "limits: {context_tokens: 4000}\n" + LONG_RESULT
TOO_LARGE = LONG_RESULT.replace("      - text: I have", "      - fault: {status: 413}\n      - text: I have")


class Cuts(PlainAgent):
    """Cuts results to 200 characters, as `cut` of a subclass says."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer([(id, name, self.cut(text)) for id, name, text in results])

    def cut(self, text: str) -> str:
        return text[:200]


class CutsWithinALimit(Cuts):
    features = Cuts.features | {"context-limit"}


class CutsWhatIsTooLarge(PlainAgent):
    def ask(self) -> Any:
        try:
            return super().ask()
        except GaveUp:
            self.messages.pop()
            self.answer([(*named, text[:200]) for *named, text in self.results])
            return super().ask()

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        self.results = results
        super().answer(results)


class CutsTheMiddle(Cuts):
    def cut(self, text: str) -> str:
        return text[:100] + text[-100:]


class KeepsTheEnd(Cuts):
    def cut(self, text: str) -> str:
        return f"Output:\n{text[-200:]}"


class CutsWithinJson(Cuts):
    def cut(self, text: str) -> str:
        return json.dumps({"status": "success", "tool": "read_file", "output": text[:200]})


class CutsWithinTags(Cuts):
    def cut(self, text: str) -> str:
        return f'<tool_result name="read_file">{text[:200]}</tool_result>'


class Says(Cuts):
    def cut(self, text: str) -> str:
        return f"{text[:200]}... truncated, {len(text) - 200} characters left out"


class SaysWithinALimit(Says):
    features = CutsWithinALimit.features


class KeepsAllWithinALimit(PlainAgent):
    features = CutsWithinALimit.features


class SaysInTheMiddle(Cuts):
    def cut(self, text: str) -> str:
        return f"{text[:100]}\n[...]\n{text[-100:]}"


class SaysInAnotherLanguage(Cuts):
    def cut(self, text: str) -> str:
        return f"{text[:200]} [Ausgabe gekürzt]"


class SaysInJson(Cuts):
    def cut(self, text: str) -> str:
        return json.dumps({"output": text[:200], "truncated": True})


class GivesPages(Cuts):
    def cut(self, text: str) -> str:
        return json.dumps({"content": text[:200], "page": 1})


class PointsAtAFile(Cuts):
    def cut(self, text: str) -> str:
        return f"<preview>{text[:200]}</preview> The rest is in /tmp/output.txt."


class WrapsWhole(Cuts):
    def cut(self, text: str) -> str:
        return json.dumps({"status": "success", "output": text, "source": "report.txt"})


class ChangesLayout(Cuts):
    def cut(self, text: str) -> str:
        return text.replace(". ", ".\n").strip()


class CutsMessages(PlainAgent):
    mark = ""

    def begin(self, message: str) -> None:
        super().begin(message if len(message) < 100 else message[:100] + self.mark)


class SaysThatMessagesAreCut(CutsMessages):
    mark = "\n\n[message truncated]"


class RemembersTheLast(PlainAgent):
    """Sends the last five messages."""

    note = ""

    def body(self) -> dict[str, Any]:
        lost = len(self.messages) > 5
        note = self.shape.user(self.note) if lost and self.note else []
        return self.shape.body(note + self.messages[-5:], self.tools())


class NotesThatItForgets(RemembersTheLast):
    note = "[Earlier messages were left out.]"


class Recounts(RemembersTheLast):
    note = "So far the user asked for some squares."


class NotesInTheSystemPrompt(RemembersTheLast):
    def body(self) -> dict[str, Any]:
        body = super().body()
        if len(self.messages) > 5:
            body["messages"].insert(0, {"role": "system", "content": "[Earlier messages were left out.]"})
        return body


class SendsEqualMessagesOnce(PlainAgent):
    """Drops what the user said before in the same words."""

    def body(self) -> dict[str, Any]:
        kept = [one for number, one in enumerate(self.messages) if one not in self.messages[:number]]
        return self.shape.body(kept, self.tools())


class StoresEqualMessagesOnce(PlainAgent):
    """Adds no message that it has."""

    def begin(self, message: str) -> None:
        if self.shape.user(message)[0] not in self.messages:
            super().begin(message)


class RemembersTheLastTwelve(RemembersTheLast):
    """More than any window must have."""

    def body(self) -> dict[str, Any]:
        return self.shape.body(self.messages[-13:], self.tools())


class ForgetsAtAResult(PlainAgent):
    """Sends the last five messages as soon as a tool has run."""

    note = ""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer([(id, name, f"{text}{self.note}") for id, name, text in results])

    def body(self) -> dict[str, Any]:
        has_result = any(message["role"] == "tool" for message in self.messages)
        return self.shape.body(self.messages[-5:] if has_result else self.messages, self.tools())


class NotesInTheResult(ForgetsAtAResult):
    note = "\n[Earlier messages were left out.]"


class CutsRestored(PlainAgent):
    def restore(self, role: str, run: list[Any]) -> None:
        if role == "tool":
            self.messages += self.shape.results([(m.tool_call_id, m.name or "", m.text[:200]) for m in run])
        else:
            super().restore(role, run)


class StartsAnew(PlainAgent):
    """Forgets the restored history."""

    def restore(self, role: str, run: list[Any]) -> None:
        return


class ForgetsInAnotherSession(PlainAgent):
    """Keeps the restored history for the first session."""

    features = PlainAgent.features | {"sessions"}

    def send(self, message: str, session: str | None = None) -> Any:
        if session is not None:
            self.messages = []
        return super().send(message)


RIGHT = [
    (ForgetsInAnotherSession, RESTORED + RESTARTED.replace("restart: true", "session: b")),
    *((PlainAgent, text) for text in (LONG_RESULT, LONG_MESSAGE, MANY_TURNS, RESTORED)),
    *((Chained, f"system: Be brief.\n{text}") for text in (LONG_RESULT, LONG_MESSAGE, MANY_TURNS)),
    *((agent, LONG_RESULT) for agent in (Says, SaysInTheMiddle, SaysInAnotherLanguage, SaysInJson, GivesPages)),
    *((agent, LONG_RESULT) for agent in (PointsAtAFile, WrapsWhole, ChangesLayout)),
    (PlainAgent, SAME_WORDS),
    (CutsWhatIsTooLarge, TOO_LARGE),
    (SaysThatMessagesAreCut, LONG_MESSAGE),
]

WRONG = [
    *((agent, LONG_RESULT) for agent in (Cuts, CutsTheMiddle, KeepsTheEnd, CutsWithinJson, CutsWithinTags)),
    (CutsWithinALimit, LIMITED),
    (RemembersTheLast, MANY_TURNS),
    (SendsEqualMessagesOnce, SAME_WORDS),
    (StoresEqualMessagesOnce, SAME_WORDS),
    (CutsRestored, RESTORED),
    (StartsAnew, RESTORED),
]


@pytest.mark.parametrize(("agent", "text"), RIGHT, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_whole_or_says_that_it_was_cut_is_right(agent: Any, text: str) -> None:
    assert_right(agent, text)


@pytest.mark.parametrize(("agent", "text"), WRONG, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_cut_or_forgotten_in_silence_is_one_finding(agent: Any, text: str) -> None:
    assert_breaks_only("kept-whole", agent, text)


def test_message_of_this_turn_that_was_cut_in_silence_is_not_asked() -> None:
    assert_breaks_only("asked", CutsMessages, LONG_MESSAGE)


@pytest.mark.parametrize(("agent", "text"), [(RemembersTheLast, MANY_TURNS), (ForgetsAtAResult, CALL_IN_THE_LAST_TURN)])
def test_messages_that_nothing_stands_for_may_not_be_left_out(agent: Any, text: str) -> None:
    found = only_findings(agent, text, wires=("openai-chat",))

    assert {*map(tuple, found.values())} == {("kept-whole",)}


@pytest.mark.parametrize(
    ("agent", "text"), [(NotesInTheSystemPrompt, MANY_TURNS), (NotesInTheResult, CALL_IN_THE_LAST_TURN)]
)
def test_note_on_what_is_left_out_may_stand_in_the_system_prompt_or_in_a_result(agent: Any, text: str) -> None:
    found = only_findings(agent, text, wires=("openai-chat",))

    assert {*map(tuple, found.values())} == {("steady-prefix",)}


@pytest.mark.parametrize("agent", [NotesThatItForgets, Recounts])
def test_messages_that_a_note_or_a_summary_stands_for_may_be_left_out(agent: Any) -> None:
    assert {*map(tuple, only_findings(agent, MANY_TURNS).values())} == {("steady-prefix",)}


def test_the_oldest_of_equal_messages_may_be_left_out_as_others() -> None:
    (verdict,) = verdicts(RemembersTheLastTwelve, SAME_WORDS)

    assert [(finding.id, finding.level) for finding in verdict.findings] == [("kept-whole", "should")]


class ChangesWhatFailed(PlainAgent):
    """Sends a request that was answered with an error once more, in other words."""

    def ask(self) -> Any:
        try:
            return super().ask()
        except GaveUp:
            self.messages[0]["content"] = f"Please: {self.messages[0]['content']}"
            return super().ask()


@pytest.mark.parametrize(("status", "findings"), [*((n, []) for n in (400, 413, 415, 422)), (423, ["steady-prefix"])])
def test_request_that_no_second_try_helps_may_change(status: int, findings: list[str]) -> None:
    text = f"""
wires: [openai-chat]
history:
  - user: I am Ann.
  - assistant: Hello.
conversation:
  - user: Who am I?
    model:
      - fault: {{status: {status}}}
      - text: Ann.
"""

    assert only_findings(ChangesWhatFailed, text) == {"openai-chat+plain": findings}


@pytest.mark.parametrize(("note", "findings"), [("Notes: 7", {"steady-prefix"}), ("Notes 7", {"kept-whole"})])
def test_note_has_at_least_eight_characters(note: str, findings: set[str]) -> None:
    agent = type("Notes", (RemembersTheLast,), {"note": note})

    found = only_findings(agent, MANY_TURNS, wires=("openai-chat",))

    assert set(found["openai-chat+plain"]) == findings


class LastExchangeOnly(PlainAgent):
    """A window of the newest exchange."""

    def begin(self, message: str) -> None:
        self.messages = []
        super().begin(message)


@pytest.mark.parametrize(("times", "found"), [(1_000, []), (900, ["kept-whole"])])
def test_exchange_that_goes_before_a_long_reply_is_advice(times: int, found: list[str]) -> None:
    text = f"""
wires: [openai-chat]
conversation:
  - user: What is in report.txt?
    model: [{{text: {{repeat: 0123456789, times: {times}}}}}]
  - user: Is that all?
    model: [{{text: It is.}}]
"""
    (verdict,) = verdicts(LastExchangeOnly, text)

    assert [one.id for one in verdict.at_level("must")] == found


def test_request_beyond_the_limit_of_the_agents_own_is_one_finding() -> None:
    small = LIMITED.replace("4000", "200")

    assert_right(SaysWithinALimit, small)
    assert_breaks_only("fits", KeepsAllWithinALimit, small)
