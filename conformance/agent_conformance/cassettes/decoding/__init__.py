"""What the model said in a recorded response, on any wire the fakes know: text, reasoning, calls, finish, usage.

`wire_of` finds the wire and the provider of an exchange by the address, whoever serves it; `decode` reads its response,
plain or streamed. `wires_of` says which wires a body without an address looks like.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import quote

from agent_conformance.cassettes.decoding.decoded_reply import DONE, DecodedReply, ReplyBuilder, Usage, read_body
from agent_conformance.cassettes.recorded_exchange import RecordedExchange, RecordedRequest, RecordedResponse
from agent_conformance.transcripts.redaction import redacted
from fake_providers.http import Request
from fake_providers.models import default_model
from fake_providers.provider_facts import facts_by_provider, own_provider
from fake_providers.registry import PROVIDERS, provider_wires, wire_for, wire_named
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


INVOKE = "/model/{model}/invoke"
"""Where Bedrock takes Anthropic's Messages, for its models alone."""

OF_VERTEX = "/v1/projects/p/locations/global/publishers"
OWN_PATHS = {
    ("vertex", "gemini-generate"): f"{OF_VERTEX}/google/models/{{model}}:generateContent",
    ("vertex", "anthropic-messages"): f"{OF_VERTEX}/anthropic/models/{{model}}:rawPredict",
}
"""Of providers that do not take their wire's usual path."""

CONVERSE_FIELDS = frozenset(("toolConfig", "inferenceConfig", "additionalModelRequestFields"))
COHERES = ("strict_tools", "citation_options", "documents")
ANTHROPIC_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking")


def wires_of(body: Any) -> tuple[str, ...]:
    """The wires whose requests look like this body, the most likely first."""
    if not isinstance(body, dict):
        return ("openai-chat",)
    if "contents" in body or "generationConfig" in body or "systemInstruction" in body:
        return ("gemini-generate",)
    if _is_converse(body) or _is_invoke(body):
        return ("bedrock-converse",)
    if "input" in body or "instructions" in body:
        return ("openai-responses",)
    if _is_coheres(body):
        return ("cohere-chat",)
    return ("anthropic-messages",) if _is_anthropics(body) else ("openai-chat",)


def wires_at(provider: str, body: Any) -> list[str]:
    """The wires of this provider whose requests look like this body. One without a model is no chat completion at
    Bedrock, which has models in the paths of its own wire.
    """
    likely = wires_of(body)
    found = [wire for wire in PROVIDERS[provider] if wire in likely]
    names_none = isinstance(body, dict) and "model" not in body
    own = "bedrock-converse"
    return [own] if names_none and found == ["openai-chat"] and own in PROVIDERS[provider] else found


def _is_coheres(body: dict[str, Any]) -> bool:
    """By its own members, its own word for a choice, or the beginning of a model's name."""
    model, messages = body.get("model"), _objects(body.get("messages"))
    return (
        any(name in body for name in COHERES)
        or body.get("tool_choice") in ("REQUIRED", "NONE")
        or any("tool_plan" in message for message in messages)
        or (isinstance(model, str) and model.startswith(("command-", "c4ai-", "north-mini-code")))
    )


def _is_anthropics(body: dict[str, Any]) -> bool:
    messages = _objects(body.get("messages"))
    blocks = (block for message in messages for block in _objects(message.get("content")))
    model = body.get("model")
    return (
        "anthropic_version" in body
        or any(block.get("type") in ANTHROPIC_BLOCKS for block in blocks)
        or any("input_schema" in tool for tool in _objects(body.get("tools")))
        or (isinstance(model, str) and "claude" in model)
    )


def _is_converse(body: dict[str, Any]) -> bool:
    """By its fields, or by blocks whose only key says what they are. Its model is in the path."""
    if CONVERSE_FIELDS & body.keys():
        return True
    blocks = [block for message in _objects(body.get("messages")) for block in _objects(message.get("content"))]
    return bool(blocks) and "model" not in body and all("type" not in block for block in blocks)


def _is_invoke(body: Any) -> bool:
    """Whether it is one of Claude's by Bedrock's `invoke`, which says so itself."""
    return isinstance(body, dict) and str(body.get("anthropic_version")).startswith("bedrock-")


def _objects(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def path_of(provider: str, wire: str, body: Any) -> str:
    """Where this provider takes requests of this wire: the first of the usual paths that is routed there."""
    model = body.get("model") if isinstance(body, dict) else None
    usual = OWN_PATHS.get((provider, wire), WIRE_FACTS[wire].path)
    if wire == "bedrock-converse" and _is_invoke(body):
        usual = INVOKE
    named = model if isinstance(model, str) else default_model(wire)
    path = usual.format(model=quote(named, safe="") if wire == "bedrock-converse" else named)
    request = Request("POST", path, {}, b"{}")
    return path if (provider, wire) in OWN_PATHS or wire_named(wire).route(request) is not None else usual
