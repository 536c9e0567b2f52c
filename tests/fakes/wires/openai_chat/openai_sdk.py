"""Clients of the vendor's SDK in front of the fake, without a socket, and what both wires answer them."""

import httpx2
import openai

from fake_providers import Call, Fault, Reply, ReplyContext, Request, Response, Wire
from fake_providers.ids import Ids
from fake_providers.reply import Split
from tests.fakes.without_socket import Answer, Httpx2Transport

STATUSES: dict[int, type[openai.APIStatusError]] = {
    400: openai.BadRequestError,
    401: openai.AuthenticationError,
    403: openai.PermissionDeniedError,
    404: openai.NotFoundError,
    408: openai.APIStatusError,
    409: openai.ConflictError,
    422: openai.UnprocessableEntityError,
    429: openai.RateLimitError,
    500: openai.InternalServerError,
    502: openai.InternalServerError,
    503: openai.InternalServerError,
    504: openai.InternalServerError,
    529: openai.InternalServerError,
}
"""The exception that the SDK raises for each status."""


def client(answer: Answer, *, retries: int = 0) -> openai.OpenAI:
    http = httpx2.Client(transport=Httpx2Transport(answer))
    return openai.OpenAI(api_key="sk-test", base_url="http://fake/v1", http_client=http, max_retries=retries)


def async_client(answer: Answer) -> openai.AsyncOpenAI:
    http = httpx2.AsyncClient(transport=Httpx2Transport(answer))
    return openai.AsyncOpenAI(api_key="sk-test", base_url="http://fake/v1", http_client=http, max_retries=0)


OSLO = Call("get_weather", {"city": "Oslo"}, id="call_1")
ROME = Call("get_weather", {"city": "Rome"}, id="call_2")

REPLIES = {
    "text": Reply(text="It is 7 degrees and raining in Oslo."),
    "no text": Reply(),
    "text beyond ascii": Reply(text="Über Ōsaka: 🌧 7 °C"),
    "text in given pieces": Reply(text="It is 7.", chunks=("It ", "is 7.")),
    "reasoning": Reply(text="7 degrees.", thinking="The user asks for Oslo."),
    "call": Reply(calls=(OSLO,)),
    "calls": Reply(calls=(OSLO, ROME)),
    "text and call": Reply(text="I look.", calls=(OSLO,)),
    "text and calls": Reply(text="I look.", calls=(OSLO, ROME)),
    "reasoning and call": Reply(thinking="The user asks for Oslo.", calls=(OSLO,)),
    "call without arguments": Reply(calls=(Call("get_time", {}, id="call_1"),)),
    "arguments that are no json": Reply(calls=(Call("get_weather", arguments_text='{"city": ', id="call_1"),)),
    "arguments that are no object": Reply(calls=(Call("get_weather", arguments_text="null", id="call_1"),)),
    "no arguments text": Reply(calls=(Call("get_weather", arguments_text="", id="call_1"),)),
    "cut off": Reply(text="It is", finish="length"),
    "filtered": Reply(text="", finish="content_filter"),
    "refused": Reply(text="I cannot help with that.", finish="refusal"),
}
"""Replies that both wires can express."""


def arguments(call: Call) -> str:
    if call.arguments_text is not None:
        return call.arguments_text
    return "".join(["{", *(f'"{name}":"{value}"' for name, value in (call.arguments or {}).items()), "}"])


def encode_with(wire: Wire, reply: Reply, split: Split = "provider") -> Answer:
    def answer(request: Request) -> Response:
        assert wire.missing_key(request) is None
        assert wire.judge(request, provider="openai") is None
        return wire.encode(reply, ReplyContext(request, "openai", Ids("seed"), split))

    return answer


def fail_with(wire: Wire, fault: Fault) -> Answer:
    return lambda request: wire.fail(fault, ReplyContext(request, "openai", Ids("seed")))
