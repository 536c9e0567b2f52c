"""Tools over MCP's streamable HTTP, or its older server-sent events, on loopback. Knows sockets and the SDK's
transports; not what tools do.

Only uvicorn's HTTP/1.1 protocol is used: its server takes 0.1 s of every case to stop.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any

from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.config import Config
from uvicorn.server import ServerState

from agent_conformance.adapter.background import Background
from agent_conformance.adapter.mcp.server import tool_server
from agent_conformance.adapter.tool_servers import ToolServer
from agent_conformance.adapter.types import Tool

LOCAL = TransportSecuritySettings(
    enable_dns_rebinding_protection=True,
    allowed_hosts=["127.0.0.1:*", "localhost:*"],
    allowed_origins=["http://127.0.0.1:*", "http://localhost:*", "https://127.0.0.1:*", "https://localhost:*"],
)


ENDING = 1.0
"""Seconds for what is being answered to end."""
Answer = Callable[[Any, Any, Any], Awaitable[None]]


class ToolsOverHttp(Background):
    """Serves these tools at `url` until `close`; as server-sent events, if `with_sse`."""

    def __init__(self, tools: Sequence[Tool], *, with_sse: bool = False) -> None:
        self.noted = ToolServer()
        served = _over_sse if with_sse else _streamable
        super().__init__(lambda: served(tools, self.noted), name="mcp-http")

    @property
    def url(self) -> str:
        """`http://127.0.0.1:<free port>/<token>/mcp`: other paths are refused."""
        return self.address


def serve_http(tools: Sequence[Tool]) -> ToolsOverHttp:
    """Serve tools over streamable HTTP. A context manager; without `with`, call `close`."""
    return ToolsOverHttp(tools)


def serve_sse(tools: Sequence[Tool]) -> ToolsOverHttp:
    """Serve tools over HTTP with server-sent events, as before streamable HTTP. A context manager; or call `close`."""
    return ToolsOverHttp(tools, with_sse=True)


def _streamable(tools: Sequence[Tool], noted: ToolServer) -> AbstractAsyncContextManager[str]:
    manager = StreamableHTTPSessionManager(tool_server(tools, noted), security_settings=LOCAL)
    path = f"/{secrets.token_urlsafe(8)}/mcp"
    return _serving({path: manager.handle_request}, manager.run())


def _over_sse(tools: Sequence[Tool], noted: ToolServer) -> AbstractAsyncContextManager[str]:
    token = secrets.token_urlsafe(8)
    path, messages = f"/{token}/mcp", f"/{token}/messages"
    transport = SseServerTransport(messages, security_settings=LOCAL)

    async def session(scope: Any, receive: Any, send: Any) -> None:
        server = tool_server(tools, noted)
        async with transport.connect_sse(scope, receive, send) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    return _serving({path: session, messages: transport.handle_post_message}, nullcontext())


@asynccontextmanager
async def _serving(answers: dict[str, Answer], running: AbstractAsyncContextManager[None]) -> AsyncIterator[str]:
    """Serve each of these paths; the address is that of the first."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        answer = answers.get(scope["path"].rstrip("/"))
        if answer is not None:
            await answer(scope, receive, send)
        else:
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    state, connections = ServerState(), set[Any]()
    state.connections = connections
    async with running:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(_protocols(app, state), "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{next(iter(answers))}"
        finally:
            server.close()
            for connection in list(connections):
                connection.transport.abort()
            if running_tasks := [*state.tasks]:  # a stream of events ends when it sees that its client is gone
                await asyncio.wait(running_tasks, timeout=ENDING)


def _protocols(app: Any, state: ServerState) -> Any:
    config = Config(app, http="httptools", ws="none", lifespan="off", log_config=None, access_log=False, workers=1)
    config.load()
    protocol: Any = config.http_protocol_class
    loop = asyncio.get_running_loop()
    return lambda: protocol(config=config, server_state=state, app_state={}, _loop=loop)
