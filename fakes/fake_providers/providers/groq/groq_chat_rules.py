"""Groq's envelope and rules. It wraps the messages of its newer gateway once more, and mostly sends no `param`.

The refusals of its own models' output do not depend on the request alone: see
`fake_providers.providers.groq.groq_chat`.
"""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from fake_providers import remedies
from fake_providers.declared_rules import refuse_undeclared
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.chat_types import MISSING, TOOLS, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.chat_values import Outside, Values, number, refuse_values
from fake_providers.replies.documents import Envelope
from fake_providers.rule import Confidence, Remedy
from fake_providers.rulebook import (
    ANY_PARAMETER,
    WHOLE_REQUEST,
    Breach,
    Quotes,
    RequestContext,
    Rulebook,
    bodiless_rule,
)
from fake_providers.values.declared import DeclaredTypes, Fault
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, cite, sample_request

MODEL: Final = "openai/gpt-oss-120b"
CHECKED: Final = "2026-11-21"
MEMBERS: Final = {
    **dict.fromkeys(("system", "developer", "user", "function"), ("role", "content", "name")),
    "assistant": ("role", "content", "name", "tool_calls", "function_call", "reasoning"),
    "tool": ("role", "content", "name", "tool_call_id"),
}
"""All that its SDK declares; any other member of a message is refused."""
BUILT_IN: Final = ("browser_search", "code_interpreter")

UNDECLARED_CALL = bodiless_rule(
    "groq/undeclared-call",
    status=400,
    why="The model called a tool that is not in `tools`. A stream has status 200 and an error event.",
    recorded=(
        *cite("recording, llama-3.1-8b-instant", "which was not request.tools"),
        *cite("public code that quotes it", "attempted to call tool 'json' which was not in request.tools"),
    ),
    remedy=remedies.PLAIN_TOOLS.of("pairing"),
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
    remedy=remedies.PLAIN_TOOLS,
)
ARGUMENTS_NOT_JSON = bodiless_rule(
    "groq/arguments-not-json",
    status=400,
    why="The model called a tool with arguments that are not JSON. A stream has status 200 and an error event.",
    verbatim={"OpenHands/OpenHands#10187": "Failed to parse tool call arguments as JSON"},
    remedy=remedies.PLAIN_TOOLS,
)
CHOICE_REQUIRED = bodiless_rule(
    "groq/tool-choice-required",
    status=400,
    why="`tool_choice` requires a tool call and the model wrote text. A stream has status 200 and an error event.",
    recorded=(
        *cite("recording, openai/gpt-oss-120b", "Tool choice is required, but model did not call a tool"),
        *cite("recording, moonshotai/kimi-k2-instruct", "Failed to call a function."),
    ),
    remedy=Remedy("tool-choice", "Send the request again, or ask for the tool in the prompt too."),
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

groq = partial(sample_request, model=MODEL)
BOOK = Rulebook(error_body.refusal)

chat.refuse_unread(BOOK, "groq", chat.MESSAGES, model=MODEL, not_json="request body is not valid JSON",
    missing="'messages' : property 'messages' is missing",
    source="worded like the refusals of other bodies")  # fmt: skip


def _wrong_type(found: WrongType, _context: RequestContext) -> str:
    """In the sentences of its validator of OpenAPI, which names the schema of a message by its role."""
    where, index = found.dotted, found.path[1] if len(found.path) > 1 else 0
    if found.path[-1] == "role" and found.value is MISSING:
        return f"'messages.{index}' : discriminator property 'role' is missing"
    if found.rule == "role-unknown":
        return f"'messages.{index}' : discriminator property 'role' has invalid value"
    reasons = [f"'{where}' : value must be {VALUES[type_]}" for type_ in found.types]
    if found.value is MISSING:
        reasons = [f"'{where}' : property '{found.path[-1]}' is missing"]
    if len(found.path) < 3 or found.path[0] != "messages":
        return " OR ".join(reasons)
    one, whole = "one of " if len(reasons) > 1 else "", " OR ".join(f"({reason})" for reason in reasons)
    return f"'messages.{index}' : for 'role:{found.role}' {one}the following must be satisfied[{whole}]"


VALUES: Final = {
    "string": "a string", "number": "a number", "integer": "an integer", "boolean": "a boolean", "array": "an array",
    "object": "an object",
}  # fmt: skip
KNOWN: Final[dict[str, tuple[Confidence, Quotes]]] = {
    "role-unknown": ("verbatim", {
        "ten public projects": "'messages.1' : discriminator property 'role' has invalid value"}),
    "result-type": ("verbatim", {
        "three public projects": "('messages.3.content' : value must be a string)",
        "two of 2026": "one of the following must be satisfied[('messages.3.content' : value must"}),
    "content-type": ("recorded", {"recording, qwen-qwq-32b": "('messages.2.content' : value must be a string)"}),
    "member-missing": ("verbatim", {
        "two public projects": "('messages.3.content' : property 'content' is missing)",
        "public code that quotes it": "('messages.2.tool_calls.0.type' : property 'type' is missing)"}),
}  # fmt: skip
CALLS: Final = ("messages[].tool_calls[].id", "messages[].tool_calls[].type", "messages[].tool_calls[].function")
refuse_wrong_types(BOOK, "groq",
    Dialect(words=_wrong_type, source="the sentences that it has for other members",
        required=("messages[].role", "messages[tool].content", *CALLS, *TOOLS), known=KNOWN),
    Samples(MODEL))  # fmt: skip


def _outside(found: Outside, _context: RequestContext) -> str:
    if found.words:
        return f"'{found.at}' : value must be one of {', '.join(map(json.dumps, found.words))}"
    low = found.range.is_below(found.value)
    bound = number((found.range.least if low else found.range.most) or 0)
    return f"'{found.at}' : number must be at {'least' if low else 'most'} {bound}"


refuse_values(BOOK, "groq",
    Values(words=_outside, source="console.groq.com, API reference, and the refusal of a larger `n`",
        efforts=("none", "default", "low", "medium", "high"),
        others={"service_tier": ("auto", "on_demand", "flex", "performance"), "reasoning_format":
            ("hidden", "raw", "parsed"), "citation_options": ("enabled", "disabled")}), Samples(MODEL))  # fmt: skip


def _undeclared(found: Fault, context: RequestContext) -> str | Breach:
    """In the sentences for other members."""
    if found.kind == "word":
        return _outside(Outside(found.at, found.value, found.expected), context)
    message = context.body["messages"][found.path[1]] if found.path[0] == "messages" else {}
    types = tuple(one.partition(" ")[0] for one in found.expected)
    value = MISSING if found.kind == "missing" else found.value
    return _wrong_type(WrongType(found.path, value, types, "parameter-type", message.get("role", "")), context)


PICTURE: Final = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}
TYPES: Final = DeclaredTypes(Path(__file__).with_name("declared.json"), r"missing (messages\.content|tools\.type)")
"""An assistant's content may be left out beside calls, and that of others is in the rules above."""


def _unknown_member(message: dict[str, Any], role: Any) -> dict[str, str] | None:
    known = MEMBERS.get(str(role), message)
    return next(({"name": name} for name in message if name not in known), None)


def _wrapped(sentence: str) -> str:
    return f"code=400, message={sentence}, type=invalid_request_error"


def _unknown_type(tool: dict[str, Any], context: RequestContext, place: str) -> Breach | None:
    kind = tool.get("type")
    if kind in (None, "function", "mcp") or (kind in BUILT_IN and "searches" in context.traits):
        return None
    sentence = f"{place}.type must be one of [function, mcp]"
    older = kind == "browser_search" and "words-of-2025" in context.traits
    return Breach(f"{place}.type", sentence if older else _wrapped(sentence))


MOST_TOKENS: Final = {"moonshotai/kimi-k2-instruct": 16384, "qwen/qwen3-32b": 40960}
MOST_DOCUMENTED: Final = {"openai/gpt-oss-120b": 65536, "openai/gpt-oss-20b": 65536}


def _effort_of_another_model(body: dict[str, Any]) -> dict[str, str] | None:
    effort = body.get("reasoning_effort")
    return None if effort in (None, "none", "default") else {"known": "`none` or `default`"}


def _above(limits: Mapping[str, int], body: dict[str, Any], context: RequestContext) -> dict[str, Any] | None:
    most = limits.get(context.model)
    asked = ((name, body.get(name)) for name in ("max_completion_tokens", "max_tokens"))
    over = (name for name, value in asked if most is not None and isinstance(value, int) and value > most)
    return next(({"name": name, "most": most} for name in over), None)


def _format(body: dict[str, Any]) -> dict[str, Any]:
    wanted = body.get("response_format")
    return wanted if isinstance(wanted, dict) and wanted.get("type") == "json_schema" else {}


def _without_schema(body: dict[str, Any], context: RequestContext) -> Breach | bool:
    wanted = _format(body)
    given = wanted.get("json_schema")
    if not wanted or (isinstance(given, dict) and "schema" in given):
        return False
    if "searches" not in context.traits:
        return True
    return Breach("response_format.json_schema", _wrapped("json schema is required"), {"param": "response_format"})


ABOVE: Final = (
    "`{name}` must be less than or equal to `{most}`, the maximum value for `{name}` is less than the `context_window` "
    "for this model"
)
WITH_SCHEMA: Final = {"type": "json_schema", "json_schema": {"name": "fruit", "schema": {"type": "object"}}}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("groq/property-unsupported",
    "A message has a member that Groq does not know, such as the `refusal` that the SDK of OpenAI echoes.",
    chat.MESSAGE, _unknown_member,
    "'messages.{i}' : for 'role:{role}' the following must be satisfied[('messages.{i}' : property '{name}' is "
        "unsupported)]", ".{name}", checked="2026-11-23", remedy=remedies.OWN_MEMBERS.of("schemas"),
    wrong=groq(USER, {**CALL_MESSAGE, "reasoning_content": "I ask the tool."}, RESULT),
    right=groq(USER, CALL_MESSAGE, RESULT),
    verbatim=(*cite("eight public projects", "property 'refusal' is unsupported"),
        *cite("public code that quotes it", "property 'reasoning_content' is unsupported"),
        *cite("public code that quotes it",
        "for 'role:system' the following must be satisfied[('messages.0' : property")))
BOOK.row("groq/result-empty-list", "The content of a tool's result is an empty list.",
    chat.MESSAGE, lambda one: one.get("role") == "tool" and one.get("content") == [],
    "'messages.{i}' : for 'role:tool' one of the following must be satisfied[('messages.{i}.content' : value must be a "
        "string) OR ('messages.{i}.content' : minimum number of items is 1)]", ".content", checked="2026-11-23",
    remedy=Remedy("results", "Write a result without parts as an empty text."),
    wrong=groq(USER, CALL_MESSAGE, {**RESULT, "content": []}),
    right=groq(USER, CALL_MESSAGE, {**RESULT, "content": [{"type": "text", "text": "7 degrees"}]}),
    verbatim={"two public projects":
        "value must be a string) OR ('messages.3.content' : minimum number of items is 1)"})
BOOK.row("groq/no-chat", "The model transcribes speech and supports no chat completions.",
    ANY_PARAMETER, lambda body: True, "The model `{model}` does not support chat completions", "model", trait="no-chat",
    models="whisper, distil-whisper", checked=CHECKED, remedy=remedies.OTHER_MODEL,
    wrong=groq(model="whisper-large-v3"), right=groq(),
    recorded={"recording, whisper-large-v3": "does not support chat completions"})
BOOK.row("groq/model-terms", "The organisation has not accepted the terms of the model.",
    ANY_PARAMETER, lambda body: True,
    "The model `{model}` requires terms acceptance. Please have the org admin accept the terms at "
        "https://console.groq.com/playground?model={model}", "model", trait="terms", models="playai-tts",
    checked=CHECKED, extra={"code": "model_terms_required"}, remedy=remedies.OTHER_MODEL,
    wrong=groq(model="playai-tts"), right=groq(),
    recorded={"recording, playai-tts": "requires terms acceptance."})
BOOK.row("groq/result-id-missing", "A tool result has no `tool_call_id`.",
    chat.MESSAGE, lambda one: one.get("role") == "tool" and "tool_call_id" not in one,
    "'messages.{i}' : for 'role:tool' the following must be satisfied[('messages.{i}.tool_call_id' : property "
        "'tool_call_id' is missing)]", ".tool_call_id", checked=CHECKED, remedy=remedies.ID_OF_CALL,
    wrong=groq(USER, CALL_MESSAGE, {"role": "tool", "content": RESULT["content"]}),
    right=groq(USER, CALL_MESSAGE, RESULT),
    verbatim={"hackclub/ai#22": "for 'role:tool' the following must be satisfied"})
BOOK.row("groq/tool-type",
    "A tool has an unknown type; gpt-oss models also accept `browser_search` and `code_interpreter`.",
    chat.TOOL, _unknown_type, checked=CHECKED, remedy=remedies.TOOL_SHAPE,
    wrong=groq(tools=[{**TOOL, "type": "custom"}]), right=groq(tools=[TOOL]),
    recorded={"recording, qwen/qwen3-32b": "tools[0].type must be one of [function, mcp]"})
BOOK.row("groq/tools-unsupported", "The request has tools and the model does not support them.",
    ANY_PARAMETER, lambda body: bool(body.get("tools")), "`tool calling` is not supported with this model", "tools",
    trait="no-tools", models="groq/compound, llama-guard*", checked=CHECKED,
    extra={"param": "tool calling"}, remedy=remedies.TOOL_MODEL,
    wrong=groq(model="groq/compound", tools=[TOOL]), right=groq(tools=[TOOL]),
    recorded={"recording, groq/compound": "..."})
BOOK.row("groq/json-schema-unsupported",
    "A `response_format` of type `json_schema` is for a few models; the link came in 2025.",
    ANY_PARAMETER, _format,
    "This model does not support response format `json_schema`. See supported models at "
        "https://console.groq.com/docs/structured-outputs#supported-models", "response_format", trait="no-json-schema",
    models="deepseek-r1, compound, qwen3-32b, llama-3.3, llama-3.1", checked="2026-11-23",
    remedy=remedies.FORMAT_IN_WORDS,
    wrong=groq(model="llama-3.3-70b-versatile", response_format=WITH_SCHEMA),
    right=groq(model="openai/gpt-oss-20b", response_format=WITH_SCHEMA),
    recorded={"recordings, deepseek-r1-distill-llama-70b, compound-mini, qwen3-32b, llama-3.3-70b, llama-3.1-8b":
        "This model does not support response format `json_schema`. See supported models at"})
BOOK.row("groq/pictures-unsupported", "A message has a picture, and the model takes none.",
    chat.PART, lambda part, i: part.get("type") == "image_url" and Breach(f"messages[{i}].content",
        f"messages[{i}].content must be a string", {"param": f"messages[{i}].content"}), needs="image_url",
    trait="no-pictures", models="gpt-oss, compound", checked="2026-11-29", about="picture",
    remedy=remedies.MEDIA_OF_MODEL,
    wrong=groq({**USER, "content": [PICTURE]}), right=groq({**USER, "content": [PICTURE]}, model="llama-4-maverick"),
    recorded={"recordings of 2026, gpt-oss-120b, gpt-oss-20b, gpt-oss-safeguard-20b, compound, compound-mini":
        "messages[0].content must be a string"})
BOOK.row("groq/choices-too-many", "More than one choice is asked for.",
    ANY_PARAMETER, lambda body: body.get("n") is not None and body["n"] > 1, "'n' : number must be at most 1", "n",
    checked="2026-11-23", remedy=remedies.NO_PARAMETER,
    wrong=groq(n=2), right=groq(n=1),
    verbatim={"ten public projects, probes among them": "..."})
BOOK.row("groq/effort-value", "The effort is none of those of the model.",
    ANY_PARAMETER, _effort_of_another_model, "`reasoning_effort` must be one of {known}", "reasoning_effort",
    needs="reasoning_effort", trait="efforts-none-or-default", models="qwen3-32b", checked="2026-11-29",
    remedy=remedies.EFFORT_OF_MODEL,
    wrong=groq(model="qwen/qwen3-32b", reasoning_effort="high"),
    right=groq(model="qwen/qwen3-32b", reasoning_effort="default"),
    verbatim={"earendil-works/pi#1745, qwen/qwen3-32b": "reasoning_effort must be one of none or default"})
BOOK.row("groq/max-tokens-large", "The longest answer has more tokens than the model writes.",
    ANY_PARAMETER, lambda body, context: _above(MOST_TOKENS, body, context), ABOVE, "{name}",
    models="kimi-k2-instruct, qwen3-32b", checked="2026-11-30", remedy=remedies.KEEP_IN_RANGE,
    wrong=groq(model="qwen/qwen3-32b", max_tokens=131072), right=groq(model="qwen/qwen3-32b", max_tokens=40960),
    verbatim={"anomalyco/opencode#1009, kimi-k2-instruct": "`max_tokens` must be less than or equal to `16384`, the",
        "RooCodeInc/Roo-Code#5136, qwen3-32b": "max_tokens must be less than or equal to 40960",
        "Alishahryar1/free-claude-code#955": "the maximum value for max_completion_tokens is less than"})
BOOK.row("groq/max-tokens-documented", "The longest answer has more tokens than the model writes by Groq's table.",
    ANY_PARAMETER, lambda body, context: _above(MOST_DOCUMENTED, body, context), ABOVE, "{name}",
    models="gpt-oss-120b, gpt-oss-20b", checked="2026-11-30", remedy=remedies.KEEP_IN_RANGE,
    wrong=groq(max_tokens=65537), right=groq(max_tokens=65536),
    inferred={"console.groq.com/docs/models, gpt-oss-120b and gpt-oss-20b: at most 65,536": ""})
BOOK.row("groq/schema-missing", "A `response_format` of type `json_schema` has no `schema`.",
    ANY_PARAMETER, _without_schema, "json schema is required", "response_format.json_schema", checked=CHECKED,
    remedy=remedies.FORMAT_SHAPE.of("schemas"),
    wrong=groq(response_format={"type": "json_schema", "json_schema": {"name": "fruit"}}),
    right=groq(response_format={"type": "json_schema", "json_schema": {"name": "fruit", "schema": {}}}),
    recorded={"recording, moonshotai/kimi-k2-instruct": "..."})
BOOK.row("groq/json-object-unsaid", "A JSON object is requested and no message contains the word JSON.",
    WHOLE_REQUEST, chat.json_unsaid,
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.", "messages",
    needs="json_object", checked="2026-11-22", remedy=remedies.SAY_JSON,
    wrong=groq(response_format={"type": "json_object"}),
    right=groq({**USER, "content": "Say it in JSON."}, response_format={"type": "json_object"}),
    verbatim={"mem0ai/mem0#4161, llama-3.1-8b-instant, llama-3.3-70b, llama-4-scout": "..."})
# fmt: on
refuse_undeclared(
    BOOK,
    "groq/",
    TYPES,
    _undeclared,
    {
        "missing": (
            groq(documents=[{"source": {"type": "text"}}]),
            groq(documents=[{"source": {"type": "text", "text": "Rain."}}]),
        ),
        "type": (groq(include_reasoning="yes"), groq(include_reasoning=True)),
        "word": (
            groq(tools=[TOOL], tool_choice={"type": "tool", "function": {"name": "get_weather"}}),
            groq(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "get_weather"}}),
        ),
    },
    source="groq-python 1.7, its types of a request",
)  # fmt: skip
