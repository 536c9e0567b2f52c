"""A reply as server-sent chunks: one event per chunk of the response. Knows nothing of plain responses."""

from collections.abc import Iterator
from typing import Any

from fakes.chunking import inside_characters, pieces
from fakes.http import Response, compact
from fakes.reply import Reply
from fakes.wire import ReplyContext
from fakes.wires.openai_chat.completion_parts import finish_reason, reasons, tool_call
from fakes.wires.openai_chat.errors import error_event
from fakes.wires.openai_shared.errors import answer_headers
from fakes.wires.openai_shared.events import DONE
from fakes.wires.openai_shared.request_body import body_of

PIECE = 5
"""How many characters OpenAI's deltas have, about: they are tokens."""

BLOCK = 16
"""Padding makes all events of a stream as long as blocks of this many characters, and one: recorded."""


def response(reply: Reply, head: dict[str, Any], context: ReplyContext, *, usage: dict[str, Any]) -> Response:
    chunks = tuple(_events(reply, head, context, usage=usage))
    if context.split == "bytes":
        chunks = inside_characters(chunks)
    return Response(200, (("content-type", "text/event-stream; charset=utf-8"), *answer_headers(context)), chunks)


def _events(reply: Reply, head: dict[str, Any], context: ReplyContext, *, usage: dict[str, Any]) -> Iterator[bytes]:
    options = body_of(context.request).get("stream_options")
    options = options if isinstance(options, dict) else {}
    counted = options.get("include_usage") is True
    padded = options.get("include_obfuscation") is not False
    choice_end = "" if reasons(context) else ',"logprobs":null'
    same = compact(head)[:-1]
    padding = context.ids.make("", BLOCK) if padded else ""

    def event(choices: str, usage_: dict[str, Any] | None) -> bytes:
        text = f'{same},"choices":[{choices}]'
        if counted:
            text += f',"usage":{compact(usage_)}'
        if padded:
            length = len(text) + len(',"obfuscation":""}')
            text += f',"obfuscation":"{padding[: (1 - length) % BLOCK]}"'
        return f"data: {text}}}\n\n".encode(errors="replace")

    def step(delta: dict[str, Any], finish: str | None = None) -> bytes:
        # Written by hand around what differs from chunk to chunk: encoding it all takes twice as long.
        reason = "null" if finish is None else f'"{finish}"'
        return event(f'{{"index":0,"delta":{compact(delta)}{choice_end},"finish_reason":{reason}}}', None)

    error = reply.fault.error_event if reply.fault else None
    if error is None or reply.text or reply.thinking or reply.calls:
        yield from (step(delta) for delta in _deltas(reply, context))
    if error is not None:
        yield error_event(error, context)
        return
    yield step({}, finish_reason(reply, context))
    if counted:
        yield event("", usage)
    yield DONE


def _deltas(reply: Reply, context: ReplyContext) -> Iterator[dict[str, Any]]:
    """The role, then reasoning, text and calls; a single call without text shares the first delta with the role."""
    calls = [tool_call(call, context.ids) for call in reply.calls]
    lonely_call = len(calls) == 1 and not reply.text and not reply.thinking
    if lonely_call:
        first = {"tool_calls": [_opened(0, calls[0])], "refusal": None}
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
        if not lonely_call:
            yield {"tool_calls": [_opened(index, call)]}
        for piece in pieces(call["function"]["arguments"], context.split, size=PIECE):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _opened(index: int, call: dict[str, Any]) -> dict[str, Any]:
    """A call's first delta: all of it but the arguments."""
    return {"index": index, **call, "function": {"name": call["function"]["name"], "arguments": ""}}
