"""Z.ai (GLM): refusals are a number and a sentence; answers have the id of the request beside their own."""

from typing import Final

from fake_providers.ids import DIGITS
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import MESSAGES, calls, messages, parts, refuse_unread, tools
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.replies.documents import ByStatus, Document, Envelope, Failure
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
from fake_providers.wires.openai_chat.provider import USAGE_AND_REASONING, Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, cite, sample_request
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule, missing_key_rule

MODEL: Final = "glm-4.7"
CHECKED: Final = "2026-11-23"
PICTURE: Final = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}
SYSTEM: Final = {"role": "system", "content": "Be brief."}


error_body = Envelope(
    {"error": {"code": "<code>", "message": "<message>"}},
    code=ByStatus({401: "1001", 404: "1211", 429: "1305", 500: "1234"}, "1210"),
)

BOOK = Rulebook(error_body.but(code="1214").refusal)

refuse_unread(
    BOOK,
    "zai",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "Invalid API parameter, please check the documentation.", {"code": "1210"}),
    missing=lambda body: Breach("messages", "The prompt parameter was not received normally.", {"code": "1213"}),
    source="the sentences that it has for other bodies",
)


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    if found.types == ("role",) or (found.value is MISSING and found.path[-1] == "role"):
        return Breach(found.at, "Incorrect role information")
    if found.path[0] in ("messages", "tools") and len(found.path) > 2:
        return Breach(found.at, f"{found.at} type error")
    return Breach(found.at, "Invalid API parameter, please check the documentation.", {"code": "1210"})


refuse_wrong_types(
    BOOK,
    "zai",
    Dialect(
        words=_wrong_type,
        source="the sentences that it has for other members",
        roles=("system", "user", "assistant", "tool"),
        required=("messages[].role", "tools[].type"),
        known={
            "role-unknown": ("verbatim", cite("public code that quotes it", "Incorrect role information")),
            "content-part-type": ("reported", cite("public notes", "messages[5].content[1].type type error")),
            "parameter-type": (
                "reported",
                cite("charmbracelet/crush#1237, cline/cline#9939", "Invalid API parameter, please check the"),
            ),
        },
    ),
    Samples(MODEL),
)


def _without_user(context: RequestContext) -> Breach | None:
    if any(message.get("role") == "user" for _, message in messages(context)):
        return None
    return Breach("messages", "The messages parameter is illegal. Please check the documentation.")


def _empty(context: RequestContext) -> Breach | None:
    last = messages(context)[-1:]
    if not last or last[0][1].get("role") != "user" or last[0][1].get("content") not in ("", [], None):
        return None
    sentence = "The prompt parameter was not received normally."
    return Breach(f"messages[{last[0][0]}].content", sentence, {"code": "1213"})


def _tool_type(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        if tool.get("type") not in ("function", "web_search", "retrieval", "mcp"):
            return Breach(f"tools[{index}].type", f"tools[{index}].type:type is illegal")
    return None


def _user_id(context: RequestContext) -> Breach | None:
    user = context.body.get("user_id")
    if not isinstance(user, str) or 6 <= len(user) <= 128:
        return None
    sentence = "user_id: The unique ID of the user must be between 6 and 128 characters in length."
    return Breach("user_id", sentence)


def _pictures(context: RequestContext) -> Breach | None:
    for index, message in messages(context) if "no-pictures" in context.traits else ():
        for number, part in parts(message):
            if part.get("type") == "image_url":
                sentence = f"messages.{index}.content.{number}.image_url is not supported in this endpoint"
                return Breach(f"messages[{index}].content[{number}]", sentence)
    return None


def _without_call(context: RequestContext) -> Breach | None:
    called = False
    for index, message in messages(context):
        if message.get("role") == "tool" and not called:
            return Breach(f"messages[{index}]", "The messages parameter is illegal. Please check the documentation.")
        called = called or bool(calls(message))
    return None


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


# A table: two rows are to be compared.
# fmt: off
BOOK.row("zai/messages-without-user", "No message of the user is left, which often happens when a history is pruned.",
    ALL_MESSAGES, _without_user, checked=CHECKED,
    wrong=sample_request(SYSTEM, CALL_MESSAGE, RESULT, model=MODEL),
    right=sample_request({**SYSTEM, "role": "user"}, CALL_MESSAGE, RESULT, model=MODEL),
    verbatim={"anomalyco/opencode#2557, with a report of what was tried":
        "The messages parameter is illegal. Please check the documentation.",
        "MetaGLM/zhipuai-sdk-python-v4#14, a history of system, calls and results": ""})
BOOK.row("zai/content-empty", "The content of the user's last message is empty.",
    NEAR_MESSAGES, _empty, checked=CHECKED,
    wrong=sample_request({**USER, "content": ""}, model=MODEL), right=sample_request(USER, model=MODEL),
    verbatim={"zhipuai's errors in five public projects": "The prompt parameter was not received normally."})
BOOK.row("zai/tool-type-unknown", "A tool has an unknown type, such as `custom`.",
    ANY_TOOL, _tool_type, checked=CHECKED,
    wrong=sample_request(model=MODEL, tools=[{**TOOL, "type": "custom"}]),
    right=sample_request(model=MODEL, tools=[TOOL]),
    verbatim={"BerriAI/litellm's conversion of tools, and six more": "tools[0].type:type is illegal"})
BOOK.row("zai/user-id-length", "`user_id` has fewer than 6 characters or more than 128.",
    ANY_PARAMETER, _user_id, checked="2026-11-27",
    wrong=sample_request(model=MODEL, user_id="0" * 129), right=sample_request(model=MODEL, user_id="0" * 128),
    verbatim={"looplj/axonhub#1669": "The unique ID of the user must be between 6 and 128 characters in length."})
BOOK.row("zai/pictures-unsupported", "A message has a picture, and the model takes none.",
    ANY_MESSAGE, _pictures, models="all without `v` after the version, such as glm-4.7", checked=CHECKED,
    about="picture",
    wrong=sample_request({**USER, "content": [PICTURE]}, model=MODEL),
    right=sample_request({**USER, "content": [PICTURE]}, model="glm-4.5v"),
    reported={"public code that quotes it": "messages.1.content.1.image_url is not supported in this endpoint"})
BOOK.row("zai/result-without-call", "A result comes after no message with calls.",
    NEAR_MESSAGES, _without_call, checked=CHECKED,
    wrong=sample_request(USER, {**CALL_MESSAGE, "tool_calls": []}, RESULT, model=MODEL),
    right=sample_request(USER, CALL_MESSAGE, RESULT, model=MODEL),
    inferred={"deduced from the sentence about the order of messages": "The messages parameter is illegal."})
# fmt: on


PROVIDER = Provider(
    name="zai",
    base_path="/api/paas/v4",
    errors=Errors(
        error_body,
        FAILURES,
        window=context_length_rule(
            "zai/context-length", reported={"Z.ai's list of errors": "Prompt exceeds max length"}
        ),
        too_long=Failure("Prompt exceeds max length", {"code": "1261"}),
        missing_key=missing_key_rule("zai/missing-key", reported={"Z.ai's list of errors": NO_KEY}),
        content_type=lambda status, body: "application/json; charset=UTF-8",
    ),
    answers=Answers(
        id=lambda ids: ids.make("20251120120000", 16, "0123456789abcdef"),
        call_id=lambda ids: ids.make("call_-", 19, DIGITS),
        completion=Document(
            "choices created id model object request_id usage?", request_id="20251120120000conformance"
        ),
        message=Document("role content:text reasoning_content:reasoning? tool_calls?"),
        usage=Document(USAGE_AND_REASONING),
        usage_comes="always",
        content_type="application/json; charset=UTF-8",
        stream_content_type="text/event-stream;charset=UTF-8",
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "zai"),
)
