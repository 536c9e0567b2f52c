"""Which cases a scenario makes for an agent: example x target x mode."""

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.scenario.derived import half_characters
from agent_conformance.scenario.derived.faults import fault_of
from agent_conformance.scenario.derived.pictures import has_pictures
from agent_conformance.scenario.derived.routes import (
    Target,
    demands_no_tools,
    fallback_of,
    features_needed,
    first_target,
    has_foreign_tools,
    targets_of_turns,
)
from agent_conformance.scenario.loading import ScenarioFile
from agent_conformance.scenario.model import ReplySpec, Scenario, ThinkingSpec, Turn
from fake_providers import MADE_BY_PROVIDER, PROVIDERS, WIRES, Call, Reply
from fake_providers.features import Feature
from fake_providers.models import has_own_models, latest_model, takes_pictures
from fake_providers.provider_facts import own_provider
from fake_providers.replies.call_validation import CallFault, fault_of_call
from fake_providers.replies.transport_faults import features_of
from fake_providers.reply_rules import why_unsent
from fake_providers.values.json_texts import read_json
from fake_providers.wire_facts import (
    FORCE_CALLS,
    REFUSED,
    SIGN_REASONING,
    WIRE_FACTS,
    can_express,
    features_of_ending,
    features_of_quirks,
    features_of_sources,
)

FOREIGN_TOOLS = "tools that are not its own"
"""What an agent with `fixed-tools` never has."""
SAID_BY_SOME: Final[frozenset[Feature]] = frozenset(("server-tools", "openai-tools", "sources", "file-sources"))
"""What some providers of a wire can send and others cannot."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the user chose to run; an empty tuple means all."""

    wires: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ("core", "hardened")
    transport: str = "process"
    timeout: float = 10.0
    newest_models: bool = False
    """Where a scenario names no model, the newest of the wire instead of the default one."""
    brief: bool = False
    """Only the agent's first wire, where none is chosen, and one mode, likewise: plain, where the agent has it."""
    modes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One scenario, or one row of its examples, on one target in one mode. `missing` makes it not verified."""

    id: str
    file: ScenarioFile
    row: str | None
    scenario: Scenario
    wire: str
    provider: str
    mode: str
    missing: frozenset[str] = frozenset()


def case_of(
    file: ScenarioFile,
    row: str | None,
    *,
    wire: str,
    mode: str,
    provider: str | None = None,
    missing: frozenset[str] = frozenset(),
) -> Case:
    """One case of a file, with the id that it has everywhere; without a `provider` on the wire's own."""
    provider = provider or own_provider(wire)
    name = f"{file.id}[{row}]" if row is not None else file.id
    target = wire if provider == own_provider(wire) else f"{wire}:{provider}"
    return Case(f"{name}@{target}+{mode}", file, row, file.rows[row], wire, provider, mode, missing)


def cases_of(file: ScenarioFile, agent: DeclaredAgent, options: RunOptions) -> list[Case]:
    """The file's cases for this agent, in a stable order: rows, then the agent's wires, then modes."""
    models = _models(agent, options)
    played = file
    if models:
        rows = {row: scenario.changed({"model": models | scenario.model}) for row, scenario in file.rows.items()}
        played = replace(file, rows=rows)
    return [
        replace(case, file=file) if models else case
        for row, scenario in played.rows.items()
        if scenario.profile in options.profiles
        for case in _cases_of_row(played, row, scenario, agent, options)
    ]


def _models(agent: DeclaredAgent, options: RunOptions) -> dict[str, str]:
    """By wire, the models of scenarios that name none, where these are others than the default ones."""
    if options.newest_models:
        return {wire: latest_model(wire) for wire in WIRES}
    chosen = getattr(agent.adapter, "chosen_model", "")
    return dict.fromkeys(agent.wires, chosen) if chosen else {}


def _cases_of_row(
    file: ScenarioFile, row: str | None, scenario: Scenario, agent: DeclaredAgent, options: RunOptions
) -> Iterator[Case]:
    missing: frozenset[str] = frozenset(features_needed(scenario)) - agent.features
    if half_characters.given_to_the_agent(scenario) and not getattr(agent.adapter, "takes_half_characters", True):
        missing |= {"half characters"}
    if "own-tools" in agent.features and demands_no_tools(scenario):
        missing |= {"no tools of its own"}
    if agent.reply_tool is not None and any(tool.name == agent.reply_tool[0] for tool in scenario.tools):
        missing |= {"a reply tool of another name"}
    if any(turn.together for turn in scenario.conversation) and not _takes_turns_together(agent.adapter):
        missing |= {"two turns at the same time"}
    features = features_used(scenario)
    shows_pictures = has_pictures(scenario) and not scenario.providers
    has_signatures = any(True for _ in signed_thinking(scenario))
    has_half_characters = half_characters.sent_by_the_model(scenario)
    forces_a_call = scenario.tool_choice not in (None, "auto", "none")
    for wire in _wires(file, scenario, agent, options):
        foreign = "fixed-tools" in agent.features and has_foreign_tools(scenario, wire)
        for provider in _providers(scenario, wire, options):
            targets = targets_of_turns(scenario, wire, provider)
            if _lacks_a_model(scenario, wire, provider, targets):
                continue
            later = {target.wire for target in targets}
            if (second := fallback_of(scenario, wire)) is not None:
                if second.wire not in PROVIDERS[second.provider] or (second.wire, second.provider) == (wire, provider):
                    continue
                later.add(second.wire)
            if has_signatures and (wire not in SIGN_REASONING or provider != own_provider(wire)):
                continue
            if not scenario.providers and not _reaches_agents(scenario, provider):
                continue
            if not features.isdisjoint(SAID_BY_SOME) and provider not in (WIRE_FACTS[wire].runs_tools or (provider,)):
                continue
            if shows_pictures and not all(takes_pictures(to.wire, to.model, to.provider) for to in targets):
                continue
            for mode in _modes(scenario, agent, options):
                lacking = missing - {"open-models"} if provider in options.providers else missing
                lacking |= {FOREIGN_TOOLS} if foreign else set()
                if mode not in agent.modes:
                    if not isinstance(scenario.modes, list):
                        continue
                    lacking = lacking | {f"mode {mode}"}
                if not comes_from(file, scenario, agent, targets):
                    lacking = lacking | {"open-models"}
                lacking = lacking | {f"wire {one}" for one in {wire, *later} if one not in agent.wires}
                if has_half_characters and not WIRE_FACTS[wire].holds_half_characters:
                    continue
                if forces_a_call and not {wire, *later}.issubset(FORCE_CALLS):
                    continue
                if all(can_express(feature, wire=one, mode=mode) for feature in features for one in {wire, *later}):
                    yield case_of(file, row, wire=wire, provider=provider, mode=mode, missing=frozenset(lacking))


def _lacks_a_model(scenario: Scenario, wire: str, provider: str, targets: list[Target]) -> bool:
    """Whether a change of the model changes nothing here: it names none for the wire, or that which is used already."""
    before = first_target(scenario, wire, provider)
    for turn, target in zip(scenario.conversation, targets, strict=True):
        if turn.switch is not None and (target == before or (turn.switch.model and has_own_models(wire, provider))):
            return True
        before = target
    return False


def _takes_turns_together(adapter: object) -> bool:
    """Whether `send` is async. A program says in its hello whether turns of two sessions may run at once."""
    send = getattr(adapter, "send", None)
    if not getattr(adapter, "takes_turns_together", True):
        return False
    return inspect.iscoroutinefunction(send) or inspect.isasyncgenfunction(send)


def meets_any_server(case: Case, agent: DeclaredAgent) -> bool:
    """Whether gateways and servers of open models may answer, or a server whose replies were recorded."""
    return case.file.is_recorded or "open-models" in agent.features


def comes_from(file: ScenarioFile, scenario: Scenario, agent: DeclaredAgent, targets: Sequence[Target]) -> bool:
    """Whether the servers that the agent meets send the scenario's replies, as far as these say it by themselves."""
    if file.is_recorded or "open-models" in agent.features:
        return True
    makers = None if scenario.written_by is None else frozenset(scenario.written_by)
    return not any(
        why_unsent(
            one, provider=to.provider, wire=to.wire, model=to.model if to.wire in scenario.model else "", makers=makers
        )
        for turn, to in zip(scenario.conversation, targets, strict=True)
        for one in _replies(turn, shows_reasoning=file.area == "reasoning" and to.wire == "openai-chat")
    )


def _replies(turn: Turn, *, shows_reasoning: bool) -> Iterator[Reply]:
    """The replies of a turn, as far as they say by themselves who sends them. Reasoning that a server hides is left out
    of a reply, unless the scenario is about it."""
    for spec in turn.model:
        ids = (call.id if "id" in call.given else MADE_BY_PROVIDER for call in spec.calls)
        calls = tuple(
            Call(call.name, call.arguments, call.arguments_text, id) for call, id in zip(spec.calls, ids, strict=True)
        )
        quirks = (*spec.quirks, *(("reasoning-content",) if shows_reasoning and spec.thinking is not None else ()))
        yield Reply(spec.text, calls=calls, finish=spec.finish, quirks=quirks, fault=fault_of(spec))


def _modes(scenario: Scenario, agent: DeclaredAgent, options: RunOptions) -> Sequence[str]:
    if isinstance(scenario.modes, list):
        modes: Sequence[str] = scenario.modes
    elif scenario.modes is None and (options.modes or not options.brief):
        modes = ("plain", "stream")
    else:
        modes = ("plain",) if "plain" in agent.modes else ("stream",)
    return [mode for mode in modes if not options.modes or mode in options.modes]


def _wires(file: ScenarioFile, scenario: Scenario, agent: DeclaredAgent, options: RunOptions) -> list[str]:
    declared = [wire for wire in agent.wires if wire in WIRES]
    if options.brief and not options.wires:
        declared = declared[:1]
    if scenario.wires == "first":
        met = [
            wire
            for wire in declared
            if comes_from(file, scenario, agent, targets_of_turns(scenario, wire, own_provider(wire)))
        ]
        wires = (met or declared)[:1]
    elif scenario.wires is None:
        wires = declared
    else:
        named: list[str] = list(scenario.wires)
        wires = [wire for wire in declared if wire in named] or [wire for wire in named if wire in WIRES][:1]
    return [wire for wire in wires if not options.wires or wire in options.wires]


def _providers(scenario: Scenario, wire: str, options: RunOptions) -> list[str]:
    """The wire's own provider, or those that the scenario or the user names and that speak this wire."""
    named = scenario.providers or options.providers or (own_provider(wire),)
    speaking = [provider for provider in named if wire in PROVIDERS.get(provider, ())]
    return [provider for provider in speaking if not options.providers or provider in options.providers]


def _reaches_agents(scenario: Scenario, provider: str) -> bool:
    """Whether this provider hands all the replies on. One that a scenario names may refuse some: that is its point."""
    refused = REFUSED.get(provider)
    return refused is None or refused.isdisjoint(call_faults(scenario))


def call_faults(scenario: Scenario) -> Iterator[CallFault]:
    """What is wrong with the scripted calls, held against the tools that a right request of their turn offers."""
    schemas = {tool.name: tool.parameters for tool in scenario.tools}
    offered = {tool.name for tool in scenario.tools if tool.enabled}
    for turn in scenario.conversation:
        offered = set(turn.tools) if turn.tools is not None else offered
        there = {name: schema for name, schema in schemas.items() if name in offered}
        for call in (call for reply in turn.model for call in reply.calls):
            scripted = Call(call.name, call.arguments, call.arguments_text)
            fault = "undeclared-call" if call.numbered else fault_of_call(scripted, there)
            if fault is not None:
                yield fault


def signed_thinking(scenario: Scenario) -> Iterator[ThinkingSpec]:
    """The reasoning in the history of which it is said who signed it."""
    for message in scenario.history:
        if message.assistant and not isinstance(message.assistant, str):
            thinking = message.assistant.thinking
            if isinstance(thinking, ThinkingSpec):
                yield thinking


def features_used(scenario: Scenario) -> frozenset[Feature]:
    """The features that the scenario's replies need."""
    replies = [reply for turn in scenario.conversation for reply in turn.model]
    features = {feature for reply in replies for feature in features_of_reply(reply)}
    features |= set(features_of_sources(((name, None) for name in scenario.server_tools), ()))
    # Whether two calls have one id: in one reply, or the second in a later one.
    sent = (
        reply
        for reply in replies
        for _ in range(2 if reply.times > 1 or reply.forever or reply.until is not None else 1)
    )
    given = [call.id for reply in sent for call in reply.calls if call.id is not None]
    return frozenset(features | {"call-id-twice"} if len(set(given)) < len(given) else features)


def features_of_reply(reply: ReplySpec) -> Iterator[Feature]:
    """What a wire must be able to express for this reply."""
    if reply.thinking:
        yield "thinking"
    yield from features_of_ending(reply.finish, has_text=bool(reply.text), has_calls=bool(reply.calls))
    fault = fault_of(reply)
    if fault is not None:
        yield from features_of(fault)
    yield from features_of_quirks(reply.quirks)
    tools = ((call.name, call.server) for call in reply.server_calls)
    yield from features_of_sources(tools, (source.url is None for source in reply.sources))
    for call in reply.calls:
        if "id" in call.given:
            yield "call-id-null" if call.id is None else "call-id-verbatim"
        if call.arguments_text is not None:
            try:
                value = read_json(call.arguments_text, strict=True)
            except ValueError:
                yield "arguments-not-json"
            else:
                if not isinstance(value, dict):
                    yield "arguments-not-object"
