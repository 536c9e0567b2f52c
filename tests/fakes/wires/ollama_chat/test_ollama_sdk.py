"""The vendor's SDK reads every kind of reply as scripted, and raises its own exception for every fault."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import httpx
import ollama
import pytest
from ollama_requests import USER, tool
from ollama_sdk import Answer, async_client, client

from fake_providers import Call, Fault, Reply, ReplyContext, Request, Response
from fake_providers.ids import Ids
from fake_providers.reply import Split
from fake_providers.serving.loopback import serve
from fake_providers.wires.ollama_chat.wire import WIRE
from tests.tables import rows

OSLO = Call("get_weather", {"city": "Oslo"}, id="call_1")
ROME = Call("get_weather", {"city": "Rome"}, id="call_2")

REPLIES = {
    "text": Reply(text="It is 7 degrees and raining in Oslo."),
    "no text": Reply(),
    "text beyond ascii": Reply(text="Über Ōsaka: 🌧 7 °C"),
    "text with markup": Reply(text="<b>7</b> & rain"),
    "text in given pieces": Reply(text="It is 7.", chunks=("It ", "is 7.")),
    "reasoning": Reply(text="7 degrees.", thinking="The user asks for Oslo."),
    "call": Reply(calls=(OSLO,)),
    "calls": Reply(calls=(OSLO, ROME)),
    "text and call": Reply(text="I look.", calls=(OSLO,)),
    "text and calls": Reply(text="I look.", calls=(OSLO, ROME)),
    "reasoning and call": Reply(thinking="The user asks for Oslo.", calls=(OSLO,)),
    "call without arguments": Reply(calls=(Call("get_time", {}, id="call_1"),)),
    "nested arguments": Reply(calls=(Call("find", {"where": {"near": ["Oslo", 7, None, True]}}),)),
    "arguments as text": Reply(calls=(Call("get_weather", arguments_text=' {"city": "Oslo"}'),)),
    "call without id": Reply(calls=(Call("get_weather", {"city": "Oslo"}, id=None),)),
    "cut off": Reply(text="It is", finish="length"),
}
SPLITS: tuple[Split, ...] = ("provider", "given", "whole", "characters", "bytes")
STATUSES = (400, 401, 403, 404, 408, 409, 422, 429, 499, 500, 502, 503, 504, 529)


@dataclass
class ReadReply:
    """What the SDK returned to its caller; the SDK itself does not read the ids of calls."""

    text: str = ""
    thinking: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    finish: str | None = None
    tokens: int = 0


def expected(reply: Reply) -> ReadReply:
    given = [call.arguments if call.arguments_text is None else {"city": "Oslo"} for call in reply.calls]
    return ReadReply(
        text=reply.text or "",
        thinking=reply.thinking or "",
        calls=[(call.name, arguments) for call, arguments in zip(reply.calls, given, strict=True)],
        finish=reply.finish or "stop",
    )


def encode_with(reply: Reply, split: Split = "provider") -> Answer:
    def answer(request: Request) -> Response:
        assert WIRE.missing_key(request) is None
        assert WIRE.judge(request, provider="ollama") is None
        return WIRE.encode(reply, ReplyContext(request, "ollama", Ids("seed"), split))

    return answer


def failing(fault: Fault) -> Answer:
    return lambda request: WIRE.fail(fault, ReplyContext(request, "ollama", Ids("seed")))


def add(read: ReadReply, part: Any) -> ReadReply:
    """Adds a complete response or one line of a stream."""
    assert (part.model, part.created_at[:10], part.message.role) == ("qwen3:8b", "2025-11-20", "assistant")
    read.text += part.message.content or ""
    read.thinking += part.message.thinking or ""
    read.calls += [(call.function.name, call.function.arguments) for call in part.message.tool_calls or ()]
    read.finish = part.done_reason or read.finish
    assert bool(part.done) is bool(part.done_reason) is bool(part.prompt_eval_count) is bool(part.total_duration)
    return read


def plain(answer: Answer) -> ReadReply:
    return add(ReadReply(), client(answer).chat("qwen3:8b", [USER]))


def plain_async(answer: Answer) -> ReadReply:
    return add(ReadReply(), asyncio.run(async_client(answer).chat("qwen3:8b", [USER])))


def streamed(answer: Answer) -> ReadReply:
    read = ReadReply()
    for part in client(answer).chat("qwen3:8b", [USER], stream=True):
        add(read, part)
    return read


def streamed_async(answer: Answer) -> ReadReply:
    async def collect() -> ReadReply:
        read = ReadReply()
        async for part in await async_client(answer).chat("qwen3:8b", [USER], stream=True):
            add(read, part)
        return read

    return asyncio.run(collect())


PLAIN = (plain, plain_async)
STREAMED = (streamed, streamed_async)
WAYS = (*PLAIN, *STREAMED)

CELLS = [(name, way) for name in REPLIES for way in WAYS]
SPLIT_CELLS = [(name, way, split) for name in REPLIES for way in STREAMED for split in SPLITS[1:]]
FAULT_CELLS = [(status, way) for status in STATUSES for way in WAYS]


def test_every_reply_and_fault_is_tested_in_every_mode() -> None:
    assert (len(CELLS), len(SPLIT_CELLS), len(FAULT_CELLS)) == (64, 128, 56)


@rows("name, way", CELLS)
def test_sdk_reads_reply_as_scripted(name: str, way: Any) -> None:
    assert way(encode_with(REPLIES[name])) == expected(REPLIES[name])


@rows("name, way, split", SPLIT_CELLS)
def test_sdk_reads_a_stream_in_every_split(name: str, way: Any, split: Split) -> None:
    assert way(encode_with(REPLIES[name], split)) == expected(REPLIES[name])


@rows("status, way", FAULT_CELLS)
def test_sdk_raises_its_own_exception_with_the_status(status: int, way: Any) -> None:
    with pytest.raises(ollama.ResponseError) as caught:
        way(failing(Fault(status=status)))

    assert caught.value.status_code == status
    assert caught.value.error
    assert "{" not in caught.value.error


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("body", ["<html>Bad Gateway</html>", {"error": "no"}])
def test_sdk_raises_a_scripted_body(way: Any, body: Any) -> None:
    with pytest.raises(ollama.ResponseError, match=r"Bad Gateway|no") as caught:
        way(failing(Fault(status=502, body=body)))

    assert caught.value.status_code == 502


@pytest.mark.parametrize("way", WAYS)
def test_sdk_reports_a_cut_response(way: Any) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        way(encode_with(Reply(text="It is 7 degrees.", fault=Fault(cut_after=2))))


@pytest.mark.parametrize("way", STREAMED)
@pytest.mark.parametrize("text", [None, "It is"])
def test_sdk_raises_an_error_in_a_stream(way: Any, text: str | None) -> None:
    with pytest.raises(ollama.ResponseError, match="model runner has unexpectedly stopped"):
        way(encode_with(Reply(text=text, fault=Fault(error_event="500"))))


@pytest.mark.parametrize("way", WAYS)
def test_sdk_reports_a_refusal_by_the_suite(way: Any) -> None:
    with pytest.raises(ollama.ResponseError, match="stopped by the conformance suite"):
        way(
            lambda request: WIRE.stopped(
                "stopped by the conformance suite", ReplyContext(request, "ollama", Ids("seed"))
            )
        )


@pytest.mark.parametrize("stream", [False, True])
def test_sdk_without_messages_loads_the_model(stream: bool) -> None:
    answer = encode_with(Reply(text="never sent"))
    whole = client(answer).chat("qwen3:8b", stream=stream)
    last = list(whole)[-1] if stream else whole

    assert (last.done_reason, last.message.content) == ("load", "")


def test_sdk_calls_a_tool_through_a_served_fake() -> None:
    script = [Reply(calls=(OSLO,)), Reply(text="7 degrees.")]
    with serve("ollama", script) as fake, ollama.Client(fake.base_url) as served:
        first = served.chat("qwen3:8b", [USER], tools=[tool()])
        answer = {"role": "tool", "tool_name": "get_weather", "content": "7 degrees"}
        second = served.chat("qwen3:8b", [USER, first.message, answer], tools=[tool()])

    assert second.message.content == "7 degrees."
    assert fake.violations == []
    assert [result.text for result in fake.views[1].messages[-1].results] == ["7 degrees"]
    assert [call.arguments for call in fake.views[1].messages[1].calls] == [{"city": "Oslo"}]


def test_refusal_by_a_served_fake_is_the_sdks_own_error() -> None:
    with (
        serve("ollama") as fake,
        ollama.Client(fake.base_url) as served,
        pytest.raises(ollama.ResponseError) as caught,
    ):
        served.chat("gemma3:4b", [USER], tools=[tool()])

    assert caught.value.error == "registry.ollama.ai/library/gemma3:4b does not support tools"
    assert [violation.rule for violation in fake.violations] == ["ollama/no-tools"]
