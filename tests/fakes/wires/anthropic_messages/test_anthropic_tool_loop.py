"""The SDK's own tool loop, `beta.messages.tool_runner`, runs against this fake without a refusal."""

import asyncio
import json
from typing import Any

import pytest
from anthropic import beta_async_tool, beta_tool
from anthropic_requests import WIRE
from anthropic_sdk import FakeProvider, async_client, client

from fake_providers import Call, Reply

OSLO, ROME, BERN = (Call("get_weather", {"city": city}) for city in ("Oslo", "Rome", "Bern"))
ANSWER = Reply(text="It is raining there.")
SCRIPTS = {
    "one call": ((Reply(calls=(OSLO,)), ANSWER), ["Oslo"]),
    "text and a call": ((Reply(text="Let me see.", calls=(OSLO,)), ANSWER), ["Oslo"]),
    "thinking and a call": ((Reply(thinking="Hm.", calls=(OSLO,)), ANSWER), ["Oslo"]),
    "parallel calls": ((Reply(calls=(OSLO, ROME)), ANSWER), ["Oslo", "Rome"]),
    "two rounds": (
        (Reply(thinking="Hm.", text="First.", calls=(OSLO,)), Reply(calls=(ROME, BERN)), ANSWER),
        ["Oslo", "Rome", "Bern"],
    ),
    "a tool that fails": ((Reply(calls=(Call("get_weather", {"city": "nowhere"}),)), ANSWER), ["nowhere"]),
}
WAYS = ["plain", "stream", "async plain", "async stream"]
THREADS = {"threads": {}, "whole histories": {"thread": False}}
MODELS = ["claude-haiku-4-5", "claude-opus-4-8", "claude-sonnet-5"]


class Weather:
    """A tool for the SDK that records the arguments of its calls."""

    def __init__(self) -> None:
        self.context: list[str] = []

    def answer(self, city: str) -> str:
        self.context.append(city)
        if city == "nowhere":
            raise RuntimeError("no such city")
        return "rain"

    def tool(self) -> Any:
        @beta_tool
        def get_weather(city: str) -> str:
            """Current weather for a city."""
            return self.answer(city)

        return get_weather

    def async_tool(self) -> Any:
        @beta_async_tool
        async def get_weather(city: str) -> str:
            """Current weather for a city."""
            return self.answer(city)

        return get_weather


async def converse(fake_provider: FakeProvider, way: str, model: str, weather: Weather, **options: Any) -> str:
    context: Any = {"model": model, "max_tokens": 64, "messages": [{"role": "user", "content": "Rain?"}], **options}
    if not way.startswith("async"):
        runner = client(fake_provider).beta.messages.tool_runner(
            **context, tools=[weather.tool()], stream=way == "stream"
        )
        messages = [turn.get_final_message() if way == "stream" else turn for turn in runner]
    else:
        runner = async_client(fake_provider).beta.messages.tool_runner(
            **context, tools=[weather.async_tool()], stream=way == "async stream"
        )
        messages = [await turn.get_final_message() if way == "async stream" else turn async for turn in runner]
    return "".join(block.text for block in messages[-1].content if block.type == "text")


@pytest.mark.slow
@pytest.mark.parametrize("options", THREADS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_sdk_tool_loop_is_never_refused(script: str, way: str, model: str, options: str) -> None:
    replies, cities = SCRIPTS[script]
    fake_provider, weather = FakeProvider(*replies), Weather()

    answer_text = asyncio.run(converse(fake_provider, way, model, weather, **THREADS[options]))

    assert fake_provider.refusals == []
    assert len(fake_provider.requests) == len(replies)
    assert weather.context == cities
    assert answer_text == "It is raining there."


@pytest.mark.parametrize("options", THREADS)
@pytest.mark.parametrize("way", WAYS)
def test_loop_returns_calls_and_results(way: str, options: str) -> None:
    fake_provider, weather = FakeProvider(*SCRIPTS["two rounds"][0]), Weather()

    asyncio.run(converse(fake_provider, way, "claude-sonnet-5", weather, **THREADS[options]))

    view = WIRE.view(fake_provider.requests[2])
    assert [message.role for message in view.messages] == ["user", "assistant", "tool", "assistant", "tool"]
    assert [call.arguments for call in view.messages[3].calls] == [{"city": "Rome"}, {"city": "Bern"}]
    assert [tool_result.text for tool_result in view.messages[4].results] == ["rain", "rain"]
    assert (view.messages[1].thinking, view.messages[1].text) == ("Hm.", "First.")
    assert [tool.name for tool in view.tools] == ["get_weather"]


def test_loop_sends_only_what_is_new_by_default() -> None:
    for options, counts in ((THREADS["threads"], [1, 1, 1]), (THREADS["whole histories"], [1, 3, 5])):
        fake_provider = FakeProvider(*SCRIPTS["two rounds"][0])

        asyncio.run(converse(fake_provider, "plain", "claude-sonnet-5", Weather(), **options))

        assert [len(json.loads(request.body)["messages"]) for request in fake_provider.sent] == counts
        assert [len(json.loads(request.body)["messages"]) for request in fake_provider.requests] == [1, 3, 5]
