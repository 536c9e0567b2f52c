"""The protocol says all that an adapter can say: behind a bridge, adapters in Python get the verdicts they ever got."""

import shlex
import sys
from pathlib import Path

import pytest

from conformance.adapter.contract import DeclaredAgent
from conformance.agents.loading import load_agent
from conformance.agents.reference import Adapter
from conformance.record.finding import Verdict
from conformance.run.session import Session
from conformance.scenario.cases import RunOptions, cases_of
from conformance.scenario.corpus import bundled_scenarios
from conformance.scenario.loading import load_folder

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BRIDGE = shlex.join([sys.executable, "tests/command_agent/bridge.py"])


def verdicts(agent: DeclaredAgent, scenarios: tuple[str, ...], *, mode: str) -> dict[str, Verdict]:
    files, _ = load_folder(bundled_scenarios())
    chosen = [file for file in files if file.id.startswith(scenarios)]
    assert chosen
    cases = [case for file in chosen for case in cases_of(file, agent, RunOptions(wires=("openai-chat",)))]
    with Session(agent) as session:
        return {case.id: session.run(case) for case in cases if case.mode == mode}


def behind_the_protocol(spec: str) -> DeclaredAgent:
    return load_agent(f"cmd:{BRIDGE} {spec}", cwd=ROOT)


def test_bridge_declares_what_the_adapter_declares() -> None:
    agent = behind_the_protocol("conformance.reference:Adapter")

    assert (agent.wires, agent.modes, agent.features) == (Adapter.wires, Adapter.modes, Adapter.features)
    agent.adapter.launcher.end(agent.adapter.launcher.take()[0], gracefully=True)  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", ["plain", "stream"])
def test_reference_agent_passes_over_the_protocol(mode: str) -> None:
    """Every area that asks for a feature of its own, and enough of the others."""
    areas = ("images", "limits", "declarations", "streaming", "faults", "loops", "round-trip", "tool-names", "parallel")
    judged = verdicts(behind_the_protocol("conformance.reference:Adapter"), areas, mode=mode)

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
    spec = f"conformance.mutants:{mutant}"
    within = verdicts(load_agent(spec, cwd=ROOT), (scenario,), mode="plain")

    behind = verdicts(behind_the_protocol(spec), (scenario,), mode="plain")

    found = {case: [finding.id for finding in verdict.findings] for case, verdict in within.items()}
    assert any(found.values())
    assert found == {case: [finding.id for finding in verdict.findings] for case, verdict in behind.items()}
