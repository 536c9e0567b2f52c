"""Decodes the response of an exchange: finds its wire's reader and runs it over the body or the events."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from agent_conformance.cassettes.decoding.decoded_reply import DecodedReply, ReplyBuilder
from agent_conformance.cassettes.decoding.events import DONE, read_body
from agent_conformance.cassettes.decoding.wires import wire_of
from agent_conformance.cassettes.exchange import RecordedExchange, RecordedResponse
from agent_conformance.record.redaction import redacted

Reader = Callable[[Any, ReplyBuilder], None]


def decode(exchange: RecordedExchange) -> DecodedReply | None:
    """What the model said; None where the request is of no known wire. Never raises for what a response contains."""
    found = wire_of(exchange)
    return None if found is None else decode_response(exchange.response, found.wire)


def decode_response(response: RecordedResponse, wire: str) -> DecodedReply:
    """The same of a response alone, on a wire that is known."""
    body = read_body(response.body, response.content_type)
    builder = ReplyBuilder(is_streamed=body.is_streamed)
    module = import_module(f"agent_conformance.cassettes.decoding.{wire.replace('-', '_')}")
    read: Reader = module.read_event if body.is_streamed else module.read_response
    for event in body.events:
        if event.text == DONE:
            builder.is_complete = True
        elif not isinstance(event.value, dict):
            builder.leave_out("data that is not a JSON object")
        elif response.status >= 400 and not body.is_streamed:
            builder.fail(event.value.get("error", event.value))
        else:
            read(event.value, builder)
    if response.status >= 400 and builder.error is None:
        builder.fail(redacted(response.body.decode("utf-8", errors="replace"))[:500] or f"status {response.status}")
    return builder.built(response.status)
