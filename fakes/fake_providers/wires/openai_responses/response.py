"""Renders a reply as a response object, plain or streamed; `output_items` makes the items and `stream` the events."""

from collections.abc import Mapping
from typing import Any, Final

from fake_providers.http import Response, json_response
from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.replies.unsupported import refuse_inexpressible
from fake_providers.reply import NO_FAULT, CannotExpress, Reply
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses import output_items, stream
from fake_providers.wires.openai_responses.conversation import conversation_id
from fake_providers.wires.openai_responses.errors import answer_headers, fail, with_fault
from fake_providers.wires.openai_responses.limits import LIMITS
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
"""The usage of the built-in tools, which never run here; sent since the summer of 2026."""

CUT_SHORT: Final = {"length": "max_output_tokens", "content_filter": "content_filter"}


def encode(reply: Reply, context: ReplyContext) -> Response:
    """The reply as OpenAI would send it; see `fake_providers.wire.Wire.encode`."""
    refuse_inexpressible(reply, LIMITS)
    fault = reply.fault or NO_FAULT
    if fault.status is not None or fault.body is not None:
        return fail(fault, context)
    initial = initial_response(context)
    done = finished(initial, reply, output_items.items(reply, context), context)
    if wants_stream(body_of(context.request)):
        return with_fault(stream.response(reply, initial, done, context), fault)
    if fault.error_event is not None:
        raise CannotExpress("error-event")
    return with_fault(json_response(200, with_billing(done), answer_headers(context)), fault)


def call_id(ids: Ids) -> str:
    return ids.make("call_", 24)


def initial_response(context: ReplyContext) -> dict[str, Any]:
    """The response before any output: the request's fields with defaults filled in."""
    body = body_of(context.request)
    reasons = "reasoning" in traits("openai-responses", model_of(body))
    return {
        "id": output_items.item_id("resp", context.ids),
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
        "tools": [_tool(tool) for tool in body.get("tools") or ()],
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
    return {
        **initial,
        "status": "incomplete" if reason else "completed",
        "completed_at": None if reason else CREATED + 1,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": items,
        "service_tier": "default",
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


def _members(value: Any) -> dict[str, Any]:
    return {name: member for name, member in value.items() if member is not None} if isinstance(value, dict) else {}


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value
