"""What a scenario may say of the reasoning in its history. Knows no line."""

from conformance.scenario.mistakes import Found
from conformance.scenario.model import Scenario, ThinkingSpec
from conformance.scenario.problems import listed
from fakes.wire_capabilities import SIGN_REASONING


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
