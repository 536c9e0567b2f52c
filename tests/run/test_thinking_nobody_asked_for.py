"""Claude and Gemini show thinking only where the request asks for it, and Claude caches what the request marks: a case
about something else comes without it.
"""

from pathlib import Path
from typing import Any

import pytest

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.transcripts.finding import Verdict
from tests.agents.plain import PlainAgent

SCENARIO = """\
description: thinking stands before the answer
profile: core
conversation:
  - user: Which fruit?
    model:
      - {thinking: It is a fruit., text: A pear.}
    expect: {reply: A pear.}
"""


class Unasked(PlainAgent):
    wires = ("anthropic-messages", "gemini-generate")


class Asks(Unasked):
    def body(self) -> dict[str, Any]:
        body = super().body()
        if self.setup.wire == "gemini-generate":
            return {**body, "generationConfig": {"thinkingConfig": {"includeThoughts": True}}}
        return {**body, "max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 2000}}


class FirstBlock(Unasked):
    """Right as long as nothing stands before the text."""

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        _, calls = super().take(response)
        parts = response.get("content") or response["candidates"][0]["content"]["parts"]
        return parts[0].get("text", ""), calls


def verdicts(adapter: type, tmp_path: Path, *, area: str, scenario: str = SCENARIO) -> dict[str, Verdict]:
    path = tmp_path / "scenarios" / area / "a-thought.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(scenario)
    file, agent = load_file(path, root=tmp_path / "scenarios"), checked_agent("agent", adapter)
    assert isinstance(file, ScenarioFile)
    with CaseSession(agent) as session:
        return {case.wire: session.run(case) for case in cases_of(file, agent, RunOptions())}


@pytest.mark.parametrize("adapter", [Unasked, FirstBlock, Asks])
def test_case_about_something_else_comes_without_it(adapter: type, tmp_path: Path) -> None:
    found = verdicts(adapter, tmp_path, area="finish")

    assert {wire: verdict.outcome for wire, verdict in found.items()} == dict.fromkeys(Unasked.wires, "pass")


def test_case_about_reasoning_is_not_verified_for_an_agent_that_does_not_ask(tmp_path: Path) -> None:
    found = verdicts(Unasked, tmp_path, area="reasoning")

    assert {verdict.outcome for verdict in found.values()} == {"not-verified"}
    assert all("this one has none" in verdict.reason for verdict in found.values())


def test_case_about_reasoning_is_judged_for_an_agent_that_asks(tmp_path: Path) -> None:
    found = verdicts(Asks, tmp_path, area="reasoning")

    assert {verdict.outcome for verdict in found.values()} == {"pass"}


def test_first_block_alone_is_found_where_thinking_is_asked_for(tmp_path: Path) -> None:
    adapter = type("AsksForTheFirstBlock", (FirstBlock, Asks), {})
    found = verdicts(adapter, tmp_path, area="finish")

    assert {verdict.outcome for verdict in found.values()} == {"fail"}


CACHED = SCENARIO.replace("thinking: It is a fruit., ", "").replace(
    "pear.}\n    ", "pear., usage: {input: 9, cached: 8}}\n    ", 1
)


class TellsWhatWasCached(PlainAgent):
    wires = ("anthropic-messages",)

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        text, calls = super().take(response)
        return f"{text} ({response['usage']['cache_read_input_tokens']} cached)", calls


class Marks(TellsWhatWasCached):
    def body(self) -> dict[str, Any]:
        return {**super().body(), "cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(("adapter", "count"), [(TellsWhatWasCached, 0), (Marks, 8)])
def test_claude_counts_cached_tokens_where_the_request_marks_something(
    adapter: type, count: int, tmp_path: Path
) -> None:
    scenario = CACHED.replace("reply: A pear.", f"reply: A pear. ({count} cached)")
    found = verdicts(adapter, tmp_path, area="finish", scenario=scenario)

    assert {verdict.outcome for verdict in found.values()} == {"pass"}
