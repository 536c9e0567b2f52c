"""Ollama's chat responses: one object, or a line for each piece."""

from collections.abc import Mapping
from typing import Any, Final

from agent_conformance.cassettes.decoding.decoded_reply import ReplyBuilder, objects, text_or_none
from fake_providers.reply import Finish

FINISHES: Final[Mapping[str, Finish | None]] = {"length": "length"}


def read_response(body: Mapping[str, Any], builder: ReplyBuilder) -> None:
    if body.get("error"):
        builder.fail(body["error"])
    message = body.get("message")
    if isinstance(message, Mapping):
        builder.add_thought(message.get("thinking"))
        builder.add_text(message.get("content"))
        for call in objects(message.get("tool_calls")):
            function = call.get("function")
            if not isinstance(function, Mapping):
                continue
            pieces = builder.call((len(builder.calls), ""))
            pieces.id, pieces.name = text_or_none(call.get("id")), str(function.get("name") or "")
            arguments = function.get("arguments")
            if isinstance(arguments, str):
                pieces.arguments.append(arguments)
            else:
                pieces.value = arguments or {}
    builder.count(body, "prompt_eval_count", "eval_count")
    if body.get("done"):
        builder.end(body.get("done_reason") or "stop", FINISHES)


read_event = read_response
