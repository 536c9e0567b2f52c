"""Responses of OpenAI's second wire, plain and streamed."""

from collections.abc import Mapping
from typing import Any, Final

from agent_conformance.cassettes.decoding.decoded_reply import ReplyBuilder, objects, text_or_none
from fake_providers.reply import Finish

CUT_SHORT: Final[Mapping[str, Finish | None]] = {"max_output_tokens": "length", "content_filter": "content_filter"}
NO_FINISH: Final[Mapping[str, Finish | None]] = {}
ENDS: Final = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
THOUGHTS: Final = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
"""The items of calls that the client runs, and the member with what the model wrote."""
DELTAS: Final = ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta")
TEXTS: Final = ("response.output_text.delta", "response.refusal.delta")


def read_response(body: Mapping[str, Any], builder: ReplyBuilder) -> None:
    for position, item in enumerate(objects(body.get("output"))):
        kind = item.get("type")
        if kind in CALLS:
            call = builder.call((position, ""))
            call.id, call.name = text_or_none(item.get("call_id")), str(item.get("name") or "")
            call.arguments = [str(item.get(CALLS[kind]) or "")]
        elif kind == "message":
            for part in objects(item.get("content")):
                if part.get("type") == "refusal":
                    builder.finish = "refusal"
                    builder.add_text(part.get("refusal"))
                elif part.get("type") == "output_text":
                    builder.add_text(part.get("text"))
                else:
                    builder.leave_out(part.get("type"))
        elif kind == "reasoning":
            for part in objects(item.get("summary")) + objects(item.get("content")):
                builder.add_thought(part.get("text"))
        else:
            builder.leave_out(kind)
    _read_end(body, builder)


def read_event(event: Mapping[str, Any], builder: ReplyBuilder) -> None:
    kind = event.get("type")
    if kind in TEXTS:
        builder.add_text(event.get("delta"))
        builder.finish = "refusal" if kind == "response.refusal.delta" else builder.finish
    elif kind in THOUGHTS:
        builder.add_thought(event.get("delta"))
    elif kind in DELTAS and isinstance(event.get("delta"), str):
        builder.call((0, str(event.get("output_index")))).arguments.append(event["delta"])
    elif kind in ("response.output_item.added", "response.output_item.done"):
        is_done = str(kind).endswith("done")
        item = event.get("item")
        if not isinstance(item, Mapping):
            return
        if (member := CALLS.get(str(item.get("type")))) is not None:
            call = builder.call((0, str(event.get("output_index"))))
            call.id, call.name = call.id or text_or_none(item.get("call_id")), call.name or str(item.get("name") or "")
            if is_done and isinstance(item.get(member), str):
                call.arguments = [item[member]]
        elif is_done and item.get("type") not in ("message", "reasoning"):
            builder.leave_out(item.get("type"))
    elif kind == "error":
        builder.fail(event.get("error") or event)
    elif kind in ENDS:
        response = event.get("response")
        if not isinstance(response, Mapping):
            return
        if not (builder.texts or builder.calls or builder.thoughts):
            read_response(response, builder)  # some servers send nothing before it
        else:
            _read_end(response, builder)


def _read_end(body: Mapping[str, Any], builder: ReplyBuilder) -> None:
    builder.count(body.get("usage"), "input_tokens", "output_tokens")
    if body.get("error"):
        builder.fail(body["error"])
    details = body.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    if reason:
        builder.end(reason, CUT_SHORT)
    elif body.get("status") in ("completed", "failed", "cancelled"):
        builder.end(body["status"], NO_FINISH)
