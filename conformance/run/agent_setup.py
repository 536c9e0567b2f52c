"""The `Setup` of an agent, from its scenario. Knows no transport."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from conformance.adapter.types import Limits, NamedTool, Setup, Tool, ToolChoice
from conformance.record.bounds import DEFAULT_REQUEST_LIMIT
from conformance.run.approvals import Approver
from conformance.run.restored_history import history_of
from conformance.scenario.cases import Case
from conformance.scenario.model import NamedToolSpec
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
        history=() if restarted else history_of(scenario.history, case.wire),
        limits=Limits(
            requests=limits.requests or DEFAULT_REQUEST_LIMIT,
            context_tokens=limits.context_tokens,
            seconds=limits.seconds,
        ),
        state_dir=state_dir,
        server_tools=tuple(scenario.server_tools),
        output_schema=scenario.output_schema,
        tool_choice=_choice(scenario.tool_choice),
        observe=observe if any(turn.observer for turn in scenario.conversation) else None,
        approve=approver.approve,
        aapprove=approver.aapprove,
    )


def _choice(choice: str | NamedToolSpec | None) -> ToolChoice | None:
    return NamedTool(choice.tool) if isinstance(choice, NamedToolSpec) else cast(ToolChoice | None, choice)


def model_of(case: Case) -> str:
    """The model that the scenario names for the wire, where the provider serves the models of that wire."""
    if has_own_models(case.wire, case.provider):
        return default_model(case.wire, case.provider)
    named = {str(wire): model for wire, model in case.scenario.model.items()}
    return named.get(case.wire) or default_model(case.wire)
