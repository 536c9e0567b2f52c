"""Requests that get no reply, or the same one again: which number they have, and that they use up no reply."""

from typing import Any

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.transcripts.transcript import RecordedRequest
from tests.agents.plain import CLIENT, PlainAgent
from tests.trying import ONE_CALL, only_findings, scenario

LONG_RESULT = """
window: {tokens: 500}
tools:
  - name: read_log
    description: Reads the log.
    returns: {repeat: "retry ", times: 500}
conversation:
  - user: Why did it fail?
    model:
      - calls: [{name: read_log, arguments: {}}]
      - text: It was retried too often.
    expect: {outcome: either}
"""


class ShortensResults(PlainAgent):
    mark = " [cut]"

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer([(id, name, text[:100] + self.mark) for id, name, text in results])


class CutsInSilence(ShortensResults):
    mark = ""


class SendsAgain(PlainAgent):
    """Its client repeats each request, and says so as the SDKs of OpenAI and Anthropic do."""

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        super().post(body)
        headers = {**self.shape.headers, "x-stainless-retry-count": "1"}
        return dict(CLIENT.post(self.setup.base_url + self.shape.path, json=body, headers=headers).json())


def recorded(adapter: type[PlainAgent], text: str) -> list[RecordedRequest]:
    """The requests of the first turn."""
    agent = checked_agent("trying", adapter)
    [case] = cases_of(scenario(f"wires: [openai-chat]\n{text}"), agent, RunOptions())
    with CaseSession(agent) as runner:
        _, [transcript] = runner.examine(case)
    return transcript.turns[0].requests


def numbered(adapter: type[PlainAgent], text: str) -> list[tuple[str, int]]:
    return [(request.kind, request.number) for request in recorded(adapter, text)]


def test_retry_has_the_number_of_the_request_that_it_repeats() -> None:
    assert numbered(SendsAgain, ONE_CALL) == [("reply", 1), ("retry", 1), ("reply", 2), ("retry", 2)]


def test_request_beyond_the_window_is_refused_in_the_words_of_the_provider() -> None:
    _, request = recorded(PlainAgent, LONG_RESULT)

    assert (request.kind, request.number, request.status) == ("window", 2, 400)
    assert request.violation is not None
    assert "This model's maximum context length is 500 tokens" in request.violation.message


def test_agent_that_shortens_what_is_too_long_passes() -> None:
    assert not any(only_findings(ShortensResults, LONG_RESULT).values())
    assert all(ids == ["kept-whole"] for ids in only_findings(CutsInSilence, LONG_RESULT).values())


def test_agent_that_keeps_what_is_too_long_is_found_by_the_next_message() -> None:
    found = only_findings(PlainAgent, LONG_RESULT)

    assert len(found) == 5
    assert all(ids == ["survives"] for ids in found.values()), found
