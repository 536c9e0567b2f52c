"""Renders a reply as server-sent chunks, one event per chunk. Knows nothing of plain responses."""

from collections.abc import Iterator
from typing import Any

from fakes.chunking import inside_characters, pieces
from fakes.http import AS_ESCAPE, Response, compact
from fakes.reply import Reply
from fakes.wire import ReplyContext
from fakes.wires.openai_chat.completion_parts import finish_reason, reasons, tool_call
from fakes.wires.openai_chat.errors import error_event
from fakes.wires.openai_chat.quirks import stream_with_quirks
from fakes.wires.openai_shared.errors import answer_headers
from fakes.wires.openai_shared.events import DONE
from fakes.wires.openai_shared.request_body import body_of

PIECE = 5
"""The approximate length of OpenAI's deltas, which are tokens."""

BLOCK = 16
"""Padding brings all events of a stream to a multiple of this many characters, plus one: recorded."""


def response(reply: Reply, head: dict[str, Any], context: ReplyContext, *, usage: dict[str, Any]) -> Response:
    chunks = stream_with_quirks(tuple(_events(reply, head, context, usage=usage)), reply.quirks, usage=usage)
    if context.split == "bytes":
        chunks = inside_characters(chunks)
    return Response(200, (("content-type", "text/event-stream; charset=utf-8"), *answer_headers(context)), chunks)


def _events(reply: Reply, head: dict[str, Any], context: ReplyContext, *, usage: dict[str, Any]) -> Iterator[bytes]:
    options = body_of(context.request).get("stream_options")
    options = options if isinstance(options, dict) else {}
    wants_usage = options.get("include_usage") is True
    is_padded = options.get("include_obfuscation") is not False
    choice_end = "" if reasons(context) else ',"logprobs":null'
    shared = compact(head)[:-1]
    padding = context.ids.make("", BLOCK) if is_padded else ""

    def event(choices: str, usage_: dict[str, Any] | None) -> bytes:
        text = f'{shared},"choices":[{choices}]'
        if wants_usage:
            text += f',"usage":{compact(usage_)}'
        if is_padded:
            length = len(text) + len(',"obfuscation":""}')
            text += f',"obfuscation":"{padding[: (1 - length) % BLOCK]}"'
        return f"data: {text}}}\n\n".encode(errors=AS_ESCAPE)

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        # Only what differs from chunk to chunk is encoded; encoding everything takes twice as long.
        reason = "null" if finish is None else f'"{finish}"'
        return event(f'{{"index":0,"delta":{compact(delta)}{choice_end},"finish_reason":{reason}}}', None)

    error = reply.fault.error_event if reply.fault else None
    if error is None or reply.text or reply.thinking or reply.calls:
        yield from (chunk(delta) for delta in _deltas(reply, context))
    if error is not None:
        yield error_event(error, context)
        return
    yield chunk({}, finish_reason(reply, context))
    if wants_usage:
        yield event("", usage)
    yield DONE


def _deltas(reply: Reply, context: ReplyContext) -> Iterator[dict[str, Any]]:
    """The role, then reasoning, text and calls; a single call without text shares the first delta with the role."""
    calls = [tool_call(call, context.ids) for call in reply.calls]
    single_call = len(calls) == 1 and not reply.text and not reply.thinking
    if single_call:
        first = {"tool_calls": [_first_delta(0, calls[0])], "refusal": None}
        yield {"role": "assistant", "content": None if reply.text is None else "", **first}
    elif reply.thinking:
        yield {"role": "assistant", "content": None, "reasoning_content": ""}
    elif calls and not reply.text:
        yield {"role": "assistant", "content": None if reply.text is None else ""}
    else:
        yield {"role": "assistant", "content": "", "refusal": None}
    for piece in pieces(reply.thinking or "", context.split, size=PIECE):
        yield {"reasoning_content": piece}
    member = "refusal" if reply.finish == "refusal" else "content"
    for piece in pieces(reply.text or "", context.split, given=reply.chunks, size=PIECE):
        yield {member: piece}
    for index, call in enumerate(calls):
        if not single_call:
            yield {"tool_calls": [_first_delta(index, call)]}
        for piece in pieces(call["function"]["arguments"], context.split, size=PIECE):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _first_delta(index: int, call: dict[str, Any]) -> dict[str, Any]:
    """The first delta of a call: everything but the arguments."""
    return {"index": index, **call, "function": {"name": call["function"]["name"], "arguments": ""}}
