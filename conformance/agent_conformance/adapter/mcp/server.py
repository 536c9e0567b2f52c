"""Tools as an MCP server of the official SDK."""

from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.lowlevel import Server

from agent_conformance.adapter.tool_servers import ToolServer
from agent_conformance.adapter.types import Part, Tool, ToolError

NAME = "conformance"
REFUSED = "Error:"
"""The beginning of what a `Tool` returns if it did not run."""


def tool_server(tools: Sequence[Tool], noted: ToolServer) -> Server[Any]:
    """A server that lists the enabled tools with unchanged schemas, and runs them.

    It is the SDK's low-level server, which does not check arguments: every call reaches the tool and is recorded. A
    disabled tool is not listed, and itself refuses a call.
    """
    by_name = {tool.name: tool for tool in tools}
    are_hinted = any(tool.approval for tool in tools)

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        noted.listed()
        return types.ListToolsResult(tools=[declaration(tool, is_hinted=are_hinted) for tool in tools if tool.enabled])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = by_name.get(params.name)
        if tool is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {params.name}")
        try:
            return result(await tool.acontent(params.arguments or {}))
        except ToolError as error:
            return types.CallToolResult(content=[text(str(error))], is_error=True)

    return Server(NAME, version="1", on_list_tools=list_tools, on_call_tool=call_tool)


def declaration(tool: Tool, *, is_hinted: bool = False) -> types.Tool:
    """`is_hinted`: says whether it is destructive, by which agents decide whom to ask before they run it."""
    asks = tool.approval is not None
    hints = types.ToolAnnotations(read_only_hint=not asks, destructive_hint=asks) if is_hinted else None
    return types.Tool(
        name=tool.name, description=tool.description, input_schema=dict(tool.parameters), annotations=hints
    )


def result(value: Any) -> types.CallToolResult:
    """The tool's value as content, never as structured content, which some agents would show instead."""
    if isinstance(value, list) and value and all(isinstance(part, Part) for part in value):
        return types.CallToolResult(content=[block(part) for part in value])
    refused = isinstance(value, str) and value.startswith(REFUSED)
    return types.CallToolResult(content=[text(Tool.text(value))], is_error=refused)


def block(part: Part) -> types.TextContent | types.ImageContent:
    if part.type == "image":
        return types.ImageContent(type="image", data=part.data, mime_type=part.media_type)
    return text(part.text)


def text(value: str) -> types.TextContent:
    """Half a character, which no message of the protocol can have, becomes a question mark."""
    return types.TextContent(type="text", text=value.encode(errors="replace").decode())
