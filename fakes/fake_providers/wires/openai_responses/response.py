"""Renders a reply as a response object, plain or streamed; `output_items` makes the items and `stream` the events.

Each event has its name twice and a sequence number; there is no `[DONE]`. After the type, the members are in
alphabetical order, as recorded since 2026.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from fake_providers.http import AS_ESCAPE, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.replies.wire_limits import LIMITS, refuse_inexpressible
from fake_providers.reply import NO_FAULT, CannotExpress, Reply, inside_characters, pieces
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses import output_items, own_tools
from fake_providers.wires.openai_responses.conversation import conversation_id
from fake_providers.wires.openai_responses.errors import answer_headers, error_of, event, fail, with_fault
from fake_providers.wires.openai_responses.output_items import PIECE
from fake_providers.wires.openai_responses.request import body_of, model_of, view_of, wants_stream

CREATED: Final = 1763596800
"""2025-11-20: the same script gives the same bytes."""

NO_IMAGE: Final = {"image_tokens": 0, "text_tokens": 0}
TOOL_USAGE: Final = {
    "image_gen": {
        "input_tokens": 0,
        "input_tokens_details": NO_IMAGE,
        "output_tokens": 0,
        "output_tokens_details": NO_IMAGE,
        "total_tokens": 0,
    },
    "web_search": {"num_requests": 0},
}
"""The usage of the built-in tools, apart from searches; sent since the summer of 2026."""

CUT_SHORT: Final = {"length": "max_output_tokens", "content_filter": "content_filter"}


def encode(reply: Reply, context: ReplyContext) -> Response:
    """The reply as OpenAI would send it; see `fake_providers.wire.Wire.encode`."""
    refuse_inexpressible(reply, LIMITS["openai-responses"])
    fault = reply.fault or NO_FAULT
    if fault.status is not None or fault.body is not None:
        return fail(fault, context)
    initial = initial_response(context, reply.id)
    done = finished(initial, reply, output_items.items(reply, context), context)
    if wants_stream(body_of(context.request)):
        return with_fault(response(reply, initial, done, context), fault)
    if fault.error_event is not None:
        raise CannotExpress("error-event")
    return with_fault(json_response(200, with_billing(done), answer_headers(context)), fault)


def call_id(ids: Ids) -> str:
    return ids.make("call_", 24)


def initial_response(context: ReplyContext, id: str | None = None) -> dict[str, Any]:
    """The response before any output: the request's fields with defaults filled in."""
    body = body_of(context.request)
    reasons = "reasoning" in traits("openai-responses", model_of(body))
    return {
        "id": id or own_tools.item_id("resp", context.ids),
        "object": "response",
        "created_at": CREATED,
        "status": "in_progress",
        "background": _or(body.get("background"), False),
        "completed_at": None,
        "error": None,
        "frequency_penalty": _or(body.get("frequency_penalty"), 0.0),
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "max_tool_calls": body.get("max_tool_calls"),
        "model": model_of(body),
        "moderation": None,
        "output": [],
        "parallel_tool_calls": _or(body.get("parallel_tool_calls"), True),
        "presence_penalty": _or(body.get("presence_penalty"), 0.0),
        "previous_response_id": body.get("previous_response_id"),
        "prompt_cache_key": body.get("prompt_cache_key"),
        "prompt_cache_retention": body.get("prompt_cache_retention"),
        "reasoning": {"effort": "medium" if reasons else None, "summary": None, **_members(body.get("reasoning"))},
        "safety_identifier": body.get("safety_identifier"),
        "service_tier": "auto",
        "store": body.get("store") is not False,
        "temperature": _or(body.get("temperature"), 1.0),
        "text": {"format": {"type": "text"}, "verbosity": "medium", **_members(body.get("text"))},
        "tool_choice": _or(body.get("tool_choice"), "auto"),
        "tool_usage": TOOL_USAGE,
        "tools": [_tool(tool) for tool in _objects(body.get("tools"))],
        "top_logprobs": _or(body.get("top_logprobs"), 0),
        "top_p": _or(body.get("top_p"), 1.0),
        "truncation": _or(body.get("truncation"), "disabled"),
        "usage": None,
        "user": body.get("user"),
        "metadata": _or(body.get("metadata"), {}),
        **({"conversation": {"id": named}} if (named := conversation_id(body)) else {}),
    }


def with_billing(done: Mapping[str, Any]) -> dict[str, Any]:
    """The response with `billing` after `background`; a plain response has it, the events of a stream do not."""
    members: dict[str, Any] = {}
    for name, value in done.items():
        members[name] = value
        if name == "background":
            members["billing"] = {"payer": "developer"}
    return members


def finished(
    initial: Mapping[str, Any], reply: Reply, items: list[dict[str, Any]], context: ReplyContext
) -> dict[str, Any]:
    """The response with its output and usage."""
    reason = CUT_SHORT.get(reply.finish or "")
    searches = sum(item["type"] == "web_search_call" for item in items)
    return {
        **initial,
        "status": "incomplete" if reason else "completed",
        "completed_at": None if reason else CREATED + 1,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": items,
        "service_tier": "default",
        "tool_usage": {**TOOL_USAGE, "web_search": {"num_requests": searches}},
        "usage": usage(reply, context),
    }


def usage(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    size = len(reply.text or "") + sum(len(call.name) + len(output_items.arguments_text(call)) for call in reply.calls)
    counts = counted(reply, context.view or view_of(context.request), size)
    return {
        "input_tokens": counts.input,
        "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": counts.cached},
        "output_tokens": counts.output,
        "output_tokens_details": {"reasoning_tokens": counts.reasoning},
        "total_tokens": counts.input + counts.output,
    }


def _tool(tool: Any) -> Any:
    """A function as the response repeats it: strict unless it says otherwise."""
    if not isinstance(tool, dict) or tool.get("type") != "function":
        return tool
    return {
        "type": "function",
        "description": tool.get("description"),
        "name": tool.get("name"),
        "parameters": tool.get("parameters"),
        "strict": _or(tool.get("strict"), True),
    }


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a list. Some providers with these answers take any value there, which has none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _members(value: Any) -> dict[str, Any]:
    return {name: member for name, member in value.items() if member is not None} if isinstance(value, dict) else {}


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


BLOCK = 16
"""Characters: a delta and its `obfuscation` have a multiple of them together, so that nobody learns its length."""
TEXT_DELTA: Final = "response.output_text.delta"

Event = tuple[str, dict[str, Any]]
"""The name of an event without `response.`, and its members."""


def response(reply: Reply, initial: Mapping[str, Any], done: Mapping[str, Any], context: ReplyContext) -> Response:
    events = _events(reply, initial, done, context)
    chunks = tuple(_chunk(name, members, number) for number, (name, members) in enumerate(events))
    if context.split == "bytes":
        chunks = inside_characters(chunks)
    return Response(200, (("content-type", "text/event-stream; charset=utf-8"), *answer_headers(context)), chunks)


def _chunk(name: str, members: dict[str, Any], number: int) -> bytes:
    if name == TEXT_DELTA and not members["logprobs"]:  # as nearly all are
        obfuscation = members.get("obfuscation")
        padding = "" if obfuscation is None else f'"obfuscation":"{obfuscation}",'
        data = (
            f'{{"type":"{TEXT_DELTA}","content_index":{members["content_index"]},"delta":{compact(members["delta"])},'
            f'"item_id":{compact(members["item_id"])},"logprobs":[],{padding}'
            f'"output_index":{members["output_index"]},"sequence_number":{number}}}'
        )
        return f"event: {TEXT_DELTA}\ndata: {data}\n\n".encode(errors=AS_ESCAPE)
    return event(name, dict(sorted({**members, "sequence_number": number}.items())))


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
    pieces_of = {"reasoning": _reasoning, "message": _message, "function_call": _call}.get(item["type"], _own_tool)
    yield "output_item.added", {"item": own_tools.unfinished(item)}
    for name, members in pieces_of(item, reply, context):
        # The events of a shell's commands have no id of their item: openai-python's types.
        yield name, members if "command_index" in members else {"item_id": item["id"], **members}
    yield "output_item.done", {"item": item}


def _own_tool(item: dict[str, Any], _reply: Reply, context: ReplyContext) -> Iterator[Event]:
    padding = _padding(context)

    def deltas(text: str) -> Iterator[dict[str, Any]]:
        return ({"delta": piece, **padding(piece)} for piece in pieces(text, context.split, size=PIECE))

    return own_tools.events(item, deltas)


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
    alternatives = output_items.alternatives_asked(body_of(context.request))
    for index, part in enumerate(item["content"]):
        at = {"content_index": index}
        refused = part["type"] == "refusal"
        member = "refusal" if refused else "text"
        name = "refusal" if refused else "output_text"
        empty = {member: "", **({} if refused else {"annotations": [], "logprobs": []})}
        yield "content_part.added", {**at, "part": {**part, **empty}}
        padding = _no_padding if refused else _padding(context)
        for piece in pieces(part[member], context.split, given=reply.chunks, size=PIECE):
            yield (
                f"{name}.delta",
                {**at, "delta": piece, **_logprobs(part, piece, len(piece), alternatives), **padding(piece)},
            )
        for number, annotation in enumerate(part.get("annotations", ())):
            yield "output_text.annotation.added", {**at, "annotation_index": number, "annotation": annotation}
        yield f"{name}.done", {**at, member: part[member], **_logprobs(part, part[member], PIECE, alternatives)}
        yield "content_part.done", {**at, "part": part}


def _logprobs(part: Mapping[str, Any], text: str, size: int, alternatives: int | None) -> dict[str, list[Any]]:
    """A refusal has none."""
    if part["type"] == "refusal":
        return {}
    is_asked = alternatives is not None and bool(text)
    return {
        "logprobs": output_items.logprobs_of(text, alternatives or 0, size=size, in_events=True) if is_asked else []
    }


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
