"""Renders a scripted reply as one answer of `converse`. Knows blocks, stop reasons and usage; no stream and no rule.

Keys come sorted, as in recorded answers.
"""

from typing import Any

from fake_providers.http import Response, json_response, spaced
from fake_providers.ids import Ids
from fake_providers.replies.call_validation import arguments_object
from fake_providers.reply import Call, CannotExpress, Finish, Reply
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wires.anthropic_messages.thinking_signatures import sign
from fake_providers.wires.bedrock_converse.errors import headers
from fake_providers.wires.bedrock_converse.request import traits_at, view

STOP_REASONS: dict[Finish | None, str] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "content_filtered",
    "malformed": "malformed_tool_use",
}
LATENCY = 318
"""Milliseconds that every answer says it took."""


def plain(reply: Reply, context: ReplyContext) -> Response:
    """Raises `CannotExpress`."""
    if reply.fault is not None and reply.fault.error_event is not None:
        raise CannotExpress("error-event")
    content = content_blocks(reply, context)
    for block, call in zip(content[len(content) - len(reply.calls) :], reply.calls, strict=True):
        block["toolUse"] = {"input": arguments_object(call), **block["toolUse"]}
    body = {
        "metrics": {"latencyMs": LATENCY},
        "output": {"message": {"content": content, "role": "assistant"}},
        "stopReason": stop_reason(reply),
        "usage": usage(reply, context),
    }
    return json_response(200, body, headers(context.ids))


def content_blocks(reply: Reply, context: ReplyContext) -> list[dict[str, Any]]:
    """Reasoning, text, then calls without their `input`, as the starts of blocks in a stream have them."""
    blocks: list[dict[str, Any]] = []
    if reply.thinking:
        signed = {"signature": sign(reply.thinking)} if "claude" in traits_at(context.request) else {}
        blocks.append({"reasoningContent": {"reasoningText": {**signed, "text": reply.thinking}}})
    blocks += ({"text": text} for text in reply.text_blocks)
    ids = [_id(call, context.ids) for call in reply.calls]
    if len(set(ids)) < len(ids):
        raise CannotExpress("call-id-twice")
    calls = zip(reply.calls, ids, strict=True)
    return [*blocks, *({"toolUse": {"name": call.name, "toolUseId": id_}} for call, id_ in calls)]


def call_id(ids: Ids) -> str:
    return ids.make("tooluse_", 22)


def arguments_text(call: Call) -> str:
    """What the deltas of a call add up to: nothing, where there are no arguments.

    Raises `CannotExpress` for JSON that is no object.
    """
    if call.arguments_text is None:
        return spaced(call.arguments) if call.arguments else ""
    try:
        arguments_object(call)
    except CannotExpress as error:
        if error.feature != "arguments-not-json":
            raise
    return call.arguments_text


def usage(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    """What was read from a cache is no part of `inputTokens`, and part of the total. Models that cache say so twice."""
    characters = len(reply.text or "") + sum(len(call.name) + len(arguments_text(call)) for call in reply.calls)
    counts = counted(reply, context.view or view(context.request), characters)
    written = counts.output if reply.usage else max(1, counts.output)
    cached: dict[str, Any] = {}
    if counts.cached or traits_at(context.request) & {"claude", "nova"}:
        named = {"cacheReadInputToken": counts.cached, "cacheWriteInputToken": 0}
        cached = {f"{name}{end}": count for name, count in named.items() for end in ("Count", "s")}
    own = {"inputTokens": counts.input - counts.cached, "outputTokens": written, "serverToolUsage": {}}
    return {**cached, **own, "totalTokens": counts.input + written}


def stop_reason(reply: Reply) -> str:
    if reply.finish is None:
        return "tool_use" if reply.calls else "end_turn"
    return STOP_REASONS[reply.finish]


def _id(call: Call, ids: Ids) -> str:
    if call.id is None:
        raise CannotExpress("call-id-null")
    return call.id if isinstance(call.id, str) else call_id(ids)
