"""Message threads (beta of November 2026): a request names the response it goes on from and sends only what is new.

The SDK's own tool loop asks so by default. Knows the wire's requests and responses, and holds nothing itself.
"""

import json
from dataclasses import replace
from typing import Any

from fakes.http import Request, Response
from fakes.wires.anthropic_messages.json_body import tolerant

KEPT = ("system", "tools")
"""What a thread keeps from the request that created it."""


def is_continued(body: dict[str, Any]) -> bool:
    """Whether the request leaves the conversation so far, its tools and its system prompt to the provider."""
    thread = body.get("thread")
    return isinstance(thread, dict) and thread.get("type") == "continue"


def continued(request: Request) -> str | None:
    body = tolerant(request)
    named = body["thread"].get("previous_message_id") if is_continued(body) else None
    return named if isinstance(named, str) else None


def response_id(response: Response) -> str | None:
    message = _message(response)
    made = message.get("id") if message else None
    return made if isinstance(made, str) else None


def resumed(request: Request, *, earlier: Request, response: Response) -> Request:
    before, body, message = tolerant(earlier), tolerant(request), _message(response)
    said = [{"role": "assistant", "content": message["content"]}] if message else []
    kept = {name: before[name] for name in KEPT if name in before and name not in body}
    messages = [*_list(before.get("messages")), *said, *_list(body.get("messages"))]
    whole = {name: value for name, value in body.items() if name != "thread"} | kept | {"messages": messages}
    return replace(request, body=json.dumps(whole).encode())


def _message(response: Response) -> dict[str, Any] | None:
    """The message that was said to its end, put together where it was streamed."""
    if response.status != 200 or response.cut:
        return None
    try:
        if response.body.startswith(b"event:"):
            return _joined(response.body.decode())
        message = json.loads(response.body)
    except (ValueError, KeyError, TypeError):
        return None
    return message if isinstance(message, dict) and isinstance(message.get("content"), list) else None


def _joined(stream: str) -> dict[str, Any] | None:
    """Raises `ValueError` and the like for what is no stream of this wire."""
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
        value = json.loads(text or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
