"""The MCP server of a session, over what the program takes."""

from collections.abc import Sequence
from typing import Literal

from acp.schema import HttpMcpServer, McpServerStdio, SseMcpServer

from agent_conformance import Tool
from agent_conformance.adapter.mcp import ToolsOverHttp, ToolsOverStdio, serve_http, serve_sse, serve_stdio
from agent_conformance.attach.acp.connection import McpServer

NAME = "suite"
Transport = Literal["stdio", "http", "sse"]
ToolServer = ToolsOverStdio | ToolsOverHttp


def served(tools: Sequence[Tool], transport: str) -> ToolServer:
    """These tools until `close`."""
    if transport == "stdio":
        return serve_stdio(tools)
    return serve_sse(tools) if transport == "sse" else serve_http(tools)


def declared(tools: ToolServer, transport: str) -> McpServer:
    """What a session is told of them."""
    if isinstance(tools, ToolsOverStdio):
        program, *arguments = tools.command
        return McpServerStdio(name=NAME, command=program, args=arguments, env=[])
    if transport == "sse":
        return SseMcpServer(type="sse", name=NAME, url=tools.url, headers=[])
    return HttpMcpServer(type="http", name=NAME, url=tools.url, headers=[])
