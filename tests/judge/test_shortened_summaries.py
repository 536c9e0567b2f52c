"""A summary stands for a result that its request had in part, with a mark; without a mark nobody knows what it read."""

import json
from typing import Any

import pytest

from tests.agents.session_styles import Messages, SumsUpAmidTheTurn, SumsUpInTheConversation, SumsUpTheTaskToo
from tests.trying import only_findings

PAGES = """
limits: {context_tokens: 4000}
tools:
  - name: read_page
    description: Reads one page of the report.
    parameters: {number: integer}
    results:
      - repeat: [{repeat: "line <n> of \\"page\\" <n>\\n", times: 30}]
        times: 9
conversation:
  - user: Read all nine pages, and say how many there are.
    model:
      - repeat: [{calls: [{name: read_page, arguments: {number: <n>}}]}]
        times: 9
      - text: There are nine.
    expect: {reply: There are nine.}
"""


class Shortens(SumsUpTheTaskToo):
    """Right: the request for the summary has each result up to its 60th character, and a mark."""

    features = SumsUpTheTaskToo.features | {"context-limit"}

    def shortened(self, text: str) -> str:
        return f"{text[:60]} [shortened]"

    def summed_up(self, messages: Messages) -> str:
        return super().summed_up(
            [{**one, "content": self.shortened(one["content"])} if one["role"] == "tool" else one for one in messages]
        )


class KeepsTheEnds(Shortens):
    """Right: the same with the ends of results."""

    def shortened(self, text: str) -> str:
        return f"... {text[-25:]}"


class TellsInJson(Shortens):
    """Right: the conversation is told as JSON, with whole results in which quotes and line ends are escaped."""

    def summed_up(self, messages: Messages) -> str:
        told = json.dumps(messages)
        return self.asked([{"role": "system", "content": self.instructions}, {"role": "user", "content": told}])


class MarksInItsOwnLanguage(Shortens, SumsUpInTheConversation):
    """Right: the results are messages as they were, each with its beginning and a mark in German."""

    def shortened(self, text: str) -> str:
        return f"{text[:60]} [Rest gekürzt]"

    def summary(self) -> str:
        return f"What was done so far, in short: {self.summed_up(self.messages)}\nThe task is still: {self.task}"


class SumsUpTheRoundsAlone(SumsUpAmidTheTurn):
    """Right: of the task, which the agent says again itself, the request for the summary has nothing."""

    features = SumsUpAmidTheTurn.features | {"context-limit"}

    def summed_up(self, messages: Messages) -> str:
        rounds = [one for one in messages if one["role"] != "user"]
        return super().summed_up([{**one, "content": (one["content"] or "")[:100] + " [shortened]"} for one in rounds])


class CutsInSilence(Shortens):
    """Wrong: the results are cut, and nothing says so."""

    def shortened(self, text: str) -> str:
        return text[:60]


class LeavesThemOut(Shortens):
    """Wrong: nothing of the results is read."""

    def shortened(self, text: str) -> str:
        return "[a result]"


@pytest.mark.parametrize("agent", [Shortens, KeepsTheEnds, TellsInJson, MarksInItsOwnLanguage])
def test_summary_of_results_that_were_shortened_with_a_mark_stands_for_them(agent: Any) -> None:
    assert only_findings(agent, PAGES, wires=("openai-chat",)) == {"openai-chat+stream": []}


def test_request_for_a_summary_is_known_by_results_that_were_cut_before() -> None:
    each = PAGES.replace("{reply: There are nine.}", "{requests: [{at: each, contains: [Read all nine pages]}]}")

    assert only_findings(SumsUpTheRoundsAlone, each, wires=("openai-chat",)) == {"openai-chat+stream": []}


@pytest.mark.parametrize("agent", [CutsInSilence, LeavesThemOut])
def test_summary_of_results_that_it_has_not_read_stands_for_none(agent: Any) -> None:
    assert only_findings(agent, PAGES, wires=("openai-chat",)) == {"openai-chat+stream": ["paired"]}
