"""An SGLang server: refusals of its pydantic models in many lines, and of the templates of its models."""

import json
from typing import Any, Final

from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import MESSAGES, calls, function, messages, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import problems_of
from fake_providers.providers.shared.qwen_template import FIRST, refuse_by_qwen
from fake_providers.replies.documents import ByStatus, Document, Envelope
from fake_providers.rulebook import (
    ALL_PARTS,
    ALL_TOOLS,
    ANY_MESSAGE,
    ANY_PARAMETER,
    ANY_PART,
    Breach,
    RequestContext,
    Rulebook,
)
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import TOOL, USER, cite, sample_request
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule
from fake_providers.wires.openai_shared.request_body import event
from fake_providers.wires.openai_shared.schema_faults import required_not_list

MODEL: Final = "Qwen/Qwen3-8B"
NEWER: Final = "Qwen/Qwen3.5-9B"
CHECKED: Final = "2026-11-23"
SOURCE: Final = "sgl-project/sglang python/sglang/srt/entrypoints/openai/protocol.py and serving_chat.py"
SYSTEM: Final = {"role": "system", "content": "Be brief."}
LATELY: Final = "2026-11-28"
FORCED: Final = {"type": "function", "function": {"name": "get_weather"}}


KINDS: Final = {404: "NotFoundError", 500: "InternalServerError", 503: "ServiceUnavailable"}
error_body = Envelope(
    {"object": "error", "message": "<message>", "type": "<type>", "param": None, "code": "<status>"},
    type=ByStatus(KINDS, "BadRequestError", "BadRequestError"),
)


def _with_parameters(schema: Any) -> dict[str, Any]:
    return {**TOOL, "function": {**TOOL["function"], "parameters": schema}}


BOOK = Rulebook(error_body.refusal)

refuse_unread(
    BOOK,
    "sglang",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "[{'type': 'json_invalid', 'loc': ('body', 0), 'msg': 'JSON decode error', 'input': {}}]"),
    missing=lambda body: Breach(
        "messages", "[{'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required'}]"
    ),
    source=SOURCE,
)


def _wrong_type(found: WrongType, context: RequestContext) -> Breach:
    owner = context.body
    for part in found.path[:-1]:
        owner = owner[part]
    problems = problems_of(found, ["body", *found.path], whole=owner, roles=ROLES)
    return Breach(found.at, str([{**problem, "loc": tuple(problem["loc"])} for problem in problems]))


ROLES: Final = ("system", "assistant", "tool", "function", "developer", "user")
refuse_wrong_types(
    BOOK,
    "sglang",
    Dialect(
        words=_wrong_type,
        source=SOURCE,
        lax=True,
        roles=ROLES,
        types={"tools[].function.strict": "any", "messages[].tool_calls[].type": "any"},
        required=("messages[].role", "tools[].function", "tools[].function.name"),
        known={
            "content-type": (
                "reported",
                cite("sgl-project/sglang#4236, danny-avila/LibreChat#6256", "Input should be a valid string"),
            )
        },
    ),
    Samples(MODEL),
)


def _content_null(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        if message.get("role") == "user" and message.get("content") is None:
            loc = ("body", "messages", index, "content")
            problem = {"type": "string_type", "loc": loc, "msg": "Input should be a valid string", "input": None}
            return Breach(f"messages[{index}].content", str([problem]))
    return None


def _empty(context: RequestContext) -> Breach | None:
    return None if context.body["messages"] else Breach("messages", "Messages cannot be empty.")


def _tools_required(context: RequestContext) -> Breach | None:
    if context.body.get("tool_choice") != "required" or context.body.get("tools"):
        return None
    return Breach("tools", "Tools cannot be empty if tool choice is set to required.")


def _tools_for_choice(context: RequestContext) -> Breach | None:
    if not isinstance(context.body.get("tool_choice"), dict) or context.body.get("tools"):
        return None
    return Breach("tools", "Tools cannot be empty if tool choice is set to a specific tool.")


def _unknown_tool(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    name = function(choice).get("name") if isinstance(choice, dict) else None
    offered = [function(tool).get("name") for tool in context.body.get("tools") or () if isinstance(tool, dict)]
    if name is None or name in offered:
        return None
    return Breach("tool_choice.function.name", f"Tool '{name}' not found in tools list.")


def _no_schema(context: RequestContext) -> Breach | None:
    """Not so for types: names of databases and of Python are first made into those of JSON Schema."""
    for index, tool in enumerate(context.body.get("tools") or ()):
        parameters = function(tool).get("parameters") if isinstance(tool, dict) else None
        fault = required_not_list(parameters)
        if fault:
            sentence = f"Tool {index} function has invalid 'parameters' schema: {fault.rstrip('.')}"
            return Breach(f"tools[{index}].function.parameters", sentence)
    return None


def _schema_missing(context: RequestContext) -> Breach | None:
    requested = context.body.get("response_format")
    if not isinstance(requested, dict) or requested.get("type") != "json_schema":
        return None
    wrapper = requested.get("json_schema")
    if isinstance(wrapper, dict) and wrapper.get("schema") is not None:
        return None
    at = "response_format.json_schema.schema"
    return Breach(at, "schema_ is required for json_schema response format request.")


def _arguments(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        for number, call in calls(message) if message.get("role") == "assistant" else ():
            written = function(call).get("arguments")
            try:
                is_object = not isinstance(written, str) or isinstance(json.loads(written), dict)
                wrong = "" if is_object else "a JSON object"
            except ValueError:
                wrong = "valid JSON"
            if wrong:
                at = f"messages[{index}].tool_calls[{number}].function.arguments"
                return Breach(at, f"Assistant tool call function.arguments must be {wrong}.")
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("sglang/content-null", "The content of a message of the user is null.",
    ANY_MESSAGE, _content_null, checked=CHECKED,
    wrong=sample_request({**USER, "content": None}, model=MODEL), right=sample_request(USER, model=MODEL),
    reported={"sgl-project/sglang#4236": "Input should be a valid string [type=string_type, input_value=None"})
BOOK.row("sglang/messages-empty", "`messages` is an empty list.",
    ANY_PARAMETER, _empty, checked=CHECKED,
    wrong={"model": MODEL, "messages": []}, right={"model": MODEL, "messages": [USER]},
    reported={SOURCE: "Messages cannot be empty."})
BOOK.row("sglang/tools-required", "A call is forced, and there are no tools.",
    ANY_PARAMETER, _tools_required, checked=CHECKED,
    wrong=sample_request(model=MODEL, tools=[], tool_choice="required"),
    right=sample_request(model=MODEL, tools=[TOOL], tool_choice="required"),
    reported={SOURCE: "Tools cannot be empty if tool choice is set to required."})
BOOK.row("sglang/tools-for-the-choice", "One tool is forced, and there are no tools.",
    ANY_PARAMETER, _tools_for_choice, checked=LATELY,
    wrong=sample_request(model=MODEL, tools=[], tool_choice=FORCED),
    right=sample_request(model=MODEL, tools=[TOOL], tool_choice=FORCED),
    reported={SOURCE: "Tools cannot be empty if tool choice is set to a specific tool."})
BOOK.row("sglang/tool-choice-unknown-tool", "A tool is forced that is not offered.",
    ALL_TOOLS, _unknown_tool, even_usual=True, needs="tool_choice", checked=CHECKED,
    wrong=sample_request(model=MODEL, tools=[TOOL], tool_choice={"type": "function", "function": {"name": "x"}}),
    right=sample_request(model=MODEL, tools=[TOOL], tool_choice=FORCED),
    reported={SOURCE: "Tool 'x' not found in tools list."})
BOOK.row("sglang/parameters-no-schema",
    "The parameters of a tool are no JSON Schema, such as one with a type of Python.",
    ALL_PARTS, _no_schema, checked=LATELY,
    wrong=sample_request(model=MODEL, tools=[_with_parameters({"type": "object", "required": "city"})]),
    right=sample_request(model=MODEL, tools=[_with_parameters({"type": "object", "required": ["city"]})]),
    reported={SOURCE: "Tool 0 function has invalid 'parameters' schema: "})
BOOK.row("sglang/schema-missing", "An answer by a schema is asked for, and there is none.",
    ANY_PARAMETER, _schema_missing, checked=LATELY,
    wrong=sample_request(model=MODEL, response_format={"type": "json_schema", "json_schema": {"name": "a"}}),
    right=sample_request(model=MODEL,
        response_format={"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}),
    reported={SOURCE: "schema_ is required for json_schema response format request."})
BOOK.row("sglang/call-arguments",
    "The arguments of a call in the history are no JSON, or no object; an empty text is none either.",
    ANY_PART, _arguments, even_usual=True, models="servers since June 2026; older ones fail in the template",
    checked=CHECKED,
    wrong=Samples(MODEL).at("messages.1.tool_calls.0.function.arguments", '["Oslo"]'),
    right=Samples(MODEL).at("messages.1.tool_calls.0.function.arguments", '{"city": "Oslo"}'),
    reported={SOURCE: "Assistant tool call function.arguments must be a JSON object.",
        "sgl-project/sglang#28035": "'str object' has no attribute 'items'"})
# fmt: on


refuse_by_qwen(
    BOOK,
    "sglang",
    model=NEWER,
    system=cite("HolmesGPT/holmesgpt#1871, pydantic/pydantic-ai-harness#679", FIRST),
)


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
