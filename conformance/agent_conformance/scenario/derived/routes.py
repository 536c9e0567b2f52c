"""Whom the requests of a case go to: provider, wire and model of each turn."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from agent_conformance.adapter.types import Feature
from agent_conformance.scenario.derived.pictures import tool_pictures, user_pictures
from agent_conformance.scenario.model import RequestExpectation, Scenario, Switch, Turn
from fake_providers.models import default_model, has_own_models
from fake_providers.provider_facts import own_provider
from fake_providers.wire_facts import WIRE_FACTS

CHOICES = frozenset({"anyOf", "oneOf", "allOf", "enum", "not"})
"""What no provider takes at the top of a tool's schema."""


class Target(Struct, frozen=True):
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


def features_needed(scenario: Scenario) -> frozenset[Feature]:
    """The features without which the scenario cannot run or its expectations cannot be checked."""
    return frozenset({*scenario.needs, *_of_scenario(scenario), *_of_turns(scenario)})


def _of_scenario(scenario: Scenario) -> Iterator[Feature]:
    if scenario.history:
        yield "history"
    if len(scenario.conversation) > 1:
        yield "conversation"
    if any(not tool.enabled for tool in scenario.tools):
        yield "tool-filter"
    if any(tool.approval for tool in scenario.tools):
        yield "approval"
    if any(tool.deferred for tool in scenario.tools):
        yield "tool-search"
    if user_pictures(scenario):
        yield "user-images"
    if tool_pictures(scenario) and any(
        any(selector.images is not None for selector in _selectors(turn)) for turn in scenario.conversation
    ):
        yield "images"
    if scenario.fallback is not None:
        yield "fallback"
    if scenario.server_tools:
        yield "server-tools"
    if scenario.output_schema is not None:
        yield "structured-output"
    if scenario.tool_choice is not None:
        yield "tool-choice"
    if scenario.limits.requests is not None:
        yield "request-limit"
    if scenario.limits.idle_seconds is not None:
        yield "idle-limit"
    if scenario.limits.context_tokens is not None:
        yield "context-limit"


def _of_turns(scenario: Scenario) -> Iterator[Feature]:
    for turn in scenario.conversation:
        if turn.restart:
            yield "restart"
        if turn.cancel is not None:
            yield "cancel"
        if turn.steer:
            yield "steering"
        if turn.session is not None:
            yield "sessions"
        if turn.switch is not None:
            yield "model-switch"
        if turn.compact:
            yield "compaction"
        if turn.observer:
            yield "observer"
        if turn.tools is not None:
            yield "tool-filter"
        # Whether the script waits for a native result, or an expectation reads calls or results of a request.
        if any(reply.until is not None for reply in turn.model) or any(
            selector.calls is not None or selector.results is not None for selector in _selectors(turn)
        ):
            yield "native-tools"


def _selectors(turn: Turn) -> Iterator[RequestExpectation]:
    for demands in (turn.expect, turn.expect.should):
        yield from demands.requests if demands else ()


def demands_no_tools(scenario: Scenario) -> bool:
    """Whether some request must offer no tool at all: an agent with tools of its own cannot show that."""
    selectors = [selector for turn in scenario.conversation for selector in turn.expect.requests]
    return any(selector.tools == "none" or "tools" in selector.without for selector in selectors)


def has_foreign_tools(scenario: Scenario, wire: str) -> bool:
    """Whether a tool is declared as nobody writes it for an API of this wire, but an MCP server may."""
    name = WIRE_FACTS[wire].tool_name
    return any(not re.fullmatch(name, tool.name) or CHOICES & set(tool.parameters) for tool in scenario.tools)
