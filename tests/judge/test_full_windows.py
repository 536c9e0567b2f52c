"""The law `fits`: what is too long becomes shorter or ends the turn, and a server that truncates gets what it keeps."""

from typing import Any

import pytest

from tests.agents.plain import CLIENT, GaveUp, PlainAgent
from tests.trying import only_findings, verdicts

LOG = """
tools:
  - name: read_log
    description: Reads the log.
    parameters: {job: string}
    returns: {repeat: "retry of part 12 ", times: 2000}
conversation:
  - user: Why did job 42 fail?
    model:
      - calls: [{name: read_log, arguments: {job: "42"}}]
      - {text: It timed out., spare: true}
    expect: {outcome: either}
"""
REFUSES = "window: {tokens: 3000}" + LOG
OTHER_WORDS = "window: {tokens: 3000, words: {status: 422, body: {detail: zu lang}}}\nwires: [openai-chat]" + LOG
TRUNCATES = "wires: [ollama-chat]\nlimits: {context_tokens: 4096}\nwindow: {tokens: 4096, how: truncate}" + LOG
TOLD_MORE = TRUNCATES.replace("context_tokens: 4096", "context_tokens: 16000")


class Shortens(PlainAgent):
    """Right: it cuts results once a request was refused, and sends it again."""

    refused = 0

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().post(body)
        except GaveUp:
            self.refused += 1
            if self.refused > self.as_long:
                self.messages = shortened(self.messages)
            return super().post(self.body()) if self.refused > self.as_long else self.post(self.body())

    as_long = 0


def shortened(value: Any) -> Any:
    """All long texts in it cut, with a mark."""
    if isinstance(value, str):
        return value if len(value) < 2000 else f"{value[:1000]} [cut: {len(value) - 1000} more characters]"
    if isinstance(value, list):
        return [shortened(one) for one in value]
    return {key: shortened(one) for key, one in value.items()} if isinstance(value, dict) else value


class SummarisesFirst(Shortens):
    """Right: it asks for a summary of the whole conversation first, which is refused too, and shortens then."""

    as_long = 1


class GivesUp(PlainAgent):
    """Right: it ends the turn, and keeps nothing of it."""

    def send(self, message: str) -> Any:
        before = list(self.messages)
        try:
            return super().send(message)
        except GaveUp:
            self.messages = before
            raise


class SendsItAgain(PlainAgent):
    """Wrong: it repeats what was refused, four times."""

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        for _ in range(4):
            response = CLIENT.post(self.setup.base_url + self.shape.path, json=body, headers=self.shape.headers)
            if response.status_code == 200:
                return dict(response.json())
        self.messages.clear()
        raise GaveUp(response.text[:200])


class KeepsIt(PlainAgent):
    """Wrong: it ends the turn, and the next message carries the same result."""


RIGHT = [Shortens, SummarisesFirst, GivesUp]


@pytest.mark.parametrize("agent", RIGHT)
@pytest.mark.parametrize("scenario", [REFUSES, OTHER_WORDS])
def test_right_agent_has_no_finding(agent: type[PlainAgent], scenario: str) -> None:
    assert set(map(tuple, only_findings(agent, scenario).values())) == {()}


def test_same_request_may_be_refused_twice_and_not_more_often() -> None:
    assert only_findings(SendsItAgain, REFUSES) == {f"{wire}+plain": ["fits"] for wire in PlainAgent.wires}


def test_window_that_is_full_again_is_counted_anew_after_a_request_that_fitted() -> None:
    call = '      - calls: [{name: read_log, arguments: {job: "42"}}]\n'
    again = "wires: [openai-chat]\n" + REFUSES.replace(
        call, "".join(call.replace("42", job) for job in ("42", "43", "44"))
    )

    assert only_findings(Shortens, again) == {"openai-chat+plain": []}
    assert only_findings(SendsItAgain, again) == {"openai-chat+plain": ["fits"]}


def test_result_that_stays_is_found_by_the_next_message() -> None:
    assert only_findings(KeepsIt, OTHER_WORDS) == {"openai-chat+plain": ["survives"]}


def test_words_of_the_window_come_as_they_are_written() -> None:
    class Notes(PlainAgent):
        said = ""

        def post(self, body: dict[str, Any]) -> dict[str, Any]:
            try:
                return super().post(body)
            except GaveUp as error:
                Notes.said = str(error)
                raise

    only_findings(Notes, OTHER_WORDS)

    assert Notes.said == '422 {"detail":"zu lang"}'


class Limited(PlainAgent):
    wires = ("ollama-chat",)
    features = PlainAgent.features | {"context-limit"}


class CutsFirst(Limited):
    """Right: it cuts results before it sends them."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer([(id, name, shortened(text)) for id, name, text in results])


class SaysHowMuch(Limited):
    """Right: it has the server keep as much as it sends."""

    def body(self) -> dict[str, Any]:
        return super().body() | {"options": {"num_ctx": 16_000}}


@pytest.mark.parametrize("agent", [CutsFirst, SaysHowMuch])
@pytest.mark.parametrize("scenario", [TRUNCATES, TOLD_MORE])
def test_request_within_the_window_is_right(agent: type[PlainAgent], scenario: str) -> None:
    assert only_findings(agent, scenario) == {"ollama-chat+plain": []}


@pytest.mark.parametrize(("scenario", "level"), [(TRUNCATES, "must"), (TOLD_MORE, "should")])
def test_request_that_the_server_cuts_is_found(scenario: str, level: str) -> None:
    [verdict] = verdicts(Limited, scenario)

    assert [(one.id, one.level) for one in verdict.findings] == [("fits", level)]


def test_count_of_a_server_that_truncates_is_what_it_read() -> None:
    counts = []

    class Counts(Limited):
        def post(self, body: dict[str, Any]) -> dict[str, Any]:
            response = super().post(body)
            counts.append(response["prompt_eval_count"])
            return response

    only_findings(Counts, TRUNCATES)

    assert max(counts) == 4096
