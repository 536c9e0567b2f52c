"""Cuts a rendered reply into a stream: which chunks there are, and how the body contains them. Creates no content."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from fake_providers.http import AS_ESCAPE, Response
from fake_providers.replies.chunking import inside_characters, pieces
from fake_providers.reply import Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.gemini_generate.errors import EVENTS, JSON, wants_events
from fake_providers.wires.gemini_generate.provider import Provider

SIZE = 20
"""How many characters a piece of text has: few enough that a short answer still comes in several chunks."""


@dataclass(frozen=True, slots=True)
class StreamSource:
    """What the chunks are built from. `body` makes the JSON of one chunk from its parts and the text so far.

    `ends_with_calls` is true for models before Gemini 3, whose calls come in the last chunk.
    """

    reply: Reply
    call_parts: list[dict[str, Any]]
    last_part: dict[str, Any]
    ends_with_calls: bool
    body: Callable[..., dict[str, Any]]


class StreamChunk(NamedTuple):
    """One chunk of the stream: its parts, the text so far, and whether the calls have been sent."""

    parts: list[dict[str, Any]]
    text_so_far: str
    with_calls: bool = False


def stream(
    source: StreamSource, context: ReplyContext, provider: Provider, *, error: dict[str, Any] | None
) -> Response:
    """Events with CRLF and no terminator, or one JSON array. An error replaces the last chunk."""
    bodies = _bodies(source, context, provider, error)
    texts = [provider.to_json(body) for body in bodies]
    if wants_events(context.request):
        chunks = tuple(f"data: {text}\r\n\r\n".encode(errors=AS_ESCAPE) for text in texts)
    else:
        chunks = tuple(_element(text, i, len(texts)) for i, text in enumerate(texts))
    if context.split == "bytes":
        chunks = inside_characters(chunks)
    return Response(200, (("content-type", EVENTS if wants_events(context.request) else JSON),), chunks)


def _bodies(
    source: StreamSource, context: ReplyContext, provider: Provider, error: dict[str, Any] | None
) -> list[dict[str, Any]]:
    """Vertex AI ends with the last piece of the answer, unless a signature is still to come. Gemini ends with an empty
    text, unless the calls come last."""
    stream_chunks = _chunks_before_end(source, context)
    calls_are_last = source.ends_with_calls and bool(source.call_parts)
    is_complete = stream_chunks and (
        calls_are_last or (provider.ends_with_last_piece and "thoughtSignature" not in source.last_part)
    )
    if error is None and not is_complete:
        stream_chunks.append(_closing_chunk(source))
    earlier = stream_chunks if error is not None else stream_chunks[:-1]
    bodies = [
        source.body(chunk.parts, chunk.text_so_far, is_last=False, with_calls=chunk.with_calls) for chunk in earlier
    ]
    last = error or source.body(stream_chunks[-1].parts, stream_chunks[-1].text_so_far, is_last=True, with_calls=True)
    return [*bodies, last]


def _chunks_before_end(source: StreamSource, context: ReplyContext) -> list[StreamChunk]:
    """Thoughts, then text, then all calls in one chunk."""
    reply = source.reply
    stream_chunks = []
    for piece in pieces(reply.thinking or "", context.split, size=SIZE):
        stream_chunks.append(StreamChunk([{"text": piece, "thought": True}], ""))
    text_so_far = ""
    for piece in pieces(reply.text or "", context.split, given=reply.chunks, size=SIZE):
        text_so_far += piece
        stream_chunks.append(StreamChunk([{"text": piece}], text_so_far))
    if source.call_parts:
        stream_chunks.append(StreamChunk(source.call_parts, text_so_far, with_calls=True))
    return stream_chunks


def _closing_chunk(source: StreamSource) -> StreamChunk:
    """A part with an empty text; a content without parts if the reply is empty."""
    reply = source.reply
    parts = [source.last_part] if reply.text or reply.thinking or source.call_parts else []
    return StreamChunk(parts, reply.text or "", with_calls=True)


def _element(text: str, index: int, count: int) -> bytes:
    opening = "[" if index == 0 else ",\r\n"
    return f"{opening}{text}{']' if index == count - 1 else ''}".encode(errors=AS_ESCAPE)
