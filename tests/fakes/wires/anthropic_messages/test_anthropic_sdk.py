"""The official SDK reads every kind of reply in each of its modes, and raises its own exception for every fault."""

import asyncio
import json
from dataclasses import dataclass
from itertools import product
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic_requests import TOOL
from anthropic_sdk import FakeProvider, async_client, client

from fake_providers import Call, Fault, Reply
from fake_providers.reply import Split
from tests.tables import rows

CITY = "Zürich, Malmö, København"
OSLO, EMPTY = Call("f", {"city": CITY}), Call("f", {}, id="my-own")
REPLIES: dict[str, Reply] = {
    "text": Reply(text=CITY),
    "text in given pieces": Reply(text=CITY, chunks=("Zür", CITY[3:])),
    "thinking": Reply(thinking="Hm, é.", text="Yes."),
    "a call": Reply(calls=(OSLO,)),
    "a call without arguments": Reply(calls=(EMPTY,)),
    "parallel calls": Reply(calls=(OSLO, Call("f", {"a": [1, {"b": None}]}))),
    "text and a call": Reply(text="Let me see.", calls=(OSLO,)),
    "everything": Reply(thinking="Hm.", text="Let me see.", calls=(OSLO, EMPTY)),
    "nothing": Reply(),
    "cut short": Reply(text="It is", finish="length"),
    "a refusal": Reply(text="No.", finish="refusal"),
    "an explicit stop": Reply(text="Yes.", finish="stop"),
}
REASONS = {"length": "max_tokens", "refusal": "refusal", "stop": "end_turn"}
WAYS = ("plain", "create stream", "stream", "async plain", "async create stream", "async stream")
SPLITS: tuple[Split, ...] = ("provider", "whole", "characters", "bytes")
ARGUMENTS: Any = {
    "model": "claude-haiku-4-5",
    "max_tokens": 64,
    "messages": [{"role": "user", "content": "Rain?"}],
    "tools": [TOOL],
}
READERS = [
    (name, way, split)
    for name, way in product(REPLIES, WAYS)
    for split in SPLITS
    if "stream" in way or split == "provider"
]

Kind = type[BaseException]
STATUSES: dict[int, Kind] = {
    400: anthropic.BadRequestError,
    401: anthropic.AuthenticationError,
    403: anthropic.PermissionDeniedError,
    404: anthropic.NotFoundError,
    408: anthropic.APIStatusError,
    409: anthropic.ConflictError,
    413: anthropic.APIStatusError,
    422: anthropic.UnprocessableEntityError,
    429: anthropic.RateLimitError,
    500: anthropic.InternalServerError,
    502: anthropic.InternalServerError,
    503: anthropic.InternalServerError,
    504: anthropic.InternalServerError,
    529: anthropic.InternalServerError,
}


@dataclass
class ReadMessage:
    """The members of a message that the tests compare."""

    content: list[dict[str, Any]]
    stop_reason: str | None
    usage: Any


def read_message(message: Any) -> ReadMessage:
    return ReadMessage([block.model_dump() for block in message.content], message.stop_reason, message.usage)


def message_from_events(events: list[Any]) -> ReadMessage:
    """A message put together from raw events, as a careful client would."""
    blocks: list[dict[str, Any]] = []
    texts: list[str] = []
    stop, usage = None, None
    for event in events:
        if event.type == "content_block_start":
            blocks.append(event.content_block.model_dump())
            texts.append("")
        elif event.type == "content_block_delta":
            delta = event.delta
            if delta.type == "input_json_delta":
                texts[-1] += delta.partial_json
            else:
                name = delta.type.removesuffix("_delta")
                blocks[-1][name] += getattr(delta, name)
        elif event.type == "content_block_stop" and blocks[-1]["type"] == "tool_use":
            blocks[-1]["input"] = json.loads(texts[-1] or "{}")
        elif event.type == "message_delta":
            stop, usage = event.delta.stop_reason, event.usage
    return ReadMessage(blocks, stop, usage)


async def read(fake_provider: FakeProvider, way: str) -> ReadMessage:
    if not way.startswith("async"):
        sync = client(fake_provider)
        if way == "plain":
            return read_message(sync.messages.create(**ARGUMENTS))
        if way == "create stream":
            return message_from_events(list(sync.messages.create(**ARGUMENTS, stream=True)))
        with sync.messages.stream(**ARGUMENTS) as stream:
            return read_message(stream.get_final_message())
    asynchronous = async_client(fake_provider)
    if way == "async plain":
        return read_message(await asynchronous.messages.create(**ARGUMENTS))
    if way == "async create stream":
        return message_from_events(
            [event async for event in await asynchronous.messages.create(**ARGUMENTS, stream=True)]
        )
    async with asynchronous.messages.stream(**ARGUMENTS) as stream:
        return read_message(await stream.get_final_message())


@rows("name, way, split", READERS)
def test_sdk_reads_every_reply(name: str, way: str, split: Split) -> None:
    reply = REPLIES[name]
    fake_provider = FakeProvider(reply, split=split)

    message = asyncio.run(read(fake_provider, way))

    assert fake_provider.refusals == []
    assert "".join(block["text"] for block in message.content if block["type"] == "text") == (reply.text or "")
    assert "".join(block["thinking"] for block in message.content if block["type"] == "thinking") == (
        reply.thinking or ""
    )
    calls = [block for block in message.content if block["type"] == "tool_use"]
    assert [(block["name"], block["input"]) for block in calls] == [(call.name, call.arguments) for call in reply.calls]
    assert [block["id"] for block in calls if block["id"] == "my-own"] == ["my-own"] * reply.calls.count(EMPTY)
    natural = "tool_use" if reply.calls else "end_turn"
    assert message.stop_reason == (REASONS[reply.finish] if reply.finish else natural)
    assert message.usage.output_tokens >= 1
    assert message.usage.output_tokens_details.thinking_tokens == -(-len(reply.thinking or "") // 4)


def test_every_reply_is_read_in_every_mode() -> None:
    assert len(READERS) == len(REPLIES) * (2 + 4 * len(SPLITS)) == 216


@rows("status, way", product(STATUSES, WAYS))
def test_sdk_raises_its_exception_for_every_status(status: int, way: str) -> None:
    with pytest.raises(STATUSES[status]) as caught:
        asyncio.run(read(FakeProvider(Reply(fault=Fault(status=status))), way))

    error: Any = caught.value
    assert (type(error).__module__, error.status_code) == ("anthropic", status)
    assert error.request_id.startswith("req_011C")
    if status not in (502, 503):
        assert error.body["error"]["type"]
        assert error.body["error"]["message"] in str(error)


def test_every_status_is_raised_in_every_mode() -> None:
    assert len(STATUSES) * len(WAYS) == 84


STREAMS = [way for way in WAYS if "stream" in way]
CUT_POSITIONS = [0, 1, 4]


@pytest.mark.parametrize(("count", "way"), list(product(CUT_POSITIONS, STREAMS)))
def test_cut_stream_is_a_transport_error(count: int, way: str) -> None:
    with pytest.raises((httpx2.RemoteProtocolError, anthropic.APIConnectionError)):
        asyncio.run(read(FakeProvider(Reply(text=CITY, fault=Fault(cut_after=count))), way))


@pytest.mark.parametrize("way", [way for way in WAYS if "plain" in way])
def test_cut_body_is_a_transport_error(way: str) -> None:
    with pytest.raises((httpx2.RemoteProtocolError, anthropic.APIConnectionError)):
        asyncio.run(read(FakeProvider(Reply(text=CITY, fault=Fault(cut_after=0))), way))


@pytest.mark.parametrize(("named", "way"), list(product(["529", "overloaded_error", "It broke."], STREAMS)))
def test_error_event_is_raised_from_the_stream(named: str, way: str) -> None:
    with pytest.raises(anthropic.APIStatusError) as caught:
        asyncio.run(read(FakeProvider(Reply(text=CITY, fault=Fault(error_event=named))), way))

    assert caught.value.status_code == 200 or "overloaded" in str(caught.value)
    assert ("It broke." if named == "It broke." else "Overloaded") in str(caught.value)


@pytest.mark.parametrize("way", [way for way in WAYS if "plain" in way])
def test_html_page_of_a_proxy_is_not_a_message(way: str) -> None:
    with pytest.raises(anthropic.InternalServerError):
        asyncio.run(read(FakeProvider(Reply(fault=Fault(status=502, body="<html>Bad gateway</html>"))), way))


def test_sdk_retries_at_once_if_no_wait_is_requested() -> None:
    fake_provider = FakeProvider(Reply(fault=Fault(status=529, retry_after=0)), Reply(text="Yes."))

    message = client(fake_provider, max_retries=2).messages.create(**ARGUMENTS)

    assert message.content[0].text == "Yes."
    assert [request.headers["x-stainless-retry-count"] for request in fake_provider.requests] == ["0", "1"]


def test_sdk_does_not_retry_a_refusal() -> None:
    fake_provider = FakeProvider()

    with pytest.raises(anthropic.BadRequestError, match="at least one message is required"):
        client(fake_provider, max_retries=2).messages.create(**{**ARGUMENTS, "messages": []})

    assert fake_provider.refusals == ["anthropic/messages-empty"]


def test_sdk_without_a_key_is_unauthorized() -> None:
    fake_provider = FakeProvider()

    with pytest.raises(anthropic.AuthenticationError, match="x-api-key header is required"):
        client(
            fake_provider, default_headers={"authorization": anthropic.Omit(), "x-api-key": anthropic.Omit()}
        ).messages.create(**ARGUMENTS)

    assert fake_provider.refusals == ["anthropic/key-missing"]
