"""Anthropic's messages, plain and streamed."""

from collections.abc import Mapping
from typing import Any, Final

from agent_conformance.cassettes.decoding.decoded_reply import CallKey, ReplyBuilder, objects, text_or_none
from fake_providers.reply import Finish

FINISHES: Final[Mapping[str, Finish | None]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
    "pause_turn": "pause",
}


def read_response(body: Mapping[str, Any], builder: ReplyBuilder) -> None:
    if body.get("type") == "error":
        builder.fail(body.get("error"))
        return
    for position, block in enumerate(objects(body.get("content"))):
        _read_block(block, (position, ""), builder)
    builder.count(body.get("usage"), "input_tokens", "output_tokens")
    builder.end(body.get("stop_reason"), FINISHES)


def read_event(event: Mapping[str, Any], builder: ReplyBuilder) -> None:
    """A stream is complete with its `message_stop`, not with its reason."""
    kind = event.get("type")
    if kind == "error":
        builder.fail(event.get("error"))
    elif kind == "message_start" and isinstance(event.get("message"), Mapping):
        builder.count(event["message"].get("usage"), "input_tokens", "output_tokens")
    elif kind == "content_block_start" and isinstance(event.get("content_block"), Mapping):
        _read_block(event["content_block"], (0, str(event.get("index"))), builder)
    elif kind == "content_block_delta" and isinstance(event.get("delta"), Mapping):
        _read_delta(event["delta"], (0, str(event.get("index"))), builder)
    elif kind == "message_delta":
        builder.count(event.get("usage"), "input_tokens", "output_tokens")
        delta = event.get("delta")
        builder.end(delta.get("stop_reason") if isinstance(delta, Mapping) else None, FINISHES)
        builder.is_complete = False
    elif kind == "message_stop":
        builder.is_complete = True


def _read_block(block: Mapping[str, Any], key: CallKey, builder: ReplyBuilder) -> None:
    kind = block.get("type")
    if kind == "text":
        builder.add_text(block.get("text"))
        for citation in objects(block.get("citations")):
            builder.cite(citation)
    elif kind == "thinking":
        builder.add_thought(block.get("thinking"))
    elif kind == "tool_use":
        call = builder.call(key)
        call.id, call.name = text_or_none(block.get("id")), str(block.get("name") or "")
        if not builder.is_streamed or block.get("input"):  # in a stream it is empty, and its text follows
            call.value = block.get("input")
    elif kind == "server_tool_use":
        ran = builder.server_call(key)
        ran.id, ran.name = text_or_none(block.get("id")), str(block.get("name") or "")
        ran.result = None  # which a paused reply does not have yet
        if not builder.is_streamed or block.get("input"):
            ran.value = block.get("input")
    elif str(kind).endswith("_tool_result"):
        titles = "\n".join(str(found["title"]) for found in objects(block.get("content")) if found.get("title"))
        for ran in builder.server_calls.values():
            if ran.id == block.get("tool_use_id"):
                ran.result = titles
    else:
        builder.leave_out(kind)


def _read_delta(delta: Mapping[str, Any], key: CallKey, builder: ReplyBuilder) -> None:
    kind = delta.get("type")
    if kind == "text_delta":
        builder.add_text(delta.get("text"))
    elif kind == "thinking_delta":
        builder.add_thought(delta.get("thinking"))
    elif kind == "citations_delta" and isinstance(delta.get("citation"), Mapping):
        builder.cite(delta["citation"])
    elif kind == "input_json_delta" and isinstance(delta.get("partial_json"), str):
        for calls in (builder.calls, builder.server_calls):
            if key in calls:
                calls[key].arguments.append(delta["partial_json"])
