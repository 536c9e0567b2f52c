"""The reference agent, with requests that want one call at a time: it may not be accused of getting them so."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from agent_conformance.reference import Adapter as Reference


def one_at_a_time(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a request that wants no two calls in a reply, on the wires that can say so."""
    if "toolConfig" in body:  # of Bedrock, which passes this on to Claude
        ((kind, named),) = (body["toolConfig"].get("toolChoice") or {"auto": {}}).items()
        choice = {"type": kind, **named, "disable_parallel_tool_use": True}
        return {**body, "additionalModelRequestFields": {"tool_choice": choice}}
    if not body.get("tools"):
        return dict(body)
    if "messages" in body and not any(tool.get("type") == "function" for tool in body["tools"]):
        choice = body.get("tool_choice") or {"type": "auto"}
        apart = {} if choice["type"] == "none" else {"disable_parallel_tool_use": True}
        return {**body, "tool_choice": {**choice, **apart}}
    return {**body, "parallel_tool_calls": False}


class OneAtATime(Reference):
    wires = ("openai-chat", "openai-responses", "anthropic-messages", "bedrock-converse")
    features = Reference.features - {"open-models"}
    defences: ClassVar = replace(
        Reference.defences, body_bytes=lambda body: Reference.defences.body_bytes(one_at_a_time(body))
    )
