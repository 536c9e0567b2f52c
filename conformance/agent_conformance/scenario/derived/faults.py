"""What follows from a scenario's turns, replies and messages: provider, wire and model, faults and tokens, pictures."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, ValidationError
from msgspec.structs import replace

from agent_conformance.adapter.types import Feature
from agent_conformance.scenario.base_model import Parts, has_picture, is_parts, parts_of
from agent_conformance.scenario.checks import Found, demands_of
from agent_conformance.scenario.model import CallSpec, ReplySpec, RequestExpectation, Scenario, Switch, Turn
from agent_conformance.scenario.yaml_files.reading import KeyPath
from agent_conformance.scenario.yaml_files.validation_messages import flaws_in
from fake_providers import Fault, Usage
from fake_providers.models import default_model, has_own_models
from fake_providers.provider_facts import own_provider
from fake_providers.reply import HARMLESS_QUIRKS
from fake_providers.values.json_texts import read_json
from fake_providers.wire_facts import WIRE_FACTS


def fault_of(reply: ReplySpec) -> Fault | None:
    """The reply's fault, or None where nothing goes wrong."""
    if reply.fault is None:
        return None
    fields = reply.fault.data()
    return Fault(**{**fields, "noise": tuple(fields["noise"])})


def usage_of(reply: ReplySpec) -> Usage | None:
    """The tokens that the provider reports, or None where it counts. Raises `ValueError` for numbers that it never
    reports."""
    return None if reply.usage is None else Usage(**reply.usage.data())


def has_harmful_fault(reply: ReplySpec) -> bool:
    """Whether a correct agent may fail because of this reply's fault; noise is no reason to fail."""
    fault = fault_of(reply)
    return fault is not None and fault.is_harmful


def is_flawed(reply: ReplySpec) -> bool:
    """Whether the reply is blank, cut off or refused, writes a call or reasoning as text, or has a broken call or one
    in odd deltas."""
    if reply.means is not None and reply.means.handling != "show":
        return True
    if reply.finish not in (None, "stop") or not (reply.calls or (reply.text or "").strip()):
        return True
    return has_repeated_ids(reply) or has_harmful_quirk(reply) or any(is_broken(call) for call in reply.calls)


def has_harmful_quirk(reply: ReplySpec) -> bool:
    """Whether the calls are sent in a way that no documentation allows: a right agent need not understand them."""
    return not HARMLESS_QUIRKS.issuperset(reply.quirks)


def has_repeated_ids(reply: ReplySpec) -> bool:
    given = [call.id for call in reply.calls if "id" in call.given]
    return None in given or len(set(given)) < len(given)


def is_broken(call: CallSpec) -> bool:
    """Whether the argument text of a call is no JSON object."""
    if call.arguments_text is None:
        return False
    try:
        return not isinstance(read_json(call.arguments_text), dict)
    except ValueError:
        return True


def user_pictures(scenario: Scenario) -> bool:
    """Whether the user sends a picture, in a turn or in the history."""
    messages = [*(turn.user for turn in scenario.conversation), *(message.user for message in scenario.history)]
    return any(has_picture(message) for message in messages if message and not isinstance(message, str))


def tool_pictures(scenario: Scenario) -> bool:
    """Whether a tool returns a picture, or has returned one in the history."""
    results = [message.tool.result for message in scenario.history if message.tool is not None]
    results += [result for tool in scenario.tools for result in tool.results or ()]
    return any(has_picture(tool.content) for tool in scenario.tools) or any(map(_has_picture, results))


def has_pictures(scenario: Scenario) -> bool:
    return user_pictures(scenario) or tool_pictures(scenario)


def check_parts(scenario: Scenario) -> Found:
    """Path and sentence of each mistake in parts, and of each picture that is expected and comes from nowhere."""
    wrong = list(_wrong_parts(scenario))
    yield from wrong
    if not wrong and not has_pictures(scenario):
        for number, turn in enumerate(scenario.conversation):
            for demands, path in demands_of(turn, number):
                for index, request in enumerate(demands.requests):
                    if request.images:
                        message = "`images` expects pictures, and no tool, user or history of this scenario has one."
                        yield (*path, "requests", index, "images"), f"{message} Give a tool `content` with an `image`."


def doubtful_parts(scenario: Scenario) -> Found:
    """JSON that looks like parts, and is none: an author may have meant a picture."""
    for index, tool in enumerate(scenario.tools):
        values: list[tuple[KeyPath, Any]] = [(("returns",), tool.returns)]
        values += [(("results", place), result) for place, result in enumerate(tool.results or ())]
        for path, value in values:
            listed = value.get("parts") if path == ("returns",) and is_parts(value) else value
            if isinstance(listed, list) and any(
                (isinstance(item, dict) and ("image" in item or item.get("type") == "image")) for item in listed
            ):
                message = f"`{path[0]}` is JSON, and no picture is made of it. For a picture write `content`."
                yield ("tools", index, *path), message


def _wrong_parts(scenario: Scenario) -> Found:
    for index, tool in enumerate(scenario.tools):
        for place, result in enumerate(tool.results or ()):
            yield from _of_result(result, ("tools", index, "results", place))
    for index, message in enumerate(scenario.history):
        if message.tool is not None:
            yield from _of_result(message.tool.result, ("history", index, "tool", "result"))


def _of_result(result: Any, path: KeyPath) -> Found:
    if not is_parts(result):
        return
    try:
        parts_of(result)
    except ValidationError:
        at = next(flaws_in(result["parts"], Parts)).path
        expected = "a list of `{text: ...}` and `{image: {width: 64, height: 64}}`"
        yield (*path, "parts", *at), f"this is no part of a result. `parts` is {expected}."


def _has_picture(result: Any) -> bool:
    return is_parts(result) and has_picture(parts_of(result))


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
