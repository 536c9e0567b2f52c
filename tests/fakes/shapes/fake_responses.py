"""The responses of the fakes: every kind of reply and every failure, of each provider on each wire, plain and
streamed."""

import itertools
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from fake_providers import Call, CannotExpress, Fault, Reply, ReplyContext, Request, Response
from fake_providers.ids import Ids
from fake_providers.models import default_model
from fake_providers.registry import PROVIDERS, wire_for

CITIES = tuple(Call("get_weather", {"city": city}) for city in ("Oslo", "Rome", "Bern"))
REPLIES = {
    "text": Reply(text="It is 7 degrees and raining in Oslo."),
    "empty": Reply(),
    "thinking": Reply(thinking="They ask for Oslo.", text="It is 7 degrees and raining."),
    "one call": Reply(calls=CITIES[:1]),
    "three calls": Reply(calls=CITIES),
    "text and calls": Reply(text="I look at two cities.", calls=CITIES[:2]),
    "thinking and call": Reply(thinking="They ask for Oslo.", calls=CITIES[:1]),
    "length": Reply(text="It is", finish="length"),
    "refusal": Reply(text="I cannot help with that.", finish="refusal"),
    "content filter": Reply(text="", finish="content_filter"),
    "malformed": Reply(finish="malformed"),
}
STATUSES = (400, 401, 403, 404, 422, 429, 500, 503, 529)
MODES = ("plain", "stream")
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "description": "Weather of a city.", "parameters": SCHEMA}
MORE_MODELS = {
    ("openai", "openai-chat"): ("gpt-5.1",),
    ("openai", "openai-responses"): ("gpt-4.1", "gpt-5"),
    ("anthropic", "anthropic-messages"): ("claude-sonnet-4-5",),
    ("gemini", "gemini-generate"): ("gemini-2.5-flash", "gemini-2.0-flash"),
    ("bedrock", "bedrock-converse"): ("us.amazon.nova-2-lite-v1:0",),
    ("cohere", "cohere-chat"): ("command-a-plus-05-2026",),
    ("vertex", "gemini-generate"): ("gemini-2.5-flash", "gemini-2.0-flash"),
}


class FakeResponse(NamedTuple):
    provider: str
    wire: str
    mode: str
    kind: str
    response: Response


def requests_of(provider: str, wire: str, mode: str) -> Iterator[Request]:
    """Each kind of request that changes the shape of the response."""
    for model in (default_model(wire, provider), *MORE_MODELS.get((provider, wire), ())):
        for path, body in BODIES[wire](provider, model, mode == "stream"):
            yield Request("POST", path, {"authorization": "Bearer k"}, json.dumps(body).encode())


def _chat(provider: str, model: str, stream: bool) -> Iterator[tuple[str, Any]]:
    path = "/openai/deployments/gpt-4.1/chat/completions" if provider == "azure" else "/v1/chat/completions"
    body = {"model": model, "messages": [{"role": "user", "content": "Rain?"}]}
    context = {**body, "tools": [{"type": "function", "function": FUNCTION}], "stream": stream}
    yield path, context
    if stream:
        yield path, {**context, "stream_options": {"include_usage": True}}


def _responses(_provider: str, model: str, stream: bool) -> Iterator[tuple[str, Any]]:
    body = {"model": model, "input": "Rain?", "stream": stream}
    context: dict[str, Any] = {**body, "tools": [{"type": "function", **FUNCTION}]}
    yield "/v1/responses", context
    if not model.startswith("gpt-4"):
        include = {"include": ["reasoning.encrypted_content"], "store": False, "reasoning": {"summary": "auto"}}
        yield "/v1/responses", {**context, **include}


def _messages(provider: str, model: str, stream: bool) -> Iterator[tuple[str, Any]]:
    tool = {"name": "get_weather", "input_schema": SCHEMA}
    body = {"model": model, "max_tokens": 99, "messages": [{"role": "user", "content": "Rain?"}], "tools": [tool]}
    verb = "streamRawPredict" if stream else "rawPredict"
    where = f"/v1/projects/p/locations/l/publishers/anthropic/models/{model}:{verb}"
    yield where if provider == "vertex" else "/v1/messages", {**body, "stream": stream}


def _generate(provider: str, model: str, stream: bool) -> Iterator[tuple[str, Any]]:
    context = {
        "contents": [{"role": "user", "parts": [{"text": "Rain?"}]}],
        "tools": [{"functionDeclarations": [FUNCTION]}],
    }
    where = "/v1/projects/p/locations/l/publishers/google" if provider == "vertex" else "/v1beta"
    path = f"{where}/models/{model}:"
    for verb in ("streamGenerateContent?alt=sse", "streamGenerateContent") if stream else ("generateContent",):
        yield path + verb, context


def _ollama(_provider: str, model: str, stream: bool) -> Iterator[tuple[str, Any]]:
    body = {"model": model, "messages": [{"role": "user", "content": "Rain?"}], "stream": stream}
    yield "/api/chat", {**body, "tools": [{"type": "function", "function": FUNCTION}]}


def _converse(_provider: str, model: str, stream: bool) -> Iterator[tuple[str, Any]]:
    spec = {"name": "get_weather", "inputSchema": {"json": SCHEMA}}
    body = {
        "messages": [{"role": "user", "content": [{"text": "Rain?"}]}],
        "toolConfig": {"tools": [{"toolSpec": spec}]},
    }
    yield f"/model/{model}/converse{'-stream' if stream else ''}", body


def _cohere(_provider: str, model: str, stream: bool) -> Iterator[tuple[str, Any]]:
    body = {"model": model, "messages": [{"role": "user", "content": "Rain?"}], "stream": stream}
    yield "/v2/chat", {**body, "tools": [{"type": "function", "function": FUNCTION}]}


BODIES = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic-messages": _messages,
    "gemini-generate": _generate,
    "ollama-chat": _ollama,
    "bedrock-converse": _converse,
    "cohere-chat": _cohere,
}


def replies_of(provider: str, wire: str, mode: str) -> Iterator[FakeResponse]:
    """Replies that the wire cannot express are left out."""
    wire_ = wire_for(provider, wire)
    for request, (kind, reply) in itertools.product(list(requests_of(provider, wire, mode)), REPLIES.items()):
        context = ReplyContext(request, provider, Ids(f"{provider} {kind}"))
        assert wire_.judge(request, provider=provider) is None, wire_.judge(request, provider=provider)
        try:
            yield FakeResponse(provider, wire, mode, kind, wire_.encode(reply, context))
        except CannotExpress:
            continue


def failures_of(provider: str, wire: str, mode: str) -> Iterator[tuple[int, FakeResponse]]:
    wire_ = wire_for(provider, wire)
    for request, status in itertools.product(list(requests_of(provider, wire, mode))[:1], STATUSES):
        context = ReplyContext(request, provider, Ids("failure"))
        yield status, FakeResponse(provider, wire, mode, str(status), wire_.fail(Fault(status=status), context))


TARGETS = [(provider, wire) for provider, wires in PROVIDERS.items() for wire in wires]
