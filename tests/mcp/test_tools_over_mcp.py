"""The scenario's tools over each transport, with the SDK's own client, in the old and the new way of connecting."""

import asyncio
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.sse import sse_client
from mcp_types import ImageContent, TextContent

from agent_conformance.adapter.mcp import serve_http, serve_sse, serve_stdio
from agent_conformance.scenario.model import ToolSpec
from tests.mcp.mcp_kit import PARTS, WEATHER, bench, called, in_parts, server_parameters, text_of
from tests.patience import PATIENCE

TRANSPORTS = pytest.mark.parametrize("transport", ["http", "sse", "stdio"])


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@TRANSPORTS
def test_tools_are_listed_with_their_schemas_untouched(transport: str, mode: str) -> None:
    async def use(client: Client) -> Any:
        return (await client.list_tools()).tools

    (tool,) = called(transport, bench().tools, use, mode=mode)

    assert (tool.name, tool.description) == (WEATHER.name, WEATHER.description)
    assert tool.input_schema == WEATHER.parameters


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@TRANSPORTS
def test_a_call_is_an_execution_that_the_suite_sees(transport: str, mode: str) -> None:
    made = bench()

    result = called(transport, made.tools, lambda client: client.call_tool("get_weather", {"city": "Oslo"}), mode=mode)

    assert text_of(result) == "7 degrees and rain"
    assert not result.is_error
    assert made.turn.record is not None
    (attempt,) = made.turn.record.executions
    assert (attempt.tool, attempt.arguments) == ("get_weather", {"city": "Oslo"})


@TRANSPORTS
def test_arguments_that_the_schema_refuses_are_an_attempt_and_an_error(transport: str) -> None:
    made = bench()

    result = called(transport, made.tools, lambda client: client.call_tool("get_weather", {"town": "Oslo"}))

    assert result.is_error
    assert text_of(result).startswith("Error: get_weather was not run: ")
    assert made.turn.record is not None
    assert [(attempt.accepted, attempt.arguments) for attempt in made.turn.record.attempts] == [
        (False, {"town": "Oslo"})
    ]


@TRANSPORTS
def test_a_tool_that_fails_is_an_error_result(transport: str) -> None:
    made = bench(WEATHER.changed({"raises": "The station is down."}))

    result = called(transport, made.tools, lambda client: client.call_tool("get_weather", {"city": "Oslo"}))

    assert result.is_error
    assert text_of(result) == "The station is down."


@TRANSPORTS
def test_an_unknown_tool_is_a_protocol_error(transport: str) -> None:
    made = bench()

    async def use(client: Client) -> None:
        with pytest.raises(MCPError, match="Unknown tool: get_wether"):
            await client.call_tool("get_wether", {})

    called(transport, made.tools, use)

    assert made.turn.record is not None
    assert not made.turn.record.attempts


@TRANSPORTS
def test_values_other_than_texts_are_json_texts(transport: str) -> None:
    made = bench(WEATHER.changed({"returns": {"degrees": 7, "sky": "grå"}}))

    result = called(transport, made.tools, lambda client: client.call_tool("get_weather", {"city": "Oslo"}))

    assert text_of(result) == '{"degrees": 7, "sky": "grå"}'
    assert result.structured_content is None


@TRANSPORTS
@pytest.mark.parametrize("said", ["7 degrees", ""])
def test_structured_data_stand_beside_their_text_under_a_schema_of_their_own(transport: str, said: str) -> None:
    schema = {"type": "object", "properties": {"degrees": {"type": "integer"}}, "required": ["degrees"]}
    made = bench(WEATHER.changed({"returns": said, "structured": {"degrees": 7}, "output_schema": schema}))

    async def use(client: Client) -> Any:
        return (await client.list_tools()).tools, await client.call_tool("get_weather", {"city": "Oslo"})

    (tool,), result = called(transport, made.tools, use)

    assert tool.output_schema == schema
    assert result.structured_content == {"degrees": 7}
    assert [block.text for block in result.content] == ([said] if said else [])


@TRANSPORTS
def test_parts_are_content_blocks(transport: str) -> None:
    result = called(transport, [in_parts()], lambda client: client.call_tool("get_map", {}))

    said, shown = result.content
    assert isinstance(said, TextContent)
    assert said.text == PARTS[0].text
    assert isinstance(shown, ImageContent)
    assert (shown.mime_type, shown.data) == (PARTS[1].media_type, PARTS[1].data)


@TRANSPORTS
def test_parallel_calls_run_at_the_same_time(transport: str) -> None:
    """Each of them waits until all have started: one after the other they would never end."""
    started: list[int] = []
    everybody = asyncio.Event()
    specs = [ToolSpec(name=f"tool_{number}", description="One.", returns=str(number)) for number in range(3)]
    tools = bench(*specs).tools
    for tool in tools:

        async def waits(arguments: Any, run: Any = tool.acall) -> Any:
            started.append(1)
            if len(started) == len(specs):
                everybody.set()
            await asyncio.wait_for(everybody.wait(), PATIENCE)
            return await run(arguments)

        tool.acall = waits  # type: ignore[method-assign]

    async def use(client: Client) -> Any:
        return await asyncio.gather(*(client.call_tool(spec.name, {}) for spec in specs))

    assert [text_of(result) for result in called(transport, tools, use)] == ["0", "1", "2"]


@TRANSPORTS
def test_what_is_enabled_is_read_at_each_request(transport: str) -> None:
    made = bench(WEATHER, WEATHER.changed({"name": "get_tide", "enabled": False}))

    async def use(client: Client) -> Any:
        before = [tool.name for tool in (await client.list_tools()).tools]
        refused = await client.call_tool("get_tide", {"city": "Oslo"})
        made.turn.enabled = {"get_tide"}
        after = [tool.name for tool in (await client.list_tools()).tools]
        return before, refused, after, await client.call_tool("get_tide", {"city": "Oslo"})

    before, refused, after, answered = called(transport, made.tools, use)

    assert (before, after) == (["get_weather"], ["get_tide"])
    assert refused.is_error
    assert text_of(refused) == "Error: the tool get_tide is not available now."
    assert text_of(answered) == "7 degrees and rain"
    assert made.turn.record is not None
    assert [attempt.enabled for attempt in made.turn.record.attempts] == [False, True]


@TRANSPORTS
def test_two_cases_at_once_do_not_mix(transport: str) -> None:
    rain, sun = bench(), bench(WEATHER.changed({"returns": "sun"}))
    serve: Any = {"http": serve_http, "sse": serve_sse, "stdio": serve_stdio}[transport]

    async def use(served: Any, city: str) -> str:
        target: Any = served.url if transport == "http" else None
        target = target or (sse_client(served.url) if transport == "sse" else server_parameters(served))
        async with Client(target) as client:
            return text_of(await client.call_tool("get_weather", {"city": city}))

    async def both(one: Any, other: Any) -> list[str]:
        return await asyncio.gather(use(one, "Oslo"), use(other, "Rome"))

    with serve(rain.tools) as one, serve(sun.tools) as other:
        assert asyncio.run(both(one, other)) == ["7 degrees and rain", "sun"]

    for made, city in ((rain, "Oslo"), (sun, "Rome")):
        assert made.turn.record is not None
        assert [attempt.arguments for attempt in made.turn.record.attempts] == [{"city": city}]


def test_tools_are_said_to_be_destructive_only_where_the_user_has_to_allow_one() -> None:
    asking = WEATHER.changed({"name": "delete_file", "approval": "ask"})

    hinted = called("http", bench(WEATHER, asking).tools, lambda client: client.list_tools()).tools
    plain = called("http", bench(WEATHER).tools, lambda client: client.list_tools()).tools

    assert [(tool.annotations.read_only_hint, tool.annotations.destructive_hint) for tool in hinted] == [
        (True, False),
        (False, True),
    ]
    assert [tool.annotations for tool in plain] == [None]
