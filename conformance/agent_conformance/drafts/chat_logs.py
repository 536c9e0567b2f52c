"""A list of messages as an agent or its framework keeps it: OpenAI's, Anthropic's or Gemini's; JSON or JSON Lines."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agent_conformance.drafts.evidence import CannotDraft, Evidence
from agent_conformance.drafts.request_bodies import evidence_of_body
from agent_conformance.drafts.source_file import SourceFile
from fake_providers.models import default_model

WORDS = {"openai-chat": "OpenAI", "anthropic-messages": "Anthropic", "gemini-generate": "Gemini"}
ANTHROPIC = ("tool_use", "tool_result", "thinking", "redacted_thinking")


def is_log(value: Any) -> bool:
    """A message, a list of messages, or an object with little beside such a list."""
    return bool(_listed(value)) and all(map(_is_message, _listed(value)))


def evidence_of_log(file: SourceFile) -> Evidence:
    """Raises `CannotDraft` for a log of several formats, or with what is no message."""
    messages: list[tuple[int, Any]] = []
    for number, value in file.values():
        messages += [(number, message) for message in _listed(value)]
    wire = _wire(file.label, messages)
    name = "contents" if wire == "gemini-generate" else "messages"
    body: dict[str, Any] = {name: [_prepared(message, wire) for _, message in messages]}
    if wire != "gemini-generate":
        body["model"] = default_model(wire)
    if wire == "anthropic-messages":
        body["max_tokens"] = 1024
    evidence = evidence_of_body(replace(file, data=json.dumps(body).encode()))
    return replace(evidence, kind="chat-log")


def _listed(value: Any) -> Sequence[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and "model" not in value and isinstance(value.get("messages"), list):
        listed: list[Any] = value["messages"]
        return listed
    return [value] if _is_message(value) else []


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and "role" in value
        and any(key in value for key in ("content", "parts", "tool_calls"))
        and "attributes" not in value
        and not _is_telemetry(value)
    )


def _is_telemetry(value: dict[str, Any]) -> bool:
    """Parts of OpenTelemetry have a type, those of Gemini have none."""
    parts = value.get("parts")
    return isinstance(parts, list) and any(isinstance(part, dict) and "type" in part for part in parts)


def _wire(label: str, messages: Sequence[tuple[int, Any]]) -> str:
    """Of all messages: a text alone may be of any."""
    found = ""
    for number, message in messages:
        if not _is_message(message):
            raise CannotDraft(f"{label}:{number}: this is no message. Expected an object with `role` and `content`.")
        wire = _wire_of(message)
        if found and wire and wire != found:
            raise CannotDraft(
                f"{label}:{number}: this message is {WORDS[wire]}'s, and those before it are {WORDS[found]}'s. "
                "Give the messages of one format."
            )
        found = found or wire
    return found or "openai-chat"


def _wire_of(message: dict[str, Any]) -> str:
    if "parts" in message:
        return "gemini-generate"
    if message.get("tool_calls") or message.get("role") == "tool":
        return "openai-chat"
    content = message.get("content")
    blocks = [block.get("type") for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return "anthropic-messages" if any(kind in ANTHROPIC for kind in blocks) else ""


def _prepared(message: dict[str, Any], wire: str) -> dict[str, Any]:
    """With the members that the wire has; logs have times and names of models beside them."""
    known = ("role", "content", "parts", "tool_calls", "tool_call_id", "name", "reasoning_content")
    return {key: value for key, value in message.items() if key in known}
