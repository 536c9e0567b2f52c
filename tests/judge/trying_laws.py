"""What the tests of laws demand of a right agent and of a wrong one."""

from pathlib import Path
from typing import Any

from agent_conformance.baseline.case_report import facts_of
from tests.trying import only_findings, verdicts

BRIDGE = Path(__file__).parents[1] / "command_agent" / "bridge.py"
WIRES = ("openai-chat", "openai-responses", "anthropic-messages", "gemini-generate", "ollama-chat")


def assert_right(agent: Any, text: str) -> None:
    """No case of the scenario with this text has a finding."""
    found = only_findings(agent, text)

    assert found
    assert set(map(tuple, found.values())) == {()}


def assert_breaks_only(law: str, agent: Any, text: str) -> None:
    """Each case of the scenario with this text has one finding, by this law; without `wires`, on every wire.

    It names a turn that there is, what was expected there, and what was found.
    """
    found = verdicts(agent, text)

    assert len(found) == (1 if "wires:" in text else len(WIRES))
    assert {verdict.case: [finding.id for finding in verdict.findings] or verdict.reason for verdict in found} == {
        verdict.case: [law] for verdict in found
    }
    turns = text.count("user:") + (law == "survives")  # which is found in one more turn
    for verdict in found:
        (finding,) = verdict.findings
        facts = dict(facts_of(finding))
        assert finding.place is None or 1 <= finding.place.turn <= turns, finding
        assert facts["expected"], finding
        assert facts["got"], finding
