"""The protocol says all that an adapter can say: behind a bridge, adapters in Python get the verdicts they ever got."""

import shlex
import sys
from pathlib import Path

import pytest

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.agents.reference import Adapter
from agent_conformance.attach.loading import load_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.transcripts.finding import Verdict
from tests.bundled import bundled_files

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BRIDGE = shlex.join([sys.executable, "tests/command_agent/bridge.py"])


def verdicts(agent: DeclaredAgent, scenarios: tuple[str, ...], *, mode: str) -> dict[str, Verdict]:
    files = bundled_files()
    chosen = [file for file in files if file.id.startswith(scenarios)]
    assert chosen
    cases = [case for file in chosen for case in cases_of(file, agent, RunOptions(wires=("openai-chat",)))]
    with CaseSession(agent) as runner:
        return {case.id: runner.run(case) for case in cases if case.mode == mode}


def behind_the_protocol(spec: str) -> DeclaredAgent:
    return load_agent(f"cmd:{BRIDGE} {spec}", cwd=ROOT)


def test_bridge_declares_what_the_adapter_declares() -> None:
    agent = behind_the_protocol("agent_conformance.reference:Adapter")

    assert (agent.wires, agent.modes, agent.features) == (Adapter.wires, Adapter.modes, Adapter.features)
    agent.adapter.launcher.end(agent.adapter.launcher.take()[0], gracefully=True)  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", [pytest.param("plain", marks=pytest.mark.weekly), "stream"])
def test_reference_agent_passes_over_the_protocol(mode: str) -> None:
    """Every area that asks for a feature of its own, and enough of the others."""
    areas = (
        "images",
        "limits",
        "turns",
        "declarations",
        "streaming",
        "faults",
        "loops",
        "round-trip",
        "tool-names",
        "parallel",
    )
    judged = verdicts(behind_the_protocol("agent_conformance.reference:Adapter"), (*areas, "parallel"), mode=mode)

    assert len(judged) > 30
    assert [verdict for verdict in judged.values() if verdict.outcome != "pass"] == []


@pytest.mark.parametrize(
    ("mutant", "scenario"),
    [
        ("M12_cancel_dangling", "limits/cancelled-at-a-tool"),
        ("M5d_abort_run", "tool-names/invented-name"),
        ("M2a_prune_first_user", "history/pruned-past-the-user"),
    ],
)
def test_mutant_has_the_same_findings_over_the_protocol(mutant: str, scenario: str) -> None:
    spec = f"agent_conformance.mutants:{mutant}"
    within = verdicts(load_agent(spec, cwd=ROOT), (scenario,), mode="plain")

    behind = verdicts(behind_the_protocol(spec), (scenario,), mode="plain")

    found = {case: [finding.id for finding in verdict.findings] for case, verdict in within.items()}
    assert any(found.values())
    assert found == {case: [finding.id for finding in verdict.findings] for case, verdict in behind.items()}


def test_turns_that_run_at_once_are_judged_over_the_protocol() -> None:
    wrong = behind_the_protocol("tests.command_agent.one_open_call:Adapter")

    judged = verdicts(wrong, ("turns/sessions-at-the-same-time", "turns/sessions-side-by-side"), mode="plain")

    found = {case.partition("@")[0]: [finding.id for finding in verdict.findings] for case, verdict in judged.items()}
    assert found["turns/sessions-side-by-side"] == []
    assert "apart" in found["turns/sessions-at-the-same-time"]


def test_program_that_runs_one_turn_at_a_time_is_not_verified() -> None:
    agent = behind_the_protocol("agent_conformance.reference:Adapter")
    agent.adapter.takes_turns_together = False  # type: ignore[attr-defined]

    judged = verdicts(agent, ("turns/sessions-at-the-same-time",), mode="plain")

    assert [verdict.outcome for verdict in judged.values()] == ["not-verified"]
