"""A reply as lines of JSON, one line a chunk of the response. Knows nothing of plain responses."""

from collections.abc import Iterator
from typing import Any

from fakes.chunking import inside_characters, pieces
from fakes.http import Response
from fakes.reply import Reply, Split
from fakes.wire import ReplyContext
from fakes.wires.ollama_chat.errors import error_line, written
from fakes.wires.ollama_chat.message_parts import head, told_name
from fakes.wires.ollama_chat.request import body_of

LINES = "application/x-ndjson"
PIECE = 5
"""How many characters Ollama's pieces have, about: they are tokens."""


def response(reply: Reply, calls: list[dict[str, Any]], context: ReplyContext, *, end: dict[str, Any]) -> Response:
    """An error takes the place of the last line. Where it would be the first, Ollama before 2026 still said 200."""
    model = told_name(body_of(context.request))
    messages = list(_messages(reply, calls, context.split))
    lines = [_line(model, number, message, {"done": False}) for number, message in enumerate(messages)]
    error = reply.fault.error_event if reply.fault else None
    if error is not None:
        lines.append(error_line(error, context))
    else:
        lines.append(_line(model, len(lines), {"content": ""}, end))
    chunks = inside_characters(lines) if context.split == "bytes" else tuple(lines)
    return Response(200, (("content-type", LINES),), chunks)


def _line(model: str, number: int, message: dict[str, Any], ending: dict[str, Any]) -> bytes:
    told = {**head(model, number * 10), "message": {"role": "assistant", **message}, **ending}
    return written(told) + b"\n"


def _messages(reply: Reply, calls: list[dict[str, Any]], split: Split) -> Iterator[dict[str, Any]]:
    """Thinking, then text, then each call whole in a line of its own."""
    for piece in pieces(reply.thinking or "", split, size=PIECE):
        yield {"content": "", "thinking": piece}
    for piece in pieces(reply.text or "", split, given=reply.chunks, size=PIECE):
        yield {"content": piece}
    for call in calls:
        yield {"content": "", "tool_calls": [call]}
