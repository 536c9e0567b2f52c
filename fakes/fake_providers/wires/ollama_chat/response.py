"""Renders a reply as Ollama's response, plain or streamed; `stream` makes the lines."""

import string
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from fake_providers.http import Response, spaced
from fake_providers.ids import Ids
from fake_providers.replies.call_validation import arguments_object
from fake_providers.replies.wire_limits import refuse_inexpressible
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
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wires.ollama_chat.errors import encode_json, error_line, fail, respond, with_fault
from fake_providers.wires.ollama_chat.limits import LIMITS
from fake_providers.wires.ollama_chat.model_names import parse_name
from fake_providers.wires.ollama_chat.request import body_of, loads_only, member, model_of, view_of, wants_stream


def encode(reply: Reply, context: ReplyContext) -> Response:
    """The reply as Ollama would send it; see `fake_providers.wire.Wire.encode`. A request without messages only loads
    the model.
    """
    refuse_inexpressible(reply, LIMITS)
    fault = reply.fault or NO_FAULT
    body = body_of(context.request)
    if fault.status is not None or fault.body is not None:
        return fail(fault, context)
    if loads_only(body):
        return respond(200, load_response(body))
    calls = [tool_call(call, index, context.ids) for index, call in enumerate(reply.calls)]
    if wants_stream(body):
        return with_fault(response(reply, calls, context, final=final_members(reply, context)), fault, stream=True)
    if fault.error_event is not None:
        raise CannotExpress("error-event")
    rendered = {
        **first_members(response_model(body), 0),
        "message": message(reply, calls),
        **final_members(reply, context),
    }
    return with_fault(respond(200, rendered), fault, stream=False)


LINES = "application/x-ndjson"
PIECE = 5
"""The approximate number of characters in Ollama's pieces, which are tokens."""


def response(reply: Reply, calls: list[dict[str, Any]], context: ReplyContext, *, final: dict[str, Any]) -> Response:
    """An error replaces the last line. If it is the first line the status is still 200, as with Ollama before 2026."""
    model = response_model(body_of(context.request))
    messages = list(_messages(reply, calls, context.split))
    lines = [_line(model, number, message, {"done": False}) for number, message in enumerate(messages)]
    error = reply.fault.error_event if reply.fault else None
    if error is not None:
        lines.append(error_line(error, context))
    else:
        lines.append(_line(model, len(lines), {"content": ""}, final))
    chunks = inside_characters(lines) if context.split == "bytes" else tuple(lines)
    return Response(200, (("content-type", LINES),), chunks)


def _line(model: str, number: int, message: dict[str, Any], final: dict[str, Any]) -> bytes:
    rendered = {**first_members(model, number * 10), "message": {"role": "assistant", **message}, **final}
    return encode_json(rendered) + b"\n"


def _messages(reply: Reply, calls: list[dict[str, Any]], split: Split) -> Iterator[dict[str, Any]]:
    """Thinking, then text, then each complete call in a line of its own."""
    for piece in pieces(reply.thinking or "", split, size=PIECE):
        yield {"content": "", "thinking": piece}
    for piece in pieces(reply.text or "", split, given=reply.chunks, size=PIECE):
        yield {"content": piece}
    for call in calls:
        yield {"content": "", "tool_calls": [call]}


CREATED = datetime(2025, 11, 20, tzinfo=UTC)
"""The time of the first line. It is fixed, so that the same script gives the same bytes."""

LETTERS = string.ascii_lowercase + string.digits
NO_TIME = (0, "0", "0s", "0m", "0h")
"""Values of `keep_alive` that unload the model."""


def response_model(body: Any) -> str:
    """The model's name in the response: a model of the cloud has its base name."""
    model = model_of(body)
    name = parse_name(model)
    return name.base if name and name.cloud else model


def first_members(model: str, milliseconds: int) -> dict[str, Any]:
    """The first members of a response and of each line of a stream."""
    created = CREATED + timedelta(milliseconds=milliseconds)
    return {"model": model, "created_at": f"{created.isoformat(timespec='microseconds').removesuffix('+00:00')}Z"}


def final_members(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    """The last members of a response. Durations are in nanoseconds, and a zero count is left out. A response with
    calls has the reason `stop` too."""
    characters = len(reply.text or "") + sum(len(call.name + spaced(arguments_object(call))) for call in reply.calls)
    prompt, tokens, _, _ = counted(reply, context.view or view_of(context.request), characters)
    if context.read_tokens is not None:
        prompt = min(prompt, context.read_tokens)
    members = {
        "total_duration": 120_000_000 + 10_000_000 * tokens,
        "load_duration": 70_000_000,
        "prompt_eval_count": prompt,
        "prompt_eval_duration": 50_000_000,
        # Also the token that ends an empty completion is counted; its duration is left out. (ollama/ollama#8553)
        "eval_count": max(1, tokens),
        "eval_duration": 10_000_000 * tokens,
    }
    reason = "length" if reply.finish == "length" else "stop"
    return {"done": True, "done_reason": reason, **{name: count for name, count in members.items() if count}}


def call_id(ids: Ids) -> str:
    return ids.make("call_", 8, LETTERS)


def tool_call(call: Call, index: int, ids: Ids) -> dict[str, Any]:
    """A complete call with its arguments as an object. Without an id it has no index either, as before November
    2025."""
    id_ = call_id(ids) if call.id is MADE_BY_PROVIDER else call.id
    if id_ is None:
        return {"function": {"name": call.name, "arguments": arguments_object(call)}}
    return {"id": id_, "function": {"index": index, "name": call.name, "arguments": arguments_object(call)}}


def message(reply: Reply, calls: list[dict[str, Any]]) -> dict[str, Any]:
    rendered: dict[str, Any] = {"role": "assistant", "content": reply.text or ""}
    if reply.thinking:
        rendered["thinking"] = reply.thinking
    return {**rendered, "tool_calls": calls} if calls else rendered


def load_response(body: Any) -> dict[str, Any]:
    rendered = {**first_members(response_model(body), 0), "message": {"role": "assistant", "content": ""}}
    return {**rendered, "done": True, "done_reason": "unload" if member(body, "keep_alive") in NO_TIME else "load"}
