"""The envelope and the rules of llama.cpp's server. It accepts any model's name, and a request without one."""

import json
from typing import Any, Final

from fake_providers.providers.shared.chat_reading import MESSAGES, messages, parts, refuse_unread
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
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


def _wrong_type(found: WrongType, context: RequestContext) -> Breach:
    """A type that its library of JSON cannot convert, or a sentence of the server's own."""
    owner = context.body
    for part in found.path[:-1]:
        owner = owner[part]
    whole = json.dumps(owner, separators=(",", ":"))
    value = whole if found.value is MISSING else json.dumps(found.value, separators=(",", ":"))
    name, in_tool = found.path[-1], found.path[0] == "tools"
    what = "tools" if in_tool else "messages"
    if found.rule in ("content-type", "result-type"):
        return Breach(found.at, "Expected 'content' to be a string or an array")
    if found.rule == "content-part-type" and isinstance(name, int):
        return Breach(found.at, "unsupported content[].type")
    if found.value is MISSING and name == "content":
        return Breach(found.at, "All non-assistant messages must contain 'content'")
    if found.value is MISSING and name == "role":
        sentence = f"Missing 'role' in message: {whole}"
    elif found.value is MISSING and in_tool and name == "name":
        sentence = "[json.exception.out_of_range.403] key 'name' not found"
    elif found.value is MISSING:
        sentence = f"Missing tool {'' if in_tool else 'call '}{name}: {whole}"
    elif found.at == "tools":
        sentence = f"Expected 'tools' to be an array, got {value}"
    elif found.rule == "message-type" and isinstance(name, int):
        sentence = f"Expected 'message' to be an object, got {value}"
    else:
        kinds = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
        is_now = kinds.get(type(found.value), "null")
        sentence = f"[json.exception.type_error.302] type must be {found.types[0]}, but is {is_now}"
    return Breach(found.at, f"Failed to parse {what}: {sentence}")


UNREAD: Final = (
    *("model", "messages[].tool_call_id", "messages[].tool_calls[].function.arguments"),
    *("messages[].content[].type", "messages[].content[].image_url", "messages[].content[].image_url.url"),
    *("tools[].function.parameters", "tools[].function.strict"),
    *("tool_choice", "tool_choice.type", "tool_choice.function", "tool_choice.function.name"),
    *("response_format", "response_format.type", "response_format.json_schema", "response_format.json_schema.name"),
    *("response_format.json_schema.description", "response_format.json_schema.schema"),
    *("response_format.json_schema.strict", "stream", "stream_options", "stream_options.include_usage"),
    *("temperature", "top_p", "presence_penalty", "frequency_penalty", "max_tokens", "max_completion_tokens"),
    *("n", "seed", "stop", "stop[]", "logprobs", "top_logprobs", "parallel_tool_calls", "reasoning_effort", "user"),
)
"""Members whose wrong type it logs and replaces by the default, or writes as JSON text, as arguments."""
refuse_wrong_types(
    BOOK,
    "llama.cpp",
    Dialect(
        words=_wrong_type,
        source="ggml-org/llama.cpp common/chat.cpp and tools/server/server-common.cpp",
        types={**dict.fromkeys(UNREAD, "any"), "messages[].role": "string"},
        required=(
            *("messages[].role", "messages[system].content", "messages[user].content", "messages[tool].content"),
            *("messages[].tool_calls[].type", "messages[].tool_calls[].function"),
            *("messages[].tool_calls[].function.name", "tools[].type", "tools[].function", "tools[].function.name"),
        ),
        known=dict.fromkeys(
            (
                "message-type",
                "result-type",
                "content-type",
                "content-part-type",
                "call-type",
                "tools-type",
                "member-missing",
            ),
            ("reported", ()),
        ),
    ),
    Samples(MODEL),
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
