"""An SGLang server: refusals of its pydantic models in many lines, and of the templates of its models."""

import json
from typing import Any, Final

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.chat_reading import MESSAGES, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, Samples, refuse_wrong_types
from fake_providers.providers.shared.chat_values import (
    ENGINES,
    FORMATS,
    Outside,
    Range,
    Values,
    engine_sentence,
    pydantic_outside,
    refuse_values,
)
from fake_providers.providers.shared.pydantic_words import pydantic_breach, unread
from fake_providers.providers.shared.qwen_template import FIRST, refuse_by_qwen
from fake_providers.replies.documents import ByStatus, Document, Envelope
from fake_providers.rule import Remedy
from fake_providers.rulebook import (
    ALL_TOOLS,
    ANY_PARAMETER,
    Breach,
    RequestContext,
    Rulebook,
)
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import TOOL, USER, cite, sample_request, sample_with_tool
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule
from fake_providers.wires.openai_shared.request_body import event
from fake_providers.wires.openai_shared.schema_faults import required_not_list

MODEL: Final = "Qwen/Qwen3-8B"
NEWER: Final = "Qwen/Qwen3.5-9B"
CHECKED: Final = "2026-11-23"
SOURCE: Final = "sgl-project/sglang python/sglang/srt/entrypoints/openai/protocol.py and serving_chat.py"
LATELY: Final = "2026-11-28"
FORCED: Final = {"type": "function", "function": {"name": "get_weather"}}


KINDS: Final = {404: "NotFoundError", 500: "InternalServerError", 503: "ServiceUnavailable"}
error_body = Envelope(
    {"object": "error", "message": "<message>", "type": "<type>", "param": None, "code": "<status>"},
    type=ByStatus(KINDS, "BadRequestError", "BadRequestError"),
)


BOOK = Rulebook(error_body.refusal)
refuse_unread(BOOK, "sglang", MESSAGES, model=MODEL, source=SOURCE, **unread("messages"))

ROLES: Final = ("system", "assistant", "tool", "function", "developer", "user")
refuse_wrong_types(BOOK, "sglang",
    Dialect(words=lambda found, context: pydantic_breach(found, context, ROLES), source=SOURCE, lax=True, roles=ROLES,
        types={"tools[].function.strict": "any", "messages[].tool_calls[].type": "any"},
        required=("messages[].role", "tools[].function", "tools[].function.name"),
        known={
            "content-type": ("reported",
                cite("sgl-project/sglang#4236, danny-avila/LibreChat#6256", "Input should be a valid string"))}),
    Samples(MODEL))  # fmt: skip


def _outside(found: Outside, _context: RequestContext) -> Breach:
    """Words are read by pydantic, numbers by the parameters of sampling, where `max_tokens` has another name."""
    if found.kind == "value-range":
        sentence = engine_sentence(found).replace("max_tokens must be at least 1", "max_new_tokens must be at least 0")
        return Breach(found.at, sentence)
    return pydantic_outside(found)


refuse_values(BOOK, "sglang",
    Values(words=_outside, source="sgl-project/sglang python/sglang/srt/sampling/sampling_params.py",
        formats=(*FORMATS, "structural_tag"), efforts=(),
        ranges={**ENGINES, "max_tokens": Range(0)}), Samples(MODEL))  # fmt: skip


def _wrong_arguments(call: dict[str, Any]) -> str:
    written = chat.function(call).get("arguments")
    try:
        is_object = not isinstance(written, str) or isinstance(json.loads(written), dict)
        return "" if is_object else "a JSON object"
    except ValueError:
        return "valid JSON"


def _unknown_tool(body: Any) -> Any:
    name = chat.inner(body, "tool_choice", "function").get("name")
    offered = [chat.function(tool).get("name") for tool in body.get("tools") or () if isinstance(tool, dict)]
    return name is not None and name not in offered and {"name": name}


def _tools(required: Any) -> dict[str, Any]:
    """A tool whose schema has this."""
    return {**sample_with_tool(parameters={"type": "object", "required": required}), "model": MODEL}


def _answer_by(**schema: Any) -> dict[str, Any]:
    return sample_request(model=MODEL, response_format={"type": "json_schema", "json_schema": {"name": "a", **schema}})


# A table: two rows are to be compared.
# fmt: off
BOOK.row("sglang/content-null", "The content of a message of the user is null.",
    chat.MESSAGE, lambda one: one.get("role") == "user" and one.get("content") is None,
    "[{{'type': 'string_type', 'loc': ('body', 'messages', {i}, 'content'), "
        "'msg': 'Input should be a valid string', 'input': None}}]", ".content", checked=CHECKED,
    remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request({**USER, "content": None}, model=MODEL), right=sample_request(USER, model=MODEL),
    reported={"sgl-project/sglang#4236": "Input should be a valid string [type=string_type, input_value=None"})
BOOK.row("sglang/messages-empty", "`messages` is an empty list.",
    ANY_PARAMETER, lambda body: not body["messages"], "Messages cannot be empty.", "messages", checked=CHECKED,
    remedy=remedies.CONVERSATION,
    wrong={"model": MODEL, "messages": []}, right={"model": MODEL, "messages": [USER]},
    reported={SOURCE: "..."})
BOOK.row("sglang/tools-required", "A call is forced, and there are no tools.",
    ANY_PARAMETER, lambda body: body.get("tool_choice") == "required" and not body.get("tools"),
    "Tools cannot be empty if tool choice is set to required.", "tools", checked=CHECKED,
    remedy=Remedy("declarations", "Leave `tool_choice` out of requests without tools."),
    wrong=sample_request(model=MODEL, tools=[], tool_choice="required"),
    right=sample_request(model=MODEL, tools=[TOOL], tool_choice="required"),
    reported={SOURCE: "..."})
BOOK.row("sglang/tools-for-the-choice", "One tool is forced, and there are no tools.",
    ANY_PARAMETER, lambda body: isinstance(body.get("tool_choice"), dict) and not body.get("tools"),
    "Tools cannot be empty if tool choice is set to a specific tool.", "tools", checked=LATELY,
    remedy=Remedy("declarations", "Offer the tool that `tool_choice` names, or leave `tool_choice` out."),
    wrong=sample_request(model=MODEL, tools=[], tool_choice=FORCED),
    right=sample_request(model=MODEL, tools=[TOOL], tool_choice=FORCED),
    reported={SOURCE: "..."})
BOOK.row("sglang/tool-choice-unknown-tool", "A tool is forced that is not offered.",
    ALL_TOOLS, _unknown_tool, "Tool '{name}' not found in tools list.", "tool_choice.function.name",
    needs="tool_choice", even_usual=True, checked=CHECKED, remedy=remedies.OFFERED_CHOICE,
    wrong=sample_request(model=MODEL, tools=[TOOL], tool_choice={**FORCED, "function": {"name": "x"}}),
    right=sample_request(model=MODEL, tools=[TOOL], tool_choice=FORCED),
    reported={SOURCE: "Tool 'x' not found in tools list."})
BOOK.row("sglang/parameters-no-schema",
    "The parameters of a tool are no JSON Schema, such as one with a type of Python.",
    chat.FUNCTION, lambda one: (required_not_list(one.get("parameters")) or "").rstrip("."),
    "Tool {i} function has invalid 'parameters' schema: {found}", ".parameters", checked=LATELY,
    remedy=remedies.CONVERT_SCHEMA,
    wrong=_tools(required="city"), right=_tools(required=["city"]),
    reported={SOURCE: "Tool 0 function has invalid 'parameters' schema: "})
BOOK.row("sglang/schema-missing", "An answer by a schema is asked for, and there is none.",
    ANY_PARAMETER,
    lambda body: (chat.inner(body, "response_format").get("type") == "json_schema"
        and chat.inner(body, "response_format", "json_schema").get("schema") is None),
    "schema_ is required for json_schema response format request.", "response_format.json_schema.schema",
    checked=LATELY, remedy=remedies.FORMAT_SHAPE.of("schemas"),
    wrong=_answer_by(), right=_answer_by(schema={}),
    reported={SOURCE: "..."})
BOOK.row("sglang/call-arguments",
    "The arguments of a call in the history are no JSON, or no object; an empty text is none either.",
    chat.CALL, _wrong_arguments, "Assistant tool call function.arguments must be {found}.", ".function.arguments",
    even_usual=True, models="all, on servers since June 2026; older ones fail in the template", checked=CHECKED,
    remedy=remedies.ARGUMENTS_UNPARSED,
    wrong=Samples(MODEL).at("messages.1.tool_calls.0.function.arguments", '["Oslo"]'),
    right=Samples(MODEL).at("messages.1.tool_calls.0.function.arguments", '{"city": "Oslo"}'),
    reported={SOURCE: "Assistant tool call function.arguments must be a JSON object.",
        "sgl-project/sglang#28035": "'str object' has no attribute 'items'"})
# fmt: on


refuse_by_qwen(BOOK, "sglang", model=NEWER,
    system=cite("HolmesGPT/holmesgpt#1871, pydantic/pydantic-ai-harness#679", FIRST))  # fmt: skip

HEX = "0123456789abcdef"
FAILURES = ByStatus(
    {
        404: "The requested model does not exist.",
        500: "Internal server error",
        503: "The request queue is full.",
    },
    "The request could not be processed.",
)


PROVIDER = Provider(
    name="sglang",
    base_path="/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=context_length_rule("sglang/context-length", reported={SOURCE: "is longer than the model's context"}),
        too_long="The input ({tokens} tokens) is longer than the model's context length ({window} tokens).",
        stream_error=lambda body, context: event({"error": body}),
    ),
    answers=Answers(
        id=lambda ids: ids.make("", 32, HEX),
        call_id=lambda ids: ids.make("call_", 24, HEX),
        completion=Document("id object created model choices usage? metadata", metadata={"weight_version": "default"}),
        choice=Document("index message finish_reason logprobs:null matched_stop:null"),
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "sglang"),
)
