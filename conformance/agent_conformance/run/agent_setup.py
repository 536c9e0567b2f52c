"""The `Setup` of an agent, from its scenario. Knows no transport."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from agent_conformance.adapter.types import Fallback, Limits, NamedTool, Setup, Tool, ToolChoice
from agent_conformance.record.bounds import DEFAULT_REQUEST_LIMIT
from agent_conformance.run.approvals import Approver
from agent_conformance.run.copies import copied
from agent_conformance.run.restored_history import history_of
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.model import NamedToolSpec
from agent_conformance.scenario.targets import Target, first_target

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
