"""What must agree where a scenario has a second provider. Knows no line."""

from agent_conformance.scenario.mistakes import Found
from agent_conformance.scenario.model import Scenario
from agent_conformance.scenario.problems import did_you_mean, listed
from fake_providers import PROVIDERS


def check_fallback(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    second = scenario.fallback
    if second is None:
        return
    if second.provider not in PROVIDERS:
        near = did_you_mean(second.provider, PROVIDERS)
        yield ("fallback", "provider"), f"`{second.provider}` is no provider.{near} Allowed: {listed(PROVIDERS)}."
    elif second.wire is not None and second.wire not in PROVIDERS[second.provider]:
        speaks = listed(PROVIDERS[second.provider])
        yield ("fallback", "wire"), f"`{second.provider}` does not offer `{second.wire}`. It has: {speaks}."
    if not any(reply.fault for turn in scenario.conversation for reply in turn.model):
        yield ("fallback",), "no reply has a `fault`, so that nobody has to ask the second provider."
    if any(turn.switch for turn in scenario.conversation):
        yield ("fallback",), "`fallback` and `switch` each name another provider. Keep one."
