"""Claude over `invoke` and `invoke-with-response-stream`: Messages of Anthropic's with the model in the path.

A request is turned into one of Anthropic's own API, whose rules judge it and whose wire answers it; the answer gets the
service's headers, ids and frames.
"""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from msgspec import structs

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.reply import MADE_BY_PROVIDER, CannotExpress, Reply, Split
from fake_providers.rule import Remedy, Violation
from fake_providers.rulebook import ANY_PARAMETER, RequestContext, Rulebook
from fake_providers.view import View
from fake_providers.wire import ReplyContext
from fake_providers.wires.anthropic_messages import request as messages_request
from fake_providers.wires.anthropic_messages import response as messages_response
from fake_providers.wires.anthropic_messages import rules as messages_rules
from fake_providers.wires.anthropic_messages.json_parser import NOTHING, tolerant
from fake_providers.wires.anthropic_messages.response import streamed as streamed_messages
from fake_providers.wires.bedrock_converse.errors import envelope, headers
from fake_providers.wires.bedrock_converse.request import base_id, target_of, traits_at
from fake_providers.wires.bedrock_converse.response import LATENCY, in_frames
from fake_providers.wires.bedrock_converse.rules import messages
from fake_providers.wires.bedrock_converse.rules.samples import CLAUDE

VERSION: Final = "bedrock-2023-05-31"
PATH: Final = f"/model/{CLAUDE}/invoke"
SAMPLE: Final[dict[str, Any]] = {
    "anthropic_version": VERSION,
    "max_tokens": 16,
    "messages": [{"role": "user", "content": "a"}],
}
BOOK = Rulebook(envelope)


def as_messages(request: Request) -> Request:
    """The same request to Anthropic's own API; a body that is no object stays as it is."""
    target, body = target_of(request), tolerant(request)
    sent = dict(request.headers)
    if isinstance(betas := body.get("anthropic_beta"), list):
        sent["anthropic-beta"] = ",".join(map(str, betas))
    if body is NOTHING:
        return structs.replace(request, path="/v1/messages", headers=sent)
    own = {name: value for name, value in body.items() if name not in ("anthropic_version", "anthropic_beta")}
    served = request.stored if isinstance(request.stored, str) else target.model
    named = {"model": base_id(served).removeprefix("anthropic."), "stream": target.stream, **own}
    return structs.replace(
        request, path="/v1/messages", headers=sent, stored=None, body=compact(named).encode(errors=AS_ESCAPE)
    )


def judge(request: Request, *, provider: str) -> Violation | None:
    """What the service refuses, then what Anthropic's API does, in the service's envelope and without a prefix."""
    target = target_of(request)
    context = RequestContext(
        tolerant(request), request.headers, target.model, traits_at(request), target.stream, provider
    )
    books = (messages.MODEL_BOOK,) if context.body is NOTHING else (messages.MODEL_BOOK, BOOK)
    for book in books:
        if found := book.judge(context):
            return found
    theirs = messages_rules.judge(as_messages(request), provider="anthropic")
    return theirs and structs.replace(theirs, body={"message": theirs.message})


def view(request: Request) -> View:
    return structs.replace(messages_request.view(as_messages(request)), model=target_of(request).model)


def encode(reply: Reply, context: ReplyContext) -> Response:
    """Raises `CannotExpress`."""
    ids = context.ids
    calls = (
        replace(call, id=ids.make("toolu_bdrk_01", 22)) if call.id is MADE_BY_PROVIDER else call for call in reply.calls
    )
    reply = replace(reply, calls=tuple(calls))
    split: Split = "provider" if context.split == "bytes" else context.split  # of frames, not of what is in them
    theirs = structs.replace(context, request=as_messages(context.request), split=split)
    if target_of(context.request).stream:
        return in_frames(_events(reply, theirs), reply, context)
    if reply.fault is not None and reply.fault.error_event is not None:
        raise CannotExpress("error-event")
    message = json.loads(messages_response.plain(reply, theirs).body)
    message["id"] = _own_id(message["id"])
    counts = {"input": message["usage"]["input_tokens"], "output": message["usage"]["output_tokens"]}
    counted = [(f"x-amzn-bedrock-{name}-token-count", str(count)) for name, count in counts.items()]
    latency = ("x-amzn-bedrock-invocation-latency", str(LATENCY))
    return json_response(200, message, [*headers(ids), latency, *counted])


def _own_id(id: str) -> str:
    return id.replace("msg_", "msg_bdrk_", 1)


def _events(reply: Reply, context: ReplyContext) -> Iterator[tuple[str, dict[str, Any]]]:
    """Anthropic's events without pings, each in a `chunk`; the last has the counts of tokens."""
    counts: dict[str, int] = {}
    for sent in streamed_messages(replace(reply, fault=None), context).chunks:
        event = json.loads(sent.partition(b"data: ")[2])
        match event["type"]:
            case "ping":
                continue
            case "message_start":
                event["message"]["id"] = _own_id(event["message"]["id"])
            case "message_delta":
                counts = {"inputTokenCount": event["usage"]["input_tokens"]}
                counts["outputTokenCount"] = event["usage"]["output_tokens"]
            case "message_stop":
                latency = {"invocationLatency": LATENCY, "firstByteLatency": LATENCY}
                event["amazon-bedrock-invocationMetrics"] = counts | latency
        yield "chunk", {"bytes": base64.b64encode(compact(event).encode(errors=AS_ESCAPE)).decode()}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("bedrock/invoke-version", "The body has no `anthropic_version`, which Anthropic's own API takes as a header.",
    ANY_PARAMETER, lambda body: body.get("anthropic_version") is None, "anthropic_version: Field required",
    "anthropic_version", models="Claude, by `invoke`", checked="2026-11-23", path=PATH,
    remedy=Remedy("parameters", 'Put `"anthropic_version":"bedrock-2023-05-31"` into the body.'),
    wrong={name: value for name, value in SAMPLE.items() if name != "anthropic_version"}, right=SAMPLE,
    verbatim={"users' code, tried against the service: the field is required in the body":
        "anthropic_version: Field required"})
BOOK.row("bedrock/invoke-extra-input", "The body names the model, or says `stream`: both are in the path.",
    ANY_PARAMETER, lambda body: next((name for name in ("model", "stream") if name in body), None),
    "{found}: Extra inputs are not permitted", "{found}", models="Claude, by `invoke`", checked="2026-11-23", path=PATH,
    remedy=Remedy("parameters", "Leave `model` and `stream` out of the body; the path says both."),
    wrong={**SAMPLE, "stream": True}, right=SAMPLE,
    verbatim={"users' code, tried against the service on 2026-06-12": "stream: Extra inputs are not permitted"})
# fmt: on
