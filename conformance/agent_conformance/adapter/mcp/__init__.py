"""The scenario's tools over MCP, for agents that take tools only from an MCP server.

`serve_http(tools)` and `serve_stdio(tools)` are context managers with a `url` or a `command` for the agent. Calls are
recorded because these are the tools that every agent gets.
"""

import importlib.util

from agent_conformance.machine.installation import install_command

if importlib.util.find_spec("mcp") is None:
    raise ImportError(f"tools over MCP need the official SDK: {install_command('mcp')}", name="mcp")

from agent_conformance.adapter.mcp.transports import (
    ToolsOverHttp,
    ToolsOverStdio,
    serve_http,
    serve_sse,
    serve_stdio,
    stdio_command,
)

__all__ = ["ToolsOverHttp", "ToolsOverStdio", "serve_http", "serve_sse", "serve_stdio", "stdio_command"]
