"""The envelope and the rules of llama.cpp's server. It accepts any model's name, and a request without one."""

from typing import Any, Final

from fake_providers.providers.shared.chat_reading import messages, parts
from fake_providers.providers.shared.unread_body import MESSAGES, refuse_unread
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import USER, cite, sample_request
from fake_providers.wires.openai_shared.provider_errors import bodiless_rule

MODEL: Final = "Qwen3-8B-Q4_K_M"
CHECKED: Final = "2026-11-21"
ASSISTANT_MESSAGE: Final = {"role": "assistant", "content": "It is raining."}
PARTS: Final = ("text", "image_url", "input_audio")

TOOLS_NEED_JINJA = bodiless_rule(
    "llama.cpp/tools-need-jinja",
    status=500,
    why="The request has tools and the server was started with `--no-jinja`.",
    confidence="recorded",
    evidence=cite("recording, Qwen3-1.7B", "tools param requires --jinja flag"),
)


def error_body(message: str, status: int = 400, kind: str = "invalid_request_error", **more: Any) -> dict[str, Any]:
    return {"error": {"code": status, "message": message, "type": kind, **more}}


def envelope(rule: Rule, found: Breach, _context: RequestContext) -> Any:
    return error_body(found.message, rule.status)


BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "llama.cpp",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "[json.exception.parse_error.101] parse error: syntax error while parsing value"),
    missing=lambda body: Breach("messages", "'messages' is required"),
    source="the source of the server",
)


@BOOK.rule(
    "llama.cpp/part-unsupported",
    why="A part of the content has an unknown type.",
    confidence="recorded",
    evidence=cite("recording, Qwen3-VL-2B", "unsupported content[].type"),
    breaking=sample_request({**USER, "content": [{"type": "input_text", "text": "Hello"}]}, model=MODEL),
    accepted=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}, model=MODEL),
    checked=CHECKED,
)
def _part_unsupported(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        for number, part in parts(message):
            if isinstance(part.get("type"), str) and part["type"] not in PARTS:
                return Breach(f"messages[{index}].content[{number}].type", "unsupported content[].type")
    return None


@BOOK.rule(
    "llama.cpp/two-assistants",
    why="The last two messages are both assistant messages.",
    models="all, since 2025; some builds sent status 500",
    confidence="verbatim",
    evidence=cite(
        "the source of the server, and public code that quotes it", "Cannot have 2 or more assistant messages"
    ),
    breaking=sample_request(USER, ASSISTANT_MESSAGE, ASSISTANT_MESSAGE, model=MODEL),
    accepted=sample_request(USER, ASSISTANT_MESSAGE, model=MODEL),
    checked=CHECKED,
)
def _two_assistants(context: RequestContext) -> Breach | None:
    last = messages(context)[-2:]
    if [message.get("role") for _, message in last] != ["assistant", "assistant"]:
        return None
    return Breach(f"messages[{last[1][0]}]", "Cannot have 2 or more assistant messages at the end of the list.")
