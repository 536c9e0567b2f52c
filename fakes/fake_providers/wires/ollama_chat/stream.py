"""Renders a reply as lines of JSON, one line per chunk. Knows nothing of plain responses."""

from collections.abc import Iterator
from typing import Any

from fake_providers.http import Response
from fake_providers.replies.chunking import inside_characters, pieces
from fake_providers.reply import Reply, Split
from fake_providers.wire import ReplyContext
from fake_providers.wires.ollama_chat.errors import encode_json, error_line
from fake_providers.wires.ollama_chat.message_parts import first_members, response_model
from fake_providers.wires.ollama_chat.request import body_of

LINES = "application/x-ndjson"
PIECE = 5
"""The approximate number of characters in Ollama's pieces, which are tokens."""


def response(reply: Reply, calls: list[dict[str, Any]], context: ReplyContext, *, final: dict[str, Any]) -> Response:
    """An error replaces the last line. If it is the first line the status is still 200, as with Ollama before 2026."""
    model = response_model(body_of(context.request))
    messages = list(_messages(reply, calls, context.split))
    lines = [_line(model, number, message, {"done": False}) for number, message in enumerate(messages)]
    error = reply.fault.error_event if reply.fault else None
    if error is not None:
        lines.append(error_line(error, context))
    else:
        lines.append(_line(model, len(lines), {"content": ""}, final))
    chunks = inside_characters(lines) if context.split == "bytes" else tuple(lines)
    return Response(200, (("content-type", LINES),), chunks)


def _line(model: str, number: int, message: dict[str, Any], final: dict[str, Any]) -> bytes:
    rendered = {**first_members(model, number * 10), "message": {"role": "assistant", **message}, **final}
    return encode_json(rendered) + b"\n"


def _messages(reply: Reply, calls: list[dict[str, Any]], split: Split) -> Iterator[dict[str, Any]]:
    """Thinking, then text, then each complete call in a line of its own."""
    for piece in pieces(reply.thinking or "", split, size=PIECE):
        yield {"content": "", "thinking": piece}
    for piece in pieces(reply.text or "", split, given=reply.chunks, size=PIECE):
        yield {"content": piece}
    for call in calls:
        yield {"content": "", "tool_calls": [call]}
