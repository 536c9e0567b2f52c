"""The lines of the protocol, version 1: those the suite writes, and the checks on those the agent writes.

Knows JSON and the adapter's types; nothing of processes.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.adapter import Message, Part, Setup, Tool, ToolCall

PROTOCOL = 1
NO_MESSAGES_FOR = ("cancel", "sessions", "approval", "observer")
"""The features that this version cannot ask an agent for."""


class Unreadable(Exception):
    """What is wrong with one line of the agent's, in words; the subject is the agent."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What the agent says of itself."""

    wires: tuple[str, ...]
    modes: tuple[str, ...] = ("plain",)
    features: tuple[str, ...] = ()
    name: str = ""
    version: str = ""
    reuse: bool = False


@dataclass(frozen=True, slots=True)
class Delta:
    text: str


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """The agent asks the suite to run a tool; `id` is the agent's own and comes back in the result."""

    id: str | int
    tool: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a step. `text` None leaves the reply to the deltas."""

    text: str | None


@dataclass(frozen=True, slots=True)
class Failure:
    """The end of a step in a controlled failure."""

    message: str


@dataclass(frozen=True, slots=True)
class NotRestored:
    """The agent cannot hold the history of this session."""

    reason: str


Incoming = Hello | Delta | ToolRequest | Answer | Failure | NotRestored


def line_of(message: Mapping[str, Any]) -> bytes:
    """One line; everything outside ASCII is escaped, so that no reader splits it at an exotic line break."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def hello_message() -> dict[str, Any]:
    return {"type": "hello", "protocol": PROTOCOL}


def open_message(setup: Setup, *, session: str) -> dict[str, Any]:
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
        "tools": [_tool(tool) for tool in setup.tools],
        "history": [_history_message(message) for message in setup.history],
        "limits": {
            "exchanges": limits.exchanges,
            "context_tokens": limits.context_tokens,
            "seconds": limits.seconds,
        },
        "state_dir": str(setup.state_dir),
    }


def send_message(message: str, *, session: str, enabled: list[str]) -> dict[str, Any]:
    return {"type": "send", "session": session, "message": message, "enabled": enabled}


def result_message(request: ToolRequest, value: Any, *, session: str) -> dict[str, Any]:
    """`text` is always the rendered result; `value` stands beside it where the result is more than a text."""
    result = {"type": "result", "session": session, "id": request.id, "text": Tool.text(value)}
    return result if isinstance(value, str) else result | {"value": _plain(value)}


def failed_message(request: ToolRequest, error: str, *, session: str) -> dict[str, Any]:
    return {"type": "result", "session": session, "id": request.id, "error": error}


def close_message(*, session: str) -> dict[str, Any]:
    return {"type": "close", "session": session}


def fields_of(line: bytes) -> dict[str, Any]:
    """The object on a line. Raises `Unreadable`."""
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        shown = line[:80].decode(errors="replace").strip()
        raise Unreadable(
            f"wrote {shown!r} on standard output, which is no JSON object; "
            "keep standard output for the protocol and write logs to standard error"
        )
    return message


def incoming(fields: Mapping[str, Any]) -> Incoming:
    """The message with these fields; unknown fields are ignored. Raises `Unreadable`."""
    kind = fields.get("type")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise Unreadable(f"sent a message of type {kind!r}; known are {', '.join(_READERS)}")
    return read(fields)


def _hello(fields: Mapping[str, Any]) -> Hello:
    if fields.get("protocol") != PROTOCOL:
        raise Unreadable(f"speaks protocol {fields.get('protocol')!r}; this suite speaks {PROTOCOL}")
    hello = Hello(
        wires=_words(fields, "wires", ()),
        modes=_words(fields, "modes", ("plain",)),
        features=_words(fields, "features", ()),
        name=_text(fields, "name", ""),
        version=_text(fields, "version", ""),
        reuse=fields.get("reuse") is True,
    )
    if not hello.wires:
        raise Unreadable('names no `wires` in hello; say what the agent speaks, for example ["openai-chat"]')
    for word in NO_MESSAGES_FOR:
        if word in hello.features:
            raise Unreadable(f"declares the feature {word!r}, which protocol {PROTOCOL} has no messages for")
    return hello


def _tool_request(fields: Mapping[str, Any]) -> ToolRequest:
    given = fields.get("id")
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise Unreadable(f"sent a call whose `id` is {given!r}; give each call a text or a number of its own")
    if "arguments" not in fields:
        raise Unreadable("sent a call without `arguments`")
    return ToolRequest(given, _text(fields, "tool"), fields["arguments"])


def _answer(fields: Mapping[str, Any]) -> Answer:
    return Answer(None if fields.get("text") is None else _text(fields, "text"))


_READERS: dict[str, Callable[[Mapping[str, Any]], Incoming]] = {
    "hello": _hello,
    "delta": lambda fields: Delta(_text(fields, "text")),
    "call": _tool_request,
    "reply": _answer,
    "error": lambda fields: Failure(_text(fields, "message")),
    "cannot-restore": lambda fields: NotRestored(_text(fields, "reason")),
}


def _text(fields: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = fields.get(name, default)
    if not isinstance(value, str):
        raise Unreadable(f"sent {fields.get('type')} whose `{name}` is {value!r:.60}; it must be a text")
    return value


def _words(fields: Mapping[str, Any], name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    value = fields.get(name, default)
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise Unreadable(f"sent {fields.get('type')} whose `{name}` is {value!r:.60}; it must be a list of words")
    return tuple(value)


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "enabled": tool.enabled,
    }


def _history_message(message: Message) -> dict[str, Any]:
    told: dict[str, Any] = {"role": message.role, "text": message.text}
    if message.thinking:
        told["thinking"] = message.thinking
    if message.tool_calls:
        told["tool_calls"] = [_history_call(call) for call in message.tool_calls]
    if message.role == "tool":
        told |= {"tool_call_id": message.tool_call_id, "name": message.name, "is_error": message.is_error}
    return told


def _history_call(call: ToolCall) -> dict[str, Any]:
    told: dict[str, Any] = {"id": call.id, "name": call.name}
    if call.arguments_text is not None:
        return told | {"arguments_text": call.arguments_text}
    return told | {"arguments": dict(call.arguments or {})}


def _plain(value: Any) -> Any:
    """A tool's value as JSON; a part becomes an object of its fields."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Part):
        if value.type == "image":
            return {"type": "image", "media_type": value.media_type, "data": value.data}
        return {"type": "text", "text": value.text}
    return value
