"""A text that looks like a call is streamed in each way of cutting it, or in the one that was chosen."""

import pytest

from agent_conformance.agents.reference import Adapter
from agent_conformance.agents.reference.pseudo_calls import StreamFilter
from agent_conformance.attach.loading import checked_agent
from agent_conformance.baseline.case_report import facts_of
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from tests.trying import WEATHER, scenario

CALL = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - text: "I look ｜ [TOOL_CALL]\\n{tool => \\"get_weather\\", args => {--city \\"Oslo\\"}}\\n[/TOOL_CALL]"
        chunks: ["I look ｜ [TOOL_CALL]", "\\n{tool => \\"get_weather\\", args => {--city \\"Oslo\\"}}\\n[/TOOL_CALL]"]
        means:
          handling: run
          calls: [{name: get_weather, arguments: {city: Oslo}}]
          show: I look ｜
          never_show: [TOOL_CALL]
      - text: It is 7 degrees.
    expect: {outcome: either}
"""
)


def examined(adapter, cut, mode):
    """The verdict on the case of a mode, and how its text was cut in each run."""
    agent = checked_agent("an agent", adapter)
    cases = cases_of(scenario(CALL), agent, RunOptions(wires=("openai-chat",)))
    with CaseSession(agent, cut=cut) as runner:
        verdict, transcripts = runner.examine(next(case for case in cases if case.mode == mode))
    return verdict, [transcript.split for transcript in transcripts]


@pytest.mark.parametrize(
    ("cut", "cuts"),
    [
        ("", ["whole", "given", "characters", "bytes"]),
        ("whole", ["whole"]),
        ("given", ["given"]),
        ("characters", ["characters"]),
        ("bytes", ["bytes"]),
    ],
)
def test_text_is_cut_in_all_ways_or_in_the_chosen_one(cut, cuts):
    verdict, seen = examined(Adapter, cut, "stream")

    assert (verdict.outcome, seen) == ("pass", cuts)


def test_case_that_has_no_such_way_runs_as_usual():
    verdict, seen = examined(Adapter, "characters", "plain")

    assert (verdict.outcome, seen) == ("pass", ["provider"])


def test_finding_of_one_way_says_which_and_is_there_again_when_that_alone_is_chosen(monkeypatch):
    whole = StreamFilter.feed

    def shows_single_characters(self, piece):
        if len(piece) > 1:
            return whole(self, piece)
        self.released += piece
        return piece

    monkeypatch.setattr(StreamFilter, "feed", shows_single_characters)

    all_ways, _ = examined(Adapter, "", "stream")
    alone, cuts = examined(Adapter, "characters", "stream")

    assert {finding.cut for finding in all_ways.findings} == {"characters"}
    assert all(("stream", "text cut: characters") in facts_of(finding) for finding in all_ways.findings)
    assert cuts == ["characters"]
    assert [finding.id for finding in alone.findings] == [finding.id for finding in all_ways.findings]
