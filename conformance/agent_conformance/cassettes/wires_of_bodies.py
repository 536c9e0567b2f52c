"""Which wire a body without an address looks like, and the path that it is posted to."""

from typing import Any
from urllib.parse import quote

from fake_providers.http import Request
from fake_providers.models import default_model
from fake_providers.registry import PROVIDERS, wire_named
from fake_providers.wire_facts import WIRE_FACTS

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
