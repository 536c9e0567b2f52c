"""What the tests of laws demand of a right agent and of a wrong one."""

from pathlib import Path
from typing import Any

from tests.trying import only_findings

BRIDGE = Path(__file__).parents[1] / "command_agent" / "bridge.py"
WIRES = ("openai-chat", "openai-responses", "anthropic-messages", "gemini-generate", "ollama-chat")


def assert_right(agent: Any, text: str) -> None:
    """No case of the scenario with this text has a finding."""
    found = only_findings(agent, text)

    assert found
    assert set(map(tuple, found.values())) == {()}


def assert_breaks_only(law: str, agent: Any, text: str) -> None:
    """Each case of the scenario with this text has one finding, by this law; without `wires`, on every wire."""
    found = only_findings(agent, text)

    assert len(found) == (1 if "wires:" in text else len(WIRES))
    assert found == {target: [law] for target in found}
