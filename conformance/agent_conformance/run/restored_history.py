"""The history of a scenario in the adapter's types. Knows no transport."""

from collections.abc import Iterator
from typing import Any

from agent_conformance.adapter.types import Message, Tool, ToolCall
from agent_conformance.run.copies import copied
from agent_conformance.run.parts import made, made_result
from agent_conformance.scenario.model import AssistantMessage, CallSpec, HistoryMessage, ThinkingSpec, ToolMessage
from agent_conformance.scenario.parts import PartSpec
from fake_providers.ids import Ids
from fake_providers.provider_facts import own_provider
from fake_providers.registry import wire_named
from fake_providers.wire import SignsReasoning

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
