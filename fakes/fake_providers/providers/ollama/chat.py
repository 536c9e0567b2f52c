"""Ollama's `/v1/chat/completions`, which turns a request into one of `/api/chat`.

Unlike `/api/chat`, it reads parts of a content and arguments as text. It asks for no key, and reasoning is in
`reasoning`.
"""

import json
from typing import Final

from msgspec.structs import replace

from fake_providers.ids import DIGITS
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import MESSAGES, listed, messages, refuse_unread
from fake_providers.providers.shared.chat_types import Samples
from fake_providers.replies.documents import ByStatus, Document, Envelope
from fake_providers.rulebook import ANY_MESSAGE, ANY_PARAMETER, ANY_PART, Breach, RequestContext, Rulebook
from fake_providers.wires.ollama_chat.errors import SENTENCES, TOO_LONG
from fake_providers.wires.ollama_chat.go_json import (
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Anything,
    Slice,
    Struct,
    mismatch,
)
from fake_providers.wires.ollama_chat.go_json import TOOL as TOOL_TYPE
from fake_providers.wires.ollama_chat.model_names import tools_unsupported
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import TOOL, USER, sample_request
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule

MODEL: Final = "qwen3:8b"
SAMPLES: Final = Samples("qwen3:8b")
CHECKED: Final = "2026-11-22"
LATELY: Final = "2026-11-28"
KINDS: Final = {400: "invalid_request_error", 404: "not_found_error"}
SOURCE: Final = "ollama/ollama openai/openai.go and middleware/openai.go"


error_body = Envelope(
    {"error": {"message": "<message>", "type": "<type>", "param": None, "code": None}},
    type=ByStatus(KINDS, "api_error"),
)

BOOK = Rulebook(error_body.refusal)

refuse_unread(
    BOOK,
    "ollama",
    replace(MESSAGES, rules="chat-"),
    model=MODEL,
    not_json=Breach("body", "unexpected EOF"),
    missing=lambda body: Breach("messages", "[] is too short - 'messages'"),
    source=SOURCE,
)


CALL_FUNCTION: Final = Struct("", {"name": TEXT, "arguments": TEXT})
CALL: Final = Struct("ToolCall", {"id": TEXT, "index": WHOLE, "type": TEXT, "function": CALL_FUNCTION})
MESSAGE: Final = Struct(
    "Message",
    {
        "role": TEXT,
        "content": Anything(),
        "reasoning": TEXT,
        "tool_calls": Slice(CALL, "[]openai.ToolCall"),
        "name": TEXT,
        "tool_call_id": TEXT,
    },
)
SCHEMA: Final = Struct("JsonSchema", {"schema": Anything()}, "openai")
REQUEST: Final = Struct(
    "ChatCompletionRequest",
    {
        "model": TEXT,
        "messages": Slice(MESSAGE, "[]openai.Message"),
        "stream": FLAG,
        "stream_options": Struct("StreamOptions", {"include_usage": FLAG}, "openai"),
        "max_tokens": WHOLE,
        "seed": WHOLE,
        "stop": Anything(),
        "temperature": NUMBER,
        "frequency_penalty": NUMBER,
        "presence_penalty": NUMBER,
        "top_p": NUMBER,
        "response_format": Struct("ResponseFormat", {"type": TEXT, "json_schema": SCHEMA}, "openai"),
        "tools": Slice(TOOL_TYPE, "[]api.Tool"),
        "reasoning": Struct("Reasoning", {"effort": TEXT}, "openai"),
        "reasoning_effort": TEXT,
        "logprobs": FLAG,
        "top_logprobs": WHOLE,
    },
    "openai",
)
"""`ChatCompletionRequest` of openai/openai.go. What it does not declare, such as `tool_choice` and `n`, is skipped."""


def _member_type(context: RequestContext) -> Breach | None:
    found = mismatch(context.body, REQUEST)
    return Breach(found.at, found.message) if found else None


def _content_type(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        content = message.get("content")
        if not isinstance(content, str | list) and message.get("tool_calls") is None:
            types = {bool: "bool", int: "float64", float: "float64", dict: "map[string]interface {}"}
            name = types.get(type(content), "<nil>")
            return Breach(f"messages[{index}].content", f"invalid message content type: {name}")
    return None


def _content_part(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        for number, part in enumerate(listed(message.get("content"))):
            text = isinstance(part, dict) and (part.get("type") != "text" or isinstance(part.get("text"), str))
            if not text or not isinstance(part.get("type", "text"), str):
                return Breach(f"messages[{index}].content[{number}]", "invalid message format")
    return None


EFFORTS: Final = ("minimal", "low", "medium", "high", "xhigh", "ultra", "max", "none")


def _effort(context: RequestContext) -> Breach | None:
    """`reasoning` is read before `reasoning_effort`, which then says nothing."""
    nested = context.body.get("reasoning")
    at, effort = "reasoning_effort", context.body.get("reasoning_effort")
    if isinstance(nested, dict):
        at, effort = "reasoning.effort", nested.get("effort")
    if not isinstance(effort, str) or effort in ("", *EFFORTS):
        return None
    *others, last = (f'"{known}"' for known in EFFORTS)
    words = f"invalid reasoning value: {json.dumps(effort)} (must be {', '.join(others)}, or {last})"
    return Breach(at, words)


def _no_tools(context: RequestContext) -> Breach | None:
    return tools_unsupported(context, context.body.get("tools"))


def _schema_type(context: RequestContext) -> Breach | None:
    requested = context.body.get("response_format")
    kind = requested.get("type") if isinstance(requested, dict) else None
    if not isinstance(kind, str) or kind.strip().lower() != "json_schema":
        return None
    wrapper = requested.get("json_schema")
    schema = wrapper.get("schema") if isinstance(wrapper, dict) else None
    if schema in (None, "", "json") or isinstance(schema, dict):
        return None
    raw = json.dumps(json.dumps(schema, ensure_ascii=False, separators=(",", ":")), ensure_ascii=False)
    sentence = f'invalid format: {raw}; expected "json" or a valid JSON Schema object'
    return Breach("response_format.json_schema.schema", sentence)


LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
FINGERPRINT = "fp_ollama"
CONTEXT_LENGTH = context_length_rule("ollama/chat-prompt-too-long", inferred={SOURCE: ""})


UNREAD = "the request could not be processed"
FAILURES = ByStatus({**SENTENCES, 404: "model '{model}' not found"}, UNREAD, UNREAD)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("ollama/chat-member-type",
    "A member has another type than in Go's struct of the request: arguments that are an object, for example.",
    ANY_PART, _member_type, checked="2026-11-23",
    wrong=SAMPLES.at("messages.1.tool_calls.0.function.arguments", {"city": "Oslo"}),
    right=SAMPLES.at("messages.1.tool_calls.0.function.arguments", '{"city": "Oslo"}'),
    verbatim={"three public projects":
        "cannot unmarshal object into Go struct field .messages.tool_calls.function.arguments of type string",
        SOURCE: ""})
BOOK.row("ollama/chat-content-type",
    "A content is neither text nor a list, and the message has no tool calls: an object as the result of a tool.",
    ANY_MESSAGE, _content_type, checked="2026-11-23",
    wrong=SAMPLES.at("messages.2.content", {"degrees": 7}), right=SAMPLES.at("messages.2.content", '{"degrees": 7}'),
    reported={SOURCE: "invalid message content type: %T"})
BOOK.row("ollama/chat-content-part",
    "A part of a content is no object, such as a bare text, or is neither a text nor a picture.",
    ANY_MESSAGE, _content_part, checked=CHECKED,
    wrong=sample_request({**USER, "content": ["Hello"]}, model=MODEL),
    right=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}, model=MODEL),
    recorded={"recording, mistral-small3.1, of crmne/ruby_llm": "invalid message format"})
BOOK.row("ollama/chat-effort-unknown",
    "The effort of reasoning is none that the server knows; an empty one is none at all.",
    ANY_PARAMETER, _effort, checked=LATELY,
    wrong=sample_request(model=MODEL, reasoning_effort="huge"),
    right=sample_request(model=MODEL, reasoning_effort="high"),
    reported={SOURCE: "invalid reasoning value: %q (must be"})
BOOK.row("ollama/chat-no-tools", "There are tools and the model does not support them; an empty list counts as none.",
    ANY_PARAMETER, _no_tools, models="those of `ollama/no-tools`", checked=CHECKED,
    wrong=sample_request(model="gemma3:4b", tools=[TOOL]), right=sample_request(model=MODEL, tools=[TOOL]),
    inferred={"deduced from `ollama/no-tools`: both paths lead to one handler": ""})
BOOK.row("ollama/chat-schema-type", "The schema for the answer is no object.",
    ANY_PARAMETER, _schema_type, status=500, checked=LATELY,
    wrong=sample_request(model=MODEL, response_format={"type": "json_schema", "json_schema": {"schema": ["a"]}}),
    right=sample_request(model=MODEL, response_format={"type": "json_schema", "json_schema": {"schema": {}}}),
    reported={"ollama/ollama llm/llama_server.go": 'expected "json" or a valid JSON Schema object'})
# fmt: on


PROVIDER = Provider(
    name="ollama",
    base_path="/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long=TOO_LONG,
        content_type=lambda status, body: "application/json; charset=utf-8",
    ),
    answers=Answers(
        id=lambda ids: ids.make("chatcmpl-", 3, DIGITS),
        call_id=lambda ids: ids.make("call_", 8, LETTERS),
        completion=Document(
            "id object created model system_fingerprint choices usage?", system_fingerprint=FINGERPRINT
        ),
        message=Document("role content:text reasoning? tool_calls?"),
        call=Document("id? index type function"),
        usage=Document("prompt_tokens completion_tokens total_tokens"),
        opening=None,
        thought=Document("role content reasoning", content=""),
        text=Document("role content"),
        calls="together",
        calling=Document("role content tool_calls", content=""),
        opened_call=Document("id? index type function"),
        last=Document("role content", content=""),
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "ollama"),
)
