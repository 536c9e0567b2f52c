"""Renders a scripted reply as server-sent events, one per chunk. Knows the order of the events; blocks and usage come
from `response`.

In recorded streams a ping follows the start of the first block, and there is none without a block; the first piece of
arguments is empty; the signature is the last delta of a thinking block.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from fake_providers.http import AS_ESCAPE, Response, compact, spaced
from fake_providers.reply import Fault, Reply, inside_characters, pieces
from fake_providers.wire import ReplyContext
from fake_providers.wires.anthropic_messages import errors
from fake_providers.wires.anthropic_messages.response import arguments_text, content_blocks, head, tail, usage

PING = b'event: ping\ndata: {"type": "ping"}\n\n'


def streamed(reply: Reply, context: ReplyContext) -> Response:
    """Raises `CannotExpress`."""
    events = tuple(_events(reply, context))
    sse_headers = (("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"))
    response = Response(200, (*sse_headers, *errors.headers(errors.new_request_id(context.ids))), events)
    if reply.fault is not None:
        response = _with_fault(response, reply.fault)
    if context.split == "bytes":
        return Response(200, response.headers, inside_characters(response.chunks), cut=response.cut)
    return response


def _events(reply: Reply, context: ReplyContext) -> Iterator[bytes]:
    tokens_used = usage(reply, context)
    blocks = content_blocks(reply, context)
    ending = tail(reply)
    unfinished: dict[str, Any] = {"content": [], "stop_reason": None, "stop_sequence": None, "stop_details": None}
    tokens = tokens_used.at_start(1) | {"service_tier": "standard", "inference_geo": "global"}
    yield _event("message_start", {"message": head(context) | unfinished | {"usage": tokens}})
    for index, block in enumerate(blocks):
        # The block as its start event has it
        empty = {name: "" for name in ("text", "thinking", "signature") if name in block}
        yield _event(
            "content_block_start",
            {"index": index, "content_block": block | empty | ({"input": {}} if "input" in block else {})},
        )
        if index == 0:
            yield PING
        for delta in _deltas(block, reply, context, call=index - len(blocks) + len(reply.calls)):
            yield _event("content_block_delta", {"index": index, "delta": delta})
        yield _event("content_block_stop", {"index": index})
    yield _event("message_delta", {"delta": ending, "usage": tokens_used.at_end()})
    yield _event("message_stop", {})


def _deltas(block: dict[str, Any], reply: Reply, context: ReplyContext, *, call: int) -> Iterator[dict[str, Any]]:
    """`call` is the position among the reply's calls, if the block is one."""
    if block["type"] == "thinking":
        for piece in _pieces(block["thinking"], context):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif block["type"] == "text":
        for piece in _pieces(block["text"], context, given=reply.chunks):
            yield {"type": "text_delta", "text": piece}
    elif block["type"] == "server_tool_use":
        for piece in ("", *_pieces(spaced(block["input"]), context)):
            yield {"type": "input_json_delta", "partial_json": piece}
    elif block["type"] == "tool_use":
        for piece in ("", *_pieces(arguments_text(reply.calls[call]), context)):
            yield {"type": "input_json_delta", "partial_json": piece}


def _pieces(text: str, context: ReplyContext, given: Sequence[str] = ()) -> tuple[str, ...]:
    return pieces(text, context.split, given=given, size=20)


def _event(kind: str, members: dict[str, Any]) -> bytes:
    data = compact({"type": kind, **members})
    return f"event: {kind}\ndata: {data}\n\n".encode(errors=AS_ESCAPE)


def _with_fault(response: Response, fault: Fault) -> Response:
    """The chunks before the fault: `cut_after` of them, or the first half for an error event without a number."""
    if fault.error_event is None and fault.cut_after is None:
        return response
    kept = len(response.chunks) // 2 if fault.cut_after is None else fault.cut_after
    chunks = response.chunks[:kept]
    if fault.error_event is not None:
        return Response(200, response.headers, (*chunks, errors.error_event(fault.error_event)))
    return Response(200, response.headers, chunks, cut=True)
