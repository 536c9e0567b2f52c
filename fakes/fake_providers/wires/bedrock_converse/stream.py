"""Renders a scripted reply as events in frames, one per chunk. Knows their order; blocks and usage are of `response`.

In every recorded stream only calls have a start of their block, and the metadata come last.
"""

import string
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from fake_providers.http import AS_ESCAPE, Response, compact
from fake_providers.replies.event_frames import CONTENT_TYPE, encode_frame
from fake_providers.reply import Fault, Reply, inside_characters, pieces
from fake_providers.wire import ReplyContext
from fake_providers.wires.bedrock_converse import errors
from fake_providers.wires.bedrock_converse.response import (
    LATENCY,
    arguments_text,
    content_blocks,
    stop_reason,
    usage,
)

PADDING: Final = string.ascii_lowercase + string.ascii_uppercase + "0123456"
"""Each event is padded with the beginning of it, so that its length tells nothing of what it says."""


def streamed(reply: Reply, context: ReplyContext) -> Response:
    """Raises `CannotExpress`."""
    return in_frames(_events(reply, context), reply, context)


def in_frames(events: Iterable[tuple[str, dict[str, Any]]], reply: Reply, context: ReplyContext) -> Response:
    """The events by name, and how they end where the reply has a fault."""
    frames = tuple(_event(name, members, number) for number, (name, members) in enumerate(events))
    named = (("content-type", CONTENT_TYPE), *errors.headers(context.ids))
    response = Response(200, named, frames)
    if reply.fault is not None:
        response = _with_fault(response, reply.fault)
    if context.split == "bytes":
        return Response(200, named, inside_characters(response.chunks), cut=response.cut)
    return response


def _events(reply: Reply, context: ReplyContext) -> Iterator[tuple[str, dict[str, Any]]]:
    blocks = content_blocks(reply, context)
    yield "messageStart", {"role": "assistant"}
    for index, block in enumerate(blocks):
        if "toolUse" in block:
            yield "contentBlockStart", {"contentBlockIndex": index, "start": block}
        for delta in _deltas(block, reply, context, call=index - len(blocks) + len(reply.calls)):
            yield "contentBlockDelta", {"contentBlockIndex": index, "delta": delta}
        yield "contentBlockStop", {"contentBlockIndex": index}
    yield "messageStop", {"stopReason": stop_reason(reply)}
    yield "metadata", {"metrics": {"latencyMs": LATENCY}, "usage": usage(reply, context)}


def _deltas(block: dict[str, Any], reply: Reply, context: ReplyContext, *, call: int) -> Iterator[dict[str, Any]]:
    """`call` is the position among the reply's calls, if the block is one."""
    if "text" in block:
        for piece in _pieces(block["text"], context, given=reply.chunks):
            yield {"text": piece}
    elif "toolUse" in block:
        for piece in _pieces(arguments_text(reply.calls[call]), context):
            yield {"toolUse": {"input": piece}}
    else:
        thought = block["reasoningContent"]["reasoningText"]
        for piece in _pieces(thought["text"], context):
            yield {"reasoningContent": {"text": piece}}
        if "signature" in thought:
            yield {"reasoningContent": {"signature": thought["signature"]}}


def _pieces(text: str, context: ReplyContext, given: Sequence[str] = ()) -> tuple[str, ...]:
    return pieces(text, context.split, given=given, size=20)


def _event(name: str, members: dict[str, Any], number: int) -> bytes:
    padded = {**members, "p": PADDING[: 2 + number * 7 % (len(PADDING) - 2)]}
    body = compact(dict(sorted(padded.items()))).encode(errors=AS_ESCAPE)
    return encode_frame("event", name, body)


def _with_fault(response: Response, fault: Fault) -> Response:
    """The chunks before the fault: `cut_after` of them, or the first half for an exception without a number."""
    if fault.error_event is None and fault.cut_after is None:
        return response
    kept = len(response.chunks) // 2 if fault.cut_after is None else fault.cut_after
    chunks = response.chunks[:kept]
    if fault.error_event is not None:
        return Response(200, response.headers, (*chunks, errors.exception_frame(fault.error_event)))
    return Response(200, response.headers, chunks, cut=True)
