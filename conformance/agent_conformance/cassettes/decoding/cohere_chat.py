"""Cohere's chat responses: a message of blocks, or its events."""

from collections.abc import Mapping
from typing import Any, Final

from agent_conformance.cassettes.decoding.decoded_reply import ReplyBuilder, objects, text_or_none
from fake_providers.reply import Finish

FINISHES: Final[Mapping[str, Finish | None]] = {"MAX_TOKENS": "length"}


def read_response(body: Mapping[str, Any], builder: ReplyBuilder) -> None:
    message = body.get("message")
    if isinstance(message, Mapping):
        builder.add_text(message.get("tool_plan"))
        for block in objects(message.get("content")):
            _add_block(block, builder)
        for number, call in enumerate(objects(message.get("tool_calls"))):
            _add_call(call, number, builder)
    _end(body, builder)


def read_event(event: Mapping[str, Any], builder: ReplyBuilder) -> None:
    delta = event.get("delta")
    if not isinstance(delta, Mapping):
        return
    if event.get("type") == "message-end":
        _end(delta, builder)
    message = delta.get("message")
    if not isinstance(message, Mapping) or event.get("type") == "message-start":
        return
    builder.add_text(message.get("tool_plan"))
    content, call = message.get("content"), message.get("tool_calls")
    if isinstance(content, Mapping):
        _add_block(content, builder)
    if isinstance(call, Mapping):
        index = event.get("index")
        _add_call(call, index if isinstance(index, int) else 0, builder)


def _end(ending: Mapping[str, Any], builder: ReplyBuilder) -> None:
    usage = ending.get("usage")
    if isinstance(usage, Mapping):
        builder.count(usage.get("tokens"), "input_tokens", "output_tokens")
    if ending.get("error"):
        builder.fail(ending["error"])
    builder.end(ending.get("finish_reason"), FINISHES)


def _add_block(block: Mapping[str, Any], builder: ReplyBuilder) -> None:
    if block.get("type") not in (None, "text", "thinking"):
        builder.leave_out(block.get("type"))
    builder.add_thought(block.get("thinking"))
    builder.add_text(block.get("text"))


def _add_call(call: Mapping[str, Any], number: int, builder: ReplyBuilder) -> None:
    pieces = builder.call((number, ""))
    pieces.id = pieces.id or text_or_none(call.get("id"))
    function = call.get("function")
    if isinstance(function, Mapping):
        pieces.name = pieces.name or str(function.get("name") or "")
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            pieces.arguments.append(arguments)
