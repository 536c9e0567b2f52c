"""The vendor's SDK reads every kind of reply as scripted, and raises the right exception for every fault."""

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import httpx2
import openai
import pytest

from fake_providers import Call, Fault, Reply, ReplyContext, Request, Response
from fake_providers.ids import Ids
from fake_providers.reply import Split
from fake_providers.wires.openai_chat.wire import WIRE
from tests.fakes.wires.openai_chat import openai_sdk
from tests.fakes.wires.openai_chat.openai_sdk import REPLIES as REPLIES_OF_BOTH_WIRES
from tests.fakes.wires.openai_chat.openai_sdk import STATUSES, Answer, arguments, async_client, client
from tests.tables import rows

REPLIES = {**REPLIES_OF_BOTH_WIRES, "call without id": Reply(calls=(Call("get_weather", {"city": "Oslo"}, id=None),))}
SPLITS: tuple[Split, ...] = ("provider", "given", "whole", "characters", "bytes")
MESSAGES: Any = [{"role": "user", "content": "What is the weather in Oslo?"}]


@dataclass
class ReadReply:
    """What the SDK returned to its caller."""

    text: str = ""
    thinking: str = ""
    refusal: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    finish: str | None = None
    tokens: int = 0


def expected(reply: Reply) -> ReadReply:
    refused = reply.finish == "refusal"
    calls = [{"id": call.id, "name": call.name, "arguments": arguments(call)} for call in reply.calls]
    finish = {"length": "length", "content_filter": "content_filter"}.get(reply.finish or "", "stop")
    text = reply.text or ""
    written = len(text) + sum(len(call["name"]) + len(call["arguments"]) for call in calls)
    return ReadReply(
        text="" if refused else text,
        thinking=reply.thinking or "",
        refusal=text if refused else "",
        calls=calls,
        finish="tool_calls" if calls else finish,
        tokens=-(-written // 4) - (-len(reply.thinking or "") // 4),
    )


encode_with = partial(openai_sdk.encode_with, WIRE)
failing = partial(openai_sdk.fail_with, WIRE)


def from_message(completion: Any) -> ReadReply:
    choice = completion.choices[0]
    calls = [
        {"id": call.id, "name": call.function.name, "arguments": call.function.arguments}
        for call in choice.message.tool_calls or ()
    ]
    return ReadReply(
        text=choice.message.content or "",
        thinking=getattr(choice.message, "reasoning_content", None) or "",
        refusal=choice.message.refusal or "",
        calls=calls,
        finish=choice.finish_reason,
        tokens=completion.usage.completion_tokens,
    )


def add_chunk(read: ReadReply, chunk: Any) -> None:
    if chunk.usage:
        read.tokens = chunk.usage.completion_tokens
    for choice in chunk.choices:
        delta = choice.delta
        read.text += delta.content or ""
        read.refusal += delta.refusal or ""
        read.thinking += getattr(delta, "reasoning_content", None) or ""
        read.finish = choice.finish_reason or read.finish
        for call in delta.tool_calls or ():
            if call.index == len(read.calls):
                read.calls.append({"id": call.id, "name": call.function.name, "arguments": ""})
            read.calls[call.index]["arguments"] += call.function.arguments or ""


def plain(answer: Answer) -> ReadReply:
    return from_message(client(answer).chat.completions.create(model="gpt-4.1", messages=MESSAGES))


def plain_async(answer: Answer) -> ReadReply:
    return from_message(asyncio.run(async_client(answer).chat.completions.create(model="gpt-4.1", messages=MESSAGES)))


def streamed(answer: Answer) -> ReadReply:
    read = ReadReply()
    for chunk in client(answer).chat.completions.create(
        model="gpt-4.1", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
    ):
        add_chunk(read, chunk)
    return read


def streamed_async(answer: Answer) -> ReadReply:
    async def collect() -> ReadReply:
        read = ReadReply()
        async for chunk in await async_client(answer).chat.completions.create(
            model="gpt-4.1", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        ):
            add_chunk(read, chunk)
        return read

    return asyncio.run(collect())


def helped(answer: Answer) -> ReadReply:
    """Uses the SDK's own helper that joins chunks."""
    options: Any = {"include_usage": True}
    with client(answer).chat.completions.stream(model="gpt-4.1", messages=MESSAGES, stream_options=options) as stream:
        return from_message(stream.get_final_completion())


def helped_async(answer: Answer) -> ReadReply:
    async def collect() -> ReadReply:
        options: Any = {"include_usage": True}
        chat = async_client(answer).chat.completions
        async with chat.stream(model="gpt-4.1", messages=MESSAGES, stream_options=options) as stream:
            return from_message(await stream.get_final_completion())

    return asyncio.run(collect())


PLAIN = (plain, plain_async)
STREAMED = (streamed, streamed_async, helped, helped_async)
WAYS = (*PLAIN, *STREAMED)
GIVEN_UP = {"cut off": openai.LengthFinishReasonError, "filtered": openai.ContentFilterFinishReasonError}
"""Replies for which the SDK's own helper raises by design."""

CELLS = [(name, way) for name in REPLIES for way in WAYS]
SPLIT_CELLS = [(name, way, split) for name in REPLIES for way in STREAMED[:2] for split in SPLITS[1:]]
FAULT_CELLS = [(status, way) for status in STATUSES for way in WAYS]


def test_every_reply_and_fault_is_tested_in_every_mode() -> None:
    assert (len(CELLS), len(SPLIT_CELLS), len(FAULT_CELLS)) == (108, 144, 78)


def shown(reply: Reply) -> Reply:
    """Its reasoning as servers of open models send it; OpenAI itself sends none."""
    return reply if reply.thinking is None else replace(reply, quirks=("reasoning-content",))


@rows("name, way", CELLS)
def test_sdk_reads_reply_as_scripted(name: str, way: Any) -> None:
    reply = shown(REPLIES[name])
    if way in (helped, helped_async) and name in GIVEN_UP:
        with pytest.raises(GIVEN_UP[name]):
            way(encode_with(reply))
        return

    assert way(encode_with(reply)) == expected(reply)


@rows("name, way, split", SPLIT_CELLS)
def test_sdk_reads_a_stream_in_every_split(name: str, way: Any, split: Split) -> None:
    assert way(encode_with(shown(REPLIES[name]), split)) == expected(REPLIES[name])


@rows("status, way", FAULT_CELLS)
def test_sdk_raises_the_exception_of_the_status(status: int, way: Any) -> None:
    with pytest.raises(STATUSES[status]) as caught:
        way(failing(Fault(status=status)))

    assert caught.value.status_code == status


@pytest.mark.parametrize("way", PLAIN)
def test_sdk_reports_a_cut_plain_body(way: Any) -> None:
    with pytest.raises(openai.APIConnectionError):
        way(encode_with(Reply(text="It is 7 degrees.", fault=Fault(cut_after=1))))


@pytest.mark.parametrize("way", STREAMED)
def test_sdk_reports_a_cut_stream(way: Any) -> None:
    with pytest.raises((openai.APIConnectionError, httpx2.RemoteProtocolError)):
        way(encode_with(Reply(text="It is 7 degrees.", fault=Fault(cut_after=2))))


@pytest.mark.parametrize("way", STREAMED)
@pytest.mark.parametrize("text", [None, "It is"])
def test_sdk_raises_an_error_event(way: Any, text: str | None) -> None:
    with pytest.raises(openai.APIError, match="The server had an error"):
        way(encode_with(Reply(text=text, fault=Fault(error_event="500"))))


def test_sdk_waits_as_the_rate_limit_says() -> None:
    answers = iter([failing(Fault(status=429, retry_after=0)), encode_with(Reply(text="Hello"))])

    def answer(request: Request) -> Response:
        return next(answers)(request)

    completion = client(answer, retries=1).chat.completions.create(model="gpt-4.1", messages=MESSAGES)

    assert completion.choices[0].message.content == "Hello"


def test_sdk_does_not_retry_a_refusal_by_the_suite() -> None:
    context: list[Request] = []

    def stop(request: Request) -> Response:
        context.append(request)
        return WIRE.stopped("stopped by the conformance suite", ReplyContext(request, "openai", Ids("seed")))

    with pytest.raises(openai.BadRequestError, match="stopped by the conformance suite"):
        client(stop, retries=2).chat.completions.create(model="gpt-4.1", messages=MESSAGES)

    assert len(context) == 1
