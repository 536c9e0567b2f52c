"""Long sessions of agents that cut, stop or forget: each is found by what it lost, at the turn where it loses it."""

from typing import Any

import pytest

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import load_file
from agent_conformance.transcripts.finding import Finding, Verdict
from tests.agents import full_windows, session_styles
from tests.agents.answering_by_a_tool import answering_by_a_tool

FOLDER = bundled_scenarios() / "long-sessions"
CORE = (
    "bound-then-continue",
    "fans-of-eight",
    "hundred-tools",
    "ids-begin-anew-in-each-round",
    "same-call-with-a-new-result",
    "small-result-in-a-full-session",
    "thirty-turns",
    "twenty-five-rounds",
    "twenty-steps",
)
SILENT = ("bound-then-continue", "same-call-with-a-new-result", "twenty-five-rounds", "twenty-steps")
"""Those with more rounds in a turn than some agents go without a word."""


def verdicts_of(adapter: Any, name: str) -> list[Verdict]:
    """The verdicts of the cases that this scenario makes for the agent."""
    agent = checked_agent("trying", adapter)
    cases = cases_of(load_file(FOLDER / f"{name}.yaml", root=None), agent, RunOptions())
    with CaseSession(agent) as runner:
        return [runner.run(case) for case in cases]


def failed(adapter: Any, *names: str) -> dict[str, list[Finding]]:
    """The findings that fail, by scenario; only of scenarios that are not passed."""
    return {
        name: list(verdict.at_level("must"))
        for name in names
        for verdict in verdicts_of(adapter, name)
        if verdict.outcome not in ("pass", "not-verified")
    }


def place(finding: Finding) -> tuple[int, int]:
    return finding.place.turn, finding.place.request


def test_agent_that_keeps_everything_fails_nothing() -> None:
    assert failed(session_styles.KeepsAll, *CORE) == {}


def test_window_of_twenty_messages_fails_at_the_turn_where_it_cuts_by_what_it_lost() -> None:
    found = failed(session_styles.LastTwentyMessages, "twenty-five-rounds", "twenty-steps", "fans-of-eight")

    question, task, orphans = (
        finding[0] for finding in (found["twenty-five-rounds"], found["twenty-steps"], found["fans-of-eight"][-1:])
    )
    assert (question.id, place(question)) == ("asked", (1, 11))
    assert "who signed the zinnia entry" in question.expected
    assert (task.id, place(task)) == ("asked", (1, 11))
    assert (orphans.id, place(orphans)) == ("accepted:openai/tool-without-call", (3, 1))


def test_loop_that_stops_in_silence_fails_and_one_that_says_so_does_not() -> None:
    found = failed(session_styles.StopsInSilence, *CORE)

    assert {(name, finding.id) for name, findings in found.items() for finding in findings} == {
        (name, "answers") for name in SILENT
    }
    assert failed(session_styles.SaysThatItStops, *SILENT) == {}


@pytest.mark.slow
def test_loop_that_says_that_it_stops_fails_nothing() -> None:
    assert failed(session_styles.SaysThatItStops, *CORE) == {}


def test_window_of_whole_exchanges_is_right_and_gets_advice() -> None:
    assert failed(session_styles.LastTwentyOfWholeExchanges, "twenty-five-rounds", "twenty-steps") == {}

    (verdict,) = verdicts_of(session_styles.LastTwentyOfWholeExchanges, "thirty-turns")
    assert verdict.outcome == "pass"
    advice = verdict.at_level("should")
    assert [(finding.id, place(finding)) for finding in advice] == [("kept-whole", (6, 1))]


def test_emptied_result_fails_and_a_cleared_one_with_a_mark_does_not() -> None:
    (finding,) = failed(session_styles.EmptiesOldResults, "thirty-turns")["thirty-turns"]

    assert (finding.id, place(finding)) == ("arrives", (9, 2))
    assert finding.expected == 'what lookup returned, "state-1", or words on what is left out'
    assert failed(session_styles.ClearsOldResults, "thirty-turns") == {}


RIGHT = (
    session_styles.KeepsAll,
    session_styles.LastTwentyOfWholeExchanges,
    session_styles.KeepsWithinTokens,
    session_styles.ClearsOldResults,
    session_styles.SumsUpBetweenTurns,
    session_styles.SumsUpAmidTheTurn,
    session_styles.SumsUpTheTaskToo,
    session_styles.SumsUpInTheConversation,
    full_windows.ResendsWhatIsLost,
)
TWINS = [answering_by_a_tool(agent) for agent in RIGHT if issubclass(agent, session_styles.KeepsAll)]
FILES = [path.stem for path in sorted(FOLDER.glob("*.yaml")) if "\nwindow:" not in path.read_text(encoding="utf-8")]
"""These agents do not read refusals: in a window that is full, none of them goes on."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "agent",
    [*RIGHT, *(pytest.param(twin, marks=pytest.mark.weekly) for twin in TWINS)],
    ids=lambda agent: agent.__name__,
)
def test_no_long_session_accuses_a_right_style(agent: Any) -> None:
    assert failed(agent, *FILES) == {}


LOSES = [
    (session_styles.SumsUpWithoutTheNewestResult, "twenty-five-rounds", ("paired", (1, 7))),
    (session_styles.SumsUpAndForgetsTheTask, "twenty-five-rounds", ("asked", (1, 7))),
    (session_styles.SumsUpTheSystemPrompt, "thirty-turns", ("system-kept", (5, 1))),
    (session_styles.SumsUpTheTools, "fans-of-eight", ("offered", (3, 1))),
    (session_styles.SumsUpHalfOfAPair, "twenty-five-rounds", ("accepted:openai/tool-without-call", (1, 7))),
    (session_styles.SumsUpForEver, "twenty-steps", ("bounded", (1, 7))),
]


@pytest.mark.parametrize(("agent", "name", "finding"), LOSES, ids=lambda value: getattr(value, "__name__", ""))
def test_wrong_summary_is_found_by_what_it_lost(agent: Any, name: str, finding: tuple[str, tuple[int, int]]) -> None:
    first = failed(agent, name)[name][0]

    assert (first.id, place(first)) == finding
