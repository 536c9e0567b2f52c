"""Gemini's OpenAI-compatible endpoint: Google's error comes in an array of one.

Calls have Google's signatures in `extra_content`.
"""

import json
from typing import Any, Final

from fake_providers import remedies
from fake_providers.ids import DIGITS
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import MESSAGES, calls, function, messages, refuse_unread
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Envelope, Failure
from fake_providers.rulebook import WHOLE_REQUEST, Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.provider import Answers, PlacedCall, Provider
from fake_providers.wires.openai_chat.request import signature_of
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, USER, sample_request
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
)
from fake_providers.wires.openai_shared.request_body import event

MODEL: Final = "gemini-3-flash-preview"
CHECKED: Final = "2026-11-21"
STATUSES: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
SIGNED: Final = {"google": {"thought_signature": "skip_thought_signature_validator"}}
CALL: Final = {**CALL_MESSAGE, "tool_calls": [{**CALL_MESSAGE["tool_calls"][0], "extra_content": SIGNED}]}


error_body = Envelope(
    [{"error": {"code": "<status>", "message": "<message>", "status": "<name>"}}],
    name=ByStatus(STATUSES, "UNKNOWN", "UNKNOWN"),
)

BOOK = Rulebook(error_body.refusal)

refuse_unread(BOOK, "gemini", MESSAGES, model=MODEL, not_json="Invalid JSON payload received.",
    missing="* GenerateContentRequest.contents: contents is not specified\n",
    source="the native endpoint's message for a request without contents")  # fmt: skip


def wrong_type(found: WrongType, _context: RequestContext) -> str:
    if found.rule == "role-unknown":
        return "Please use a valid role: user, model."
    value = "null" if found.value is MISSING else json.dumps(found.value)
    return f"Invalid value at '{found.at}' ({TYPES[found.types[0]]}), {value}"


TYPES: Final = {
    "string": "TYPE_STRING", "number": "TYPE_FLOAT", "integer": "TYPE_INT32", "boolean": "TYPE_BOOL",
    "array": "repeated", "object": "message",
}  # fmt: skip
refuse_wrong_types(BOOK, "gemini",
    Dialect(words=wrong_type, source="the sentences of the native endpoint, in this endpoint's envelope",
        required=("tools[].function.name",)), Samples(MODEL, call=CALL), prefix="chat-")  # fmt: skip


def calls_before_user(context: RequestContext) -> Breach | None:
    turns = (placed for placed in messages(context) if placed[1].get("role") not in ("system", "developer"))
    index, first = next(turns, (0, {}))
    return Breach(f"messages[{index}]", CALLS_FIRST) if calls(first) else None


CALLS_FIRST: Final = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
UNSIGNED = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
    "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function "
    "call `default_api:{name}` , position {position}. Please refer to "
    "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)


def first_unsigned(context: RequestContext, sentence: str) -> Breach | None:
    """The first message since the last of the user whose first call has no signature."""
    if "thought-signatures" not in context.traits:
        return None
    found = messages(context)
    last_user = max((place for place, (_, message) in enumerate(found) if message.get("role") == "user"), default=-1)
    for place, (index, message) in list(enumerate(found))[last_user + 1 :]:
        for number, call in calls(message)[:1]:
            if not signature_of(call):
                # Among Gemini's contents, counted from 1, in which system messages do not count
                position = sum(one.get("role") not in ("system", "developer") for _, one in found[: place + 1])
                at = f"messages[{index}].tool_calls[{number}].extra_content.google.thought_signature"
                return Breach(at, sentence.format(name=function(call).get("name"), position=position))
    return None


NO_KEY = "Missing or invalid Authorization header."
MISSING_KEY = missing_key_rule(
    "gemini/missing-bearer", status=400, reported={"ychoi-kr/llm-api-prog#1": "Invalid Authorization header."}
)
WINDOW = context_length_rule(
    "gemini/prompt-too-long", reported={"the native endpoint's message": "exceeds the maximum number of tokens allowed"}
)
FAMILIES = families_of("openai-chat", "gemini")
UNREADABLE = "Request contains an invalid argument."
SENTENCES = {
    401: "Request had invalid authentication credentials.",
    403: "Permission denied.",
    404: "Requested entity was not found.",
    429: "You exceeded your current quota, please check your plan and billing details.",
    500: "An internal error has occurred.",
    503: "This model is currently experiencing high demand. Please try again later.",
    504: "Deadline expired before operation could complete.",
}


def _signature(call: PlacedCall) -> Any:
    """The first call of an answer is signed if the model requires signatures."""
    if call.index or "thought-signatures" not in FAMILIES(call.rendered.model):
        return ABSENT
    return {"google": {"thought_signature": call.rendered.ids.make("", 64)}}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("gemini/tool-calls-before-user",
    "Tool calls come before the first user message, which often happens when a history is pruned.",
    WHOLE_REQUEST, calls_before_user, checked=CHECKED, remedy=remedies.KEEP_USER_MESSAGE,
    wrong=sample_request(CALL, RESULT, model=MODEL), right=sample_request(USER, CALL, RESULT, model=MODEL),
    verbatim={"public code that quotes it": "Please ensure that function call turn comes immediately after a user turn",
        "zeroclaw-labs/zeroclaw#6303": ""})
BOOK.row("gemini/tool-call-signature-missing",
    "The first tool call of a message since the last user message lacks its "
        "`extra_content.google.thought_signature`.",
    WHOLE_REQUEST, lambda context: first_unsigned(context, UNSIGNED), models="3 and later", checked=CHECKED,
    remedy=remedies.SIGNATURE_STORED,
    wrong=sample_request(USER, CALL_MESSAGE, RESULT, model=MODEL),
    right=sample_request(USER, CALL, RESULT, model=MODEL),
    verbatim={"TokenRhythm/opensquilla#225": "Function call is missing a thought_signature in functionCall parts.",
        "0xsline/OpenChatCut#6": "", "niki914/zafiro#100": "", "BigPizzaV3/CodexPlusPlus#367": ""})

PROVIDER = Provider(
    name="gemini",
    base_path="/v1beta/openai",
    errors=Errors(
        error_body,
        ByStatus(SENTENCES, UNREADABLE, UNREADABLE),
        window=WINDOW,
        too_long="The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window}).",
        missing_key=MISSING_KEY,
        no_key=Failure(NO_KEY, {"status": 400}),
        stream_error=lambda body, context: event(body[0] if isinstance(body, list) else body)),
    answers=Answers(
        id=lambda ids: ids.make("", 23),
        call_id=lambda ids: ids.make("function-call-", 19, DIGITS),
        completion=Document("choices created id model object usage?"),
        choice=Document("finish_reason index message"),
        message=Document("content:content_if_any? role tool_calls?"),
        call=Document(
            "extra_content? function id? type", extra_content=_signature, function=Document("arguments name")),
        usage=Document(
            "completion_tokens prompt_tokens total_tokens",
            completion_tokens=lambda rendered: rendered.tokens.completion - rendered.tokens.thinking),
        chunk=Document("choices created id model object usage?"),
        step=Document("delta finish_reason:finish_at_end? index"),
        opening=None,
        thought=None,
        text=Document("content role"),
        calls="each",
        calling=Document("tool_calls role"),
        opened_call=Document(
            "extra_content? function id? type index", extra_content=_signature, function=Document("arguments name")),
        last=Document("content role", content=""),
        usage_comes="with_finish",
        delta_size=40),
    books=(BOOK,),
    traits=FAMILIES)
# fmt: on
