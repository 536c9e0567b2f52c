"""Ollama's `/v1/responses`, which turns a request into one of `/api/chat`, and stores nothing.

The answers have the members of OpenAI's.
"""

import json
from typing import Final

from msgspec.structs import replace

from fake_providers.models import families_of
from fake_providers.providers.ollama.chat import PROVIDER as CHAT
from fake_providers.providers.ollama.chat import error_body
from fake_providers.providers.shared.chat_reading import INPUT, refuse_unread
from fake_providers.providers.shared.types_elsewhere import ResponsesSamples, items
from fake_providers.rulebook import ANY_PART, Breach, RequestContext, Rulebook
from fake_providers.wires.ollama_chat.go_json import (
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
KINDS: Final = ("message", "function_call", "function_call_output", "reasoning")
PARTS: Final = ("input_text", "input_image", "output_text", "input_file")
EFFORTS: Final = ("high", "medium", "low", "max", "none")


BOOK = Rulebook(error_body.refusal)

refuse_unread(
    BOOK,
    "ollama",
    INPUT,
    model=MODEL,
    not_json=Breach("body", "unexpected EOF"),
    missing=lambda body: Breach("input", "input must be a string or array: unexpected end of JSON input"),
    source=SOURCE,
)

TOOL: Final = Struct(
    "ResponsesTool", {"type": TEXT, "name": TEXT, "description": TEXT, "strict": FLAG, "parameters": AnyMap()}, "openai"
)
REQUEST: Final = Struct(
    "ResponsesRequest",
    {
        "model": TEXT,
        "background": FLAG,
        "include": Slice(TEXT, "[]string"),
        "input": Anything(),
        "instructions": TEXT,
        "max_output_tokens": WHOLE,
        "reasoning": Struct("ResponsesReasoning", {"effort": TEXT, "summary": TEXT}, "openai"),
        "temperature": NUMBER,
        "text": Struct(
            "ResponsesText",
            {"format": Struct("ResponsesTextFormat", {"type": TEXT, "name": TEXT, "strict": FLAG}, "openai")},
            "openai",
        ),
        "top_p": NUMBER,
        "truncation": TEXT,
        "tools": Slice(TOOL, "[]openai.ResponsesTool"),
        "stream": FLAG,
    },
    "openai",
)
"""`ResponsesRequest` of openai/responses.go; what it does not declare, such as `tool_choice`, is skipped."""
CALL: Final = Struct("ResponsesFunctionCall", {"id": TEXT, "call_id": TEXT, "name": TEXT, "arguments": TEXT}, "openai")


def _member_type(context: RequestContext) -> Breach | None:
    found = mismatch(context.body, REQUEST)
    return Breach(found.at, found.message) if found else None


def _input_type(context: RequestContext) -> Breach | None:
    if isinstance(context.body["input"], str | list | None):
        return None
    reason = "json: cannot unmarshal object into Go value of type []json.RawMessage"
    return Breach("input", f"input must be a string or array: {reason}")


def _item_type(context: RequestContext) -> Breach | None:
    for number, (at, item) in enumerate(items(context)):
        kind = item.get("type") or ("message" if item.get("role") else "")
        if kind not in KINDS:
            known = (
                f"unknown input item type: {json.dumps(kind)}" if kind else "input item missing required 'type' field"
            )
            return Breach(f"{at}.type", f"input[{number}]: {known}")
    return None


def _call_type(context: RequestContext) -> Breach | None:
    for number, (at, item) in enumerate(items(context)):
        found = mismatch(item, CALL, at) if item.get("type") == "function_call" else None
        if found is not None:
            return Breach(found.at, f"input[{number}]: {found.message}")
    return None


def _result_type(context: RequestContext) -> Breach | None:
    return _neither(context, "function_call_output", "output")


def _content_type(context: RequestContext) -> Breach | None:
    return _neither(context, "message", "content")


def _neither(context: RequestContext, kind: str, member: str) -> Breach | None:
    for number, (at, item) in enumerate(items(context)):
        value = item.get(member)
        if (item.get("type") or "message") != kind or isinstance(value, str | list | None):
            continue
        name = {dict: "object", bool: "bool"}.get(type(value), "number")
        reason = f"json: cannot unmarshal {name} into Go value of type []json.RawMessage"
        return Breach(f"{at}.{member}", f"input[{number}]: {member} must be a string or array: {reason}")
    return None


def _part_unknown(context: RequestContext) -> Breach | None:
    for number, (at, item) in enumerate(items(context)):
        for place, part in enumerate(item["content"] if isinstance(item.get("content"), list) else ()):
            kind = part.get("type") if isinstance(part, dict) else ""
            if kind not in PARTS:
                sentence = f"input[{number}]: content[{place}]: unknown content type: {kind or ''}"
                return Breach(f"{at}.content[{place}]", sentence)
    return None


def _effort(context: RequestContext) -> Breach | None:
    effort = (context.body.get("reasoning") or {}).get("effort") or ""
    if not effort or effort in EFFORTS:
        return None
    known = 'must be "high", "medium", "low", "max", or "none"'
    return Breach("reasoning.effort", f"invalid reasoning value: {json.dumps(effort)} ({known})")


def _arguments(context: RequestContext) -> Breach | None:
    for at, item in items(context):
        text = item.get("arguments") if item.get("type") == "function_call" else None
        if not text:
            continue
        try:
            if isinstance(json.loads(text), dict | None):
                continue
            reason = "json: cannot unmarshal into Go value of type map[string]interface {}"
        except ValueError:
            reason = "unexpected end of JSON input"
        return Breach(f"{at}.arguments", f"failed to parse function call arguments: {reason}")
    return None


def _no_tools(context: RequestContext) -> Breach | None:
    return tools_unsupported(context, context.body.get("tools"))


TOO_LONG = context_length_rule("ollama/responses-prompt-too-long", inferred={SOURCE: ""})


# A table: two rows are to be compared.
# fmt: off
BOOK.row("ollama/responses-member-type", "A member has another type than in Go's struct of the request.",
    ANY_PART, _member_type, even_usual=True, checked=CHECKED,
    wrong=SAMPLES.at("temperature", "warm"), right=SAMPLES.at("temperature", 0.5),
    reported={SOURCE: "json: cannot unmarshal"})
BOOK.row("ollama/responses-input-type", "The input is neither a string nor a list.",
    ANY_PART, _input_type, even_usual=True, checked=CHECKED,
    wrong={"model": MODEL, "input": {"role": "user", "content": "Hello"}}, right={"model": MODEL, "input": "Hello"},
    reported={SOURCE: "input must be a string or array"})
BOOK.row("ollama/responses-item-type", "An item has an unknown type, such as one of a hosted tool, or none.",
    ANY_PART, _item_type, even_usual=True, checked=CHECKED,
    wrong={"model": MODEL, "input": [{"type": "item_reference", "content": "Hello", "role": "user"}]},
    right={"model": MODEL, "input": [{"type": "message", "content": "Hello", "role": "user"}]},
    reported={SOURCE: "unknown input item type"})
BOOK.row("ollama/responses-call-type", "The arguments of a call are not a string, or its id or name is not.",
    ANY_PART, _call_type, even_usual=True, checked=CHECKED,
    wrong=SAMPLES.at("input.1.arguments", {"city": "Oslo"}), right=SAMPLES.at("input.1.arguments", '{"city": "Oslo"}'),
    reported={SOURCE: "Go struct field ResponsesFunctionCall.arguments of type string"})
BOOK.row("ollama/responses-result-type", "The output of a call is neither a string nor a list of parts.",
    ANY_PART, _result_type, even_usual=True, checked=CHECKED,
    wrong=SAMPLES.at("input.2.output", {"degrees": 7}), right=SAMPLES.at("input.2.output", '{"degrees": 7}'),
    reported={SOURCE: "output must be a string or array"})
BOOK.row("ollama/responses-content-type", "The content of a message is neither a string nor a list of parts.",
    ANY_PART, _content_type, even_usual=True, checked=CHECKED,
    wrong=SAMPLES.at("input.0.content", {"text": "Hello"}), right=SAMPLES.at("input.0.content", "Hello"),
    reported={SOURCE: "content must be a string or array"})
BOOK.row("ollama/responses-content-part-unknown", "A part of a content has an unknown type, such as `text`.",
    ANY_PART, _part_unknown, even_usual=True, checked=CHECKED,
    wrong={"model": MODEL, "input": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]},
    right={"model": MODEL, "input": [{"role": "user", "content": [{"type": "input_text", "text": "Hello"}]}]},
    reported={SOURCE: "unknown content type: text"})
BOOK.row("ollama/responses-effort-value", "The effort is none of those that Ollama knows.",
    ANY_PART, _effort, even_usual=True, checked=CHECKED,
    wrong={"model": MODEL, "input": "Hello", "reasoning": {"effort": "minimal"}},
    right={"model": MODEL, "input": "Hello", "reasoning": {"effort": "low"}},
    reported={SOURCE: "invalid reasoning value"})
BOOK.row("ollama/responses-call-arguments", "The arguments of a call in the history are not a JSON object.",
    ANY_PART, _arguments, even_usual=True, checked=CHECKED,
    wrong=SAMPLES.at("input.1.arguments", "{"), right=SAMPLES.at("input.1.arguments", "{}"),
    reported={SOURCE: "failed to parse function call arguments"})
BOOK.row("ollama/responses-no-tools",
    "There are tools and the model does not support them; an empty list counts as none.",
    ANY_PART, _no_tools, even_usual=True, models="those of `ollama/no-tools`", checked=CHECKED,
    wrong=ResponsesSamples("gemma3:4b").at("stream", False), right=SAMPLES.at("stream", False),
    inferred={"deduced from `ollama/no-tools`: both paths lead to one handler": ""})
# fmt: on
PROVIDER = Provider(
    name="ollama",
    base_path="/v1",
    errors=replace(CHAT.errors, window=TOO_LONG, path="input"),
    answers=None,
    books=(BOOK,),
    traits=families_of("openai-responses", "ollama"),
)
