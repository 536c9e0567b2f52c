"""Amazon Bedrock's Converse, plain and streamed. An event of a stream is an object with its name as the only key.

What Claude answers by `invoke` is one of Anthropic's messages, and each frame of a stream has one of its events.
"""

from collections.abc import Mapping
from typing import Any, Final

from agent_conformance.cassettes.decoding import anthropic_messages
from agent_conformance.cassettes.decoding.decoded_reply import CallKey, ReplyBuilder, objects, text_or_none
from fake_providers.reply import Finish

FINISHES: Final[Mapping[str, Finish | None]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
    "malformed_model_output": "malformed",
    "malformed_tool_use": "malformed",
}


def read_response(body: Mapping[str, Any], builder: ReplyBuilder) -> None:
    if body.get("type") == "message":
        anthropic_messages.read_response(body, builder)
        return
    message = _object(_object(body.get("output")).get("message"))
    for position, block in enumerate(objects(message.get("content"))):
        _read_block(block, (position, ""), builder)
    builder.count(body.get("usage"), "inputTokens", "outputTokens")
    builder.end(body.get("stopReason"), FINISHES)


def read_event(event: Mapping[str, Any], builder: ReplyBuilder) -> None:
    """A stream is complete with its `messageStop`; the usage comes after it."""
    name, value = next(iter(event.items()), ("", None))
    members = _object(value)
    key = (0, str(members.get("contentBlockIndex")))
    if name == "contentBlockStart":
        _read_block(_object(members.get("start")), key, builder)
    elif name == "contentBlockDelta":
        delta = _object(members.get("delta"))
        builder.add_text(delta.get("text"))
        builder.add_thought(_object(delta.get("reasoningContent")).get("text"))
        piece = _object(delta.get("toolUse")).get("input")
        if key in builder.calls and isinstance(piece, str):
            builder.calls[key].arguments.append(piece)
    elif name == "messageStop":
        builder.end(members.get("stopReason"), FINISHES)
    elif name == "metadata":
        builder.count(members.get("usage"), "inputTokens", "outputTokens")
    elif name == "chunk" and isinstance(value, Mapping):
        anthropic_messages.read_event(value, builder)
    elif name == "chunk":
        builder.leave_out("data that is not a JSON object")
    elif name.endswith("Exception"):
        builder.fail(members)


def _read_block(block: Mapping[str, Any], key: CallKey, builder: ReplyBuilder) -> None:
    if "text" in block:
        builder.add_text(block["text"])
    elif "reasoningContent" in block:
        builder.add_thought(_object(_object(block["reasoningContent"]).get("reasoningText")).get("text"))
    elif "toolUse" in block:
        use = _object(block["toolUse"])
        if use.get("type") == "server_tool_use":
            builder.leave_out("server_tool_use")
            return
        call = builder.call(key)
        call.id, call.name = text_or_none(use.get("toolUseId")), str(use.get("name") or "")
        if not builder.is_streamed:  # in a stream its text follows
            call.value = use.get("input")
    else:
        builder.leave_out(next(iter(block), "a block without a key"))


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
