"""Groq's envelope and rules. It wraps the messages of its newer gateway once more, and mostly sends no `param`.

The refusals of its own models' output do not depend on the request alone: see
`fake_providers.providers.groq.chat`.
"""

import json
from typing import Any, Final

from fake_providers.providers.shared.chat_reading import MESSAGES, messages, refuse_unread, tools
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.replies.documents import Envelope
from fake_providers.rulebook import (
    ANY_MESSAGE,
    ANY_PARAMETER,
    ANY_TOOL,
    WHOLE_REQUEST,
    Breach,
    ModelRefusal,
    RequestContext,
    Rulebook,
    refuse_by_model,
)
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, cite, sample_request
from fake_providers.wires.openai_shared.provider_errors import bodiless_rule

MODEL: Final = "openai/gpt-oss-120b"
CHECKED: Final = "2026-11-21"
MEMBERS: Final = {
    "system": ("role", "content", "name"),
    "developer": ("role", "content", "name"),
    "user": ("role", "content", "name"),
    "assistant": ("role", "content", "name", "tool_calls", "function_call", "reasoning"),
    "tool": ("role", "content", "name", "tool_call_id"),
    "function": ("role", "content", "name"),
}
"""All that its SDK declares; any other member of a message is refused."""

UNDECLARED_CALL = bodiless_rule(
    "groq/undeclared-call",
    status=400,
    why="The model called a tool that is not in `tools`. A stream has status 200 and an error event.",
    recorded=(
        *cite("recording, llama-3.1-8b-instant", "which was not request.tools"),
        *cite("public code that quotes it", "attempted to call tool 'json' which was not in request.tools"),
    ),
)
SCHEMA_MISMATCH = bodiless_rule(
    "groq/tool-schema-mismatch",
    status=400,
    why="The model called a tool with arguments that do not match its schema. A stream has status 200 and an error "
    "event.",
    recorded=(
        *cite("recording, openai/gpt-oss-120b", "missing properties: 'name', additionalProperties 'foo' not"),
        *cite(
            "recording, meta-llama/llama-4-scout-17b-16e-instruct",
            "errors: [`/age`: expected integer, but got string]",
        ),
        *cite("OpenHands/OpenHands#10048", "str_replace_editor did not match schema: errors: [missing properties"),
    ),
)
ARGUMENTS_NOT_JSON = bodiless_rule(
    "groq/arguments-not-json",
    status=400,
    why="The model called a tool with arguments that are not JSON. A stream has status 200 and an error event.",
    verbatim={"OpenHands/OpenHands#10187": "Failed to parse tool call arguments as JSON"},
)
CHOICE_REQUIRED = bodiless_rule(
    "groq/tool-choice-required",
    status=400,
    why="`tool_choice` requires a tool call and the model wrote text. A stream has status 200 and an error event.",
    recorded=(
        *cite("recording, openai/gpt-oss-120b", "Tool choice is required, but model did not call a tool"),
        *cite("recording, moonshotai/kimi-k2-instruct", "Failed to call a function."),
    ),
)
OF_ITS_MODEL: Final = (UNDECLARED_CALL, ARGUMENTS_NOT_JSON, SCHEMA_MISMATCH, CHOICE_REQUIRED)
"""Rules of what its own model wrote; no body shows them."""


error_body = Envelope(
    {
        "error": {
            "message": "<message>",
            "type": "<type>",
            "param": "<param>",
            "code": "<code>",
            "failed_generation": "<failed_generation>",
        }
    },
    type="invalid_request_error",
)


def groq(*conversation: dict[str, Any], model: str = MODEL, **fields: Any) -> dict[str, Any]:
    return sample_request(*conversation, model=model, **fields)


BOOK = Rulebook(error_body.refusal)


def _wrapped(sentence: str) -> str:
    return f"code=400, message={sentence}, type=invalid_request_error"


refuse_unread(
    BOOK,
    "groq",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "request body is not valid JSON"),
    missing=lambda body: Breach("messages", "'messages' : property 'messages' is missing"),
    source="worded like the refusals of other bodies",
)


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    """In the sentences of its validator of OpenAPI, which names the schema of a message by its role."""
    where, index = found.dotted, found.path[1] if len(found.path) > 1 else 0
    if found.path[-1] == "role" and found.value is MISSING:
        return Breach(found.at, f"'messages.{index}' : discriminator property 'role' is missing")
    if found.rule == "role-unknown":
        return Breach(found.at, f"'messages.{index}' : discriminator property 'role' has invalid value")
    if found.value is MISSING:
        reasons = [f"'{where}' : property '{found.path[-1]}' is missing"]
    else:
        reasons = [f"'{where}' : value must be {VALUES[type_]}" for type_ in found.types]
    if len(found.path) > 2 and found.path[0] == "messages":
        return _unsatisfied(int(index), found.role, " OR ".join(f"({reason})" for reason in reasons), found.at)
    return Breach(found.at, " OR ".join(reasons))


def _unsatisfied(index: int, role: str, reasons: str, at: str) -> Breach:
    one = "one of " if " OR " in reasons else ""
    return Breach(at, f"'messages.{index}' : for 'role:{role}' {one}the following must be satisfied[{reasons}]")


VALUES: Final = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "array": "an array",
    "object": "an object",
}

refuse_wrong_types(
    BOOK,
    "groq",
    Dialect(
        words=_wrong_type,
        source="the sentences that it has for other members",
        required=(
            "messages[].role",
            "messages[tool].content",
            "messages[].tool_calls[].id",
            "messages[].tool_calls[].type",
            "messages[].tool_calls[].function",
        ),
        known={
            "role-unknown": (
                "verbatim",
                cite("ten public projects", "'messages.1' : discriminator property 'role' has invalid value"),
            ),
            "result-type": (
                "verbatim",
                (
                    *cite("three public projects", "('messages.3.content' : value must be a string)"),
                    *cite("two of 2026", "one of the following must be satisfied[('messages.3.content' : value must"),
                ),
            ),
            "content-type": (
                "recorded",
                cite("recording, qwen-qwq-32b", "('messages.2.content' : value must be a string)"),
            ),
            "member-missing": (
                "verbatim",
                (
                    *cite("two public projects", "('messages.3.content' : property 'content' is missing)"),
                    *cite(
                        "public code that quotes it", "('messages.2.tool_calls.0.type' : property 'type' is missing)"
                    ),
                ),
            ),
        },
    ),
    Samples(MODEL),
)


def _property_unsupported(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        role = str(message.get("role"))
        for name in message if role in MEMBERS else ():
            if name not in MEMBERS[role]:
                reason = f"('messages.{index}' : property '{name}' is unsupported)"
                return _unsatisfied(index, role, reason, f"messages[{index}].{name}")
    return None


def _result_empty(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        if message.get("role") == "tool" and message.get("content") == []:
            where = f"'messages.{index}.content'"
            reasons = f"({where} : value must be a string) OR ({where} : minimum number of items is 1)"
            return _unsatisfied(index, "tool", reasons, f"messages[{index}].content")
    return None


def _no_chat(context: RequestContext) -> Breach | None:
    sentence = f"The model `{context.model}` does not support chat completions"
    return Breach("model", sentence) if "no-chat" in context.traits else None


def _model_terms(context: RequestContext) -> Breach | None:
    if "terms" not in context.traits:
        return None
    where = f"https://console.groq.com/playground?model={context.model}"
    sentence = f"requires terms acceptance. Please have the org admin accept the terms at {where}"
    return Breach("model", f"The model `{context.model}` {sentence}", {"code": "model_terms_required"})


def _result_id_missing(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        if message.get("role") == "tool" and "tool_call_id" not in message:
            name = "tool_call_id"
            reason = f"('messages.{index}.{name}' : property '{name}' is missing)"
            return _unsatisfied(index, "tool", reason, f"messages[{index}].{name}")
    return None


BUILT_IN = ("browser_search", "code_interpreter")


def _tool_type(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        kind = tool.get("type")
        if kind in (None, "function", "mcp") or (kind in BUILT_IN and "searches" in context.traits):
            continue
        sentence = f"tools[{index}].type must be one of [function, mcp]"
        older = kind == "browser_search" and "words-of-2025" in context.traits
        return Breach(f"tools[{index}].type", sentence if older else _wrapped(sentence))
    return None


def _tools_unsupported(context: RequestContext) -> Breach | None:
    if "no-tools" not in context.traits or not context.body.get("tools"):
        return None
    return Breach("tools", "`tool calling` is not supported with this model", {"param": "tool calling"})


WITH_SCHEMA: Final = {"type": "json_schema", "json_schema": {"name": "fruit", "schema": {"type": "object"}}}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("groq/property-unsupported",
    "A message has a member that Groq does not know, such as the `refusal` that the SDK of OpenAI echoes.",
    ANY_MESSAGE, _property_unsupported, checked="2026-11-23",
    wrong=groq(USER, {**CALL_MESSAGE, "reasoning_content": "I ask the tool."}, RESULT),
    right=groq(USER, CALL_MESSAGE, RESULT),
    verbatim=(*cite("eight public projects", "property 'refusal' is unsupported"),
        *cite("public code that quotes it", "property 'reasoning_content' is unsupported"),
        *cite("public code that quotes it",
        "for 'role:system' the following must be satisfied[('messages.0' : property")))
BOOK.row("groq/result-empty-list", "The content of a tool's result is an empty list.",
    ANY_MESSAGE, _result_empty, checked="2026-11-23",
    wrong=groq(USER, CALL_MESSAGE, {**RESULT, "content": []}),
    right=groq(USER, CALL_MESSAGE, {**RESULT, "content": [{"type": "text", "text": "7 degrees"}]}),
    verbatim={"two public projects":
        "value must be a string) OR ('messages.3.content' : minimum number of items is 1)"})
BOOK.row("groq/no-chat", "The model transcribes speech and supports no chat completions.",
    ANY_PARAMETER, _no_chat, models="whisper, distil-whisper", checked=CHECKED,
    wrong=groq(model="whisper-large-v3"), right=groq(),
    recorded={"recording, whisper-large-v3": "does not support chat completions"})
BOOK.row("groq/model-terms", "The organisation has not accepted the terms of the model.",
    ANY_PARAMETER, _model_terms, models="playai-tts", checked=CHECKED,
    wrong=groq(model="playai-tts"), right=groq(),
    recorded={"recording, playai-tts": "requires terms acceptance."})
BOOK.row("groq/result-id-missing", "A tool result has no `tool_call_id`.",
    ANY_MESSAGE, _result_id_missing, checked=CHECKED,
    wrong=groq(USER, CALL_MESSAGE, {"role": "tool", "content": RESULT["content"]}),
    right=groq(USER, CALL_MESSAGE, RESULT),
    verbatim={"hackclub/ai#22": "for 'role:tool' the following must be satisfied"})
BOOK.row("groq/tool-type",
    "A tool has an unknown type; gpt-oss models also accept `browser_search` and `code_interpreter`.",
    ANY_TOOL, _tool_type, checked=CHECKED,
    wrong=groq(tools=[{**TOOL, "type": "custom"}]), right=groq(tools=[TOOL]),
    recorded={"recording, qwen/qwen3-32b": "tools[0].type must be one of [function, mcp]"})
BOOK.row("groq/tools-unsupported", "The request has tools and the model does not support them.",
    ANY_PARAMETER, _tools_unsupported, models="groq/compound, llama-guard", checked=CHECKED,
    wrong=groq(model="groq/compound", tools=[TOOL]), right=groq(tools=[TOOL]),
    recorded={"recording, groq/compound": "`tool calling` is not supported with this model"})
# fmt: on
refuse_by_model(
    BOOK,
    (
        ModelRefusal(
            "groq/json-schema-unsupported",
            "no-json-schema",
            lambda body: "response_format" if _format(body) == "json_schema" else "",
            "This model does not support response format `json_schema`. See supported models at "
            "https://console.groq.com/docs/structured-outputs#supported-models",
            why="A `response_format` of type `json_schema` is for a few models; the link came in 2025.",
            models="all but gpt-oss, kimi-k2 and llama-4",
            confidence="recorded",
            evidence=cite(
                "recordings, deepseek-r1-distill-llama-70b, compound-mini, qwen3-32b, llama-3.3-70b, llama-3.1-8b",
                "This model does not support response format `json_schema`. See supported models at",
            ),
            breaking=groq(model="llama-3.3-70b-versatile", response_format=WITH_SCHEMA),
            accepted=groq(model="openai/gpt-oss-20b", response_format=WITH_SCHEMA),
        ),
        ModelRefusal(
            "groq/choices-too-many",
            "",
            lambda body: "n" if body.get("n") is not None and body["n"] > 1 else "",
            "'n' : number must be at most 1",
            why="More than one choice is asked for.",
            models="all",
            confidence="verbatim",
            evidence=cite("ten public projects, probes among them", "'n' : number must be at most 1"),
            breaking=groq(n=2),
            accepted=groq(n=1),
        ),
    ),
)


def _format(body: dict[str, Any]) -> Any:
    format_ = body.get("response_format")
    return format_.get("type") if isinstance(format_, dict) else None


def _schema_missing(context: RequestContext) -> Breach | None:
    wanted = context.body.get("response_format")
    if not isinstance(wanted, dict) or wanted.get("type") != "json_schema":
        return None
    given = wanted.get("json_schema")
    if isinstance(given, dict) and "schema" in given:
        return None
    sentence = "json schema is required"
    if "searches" in context.traits:
        return Breach("response_format.json_schema", _wrapped(sentence), {"param": "response_format"})
    return Breach("response_format.json_schema", sentence)


def _json_unsaid(context: RequestContext) -> Breach | None:
    wanted = context.body.get("response_format")
    said = "json" in json.dumps(context.body["messages"]).lower()
    if not isinstance(wanted, dict) or wanted.get("type") != "json_object" or said:
        return None
    sentence = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    return Breach("messages", sentence)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("groq/schema-missing", "A `response_format` of type `json_schema` has no `schema`.",
    ANY_PARAMETER, _schema_missing, checked=CHECKED,
    wrong=groq(response_format={"type": "json_schema", "json_schema": {"name": "fruit"}}),
    right=groq(response_format={"type": "json_schema", "json_schema": {"name": "fruit", "schema": {}}}),
    recorded={"recording, moonshotai/kimi-k2-instruct": "json schema is required"})
BOOK.row("groq/json-object-unsaid", "A JSON object is requested and no message contains the word JSON.",
    WHOLE_REQUEST, _json_unsaid, needs="json_object", checked="2026-11-22",
    wrong=groq(response_format={"type": "json_object"}),
    right=groq({**USER, "content": "Say it in JSON."}, response_format={"type": "json_object"}),
    verbatim={"mem0ai/mem0#4161, llama-3.1-8b-instant, llama-3.3-70b, llama-4-scout":
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."})
# fmt: on
