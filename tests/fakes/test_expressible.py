"""What the limits of each wire say, held against its encoder in both modes."""

import json
from itertools import product
from typing import get_args

import pytest

from fake_providers import (
    WIRES,
    Call,
    CannotExpress,
    Fault,
    Reply,
    ReplyContext,
    Request,
    Response,
    ServerCall,
    Source,
    wire_named,
)
from fake_providers.features import Feature
from fake_providers.ids import Ids
from fake_providers.provider_facts import own_provider
from fake_providers.replies.transport_faults import features_of, with_transport_fault
from fake_providers.wire_facts import can_express
from tests.tables import rows
from tests.wire_samples import sample_request

REPLIES: dict[Feature, Reply] = {
    "arguments-not-json": Reply(calls=(Call("f", arguments_text='{"a":'),)),
    "arguments-not-object": Reply(calls=(Call("f", arguments_text="[1]"),)),
    "call-id-null": Reply(calls=(Call("f", id=None),)),
    "call-id-twice": Reply(calls=(Call("f", id="my-own"), Call("f", id="my-own"))),
    "call-id-verbatim": Reply(calls=(Call("f", id="my-own"),)),
    "thinking": Reply(thinking="Hm.", text="Yes."),
    "finish-refusal": Reply(text="No.", finish="refusal"),
    "refusal-without-text": Reply(finish="refusal"),
    "stop-with-calls": Reply(calls=(Call("f", {}),), finish="stop"),
    "null-finish": Reply(text="Yes.", finish="none"),
    "calls-finish-without-calls": Reply(text="Yes.", finish="tool_calls"),
    "unexpected-call": Reply(finish="unexpected-call"),
    "blocked-prompt": Reply(finish="blocked-prompt"),
    "pause": Reply(text="Yes.", finish="pause"),
    "server-tools": Reply(server_calls=(ServerCall("web_search", {"query": "q"}, "Yes."),)),
    "openai-tools": Reply(server_calls=(ServerCall("f", {}, "Yes.", server="docs"),)),
    "sources": Reply(text="Yes.", sources=(Source("https://example.org"),)),
    "file-sources": Reply(text="Yes.", sources=(Source(file="yes.txt"),)),
    "finish-malformed": Reply(finish="malformed"),
    "finish-content-filter": Reply(finish="content_filter"),
    "stream-quirk": Reply(text="Yes.", quirks=("empty-choices",)),
    "object-arguments": Reply(calls=(Call("f", {"a": 1}),), quirks=("arguments-as-object",)),
    "reasoning-content": Reply(text="Yes.", thinking="Hm.", quirks=("reasoning-content",)),
    "text-in-the-start": Reply(text="Yes.", quirks=("text-in-the-start",)),
    "error-event": Reply(text="Yes.", fault=Fault(error_event="503")),
    "early-end": Reply(text="Yes.", fault=Fault(ends="before-the-finish")),
    "noise-crlf": Reply(text="Yes.", fault=Fault(noise=("crlf",))),
    "noise-no-blank": Reply(text="Yes.", fault=Fault(noise=("no-blank",))),
    "noise-comments": Reply(text="Yes.", fault=Fault(noise=("comments",))),
    "noise-pings": Reply(text="Yes.", fault=Fault(noise=("pings",))),
    "noise-unknown-events": Reply(text="Yes.", fault=Fault(noise=("unknown-events",))),
}


def context(wire: str, mode: str) -> ReplyContext:
    path, body = sample_request(wire, stream=mode == "stream")
    request = Request("POST", path, {}, json.dumps(body).encode())
    return ReplyContext(request, own_provider(wire), Ids("expressible"))


@rows("wire, feature, mode", product(WIRES, REPLIES, ["plain", "stream"]))
def test_an_encoder_says_what_the_table_says(wire: str, feature: Feature, mode: str) -> None:
    if can_express(feature, wire=wire, mode=mode):
        assert encoded(feature, wire, mode).chunks
        return
    with pytest.raises(CannotExpress) as caught:
        encoded(feature, wire, mode)
    assert caught.value.feature == feature


def encoded(feature: Feature, wire: str, mode: str) -> Response:
    reply = REPLIES[feature]
    return with_transport_fault(wire_named(wire).encode(reply, context(wire, mode)), reply.fault, wire=wire)


@pytest.mark.parametrize("feature", [name for name, reply in REPLIES.items() if reply.fault is not None])
def test_a_fault_names_the_feature_that_it_needs(feature: Feature) -> None:
    fault = REPLIES[feature].fault
    assert fault is not None
    assert list(features_of(fault)) == [feature]


def test_every_feature_is_tried() -> None:
    assert set(REPLIES) == set(get_args(Feature))
