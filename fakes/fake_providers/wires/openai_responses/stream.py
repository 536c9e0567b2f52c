"""Renders a response as typed server-sent events, one per chunk. Knows nothing of plain responses.

Each event has its name twice and a sequence number; there is no `[DONE]`. After the type, the members are in
alphabetical order, as recorded since 2026.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fake_providers.http import Response
from fake_providers.replies.chunking import inside_characters, pieces
from fake_providers.reply import Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses.errors import answer_headers, error_of, event
from fake_providers.wires.openai_responses.request import body_of

PIECE = 5
"""The approximate length of OpenAI's deltas, which are tokens."""

BLOCK = 16

Event = tuple[str, dict[str, Any]]
"""The name of an event without `response.`, and its members."""


def response(reply: Reply, initial: Mapping[str, Any], done: Mapping[str, Any], context: ReplyContext) -> Response:
    events = _events(reply, initial, done, context)
    numbered = ((name, {**members, "sequence_number": number}) for number, (name, members) in enumerate(events))
    chunks = tuple(event(name, dict(sorted(members.items()))) for name, members in numbered)
    if context.split == "bytes":
        chunks = inside_characters(chunks)
    return Response(200, (("content-type", "text/event-stream; charset=utf-8"), *answer_headers(context)), chunks)


def _events(
    reply: Reply, initial: Mapping[str, Any], done: Mapping[str, Any], context: ReplyContext
) -> Iterator[Event]:
    yield "response.created", {"response": initial}
    yield "response.in_progress", {"response": initial}
    error_text = reply.fault.error_event if reply.fault else None
    if error_text is None or reply.text or reply.thinking or reply.calls:
        for index, item in enumerate(done["output"]):
            for name, members in _item(item, reply, context):
                yield f"response.{name}", {"output_index": index, **members}
    if error_text is None:
        yield f"response.{done['status']}", {"response": done}
        return
    error = error_of(error_text, context)
    yield "error", {"error": error}
    failure = {"code": error["code"], "message": error["message"]}
    yield "response.failed", {"response": {**initial, "status": "failed", "error": failure}}


def _item(item: dict[str, Any], reply: Reply, context: ReplyContext) -> Iterator[Event]:
    pieces_of = {"reasoning": _reasoning, "message": _message, "function_call": _call}[item["type"]]
    yield "output_item.added", {"item": {**item, **EMPTY[item["type"]]}}
    for name, members in pieces_of(item, reply, context):
        yield name, {"item_id": item["id"], **members}
    yield "output_item.done", {"item": item}


EMPTY: Mapping[str, dict[str, Any]] = {
    "reasoning": {"summary": []},
    "message": {"status": "in_progress", "content": []},
    "function_call": {"status": "in_progress", "arguments": ""},
}
"""The members that an item does not have yet when it is added."""


def _reasoning(item: dict[str, Any], _reply: Reply, context: ReplyContext) -> Iterator[Event]:
    for index, part in enumerate(item["summary"]):
        at = {"summary_index": index}
        yield "reasoning_summary_part.added", {**at, "part": {"type": "summary_text", "text": ""}}
        padding = _padding(context)
        for piece in pieces(part["text"], context.split, size=PIECE):
            yield "reasoning_summary_text.delta", {**at, "delta": piece, **padding(piece)}
        yield "reasoning_summary_text.done", {**at, "text": part["text"]}
        yield "reasoning_summary_part.done", {**at, "part": part}


def _message(item: dict[str, Any], reply: Reply, context: ReplyContext) -> Iterator[Event]:
    at = {"content_index": 0}
    part = item["content"][0]
    refused = part["type"] == "refusal"
    member = "refusal" if refused else "text"
    name = "refusal" if refused else "output_text"
    logprobs: dict[str, list[Any]] = {} if refused else {"logprobs": []}
    yield "content_part.added", {**at, "part": {**part, member: ""}}
    padding = _no_padding if refused else _padding(context)
    for piece in pieces(part[member], context.split, given=reply.chunks, size=PIECE):
        yield f"{name}.delta", {**at, "delta": piece, **logprobs, **padding(piece)}
    yield f"{name}.done", {**at, member: part[member], **logprobs}
    yield "content_part.done", {**at, "part": part}


def _call(item: dict[str, Any], _reply: Reply, context: ReplyContext) -> Iterator[Event]:
    padding = _padding(context)
    for piece in pieces(item["arguments"], context.split, size=PIECE):
        yield "function_call_arguments.delta", {"delta": piece, **padding(piece)}
    yield "function_call_arguments.done", {"arguments": item["arguments"]}


def _padding(context: ReplyContext) -> Callable[[str], dict[str, str]]:
    """Padding that brings a delta to a multiple of 16 characters; refusals have none: recorded."""
    options = body_of(context.request).get("stream_options")
    if isinstance(options, dict) and options.get("include_obfuscation") is False:
        return _no_padding
    letters = context.ids.make("", BLOCK)
    return lambda piece: {"obfuscation": letters[: -len(piece) % BLOCK]}


def _no_padding(piece: str) -> dict[str, str]:
    return {}
