"""Agents that speak the Agent Client Protocol, without an adapter: `--agent="acp:PROGRAM ARGS"`."""

import importlib.util

from agent_conformance.machine.installation import install_command

if any(importlib.util.find_spec(package) is None for package in ("acp", "mcp")):
    raise ImportError(f"agents over ACP need its official SDK: {install_command('acp')}", name="acp")

from agent_conformance.attach.acp.adapter import AcpAgent, acp_adapter
from agent_conformance.attach.acp.command_line import NotACommand
from agent_conformance.attach.acp.connection import AgentEnded, ConnectedProgram, Connection

__all__ = ["AcpAgent", "AgentEnded", "ConnectedProgram", "Connection", "NotACommand", "acp_adapter"]
