"""The MCP server of a case's tools, over standard input and output, streamable HTTP, and its older server-sent events.

For standard input and output the agent starts `bridge.py`; the SDK's server runs here, in the suite. Over HTTP only
uvicorn's HTTP/1.1 protocol is used: its server takes 0.1 s of every case to stop.
"""

import asyncio
import contextlib
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware
from uvicorn.config import Config
from uvicorn.server import ServerState

from agent_conformance.adapter.background import Background, connections_to
from agent_conformance.adapter.tool_servers import ToolServer
from agent_conformance.adapter.types import Part, StructuredResult, Tool, ToolError

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
            noted.unknown(params.name, params.arguments or {})
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
        name=tool.name,
        description=tool.description,
        input_schema=dict(tool.parameters),
        output_schema=None if tool.output_schema is None else dict(tool.output_schema),
        annotations=hints,
    )


def result(value: Any) -> types.CallToolResult:
    """The tool's value as content. Only what a tool has beside its text is structured content: some agents would show
    that instead.
    """
    if isinstance(value, StructuredResult):
        said = [text(value.said)] if value.said else []
        return types.CallToolResult(content=[*said], structured_content=dict(value.structured))
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


LOCAL = TransportSecuritySettings(
    enable_dns_rebinding_protection=True,
    allowed_hosts=["127.0.0.1:*", "localhost:*"],
    allowed_origins=["http://127.0.0.1:*", "http://localhost:*", "https://127.0.0.1:*", "https://localhost:*"],
)
PAGES = r"https?://(127\.0\.0\.1|localhost):\d+"
"""The same origins: their pages may ask, and read the answer and its headers, such as the session."""


ENDING = 1.0
"""Seconds for what is being answered to end."""
Answer = Callable[[Any, Any, Any], Awaitable[None]]


class ToolsOverHttp(Background):
    """Serves these tools at `url` until `close`; as server-sent events, if `with_sse`.

    `port` 0 is any free one; `path` is that of the URL, by default one that nobody can guess; `noted` hears what
    clients ask. Raises `OSError` for a port that is not available.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        *,
        with_sse: bool = False,
        port: int = 0,
        path: str = "",
        noted: ToolServer | None = None,
    ) -> None:
        self.noted = noted or ToolServer()
        way = Way(port, path or f"/{secrets.token_urlsafe(8)}/mcp")
        served = _over_sse if with_sse else _streamable
        super().__init__(lambda: served(tools, self.noted, way), name="mcp-http")

    @property
    def url(self) -> str:
        """`http://127.0.0.1:<port>/<token>/mcp`, or with another path: all others are refused."""
        return self.address


@dataclass(frozen=True, slots=True)
class Way:
    port: int
    path: str


def serve_http(
    tools: Sequence[Tool], *, port: int = 0, path: str = "", noted: ToolServer | None = None
) -> ToolsOverHttp:
    """Serve tools over streamable HTTP. A context manager; without `with`, call `close`."""
    return ToolsOverHttp(tools, port=port, path=path, noted=noted)


def serve_sse(tools: Sequence[Tool]) -> ToolsOverHttp:
    """Serve tools over HTTP with server-sent events, as before streamable HTTP. A context manager; or call `close`."""
    return ToolsOverHttp(tools, with_sse=True)


def _streamable(tools: Sequence[Tool], noted: ToolServer, way: Way) -> AbstractAsyncContextManager[str]:
    manager = StreamableHTTPSessionManager(tool_server(tools, noted), security_settings=LOCAL)
    return _serving({way.path: manager.handle_request}, manager.run(), way.port)


def _over_sse(tools: Sequence[Tool], noted: ToolServer, way: Way) -> AbstractAsyncContextManager[str]:
    messages = f"{way.path.rpartition('/')[0]}/messages"
    transport = SseServerTransport(messages, security_settings=LOCAL)

    async def session(scope: Any, receive: Any, send: Any) -> None:
        server = tool_server(tools, noted)
        async with transport.connect_sse(scope, receive, send) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    return _serving({way.path: session, messages: transport.handle_post_message}, nullcontext(), way.port)


@asynccontextmanager
async def _serving(
    answers: dict[str, Answer], running: AbstractAsyncContextManager[None], port: int
) -> AsyncIterator[str]:
    """Serve each of these paths; the address is that of the first."""

    async def paths(scope: Any, receive: Any, send: Any) -> None:
        answer = answers.get(scope["path"].rstrip("/"))
        if answer is not None:
            await answer(scope, receive, send)
        else:
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    app = CORSMiddleware(
        paths, allow_origin_regex=PAGES, allow_methods=["*"], allow_headers=["*"], expose_headers=["*"]
    )
    state, connections = ServerState(), set[Any]()
    state.connections = connections
    loop = asyncio.get_running_loop()
    # The port is taken before anything runs, so that one that is in use is no failure of a group of tasks.
    server = await loop.create_server(_protocols(app, state), "127.0.0.1", port, start_serving=False)
    try:
        async with running:
            await server.start_serving()
            try:
                yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{next(iter(answers))}"
            finally:
                server.close()
                for connection in list(connections):
                    connection.transport.abort()
                if running_tasks := [*state.tasks]:  # a stream of events ends when it sees that its client is gone
                    await asyncio.wait(running_tasks, timeout=ENDING)
    finally:
        server.close()


def _protocols(app: Any, state: ServerState) -> Any:
    config = Config(app, http="httptools", ws="none", lifespan="off", log_config=None, access_log=False, workers=1)
    config.load()
    protocol: Any = config.http_protocol_class
    loop = asyncio.get_running_loop()
    return lambda: protocol(config=config, server_state=state, app_state={}, _loop=loop)


BRIDGE = Path(__file__).with_name("bridge.py")
LONGEST_LINE = 64 * 2**20
GREETING = 10.0
"""Seconds in which a connection must send its token."""


class ToolsOverStdio(Background):
    """Serves these tools to every run of `command`, until `close`. Each run is an MCP session of its own."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._token = secrets.token_urlsafe(16)
        self.noted = ToolServer()
        super().__init__(lambda: _serving_stdio(tools, self._token, self.noted), name="mcp-stdio")

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


def _serving_stdio(tools: Sequence[Tool], token: str, noted: ToolServer) -> AbstractAsyncContextManager[str]:
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
