"""The vendors' SDKs read every kind of reply of every provider as scripted, and raise their own exceptions."""

import json
import re
from typing import Any

import groq
import httpx
import httpx2
import openai
import pytest
from chat_sdks import Answer, RenderedReply, ways_of
from mistralai.client import errors as mistral_errors
from provider_requests import NAMES

from fake_providers import Call, Fault, Reply, ReplyContext, Request, Response
from fake_providers.ids import Ids
from fake_providers.models import default_model
from fake_providers.registry import wire_for
from tests.tables import rows

OSLO, ROME, BERN = (Call("get_weather", {"city": city}) for city in ("Oslo", "Rome", "Bern"))
REPLIES = {
    "text": Reply(text="It is 7 degrees and raining in Oslo."),
    "no text": Reply(),
    "text beyond ascii": Reply(text="Über Ōsaka: 🌧 7 °C"),
    "thinking": Reply(text="7 degrees.", thinking="The user asks for Oslo."),
    "call": Reply(calls=(OSLO,)),
    "three calls": Reply(calls=(OSLO, ROME, BERN)),
    "text and calls": Reply(text="I look.", calls=(OSLO, ROME)),
    "thinking and call": Reply(thinking="The user asks for Oslo.", calls=(OSLO,)),
    "arguments that are no json": Reply(calls=(Call("get_weather", arguments_text='{"city": '),)),
    "cut off": Reply(text="It is", finish="length"),
    "filtered": Reply(text="", finish="content_filter"),
}
STATUSES = (400, 401, 403, 404, 413, 422, 429, 500, 502, 503, 504)
SDKS = [*(("openai", name) for name in NAMES), ("groq", "groq"), ("mistralai", "mistral")]
WAYS = ("plain", "streamed", "plain_async", "streamed_async")
ASYNC = (("openai", "azure"), ("openai", "xai"), ("groq", "groq"), ("mistralai", "mistral"))
"""What each async client is tried with: of any provider it gets the same bytes as the other, and reads them as that."""
ASKED = [(*who, way) for who in SDKS for way in (WAYS if who in ASYNC else WAYS[:2])]

REFUSED = "arguments that are no json"
"""Groq hands no such reply of its model on."""
CELLS = [(*asked, name) for asked in ASKED for name in REPLIES if (asked[1], name) != ("groq", REFUSED)]
FAULTS = [(*asked, status) for asked in ASKED for status in STATUSES]
BROKEN = [asked for asked in ASKED if asked[2].startswith("streamed")]

CONNECTION = (
    openai.APIConnectionError,
    groq.APIConnectionError,
    httpx.RemoteProtocolError,
    httpx2.RemoteProtocolError,
)
ANY_ERROR = (openai.APIError, groq.APIError, mistral_errors.ResponseValidationError)
CLASSES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
}


def sdk_and_provider(row: tuple[Any, ...]) -> str:
    return f"{row[0]}-{row[1]}"


def test_grid_has_every_reply_and_fault_of_every_provider_and_in_every_way_of_an_sdk() -> None:
    refused_by_groq = 2 + 4  # with OpenAI's SDK, and with its own

    assert len(SDKS) == len(NAMES) + 2
    assert len(ASKED) == len(SDKS) * 2 + len(ASYNC) * 2
    assert len(CELLS) == len(ASKED) * len(REPLIES) - refused_by_groq
    assert len(FAULTS) == len(ASKED) * len(STATUSES)
    assert (len(REPLIES), len(STATUSES), len(BROKEN)) == (11, 11, len(SDKS) + len(ASYNC))


def context(sdk: str, provider: str, way: str, answer: Answer) -> RenderedReply:
    return ways_of(sdk, provider)[way](default_model("openai-chat", provider), answer)


def encoding(provider: str, reply: Reply) -> Answer:
    wire = wire_for(provider, "openai-chat")

    def answer(request: Request) -> Response:
        assert wire.route(request) is not None
        assert wire.missing_key(request) is None
        assert wire.judge(request, provider=provider) is None
        return wire.encode(reply, ReplyContext(request, provider, Ids("seed")))

    return answer


def failing(provider: str, fault: Fault) -> Answer:
    wire = wire_for(provider, "openai-chat")
    return lambda request: wire.fail(fault, ReplyContext(request, provider, Ids("seed")))


def class_of(sdk: str, status: int) -> type[Exception]:
    if sdk == "mistralai":
        return mistral_errors.HTTPValidationError if status == 422 else mistral_errors.SDKError
    module: Any = openai if sdk == "openai" else groq
    other = "InternalServerError" if status >= 500 else "APIStatusError"
    found: type[Exception] = getattr(module, CLASSES.get(status, other))
    return found


@rows("sdk, provider, way, name", CELLS, group=sdk_and_provider)
def test_sdk_reads_reply_as_scripted(sdk: str, provider: str, way: str, name: str) -> None:
    reply = REPLIES[name]
    collected = context(sdk, provider, way, encoding(provider, reply))

    assert collected.text == (reply.text or "")
    assert [name for _, name, _ in collected.calls] == [call.name for call in reply.calls]
    assert [text for _, _, text in collected.calls] == [
        call.arguments_text or json.dumps(call.arguments, separators=(",", ":")) for call in reply.calls
    ]
    assert len({call_id for call_id, _, _ in collected.calls}) == len(reply.calls)
    assert collected.finish == (reply.finish or ("tool_calls" if reply.calls else "stop"))
    if reply.thinking and provider not in ("gemini", "vertex", "anthropic", "bedrock"):
        assert collected.thinking == reply.thinking


@rows("sdk, provider, way, status", FAULTS, group=sdk_and_provider)
def test_sdk_raises_the_exception_of_the_status(sdk: str, provider: str, way: str, status: int) -> None:
    with pytest.raises(class_of(sdk, status)) as caught:
        context(sdk, provider, way, failing(provider, Fault(status=status)))

    found: Any = caught.value
    assert found.status_code == status


@rows("sdk, provider, way", [asked for asked in ASKED if asked not in BROKEN])
def test_sdk_reports_a_plain_body_that_is_cut(sdk: str, provider: str, way: str) -> None:
    with pytest.raises(CONNECTION):
        context(sdk, provider, way, encoding(provider, Reply(text="It is 7 degrees.", fault=Fault(cut_after=1))))


@rows("sdk, provider, way", BROKEN)
def test_sdk_reports_a_stream_that_is_cut(sdk: str, provider: str, way: str) -> None:
    with pytest.raises(CONNECTION):
        context(sdk, provider, way, encoding(provider, Reply(text="It is 7 degrees.", fault=Fault(cut_after=2))))


@rows("sdk, provider, way, text", [(*cell, text) for cell in BROKEN for text in (None, "It is")])
def test_sdk_raises_an_error_in_mid_stream(sdk: str, provider: str, way: str, text: str | None) -> None:
    with pytest.raises(ANY_ERROR):
        context(sdk, provider, way, encoding(provider, Reply(text=text, fault=Fault(error_event="500"))))


@pytest.mark.parametrize(("sdk", "way"), [(sdk, way) for sdk in ("openai", "groq") for way in WAYS])
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (Call("get_time"), "attempted to call tool 'get_time'"),
        (REPLIES[REFUSED].calls[0], "Failed to parse tool call arguments as JSON"),
        (Call("get_weather", {"city": 7}), "errors: .`/city`: expected string, but got number.$"),
    ],
)
def test_sdk_hears_from_groq_what_is_wrong_with_the_models_call(sdk: str, way: str, call: Call, words: str) -> None:
    with pytest.raises((openai.APIError, groq.APIError)) as caught:
        context(sdk, "groq", way, encoding("groq", Reply(calls=(call,))))

    body: Any = caught.value.body
    assert re.search(words, body.get("error", body)["message"])


def test_mistrals_sdk_names_the_fields_of_a_body_that_does_not_fit() -> None:
    wire = wire_for("mistral", "openai-chat")

    def answer(request: Request) -> Response:
        body = json.loads(request.body)
        body["messages"][0]["reasoning_content"] = "I know."
        spoilt = Request("POST", request.path, request.headers, json.dumps(body).encode())
        violation = wire.judge(spoilt, provider="mistral")
        assert violation is not None
        return wire.refuse(violation, ReplyContext(spoilt, "mistral", Ids("seed")))

    with pytest.raises(mistral_errors.HTTPValidationError) as caught:
        context("mistralai", "mistral", "plain", answer)

    assert caught.value.data.detail is not None
    assert caught.value.data.detail[0].loc == ["body", "messages", 0, "user", "reasoning_content"]
