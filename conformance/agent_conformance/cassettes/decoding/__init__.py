"""What the model said in a recorded response, on any wire the fakes know: text, reasoning, calls, finish, usage.

`wire_of` finds the wire and the provider of an exchange by the address, whoever serves it; `decode` reads its response,
plain or streamed.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from agent_conformance.cassettes.decoding.decoded_reply import DONE, DecodedReply, ReplyBuilder, Usage, read_body
from agent_conformance.cassettes.recorded_exchange import RecordedExchange, RecordedRequest, RecordedResponse
from agent_conformance.transcripts.redaction import redacted
from fake_providers.http import Request
from fake_providers.provider_facts import facts_by_provider, own_provider
from fake_providers.registry import provider_wires, wire_for
from fake_providers.wire import Wire
from fake_providers.wire_facts import WIRE_FACTS

__all__ = ["DecodedReply", "Usage", "WireOfExchange", "decode", "wire_of"]


@dataclass(frozen=True, slots=True)
class WireOfExchange:
    """`provider` is the wire's own where the host is not known to be another's."""

    wire: str
    provider: str


def wire_of(exchange: RecordedExchange) -> WireOfExchange | None:
    """None for a request that is no model request of a wire that is built."""
    request = exchange.request
    path = request.path.partition("?")[0]
    wire = next((name for name, facts in WIRE_FACTS.items() if re.search(facts.address, path)), None)
    if wire is None or request.method != "POST":
        return None
    if wire == "bedrock-converse" and wire_for("bedrock", wire).route(Request("POST", path, {}, b"")) is None:
        return None  # `invoke` of another vendor's model
    return WireOfExchange(wire, _provider(wire, request))


def model_wire(provider: str, wire: str | None, request: Request) -> Wire | None:
    """The wire of a model request to this provider, or to one wire of it; None for any other request."""
    wires = provider_wires(provider) if wire is None else (wire_for(provider, wire),)
    return next((found for found in wires if request.method == "POST" and found.route(request) is not None), None)


def request_of(request: RecordedRequest, wire: WireOfExchange) -> Request:
    """The request as the fakes take it, with a path that they know: gateways put others before it."""
    path = request.path
    found = Request(request.method, path, request.headers_by_name, request.body)
    usual = WIRE_FACTS[wire.wire].path
    if "{model}" not in usual and wire_for(wire.provider, wire.wire).route(found) is None:
        _, mark, query = path.partition("?")
        return Request(request.method, f"{usual}{mark}{query}", request.headers_by_name, request.body)
    return found


def _provider(wire: str, request: RecordedRequest) -> str:
    host = request.host
    named = [
        name
        for name, facts in facts_by_provider().items()
        if wire in facts.wires and any(host == known or host.endswith(f".{known}") for known in facts.hosts)
    ]
    if "vertex" in named and "aiplatform" in host:
        return "vertex"
    return named[0] if named else own_provider(wire)


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
