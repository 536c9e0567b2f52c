"""Z.ai (GLM): refusals are a number and a sentence; answers have the id of the request beside their own."""

from typing import Final

from fake_providers import remedies
from fake_providers.ids import DIGITS
from fake_providers.models import families_of
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.chat_types import MISSING, TOOLS, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.chat_values import Range, Values, refuse_values
from fake_providers.providers.shared.qwen_template import BRIEF
from fake_providers.replies.documents import ByStatus, Document, Envelope, Failure
from fake_providers.rule import Remedy
from fake_providers.rulebook import (
    ANY_PARAMETER,
    Breach,
    RequestContext,
    Rulebook,
)
from fake_providers.wires.openai_chat.provider import USAGE_AND_REASONING, Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, cite, sample_request
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule, missing_key_rule

MODEL: Final = "glm-4.7"
CHECKED: Final = "2026-11-23"
PICTURE: Final = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}
ILLEGAL: Final = "The messages parameter is illegal. Please check the documentation."
INVALID: Final = "Invalid API parameter, please check the documentation."
NOT_RECEIVED: Final = "The prompt parameter was not received normally."


error_body = Envelope(
    {"error": {"code": "<code>", "message": "<message>"}},
    code=ByStatus({401: "1001", 404: "1211", 429: "1305", 500: "1234"}, "1210"),
)


def _invalid(at: str) -> Breach:
    return Breach(at, INVALID, {"code": "1210"})


BOOK = Rulebook(error_body.but(code="1214").refusal)
chat.refuse_unread(BOOK, "zai", chat.MESSAGES, model=MODEL, not_json=_invalid("body"),
    missing=lambda body: Breach("messages", NOT_RECEIVED, {"code": "1213"}),
    source="the sentences that it has for other bodies")  # fmt: skip


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    if found.types == ("role",) or (found.value is MISSING and found.path[-1] == "role"):
        return Breach(found.at, "Incorrect role information")
    if found.path[0] in ("messages", "tools") and len(found.path) > 2:
        return Breach(found.at, f"{found.at} type error")
    return _invalid(found.at)


refuse_wrong_types(BOOK, "zai",
    Dialect(words=_wrong_type, source="the sentences that it has for other members",
        roles=("system", "user", "assistant", "tool"), required=("messages[].role", "tools[].type", *TOOLS),
        known={"role-unknown": ("verbatim", cite("public code that quotes it", "Incorrect role information")),
            "content-part-type": ("reported", cite("public notes", "messages[5].content[1].type type error")),
            "parameter-type": ("reported",
                cite("charmbracelet/crush#1237, cline/cline#9939", "Invalid API parameter, please check the"))}),
    Samples(MODEL))  # fmt: skip
refuse_values(BOOK, "zai",
    Values(words=lambda found, _: _invalid(found.at), source="docs.z.ai, chat completion; its sentence for parameters",
        formats=("text", "json_object", "json_schema"), efforts=(),
        ranges={"temperature": Range(0, 1), "top_p": Range(0, 1), "max_tokens": Range(1)}), Samples(MODEL))  # fmt: skip

NO_KEY = "Authentication parameter not received in Header, unable to authenticate"
FAILURES = ByStatus(
    {
        401: NO_KEY,
        404: "Unknown Model, please check the model code.",
        429: "The service may be temporarily overloaded, please try again later",
        500: "Internal network failure, please contact customer service.",
    },
    "Invalid API parameter, please check the documentation.",
)


def _results_without_calls(found: list[chat.PlacedItem]) -> list[int]:
    first = next((place for place, (_, message) in enumerate(found) if chat.calls(message)), len(found))
    return [i for i, message in found[:first] if message.get("role") == "tool"]


# A table: two rows are to be compared.
# fmt: off
BOOK.row("zai/messages-without-user", "No message of the user is left, which often happens when a history is pruned.",
    chat.HISTORY, lambda found: all(one.get("role") != "user" for _, one in found), ILLEGAL, "messages",
    checked=CHECKED,
    remedy=Remedy("messages",
        "Keep the user's message of the current turn when the history is pruned; a summary alone is not enough."),
    wrong=sample_request(BRIEF, CALL_MESSAGE, RESULT, model=MODEL),
    right=sample_request({**BRIEF, "role": "user"}, CALL_MESSAGE, RESULT, model=MODEL),
    verbatim={"anomalyco/opencode#2557, with a report of what was tried":
        "The messages parameter is illegal. Please check the documentation.",
        "MetaGLM/zhipuai-sdk-python-v4#14, a history of system, calls and results": ""})
BOOK.row("zai/content-empty", "The content of the user's last message is empty.",
    chat.LAST, lambda one: one.get("role") == "user" and one.get("content") in ("", [], None), NOT_RECEIVED, ".content",
    checked=CHECKED, extra={"code": "1213"},
    remedy=Remedy("content", "Send what the user said; where it is empty, end the turn without a request."),
    wrong=sample_request({**USER, "content": ""}, model=MODEL), right=sample_request(USER, model=MODEL),
    verbatim={"zhipuai's errors in five public projects": "..."})
BOOK.row("zai/tool-type-unknown", "A tool has an unknown type, such as `custom`.",
    chat.TOOL, lambda tool: tool.get("type") not in ("function", "web_search", "retrieval", "mcp"),
    "{at}:type is illegal", ".type", checked=CHECKED, remedy=remedies.TOOL_SHAPE,
    wrong=sample_request(model=MODEL, tools=[{**TOOL, "type": "custom"}]),
    right=sample_request(model=MODEL, tools=[TOOL]),
    verbatim={"BerriAI/litellm's conversion of tools, and six more": "tools[0].type:type is illegal"})
BOOK.row("zai/user-id-length", "`user_id` has fewer than 6 characters or more than 128.",
    ANY_PARAMETER, lambda body: isinstance(body.get("user_id"), str) and not 6 <= len(body["user_id"]) <= 128,
    "user_id: The unique ID of the user must be between 6 and 128 characters in length.", "user_id",
    checked="2026-11-27", remedy=remedies.HASH_ID,
    wrong=sample_request(model=MODEL, user_id="0" * 129), right=sample_request(model=MODEL, user_id="0" * 128),
    verbatim={"looplj/axonhub#1669": "The unique ID of the user must be between 6 and 128 characters in length."})
BOOK.row("zai/pictures-unsupported", "A message has a picture, and the model takes none.",
    chat.PART, lambda part: part.get("type") == "image_url",
    "messages.{i}.content.{j}.image_url is not supported in this endpoint", trait="no-pictures",
    models="all without `v` after the version, such as glm-4.7", checked=CHECKED, about="picture",
    remedy=remedies.MEDIA_OF_MODEL,
    wrong=sample_request({**USER, "content": [PICTURE]}, model=MODEL),
    right=sample_request({**USER, "content": [PICTURE]}, model="glm-4.5v"),
    reported={"public code that quotes it": "messages.1.content.1.image_url is not supported in this endpoint"})
BOOK.row("zai/result-without-call", "A result comes after no message with calls.",
    chat.NEAR, _results_without_calls, ILLEGAL, "messages[{found[0]}]", checked=CHECKED,
    remedy=remedies.RESULT_WITH_CALL,
    wrong=sample_request(USER, {**CALL_MESSAGE, "tool_calls": []}, RESULT, model=MODEL),
    right=sample_request(USER, CALL_MESSAGE, RESULT, model=MODEL),
    inferred={"deduced from the sentence about the order of messages": "The messages parameter is illegal."})

PROVIDER = Provider(
    name="zai",
    base_path="/api/paas/v4",
    errors=Errors(
        error_body,
        FAILURES,
        window=context_length_rule(
            "zai/context-length", reported={"Z.ai's list of errors": "Prompt exceeds max length"}),
        too_long=Failure("Prompt exceeds max length", {"code": "1261"}),
        missing_key=missing_key_rule("zai/missing-key", reported={"Z.ai's list of errors": NO_KEY}),
        content_type=lambda status, body: "application/json; charset=UTF-8"),
    answers=Answers(
        id=lambda ids: ids.make("20251120120000", 16, "0123456789abcdef"),
        call_id=lambda ids: ids.make("call_-", 19, DIGITS),
        completion=Document(
            "choices created id model object request_id usage?", request_id="20251120120000conformance"),
        message=Document("role content:text reasoning_content:reasoning? tool_calls?"),
        usage=Document(USAGE_AND_REASONING),
        usage_comes="always",
        content_type="application/json; charset=UTF-8",
        stream_content_type="text/event-stream;charset=UTF-8"),
    books=(BOOK,),
    traits=families_of("openai-chat", "zai"))
# fmt: on
