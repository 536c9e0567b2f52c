"""Fireworks: it names each member that it does not know, with its value."""

from functools import partial
from typing import Any, Final

from fake_providers import remedies
from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.chat_values import (
    CHOICES,
    FORMATS,
    OPENAIS_RANGES,
    Range,
    Values,
    pydantic_sentence,
    refuse_values,
)
from fake_providers.replies.documents import ByStatus, Envelope
from fake_providers.rule import Remedy
from fake_providers.rulebook import (
    ANY_PARAMETER,
    RequestContext,
    Rulebook,
)
from fake_providers.values.lenient import listed
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, sample_request
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
)

MODEL: Final = "accounts/fireworks/models/glm-4p7"
CHECKED: Final = "2026-11-23"
MEMBERS: Final = ("role", "content", "name", "tool_calls", "tool_call_id", "reasoning_content", "function_call")
EXTRA: Final = "Extra inputs are not permitted, field: '{at}', value: {value!r}"
NAMES: Final = {"array": "list", "object": "dictionary", "string": "string"}
TOOLS: Final = ("function", "web_search_preview", "code_interpreter")
SAMPLES: Final = Samples(MODEL)
fireworks = partial(sample_request, model=MODEL)


KINDS: Final = {
    401: "UNAUTHORIZED",
    404: "NOT_FOUND",
    429: "RATE_LIMIT_EXCEEDED",
    500: "internal_server_error",
}
error_body = Envelope(
    {"error": {"object": "error", "type": "<type>", "code": "<type>", "message": "<message>"}},
    type=ByStatus(KINDS, "invalid_request_error"),
)


BOOK = Rulebook(error_body.refusal)

chat.refuse_unread(BOOK, "fireworks", chat.MESSAGES, model=MODEL, not_json="Invalid JSON in request body",
    missing="Field required, field: 'messages', value: {}",
    source="worded like the refusals of members that it does not know")  # fmt: skip


def _wrong_type(found: WrongType, _context: RequestContext) -> str:
    if found.value is MISSING:
        return f"Field required, field: '{found.at}'"
    valid = f"a valid {' or '.join(NAMES.get(one, one) for one in found.types)}"
    expected = ", ".join(map(repr, ROLES)) if found.types == ("role",) else valid
    return f"Input should be {expected}, field: '{found.at}', value: {found.value!r}"


ROLES: Final = ("system", "developer", "user", "assistant", "tool")
refuse_wrong_types(BOOK, "fireworks",
    Dialect(words=_wrong_type, source="worded like the refusals of members that it does not know",
        roles=(*ROLES, "function"),
        required=("messages[].role", "tools[].type", "tools[].function", "tools[].function.name")),
    SAMPLES)  # fmt: skip
refuse_values(BOOK, "fireworks",
    Values(words=lambda found, _: f"{pydantic_sentence(found)}, field: '{found.at}', value: {found.value!r}",
        source="docs.fireworks.ai, OpenAPI of chat completions; worded like the refusals of members",
        choices=(*CHOICES, "any"), formats=(*FORMATS, "grammar"), ranges={**OPENAIS_RANGES, "max_tokens": Range(0)}),
    SAMPLES)  # fmt: skip


def _extra(item: dict[str, Any], name: str) -> dict[str, Any] | None:
    return {"value": item[name]} if name in item else None


def _bare_branch(one: dict[str, Any]) -> dict[str, Any] | None:
    schema = one.get("parameters") or {}
    branches = [branch for name in ("anyOf", "oneOf") for branch in listed(schema.get(name))]
    return next(({"branch": one} for one in branches if isinstance(one, dict) and set(one) == {"required"}), None)


NO_KEY = "The API key you provided is invalid."
FAILURES = ByStatus(
    {
        401: NO_KEY,
        404: "Model not found, inaccessible, and/or not deployed",
        429: "rate limit exceeded, please try again later",
        500: "internal server error",
    },
    "The request could not be processed.",
)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("fireworks/message-member-unknown",
    "A message has a member that Fireworks does not know, such as `reasoning` or the `refusal` of OpenAI.",
    chat.MESSAGE, lambda one: next(({"name": name, "value": one[name]} for name in one if name not in MEMBERS), None),
    EXTRA, ".{name}", checked=CHECKED,
    remedy=Remedy("messages",
        "Send back only what the API lists of a message; drop `reasoning`, `refusal` and what other providers added."),
    wrong=fireworks(USER, {**CALL_MESSAGE, "reasoning": "I ask."}, RESULT), right=fireworks(USER, CALL_MESSAGE, RESULT),
    verbatim={"ten public projects": "Extra inputs are not permitted, field: 'messages[1].agent', value: 'cli'"})
BOOK.row("fireworks/call-member-unknown", "A call has `extra_content`, in which Gemini sends its signature.",
    chat.CALL, lambda call: _extra(call, "extra_content"), EXTRA, ".extra_content", checked="2026-11-28",
    remedy=Remedy("calls",
        "Send calls with `id`, `type` and `function` alone; signatures are for the provider that made them."),
    wrong=SAMPLES.at("messages.1.tool_calls.0.extra_content", {"google": {"thought_signature": "c2ln"}}),
    right=SAMPLES.at("messages.1.tool_calls.0.extra_content", MISSING),
    verbatim={"public code that quotes it":
        "Extra inputs are not permitted, field: 'messages[N].tool_calls[0].extra_content'"})
BOOK.row("fireworks/part-member-unknown", "A part of a content has `cache_control`, which is Anthropic's.",
    chat.PART, lambda part: _extra(part, "cache_control"), EXTRA, ".cache_control", checked=CHECKED,
    remedy=remedies.OWN_MEMBERS.of("content"),
    wrong=fireworks({**USER, "content": [{"type": "text", "text": "Hello", "cache_control": {"type": "ephemeral"}}]}),
    right=fireworks({**USER, "content": [{"type": "text", "text": "Hello"}]}),
    verbatim={"public tests that quote it":
        "Extra inputs are not permitted, field: messages[1].content[0].cache_control"})
BOOK.row("fireworks/tool-type-unknown", "A tool has a type of another provider, such as `web_search_20250305`.",
    chat.TOOL, lambda tool: tool.get("type") not in TOOLS and {"kind": tool.get("type")},
    "Input should be 'function', 'web_search_preview' or 'code_interpreter', field: '{at}', value: '{kind}'", ".type",
    remedy=remedies.TOOL_SHAPE,
    wrong=fireworks(tools=[{**TOOL, "type": "web_search_20250305"}]), right=fireworks(tools=[TOOL]), checked=CHECKED,
    verbatim={"boldsoftware/shelley#242": "Input should be 'function', 'web_search_preview' or 'code_interpreter'"})
BOOK.row("fireworks/thinking-unknown", "The request has `thinking` that is no object, as a switch of other providers.",
    ANY_PARAMETER, lambda body: None if isinstance(body.get("thinking"), dict | None) else _extra(body, "thinking"),
    EXTRA, "thinking", checked=CHECKED,
    remedy=Remedy("reasoning-settings", "Write `thinking` as an object with a `type`, or leave it out."),
    wrong=fireworks(thinking=True), right=fireworks(thinking={"type": "enabled"}),
    reported={"public tests that quote it": "Extra inputs are not permitted, field: 'thinking'"})
BOOK.row("fireworks/schema-unsupported",
    "The schema of a tool has a branch of an alternative with nothing but `required`.",
    chat.FUNCTION, _bare_branch, "JSON Schema not supported: could not understand the instance `{branch}`.",
    ".parameters", remedy=remedies.CONVERT_SCHEMA,
    wrong=fireworks(
        tools=[{"type": "function", "function": {"name": "f", "parameters": {"anyOf": [{"required": ["a"]}]}}}]),
    right=fireworks(tools=[{"type": "function", "function": {"name": "f", "parameters": {"anyOf": []}}}]),
    checked=CHECKED,
    verbatim={"earendil-works/pi#5352": "JSON Schema not supported: could not understand the instance"})
BOOK.row("fireworks/result-without-call", "A result has the id of no call before it.",
    chat.NEAR, chat.unknown_result, "A tool message must answer a call of an assistant message",
    "messages[{i}].tool_call_id", remedy=remedies.RESULT_WITH_CALL,
    wrong=SAMPLES.at("messages.2.tool_call_id", "call_2"), right=SAMPLES.at("messages.2.tool_call_id", "call_1"),
    checked=CHECKED,
    inferred={"deduced from OpenAI's rule; no public words were found": ""})

PROVIDER = Provider(
    name="fireworks",
    base_path="/inference/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=context_length_rule(
            "fireworks/context-length", reported={"public code that quotes it": "The prompt is too long"}),
        too_long="The prompt is too long: {tokens}, model maximum context length: {window}",
        missing_key=missing_key_rule("fireworks/missing-key", reported={"public threads that quote it": NO_KEY})),
    answers=Answers(id=uuid, call_id=lambda ids: ids.make("call_", 24), usage_comes="always"),
    books=(BOOK,),
    traits=families_of("openai-chat", "fireworks"))
# fmt: on
