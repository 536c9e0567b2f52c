"""Gemini's responses. Each event of a stream is a whole response with the parts that are new."""

from collections.abc import Mapping
from typing import Any, Final

from agent_conformance.cassettes.decoding.decoded_reply import ReplyBuilder, objects, text_or_none
from fake_providers.reply import Finish

FINISHES: Final[Mapping[str, Finish | None]] = {
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "SPII": "content_filter",
    "PROHIBITED_CONTENT": "refusal",
    "MALFORMED_FUNCTION_CALL": "malformed",
    "UNEXPECTED_TOOL_CALL": "unexpected-call",
}
ALSO_THERE: Final = ("thought", "thoughtSignature", "thought_signature")


def read_response(body: Mapping[str, Any], builder: ReplyBuilder) -> None:
    if body.get("error"):
        builder.fail(body["error"])
    builder.count(body.get("usageMetadata"), "promptTokenCount", "candidatesTokenCount")
    feedback = body.get("promptFeedback")
    if isinstance(feedback, Mapping) and feedback.get("blockReason"):
        builder.end(feedback["blockReason"], {})
        builder.finish = "blocked-prompt"
    for candidate in objects(body.get("candidates")):
        if candidate.get("index", 0) == 0:
            content = candidate.get("content")
            parts = content.get("parts") if isinstance(content, Mapping) else None
            for part in objects(parts):
                call = part.get("functionCall")
                if isinstance(call, Mapping):
                    pieces = builder.call((len(builder.calls), ""))
                    pieces.id, pieces.name = text_or_none(call.get("id")), str(call.get("name") or "")
                    pieces.value = call.get("args") or {}
                elif "text" in part:
                    (builder.add_thought if part.get("thought") else builder.add_text)(part["text"])
                else:
                    for name in (name for name in part if name not in ALSO_THERE):
                        builder.leave_out(name)
            builder.end(candidate.get("finishReason"), FINISHES)


read_event = read_response
