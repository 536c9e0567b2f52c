"""The vendor's SDK reads every kind of reply as scripted, and raises the right exception for every fault."""

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx2
import openai
import pytest
from responses_requests import TOOL

from fake_providers import Fault, Reply, ReplyContext, Request, Response
from fake_providers.ids import Ids
from fake_providers.reply import Split
from fake_providers.wires.openai_responses.wire import WIRE
from tests.fakes.wires.openai_chat import openai_sdk
from tests.fakes.wires.openai_chat.openai_sdk import REPLIES as REPLIES_OF_BOTH_WIRES
from tests.fakes.wires.openai_chat.openai_sdk import STATUSES, Answer, arguments, async_client, client
from tests.tables import rows

REPLIES = {**REPLIES_OF_BOTH_WIRES, "reasoning alone": Reply(thinking="The user asks for Oslo.")}
SPLITS: tuple[Split, ...] = ("provider", "given", "whole", "characters", "bytes")
ARGUMENTS: Any = {
    "model": "gpt-5.4",
    "input": "What is the weather in Oslo?",
    "reasoning": {"summary": "auto"},
    "include": ["reasoning.encrypted_content"],
}


@dataclass
class ReadReply:
    """What the SDK returned to its caller."""

    text: str = ""
    thinking: str = ""
    refusal: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    status: str | None = None
    reason: str | None = None
    tokens: int = 0


def expected(reply: Reply) -> ReadReply:
    refused = reply.finish == "refusal"
    calls = [{"id": call.id, "name": call.name, "arguments": arguments(call)} for call in reply.calls]
    reason = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(reply.finish or "")
    text = reply.text or ""
    written = len(text) + sum(len(call["name"]) + len(call["arguments"]) for call in calls)
    return ReadReply(
        text="" if refused else text,
        thinking=reply.thinking or "",
        refusal=text if refused else "",
        calls=calls,
        status="incomplete" if reason else "completed",
        reason=reason,
        tokens=-(-written // 4) - (-len(reply.thinking or "") // 4),
    )


encode_with = partial(openai_sdk.encode_with, WIRE)
failing = partial(openai_sdk.fail_with, WIRE)


def from_response(response: Any) -> ReadReply:
    read = ReadReply(status=response.status, tokens=response.usage.output_tokens)
    read.reason = response.incomplete_details.reason if response.incomplete_details else None
    for item in response.output:
        if item.type == "reasoning":
            read.thinking += "".join(part.text for part in item.summary)
            assert item.encrypted_content
        if item.type == "message":
            read.refusal += "".join(part.refusal for part in item.content if part.type == "refusal")
        if item.type == "function_call":
            read.calls.append({"id": item.call_id, "name": item.name, "arguments": item.arguments})
    read.text = response.output_text
    return read


def add_event(read: ReadReply, event: Any) -> None:
    """Reads the events, and from the last response only what no event contains."""
    match event.type:
        case "response.output_item.added" if event.item.type == "function_call":
            read.calls.append({"id": event.item.call_id, "name": event.item.name, "arguments": ""})
        case "response.function_call_arguments.delta":
            read.calls[-1]["arguments"] += event.delta
        case "response.output_text.delta":
            read.text += event.delta
        case "response.refusal.delta":
            read.refusal += event.delta
        case "response.reasoning_summary_text.delta":
            read.thinking += event.delta
        case "response.completed" | "response.incomplete":
            last = from_response(event.response)
            read.status, read.reason, read.tokens = last.status, last.reason, last.tokens


def plain(answer: Answer) -> ReadReply:
    return from_response(client(answer).responses.create(**ARGUMENTS))


def plain_async(answer: Answer) -> ReadReply:
    return from_response(asyncio.run(async_client(answer).responses.create(**ARGUMENTS)))


def streamed(answer: Answer) -> ReadReply:
    read = ReadReply()
    for event in client(answer).responses.create(**ARGUMENTS, stream=True):
        add_event(read, event)
    return read


def streamed_async(answer: Answer) -> ReadReply:
    async def collect() -> ReadReply:
        read = ReadReply()
        async for event in await async_client(answer).responses.create(**ARGUMENTS, stream=True):
            add_event(read, event)
        return read

    return asyncio.run(collect())


def helped(answer: Answer) -> ReadReply:
    """Uses the SDK's own helper that joins events."""
    with client(answer).responses.stream(**ARGUMENTS) as stream:
        for event in stream:
            last = event
    return from_response(last.response)  # type: ignore[union-attr]


def helped_async(answer: Answer) -> ReadReply:
    async def collect() -> ReadReply:
        async with async_client(answer).responses.stream(**ARGUMENTS) as stream:
            async for event in stream:
                last = event
        return from_response(last.response)  # type: ignore[union-attr]

    return asyncio.run(collect())


PLAIN = (plain, plain_async)
STREAMED = (streamed, streamed_async, helped, helped_async)
WAYS = (*PLAIN, *STREAMED)

CELLS = [(name, way) for name in REPLIES for way in WAYS]
SPLIT_CELLS = [(name, way, split) for name in REPLIES for way in STREAMED[:2] for split in SPLITS[1:]]
FAULT_CELLS = [(status, way) for status in STATUSES for way in WAYS]


def test_every_reply_and_fault_is_tested_in_every_mode() -> None:
    assert (len(CELLS), len(SPLIT_CELLS), len(FAULT_CELLS)) == (108, 144, 78)


@rows("name, way", CELLS)
def test_sdk_reads_reply_as_scripted(name: str, way: Any) -> None:
    assert way(encode_with(REPLIES[name])) == expected(REPLIES[name])


@rows("name, way, split", SPLIT_CELLS)
def test_sdk_reads_a_stream_in_every_split(name: str, way: Any, split: Split) -> None:
    assert way(encode_with(REPLIES[name], split)) == expected(REPLIES[name])


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
        way(encode_with(Reply(text="It is 7 degrees.", fault=Fault(cut_after=5))))


@pytest.mark.parametrize("way", STREAMED)
@pytest.mark.parametrize("text", [None, "It is"])
def test_sdk_raises_an_error_event(way: Any, text: str | None) -> None:
    with pytest.raises(openai.APIError, match="An error occurred while processing"):
        way(encode_with(Reply(text=text, fault=Fault(error_event="500"))))


@pytest.mark.parametrize("way", [streamed, streamed_async])
@pytest.mark.parametrize("name", REPLIES)
def test_every_event_is_one_that_the_sdk_knows(name: str, way: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK accepts unknown events silently, so each event is validated against its own class here."""
    event_types: list[str] = []

    def check(read: ReadReply, event: Any) -> None:
        type(event).model_validate(event.to_dict())
        event_types.append(event.type)

    monkeypatch.setitem(globals(), "add_event", check)
    way(encode_with(REPLIES[name]))

    assert event_types[:2] == ["response.created", "response.in_progress"]


@pytest.mark.parametrize("name", REPLIES)
def test_plain_response_matches_the_sdks_model_exactly(name: str) -> None:
    tools: Any = [{**TOOL, "strict": False}]
    response = client(encode_with(REPLIES[name])).responses.create(**ARGUMENTS, tools=tools)

    assert type(response).model_validate(response.to_dict()).output == response.output


def test_sdk_waits_as_the_rate_limit_says() -> None:
    answers = iter([failing(Fault(status=429, retry_after=0)), encode_with(Reply(text="Hello"))])

    def answer(request: Request) -> Response:
        return next(answers)(request)

    assert client(answer, retries=1).responses.create(**ARGUMENTS).output_text == "Hello"


def test_sdk_does_not_retry_a_refusal_by_the_suite() -> None:
    context: list[Request] = []

    def stop(request: Request) -> Response:
        context.append(request)
        return WIRE.stopped("stopped by the conformance suite", ReplyContext(request, "openai", Ids("seed")))

    with pytest.raises(openai.BadRequestError, match="stopped by the conformance suite"):
        client(stop, retries=2).responses.create(**ARGUMENTS)

    assert len(context) == 1
