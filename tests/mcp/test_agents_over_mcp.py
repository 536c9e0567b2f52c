"""An agent that takes its tools from an MCP server only is judged like any other."""

import asyncio
from typing import Any

import pytest
from mcp import Client

from agent_conformance import Setup, Tool
from agent_conformance.adapter.mcp import serve_http, serve_stdio
from tests.agents.plain import PlainAgent
from tests.mcp.mcp_kit import server_parameters
from tests.trying import ONE_CALL, verdicts


class OverMcp(PlainAgent):
    """Its tools come from an MCP server, under a name that begins with the server's, as many agents have it."""

    wires = ("openai-chat",)
    serve: Any = staticmethod(serve_http)

    def __init__(self, setup: Setup) -> None:
        self.server = type(self).serve(setup.tools)
        super().__init__(setup)

    def target(self) -> Any:
        return self.server.url

    def tools(self) -> list[Tool]:
        async def listed(client: Client) -> Any:
            return (await client.list_tools()).tools

        return [
            Tool(f"weather_{tool.name}", tool.description or "", tool.input_schema, run=None, arun=None)  # type: ignore[arg-type]
            for tool in self.use(listed)
        ]

    def run(self, name: str, arguments: Any) -> str:
        result = self.use(lambda client: client.call_tool(name.removeprefix("weather_"), arguments))
        return "".join(content.text for content in result.content)

    def use(self, work: Any) -> Any:
        async def connected() -> Any:
            async with Client(self.target()) as client:
                return await work(client)

        return asyncio.run(connected())

    def close(self) -> None:
        self.server.close()


class OverStdio(OverMcp):
    serve = staticmethod(serve_stdio)

    def target(self) -> Any:
        return server_parameters(self.server)


class AnswersItself(OverMcp):
    """Offers what the server has, and makes up the results."""

    def run(self, name: str, arguments: Any) -> str:
        return "7 degrees and rain"


EXECUTED = ONE_CALL + "    expect:\n      executed: [{get_weather: {city: Oslo}}]\n"


@pytest.mark.parametrize("adapter", [OverMcp, OverStdio])
def test_right_agent_passes_and_its_executions_are_recorded(adapter: Any) -> None:
    (verdict,) = verdicts(adapter, EXECUTED)

    assert (verdict.outcome, verdict.findings, verdict.executions) == ("pass", (), 1)


def test_agent_that_never_calls_the_server_fails() -> None:
    (verdict,) = verdicts(AnswersItself, EXECUTED)

    assert verdict.outcome == "fail"
    assert [finding.id for finding in verdict.findings] == ["own-result"]
    assert verdict.executions == 0
