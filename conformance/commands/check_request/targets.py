"""Which providers a body goes to, on which wire and path: from its address, or from what it looks like."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fakes import PROVIDERS
from fakes.http import Request
from fakes.models import default_model
from fakes.provider_facts import facts_by_provider
from fakes.registry import provider_wires, wire_named

PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    "gemini-generate": "/v1beta/models/{model}:generateContent",
    "ollama-chat": "/api/chat",
}

OWN_PATHS = {"vertex": "/v1/projects/p/locations/global/publishers/google/models/{model}:generateContent"}
"""Of providers that do not take their wire's usual path."""

ANTHROPIC_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking")


@dataclass(frozen=True, slots=True)
class Target:
    """One provider, and where it takes the body."""

    provider: str
    wire: str
    path: str


def targets_of(body: Any, *, providers: tuple[str, ...], path: str = "", host: str = "") -> Iterator[Target]:
    """With an address: the provider whose host it is, or all that have its path. Without: all of the body's wire."""
    chosen = providers or providers_at(host, path)
    for provider, wires in PROVIDERS.items():
        if chosen and provider not in chosen:
            continue
        if path:
            yield from _at(provider, path)
            continue
        likely = [wire for wire in wires if wire in wires_of(body)]
        for wire in (likely or list(wires if providers else ()))[:1]:
            yield Target(provider, wire, path_of(provider, wire, body))


def providers_at(host: str, path: str) -> tuple[str, ...]:
    """The providers of this host: of Google's, the one whose path it is. Nothing for a host that is nobody's."""
    facts = facts_by_provider().values()
    found = [one.name for one in facts if any(host == own or host.endswith(f".{own}") for own in one.hosts)]
    if "azure" in found:
        return ("azure",)
    if len(found) > 1:
        is_vertex = "aiplatform" in host or "/projects/" in path
        return ("vertex",) if is_vertex else ("gemini",)
    return tuple(found)


def wires_of(body: Any) -> tuple[str, ...]:
    """The wires whose requests look like this body, the most likely first."""
    if not isinstance(body, dict):
        return ("openai-chat",)
    if "contents" in body or "generationConfig" in body or "systemInstruction" in body:
        return ("gemini-generate",)
    if "input" in body or "instructions" in body:
        return ("openai-responses",)
    return ("anthropic-messages",) if _is_anthropics(body) else ("openai-chat",)


def _is_anthropics(body: dict[str, Any]) -> bool:
    messages = _objects(body.get("messages"))
    blocks = (block for message in messages for block in _objects(message.get("content")))
    model = body.get("model")
    return (
        any(block.get("type") in ANTHROPIC_BLOCKS for block in blocks)
        or any("input_schema" in tool for tool in _objects(body.get("tools")))
        or (isinstance(model, str) and "claude" in model)
    )


def _objects(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _at(provider: str, path: str) -> Iterator[Target]:
    request = Request("POST", path, {}, b"{}")
    wire = next((wire for wire in provider_wires(provider) if wire.route(request) is not None), None)
    if wire is not None:
        yield Target(provider, wire.name, path)


def path_of(provider: str, wire: str, body: Any) -> str:
    """Where this provider takes requests of this wire: the first of the usual paths that is routed there."""
    model = body.get("model") if isinstance(body, dict) else None
    usual = OWN_PATHS.get(provider, PATHS[wire])
    path = usual.format(model=model if isinstance(model, str) else default_model(wire))
    request = Request("POST", path, {}, b"{}")
    return path if wire_named(wire).route(request) is not None else usual
