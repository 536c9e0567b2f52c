"""A scripted reply as server-sent events, one to a chunk. Knows the order of the events; leaves blocks and usage to
`encode`.

Recorded streams: a ping after the first block has begun, and none where there is no block; an empty first piece of
arguments; a signature as the last piece of a thinking block.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from fakes.chunking import inside_characters, pieces
from fakes.http import Response, compact
from fakes.reply import Fault, Reply
from fakes.wire import ReplyContext
from fakes.wires.anthropic_messages import errors
from fakes.wires.anthropic_messages.response import arguments_text, content_blocks, head, tail, usage

PING = b'event: ping\ndata: {"type": "ping"}\n\n'


def streamed(reply: Reply, context: ReplyContext) -> Response:
    """Raises `CannotExpress`."""
    events = tuple(_events(reply, context))
    told = (("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"))
    response = Response(200, (*told, *errors.headers(errors.request_id(context.ids))), events)
    if reply.fault is not None:
        response = _broken_off(response, reply.fault)
    if context.split == "bytes":
        return Response(200, response.headers, inside_characters(response.chunks), cut=response.cut)
    return response


def _events(reply: Reply, context: ReplyContext) -> Iterator[bytes]:
    counted = usage(reply, context)
    blocks = content_blocks(reply, context.ids)
    ending = tail(reply)
    begun: dict[str, Any] = {"content": [], "stop_reason": None, "stop_sequence": None, "stop_details": None}
    tokens = counted.at_start(1) | {"service_tier": "standard", "inference_geo": "global"}
    yield _event("message_start", {"message": head(context) | begun | {"usage": tokens}})
    for index, block in enumerate(blocks):
        yield _event("content_block_start", {"index": index, "content_block": _empty(block)})
        if index == 0:
            yield PING
        for delta in _deltas(block, reply, context, call=index - len(blocks) + len(reply.calls)):
            yield _event("content_block_delta", {"index": index, "delta": delta})
        yield _event("content_block_stop", {"index": index})
    yield _event("message_delta", {"delta": ending, "usage": counted.at_end()})
    yield _event("message_stop", {})


def _empty(block: dict[str, Any]) -> dict[str, Any]:
    """The block as it begins."""
    return block | {name: "" for name in ("text", "thinking", "signature") if name in block}


def _deltas(block: dict[str, Any], reply: Reply, context: ReplyContext, *, call: int) -> Iterator[dict[str, Any]]:
    """`call` is the place among the reply's calls, where the block is one."""
    if block["type"] == "thinking":
        for piece in _cut(block["thinking"], context):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif block["type"] == "text":
        for piece in _cut(block["text"], context, given=reply.chunks):
            yield {"type": "text_delta", "text": piece}
    else:
        for piece in ("", *_cut(arguments_text(reply.calls[call]), context)):
            yield {"type": "input_json_delta", "partial_json": piece}


def _cut(text: str, context: ReplyContext, given: Sequence[str] = ()) -> tuple[str, ...]:
    return pieces(text, context.split, given=given, size=20)


def _event(kind: str, members: dict[str, Any]) -> bytes:
    data = compact({"type": kind, **members})
    return f"event: {kind}\ndata: {data}\n\n".encode(errors="replace")


def _broken_off(response: Response, fault: Fault) -> Response:
    """The chunks before the fault: `cut_after` of them, or for an error event without a number the first half."""
    if fault.error_event is None and fault.cut_after is None:
        return response
    kept = len(response.chunks) // 2 if fault.cut_after is None else fault.cut_after
    chunks = response.chunks[:kept]
    if fault.error_event is not None:
        return Response(200, response.headers, (*chunks, errors.error_event(fault.error_event)))
    return Response(200, response.headers, chunks, cut=True)
