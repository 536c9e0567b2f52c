"""Ollama's `/v1/messages`, which turns a request into one of `/api/chat`: calls need no results.

It asks for no key; answers have neither signatures nor counts of cached tokens.
"""

from typing import Any, Final

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import PART, refuse_unread
from fake_providers.providers.shared.chat_types import MISSING
from fake_providers.providers.shared.member_types_other_wires import CONVERSATION, sample, samples
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, ANY_PART, Breach, Rulebook
from fake_providers.wires.anthropic_messages.provider import ENVELOPE, Answers, Provider
from fake_providers.wires.ollama_chat import go_json_fields as go
from fake_providers.wires.ollama_chat.errors import SENTENCES, TOO_LONG
from fake_providers.wires.ollama_chat.model_names import tools_unsupported
from fake_providers.wires.openai_shared.provider_errors import context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of

MODEL: Final = "qwen3:8b"
CHECKED: Final = "2026-11-23"
SOURCE: Final = "ollama/ollama anthropic/anthropic.go and middleware/anthropic.go"
TOOLS: Final = [{"name": "get_weather", "input_schema": {"type": "object"}}]
SAMPLES: Final = samples(MODEL)
BOOK = Rulebook(ENVELOPE.refusal)
refuse_unread(BOOK, "ollama", CONVERSATION, model=MODEL, not_json=Breach("body", "unexpected EOF"),
    missing=lambda body: Breach("messages", "messages is required"), source=SOURCE, max_tokens=16)  # fmt: skip

SOURCE_OF_IMAGE: Final = go.Struct("ImageSource",
    {"type": go.TEXT, "media_type": go.TEXT, "data": go.TEXT, "url": go.TEXT}, "anthropic")  # fmt: skip
BLOCK: Final = go.Struct("ContentBlock",
    {"type": go.TEXT, "text": go.TEXT, "source": SOURCE_OF_IMAGE, "id": go.TEXT, "name": go.TEXT, "input": go.AnyMap(),
        "tool_use_id": go.TEXT, "content": go.Anything(), "is_error": go.FLAG, "thinking": go.TEXT,
        "signature": go.TEXT}, "anthropic")  # fmt: skip


def _message(value: Any, at: str) -> go.TypeMismatch | None:
    """A message reads itself: its role, then its content, which a string stands for one block of."""
    found = go.mismatch(value, go.Struct("", {"role": go.TEXT, "content": go.Anything()}, "anthropic"), at)
    content = value.get("content") if isinstance(value, dict) else ""
    if found is not None or isinstance(content, str):
        return found
    return go.mismatch(content, go.Slice(BLOCK, "[]anthropic.ContentBlock"), f"{at}.content")


REQUEST: Final = go.Struct("MessagesRequest",
    {"model": go.TEXT, "max_tokens": go.WHOLE,
        "messages": go.Slice(go.CustomType(_message), "[]anthropic.MessageParam"), "system": go.Anything(),
        "stream": go.FLAG, "temperature": go.NUMBER, "top_p": go.NUMBER, "top_k": go.WHOLE,
        "stop_sequences": go.Slice(go.TEXT, "[]string"),
        "tools": go.Slice(
            go.Struct("Tool", {"type": go.TEXT, "name": go.TEXT, "description": go.TEXT, "max_uses": go.WHOLE},
                "anthropic"), "[]anthropic.Tool"),
        "tool_choice": go.Struct("ToolChoice", {"type": go.TEXT, "name": go.TEXT, "disable_parallel_tool_use": go.FLAG},
            "anthropic"),
        "thinking": go.Struct("ThinkingConfig", {"type": go.TEXT, "budget_tokens": go.WHOLE}, "anthropic"),
        "metadata": go.Struct("Metadata", {"user_id": go.TEXT}, "anthropic"),
        "output_config": go.Struct("OutputConfig", {"effort": go.TEXT}, "anthropic")}, "anthropic")  # fmt: skip
"""`MessagesRequest` of anthropic/anthropic.go; what it does not declare is skipped."""


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


def _shown(**image: Any) -> dict[str, Any]:
    return sample(MODEL, {"role": "user", "content": [{"type": "image", **image}]})


# A table: two rows are to be compared.
# fmt: off
BOOK.row("ollama/anthropic-member-type",
    "A member has another type than in Go's struct of the request: a call's input that is JSON text, for example.",
    ANY_PART, lambda body: go.mismatch(body, REQUEST), "{found.message}", "{found.at}", checked=CHECKED,
    remedy=remedies.VALUE,
    wrong=SAMPLES.at("messages.1.content.0.input", '{"city": "Oslo"}'),
    right=SAMPLES.at("messages.1.content.0.input", {"city": "Oslo"}),
    reported={SOURCE: "json: cannot unmarshal"})
BOOK.row("ollama/anthropic-model-missing", "The request names no model.",
    ANY_PARAMETER, lambda body: not body.get("model"), "model is required", "model", checked=CHECKED,
    remedy=remedies.MODEL_NAME,
    wrong=SAMPLES.at("model", MISSING), right=SAMPLES.at("model", MODEL),
    reported={SOURCE: "..."})
BOOK.row("ollama/anthropic-max-tokens", "`max_tokens` is missing, or not positive.",
    ANY_PARAMETER, lambda body: (body.get("max_tokens") or 0) <= 0, "max_tokens is required and must be positive",
    "max_tokens", checked=CHECKED, remedy=remedies.MAX_TOKENS,
    wrong=SAMPLES.at("max_tokens", 0), right=SAMPLES.at("max_tokens", 16),
    reported={SOURCE: "..."})
BOOK.row("ollama/anthropic-messages-empty", "`messages` is an empty list.",
    ANY_PARAMETER, lambda body: not body["messages"], "messages is required", "messages", checked=CHECKED,
    remedy=remedies.CONVERSATION,
    wrong={**sample(MODEL), "messages": []}, right=sample(MODEL),
    reported={SOURCE: "..."})
BOOK.row("ollama/anthropic-call-incomplete", "A call has no id, or no name.",
    PART,
    lambda one: one.get("type") == "tool_use" and next((name for name in ("id", "name") if not one.get(name)), ""),
    "tool_use block missing required '{found}' field", ".{found}", checked=CHECKED,
    remedy=Remedy("calls", "Give each call in the history its id and its name, those that came with it."),
    wrong=SAMPLES.at("messages.1.content.0.id", ""), right=SAMPLES.at("messages.1.content.0.id", "toolu_1"),
    reported={SOURCE: "tool_use block missing required 'id' field"})
BOOK.row("ollama/anthropic-image-source", "A picture has no source.",
    PART, lambda one: one.get("type") == "image" and not one.get("source"), "invalid image source", checked=CHECKED,
    remedy=Remedy("pictures", "Send a picture with its source, as base64."),
    wrong=_shown(), right=_shown(source={"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}),
    reported={SOURCE: "..."})
BOOK.row("ollama/anthropic-no-tools",
    "There are tools and the model does not support them; an empty list counts as none.",
    ANY_PARAMETER, lambda context: tools_unsupported(context, context.body.get("tools")),
    models="those of `ollama/no-tools`", checked=CHECKED, remedy=remedies.TOOL_MODEL,
    wrong=sample("gemma3:4b", tools=TOOLS), right=sample(MODEL, tools=TOOLS),
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
