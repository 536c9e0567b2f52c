"""Whom the requests of a case go to: provider, wire and model of each turn. Knows neither running nor judging."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from agent_conformance.scenario.model import Scenario, Switch
from fake_providers.models import default_model, has_own_models
from fake_providers.provider_facts import own_provider


@dataclass(frozen=True, slots=True)
class Target:
    """A model of a provider, on one wire."""

    wire: str
    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.model} of {self.provider}, on {self.wire}"


def model_named(named: Mapping[str, str], wire: str, provider: str) -> str:
    """The model that a scenario names for the wire, where the provider serves the models of that wire."""
    if has_own_models(wire, provider):
        return default_model(wire, provider)
    return named.get(wire) or default_model(wire, provider)


def first_target(scenario: Scenario, wire: str, provider: str) -> Target:
    return Target(wire, provider, model_named({str(w): model for w, model in scenario.model.items()}, wire, provider))


def target_after(switch: Switch, now: Target) -> Target:
    """The target from the turn with this `switch` on."""
    if switch.wire is None:
        named = {str(wire): model for wire, model in switch.model.items()}
        return replace(now, model=named.get(now.wire, now.model))
    provider = own_provider(switch.wire)
    return Target(switch.wire, provider, default_model(switch.wire, provider))


def fallback_of(scenario: Scenario, wire: str) -> Target | None:
    """The second provider of a case on this wire, if the scenario has one, and it speaks the wire."""
    second = scenario.fallback
    if second is None:
        return None
    wire = second.wire or wire
    return Target(wire, second.provider, default_model(wire, second.provider))


def targets_of_turns(scenario: Scenario, wire: str, provider: str) -> list[Target]:
    """The target of each turn."""
    now = first_target(scenario, wire, provider)
    targets = []
    for turn in scenario.conversation:
        now = target_after(turn.switch, now) if turn.switch is not None else now
        targets.append(now)
    return targets
