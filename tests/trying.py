"""Trying one agent on one scenario, written in the test: what the tests of judging have in common."""

import tempfile
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.transcripts.finding import Verdict

WEATHER = """
tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    returns: 7 degrees and rain
"""

ONE_CALL_BEFORE = (
    WEATHER
    + """
history:
  - user: What is the weather in Oslo?
  - assistant: {text: "", calls: [{id: call000001, name: get_weather, arguments: {city: Oslo}}]}
  - tool: {id: call000001, result: 7 degrees and rain}
  - assistant: Rain.
"""
)

ONE_CALL = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: It is 7 degrees and raining in Oslo.
"""
)

GHOST = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_wether, arguments: {city: Oslo}}]
      - text: I could not find out.
"""
)
TWO_CALLS = (
    WEATHER
    + """
conversation:
  - user: How is the weather in Oslo and Rome?
    model:
      - calls:
          - {name: get_weather, arguments: {city: Oslo}}
          - {name: get_weather, arguments: {city: Rome}}
      - text: Rain in both.
    expect:
      requests: [{at: each, contains: [How is the weather], tools: [get_weather]}]
  - user: Thank you.
    model:
      - text: You are welcome.
    expect:
      requests: [{at: 1, contains: [How is the weather, Rain in both.]}]
"""
)


def scenario(text: str, *, profile: str = "hardened") -> ScenarioFile:
    """The scenario file with this text; description and profile are put in front."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trying", "this.yaml")
        path.parent.mkdir()
        head = f"# Why.\ndescription: something holds\nprofile: {profile}\n"
        path.write_text(head + textwrap.dedent(text), encoding="utf-8")
        loaded = load_file(path, root=Path(folder))
    assert isinstance(loaded, ScenarioFile), "\n".join(map(str, loaded))
    return loaded


def verdicts(
    adapter: Any,
    text: str,
    *,
    transport: str = "process",
    timeout: float = 10.0,
    turn_limit: float | None = None,
    open_models: bool = False,
    **choice: Any,
) -> list[Verdict]:
    """The verdict of every case that this scenario makes for this adapter. A case fails by what is no advice.

    With `open_models`, servers of open models are behind the agent, whatever it declares.
    """
    agent = checked_agent("trying", adapter)
    if open_models:
        agent = replace(agent, features=agent.features | {"open-models"})
    with CaseSession(agent, transport=transport, timeout=timeout, turn_limit=turn_limit) as runner:
        found = [runner.run(case) for case in cases_of(scenario(text), agent, RunOptions(**choice))]
    for verdict in found:
        levels = {finding.level for finding in verdict.findings}
        assert levels <= {"must", "should"}, verdict.findings
        assert (verdict.outcome == "fail") == ("must" in levels), verdict
    return found


def only_findings(adapter: Any, text: str, **options: Any) -> dict[str, list[str]]:
    """Each case's target and mode with the ids of its findings; an error or a case not verified says its reason."""
    found = {}
    for verdict in verdicts(adapter, text, **options):
        target = verdict.case.partition("@")[2]
        if verdict.outcome in ("error", "not-verified"):
            found[target] = [f"{verdict.outcome}: {verdict.reason}"]
        else:
            found[target] = [finding.id for finding in verdict.findings]
    return found
