"""Who may run what: the user of the case answers about its tools, by the names under which they are served.

Knows the adapter's types; no protocol and no program.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from agent_conformance import Setup, Tool, ToolCall
from agent_conformance.agents.acp.connection import Permission


def permissions_of(setup: Setup, names: Mapping[str, str]) -> Mapping[str, Permission]:
    """By the served name of each tool of the case: what asks the user, who allows a tool that needs no approval."""
    return {names[tool.name]: partial(_allowed, setup, tool) for tool in setup.tools}


async def _allowed(setup: Setup, tool: Tool, id: str, given: Any) -> bool:
    return tool.approval is None or await setup.aapprove(ToolCall(id, tool.name, _arguments(tool, given)))


def _arguments(tool: Tool, given: Any) -> Mapping[str, Any] | None:
    """The input of a request for permission, if it is the arguments: programs are free in what they put there."""
    known = tool.parameters.get("properties") or {}
    return given if isinstance(given, dict) and given and given.keys() <= known.keys() else None
