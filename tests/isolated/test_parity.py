"""An agent in a process of its own gets the verdicts that it gets in process. `parity.py` compares the whole corpus."""

from pathlib import Path

import pytest

from agent_conformance.attach.isolated.eligible import load_isolated_agent
from agent_conformance.attach.loading import load_agent
from agent_conformance.scenario.cases import RunOptions
from tests.isolated.parity import cases_for, differences, judged

ONE_WIRE = RunOptions(wires=("openai-chat",))
SAMPLE = ("limits/cancelled", "turns/", "images/", "streaming/", "history/half", "faults/")
"""Cancelled turns, approvals, sessions, steering, crashes, pictures, deltas, halves of characters, faults."""


def compare(spec: str, chosen: tuple[str, ...], options: RunOptions = ONE_WIRE) -> tuple[list[str], set[str]]:
    """What differs, and the outcomes that there are."""
    cwd = Path.cwd()
    agent = load_agent(spec, cwd=cwd)
    cases = cases_for(agent, chosen, options)
    assert cases
    within = list(judged(agent, cases, cwd))
    isolated = load_isolated_agent(spec, cwd=cwd)
    beside = list(judged(isolated, cases, cwd))
    isolated.adapter.processes.close()  # type: ignore[attr-defined]
    return list(differences(within, beside)), {verdict.outcome for verdict in within}


@pytest.mark.weekly
def test_reference_agent_has_the_same_verdicts() -> None:
    assert compare("agent_conformance.reference:Adapter", SAMPLE) == ([], {"pass"})


@pytest.mark.parametrize(
    ("mutant", "scenario"),
    [
        ("M12_cancel_dangling", "limits/cancelled-at-a-tool"),
        pytest.param("M5d_abort_run", "tool-names/invented-name", marks=pytest.mark.slow),
        pytest.param("M2a_prune_first_user", "history/pruned-past-the-user", marks=pytest.mark.slow),
    ],
)
def test_mutant_has_the_same_findings(mutant: str, scenario: str) -> None:
    different, outcomes = compare(f"agent_conformance.mutants:{mutant}", (scenario,))

    assert different == []
    assert "fail" in outcomes
