"""Agents over ACP: a right one passes, and what a wrong one does is exactly one finding."""

from collections.abc import Callable
from typing import Any

import pytest

from agent_conformance.attach.acp import AcpAgent
from agent_conformance.baseline.case_report import facts_of
from tests.judge.test_laws_on_approvals import DENIED, PENDING
from tests.trying import ONE_CALL, TWO_CALLS, WEATHER, only_findings, verdicts

Small = Callable[..., type[AcpAgent]]
TARGET = "openai-chat+plain"

RESTART = (
    WEATHER
    + """
conversation:
  - user: My name is Zoe.
    model:
      - text: Hello, Zoe.
  - user: What is my name?
    restart: true
    model:
      - text: Zoe.
    expect:
      requests: [{at: 1, contains: [My name is Zoe.]}]
"""
)

CANCELLED = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    cancel: {at: tool}
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
    expect: {outcome: cancelled}
  - user: Still there?
    model:
      - text: Yes.
    expect: {reply: Yes.}
"""
)

INVENTED = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: delete_everything, arguments: {}}]
      - text: I cannot do that.
    expect: {executed: [], reply: I cannot do that.}
"""
)


ODD = """
tools:
  - name: node.js
    description: Looks up a word.
    parameters: {word: string}
    returns: a fruit
  - name: the_name_of_a_tool_that_goes_on_until_nobody_wants_to_read_it_any_more
    description: Waits.
    parameters: {}
    returns: waited
conversation:
  - user: What is a pear?
    model:
      - calls:
          - {name: node.js, arguments: {word: pear}}
          - {name: the_name_of_a_tool_that_goes_on_until_nobody_wants_to_read_it_any_more, arguments: {}}
      - text: A fruit.
"""


def slow(*values: str) -> Any:
    """Each case starts two processes, which import an SDK each."""
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize("scenario", [TWO_CALLS, slow(RESTART), slow(CANCELLED), slow(INVENTED)])
def test_right_agent_passes(small: Small, scenario: str) -> None:
    assert only_findings(small(), scenario) == {TARGET: []}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "scenario", "finding"),
    [
        ("drops-arguments", ONE_CALL, "sent-arguments"),
        slow("forgets", RESTART, "restored"),
        slow("exits", ONE_CALL, "answers"),
        slow("gives-up", INVENTED, "1.outcome"),
    ],
)
def test_wrong_agent_gets_one_finding(small: Small, wrong: str, scenario: str, finding: str) -> None:
    assert only_findings(small(wrong), scenario) == {TARGET: [finding]}


@pytest.mark.slow
def test_user_of_the_case_answers_the_agents_questions(small: Small) -> None:
    asking = small(options="approval=ask")

    assert only_findings(asking, DENIED) == {TARGET: []}
    assert only_findings(asking, PENDING) == {TARGET: []}
    assert only_findings(small("runs-what-is-refused", options="approval=ask"), DENIED) == {TARGET: ["approved"]}


def test_program_that_is_not_said_to_ask_is_not_verified(small: Small) -> None:
    assert only_findings(small(), DENIED) == {TARGET: ["not-verified: needs approval"]}


@pytest.mark.slow
def test_end_of_the_process_is_a_crash_that_shows_its_last_lines(small: Small) -> None:
    (verdict,) = verdicts(small("exits"), ONE_CALL)

    facts = dict(facts_of(verdict.findings[0]))
    assert (facts["got"], facts["stderr"]) == ("AgentEnded: the agent ended with 7", "out of memory")


@pytest.mark.slow
def test_program_that_never_stops_asking_is_stopped(small: Small) -> None:
    (verdict,) = verdicts(small("asks-for-ever"), ONE_CALL, timeout=2)

    assert (verdict.outcome, verdict.requests) == ("fail", 120)
    assert "request 121 was sent; the suite answered no more" in str(verdict.findings)


@pytest.mark.slow
def test_tool_of_the_agents_own_is_not_called_for_one_of_the_case(small: Small) -> None:
    (verdict,) = verdicts(small("own-tool"), ONE_CALL)

    assert (verdict.outcome, verdict.executions) == ("pass", 1)


@pytest.mark.slow
def test_text_of_a_cancelled_turn_is_not_taken_for_the_next(small: Small) -> None:
    assert only_findings(small("ends-late"), CANCELLED) == {TARGET: []}


@pytest.mark.slow
def test_text_that_comes_after_the_response_of_a_cancelled_turn_is_not_taken_for_the_next(small: Small) -> None:
    assert only_findings(small("says-more"), CANCELLED) == {TARGET: []}


@pytest.mark.slow
def test_tool_that_is_offered_under_a_plain_name_is_permitted(small: Small) -> None:
    (verdict,) = verdicts(small("renames"), ODD)

    assert (verdict.outcome, verdict.executions) == ("pass", 2)


@pytest.mark.slow
def test_what_names_no_tool_of_the_case_is_not_permitted(small: Small) -> None:
    (verdict,) = verdicts(small("asks-for-its-own"), ONE_CALL)

    assert verdict.executions == 0


@pytest.mark.slow
@pytest.mark.parametrize("way", ["asks-about-all", "asks-by-id"])
def test_question_that_names_no_tool_is_about_the_calls_that_wait(small: Small, way: str) -> None:
    (allowed,) = verdicts(small(way), ONE_CALL)
    (refused,) = verdicts(small(way, "asks-for-its-own"), ONE_CALL)

    assert (allowed.executions, allowed.findings) == (1, ())
    assert refused.executions == 0


@pytest.mark.slow
def test_agent_that_loads_no_sessions_is_not_restarted(small: Small) -> None:
    assert only_findings(small("cannot-load"), RESTART) == {TARGET: ["not-verified: needs restart"]}


@pytest.mark.slow
def test_agent_that_stores_its_session_once_its_client_has_gone_is_given_time_for_it(small: Small) -> None:
    adapter = small("stores-at-the-end")

    assert only_findings(adapter, RESTART) == {TARGET: []}
    assert adapter.leaves_by_itself


@pytest.mark.slow
def test_agent_that_does_not_leave_with_its_client_is_waited_for_once(small: Small) -> None:
    adapter = small("stays")

    assert adapter.leaves_by_itself is None
    assert only_findings(adapter, ONE_CALL) == {TARGET: []}
    assert adapter.leaves_by_itself is False


@pytest.mark.slow
def test_system_prompt_has_no_place_in_the_protocol(small: Small) -> None:
    (found,) = only_findings(small(), "system: Be brief.\n" + ONE_CALL)[TARGET]

    assert found.startswith("not-verified: ")
    assert "ACP has no place for a system prompt" in found


@pytest.mark.slow
def test_answer_that_comes_after_its_response_is_named_as_that(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.attach.acp.connection.QUIET", 3.0)  # on a busy machine it comes later
    (verdict,) = verdicts(small("answers-late"), ONE_CALL)

    got = "AnsweredTooLate: all of the answer came after the response of its turn: 'Once upon a time. '"
    assert dict(facts_of(verdict.findings[0]))["got"] == got
