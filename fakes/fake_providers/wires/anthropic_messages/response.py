"""Renders a scripted reply as one Message object, or as server-sent events, one per chunk.

The shape, the order of the keys and the nulls are those of responses recorded in mid-2026.

A reply that is paused may leave its last call open; the reply to the request that sends it back begins with the
result.

In recorded streams a ping follows the start of the first block, and there is none without a block; the first piece of
arguments is empty; the signature is the last delta of a thinking block.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Final

from msgspec import Struct

from fake_providers.http import AS_ESCAPE, Request, Response, compact, quoted, spaced
from fake_providers.ids import Ids
from fake_providers.replies import kept_by_text, text_events
from fake_providers.replies.call_validation import arguments_object, arguments_text, id_of_call
from fake_providers.replies.transport_faults import with_fault_in_stream
from fake_providers.reply import CannotExpress, Finish, Reply, ServerCall, Split, inside_characters
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wires.anthropic_messages import errors
from fake_providers.wires.anthropic_messages.json_parser import model_of, tolerant
from fake_providers.wires.anthropic_messages.request import deferred, searches, view
from fake_providers.wires.anthropic_messages.thinking_signatures import sign

STOP_REASONS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "refusal": "refusal",
    "pause": "pause_turn",
}
CREATION: Final = '"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}'
PLACE: Final = '"service_tier":"standard","inference_geo":"global"'


class Usage(Struct, frozen=True):
    """The tokens of a request and of its reply. What was read from a cache is no part of `input`."""

    input: int
    output: int
    thinking: int
    cached: int

    # As JSON.

    @property
    def at_start(self) -> str:
        return f'{self._read},{CREATION},"output_tokens":1,{PLACE}}}'

    @property
    def plain(self) -> str:
        return f"{self._read},{CREATION},{self._written},{PLACE}}}"

    @property
    def at_end(self) -> str:
        return f"{self._read},{self._written}}}"

    @property
    def _read(self) -> str:
        cached = f'"cache_creation_input_tokens":0,"cache_read_input_tokens":{self.cached}'
        return f'{{"input_tokens":{self.input},{cached}'

    @property
    def _written(self) -> str:
        return f'"output_tokens":{self.output},"output_tokens_details":{{"thinking_tokens":{self.thinking}}}'


def plain(reply: Reply, context: ReplyContext) -> Response:
    """The whole message as one body. Raises `CannotExpress`."""
    if reply.fault is not None and reply.fault.error_event is not None:
        raise CannotExpress("error-event")
    if "text-in-the-start" in reply.quirks:
        raise CannotExpress("text-in-the-start")
    if reply.is_text_alone:
        content = _text_content(reply.text or "")
    else:
        blocks = content_blocks(reply, context)
        for block, call in zip(blocks[len(blocks) - len(reply.calls) :], reply.calls, strict=True):
            block["input"] = arguments_object(call)
        content = compact(blocks)
    ending = tail(reply.finish, has_calls=bool(reply.calls))
    tokens = usage(reply, context).plain
    message = f'{head(context, reply.id)},"content":{content},{ending},"usage":{tokens}}}'.encode(errors=AS_ESCAPE)
    request_id = errors.new_request_id(context.ids)
    return Response(200, (("content-type", "application/json"), *errors.headers(request_id)), (message,))


@kept_by_text
def _text_content(text: str) -> str:
    return f'[{{"type":"text","text":{quoted(text)}}}]' if text else "[]"


def head(context: ReplyContext, id: str | None = None) -> str:
    """The JSON of the first members."""
    model, id = model_of(tolerant(context.request)), id or context.ids.make("msg_01", 22)
    return f'{{"model":{quoted(model)},"id":{quoted(id)},"type":"message","role":"assistant"'


@cache
def tail(finish: Finish | None, *, has_calls: bool) -> str:
    """The JSON of the members that say how the message ended."""
    details = {"type": "refusal", "category": None, "explanation": None} if finish == "refusal" else None
    reason = STOP_REASONS[finish] if finish else "tool_use" if has_calls else "end_turn"
    return compact({"stop_reason": reason, "stop_sequence": None, "stop_details": details})[1:-1]


def content_blocks(reply: Reply, context: ReplyContext) -> list[dict[str, Any]]:
    """Thinking, what the provider's tools found, text, a call of them that is left open, then the calls of the client's
    tools, whose `input` is still empty, as in the start events of a stream."""
    ids = context.ids
    thoughts = [thought for thought in reply.thought_blocks if thought]
    blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": one, "signature": sign(one)} for one in thoughts]
    blocks += search_blocks(reply, context.request, ids)
    blocks += server_call_blocks(reply, context.request, ids, is_open=False)
    blocks += ({**citations(reply, text, ids), "type": "text", "text": text} for text in reply.text_blocks)
    blocks += server_call_blocks(reply, context.request, ids, is_open=True)
    call_ids = [id_of_call(call, lambda: call_id(ids)) for call in reply.calls]
    if len(set(call_ids)) < len(call_ids):
        raise CannotExpress("call-id-twice")
    for call, id_ in zip(reply.calls, call_ids, strict=True):
        block = {"type": "tool_use", "id": id_, "name": call.name, "input": {}}
        blocks.append(block | {"caller": {"type": "direct"}})
    return blocks


def citations(reply: Reply, text: str, ids: Ids) -> dict[str, Any]:
    """The member with the pages on which this block rests, if there are any."""
    found = []
    for source in reply.sources:
        if source.text is None or source.text in text:
            start, end = source.span(text)
            place = {"url": source.url, "title": source.title, "encrypted_index": ids.make("", 64)}
            found.append({"type": "web_search_result_location", "cited_text": text[start:end], **place})
    return {"citations": found} if found else {}


def call_id(ids: Ids) -> str:
    return ids.make("toolu_01", 22)


def usage(reply: Reply, context: ReplyContext) -> Usage:
    characters = len(reply.text or "") + sum(len(call.name) + len(arguments_text(call)) for call in reply.calls)
    counts = counted(reply, context.prompt_tokens(view), characters)
    output = counts.output if reply.usage else max(1, counts.output)
    return Usage(counts.input - counts.cached, output, counts.reasoning, counts.cached)


NOT_OFFERED = "I have no tool for that."
ADDRESS = "https://example.org/page"


def as_offered(reply: Reply, request: Request) -> Reply:
    """The reply, without what the model cannot do since the request does not declare the tool."""
    if not reply.server_calls:
        return reply
    tools = tolerant(request).get("tools")
    types = [str(tool.get("type")) for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    if all(any(kind.startswith(f"{call.name}_20") for kind in types) for call in reply.server_calls):
        return reply
    return replace(reply, text=NOT_OFFERED, blocks=(), finish=None, server_calls=())


def search_blocks(reply: Reply, request: Request, ids: Ids) -> list[dict[str, Any]]:
    """The provider's own search for the deferred tools that the reply calls."""
    body = tolerant(request) if reply.calls else {}
    hidden = deferred(body) if (tool := searches(body)) else ()
    names = [name for name in dict.fromkeys(call.name for call in reply.calls) if name in hidden]
    if not names:
        return []
    asked = {"pattern": "|".join(names)} if tool.endswith("regex") else {"query": " ".join(names)}
    use = {"type": "server_tool_use", "id": ids.make("srvtoolu_01", 22), "name": tool, "input": asked}
    found = [{"type": "tool_reference", "tool_name": name} for name in names]
    content = {"type": "tool_search_tool_search_result", "tool_references": found}
    return [use, {"type": "tool_search_tool_result", "tool_use_id": use["id"], "content": content}]


def server_call_blocks(reply: Reply, request: Request, ids: Ids, *, is_open: bool) -> list[dict[str, Any]]:
    """The blocks of the calls that have a result, or that are left open."""
    chosen = [call for call in reply.server_calls if (call.result is None) == is_open]
    return [block for call in chosen for block in _of_call(call, request, ids)]


def _of_call(call: ServerCall, request: Request, ids: Ids) -> list[dict[str, Any]]:
    waiting = _left_open(request) if call.arguments is None else None
    id_ = waiting or ids.make("srvtoolu_01", 22)
    use = {"type": "server_tool_use", "id": id_, "name": call.name, "input": dict(call.arguments or {})}
    found = {"type": "web_search_result", "title": call.result, "url": ADDRESS, "page_age": None}
    content = [{**found, "encrypted_content": ids.make("", 64)}]
    result = {"type": f"{call.name}_tool_result", "tool_use_id": id_, "content": content}
    return [*([] if waiting else [use]), *([] if call.result is None else [result])]


def _left_open(request: Request) -> str | None:
    """The id of the call at the end of the request that has no result yet."""
    messages = tolerant(request).get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    content = last.get("content") if isinstance(last, dict) and last.get("role") == "assistant" else None
    listed = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    answered = {block.get("tool_use_id") for block in listed}
    waiting = [block["id"] for block in listed if block.get("type") == "server_tool_use" and "id" in block]
    return next((id_ for id_ in reversed(waiting) if isinstance(id_, str) and id_ not in answered), None)


PING = b'event: ping\ndata: {"type": "ping"}\n\n'


def streamed(reply: Reply, context: ReplyContext) -> Response:
    """Raises `CannotExpress`."""
    tokens = usage(reply, context)
    if reply.is_text_alone:
        said = _events_of_text(reply.text or "", context.split, tuple(reply.chunks))
    else:
        said = tuple(_events(content_blocks(reply, context), reply, context.split))
    unfinished = f'"content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{tokens.at_start}'
    start = f'{{"type":"message_start","message":{head(context, reply.id)},{unfinished}}}}}'
    delta = f'"delta":{{{tail(reply.finish, has_calls=bool(reply.calls))}}},"usage":{tokens.at_end}'
    end = f'{{"type":"message_delta",{delta}}}'
    events = (_named("message_start", start), *said, _named("message_delta", end), STOP)
    sse_headers = (("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"))
    response = Response(200, (*sse_headers, *errors.headers(errors.new_request_id(context.ids))), events)
    if reply.fault is not None:
        response = with_fault_in_stream(response, reply.fault, errors.error_event)
    if context.split == "bytes":
        return Response(200, response.headers, inside_characters(response.chunks), cut=response.cut)
    return response


@kept_by_text
def _events_of_text(text: str, split: Split, chunks: tuple[str, ...]) -> tuple[bytes, ...]:
    blocks = [{"type": "text", "text": text}] if text else []
    return tuple(_events(blocks, Reply(text=text, chunks=chunks), split))


def _events(blocks: list[dict[str, Any]], reply: Reply, split: Split) -> Iterator[bytes]:
    for index, block in enumerate(blocks):
        # The block as its start event has it
        empty: dict[str, Any] = {name: "" for name in ("text", "thinking", "signature") if name in block}
        empty |= {"citations": []} if "citations" in block else {}
        rest = block
        if "text-in-the-start" in reply.quirks and (kind := block["type"]) in empty:
            first_word = block[kind].find(" ") + 1 or len(block[kind])
            empty[kind] = block[kind][:first_word]
            rest = block | {kind: block[kind][first_word:]}
        yield _event(
            "content_block_start",
            {"index": index, "content_block": block | empty | ({"input": {}} if "input" in block else {})},
        )
        if index == 0:
            yield PING
        yield from _deltas(index, rest, reply, split, call=index - len(blocks) + len(reply.calls))
        yield _event("content_block_stop", {"index": index})


def _deltas(index: int, block: dict[str, Any], reply: Reply, split: Split, *, call: int) -> Iterator[bytes]:
    """`call` is the position among the reply's calls, if the block is one."""

    def delta(members: dict[str, Any]) -> bytes:
        return _event("content_block_delta", {"index": index, "delta": members})

    def deltas(kind: str, member: str, text: str, given: tuple[str, ...] = ()) -> tuple[bytes, ...]:
        begin = f'event: content_block_delta\ndata: {{"type":"content_block_delta","index":{index},"delta":'
        before = f'{begin}{{"type":"{kind}","{member}":'
        return text_events(text, before, "}}\n\n", split=split, size=20, given=given)

    if block["type"] == "thinking":
        yield from deltas("thinking_delta", "thinking", block["thinking"])
        yield delta({"type": "signature_delta", "signature": block["signature"]})
    elif block["type"] == "text":
        yield from deltas("text_delta", "text", block["text"], () if reply.quirks else reply.chunks)
        for citation in block.get("citations", ()):
            yield delta({"type": "citations_delta", "citation": citation})
    elif block["type"] in ("server_tool_use", "tool_use"):
        is_own = block["type"] == "server_tool_use"
        yield delta({"type": "input_json_delta", "partial_json": ""})
        text = spaced(block["input"]) if is_own else arguments_text(reply.calls[call])
        yield from deltas("input_json_delta", "partial_json", text)


def _event(kind: str, members: dict[str, Any]) -> bytes:
    return _named(kind, compact({"type": kind, **members}))


def _named(kind: str, data: str) -> bytes:
    return f"event: {kind}\ndata: {data}\n\n".encode(errors=AS_ESCAPE)


STOP: Final = _event("message_stop", {})
