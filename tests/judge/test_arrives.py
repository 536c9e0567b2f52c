"""`arrives`: what stands under a call that ran, on agents that change, replace, clear and forget results."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.judge.test_kept_whole import LONG_RESULT, REPORT, Cuts
from tests.judge.test_laws_on_sessions import TWO, OneAgentEach
from tests.judge.test_restored import CRASHED, Stores
from tests.judge.trying_laws import assert_breaks_only, assert_right
from tests.trying import verdicts

SHORT = """
tools:
  - {name: read_file, description: Reads a file., parameters: {path: string}, returns: three old invoices}
conversation:
  - user: Read report.txt.
    model:
      - calls: [{name: read_file, arguments: {path: report.txt}}]
      - text: I have read it.
"""
BATCH = """
wires: [openai-chat]
tools:
  - {name: pay, description: Pays an invoice., parameters: {invoice: integer}, returns: paid on Monday}
  - {name: close, description: Closes an account., parameters: {}, raises: the account is not empty}
conversation:
  - user: Pay invoice 17 and close the account.
    model:
      - calls: [{name: pay, arguments: {invoice: 17}}, {name: close}]
      - text: It is paid, and not closed.
    expect: {outcome: either}
"""

FAILING = """
wires: [openai-chat]
tools:
  - {name: close, description: Closes an account., parameters: {}, raises: the account is not empty}
conversation:
  - user: Close the account.
    model:
      - calls: [{name: close}]
      - text: I have tried.
    expect: {outcome: either}
"""

DATA = """
tools:
  - name: find_flights
    description: Finds flights.
    parameters: {city: string}
    returns: 2 flights found
    structured: {flights: [{number: LX4817, seats: 23}, {number: KM902, seats: 1180}]}
conversation:
  - user: Which flights go to Oslo?
    model:
      - calls: [{name: find_flights, arguments: {city: Oslo}}]
      - text: LX4817 and KM902.
"""


NOTHING = """
tools:
  - {name: find, description: Finds a note., parameters: {word: string}, results: ["", bring three apples]}
conversation:
  - user: Find pears.
    model:
      - calls: [{name: find, arguments: {word: pears}}]
      - text: There is none.
  - user: Find apples.
    model:
      - calls: [{name: find, arguments: {word: apples}}]
      - text: Three apples.
  - user: Thank you.
    model:
      - text: You are welcome.
"""


def says(text: str) -> Any:
    """An agent that sends this text in the place of each result of more than 10 characters."""
    return type("Says", (Cuts,), {"cut": lambda self, result: text if len(result) > 10 else result})


class LaysOut(Cuts):
    """Right: the words of the result, in another order and form."""

    def cut(self, text: str) -> str:
        return "\n".join(f"- {word}" for word in sorted(text.split()))


class ClearsOlder(PlainAgent):
    """Right: what the model has seen is cleared before the next turn, and says so."""

    mark = "[cleared]"

    def begin(self, message: str) -> None:
        self.messages = [{**one, "content": self.mark} if one.get("role") == "tool" else one for one in self.messages]
        super().begin(message)


class BlanksOlder(ClearsOlder):
    mark = ""


class ThanksForOlder(ClearsOlder):
    mark = "Thank you."


class CancelsTheBatch(PlainAgent):
    """Wrong: where one call of a reply fails, the others are told as cancelled."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        failed = any("failed" in text for *_, text in results)
        super().answer([(*c, "Cancelled." if failed and "failed" not in text else text) for *c, text in results])


class TellsLater(PlainAgent):
    """Right: a job has only been started, and what came of it stands in a message behind the results."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer([(id, name, f"Job {n} began.") for n, (id, name, _) in enumerate(results)])
        done = [f"Job {n}, {name}: {self.told(text)}" for n, (_, name, text) in enumerate(results)]
        self.messages += self.shape.user("\n".join(done))

    def told(self, text: str) -> str:
        return text


class TellsOfItLater(TellsLater):
    """Wrong: that message has other words."""

    def told(self, text: str) -> str:
        return "done"


class TellsNoResult(Stores):
    """Advised: it has stored that a call was made, and not what it returned."""

    def run(self, name: str, arguments: Any) -> str:
        return PlainAgent.run(self, name, arguments)


def fails(text: str) -> Any:
    """An agent that tells the model this of a tool that has failed."""

    class Tells(PlainAgent):
        def answer(self, results: list[tuple[Any, str, str]]) -> None:
            super().answer([(*call, text) for *call, _ in results])

    return Tells


RIGHT = [
    (LaysOut, LONG_RESULT),
    *((says(text), LONG_RESULT) for text in ("Saved to /tmp/1.txt", "[zu lang]", "Summary: it stopped.")),
    (says("There are 3 invoices, all of them old."), SHORT),
    (PlainAgent, BATCH),
    *((TellsLater, text) for text in (LONG_RESULT, SHORT, DATA)),
    *((fails(text), FAILING) for text in ("Something went wrong.", "It did not work.", "ไม่สำเร็จ")),
    (PlainAgent, DATA),
    (says("LX4817: 23 seats\nKM902: 1,180 seats"), DATA),
    (says('{"data": {"flights": [{"number": "LX4817", "seats": 23}, {"number": "KM902", "seats": 1180}]}}'), DATA),
    (says("2 flights found [the data were saved to /tmp/1.json]"), DATA),
]
WRONG = [
    *((says(text), LONG_RESULT) for text in ("OK", "", "[object Object]", "The pump stopped after three hours.")),
    (says("Done."), SHORT),
    (CancelsTheBatch, BATCH),
    *((TellsOfItLater, text) for text in (LONG_RESULT, SHORT, DATA)),
    *((fails(text), FAILING) for text in ("ok", "The tool returned nothing.", "{}")),
    *((says(text), DATA) for text in ("2 flights found", "", "[object Object]", "LX4817 was found")),
]


@pytest.mark.parametrize(("agent", "text"), RIGHT)
def test_result_in_another_form_or_words_on_what_is_left_out_are_right(agent: Any, text: str) -> None:
    assert_right(agent, text)


@pytest.mark.parametrize(("agent", "text"), WRONG)
def test_other_words_in_the_place_of_a_result_are_one_finding(agent: Any, text: str) -> None:
    assert_breaks_only("arrives", agent, text)


def test_most_of_the_data_beside_a_text_without_the_rest_is_advice() -> None:
    found = verdicts(says("LX4817 has 23 seats, and there is KM902."), DATA, wires=("openai-chat",))

    assert [(finding.id, finding.level) for one in found for finding in one.findings] == [("arrives", "should")]


def test_part_of_a_result_is_for_another_law() -> None:
    assert_breaks_only("kept-whole", says(REPORT[:200]), LONG_RESULT)


@pytest.mark.parametrize(
    ("agent", "findings"),
    [
        (ClearsOlder, [("steady-prefix", "should")]),
        (BlanksOlder, [("arrives", "must")]),
        (ThanksForOlder, [("arrives", "must")]),
    ],
)
def test_older_results_are_cleared_with_words_that_say_so(agent: Any, findings: list[tuple[str, str]]) -> None:
    [verdict] = verdicts(agent, LONG_RESULT, wires=("openai-chat",))

    assert [(finding.id, finding.level) for finding in verdict.findings][: len(findings)] == findings


def test_words_on_a_cleared_result_are_not_those_of_a_call_that_found_nothing() -> None:
    [verdict] = verdicts(ClearsOlder, NOTHING, wires=("openai-chat",))

    assert verdict.at_level("must") == ()


@pytest.mark.parametrize(("one", "findings"), [(PlainAgent, []), (ClearsOlder, []), (ThanksForOlder, ["arrives"])])
def test_calls_of_another_session_answer_none_of_this_one(one: Any, findings: list[str]) -> None:
    class Each(OneAgentEach):
        agent = one

    [verdict] = verdicts(Each, TWO.replace(", extends: previous", ""))

    assert [finding.id for finding in verdict.findings if finding.level == "must"] == findings


def test_result_that_a_crash_has_taken_is_advice() -> None:
    found = verdicts(TellsNoResult, CRASHED)

    assert {(finding.id, finding.level) for one in found for finding in one.findings} == {("arrives", "should")}
