"""LM Studio's server: its errors are a text, of its parser or of the template of the model."""

import json
from typing import Final

from fake_providers.ids import DIGITS
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import (
    MESSAGES,
    calls,
    function,
    listed,
    messages,
    refuse_unread,
    tools,
)
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.replies.documents import ByStatus, Document, Envelope
from fake_providers.rulebook import (
    ALL_MESSAGES,
    ANY_MESSAGE,
    ANY_PARAMETER,
    ANY_PART,
    ANY_TOOL,
    NEAR_MESSAGES,
    Breach,
    RequestContext,
    Rulebook,
)
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, cite, sample_request
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule

MODEL: Final = "qwen/qwen3-8b"
OSS: Final = "openai/gpt-oss-20b"
NEWER: Final = "qwen/qwen3.5-9b"
CHECKED: Final = "2026-11-23"
SYSTEM: Final = {"role": "system", "content": "Be brief."}
PICTURE: Final = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


error_body = Envelope({"error": "<message>"})


def in_template(reason: str) -> str:
    return (
        f'Error rendering prompt with jinja template: "{reason}".\n\nThis is usually an issue with the model\'s prompt '
        "template. If you are using a popular model, you can try to search the model under lmstudio-community, which "
        "will have fixed prompt templates."
    )


BOOK = Rulebook(error_body.refusal)

refuse_unread(
    BOOK,
    "lm-studio",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "Unexpected end of JSON input"),
    missing=lambda body: Breach("messages", "'messages' field is required"),
    source="Govorunb/gary#10",
)


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    if found.path[0] == "messages":
        return Breach(found.at, "Invalid 'messages' in payload")
    if found.path[0] == "tool_choice":
        kind = "object" if isinstance(found.value, dict) else type(found.value).__name__
        return Breach(found.at, f"Invalid tool_choice type: '{kind}'. Supported string values: none, auto, required")
    received = "undefined" if found.value is MISSING else NAMES.get(type(found.value), "object")
    issue = {"code": "invalid_type", "expected": found.types[0], "received": received, "path": list(found.path[1:])}
    return Breach(
        found.at, json.dumps([{**issue, "message": f"Expected {found.types[0]}, received {received}"}], indent=2)
    )


NAMES: Final = {str: "string", int: "number", float: "number", bool: "boolean", list: "array"}
refuse_wrong_types(
    BOOK,
    "lm-studio",
    Dialect(
        words=_wrong_type,
        source="the sentences of its parser for other members",
        types={"model": "any", "tool_choice": "string", "messages[].content": "string|array"},
        required=("messages[].role", "tools[].type", "tools[].function", "tools[].function.name"),
        known={
            "result-type": ("reported", cite("NousResearch/hermes-agent#95229", "Invalid 'messages' in payload")),
            "tool-choice-type": (
                "verbatim",
                cite(
                    "antropia-studio/linguito#21",
                    "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
                ),
            ),
        },
    ),
    Samples(MODEL),
)


def _parameters(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        schema = function(tool).get("parameters")
        if schema is not None and schema.get("type") != "object":
            path = [index, "function", "parameters", "type"]
            issue = {"code": "invalid_union_discriminator", "options": ["object"], "path": path}
            sentence = json.dumps([{**issue, "message": "Invalid discriminator value. Expected 'object'"}], indent=2)
            return Breach(f"tools[{index}].function.parameters.type", sentence)
    return None


def _content_missing(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        if "content" not in message:
            sentence = "Invalid 'content': 'content' field must be a string or an array of objects.."
            return Breach(f"messages[{index}].content", sentence)
    return None


def _json_object(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format")
    if not isinstance(format_, dict) or format_.get("type") in ("json_schema", "text"):
        return None
    return Breach("response_format.type", "'response_format.type' must be 'json_schema' or 'text'")


def _result_parts(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        shown = message.get("content") if message.get("role") == "tool" else None
        if any(part.get("type") != "text" for part in listed(shown) if isinstance(part, dict)):
            return Breach(f"messages[{index}].content", "Invalid 'messages' in payload")
    return None


def _no_user(context: RequestContext) -> Breach | None:
    if "needs-user" not in context.traits or any(one.get("role") == "user" for _, one in messages(context)):
        return None
    return Breach("messages", in_template("No user query found in messages."))


def _both(context: RequestContext) -> Breach | None:
    for index, message in messages(context) if "harmony" in context.traits else ():
        if calls(message) and message.get("content") and message.get("thinking"):
            reason = (
                "Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis "
                "message in one or the other, but not both."
            )
            return Breach(f"messages[{index}]", in_template(reason))
    return None


FAILURES = ByStatus(
    {
        404: "Model not found. Please load a model first.",
        500: "The model has crashed without additional information. (Exit code: 18446744072635812000)",
    },
    "The request could not be processed.",
)
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


# A table: two rows are to be compared.
# fmt: off
BOOK.row("lm-studio/parameters-type", "The schema of a tool's parameters has no `type` of `object`.",
    ANY_TOOL, _parameters, checked=CHECKED,
    wrong=sample_request(model=MODEL, tools=[{**TOOL, "function": {"name": "f", "parameters": {"type": "array"}}}]),
    right=sample_request(model=MODEL, tools=[{**TOOL, "function": {"name": "f", "parameters": {"type": "object"}}}]),
    verbatim={"docker/docker-agent#278, elie222/rakazo#851": "Invalid discriminator value. Expected 'object'",
        "lmstudio-ai/lms#537": ""})
BOOK.row("lm-studio/content-missing",
    "A message has no `content` at all, as those with calls alone often have. Builds differ: the documentation's "
        "own example sends one.",
    ANY_PART, _content_missing, even_usual=True, checked=CHECKED,
    wrong=sample_request(USER, {name: CALL_MESSAGE[name] for name in ("role", "tool_calls")}, RESULT, model=MODEL),
    right=sample_request(USER, {**CALL_MESSAGE, "content": ""}, RESULT, model=MODEL),
    inferred={"nugget/thane-ai-agent#1229":
        "Invalid 'content': 'content' field must be a string or an array of objects..",
        "lmstudio-ai/docs, the example of tool use in several turns": ""})
BOOK.row("lm-studio/json-object", "A JSON object is asked for without a schema.",
    ANY_PARAMETER, _json_object, checked=CHECKED,
    wrong=sample_request(model=MODEL, response_format={"type": "json_object"}),
    right=sample_request(model=MODEL, response_format={"type": "text"}),
    verbatim={"public code of eight projects": "'response_format.type' must be 'json_schema' or 'text'"})
BOOK.row("lm-studio/result-parts", "The result of a tool has a part that is no text, such as a picture.",
    ANY_MESSAGE, _result_parts, checked="2026-11-28",
    wrong=sample_request(USER, CALL_MESSAGE, {**RESULT, "content": [PICTURE]}, model=MODEL),
    right=sample_request(USER, CALL_MESSAGE, {**RESULT, "content": "7"}, model=MODEL),
    reported={"NousResearch/hermes-agent#95229": "Invalid 'messages' in payload"})
BOOK.row("lm-studio/no-user-query", "No message of the user is left, which the template of the model needs.",
    ALL_MESSAGES, _no_user, models="qwen3.5", checked=CHECKED,
    wrong=sample_request(SYSTEM, model=NEWER), right=sample_request({**SYSTEM, "role": "user"}, model=NEWER),
    verbatim={"tinyhumansai/openhuman#5291": "No user query found in messages."})
BOOK.row("lm-studio/thinking-beside-content",
    "A message with calls has content and thinking, and the template of the model takes one of them.",
    NEAR_MESSAGES, _both, models="gpt-oss", checked=CHECKED,
    wrong=sample_request(USER, {**CALL_MESSAGE, "content": "Hm.", "thinking": "I ask."}, RESULT, model=OSS),
    right=sample_request(USER, {**CALL_MESSAGE, "content": "Hm."}, RESULT, model=OSS),
    verbatim={"lmstudio-ai/lmstudio-bug-tracker#842":
        "Cannot pass both content and thinking in an assistant message with tool calls!"})
# fmt: on


PROVIDER = Provider(
    name="lm-studio",
    base_path="/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=context_length_rule(
            "lm-studio/context-length", reported={"public threads that quote it": "is greater than the context length"}
        ),
        too_long="The number of tokens to keep from the initial prompt is greater than the context length (n_keep: "
        "{tokens} >= n_ctx: {window}). Try to load the model with a larger context length, or provide a shorter input.",
    ),
    answers=Answers(
        id=lambda ids: ids.make("chatcmpl-", 21, LETTERS),
        call_id=lambda ids: ids.make("", 9, DIGITS),
        completion=Document(
            "id object created model choices usage? stats system_fingerprint",
            stats={},
            system_fingerprint="qwen/qwen3-8b",
        ),
        choice=Document("index message finish_reason logprobs:null"),
        message=Document("role content:text reasoning_content:reasoning? tool_calls?"),
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "lm-studio"),
)
