"""Tools over MCP's standard input and output. The agent starts `bridge.py`; the SDK's server runs here, in the suite.

Knows sockets and the lines of the transport; not what tools do.
"""

import asyncio
import contextlib
import secrets
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from agent_conformance.adapter.background import Background, connections_to
from agent_conformance.adapter.mcp.server import tool_server
from agent_conformance.adapter.tool_servers import ToolServer
from agent_conformance.adapter.types import Tool

BRIDGE = Path(__file__).with_name("bridge.py")
LONGEST_LINE = 64 * 2**20
GREETING = 10.0
"""Seconds in which a connection must send its token."""


class ToolsOverStdio(Background):
    """Serves these tools to every run of `command`, until `close`. Each run is an MCP session of its own."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._token = secrets.token_urlsafe(16)
        self.noted = ToolServer()
        super().__init__(lambda: _serving(tools, self._token, self.noted), name="mcp-stdio")

    @property
    def command(self) -> list[str]:
        """The MCP server that the agent starts: program and arguments. It needs no environment and no package."""
        return [sys.executable, "-I", "-S", str(BRIDGE), self.address, self._token]


def serve_stdio(tools: Sequence[Tool]) -> ToolsOverStdio:
    """Serve tools over stdio. A context manager; without `with`, call `close`."""
    return ToolsOverStdio(tools)


def stdio_command(tools: Sequence[Tool]) -> list[str]:
    """Only the command, for adapters that cannot close: the tools are served until this process ends."""
    return serve_stdio(tools).command


def _serving(tools: Sequence[Tool], token: str, noted: ToolServer) -> AbstractAsyncContextManager[str]:
    async def session(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await _knows(token, reader):
            await _session(tool_server(tools, noted), reader, writer)

    return connections_to(session, limit=LONGEST_LINE)


async def _knows(token: str, reader: asyncio.StreamReader) -> bool:
    with contextlib.suppress(TimeoutError, ValueError):
        line = await asyncio.wait_for(reader.readline(), GREETING)
        return secrets.compare_digest(line.strip(), token.encode())
    return False


async def _session(server: Server[Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    lines: Any = _Lines(reader, writer)
    async with stdio_server(lines, lines) as (receive, send):
        await server.run(receive, send, server.create_initialization_options())


class _Lines:
    """A connection in the form of the files that the SDK's stdio transport takes: lines in, text out."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._reader.readline():
            yield line.decode("utf-8", errors="replace")

    async def write(self, text: str) -> None:
        self._writer.write(text.encode())

    async def flush(self) -> None:
        await self._writer.drain()
