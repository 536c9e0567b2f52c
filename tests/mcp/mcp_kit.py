"""Tools on a bench, served over either transport and called with the SDK's own client."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client

from agent_conformance.adapter.mcp import ToolsOverStdio, serve_http, serve_sse, serve_stdio
from agent_conformance.adapter.types import Part, Tool
from agent_conformance.run.agent.toolbox import Toolbox
from agent_conformance.scenario.model import ToolSpec, Turn
from agent_conformance.transcripts.transcript import TurnRecord

WEATHER = ToolSpec(
    name="get_weather",
    description="Current weather for a city.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string", "minLength": 2, "x-odd": [1, {"$ref": "#/nowhere"}]}},
        "required": ["city"],
        "additionalProperties": False,
    },
    returns="7 degrees and rain",
)
PARTS = Part("text", "A map:"), Part("image", media_type="image/png", data="aGVsbG8=")


def bench(*specs: ToolSpec) -> Toolbox:
    """The tools of a case in which turn 1 is running, as `Setup.tools` has them."""
    made = Toolbox(list(specs or (WEATHER,)))
    made.turn.begin(TurnRecord(1, Turn(user="Hello.")), cancel=Future, steer=lambda _: Future())
    return made


def in_parts() -> Tool:
    """A tool that returns a text and an image."""

    async def arun(arguments: Any) -> Any:
        return list(PARTS)

    return Tool("get_map", "A map.", {"type": "object", "properties": {}}, run=lambda arguments: list(PARTS), arun=arun)


def server_parameters(served: ToolsOverStdio) -> StdioServerParameters:
    return StdioServerParameters(command=served.command[0], args=served.command[1:])


def called(
    transport: str, tools: Sequence[Tool], use: Callable[[Client], Awaitable[Any]], *, mode: str = "auto"
) -> Any:
    """What `use` gives of a client that is connected to these tools; `mode` is the client's way of connecting."""

    async def connected(target: Any) -> Any:
        async with Client(target, mode=mode) as client:
            return await use(client)

    if transport == "http":
        with serve_http(tools) as over_http:
            return asyncio.run(connected(over_http.url))
    if transport == "sse":
        with serve_sse(tools) as over_sse:
            return asyncio.run(connected(sse_client(over_sse.url)))
    with serve_stdio(tools) as over_stdio:
        return asyncio.run(connected(server_parameters(over_stdio)))


def text_of(result: Any) -> str:
    (content,) = result.content
    return str(content.text)
