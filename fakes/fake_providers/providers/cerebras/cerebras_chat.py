"""Cerebras's chat completions: a flat envelope, and a refusal of every unknown member of a message.

Its answers have the times of a request beside its usage, and the thoughts as `reasoning`.
"""

from functools import partial
from operator import attrgetter
from typing import Any, Final

from fake_providers import remedies
from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.chat_types import MISSING, TOOLS, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.chat_values import Range, Values, pydantic_sentence, refuse_values
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Envelope, Failure, headers
from fake_providers.rule import Remedy
from fake_providers.rulebook import ALL_TOOLS, ANY_MESSAGE, ANY_PARAMETER, Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, sample_request
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
)
from fake_providers.wires.openai_shared.request_body import event
from fake_providers.wires.openai_shared.schema_faults import nodes

MODEL: Final = "zai-glm-4.7"
OSS: Final = "gpt-oss-120b"
QWEN: Final = "qwen-3-32b"
CHECKED: Final = "2026-11-23"
CLOSED: Final = {"type": "object", "properties": {}, "additionalProperties": False}
RAIN: Final = {"type": "text", "text": "Rain?"}
PICTURE: Final = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}
MEMBERS: Final = {
    "system": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "reasoning"},
    "tool": {"role", "content", "name", "tool_call_id"},
}
"""Members of messages; `reasoning` was recorded."""


error_body = Envelope(
    {"message": "<message>", "type": "<type>", "param": "<param>", "code": "<code>"},
    type="invalid_request_error",
    param="validation_error",
    code="wrong_api_format",
)

cerebras = partial(sample_request, model=MODEL)


def with_format(*, model: str = MODEL, stream: bool = False, **members: Any) -> dict[str, Any]:
    """A request whose answer has this schema."""
    format_ = {"type": "json_schema", "json_schema": {"name": "weather", "schema": CLOSED, **members}}
    return cerebras(model=model, response_format=format_, stream=stream)


def with_tool(**members: Any) -> dict[str, Any]:
    """A strict tool, and another with these members."""
    strict = {**TOOL, "function": {**TOOL["function"], "name": "get_time", "strict": True}}
    other = {**TOOL, "function": {**TOOL["function"], **members}}
    return cerebras(tools=[strict, other])


BOOK = Rulebook(error_body.refusal)

chat.refuse_unread(BOOK, "cerebras", chat.MESSAGES, model=MODEL, not_json=": Invalid JSON",
    missing="messages: property 'messages' is missing", source="worded like the refusals of other bodies")  # fmt: skip


def _wrong_type(found: WrongType, _context: RequestContext) -> str:
    """A place in a message has its role after the index."""
    path = [str(part) for part in found.path]
    if len(path) > 2 and path[0] == "messages" and found.role:
        path.insert(2, found.role)
    where = ".".join(path)
    if found.value is MISSING:
        return f"{where}: property '{where}' is missing"
    return f"{where}: Input should be a valid {' or '.join(found.types)}"


refuse_wrong_types(BOOK, "cerebras",
    Dialect(words=_wrong_type, source="worded like the refusals of members that it does not know",
        required=TOOLS),
    Samples(MODEL))  # fmt: skip
refuse_values(BOOK, "cerebras",
    Values(words=lambda found, _: f"{found.at}: {pydantic_sentence(found)}",
        source="inference-docs.cerebras.ai, chat completions; worded like the refusals of members",
        ranges={"temperature": Range(0, 1.5), "top_p": Range(0, 1), "top_logprobs": Range(0, 20)}),
    Samples(MODEL))  # fmt: skip


def _property_unsupported(context: RequestContext) -> Breach | None:
    """All of them at once, a line for each."""
    found = [
        (f"messages[{index}].{name}", f"messages.{index}.{role}.{name}")
        for index, message in chat.messages(context)
        if (role := str(message.get("role"))) in MEMBERS
        for name in message
        if name not in MEMBERS[role]
    ]
    if not found:
        return None
    return Breach(found[0][0], "\n".join(f"{where}: property '{where}' is unsupported" for _, where in found))


def _schema(body: dict[str, Any]) -> dict[str, Any]:
    format_ = body.get("response_format")
    schema = format_.get("json_schema") if isinstance(format_, dict) else None
    return schema if isinstance(schema, dict) else {}


def _strict(body: dict[str, Any]) -> Any:
    return _schema(body).get("strict") is True and _schema(body).get("schema")


def _keywords(body: dict[str, Any]) -> str:
    found = {keyword: None for _, node in nodes(_strict(body)) for keyword in node if keyword in UNSUPPORTED}
    return ", ".join(map(repr, found))


UNSUPPORTED: Final = frozenset({"maximum", "minimum", "format", "minItems", "maxItems", "prefixItems", "nullable"})
"""Those that are quoted."""
STREAMS: Final = attrgetter("stream")
NOT_STREAMED: Final = '"stream=true" with structured outputs is currently not supported for reasoning models.'
STREAMERS: Final = "qwen-3-32b, qwen-3-235b-a22b"
OF_STREAMERS: Final = {f"recordings, {STREAMERS}": '"stream=true" with structured outputs is'}
FORMAT: Final = {"type": "json_object"}
OF_FORMAT: Final = {"param": "response_format"}


MISSING_KEY = missing_key_rule(
    "cerebras/missing-key", reported={"the recorded refusal of a wrong key": "Wrong API Key"}
)
CONTEXT_LENGTH = context_length_rule(
    "cerebras/context-length",
    verbatim={"public code that quotes it": "Please reduce the length of the messages or completion."},
)
TOO_MANY = "too_many_requests_error"
FAILURES = ByStatus(
    {
        401: Failure("Wrong API Key", {"param": "api_key", "code": "wrong_api_key"}),
        404: Failure(
            "Model {model} does not exist or you do not have access to it.",
            {"type": "not_found_error", "param": "model", "code": "model_not_found"},
        ),
        429: Failure(
            "Requests per second limit exceeded - too many requests sent.",
            {"type": TOO_MANY, "param": "quota", "code": "request_quota_exceeded"},
        ),
        500: Failure(
            "We're experiencing high traffic right now! Please try again soon.",
            {"type": TOO_MANY, "param": "queue", "code": "queue_exceeded"},
        ),
    },
    "The request could not be processed.",
)
FINGERPRINT = "fp_46358675aa6b1ba4d98d"
TIMES = {"queue_time": 0.005, "prompt_time": 0.003, "completion_time": 0.02, "total_time": 0.05, "created": CREATED}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("cerebras/property-unsupported",
    "A message has a member that Cerebras does not know, such as `reasoning_content`, or the `refusal` of OpenAI.",
    ANY_MESSAGE, _property_unsupported, checked=CHECKED, remedy=remedies.OWN_MEMBERS.of("schemas"),
    wrong=cerebras(USER, {**CALL_MESSAGE, "reasoning_content": "I ask."}, RESULT),
    right=cerebras(USER, CALL_MESSAGE, RESULT),
    verbatim={"free-claude-code#1136, vercel/ai#15042, anomalyco/opencode#26762, and four more":
        "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
        "public code that quotes it": "property 'messages.2.assistant.refusal' is unsupported"})
BOOK.row("cerebras/pictures-unsupported", "A message has a picture, and the model takes none.",
    chat.PART, lambda part: part.get("type") == "image_url",
    "Multimodal is not enabled for your organization and model", trait="no-pictures", status=403, models="gpt-oss",
    checked=CHECKED, about="picture", extra={"param": "model", "code": "multimodal_not_enabled"},
    remedy=remedies.MEDIA_OF_MODEL,
    wrong=cerebras({**USER, "content": [PICTURE]}, model=OSS),
    right=cerebras({**USER, "content": [PICTURE]}, model="gemma-4-31b"),
    recorded={"recordings, gpt-oss-120b; gemma-4-31b was recorded to see": "..."})
BOOK.row("cerebras/tools-mixed-strict", "Some tools are strict, and others are not.",
    ALL_TOOLS,
    lambda body, context: len({bool(chat.function(tool).get("strict")) for _, tool in chat.tools(context)}) > 1,
    "Tools with mixed values for 'strict' are not allowed.", "tools", status=422, checked=CHECKED,
    extra={"param": "tools"}, remedy=Remedy("declarations", "Set `strict` for all tools of a request, or for none."),
    wrong=with_tool(strict=False), right=with_tool(strict=True),
    verbatim={"public threads that quote it": "..."})
BOOK.row("cerebras/response-format-open", "The schema of a strict format does not exclude further properties.",
    ANY_PARAMETER,
    lambda body: isinstance(_strict(body), dict) and _strict(body).get("additionalProperties") is not False,
    "'additionalProperties' is required to be supplied and set to false.", "response_format.json_schema.schema",
    status=422, checked=CHECKED, extra=OF_FORMAT, remedy=remedies.FORMAT_SHAPE,
    wrong=with_format(strict=True, schema={**CLOSED, "additionalProperties": True}),
    right=with_format(strict=True, schema=CLOSED),
    verbatim={"agno-agi/agno#6014": "..."})
BOOK.row("cerebras/schema-keyword",
    "The schema of a strict format bounds values: their size, their number or their form.",
    ANY_PARAMETER, _keywords, "Unsupported JSON schema fields: {{{found}}}", "response_format.json_schema.schema",
    checked="2026-11-28", extra=OF_FORMAT, remedy=remedies.CONVERT_SCHEMA,
    wrong=with_format(strict=True, schema={**CLOSED, "properties": {"days": {"type": "integer", "minimum": 1}}}),
    right=with_format(strict=True, schema={**CLOSED, "properties": {"days": {"type": "integer"}}}),
    verbatim={"four public projects": "Unsupported JSON schema fields: {'prefixItems', 'minItems', 'maxItems'}"})
BOOK.row("cerebras/strict-format-unsupported", "A strict format is asked for, and the model has none.",
    ANY_PARAMETER, lambda body: _schema(body).get("strict") is True,
    "Response format 'json_schema' with strict=True is not supported by this model.", "response_format",
    trait="no-strict-format", models="gpt-oss", checked=CHECKED, extra=OF_FORMAT, remedy=remedies.STRICT_KEYWORD,
    wrong=with_format(model=OSS, strict=True), right=with_format(model=OSS, strict=False),
    recorded={"recordings, gpt-oss-120b": "'json_schema' with strict=True is not supported by this model."})
BOOK.row("cerebras/format-in-stream", "A stream is asked for with a format, and the model reasons.",
    ANY_PARAMETER, lambda body: bool(_schema(body)), NOT_STREAMED, "response_format", trait="no-streamed-formats",
    given=STREAMS, models=STREAMERS, checked=CHECKED, extra={"param": "json_schema_mode"}, remedy=remedies.FORMAT_SHAPE,
    wrong=with_format(model=QWEN, stream=True), right=with_format(model=QWEN, stream=False),
    recorded=OF_STREAMERS)
BOOK.row("cerebras/json-in-stream", "A stream is asked for with an answer in JSON, and the model reasons.",
    ANY_PARAMETER, lambda body: body.get("response_format") == FORMAT, NOT_STREAMED, "response_format",
    trait="no-streamed-formats", given=STREAMS, models=STREAMERS, checked=CHECKED,
    extra={"param": "json_mode"}, remedy=remedies.WITHOUT_STREAM,
    wrong=cerebras(model=QWEN, stream=True, response_format=FORMAT),
    right=cerebras(model=QWEN, stream=False, response_format=FORMAT),
    recorded=OF_STREAMERS)
BOOK.row("cerebras/forced-call-in-stream", "A stream is asked for with a forced call, and the model reasons.",
    ANY_PARAMETER, lambda body: body.get("tool_choice") == "required", NOT_STREAMED, "tool_choice",
    trait="no-streamed-formats", given=STREAMS, models=STREAMERS, checked=CHECKED,
    extra={"param": "tools_mode"}, remedy=remedies.WITHOUT_STREAM,
    wrong=cerebras(model=QWEN, stream=True, tools=[TOOL], tool_choice="required"),
    right=cerebras(model=QWEN, stream=False, tools=[TOOL], tool_choice="required"),
    recorded={"recording, qwen-3-32b": '"stream=true" with structured outputs is'})
# fmt: on


PROVIDER = Provider(
    name="cerebras",
    base_path="/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long=Failure(
            "Please reduce the length of the messages or completion. Current length is {tokens} while limit is "
            "{window}",
            {"param": "messages", "code": "context_length_exceeded"},
        ),
        missing_key=MISSING_KEY,
        stream_error=lambda body, context: event({"error": body}),
    ),
    answers=Answers(
        id=lambda ids: f"chatcmpl-{uuid(ids)}",
        call_id=lambda ids: ids.make("", 9, "0123456789abcdef"),
        stream_content_type="text/event-stream; charset=utf-8",
        completion=Document(
            "id choices created model system_fingerprint object usage? time_info?",
            system_fingerprint=FINGERPRINT,
            time_info=TIMES,
        ),
        choice=Document("finish_reason index message"),
        message=Document("content:content_if_any? reasoning? role tool_calls?"),
        call=Document("id? type function"),
        chunk=Document(
            "id choices created model system_fingerprint object usage? time_info?",
            system_fingerprint=FINGERPRINT,
            time_info=lambda step: TIMES if step.ends else ABSENT,
        ),
        step=Document("delta finish_reason:finish_at_end? index"),
        opening=Document("role"),
        thought=Document("reasoning"),
        calls="each",
        opened_call=Document("function type id? index"),
        last=Document(),
        usage_comes="always",
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "cerebras"),
    headers=headers(
        "inference-id:id",
        x_ratelimit_limit_requests_day="14400",
        x_ratelimit_limit_tokens_minute="60000",
        x_ratelimit_remaining_requests_day="14399",
        x_ratelimit_remaining_tokens_minute="59900",
        x_ratelimit_reset_requests_day="33011.4",
        x_ratelimit_reset_tokens_minute="11.4",
    ),
)
