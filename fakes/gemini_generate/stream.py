"""How Gemini cuts an answer into a stream: which chunks there are, and how they stand in the body. Makes no content."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fakes.gemini_generate.errors import EVENTS, JSON, wants_events
from fakes.http import Response
from fakes.reply import Reply
from fakes.splitting import inside_characters, pieces
from fakes.wire import Telling

SIZE = 20
"""Characters in a piece of text: few enough that a short answer still comes in several chunks."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What chunks are made of. `body` makes the whole JSON of one from its parts and the text told so far."""

    reply: Reply
    call_parts: list[dict[str, Any]]
    last_part: dict[str, Any]
    body: Callable[..., dict[str, Any]]


def stream(chunk: Chunk, telling: Telling, *, error: dict[str, Any] | None) -> Response:
    """Events with CRLF and no terminator, or one JSON array; an error takes the place of the last chunk."""
    bodies = [*_told(chunk, telling), error or _last(chunk)]
    texts = [json.dumps(body, ensure_ascii=False, separators=(",", ":")) for body in bodies]
    if wants_events(telling.request):
        chunks = tuple(f"data: {text}\r\n\r\n".encode(errors="replace") for text in texts)
    else:
        chunks = tuple(_element(text, i, len(texts)) for i, text in enumerate(texts))
    if telling.split == "bytes":
        chunks = inside_characters(chunks)
    return Response(200, (("content-type", EVENTS if wants_events(telling.request) else JSON),), chunks)


def _told(chunk: Chunk, telling: Telling) -> list[dict[str, Any]]:
    """Thoughts, then text, then all calls whole in one chunk; none of them ends the answer."""
    reply = chunk.reply
    bodies = []
    cut = "provider" if telling.split == "given" else telling.split
    for piece in pieces(reply.thinking or "", cut, size=SIZE):
        bodies.append(chunk.body([{"text": piece, "thought": True}], "", ends=False, called=False))
    so_far = ""
    for piece in pieces(reply.text or "", telling.split, given=reply.chunks, size=SIZE):
        so_far += piece
        bodies.append(chunk.body([{"text": piece}], so_far, ends=False, called=False))
    if chunk.call_parts:
        bodies.append(chunk.body(chunk.call_parts, so_far, ends=False))
    return bodies


def _last(chunk: Chunk) -> dict[str, Any]:
    """An empty text with the reason; of an answer that says nothing, a content without parts."""
    reply = chunk.reply
    parts = [chunk.last_part] if reply.text or reply.thinking or chunk.call_parts else []
    return chunk.body(parts, reply.text or "", ends=True)


def _element(text: str, index: int, count: int) -> bytes:
    opening = "[" if index == 0 else ",\r\n"
    return f"{opening}{text}{']' if index == count - 1 else ''}".encode(errors="replace")
