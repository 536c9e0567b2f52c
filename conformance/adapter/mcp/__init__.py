"""The scenario's tools over MCP, for agents that take tools from an MCP server only.

Knows the adapter's tools and the official `mcp` SDK; nothing of scenarios, fakes or judging: executions are seen
because the tools are the ones that every agent gets.
"""

import importlib.util

if importlib.util.find_spec("mcp") is None:
    raise ImportError("tools over MCP need the official SDK: pip install 'agent-conformance[mcp]'", name="mcp")

from conformance.adapter.mcp.over_http import ToolsOverHttp, serve_http
from conformance.adapter.mcp.over_stdio import ToolsOverStdio, serve_stdio, stdio_command

__all__ = ["ToolsOverHttp", "ToolsOverStdio", "serve_http", "serve_stdio", "stdio_command"]
