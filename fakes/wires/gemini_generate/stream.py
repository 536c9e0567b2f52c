"""How Gemini cuts an answer into a stream: which chunks there are, and how they stand in the body. Makes no content."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from fakes.chunking import inside_characters, pieces
from fakes.http import Response, compact, json_encoder
from fakes.reply import Reply
from fakes.wire import ReplyContext
from fakes.wires.gemini_generate.errors import EVENTS, JSON, wants_events

WRITTEN_BY_VERTEX = json_encoder(",", ": ")
SIZE = 20
"""Characters in a piece of text: few enough that a short answer still comes in several chunks."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What chunks are made of. `body` makes the whole JSON of one from its parts and the text told so far.

    `ends_itself` where calls are the end of an answer, as they are of models before Gemini 3.
    """

    reply: Reply
    call_parts: list[dict[str, Any]]
    last_part: dict[str, Any]
    ends_itself: bool
    body: Callable[..., dict[str, Any]]


class Step(NamedTuple):
    """One chunk of the stream: its parts, the text told so far, and whether the calls have been told."""

    parts: list[dict[str, Any]]
    so_far: str
    called: bool = False


def stream(chunk: Chunk, context: ReplyContext, *, error: dict[str, Any] | None) -> Response:
    """Events with CRLF and no terminator, or one JSON array; an error takes the place of the end."""
    bodies = _bodies(chunk, context, error)
    written = WRITTEN_BY_VERTEX if context.provider == "vertex" else compact
    texts = [written(body) for body in bodies]
    if wants_events(context.request):
        chunks = tuple(f"data: {text}\r\n\r\n".encode(errors="replace") for text in texts)
    else:
        chunks = tuple(_element(text, i, len(texts)) for i, text in enumerate(texts))
    if context.split == "bytes":
        chunks = inside_characters(chunks)
    return Response(200, (("content-type", EVENTS if wants_events(context.request) else JSON),), chunks)


def _bodies(chunk: Chunk, context: ReplyContext, error: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Vertex AI ends an answer with its last piece, unless a signature is still to come; Gemini with an empty text,
    unless calls are the end."""
    steps = _steps(chunk, context)
    called = chunk.ends_itself and bool(chunk.call_parts)
    ends_itself = steps and (called or (context.provider == "vertex" and "thoughtSignature" not in chunk.last_part))
    if error is None and not ends_itself:
        steps.append(_closing(chunk))
    told = steps if error is not None else steps[:-1]
    bodies = [chunk.body(step.parts, step.so_far, ends=False, called=step.called) for step in told]
    last = error or chunk.body(steps[-1].parts, steps[-1].so_far, ends=True, called=True)
    return [*bodies, last]


def _steps(chunk: Chunk, context: ReplyContext) -> list[Step]:
    """Thoughts, then text, then all calls whole in one chunk."""
    reply = chunk.reply
    steps = []
    for piece in pieces(reply.thinking or "", context.split, size=SIZE):
        steps.append(Step([{"text": piece, "thought": True}], ""))
    so_far = ""
    for piece in pieces(reply.text or "", context.split, given=reply.chunks, size=SIZE):
        so_far += piece
        steps.append(Step([{"text": piece}], so_far))
    if chunk.call_parts:
        steps.append(Step(chunk.call_parts, so_far, called=True))
    return steps


def _closing(chunk: Chunk) -> Step:
    """An empty text; of an answer that says nothing, a content without parts."""
    reply = chunk.reply
    parts = [chunk.last_part] if reply.text or reply.thinking or chunk.call_parts else []
    return Step(parts, reply.text or "", called=True)


def _element(text: str, index: int, count: int) -> bytes:
    opening = "[" if index == 0 else ",\r\n"
    return f"{opening}{text}{']' if index == count - 1 else ''}".encode(errors="replace")
