"""What must agree where a conversation changes its model. Knows no line."""

from agent_conformance.scenario.mistakes import Found
from agent_conformance.scenario.model import Scenario


def check_switches(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    for index, turn in enumerate(scenario.conversation):
        if turn.switch is None:
            continue
        path = ("conversation", index, "switch")
        if bool(turn.switch.model) == (turn.switch.wire is not None):
            yield path, "`switch` has either `model`, by wire, or `wire`. Keep one."
        if index == 0:
            yield path, "the first turn begins with the model of the case. Name it under `model` of the scenario."
        if turn.restart:
            yield path, "`restart` starts a new instance, and `switch` goes on with this one. Give each a turn."
        if any(other.session is not None for other in scenario.conversation):
            yield path, "a scenario with `session` has no `switch`: it would not say of which session."
