"""Ollama's `/v1/responses`, which turns a request into one of `/api/chat`, and stores nothing.

The answers have the members of OpenAI's.
"""

import json
from typing import Any, Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.ollama.ollama_chat import PROVIDER as CHAT
from fake_providers.providers.ollama.ollama_chat import error_body
from fake_providers.providers.shared.chat_reading import LOCAL_INPUT, refuse_unread
from fake_providers.providers.shared.member_types_other_wires import ResponsesSamples, items
from fake_providers.rulebook import ANY_PARAMETER, ANY_PART, Breach, Rulebook, Selector
from fake_providers.values.lenient import listed
from fake_providers.wires.ollama_chat.go_json_fields import (
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    AnyMap,
    Anything,
    Slice,
    Struct,
    mismatch,
)
from fake_providers.wires.ollama_chat.model_names import tools_unsupported
from fake_providers.wires.openai_responses.provider import Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule

MODEL: Final = "qwen3:8b"
CHECKED: Final = "2026-11-23"
SOURCE: Final = "ollama/ollama openai/responses.go"
SAMPLES: Final = ResponsesSamples(MODEL)
PARTS: Final = ("input_text", "input_image", "output_text", "input_file")
BOOK = Rulebook(error_body.refusal)
refuse_unread(BOOK, "ollama", LOCAL_INPUT, model=MODEL, not_json=Breach("body", "unexpected EOF"),
    missing=lambda body: Breach("input", "input must be a string or array: unexpected end of JSON input"),
    source=SOURCE)  # fmt: skip

TOOL: Final = Struct("ResponsesTool",
    {"type": TEXT, "name": TEXT, "description": TEXT, "strict": FLAG, "parameters": AnyMap()}, "openai")  # fmt: skip
REQUEST: Final = Struct("ResponsesRequest",
    {"model": TEXT, "background": FLAG, "include": Slice(TEXT, "[]string"), "input": Anything(), "instructions": TEXT,
        "max_output_tokens": WHOLE,
        "reasoning": Struct("ResponsesReasoning", {"effort": TEXT, "summary": TEXT}, "openai"), "temperature": NUMBER,
        "text": Struct("ResponsesText",
            {"format": Struct("ResponsesTextFormat", {"type": TEXT, "name": TEXT, "strict": FLAG}, "openai")},
            "openai"), "top_p": NUMBER, "truncation": TEXT, "tools": Slice(TOOL, "[]openai.ResponsesTool"),
        "stream": FLAG}, "openai")  # fmt: skip
"""`ResponsesRequest` of openai/responses.go; what it does not declare, such as `tool_choice`, is skipped."""
CALL: Final = Struct("ResponsesFunctionCall", {"id": TEXT, "call_id": TEXT, "name": TEXT, "arguments": TEXT}, "openai")
TOO_LONG = context_length_rule("ollama/responses-prompt-too-long", inferred={SOURCE: ""})
ITEM: Final = Selector(lambda context: ((item, where, number) for number, (where, item) in enumerate(items(context))),
    "{where}", ("where", "number"), "parts")  # fmt: skip
"""Each item that is an object, with its number among these."""


def _unknown_kind(item: dict[str, Any]) -> Any:
    kind = item.get("type") or ("message" if item.get("role") else "")
    unknown = f"unknown input item type: {json.dumps(kind)}" if kind else "input item missing required 'type' field"
    return kind not in ("message", "function_call", "function_call_output", "reasoning") and unknown


def _other_type(item: dict[str, Any], kind: str, member: str) -> Any:
    """The type of a member that is neither a text nor a list."""
    value = item.get(member)
    wrong = (item.get("type") or "message") == kind and not isinstance(value, str | list | None)
    return wrong and {dict: "object", bool: "bool"}.get(type(value), "number")


NEITHER: Final = "must be a string or array: json: cannot unmarshal {found} into Go value of type []json.RawMessage"


def _unknown_part(item: dict[str, Any]) -> Any:
    for j, part in enumerate(listed(item.get("content"))):
        kind = part.get("type") if isinstance(part, dict) else ""
        if kind not in PARTS:
            return {"j": j, "kind": kind or ""}
    return None


def _wrong_arguments(item: dict[str, Any]) -> str:
    text = item.get("arguments") if item.get("type") == "function_call" else None
    try:
        is_object = not text or isinstance(json.loads(text), dict | None)
    except ValueError:
        return "unexpected end of JSON input"
    return "" if is_object else "json: cannot unmarshal into Go value of type map[string]interface {}"


def _unknown_effort(body: Any) -> Any:
    effort = (body.get("reasoning") or {}).get("effort") or ""
    return effort not in ("", "high", "medium", "low", "max", "none") and json.dumps(effort)


def _asked(**fields: Any) -> dict[str, Any]:
    return {"model": MODEL, "input": "Hello", **fields}


def _said(**part: Any) -> dict[str, Any]:
    return _asked(input=[{"role": "user", "content": [part]}])


# A table: two rows are to be compared.
# fmt: off
BOOK.row("ollama/responses-member-type", "A member has another type than in Go's struct of the request.",
    ANY_PART, lambda body: mismatch(body, REQUEST), "{found.message}", "{found.at}", even_usual=True, checked=CHECKED,
    remedy=remedies.VALUE,
    wrong=SAMPLES.at("temperature", "warm"), right=SAMPLES.at("temperature", 0.5),
    reported={SOURCE: "json: cannot unmarshal"})
BOOK.row("ollama/responses-input-type", "The input is neither a string nor a list.",
    ANY_PARAMETER, lambda body: not isinstance(body["input"], str | list | None),
    "input must be a string or array: json: cannot unmarshal object into Go value of type []json.RawMessage", "input",
    checked=CHECKED, remedy=remedies.MESSAGE_LIST,
    wrong=_asked(input={"role": "user", "content": "Hello"}), right=_asked(),
    reported={SOURCE: "input must be a string or array"})
BOOK.row("ollama/responses-item-type", "An item has an unknown type, such as one of a hosted tool, or none.",
    ITEM, _unknown_kind, "input[{number}]: {found}", ".type", checked=CHECKED, remedy=remedies.MESSAGE_LIST,
    wrong=_asked(input=[{"type": "item_reference", "content": "Hello", "role": "user"}]),
    right=_asked(input=[{"type": "message", "content": "Hello", "role": "user"}]),
    reported={SOURCE: "unknown input item type"})
BOOK.row("ollama/responses-call-type", "The arguments of a call are not a string, or its id or name is not.",
    ITEM, lambda item, where: item.get("type") == "function_call" and mismatch(item, CALL, where),
    "input[{number}]: {found.message}", "/{found.at}", checked=CHECKED, remedy=remedies.VALUE.of("calls"),
    wrong=SAMPLES.at("input.1.arguments", {"city": "Oslo"}), right=SAMPLES.at("input.1.arguments", '{"city": "Oslo"}'),
    reported={SOURCE: "Go struct field ResponsesFunctionCall.arguments of type string"})
BOOK.row("ollama/responses-result-type", "The output of a call is neither a string nor a list of parts.",
    ITEM, lambda item: _other_type(item, "function_call_output", "output"), f"input[{{number}}]: output {NEITHER}",
    ".output", checked=CHECKED, remedy=remedies.CONTENT_SHAPE.of("results"),
    wrong=SAMPLES.at("input.2.output", {"degrees": 7}), right=SAMPLES.at("input.2.output", '{"degrees": 7}'),
    reported={SOURCE: "output must be a string or array"})
BOOK.row("ollama/responses-content-type", "The content of a message is neither a string nor a list of parts.",
    ITEM, lambda item: _other_type(item, "message", "content"), f"input[{{number}}]: content {NEITHER}", ".content",
    checked=CHECKED, remedy=remedies.JOIN_PARTS,
    wrong=SAMPLES.at("input.0.content", {"text": "Hello"}), right=SAMPLES.at("input.0.content", "Hello"),
    reported={SOURCE: "content must be a string or array"})
BOOK.row("ollama/responses-content-part-unknown", "A part of a content has an unknown type, such as `text`.",
    ITEM, _unknown_part, "input[{number}]: content[{j}]: unknown content type: {kind}", ".content[{j}]",
    checked=CHECKED, remedy=remedies.PART_TYPES,
    wrong=_said(type="text", text="Hello"), right=_said(type="input_text", text="Hello"),
    reported={SOURCE: "unknown content type: text"})
BOOK.row("ollama/responses-effort-value", "The effort is none of those that Ollama knows.",
    ANY_PARAMETER, _unknown_effort,
    'invalid reasoning value: {found} (must be "high", "medium", "low", "max", or "none")', "reasoning.effort",
    checked=CHECKED, remedy=remedies.EFFORT_OF_MODEL,
    wrong=_asked(reasoning={"effort": "minimal"}), right=_asked(reasoning={"effort": "low"}),
    reported={SOURCE: "invalid reasoning value"})
BOOK.row("ollama/responses-call-arguments", "The arguments of a call in the history are not a JSON object.",
    ITEM, _wrong_arguments, "failed to parse function call arguments: {found}", ".arguments", checked=CHECKED,
    remedy=remedies.INPUT_UNPARSED,
    wrong=SAMPLES.at("input.1.arguments", "{"), right=SAMPLES.at("input.1.arguments", "{}"),
    reported={SOURCE: "failed to parse function call arguments"})
BOOK.row("ollama/responses-no-tools",
    "There are tools and the model does not support them; an empty list counts as none.",
    ANY_PARAMETER, lambda context: tools_unsupported(context, context.body.get("tools")),
    models="those of `ollama/no-tools`", checked=CHECKED, remedy=remedies.TOOL_MODEL,
    wrong=ResponsesSamples("gemma3:4b").at("stream", False), right=SAMPLES.at("stream", False),
    inferred={"deduced from `ollama/no-tools`: both paths lead to one handler": ""})
PROVIDER = Provider(
    name="ollama", base_path="/v1", errors=replace(CHAT.errors, window=TOO_LONG, path="input"), answers=None,
    books=(BOOK,), traits=families_of("openai-responses", "ollama"))
# fmt: on
