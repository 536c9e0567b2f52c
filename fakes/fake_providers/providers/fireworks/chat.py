"""Fireworks: it names each member that it does not know, with its value."""

from typing import Any, Final

from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import MESSAGES, calls, function, messages, refuse_unread, tools
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.replies.documents import ByStatus, Envelope
from fake_providers.rulebook import (
    ALL_MESSAGES,
    ANY_MESSAGE,
    ANY_PARAMETER,
    ANY_TOOL,
    NEAR_MESSAGES,
    Breach,
    RequestContext,
    Rulebook,
)
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
NAMES: Final = {"array": "list", "object": "dictionary", "string": "string"}


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


def extra(at: str, value: Any) -> Breach:
    return Breach(at, f"Extra inputs are not permitted, field: '{at}', value: {value!r}")


BOOK = Rulebook(error_body.refusal)

refuse_unread(
    BOOK,
    "fireworks",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "Invalid JSON in request body"),
    missing=lambda body: Breach("messages", "Field required, field: 'messages', value: {}"),
    source="worded like the refusals of members that it does not know",
)


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    if found.value is MISSING:
        return Breach(found.at, f"Field required, field: '{found.at}'")
    expected = " or ".join(NAMES.get(one, one) for one in found.types)
    if found.types == ("role",):
        return Breach(
            found.at, f"Input should be {', '.join(map(repr, ROLES))}, field: '{found.at}', value: {found.value!r}"
        )
    return Breach(found.at, f"Input should be a valid {expected}, field: '{found.at}', value: {found.value!r}")


ROLES: Final = ("system", "developer", "user", "assistant", "tool")
refuse_wrong_types(
    BOOK,
    "fireworks",
    Dialect(
        words=_wrong_type,
        source="worded like the refusals of members that it does not know",
        roles=(*ROLES, "function"),
        required=("messages[].role", "tools[].type", "tools[].function", "tools[].function.name"),
    ),
    Samples(MODEL),
)


def _member_unknown(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        for name in message:
            if name not in MEMBERS:
                return extra(f"messages[{index}].{name}", message[name])
    return None


def _call_unknown(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        for number, call in calls(message):
            if "extra_content" in call:
                return extra(f"messages[{index}].tool_calls[{number}].extra_content", call["extra_content"])
    return None


def _part_unknown(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        content = message.get("content")
        for number, part in enumerate(content if isinstance(content, list) else ()):
            if isinstance(part, dict) and "cache_control" in part:
                return extra(f"messages[{index}].content[{number}].cache_control", part["cache_control"])
    return None


def _tool_type(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        if tool.get("type") not in ("function", "web_search_preview", "code_interpreter"):
            known = "Input should be 'function', 'web_search_preview' or 'code_interpreter'"
            sentence = f"{known}, field: 'tools[{index}].type', value: '{tool.get('type')}'"
            return Breach(f"tools[{index}].type", sentence)
    return None


def _thinking(context: RequestContext) -> Breach | None:
    value = context.body.get("thinking")
    return None if value is None or isinstance(value, dict) else extra("thinking", value)


def _schema(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        schema = function(tool).get("parameters") or {}
        lists = [schema[name] for name in ("anyOf", "oneOf") if isinstance(schema.get(name), list)]
        bare = next(
            (one for branches in lists for one in branches if isinstance(one, dict) and set(one) == {"required"}), None
        )
        if bare is not None:
            sentence = f"JSON Schema not supported: could not understand the instance `{bare}`."
            return Breach(f"tools[{index}].function.parameters", sentence)
    return None


def _without_call(context: RequestContext) -> Breach | None:
    called: set[Any] = set()
    for index, message in messages(context):
        called |= {call.get("id") for _, call in calls(message)}
        if message.get("role") == "tool" and message.get("tool_call_id") not in called:
            return Breach(
                f"messages[{index}].tool_call_id", "A tool message must answer a call of an assistant message"
            )
    return None


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
    ANY_MESSAGE, _member_unknown, checked=CHECKED,
    wrong=sample_request(USER, {**CALL_MESSAGE, "reasoning": "I ask."}, RESULT, model=MODEL),
    right=sample_request(USER, CALL_MESSAGE, RESULT, model=MODEL),
    verbatim={"ten public projects": "Extra inputs are not permitted, field: 'messages[1].agent', value: 'cli'"})
BOOK.row("fireworks/call-member-unknown", "A call has `extra_content`, in which Gemini sends its signature.",
    ALL_MESSAGES, _call_unknown, checked="2026-11-28",
    wrong=Samples(MODEL).at("messages.1.tool_calls.0.extra_content", {"google": {"thought_signature": "c2ln"}}),
    right=Samples(MODEL).at("messages.1.tool_calls.0.extra_content", MISSING),
    verbatim={"public code that quotes it":
        "Extra inputs are not permitted, field: 'messages[N].tool_calls[0].extra_content'"})
BOOK.row("fireworks/part-member-unknown", "A part of a content has `cache_control`, which is Anthropic's.",
    ANY_MESSAGE, _part_unknown, checked=CHECKED,
    wrong=sample_request(
        {**USER, "content": [{"type": "text", "text": "Hello", "cache_control": {"type": "ephemeral"}}]}, model=MODEL),
    right=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}, model=MODEL),
    verbatim={"public tests that quote it":
        "Extra inputs are not permitted, field: messages[1].content[0].cache_control"})
BOOK.row("fireworks/tool-type-unknown", "A tool has a type of another provider, such as `web_search_20250305`.",
    ANY_TOOL, _tool_type, checked=CHECKED,
    wrong=sample_request(model=MODEL, tools=[{**TOOL, "type": "web_search_20250305"}]),
    right=sample_request(model=MODEL, tools=[TOOL]),
    verbatim={"boldsoftware/shelley#242": "Input should be 'function', 'web_search_preview' or 'code_interpreter'"})
BOOK.row("fireworks/thinking-unknown", "The request has `thinking` that is no object, as a switch of other providers.",
    ANY_PARAMETER, _thinking, checked=CHECKED,
    wrong=sample_request(model=MODEL, thinking=True), right=sample_request(model=MODEL, thinking={"type": "enabled"}),
    reported={"public tests that quote it": "Extra inputs are not permitted, field: 'thinking'"})
BOOK.row("fireworks/schema-unsupported",
    "The schema of a tool has a branch of an alternative with nothing but `required`.",
    ANY_TOOL, _schema, checked=CHECKED,
    wrong=sample_request(model=MODEL,
        tools=[{"type": "function", "function": {"name": "f", "parameters": {"anyOf": [{"required": ["a"]}]}}}]),
    right=sample_request(model=MODEL,
        tools=[{"type": "function", "function": {"name": "f", "parameters": {"anyOf": []}}}]),
    verbatim={"earendil-works/pi#5352": "JSON Schema not supported: could not understand the instance"})
BOOK.row("fireworks/result-without-call", "A result has the id of no call before it.",
    NEAR_MESSAGES, _without_call, checked=CHECKED,
    wrong=Samples(MODEL).at("messages.2.tool_call_id", "call_2"),
    right=Samples(MODEL).at("messages.2.tool_call_id", "call_1"),
    inferred={"deduced from OpenAI's rule; no public words were found": ""})
# fmt: on


PROVIDER = Provider(
    name="fireworks",
    base_path="/inference/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=context_length_rule(
            "fireworks/context-length", reported={"public code that quotes it": "The prompt is too long"}
        ),
        too_long="The prompt is too long: {tokens}, model maximum context length: {window}",
        missing_key=missing_key_rule("fireworks/missing-key", reported={"public threads that quote it": NO_KEY}),
    ),
    answers=Answers(id=uuid, call_id=lambda ids: ids.make("call_", 24), usage_comes="always"),
    books=(BOOK,),
    traits=families_of("openai-chat", "fireworks"),
)
