"""Tools over MCP's streamable HTTP, on loopback. Knows sockets and the SDK's session manager; not what tools do.

Only uvicorn's HTTP/1.1 protocol is used: its server takes 0.1 s of every case to stop.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.config import Config
from uvicorn.server import ServerState

from agent_conformance.adapter.background import Background
from agent_conformance.adapter.mcp.server import tool_server
from agent_conformance.adapter.types import Tool

LOCAL = TransportSecuritySettings(
    enable_dns_rebinding_protection=True,
    allowed_hosts=["127.0.0.1:*", "localhost:*"],
    allowed_origins=["http://127.0.0.1:*", "http://localhost:*", "https://127.0.0.1:*", "https://localhost:*"],
)


class ToolsOverHttp(Background):
    """Serves these tools at `url` until `close`."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        super().__init__(lambda: _serving(tools), name="mcp-http")

    @property
    def url(self) -> str:
        """`http://127.0.0.1:<free port>/<token>/mcp`: other paths are refused."""
        return self.address


def serve_http(tools: Sequence[Tool]) -> ToolsOverHttp:
    """Serve tools over streamable HTTP. A context manager; without `with`, call `close`."""
    return ToolsOverHttp(tools)


@asynccontextmanager
async def _serving(tools: Sequence[Tool]) -> AsyncIterator[str]:
    manager = StreamableHTTPSessionManager(tool_server(tools), security_settings=LOCAL)
    path = f"/{secrets.token_urlsafe(8)}/mcp"

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].rstrip("/") == path:
            await manager.handle_request(scope, receive, send)
        else:
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    connections: set[Any] = set()
    async with manager.run():
        loop = asyncio.get_running_loop()
        server = await loop.create_server(_protocols(app, connections), "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{path}"
        finally:
            server.close()
            for connection in list(connections):
                connection.transport.abort()


def _protocols(app: Any, connections: set[Any]) -> Any:
    config = Config(app, http="httptools", ws="none", lifespan="off", log_config=None, access_log=False, workers=1)
    config.load()
    state = ServerState()
    state.connections = connections
    protocol: Any = config.http_protocol_class
    loop = asyncio.get_running_loop()
    return lambda: protocol(config=config, server_state=state, app_state={}, _loop=loop)
