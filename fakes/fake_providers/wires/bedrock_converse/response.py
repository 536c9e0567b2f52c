"""Renders a scripted reply as one answer of `converse`, or as the frames of `converse-stream`.

Keys come sorted, as in recorded answers.
"""

import string
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

from fake_providers.http import AS_ESCAPE, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.replies import kept_by_text
from fake_providers.replies.call_validation import arguments_object, arguments_text, id_of_call
from fake_providers.replies.event_frames import CONTENT_TYPE, encode_frame
from fake_providers.replies.transport_faults import with_fault_in_stream
from fake_providers.reply import CannotExpress, Finish, Reply, Split, inside_characters, pieces
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wires.anthropic_messages.thinking_signatures import sign
from fake_providers.wires.bedrock_converse import errors
from fake_providers.wires.bedrock_converse.errors import headers
from fake_providers.wires.bedrock_converse.request import traits_at, view

STOP_REASONS: dict[Finish | None, str] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "content_filtered",
    "malformed": "malformed_tool_use",
}
SIZE = 20
"""Characters of a piece of a text."""
LATENCY = 318
"""Milliseconds that every answer says it took."""


def plain(reply: Reply, context: ReplyContext) -> Response:
    """Raises `CannotExpress`."""
    if reply.fault is not None and reply.fault.error_event is not None:
        raise CannotExpress("error-event")
    content = content_blocks(reply, context)
    for block, call in zip(content[len(content) - len(reply.calls) :], reply.calls, strict=True):
        block["toolUse"] = {"input": arguments_object(call), **block["toolUse"]}
    body = {
        "metrics": {"latencyMs": LATENCY},
        "output": {"message": {"content": content, "role": "assistant"}},
        "stopReason": stop_reason(reply),
        "usage": usage(reply, context),
    }
    return json_response(200, body, headers(context.ids))


def content_blocks(reply: Reply, context: ReplyContext) -> list[dict[str, Any]]:
    """Reasoning, text, then calls without their `input`, as the starts of blocks in a stream have them."""
    blocks: list[dict[str, Any]] = []
    for thought in filter(None, reply.thought_blocks):
        signed = {"signature": sign(thought)} if "claude" in traits_at(context.request) else {}
        blocks.append({"reasoningContent": {"reasoningText": {**signed, "text": thought}}})
    blocks += ({"text": text} for text in reply.text_blocks)
    ids = [id_of_call(call, lambda: call_id(context.ids)) for call in reply.calls]
    if len(set(ids)) < len(ids):
        raise CannotExpress("call-id-twice")
    calls = zip(reply.calls, ids, strict=True)
    return [*blocks, *({"toolUse": {"name": call.name, "toolUseId": id_}} for call, id_ in calls)]


def call_id(ids: Ids) -> str:
    return ids.make("tooluse_", 22)


def usage(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    """What was read from a cache is no part of `inputTokens`, and part of the total. Models that cache say so twice."""
    characters = len(reply.text or "") + sum(len(call.name) + len(arguments_text(call)) for call in reply.calls)
    counts = counted(reply, context.prompt_tokens(view), characters)
    written = counts.output if reply.usage else max(1, counts.output)
    cached: dict[str, Any] = {}
    if counts.cached or traits_at(context.request) & {"claude", "nova"}:
        named = {"cacheReadInputToken": counts.cached, "cacheWriteInputToken": 0}
        cached = {f"{name}{end}": count for name, count in named.items() for end in ("Count", "s")}
    own = {"inputTokens": counts.input - counts.cached, "outputTokens": written, "serverToolUsage": {}}
    return {**cached, **own, "totalTokens": counts.input + written}


def stop_reason(reply: Reply) -> str:
    if reply.finish is None:
        return "tool_use" if reply.calls else "end_turn"
    return STOP_REASONS[reply.finish]


PADDING: Final = string.ascii_lowercase + string.ascii_uppercase + "0123456"
"""Each event is padded with the beginning of it, so that its length tells nothing of what it says."""


def streamed(reply: Reply, context: ReplyContext) -> Response:
    """Raises `CannotExpress`."""
    return in_frames(_events(reply, context), reply, context)


Event = tuple[str, dict[str, Any]] | Callable[[int], tuple[bytes, ...]]
"""Its name and members; or the frames of several, from the number of the first."""


def in_frames(events: Iterable[Event], reply: Reply, context: ReplyContext) -> Response:
    """The events, and how they end where the reply has a fault."""
    frames: list[bytes] = []
    for event in events:
        frames += event(len(frames)) if callable(event) else (_event(*event, len(frames)),)
    named = (("content-type", CONTENT_TYPE), *errors.headers(context.ids))
    response = Response(200, named, tuple(frames))
    if reply.fault is not None:
        response = with_fault_in_stream(response, reply.fault, errors.exception_frame)
    if context.split == "bytes":
        return Response(200, named, inside_characters(response.chunks), cut=response.cut)
    return response


def _events(reply: Reply, context: ReplyContext) -> Iterator[Event]:
    blocks = content_blocks(reply, context)
    yield "messageStart", {"role": "assistant"}
    for index, block in enumerate(blocks):
        if "toolUse" in block:
            yield "contentBlockStart", {"contentBlockIndex": index, "start": block}
        if "text" in block:
            text, split, given = block["text"], context.split, tuple(reply.chunks)
            yield partial(_text_frames, text, index, split, given)
            yield "contentBlockStop", {"contentBlockIndex": index}
            continue
        for delta in deltas(block, reply, context, call=index - len(blocks) + len(reply.calls)):
            yield "contentBlockDelta", {"contentBlockIndex": index, "delta": delta}
        yield "contentBlockStop", {"contentBlockIndex": index}
    yield "messageStop", {"stopReason": stop_reason(reply)}
    yield "metadata", {"metrics": {"latencyMs": LATENCY}, "usage": usage(reply, context)}


def deltas(block: dict[str, Any], reply: Reply, context: ReplyContext, *, call: int) -> Iterator[dict[str, Any]]:
    """Of a block. `call` is the position among the reply's calls, if the block is one."""
    if "text" in block:
        for piece in pieces(block["text"], context.split, given=tuple(reply.chunks), size=SIZE):
            yield {"text": piece}
    elif "toolUse" in block:
        for piece in pieces(arguments_text(reply.calls[call]), context.split, size=SIZE):
            yield {"toolUse": {"input": piece}}
    elif "reasoningContent" in block:
        thought = block["reasoningContent"]["reasoningText"]
        for piece in pieces(thought["text"], context.split, size=SIZE):
            yield {"reasoningContent": {"text": piece}}
        if "signature" in thought:
            yield {"reasoningContent": {"signature": thought["signature"]}}


@kept_by_text
def _text_frames(text: str, index: int, split: Split, given: tuple[str, ...], first: int) -> tuple[bytes, ...]:
    events = [
        {"contentBlockIndex": index, "delta": {"text": piece}} for piece in pieces(text, split, given=given, size=SIZE)
    ]
    return tuple([_event("contentBlockDelta", members, number) for number, members in enumerate(events, first)])


def _event(name: str, members: dict[str, Any], number: int) -> bytes:
    padded = {**members, "p": PADDING[: 2 + number * 7 % (len(PADDING) - 2)]}
    body = compact(dict(sorted(padded.items()))).encode(errors=AS_ESCAPE)
    return encode_frame("event", name, body)
