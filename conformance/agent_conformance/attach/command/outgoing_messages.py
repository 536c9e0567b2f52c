"""The messages of the suite, version 1 of the protocol, made from the adapter's types. Knows nothing of processes."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from agent_conformance.adapter.types import Fallback, Message, NamedTool, Part, Setup, Tool, ToolCall, ToolChoice
from agent_conformance.attach.command.errors import SuiteBrokeProtocol
from agent_conformance.attach.command.schema import breach

PROTOCOL = 1


def line_of(message: Mapping[str, Any]) -> bytes:
    """One line. Raises `SuiteBroke` for what the schema does not allow.

    Everything outside ASCII is escaped, so that no reader splits it at an exotic line break.
    """
    if (broken := breach("suite", message)) is not None:
        raise SuiteBrokeProtocol(broken)
    try:
        return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"
    except ValueError:
        raise SuiteBrokeProtocol(f"{message['type']}: found a number that is not JSON, expected JSON") from None


def hello_message() -> dict[str, Any]:
    return {"type": "hello", "protocol": PROTOCOL}


def open_message(setup: Setup, *, session: str, features: Collection[str] = ()) -> dict[str, Any]:
    """What only some agents know is there for those that declare these `features`."""
    limits = setup.limits
    return {
        "type": "open",
        "session": session,
        "wire": setup.wire,
        "provider": setup.provider,
        "base_url": setup.base_url,
        "api_key": setup.api_key,
        "model": setup.model,
        "stream": setup.stream,
        "system": setup.system,
        "tools": [_tool(tool, features) for tool in setup.tools],
        "history": [_history_message(message) for message in setup.history],
        "limits": {
            "requests": limits.requests,
            "context_tokens": limits.context_tokens,
            "seconds": limits.seconds,
        },
        "state_dir": str(setup.state_dir),
        "observe": setup.observe is not None,
        **({"fallback": _fallback(setup.fallback)} if "fallback" in features else {}),
        **({"server_tools": list(setup.server_tools)} if "server-tools" in features else {}),
        **({"output_schema": setup.output_schema} if "structured-output" in features else {}),
        **({"tool_choice": _choice(setup.tool_choice)} if "tool-choice" in features else {}),
    }


def _choice(choice: ToolChoice | None) -> Any:
    return {"tool": choice.tool} if isinstance(choice, NamedTool) else choice


def send_message(message: str | list[Part], *, session: str, enabled: Iterable[str]) -> dict[str, Any]:
    """`message` is always a text; `parts` are there too if the user sends pictures."""
    sent = {"type": "send", "session": session, "message": Tool.text(message), "enabled": list(enabled)}
    return sent if isinstance(message, str) else sent | {"parts": _plain(message)}


def result_message(call: str | int, value: Any, *, session: str) -> dict[str, Any]:
    """`text` is always the result as text; `value` is there too if the result is more than a text."""
    result = {"type": "result", "session": session, "id": call, "text": Tool.text(value)}
    return result if isinstance(value, str) else result | {"value": _plain(value)}


def failed_message(call: str | int, error: str, *, session: str) -> dict[str, Any]:
    return {"type": "result", "session": session, "id": call, "error": error}


def approval_message(question: str | int, allowed: bool | None, *, session: str) -> dict[str, Any]:
    """`allowed` None: the user has not answered yet."""
    return {"type": "approval", "session": session, "id": question, "allowed": allowed}


def steer_message(message: str, *, session: str) -> dict[str, Any]:
    return {"type": "steer", "session": session, "message": message}


def switch_message(setup: Setup, *, session: str) -> dict[str, Any]:
    """Another model, or another provider with its wire: what has changed of `open`."""
    changed = {name: getattr(setup, name) for name in ("wire", "provider", "base_url", "api_key", "model")}
    return {"type": "switch", "session": session, **changed}


def cancel_message(*, session: str) -> dict[str, Any]:
    return {"type": "cancel", "session": session}


def close_message(*, session: str) -> dict[str, Any]:
    return {"type": "close", "session": session}


def _fallback(second: Fallback | None) -> dict[str, str] | None:
    return None if second is None else asdict(second)


def _tool(tool: Tool, features: Collection[str]) -> dict[str, Any]:
    declared: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "enabled": tool.enabled,
    }
    return declared | {"approval": tool.approval} if tool.approval and "approval" in features else declared


def _history_message(message: Message) -> dict[str, Any]:
    message_fields: dict[str, Any] = {"role": message.role, "text": message.text}
    if message.thinking:
        message_fields["thinking"] = message.thinking
    if message.signature:
        message_fields |= {"signature": message.signature, "signed_by": message.signed_by}
    if message.tool_calls:
        message_fields["tool_calls"] = [_history_call(call) for call in message.tool_calls]
    if message.role == "tool":
        message_fields |= {"tool_call_id": message.tool_call_id, "name": message.name, "is_error": message.is_error}
    if message.parts:
        message_fields["parts"] = _plain(list(message.parts))
    return message_fields


def _history_call(call: ToolCall) -> dict[str, Any]:
    message_fields: dict[str, Any] = {"id": call.id, "name": call.name}
    if call.arguments_text is not None:
        return message_fields | {"arguments_text": call.arguments_text}
    return message_fields | {"arguments": dict(call.arguments or {})}


def _plain(value: Any) -> Any:
    """A tool's value as JSON; a part becomes an object of its fields."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Part):
        if value.type == "image":
            return {"type": "image", "media_type": value.media_type, "data": value.data}
        return {"type": "text", "text": value.text}
    return value
