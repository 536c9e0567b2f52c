"""What agents do when a session is full, lost, stored, shared or interrupted: each wrong one is named by what it does.

They are written against the adapter's types alone.
"""

from typing import Any

import pytest

from agent_mutants import MUTANTS
from tests.agents import full_windows
from tests.agents.answering_by_a_tool import answering_by_a_tool
from tests.judge.test_long_sessions import FOLDER, LOSES, SILENT, verdicts_of
from tests.wrong_agents.wrong import wrong_agents

FULL = ("results-over-the-window", "summary-that-is-none", "summary-after-pictures", "two-summaries")
RIGHT = [
    (full_windows.ClearsTheOldestResults, ("results-over-the-window",)),
    (full_windows.SumsUpAsTheModel, ("results-over-the-window", "two-summaries")),
    *((agent, FULL) for agent in (full_windows.BeginsAnew, full_windows.DropsTheOldest, full_windows.SumsUpWhenFull)),
    *(
        (agent, ("stored-response-that-is-lost", "thirty-turns"))
        for agent in (full_windows.ResendsWhatIsLost, full_windows.AsksTheUserToBeginAnew)
    ),
    (full_windows.StoresItsMessages, ("resumed-after-twelve-turns",)),
    (full_windows.HasSessions, ("sessions-taking-turns",)),
    (full_windows.ListensMeanwhile, ("said-before-the-window-is-full", "said-in-each-of-four-turns")),
    (full_windows.SumsUpAndListens, (*FULL, "said-while-a-summary-is-made")),
    (full_windows.AsksInWordsOfItsOwn, ("said-while-a-summary-is-made",)),
    (full_windows.KeepsTheLastScreens, ("screens-pile-up",)),
]
TWINS = [(answering_by_a_tool(agent), names) for agent, names in RIGHT if issubclass(agent, full_windows.KeepsAll)]


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "names"), [*RIGHT, *TWINS], ids=lambda value: getattr(value, "__name__", ""))
def test_right_style_is_accused_of_nothing(agent: Any, names: tuple[str, ...]) -> None:
    verdicts = [verdict for name in names for verdict in verdicts_of(agent, name)]

    assert {verdict.case: list(verdict.at_level("must")) for verdict in verdicts} == {
        verdict.case: [] for verdict in verdicts
    }
    assert {verdict.outcome for verdict in verdicts} == {"pass"}


WRONG = [
    (full_windows.KeepsAll, "results-over-the-window", "", "survives"),
    (full_windows.ShedsTheNewestResult, "results-over-the-window", "", "arrives"),
    (full_windows.ShortensOneRequest, "results-over-the-window", "", "fits"),
    (full_windows.SumsUpWhatIsOpen, "two-summaries", "", "paired"),
    (full_windows.SumsUpOnceForAll, "two-summaries", "", "system-kept"),
    (full_windows.TakesAFailedSummaryForEmpty, "summary-that-is-none", "refused", "asked"),
    (full_windows.TakesAFailedSummaryForEmpty, "summary-that-is-none", "empty", "asked"),
    (full_windows.SendsAgainAsItIs, "summary-that-is-none", "calling", "fits"),
    (full_windows.RunsWhatASummaryCalls, "summary-that-is-none", "calling", "declared-only"),
    (full_windows.ContinuesStoredResponses, "stored-response-that-is-lost", "", "7.outcome"),
    (full_windows.LoadsResultsTwice, "resumed-after-twelve-turns", "", "paired"),
    (full_windows.LoadsTurnsTwice, "resumed-after-twelve-turns", "", "said-once"),
    (full_windows.LoadsNoResults, "resumed-after-twelve-turns", "", "accepted:openai/tool-calls-unanswered"),
    (full_windows.SharesItsMessages, "sessions-taking-turns", "", "apart"),
    (full_windows.SharesItsMessages, "summaries-of-two-sessions", "", "apart"),
    (full_windows.TakesThatForTheTask, "said-before-the-window-is-full", "", "asked"),
    (full_windows.SumsUpBeforeItListens, "said-while-a-summary-is-made", "", "steered"),
    (full_windows.AsksInWordsOfItsOwnBeforeItListens, "said-while-a-summary-is-made", "", "steered"),
    (full_windows.SaysItAgainInEachRound, "said-in-each-of-four-turns", "", "said-once"),
    (full_windows.ShedsTheNewestResult, "summary-after-pictures", "", "arrives"),
    (full_windows.KeepsAllScreens, "screens-pile-up", "", "accepted:anthropic/image-dimensions-many"),
]


@pytest.mark.parametrize(
    ("agent", "name", "row", "finding"), WRONG, ids=lambda value: getattr(value, "__name__", value)
)
def test_wrong_one_is_found_by_what_it_does(agent: Any, name: str, row: str, finding: str) -> None:
    (verdict,) = (one for one in verdicts_of(agent, name) if f"[{row}]" in one.case or not row)

    assert finding in [found.id for found in verdict.at_level("must")]


def test_every_long_session_is_failed_by_a_mutant_and_by_an_agent_of_another_kind() -> None:
    ids = [f"long-sessions/{path.stem}" for path in sorted(FOLDER.glob("*.yaml"))]
    here = {f"long-sessions/{name}" for name in (*(row[1] for row in WRONG), *(row[1] for row in LOSES), *SILENT)}

    assert [id for id in ids if not any(mutant.names(id) for mutant in MUTANTS)] == []
    assert [id for id in ids if id not in here and not any(agent.names(id) for agent in wrong_agents())] == []
