"""The `Setup` of an agent, from its scenario. Knows no transport."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from agent_conformance.adapter.types import Fallback, Limits, Message, NamedTool, Setup, Tool, ToolCall, ToolChoice
from agent_conformance.record.bounds import DEFAULT_REQUEST_LIMIT
from agent_conformance.run.agent.approvals import Approver
from agent_conformance.run.agent.copies import copied
from agent_conformance.run.agent.drawn_parts import made, made_result
from agent_conformance.scenario.base_model import PartSpec
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.derived.targets import Target, first_target
from agent_conformance.scenario.model import (
    AssistantMessage,
    CallSpec,
    HistoryMessage,
    NamedToolSpec,
    ThinkingSpec,
    ToolMessage,
)
from fake_providers.ids import Ids
from fake_providers.provider_facts import own_provider
from fake_providers.registry import wire_named
from fake_providers.wire import SignsReasoning

API_KEY = "conformance-key"


def setup_of(
    case: Case,
    *,
    base_url: str,
    tools: tuple[Tool, ...],
    state_dir: Path,
    restarted: bool,
    observe: Callable[[Any], None],
    approver: Approver,
    target: Target | None = None,
    fallback: Fallback | None = None,
) -> Setup:
    """The setup of one instance; after a restart or a change of the model without a history.

    `target` is whom the agent is to ask, if not the target of the first turn. `observe` is for scenarios with an
    observer.
    """
    scenario = case.scenario
    limits = scenario.limits
    target = target or first_target(scenario, case.wire, case.provider)
    return Setup(
        wire=target.wire,
        provider=target.provider,
        base_url=base_url,
        api_key=API_KEY,
        model=target.model,
        stream=case.mode == "stream",
        system=scenario.system,
        tools=tools,
        history=() if restarted else history_of(scenario.history, case.wire),
        limits=Limits(
            requests=limits.requests or DEFAULT_REQUEST_LIMIT,
            context_tokens=limits.context_tokens,
            seconds=limits.seconds,
        ),
        state_dir=state_dir,
        server_tools=tuple(scenario.server_tools),
        output_schema=copied(scenario.output_schema),
        tool_choice=_choice(scenario.tool_choice),
        fallback=fallback,
        observe=observe if any(turn.observer for turn in scenario.conversation) else None,
        approve=approver.approve,
        aapprove=approver.aapprove,
    )


def _choice(choice: str | NamedToolSpec | None) -> ToolChoice | None:
    return NamedTool(choice.tool) if isinstance(choice, NamedToolSpec) else cast("ToolChoice | None", choice)


# The history of a scenario in the adapter's types.

FOREIGN = {
    "anthropic-messages": "openai-responses",
    "openai-responses": "anthropic-messages",
    "gemini-generate": "anthropic-messages",
    "bedrock-converse": "openai-responses",
}
"""For each wire whose provider signs reasoning, another one, whose signatures it refuses."""


def history_of(messages: list[HistoryMessage], wire: str) -> tuple[Message, ...]:
    """The history for a case on this wire; the name of a result is filled in from its call."""
    return tuple(_messages(messages, wire))


def _messages(messages: list[HistoryMessage], wire: str) -> Iterator[Message]:
    names: dict[str | None, str] = {}
    for place, message in enumerate(messages):
        seed = f"history {place}"
        if message.user is not None:
            yield _user(message.user, seed=seed)
        elif message.system is not None:
            yield Message("system", message.system)
        elif message.tool is not None:
            yield _result(message.tool, message.tool.name or names.get(message.tool.id), seed=seed)
        else:
            given = message.assistant
            assistant = AssistantMessage(text=given) if isinstance(given, str) else given or AssistantMessage()
            names |= {call.id: call.name for call in assistant.calls}
            yield _assistant(assistant, wire, seed=seed)


def _assistant(message: AssistantMessage, wire: str, *, seed: str) -> Message:
    calls = tuple(_call(call) for call in message.calls)
    if not isinstance(thinking := message.thinking, ThinkingSpec):
        return Message("assistant", message.text, thinking, calls)
    signature, signed_by = _signature(thinking, wire, seed=seed)
    return Message("assistant", message.text, thinking.text, calls, signature=signature, signed_by=signed_by)


def _signature(thinking: ThinkingSpec, wire: str, *, seed: str) -> tuple[str | None, str | None]:
    """The signature and the provider that issued it."""
    if thinking.signature == "absent":
        return None, None
    signing = wire if thinking.signature == "own" else FOREIGN[wire]
    provider = wire_named(signing)
    assert isinstance(provider, SignsReasoning)
    return provider.sign(thinking.text, Ids(seed)), own_provider(signing)


def _user(said: str | list[PartSpec], *, seed: str) -> Message:
    if isinstance(said, str):
        return Message("user", said)
    parts = made(said, seed=seed)
    return Message("user", Tool.text(parts), parts=tuple(parts))


def _result(message: ToolMessage, name: str | None, *, seed: str) -> Message:
    value = made_result(message.result, seed=seed)
    parts = () if value is message.result else tuple(value)
    return Message("tool", Tool.text(value), tool_call_id=message.id, name=name, is_error=message.error, parts=parts)


def _call(call: CallSpec) -> ToolCall:
    arguments: Any = None if call.arguments_text is not None else copied(call.arguments or {})
    return ToolCall(call.id, call.name, arguments, call.arguments_text)
