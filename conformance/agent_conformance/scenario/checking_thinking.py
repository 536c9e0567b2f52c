"""What a scenario may say of the reasoning in its history. Knows no line."""

from agent_conformance.scenario.mistakes import Found
from agent_conformance.scenario.model import Scenario, ThinkingSpec
from agent_conformance.scenario.problems import listed
from fake_providers.wire_capabilities import SIGN_REASONING


def check_thinking(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    named = scenario.wires if isinstance(scenario.wires, list) else []
    if not named or not set(named).isdisjoint(SIGN_REASONING):
        return
    for index, message in enumerate(scenario.history):
        assistant = message.assistant
        if assistant and not isinstance(assistant, str) and isinstance(assistant.thinking, ThinkingSpec):
            yield (
                ("history", index, "assistant", "thinking"),
                f"no provider of `wires` signs reasoning. Those that do: {listed(SIGN_REASONING)}.",
            )
