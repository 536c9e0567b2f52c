"""One request body, checked by every provider of its wire: which accept it, which refuse it, and what would fix it."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.commands.check_request.fix_suggestion import smallest_change
from fakes import PROVIDERS, Violation, judge
from fakes.http import Request
from fakes.models import default_model
from fakes.registry import wire_named

PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    "gemini-generate": "/v1beta/models/{model}:generateContent",
    "ollama-chat": "/api/chat",
}

OWN_PATHS = {"vertex": "/v1/projects/p/locations/global/publishers/google/models/{model}:generateContent"}
"""Of providers that do not take their wire's usual path."""


def check_request(source: str, *, providers: tuple[str, ...], path: str | None) -> int:
    """Print a block for each provider. 1: a provider refuses the body; 2: a usage error."""
    try:
        text = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        print(f"{source} cannot be read: {error.strerror}", file=sys.stderr)
        return 2
    refused = False
    checked = 0
    for provider, its_path in _targets(text, providers, path):
        try:
            violation = judge(provider, its_path, text, {"content-type": "application/json"})
        except LookupError:
            continue
        checked += 1
        refused |= violation is not None
        print("\n".join(_lines(provider, its_path, text, violation)))
    if not checked:
        print(f"--path={path}: no provider has a wire with this path", file=sys.stderr)
        return 2
    return int(refused)


def wires_of(body: Any) -> tuple[str, ...]:
    """The wires whose requests look like this body, the most likely first."""
    if not isinstance(body, dict):
        return ("openai-chat",)
    if "contents" in body or "generationConfig" in body or "systemInstruction" in body:
        return ("gemini-generate",)
    if "input" in body or "instructions" in body:
        return ("openai-responses",)
    tools = [tool for tool in body.get("tools") or () if isinstance(tool, dict)]
    blocks = [
        block
        for message in body.get("messages") or ()
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        for block in message["content"]
        if isinstance(block, dict)
    ]
    if any(block.get("type") in ("tool_use", "tool_result", "thinking") for block in blocks) or any(
        "input_schema" in tool for tool in tools
    ):
        return ("anthropic-messages",)
    model = body.get("model")
    if isinstance(model, str) and "claude" in model:
        return ("anthropic-messages",)
    return ("openai-chat",)


def _targets(text: bytes, providers: tuple[str, ...], path: str | None) -> Iterator[tuple[str, str]]:
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    for provider, wires in PROVIDERS.items():
        if providers and provider not in providers:
            continue
        if path is not None:
            yield provider, path
            continue
        likely = [wire for wire in wires if wire in wires_of(body)]
        for wire in (likely or list(wires if providers else ()))[:1]:
            yield provider, path_of(provider, wire, body)


def path_of(provider: str, wire: str, body: Any) -> str:
    """Where this provider takes requests of this wire: the first of the usual paths that is routed there."""
    model = body.get("model") if isinstance(body, dict) else None
    usual = OWN_PATHS.get(provider, PATHS[wire])
    path = usual.format(model=model if isinstance(model, str) else default_model(wire))
    request = Request("POST", path, {}, b"{}")
    return path if wire_named(wire).route(request) is not None else usual


def _lines(provider: str, path: str, text: bytes, violation: Violation | None) -> Iterator[str]:
    if violation is None:
        yield f"{provider}: accepted"
        return
    yield f"{provider}: refused by {violation.rule}"
    yield f"  status      {violation.status}"
    yield f"  message     {violation.message.strip()}"
    yield f"  at          {violation.at}"
    if violation.confidence == "inferred":
        yield "  confidence  inferred: the real provider may accept it"
    fix = smallest_change(provider, path, text, violation)
    if fix:
        yield f"  fix         {fix}"
