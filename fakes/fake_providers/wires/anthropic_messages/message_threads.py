"""Message threads (beta of November 2026): a request names the response that it continues and sends only what is new.

The SDK's own tool loop does this by default. Stores nothing itself.
"""

import json
from typing import Any

from msgspec.structs import replace

from fake_providers.http import Request, Response
from fake_providers.values.json_texts import read_json
from fake_providers.values.lenient import listed
from fake_providers.wires.anthropic_messages.json_parser import tolerant

INHERITED = ("system", "tools")
"""The fields that a thread keeps from the request that created it."""


def is_continued(body: dict[str, Any]) -> bool:
    """Whether the request relies on the provider for the earlier messages, the tools and the system prompt."""
    thread = body.get("thread")
    return isinstance(thread, dict) and thread.get("type") == "continue"


def continued(request: Request) -> str | None:
    body = tolerant(request)
    previous_id = body["thread"].get("previous_message_id") if is_continued(body) else None
    return previous_id if isinstance(previous_id, str) else None


def response_id(response: Response) -> str | None:
    message = _message(response)
    message_id = message.get("id") if message else None
    return message_id if isinstance(message_id, str) else None


def resumed(request: Request, *, earlier: Request, response: Response) -> Request:
    earlier_body, body, message = tolerant(earlier), tolerant(request), _message(response)
    reply = [{"role": "assistant", "content": message["content"]}] if message else []
    inherited = {name: earlier_body[name] for name in INHERITED if name in earlier_body and name not in body}
    messages = [*listed(earlier_body.get("messages")), *reply, *listed(body.get("messages"))]
    merged = {name: value for name, value in body.items() if name != "thread"} | inherited | {"messages": messages}
    return replace(request, body=json.dumps(merged).encode())


def _message(response: Response) -> dict[str, Any] | None:
    """The complete message, put together from its events if it was streamed; None if it is incomplete."""
    if response.status != 200 or response.cut:
        return None
    try:
        if response.body.startswith(b"event:"):
            return _message_of_stream(response.body.decode())
        message = json.loads(response.body)
    except (ValueError, KeyError, TypeError):
        return None
    return message if isinstance(message, dict) and isinstance(message.get("content"), list) else None


def _message_of_stream(stream: str) -> dict[str, Any] | None:
    """Raises `ValueError` and the like for a body that is not a stream of this wire."""
    message: dict[str, Any] | None = None
    texts: list[str] = []
    for event in stream.split("\n\n")[:-1]:
        data = json.loads(event.partition("data: ")[2])
        kind = data["type"]
        if kind == "message_start":
            message = data["message"]
        elif message is None:
            continue
        elif kind == "content_block_start":
            message["content"].append(data["content_block"])
            texts.append("")
        elif kind == "content_block_delta" and "partial_json" in data["delta"]:
            texts[-1] += data["delta"]["partial_json"]
        elif kind == "content_block_delta":
            name = data["delta"]["type"].removesuffix("_delta")
            message["content"][-1][name] += data["delta"][name]
        elif kind == "content_block_stop" and message["content"][-1]["type"] == "tool_use":
            message["content"][-1]["input"] = _arguments(texts[-1])
        elif kind == "message_stop":
            return message
    return None


def _arguments(text: str) -> Any:
    try:
        value = read_json(text or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
