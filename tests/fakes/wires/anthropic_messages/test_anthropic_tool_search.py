"""Anthropic's own search for tools whose loading is deferred, as its SDK reads it."""

from typing import Any

import pytest
from anthropic import Anthropic

from fake_providers import Call, Reply, serve

WEATHER = {"name": "get_weather", "description": "Weather.", "input_schema": {"type": "object"}, "defer_loading": True}
ASKED: list[Any] = [{"role": "user", "content": "Rain?"}]
REPLY = Reply(text="I look.", calls=(Call("get_weather", {"city": "Oslo"}),))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("kind", "asked"), [("bm25", {"query": "get_weather"}), ("regex", {"pattern": "get_weather"})])
def test_deferred_tool_is_found_once(kind: str, asked: dict[str, str], stream: bool) -> None:
    name = f"tool_search_tool_{kind}"
    fields: dict[str, Any] = {"model": "claude-sonnet-4-6", "max_tokens": 99}
    fields["tools"] = [{"type": f"{name}_20251119", "name": name}, WEATHER]
    with serve("anthropic", [REPLY, REPLY]) as fake, Anthropic(base_url=fake.base_url, api_key="k") as client:

        def message(messages: list[Any]) -> Any:
            if not stream:
                return client.messages.create(messages=messages, **fields)
            with client.messages.stream(messages=messages, **fields) as events:
                return events.get_final_message()

        first = message(ASKED)
        result = {"type": "tool_result", "tool_use_id": first.content[-1].id, "content": "7"}
        again = message(
            [*ASKED, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
        )

        assert fake.violations == []
    assert [block.type for block in first.content] == [
        "server_tool_use",
        "tool_search_tool_result",
        "text",
        "tool_use",
    ]
    assert (first.content[0].name, first.content[0].input) == (name, asked)
    assert first.content[1].content.tool_references[0].tool_name == "get_weather"
    assert [block.type for block in again.content] == ["text", "tool_use"]


def test_tool_that_nobody_has_found_is_not_seen_unless_the_provider_searches() -> None:
    fields: dict[str, Any] = {"model": "claude-sonnet-4-6", "max_tokens": 99, "messages": ASKED}
    find = {"name": "find_tools", "input_schema": {"type": "object"}}
    with serve("anthropic", [Reply(text="No.")]) as fake, Anthropic(base_url=fake.base_url, api_key="k") as client:
        client.messages.create(tools=[find, WEATHER], **fields)

        assert [tool.name for tool in fake.views[0].tools] == ["find_tools"]
