"""llama.cpp's `/v1/messages`, which turns a request into one of chat completions, and reads little of it.

It needs no `max_tokens`, takes what it does not know, and takes nothing for a member of another type than it expects,
but for the parameters that it passes on.
Envelope and ids are those of its chat completions.
"""

from typing import Any, Final

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.llama_cpp.llama_cpp_chat import (
    KINDS,
    MODEL,
    NOT_JSON,
    ONLY_PARAMETERS,
    PARAMETERS,
    SCHEMA,
    TWO_ASSISTANTS,
    error_body,
    wrong_parameter,
)
from fake_providers.providers.shared.chat_reading import LAST, MESSAGE, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.member_types_other_wires import CONVERSATION, RULES_OF_MESSAGES, samples
from fake_providers.replies.documents import ByStatus
from fake_providers.rulebook import Breach, Rulebook, bodiless_rule
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_shared.request_body import body_of

CHECKED: Final = "2026-11-23"
SOURCE: Final = "ggml-org/llama.cpp tools/server/server-chat.cpp"
SAMPLES: Final = samples(MODEL)


BOOK = Rulebook(error_body.but(type=ByStatus({500: "server_error"}, "invalid_request_error")).refusal)
refuse_unread(BOOK, "llama.cpp", CONVERSATION, model=MODEL, not_json=NOT_JSON,
    missing=lambda body: Breach("messages", "'messages' is required"), source=SOURCE)  # fmt: skip
refuse_wrong_types(BOOK, "llama.cpp",
    Dialect(words=wrong_parameter, source=SOURCE, members=PARAMETERS, known={"parameter-type": ("reported", SCHEMA)}),
    SAMPLES, prefix="anthropic-", rules=ONLY_PARAMETERS, table=RULES_OF_MESSAGES)  # fmt: skip

LEFT_OUT = frozenset(
    [
        "stop_details",
        "caller",
        "service_tier",
        "inference_geo",
        "cache_creation",
        "cache_creation_input_tokens",
        "output_tokens_details",
    ]
)
SENTENCES = {401: "Invalid API Key", 500: "Compute error.", 503: "Loading model"}


def _said(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"model": MODEL, "messages": list(messages)}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("llama.cpp/anthropic-content-type", "The content of a message is neither a string nor a list of blocks.",
    MESSAGE, lambda one: not isinstance(one.get("content"), str | list | None),
    "Failed to parse messages: Expected 'content' to be a string or an array", ".content", checked=CHECKED,
    remedy=remedies.CONTENT_SHAPE,
    wrong=SAMPLES.at("messages.0.content", {"text": "Hello"}), right=SAMPLES.at("messages.0.content", "Hello"),
    reported={SOURCE: "Expected 'content' to be a string or an array"})
BOOK.row("llama.cpp/anthropic-content-missing", "A message of the user has no content.",
    MESSAGE, lambda one: "content" not in one and one.get("role") != "assistant",
    "All non-assistant messages must contain 'content'", ".content", checked=CHECKED, remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=_said({"role": "user"}), right=_said({"role": "user", "content": "Hello"}),
    reported={SOURCE: "..."})
BOOK.row("llama.cpp/anthropic-role-missing", "A message has no role.",
    MESSAGE, lambda one: "role" not in one and isinstance(one.get("content"), str),
    "Failed to parse messages: Missing 'role' in message", ".role", checked=CHECKED, remedy=remedies.ROLE_OF_MESSAGE,
    wrong=_said({"content": "Hello"}), right=_said({"content": "Hello", "role": "user"}),
    reported={SOURCE: "Missing 'role' in message"})
BOOK.row("llama.cpp/anthropic-two-assistants", "The last two messages are both assistant messages.",
    LAST, lambda one, before: one.get("role") == before.get("role") == "assistant", TWO_ASSISTANTS, checked=CHECKED,
    remedy=remedies.MERGE_ROLES,
    wrong=_said({"role": "assistant", "content": "It is"}, {"role": "assistant", "content": "raining."}),
    right=_said({"role": "user", "content": "It is"}, {"role": "assistant", "content": "raining."}),
    inferred={"deduced from `llama.cpp/two-assistants`: both paths lead to one handler": ""})

PROVIDER = Provider(
    name="llama.cpp",
    base_path="",
    books=(BOOK,),
    traits=families_of("anthropic-messages", "llama.cpp"),
    answers=Answers(id=lambda ids: ids.make("chatcmpl-", 32), call_id=lambda ids: ids.make("", 32), left_out=LEFT_OUT),
    window=bodiless_rule(
        "llama.cpp/anthropic-context-length",
        status=400,
        why="The conversation is longer than the context window that the server was started with.",
        reported={"recording of chat completions, Qwen3-1.7B": "exceeds the available context size (512 tokens)"},
        remedy=remedies.SHORTEN),
    too_long=lambda tokens, window: (
        f"request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"),
    body_of=body_of,
    envelope=error_body.but(type=ByStatus(KINDS, "invalid_request_error")),
    sentences=SENTENCES)
# fmt: on
