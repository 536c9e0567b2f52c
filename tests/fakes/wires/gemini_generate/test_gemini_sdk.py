"""Google's own client, for either service, reads every kind of reply and raises its own error for every fault."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from gemini_sdk import FakeProvider, generate
from google.genai import errors, types

from fake_providers import Call, Fault, Reply
from tests.tables import rows

OSLO, ROME = Call("get_weather", {"city": "Oslo"}), Call("get_weather", {"city": "Røme"})


def parts_of(responses: list[types.GenerateContentResponse]) -> list[types.Part]:
    contents = [response.candidates[0].content for response in responses if response.candidates]
    return [part for content in contents if content for part in content.parts or []]


def text_of(responses: list[types.GenerateContentResponse]) -> str:
    return "".join(part.text for part in parts_of(responses) if part.text and not part.thought)


def thinking_of(responses: list[types.GenerateContentResponse]) -> str:
    return "".join(part.text for part in parts_of(responses) if part.text and part.thought)


def calls_of(responses: list[types.GenerateContentResponse]) -> list[types.FunctionCall]:
    return [part.function_call for part in parts_of(responses) if part.function_call]


def finish_of(responses: list[types.GenerateContentResponse]) -> str:
    reason = responses[-1].candidates[0].finish_reason
    return reason.name


Check = Callable[[list[types.GenerateContentResponse]], bool]
KINDS: dict[str, tuple[Reply, Check]] = {
    "text": (Reply(text="It is raining in Oslo."), lambda r: text_of(r) == "It is raining in Oslo."),
    "text in bytes": (Reply(text="Grüße"), lambda r: text_of(r) == "Grüße"),
    "thinking": (
        Reply(thinking="Rain, I think.", text="Rain."),
        lambda r: (thinking_of(r), text_of(r)) == ("Rain, I think.", "Rain."),
    ),
    "call": (Reply(calls=(OSLO,)), lambda r: [call.args for call in calls_of(r)] == [{"city": "Oslo"}]),
    "signed call": (
        Reply(calls=(OSLO, ROME)),
        lambda r: [bool(part.thought_signature) for part in parts_of(r) if part.function_call] == [True, False],
    ),
    "parallel calls": (
        Reply(calls=(OSLO, ROME)),
        lambda r: [call.args for call in calls_of(r)] == [{"city": "Oslo"}, {"city": "Røme"}],
    ),
    "call without an id": (Reply(calls=(Call("f", id=None),)), lambda r: calls_of(r)[0].id is None),
    "call with an id": (Reply(calls=(Call("f", id="mine"),)), lambda r: calls_of(r)[0].id == "mine"),
    "text and calls": (
        Reply(text="Let me see.", calls=(OSLO,)),
        lambda r: text_of(r) == "Let me see." and len(calls_of(r)) == 1,
    ),
    "empty": (Reply(), lambda r: parts_of(r) == [] and finish_of(r) == "STOP"),
    "length": (Reply(text="It is", finish="length"), lambda r: finish_of(r) == "MAX_TOKENS"),
    "filtered": (Reply(finish="content_filter"), lambda r: finish_of(r) == "SAFETY" and parts_of(r) == []),
    "refused": (Reply(finish="refusal"), lambda r: finish_of(r) == "PROHIBITED_CONTENT"),
    "malformed": (Reply(finish="malformed"), lambda r: finish_of(r) == "MALFORMED_FUNCTION_CALL"),
    "usage": (Reply(text="Rain."), lambda r: r[-1].usage_metadata.total_token_count == 4),
    "model": (
        Reply(text="Rain."),
        lambda r: r[-1].model_version == "gemini-3-flash-preview" and bool(r[-1].response_id),
    ),
}

FAULTS: dict[str, tuple[Reply | Fault, type[Exception], int | None]] = {
    **{
        str(status): (Fault(status=status), errors.ClientError if status < 500 else errors.ServerError, status)
        for status in (400, 401, 403, 404, 429, 499, 500, 501, 503, 504)
    },
    "429 with a delay": (Fault(status=429, retry_after=0.5), errors.ClientError, 429),
    "own body": (Fault(status=500, body={"error": {"message": "mine"}}), errors.ServerError, 500),
    "page": (Fault(status=502, body="<html>Bad Gateway</html>"), errors.ServerError, 502),
    "cut": (Reply(text="It is raining.", fault=Fault(cut_after=1)), httpx2.RemoteProtocolError, None),
}
STREAM_FAULTS: dict[str, tuple[Reply | Fault, type[Exception], int | None]] = {
    "error event": (Reply(text="It is", fault=Fault(error_event="503")), errors.ServerError, 503),
    "error event in words": (Reply(text="It is", fault=Fault(error_event="It broke.")), errors.ServerError, 500),
    "error event at once": (Reply(fault=Fault(error_event="429")), errors.ClientError, 429),
}

WAYS = [(asynchronous, streamed) for asynchronous in (False, True) for streamed in (False, True)]
PROVIDERS = ("gemini", "vertex")
REPLY_CELLS = list(itertools.product(KINDS, WAYS, PROVIDERS))
FAULT_CELLS = [
    *itertools.product(FAULTS, WAYS, PROVIDERS),
    *itertools.product(STREAM_FAULTS, [way for way in WAYS if way[1]], PROVIDERS),
]


def name(cell: Any) -> str:
    kind, (asynchronous, streamed), provider = cell
    return f"{provider}-{kind}-{'async' if asynchronous else 'sync'}-{'stream' if streamed else 'plain'}"


@rows("cell", REPLY_CELLS, ids=name)
def test_client_reads_the_reply(cell: tuple[str, tuple[bool, bool], str]) -> None:
    kind, (asynchronous, streamed), provider = cell
    reply, check = KINDS[kind]
    fake_provider = FakeProvider(reply, split="bytes" if "bytes" in kind else "provider", provider=provider)

    responses = asyncio.run(generate(fake_provider, asynchronous=asynchronous, streamed=streamed))

    assert fake_provider.refusals == []
    assert check(responses)


@rows("cell", FAULT_CELLS, ids=name)
def test_client_raises_its_own_error(cell: tuple[str, tuple[bool, bool], str]) -> None:
    kind, (asynchronous, streamed), provider = cell
    scripted, expected, code = (FAULTS | STREAM_FAULTS)[kind]
    fake_provider = FakeProvider(scripted, provider=provider)

    with pytest.raises(expected) as caught:
        asyncio.run(generate(fake_provider, asynchronous=asynchronous, streamed=streamed))

    assert getattr(caught.value, "code", None) == code
    assert len(fake_provider.requests) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("way", WAYS)
def test_client_raises_its_own_error_for_a_refusal(way: tuple[bool, bool], provider: str) -> None:
    history = [types.Content(role="model", parts=[types.Part.from_function_call(name="f", args={})])]
    fake_provider = FakeProvider(Reply(text="never sent"), provider=provider)

    with pytest.raises(errors.ClientError) as caught:
        asyncio.run(generate(fake_provider, asynchronous=way[0], streamed=way[1], contents=history))

    assert caught.value.status == "INVALID_ARGUMENT"
    assert caught.value.message is not None
    assert caught.value.message.startswith("Please ensure that function call turn comes immediately after a user turn")
    assert fake_provider.refusals == ["gemini/call-after-user-turn"]


def test_every_combination_is_tested() -> None:
    assert len(REPLY_CELLS) == 2 * 16 * 4
    assert len(FAULT_CELLS) == 2 * (14 * 4 + 3 * 2)
