"""The vendor's SDK reads every kind of reply as scripted, and raises its own exception for every fault."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import cohere
import httpx
import pytest
from cohere_requests import MODEL, TOOL, USER

from fake_providers import Call, Fault, Reply, ReplyContext, Request, Response
from fake_providers.ids import Ids
from fake_providers.reply import Split
from fake_providers.serving.loopback import serve
from fake_providers.wires.cohere_chat.wire import WIRE
from tests.fakes.without_socket import Answer, HttpxTransport
from tests.tables import rows

OSLO = Call("get_weather", {"city": "Oslo"}, id="get_weather_1")
ROME = Call("get_weather", {"city": "Rome"}, id="get_weather_2")
REPLIES = {
    "text": Reply(text="It is 7 degrees and raining in Oslo."),
    "no text": Reply(),
    "text beyond ascii": Reply(text="Über Ōsaka: 🌧 7 °C"),
    "text in given pieces": Reply(text="It is 7.", chunks=("It ", "is 7.")),
    "reasoning": Reply(text="7 degrees.", thinking="The user asks for Oslo."),
    "call": Reply(calls=(OSLO,)),
    "text and calls": Reply(text="I look.", calls=(OSLO, ROME)),
    "reasoning and call": Reply(thinking="The user asks for Oslo.", calls=(OSLO,)),
    "call without arguments": Reply(calls=(Call("get_time", {}, id="get_time_1"),)),
    "broken arguments": Reply(calls=(Call("get_weather", arguments_text='{"city":', id="get_weather_1"),)),
    "cut off": Reply(text="It is", finish="length"),
}
SPLITS: tuple[Split, ...] = ("provider", "given", "whole", "characters", "bytes")
RAISED = {
    400: cohere.BadRequestError,
    401: cohere.UnauthorizedError,
    403: cohere.ForbiddenError,
    404: cohere.NotFoundError,
    422: cohere.UnprocessableEntityError,
    429: cohere.TooManyRequestsError,
    498: cohere.InvalidTokenError,
    499: cohere.ClientClosedRequestError,
    500: cohere.InternalServerError,
    503: cohere.ServiceUnavailableError,
    504: cohere.GatewayTimeoutError,
}


@dataclass
class ReadReply:
    """What the SDK returned to its caller. `calls` are ids, names and texts of arguments."""

    text: str = ""
    thinking: str = ""
    plan: str = ""
    calls: list[list[str]] = field(default_factory=list)
    finish: str | None = None
    tokens: Any = None


def expected(reply: Reply, *, streamed: bool) -> ReadReply:
    calls = []
    for call in reply.calls:
        text = json.dumps(call.arguments, separators=(",", ":")) if call.arguments_text is None else call.arguments_text
        calls.append([call.id, call.name, "" if streamed and text == "{}" else text])
    text = reply.text or ""
    finish = "MAX_TOKENS" if reply.finish else "TOOL_CALL" if calls else "COMPLETE"
    return ReadReply("" if calls else text, reply.thinking or "", text if calls else "", calls, finish)


def encode_with(reply: Reply, split: Split = "provider") -> Answer:
    def answer(request: Request) -> Response:
        assert WIRE.missing_key(request) is None
        assert WIRE.judge(request, provider="cohere") is None
        return WIRE.encode(reply, ReplyContext(request, "cohere", Ids("seed"), split))

    return answer


def failing(fault: Fault) -> Answer:
    return lambda request: WIRE.fail(fault, ReplyContext(request, "cohere", Ids("seed")))


def client(answer: Answer) -> cohere.ClientV2:
    http = httpx.Client(transport=HttpxTransport(answer))
    return cohere.ClientV2("k", base_url="http://fake", httpx_client=http, max_retries=0)


def async_client(answer: Answer) -> cohere.AsyncClientV2:
    http = httpx.AsyncClient(transport=HttpxTransport(answer))
    return cohere.AsyncClientV2("k", base_url="http://fake", httpx_client=http, max_retries=0)


def served_client(url: str) -> cohere.ClientV2:
    return cohere.ClientV2("k", base_url=url, max_retries=0)


def whole(response: Any) -> ReadReply:
    message = response.message
    read = ReadReply(plan=message.tool_plan or "", finish=response.finish_reason)
    for block in message.content or ():
        if block.type == "text":
            read.text += block.text
        else:
            read.thinking += block.thinking
    read.calls = [[call.id, call.function.name, call.function.arguments] for call in message.tool_calls or ()]
    assert response.usage.tokens.input_tokens > 0
    return read


def joined(events: Iterable[Any]) -> ReadReply:
    read, ended = ReadReply(), False
    for event in events:
        message = getattr(getattr(event, "delta", None), "message", None)
        match event.type:
            case "content-delta":
                read.text += message.content.text or ""
                read.thinking += message.content.thinking or ""
            case "tool-plan-delta":
                read.plan += message.tool_plan
            case "tool-call-start":
                call = message.tool_calls
                read.calls.append([call.id, call.function.name, call.function.arguments])
            case "tool-call-delta":
                read.calls[event.index][2] += message.tool_calls.function.arguments
            case "message-end":
                read.finish, ended = event.delta.finish_reason, True
                assert event.delta.usage.tokens.output_tokens >= 0
    assert ended
    return read


def plain(answer: Answer) -> ReadReply:
    return whole(client(answer).chat(model=MODEL, messages=[USER]))


def plain_async(answer: Answer) -> ReadReply:
    return whole(asyncio.run(async_client(answer).chat(model=MODEL, messages=[USER])))


def streamed(answer: Answer) -> ReadReply:
    return joined(client(answer).chat_stream(model=MODEL, messages=[USER]))


def streamed_async(answer: Answer) -> ReadReply:
    async def collect() -> list[Any]:
        return [event async for event in async_client(answer).chat_stream(model=MODEL, messages=[USER])]

    return joined(asyncio.run(collect()))


PLAIN = (plain, plain_async)
STREAMED = (streamed, streamed_async)
WAYS = (*PLAIN, *STREAMED)


@rows("name, way", [(name, way) for name in REPLIES for way in WAYS])
def test_sdk_reads_reply_as_scripted(name: str, way: Any) -> None:
    assert way(encode_with(REPLIES[name])) == expected(REPLIES[name], streamed=way in STREAMED)


@rows("name, way, split", [(name, way, split) for name in REPLIES for way in STREAMED for split in SPLITS[1:]])
def test_sdk_reads_a_stream_in_every_split(name: str, way: Any, split: Split) -> None:
    assert way(encode_with(REPLIES[name], split)) == expected(REPLIES[name], streamed=True)


@rows("status, way", [(status, way) for status in RAISED for way in WAYS])
def test_sdk_raises_its_own_exception_with_the_status(status: int, way: Any) -> None:
    with pytest.raises(RAISED[status]) as caught:
        way(failing(Fault(status=status)))

    assert caught.value.status_code == status
    assert caught.value.body["message"]


@pytest.mark.parametrize("way", WAYS)
def test_sdk_reports_a_cut_response(way: Any) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        way(encode_with(Reply(text="It is 7 degrees.", fault=Fault(cut_after=2))))


def test_sdk_hands_on_an_error_in_a_stream() -> None:
    answer = encode_with(Reply(text="It is", fault=Fault(error_event="422")))
    *_, last = client(answer).chat_stream(model=MODEL, messages=[USER])

    assert (last.type, last.delta.finish_reason) == ("message-end", "ERROR")
    assert last.delta.error == "No valid response generated. Try updating messages"


@pytest.mark.parametrize("stream", [False, True])
def test_sdk_calls_a_tool_through_a_served_fake(stream: bool) -> None:
    script = [Reply(text="I look.", calls=(OSLO,)), Reply(text="7 degrees.")]
    with serve("cohere", script) as fake, served_client(fake.base_url) as served:
        if stream:
            first = joined(served.chat_stream(model=MODEL, messages=[USER], tools=[TOOL]))
            function = {"name": first.calls[0][1], "arguments": first.calls[0][2]}
            call = {"id": first.calls[0][0], "type": "function", "function": function}
            message: Any = {"role": "assistant", "tool_plan": first.plan, "tool_calls": [call]}
        else:
            message = served.chat(model=MODEL, messages=[USER], tools=[TOOL]).message
        answer = {"role": "tool", "tool_call_id": "get_weather_1", "content": "7 degrees"}
        second = served.chat(model=MODEL, messages=[USER, message, answer], tools=[TOOL])

    assert second.message.content is not None
    assert second.message.content[0].text == "7 degrees."
    assert fake.violations == []
    assert [result.text for result in fake.views[1].messages[-1].results] == ["7 degrees"]
    assert (fake.views[1].messages[1].text, fake.views[1].messages[1].calls[0].arguments) == (
        "I look.",
        {"city": "Oslo"},
    )


def test_refusal_by_a_served_fake_is_the_sdks_own_error() -> None:
    answer = {"role": "tool", "tool_call_id": "web_search", "content": "7 degrees"}
    with (
        serve("cohere") as fake,
        served_client(fake.base_url) as served,
        pytest.raises(cohere.BadRequestError) as caught,
    ):
        served.chat(model=MODEL, messages=[USER, answer])

    sentence = "invalid tool message at messages[1]: tool call id 'web_search' not found in previous tool calls"
    assert caught.value.body["message"] == sentence
    assert [violation.rule for violation in fake.violations] == ["cohere/result-without-call"]


def test_sdk_lists_the_models_of_a_served_fake() -> None:
    with serve("cohere") as fake, served_client(fake.base_url) as served:
        models = served.models.list().models

    assert [model.name for model in models] == ["command-a-03-2025"]
    assert models[0].endpoints == ["chat"]
