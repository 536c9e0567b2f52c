"""Tools that a search finds: one that the client runs, and OpenAI's own."""

import json
from typing import Any

from openai import OpenAI

from fake_providers import Call, Reply, serve

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"type": "function", "name": "get_weather", "description": "Weather.", "parameters": PARAMETERS}
GROUP = {
    "type": "namespace",
    "name": "mcp__suite",
    "description": "Tools.",
    "tools": [{**WEATHER, "defer_loading": True}],
}
SEARCH = {
    "type": "tool_search",
    "execution": "client",
    "description": "Finds tools.",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
}
ASKED: list[Any] = [{"role": "user", "content": "Rain?"}]


def asked(replies: list[Reply], stream: bool = False, **fields: Any) -> tuple[Any, Any]:
    with (
        serve("openai", replies, wire="openai-responses") as fake,
        OpenAI(base_url=fake.base_url, api_key="k") as client,
    ):
        made = client.responses.create(model="gpt-5.5", stream=stream, **fields)
        response = [*made][-1].response if stream else made
    assert fake.violations == []
    return response.output, fake.views[-1]


def test_search_of_the_client_is_called_as_its_own_item() -> None:
    for stream in (False, True):
        ((call,), view) = asked(
            [Reply(calls=(Call("tool_search", {"query": "rain"}),))], stream, input=ASKED, tools=[SEARCH]
        )

        assert (call.type, call.execution, call.arguments) == ("tool_search_call", "client", {"query": "rain"})
        assert call.call_id.startswith("call_")
        assert [tool.name for tool in view.tools] == ["tool_search"]


def test_tools_that_the_client_found_are_offered_and_called_in_their_namespace() -> None:
    members = {"call_id": "call_1", "execution": "client", "status": "completed"}
    found = [
        *ASKED,
        {"type": "tool_search_call", **members, "arguments": {"query": "rain"}},
        {"type": "tool_search_output", **members, "tools": [GROUP]},
        {"type": "tool_search_call", **members, "call_id": "call_2", "arguments": {"query": "rain"}},
        {"type": "tool_search_output", **members, "call_id": "call_2", "tools": [GROUP]},
    ]

    ((call,), view) = asked([Reply(calls=(Call("get_weather", {"city": "Oslo"}),))], input=found, tools=[SEARCH])

    assert (call.type, call.namespace, call.name) == ("function_call", "mcp__suite", "get_weather")
    assert [tool.name for tool in view.tools] == ["tool_search", "get_weather"]
    assert [one.name for message in view.messages for one in message.calls] == ["tool_search", "tool_search"]
    assert [one.text for message in view.messages for one in message.results] == ["get_weather", "get_weather"]


def test_deferred_tool_is_found_by_the_provider_before_it_is_called() -> None:
    tools: list[Any] = [{"type": "tool_search"}, GROUP]
    reply = Reply(calls=(Call("get_weather", {"city": "Oslo"}),))

    (output, _) = asked([reply], input=ASKED, tools=tools)

    assert [item.type for item in output] == ["tool_search_call", "tool_search_output", "function_call"]
    assert (output[0].execution, output[0].call_id, output[1].tools[0].name) == ("server", None, "mcp__suite")

    kept = [*ASKED, *(json.loads(item.model_dump_json(exclude_none=True)) for item in output)]
    kept += [{"type": "function_call_output", "call_id": output[2].call_id, "output": "7"}]
    (again, view) = asked([reply], input=kept, tools=tools)

    assert [item.type for item in again] == ["function_call"]
    assert [tool.name for tool in view.tools] == ["get_weather"]
