"""Writes replies as Cohere sends them: a message of blocks, or its events. Shapes: recordings of 2025 and 2026."""

import string
from collections.abc import Iterator
from typing import Any, Final

from fake_providers.http import AS_ESCAPE, Response, compact, json_response
from fake_providers.ids import Ids, uuid
from fake_providers.models import traits
from fake_providers.replies import text_events
from fake_providers.replies.call_validation import arguments_as_json
from fake_providers.replies.transport_faults import with_fault
from fake_providers.reply import (
    MADE_BY_PROVIDER,
    NO_FAULT,
    Call,
    CannotExpress,
    Reply,
    Split,
    inside_characters,
    pieces,
)
from fake_providers.values.go_json_body import body_of
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wire_facts import refuse_inexpressible
from fake_providers.wires.cohere_chat.errors import fail, sentence_of
from fake_providers.wires.cohere_chat.request import model_of, view_of, wants_stream

STREAM: Final = "text/event-stream"
DONE: Final = b"data: [DONE]\n\n"
PIECE: Final = 5
"""The approximate number of characters in Cohere's pieces, which are tokens."""
LETTERS: Final = string.ascii_lowercase + string.digits


def encode(reply: Reply, context: ReplyContext) -> Response:
    """The reply as Cohere would send it; see `fake_providers.wire.Wire.encode`."""
    refuse_inexpressible(reply, "cohere-chat")
    fault = reply.fault or NO_FAULT
    if fault.status is not None or fault.body is not None:
        return fail(fault, context)
    body = body_of(context.request)
    calls = _tool_calls(reply, context.ids)
    id_ = reply.id or uuid(context.ids)
    plans = bool(reply.calls) and "no-tool-plan" not in traits("cohere-chat", model_of(body), context.provider)
    if wants_stream(body):
        return with_fault(_streamed(reply, calls, id_, context, plans=plans), fault, stream=True)
    if fault.error_event is not None:
        raise CannotExpress("error-event")
    message = {"role": "assistant", **_blocks(reply, plans=plans)}
    if calls:
        message["tool_calls"] = calls
    whole = {"id": id_, "message": message, "finish_reason": finish_of(reply), "usage": usage_of(reply, context)}
    return with_fault(json_response(200, whole), fault, stream=False)


def call_id(ids: Ids, name: str = "") -> str:
    """The name of the tool comes first; where it is not known yet, the word `call`."""
    return ids.make(f"{name or 'call'}_", 12, LETTERS)


def _tool_calls(reply: Reply, ids: Ids) -> list[dict[str, Any]]:
    """Raises `CannotExpress` for an id that Cohere never sends: none, or that of another call."""
    given = [call.id for call in reply.calls if call.id is not MADE_BY_PROVIDER]
    if None in given:
        raise CannotExpress("call-id-null")
    if len(set(given)) < len(given):
        raise CannotExpress("call-id-twice")
    return [tool_call(call, ids) for call in reply.calls]


def tool_call(call: Call, ids: Ids) -> dict[str, Any]:
    id_ = call_id(ids, call.name) if call.id is MADE_BY_PROVIDER else call.id
    return {"id": id_, "type": "function", "function": {"name": call.name, "arguments": arguments_as_json(call)}}


def finish_of(reply: Reply) -> str:
    if reply.finish == "length":
        return "MAX_TOKENS"
    return "TOOL_CALL" if reply.calls else "COMPLETE"


def usage_of(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    """What is billed has no tokens of Cohere's own prompt, of which the fake has none. Reasoning is a part of the
    output, and is counted only where there is some."""
    characters = len(reply.text or "") + sum(
        len(call["function"]["name"] + call["function"]["arguments"])
        for call in (tool_call(call, Ids("usage")) for call in reply.calls)
    )
    prompt, output, reasoning, cached = counted(reply, context.prompt_tokens(view_of), characters)
    both = {"input_tokens": prompt, "output_tokens": output}
    tokens = {**both, "reasoning_tokens": reasoning} if reasoning else both
    return {"billed_units": both, "tokens": tokens, "cached_tokens": cached}


def _blocks(reply: Reply, *, plans: bool) -> dict[str, Any]:
    """Thinking and text are blocks; a text before calls is a plan, where the model has plans."""
    thinking = [{"type": "thinking", "thinking": thought} for thought in reply.thought_blocks if thought]
    texts = [] if plans else [{"type": "text", "text": text} for text in reply.text_blocks]
    plan = {"tool_plan": reply.text} if plans and reply.text else {}
    return {**({"content": [*thinking, *texts]} if thinking or texts else {}), **plan}


def _streamed(reply: Reply, calls: list[dict[str, Any]], id_: str, context: ReplyContext, *, plans: bool) -> Response:
    """An error takes the place of the finish: it is the reason `ERROR`, and the stream ends as usual."""
    opening = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    events = [_event("message-start", id=id_, delta={"message": opening})]
    events += _block_events(reply, context.split, plans=plans)
    for index, call in enumerate(calls):
        events += _call_events(index, call, context.split)
    error = reply.fault.error_event if reply.fault else None
    if error is None:
        ending: dict[str, Any] = {"finish_reason": finish_of(reply), "usage": usage_of(reply, context)}
    else:
        sentence = sentence_of(int(error), context) if error.isdecimal() else error
        ending = {"finish_reason": "ERROR", "usage": {}, "error": sentence}
    chunks = (*events, _event("message-end", delta=ending), DONE)
    return Response(200, (("content-type", STREAM),), inside_characters(chunks) if context.split == "bytes" else chunks)


def _block_events(reply: Reply, split: Split, *, plans: bool) -> Iterator[bytes]:
    blocks = [("thinking", thought) for thought in reply.thought_blocks if thought]
    blocks += [] if plans else [("text", text) for text in reply.text_blocks]
    for index, (kind, text) in enumerate(blocks):
        yield _event("content-start", index=index, delta={"message": {"content": {"type": kind, kind: ""}}})
        # Given pieces are those of the whole text.
        given = reply.chunks if kind == "text" and not reply.blocks else ()
        before = (
            f'event: content-delta\ndata: {{"type":"content-delta","index":{index},"delta":{{"message":{{"content":'
        )
        yield from text_events(text, f'{before}{{"{kind}":', "}}}}\n\n", split=split, size=PIECE, given=tuple(given))
        yield _event("content-end", index=index)
    for piece in pieces(reply.text or "", split, given=reply.chunks, size=PIECE) if plans else ():
        yield _event("tool-plan-delta", delta={"message": {"tool_plan": piece}})


def _call_events(index: int, call: dict[str, Any], split: Split) -> Iterator[bytes]:
    """A call without arguments has no pieces of them: that is recorded, and a client must not send back nothing."""
    function = call["function"]
    begun = {**call, "function": {"name": function["name"], "arguments": ""}}
    yield _event("tool-call-start", index=index, delta={"message": {"tool_calls": begun}})
    text = "" if function["arguments"] == "{}" else function["arguments"]
    for piece in pieces(text, split, size=PIECE):
        more = {"function": {"arguments": piece}}
        yield _event("tool-call-delta", index=index, delta={"message": {"tool_calls": more}})
    yield _event("tool-call-end", index=index)


def _event(kind: str, *, id: str = "", **members: Any) -> bytes:
    data = {**({"id": id} if id else {}), "type": kind, **members}
    return f"event: {kind}\ndata: {compact(data)}\n\n".encode(errors=AS_ESCAPE)
