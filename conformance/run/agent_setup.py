"""The `Setup` of an agent, from its scenario. Knows no transport."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.adapter.types import Limits, Message, Setup, Tool, ToolCall
from conformance.record.bounds import DEFAULT_REQUEST_LIMIT
from conformance.run.approvals import Approver
from conformance.run.parts import made, made_result
from conformance.scenario.cases import Case
from conformance.scenario.model import AssistantMessage, CallSpec, HistoryMessage, ToolMessage
from conformance.scenario.parts import PartSpec
from fakes.models import default_model, has_own_models

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
) -> Setup:
    """The setup of one instance; after a restart there is no history, only `state_dir`.

    `observe` is for scenarios with an observer.
    """
    scenario = case.scenario
    limits = scenario.limits
    return Setup(
        wire=case.wire,
        provider=case.provider,
        base_url=base_url,
        api_key=API_KEY,
        model=model_of(case),
        stream=case.mode == "stream",
        system=scenario.system,
        tools=tools,
        history=() if restarted else history_of(scenario.history),
        limits=Limits(
            requests=limits.requests or DEFAULT_REQUEST_LIMIT,
            context_tokens=limits.context_tokens,
            seconds=limits.seconds,
        ),
        state_dir=state_dir,
        server_tools=tuple(scenario.server_tools),
        observe=observe if any(turn.observer for turn in scenario.conversation) else None,
        approve=approver.approve,
        aapprove=approver.aapprove,
    )


def model_of(case: Case) -> str:
    """The model that the scenario names for the wire, where the provider serves the models of that wire."""
    if has_own_models(case.wire, case.provider):
        return default_model(case.wire, case.provider)
    named = {str(wire): model for wire, model in case.scenario.model.items()}
    return named.get(case.wire) or default_model(case.wire)


def history_of(messages: list[HistoryMessage]) -> tuple[Message, ...]:
    """The history in the adapter's types; the name of a result is filled in from its call."""
    names: dict[str | None, str] = {}
    history = []
    for place, message in enumerate(messages):
        if message.user is not None:
            history.append(_user(message.user, seed=f"history {place}"))
        elif message.system is not None:
            history.append(Message("system", message.system))
        elif message.tool is not None:
            name = message.tool.name or names.get(message.tool.id)
            history.append(_result(message.tool, name, seed=f"history {place}"))
        else:
            assistant = message.assistant
            message_ = (
                AssistantMessage(text=assistant) if isinstance(assistant, str) else assistant or AssistantMessage()
            )
            names |= {call.id: call.name for call in message_.calls}
            calls = tuple(_call(call) for call in message_.calls)
            history.append(Message("assistant", message_.text, message_.thinking, calls))
    return tuple(history)


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
    arguments: Any = None if call.arguments_text is not None else call.arguments or {}
    return ToolCall(call.id, call.name, arguments, call.arguments_text)
