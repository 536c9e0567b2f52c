"""google-genai's automatic function calling, the vendor's own tool loop, runs against this fake without a refusal."""

import asyncio
from typing import Any

import pytest
from gemini_requests import WIRE
from gemini_sdk import FakeProvider, client_of
from google.genai import types

from fake_providers import Call, Reply

OSLO, ROME, BERN = (Call("get_weather", {"city": city}) for city in ("Oslo", "Rome", "Bern"))
ANSWER = Reply(text="It is raining there.")
SCRIPTS = {
    "one call": ((Reply(calls=(OSLO,)), ANSWER), ["Oslo"]),
    "text and a call": ((Reply(text="Let me see.", calls=(OSLO,)), ANSWER), ["Oslo"]),
    "thinking and a call": ((Reply(thinking="Hm.", calls=(OSLO,)), ANSWER), ["Oslo"]),
    "parallel calls": ((Reply(calls=(OSLO, ROME)), ANSWER), ["Oslo", "Rome"]),
    "two rounds": ((Reply(calls=(OSLO,)), Reply(calls=(ROME, BERN)), ANSWER), ["Oslo", "Rome", "Bern"]),
    "a call without an id": ((Reply(calls=(Call("get_weather", {"city": "Oslo"}, id=None),)), ANSWER), ["Oslo"]),
}
WAYS = ["plain", "stream", "async plain", "async stream"]
MODELS = ["gemini-3-flash-preview", "gemini-3.7-flash", "gemini-2.5-flash"]


class Weather:
    """A tool for google-genai that records the arguments of its calls."""

    def __init__(self) -> None:
        self.context: list[str] = []

    def tool(self) -> Any:
        def get_weather(city: str) -> str:
            """Current weather for a city."""
            self.context.append(city)
            return "rain"

        return get_weather


async def send(chat: Any, way: str, message: str) -> str:
    """Sends messages through a chat, which is how the SDK recommends its loop; returns the text of each answer."""
    if way == "plain":
        return chat.send_message(message).text
    if way == "stream":
        return "".join(chunk.text or "" for chunk in chat.send_message_stream(message))
    if way == "async plain":
        return (await chat.send_message(message)).text
    return "".join([chunk.text or "" async for chunk in await chat.send_message_stream(message)])


async def converse(fake_provider: FakeProvider, way: str, model: str, weather: Weather) -> list[str]:
    client = client_of(fake_provider)
    config = types.GenerateContentConfig(tools=[weather.tool()], system_instruction="Be brief.")
    chats = client.aio.chats if way.startswith("async") else client.chats
    chat = chats.create(model=model, config=config)
    return [await send(chat, way, message) for message in ("Is it raining?", "Thank you.")]


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_sdk_tool_loop_is_never_refused(script: str, way: str, model: str) -> None:
    replies, cities = SCRIPTS[script]
    fake_provider, weather = FakeProvider(*replies, Reply(text="You are welcome.")), Weather()

    answers = asyncio.run(converse(fake_provider, way, model, weather))

    assert fake_provider.refusals == []
    assert len(fake_provider.requests) == len(replies) + 1
    assert weather.context == cities
    assert answers[0].endswith("It is raining there.")
    assert answers[1] == "You are welcome."


def test_streamed_loop_sends_an_empty_content_between_call_and_response() -> None:
    fake_provider, weather = FakeProvider(Reply(calls=(OSLO,)), ANSWER, Reply(text="Ok.")), Weather()

    asyncio.run(converse(fake_provider, "stream", "gemini-3-flash-preview", weather))

    view = WIRE.view(fake_provider.requests[1])
    assert fake_provider.requests[1].body.count(b'"role": "model"') == 2
    assert [message.role for message in view.messages] == ["user", "assistant", "tool"]
    assert view.messages[2].results[0].text == "rain"
    assert view.tools[0].parameters == {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    }
