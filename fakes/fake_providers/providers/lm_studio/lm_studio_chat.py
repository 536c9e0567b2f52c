"""LM Studio's server: its errors are a text, of its parser or of the template of the model."""

import json
from typing import Any, Final

from fake_providers import remedies
from fake_providers.ids import DIGITS
from fake_providers.models import families_of
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.qwen_template import BRIEF
from fake_providers.replies.documents import ByStatus, Document, Envelope
from fake_providers.rule import Remedy
from fake_providers.rulebook import (
    ANY_PARAMETER,
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
PICTURE: Final = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


error_body = Envelope({"error": "<message>"})


def in_template(reason: str) -> str:
    return (
        f'Error rendering prompt with jinja template: "{reason}".\n\nThis is usually an issue with the model\'s prompt '
        "template. If you are using a popular model, you can try to search the model under lmstudio-community, which "
        "will have fixed prompt templates."
    )


BOOK = Rulebook(error_body.refusal)
chat.refuse_unread(BOOK, "lm-studio", chat.MESSAGES, model=MODEL,
    not_json=Breach("body", "Unexpected end of JSON input"),
    missing=lambda body: Breach("messages", "'messages' field is required"), source="Govorunb/gary#10")  # fmt: skip


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    if found.path[0] == "messages":
        return Breach(found.at, "Invalid 'messages' in payload")
    if found.path[0] == "tool_choice":
        kind = "object" if isinstance(found.value, dict) else type(found.value).__name__
        return Breach(found.at, f"Invalid tool_choice type: '{kind}'. Supported string values: none, auto, required")
    received = "undefined" if found.value is MISSING else NAMES.get(type(found.value), "object")
    what = f"Expected {found.types[0]}, received {received}"
    path = list(found.path[1:])
    return Breach(
        found.at, _issue(code="invalid_type", expected=found.types[0], received=received, path=path, message=what)
    )


def _issue(**issue: Any) -> str:
    return json.dumps([issue], indent=2)


NAMES: Final = {str: "string", int: "number", float: "number", bool: "boolean", list: "array"}
refuse_wrong_types(BOOK, "lm-studio",
    Dialect(words=_wrong_type, source="the sentences of its parser for other members",
        types={"model": "any", "tool_choice": "string", "messages[].content": "string|array"},
        required=("messages[].role", "tools[].type", "tools[].function", "tools[].function.name"),
        known={"result-type": ("reported", cite("NousResearch/hermes-agent#95229", "Invalid 'messages' in payload")),
            "tool-choice-type": ("verbatim",
                cite("antropia-studio/linguito#21",
                    "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"))}),
    Samples(MODEL))  # fmt: skip

FAILURES = ByStatus(
    {
        404: "Model not found. Please load a model first.",
        500: "The model has crashed without additional information. (Exit code: 18446744072635812000)",
    },
    "The request could not be processed.",
)
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def _wrong_parameters(one: dict[str, Any], i: int) -> Any:
    path, message = [i, "function", "parameters", "type"], "Invalid discriminator value. Expected 'object'"
    is_wrong = one.get("parameters") is not None and one["parameters"].get("type") != "object"
    return is_wrong and _issue(code="invalid_union_discriminator", options=["object"], path=path, message=message)


def _tool(type_: str) -> dict[str, Any]:
    return sample_request(model=MODEL, tools=[{**TOOL, "function": {"name": "f", "parameters": {"type": type_}}}])


# A table: two rows are to be compared.
# fmt: off
BOOK.row("lm-studio/parameters-type", "The schema of a tool's parameters has no `type` of `object`.",
    chat.FUNCTION, _wrong_parameters, "{found}", ".parameters.type", checked=CHECKED, remedy=remedies.OBJECT_SCHEMA,
    wrong=_tool("array"), right=_tool("object"),
    verbatim={"docker/docker-agent#278, elie222/rakazo#851": "Invalid discriminator value. Expected 'object'",
        "lmstudio-ai/lms#537": ""})
BOOK.row("lm-studio/content-missing",
    "A message has no `content` at all, as those with calls alone often have. Builds differ: the documentation's "
        "own example sends one.",
    chat.MESSAGE, lambda one: "content" not in one,
    "Invalid 'content': 'content' field must be a string or an array of objects..", ".content", even_usual=True,
    checked=CHECKED, remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request(USER, {name: CALL_MESSAGE[name] for name in ("role", "tool_calls")}, RESULT, model=MODEL),
    right=sample_request(USER, {**CALL_MESSAGE, "content": ""}, RESULT, model=MODEL),
    inferred={"nugget/thane-ai-agent#1229": "...", "lmstudio-ai/docs, the example of tool use in several turns": ""})
BOOK.row("lm-studio/json-object", "A JSON object is asked for without a schema.",
    ANY_PARAMETER,
    lambda body: (isinstance(body.get("response_format"), dict)
        and body["response_format"].get("type") not in ("json_schema", "text")),
    "'response_format.type' must be 'json_schema' or 'text'", "response_format.type", checked=CHECKED,
    remedy=Remedy("answer-formats",
        "Ask for `json_schema` with the schema of the answer, or for `text`, and say in the prompt that it is JSON."),
    wrong=sample_request(model=MODEL, response_format={"type": "json_object"}),
    right=sample_request(model=MODEL, response_format={"type": "text"}),
    verbatim={"public code of eight projects": "..."})
BOOK.row("lm-studio/result-parts", "The result of a tool has a part that is no text, such as a picture.",
    chat.PART, lambda part, role: role == "tool" and part.get("type") != "text", "Invalid 'messages' in payload",
    "/messages[{i}].content", checked="2026-11-28",
    remedy=Remedy("results", "Send the result of a tool as one string."),
    wrong=sample_request(USER, CALL_MESSAGE, {**RESULT, "content": [PICTURE]}, model=MODEL),
    right=sample_request(USER, CALL_MESSAGE, {**RESULT, "content": "7"}, model=MODEL),
    reported={"NousResearch/hermes-agent#95229": "..."})
BOOK.row("lm-studio/no-user-query", "No message of the user is left, which the template of the model needs.",
    chat.HISTORY, lambda found: all(one.get("role") != "user" for _, one in found),
    in_template("No user query found in messages."), "messages", trait="needs-user", models="qwen3.5", checked=CHECKED,
    remedy=Remedy("order-of-turns",
        "Keep the user's message of the current turn when the history is pruned; a summary alone is not enough."),
    wrong=sample_request(BRIEF, model=NEWER), right=sample_request({**BRIEF, "role": "user"}, model=NEWER),
    verbatim={"tinyhumansai/openhuman#5291": "No user query found in messages."})
BOOK.row("lm-studio/thinking-beside-content",
    "A message with calls has content and thinking, and the template of the model takes one of them.",
    chat.MESSAGE, lambda one: chat.calls(one) and one.get("content") and one.get("thinking"),
    in_template(
        "Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis message "
        "in one or the other, but not both."), trait="harmony", models="gpt-oss", checked=CHECKED,
    remedy=Remedy("reasoning-settings", "Of a message with calls send either its content or its thinking back."),
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
