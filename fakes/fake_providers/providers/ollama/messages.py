"""Ollama's `/v1/messages`, which turns a request into one of `/api/chat`: calls need no results.

It asks for no key; answers have neither signatures nor counts of cached tokens.
"""

from typing import Any, Final

from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import refuse_unread
from fake_providers.providers.shared.chat_types import MISSING
from fake_providers.providers.shared.types_elsewhere import CONVERSATION, blocks, sample, samples
from fake_providers.rulebook import ANY_MESSAGE, ANY_PARAMETER, ANY_PART, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.provider import ENVELOPE, Answers, Provider
from fake_providers.wires.ollama_chat.errors import SENTENCES, TOO_LONG
from fake_providers.wires.ollama_chat.go_json import (
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    AnyMap,
    Anything,
    CustomType,
    Slice,
    Struct,
    TypeMismatch,
)
from fake_providers.wires.ollama_chat.go_json import mismatch as go_mismatch
from fake_providers.wires.ollama_chat.model_names import tools_unsupported
from fake_providers.wires.openai_shared.provider_errors import context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of

MODEL: Final = "qwen3:8b"
CHECKED: Final = "2026-11-23"
SOURCE: Final = "ollama/ollama anthropic/anthropic.go and middleware/anthropic.go"
TOOL: Final = {"name": "get_weather", "input_schema": {"type": "object"}}
SAMPLES: Final = samples(MODEL)


BOOK = Rulebook(ENVELOPE.refusal)

refuse_unread(
    BOOK,
    "ollama",
    CONVERSATION,
    model=MODEL,
    not_json=Breach("body", "unexpected EOF"),
    missing=lambda body: Breach("messages", "messages is required"),
    source=SOURCE,
    max_tokens=16,
)

SOURCE_OF_IMAGE: Final = Struct(
    "ImageSource", {"type": TEXT, "media_type": TEXT, "data": TEXT, "url": TEXT}, "anthropic"
)
BLOCK: Final = Struct(
    "ContentBlock",
    {
        "type": TEXT,
        "text": TEXT,
        "source": SOURCE_OF_IMAGE,
        "id": TEXT,
        "name": TEXT,
        "input": AnyMap(),
        "tool_use_id": TEXT,
        "content": Anything(),
        "is_error": FLAG,
        "thinking": TEXT,
        "signature": TEXT,
    },
    "anthropic",
)


def _message(value: Any, at: str) -> TypeMismatch | None:
    """A message reads itself: its role, then its content, which a string stands for one block of."""
    found = go_mismatch(value, Struct("", {"role": TEXT, "content": Anything()}, "anthropic"), at)
    content = value.get("content") if isinstance(value, dict) else ""
    if found is not None or isinstance(content, str):
        return found
    return go_mismatch(content, Slice(BLOCK, "[]anthropic.ContentBlock"), f"{at}.content")


REQUEST: Final = Struct(
    "MessagesRequest",
    {
        "model": TEXT,
        "max_tokens": WHOLE,
        "messages": Slice(CustomType(_message), "[]anthropic.MessageParam"),
        "system": Anything(),
        "stream": FLAG,
        "temperature": NUMBER,
        "top_p": NUMBER,
        "top_k": WHOLE,
        "stop_sequences": Slice(TEXT, "[]string"),
        "tools": Slice(
            Struct("Tool", {"type": TEXT, "name": TEXT, "description": TEXT, "max_uses": WHOLE}, "anthropic"),
            "[]anthropic.Tool",
        ),
        "tool_choice": Struct(
            "ToolChoice", {"type": TEXT, "name": TEXT, "disable_parallel_tool_use": FLAG}, "anthropic"
        ),
        "thinking": Struct("ThinkingConfig", {"type": TEXT, "budget_tokens": WHOLE}, "anthropic"),
        "metadata": Struct("Metadata", {"user_id": TEXT}, "anthropic"),
        "output_config": Struct("OutputConfig", {"effort": TEXT}, "anthropic"),
    },
    "anthropic",
)
"""`MessagesRequest` of anthropic/anthropic.go; what it does not declare is skipped."""


def _member_type(context: RequestContext) -> Breach | None:
    found = go_mismatch(context.body, REQUEST)
    return Breach(found.at, found.message) if found else None


def _model_missing(context: RequestContext) -> Breach | None:
    return None if context.body.get("model") else Breach("model", "model is required")


def _max_tokens(context: RequestContext) -> Breach | None:
    if (context.body.get("max_tokens") or 0) > 0:
        return None
    return Breach("max_tokens", "max_tokens is required and must be positive")


def _empty(context: RequestContext) -> Breach | None:
    return None if context.body["messages"] else Breach("messages", "messages is required")


def _call_incomplete(context: RequestContext) -> Breach | None:
    for at, block in blocks(context, "tool_use"):
        for name in ("id", "name"):
            if not block.get(name):
                return Breach(f"{at}.{name}", f"tool_use block missing required '{name}' field")
    return None


def _image_source(context: RequestContext) -> Breach | None:
    return next(
        (Breach(at, "invalid image source") for at, one in blocks(context, "image") if not one.get("source")), None
    )


def _no_tools(context: RequestContext) -> Breach | None:
    return tools_unsupported(context, context.body.get("tools"))


HEX = "0123456789abcdef"
LEFT_OUT = frozenset(
    [
        "stop_details",
        "caller",
        "service_tier",
        "inference_geo",
        "cache_creation",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens_details",
        "stop_sequence",
        "signature",
    ]
)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("ollama/anthropic-member-type",
    "A member has another type than in Go's struct of the request: a call's input that is JSON text, for example.",
    ANY_PART, _member_type, checked=CHECKED,
    wrong=SAMPLES.at("messages.1.content.0.input", '{"city": "Oslo"}'),
    right=SAMPLES.at("messages.1.content.0.input", {"city": "Oslo"}),
    reported={SOURCE: "json: cannot unmarshal"})
BOOK.row("ollama/anthropic-model-missing", "The request names no model.",
    ANY_PARAMETER, _model_missing, checked=CHECKED,
    wrong=SAMPLES.at("model", MISSING), right=SAMPLES.at("model", MODEL),
    reported={SOURCE: "model is required"})
BOOK.row("ollama/anthropic-max-tokens", "`max_tokens` is missing, or not positive.",
    ANY_PARAMETER, _max_tokens, checked=CHECKED,
    wrong=SAMPLES.at("max_tokens", 0), right=SAMPLES.at("max_tokens", 16),
    reported={SOURCE: "max_tokens is required and must be positive"})
BOOK.row("ollama/anthropic-messages-empty", "`messages` is an empty list.",
    ANY_PARAMETER, _empty, checked=CHECKED,
    wrong={**sample(MODEL), "messages": []}, right=sample(MODEL),
    reported={SOURCE: "messages is required"})
BOOK.row("ollama/anthropic-call-incomplete", "A call has no id, or no name.",
    ANY_MESSAGE, _call_incomplete, checked=CHECKED,
    wrong=SAMPLES.at("messages.1.content.0.id", ""), right=SAMPLES.at("messages.1.content.0.id", "toolu_1"),
    reported={SOURCE: "tool_use block missing required 'id' field"})
BOOK.row("ollama/anthropic-image-source", "A picture has no source.",
    ANY_MESSAGE, _image_source, checked=CHECKED,
    wrong=sample(MODEL, {"role": "user", "content": [{"type": "image"}]}),
    right=sample(MODEL,
        {"role": "user",
        "content": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}]}),
    reported={SOURCE: "invalid image source"})
BOOK.row("ollama/anthropic-no-tools",
    "There are tools and the model does not support them; an empty list counts as none.",
    ANY_PARAMETER, _no_tools, models="those of `ollama/no-tools`", checked=CHECKED,
    wrong=sample("gemma3:4b", tools=[TOOL]), right=sample(MODEL, tools=[TOOL]),
    inferred={"deduced from `ollama/no-tools`: both paths lead to one handler": ""})
# fmt: on


PROVIDER = Provider(
    name="ollama",
    base_path="",
    books=(BOOK,),
    traits=families_of("anthropic-messages", "ollama"),
    answers=Answers(
        id=lambda ids: ids.make("msg_", 24, HEX),
        call_id=lambda ids: ids.make("call_", 8, "0123456789abcdefghijklmnopqrstuvwxyz"),
        left_out=LEFT_OUT,
    ),
    window=context_length_rule("ollama/anthropic-prompt-too-long", inferred={SOURCE: ""}),
    too_long=lambda tokens, window: TOO_LONG,
    body_of=body_of,
    sentences=SENTENCES,
)
