"""llama.cpp's `/v1/messages`, which turns a request into one of chat completions, and reads little of it.

It needs no `max_tokens`, takes what it does not know, and takes nothing for a member of another type than it expects,
but for the parameters that it passes on.
Envelope and ids are those of its chat completions.
"""

from typing import Final

from fake_providers.models import families_of
from fake_providers.providers.llama_cpp.chat import (
    KINDS,
    MODEL,
    ONLY_PARAMETERS,
    PARAMETERS,
    SCHEMA,
    error_body,
    wrong_parameter,
)
from fake_providers.providers.shared.chat_reading import refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.types_elsewhere import CONVERSATION, RULES_OF_MESSAGES, conversation, samples
from fake_providers.replies.documents import ByStatus
from fake_providers.rulebook import ANY_MESSAGE, NEAR_MESSAGES, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_shared.provider_errors import bodiless_rule
from fake_providers.wires.openai_shared.request_body import body_of

CHECKED: Final = "2026-11-23"
SOURCE: Final = "ggml-org/llama.cpp tools/server/server-chat.cpp"
SAMPLES: Final = samples(MODEL)


BOOK = Rulebook(error_body.but(type=ByStatus({500: "server_error"}, "invalid_request_error")).refusal)

refuse_unread(
    BOOK,
    "llama.cpp",
    CONVERSATION,
    model=MODEL,
    not_json=Breach("body", "[json.exception.parse_error.101] parse error: syntax error while parsing value"),
    missing=lambda body: Breach("messages", "'messages' is required"),
    source=SOURCE,
)
refuse_wrong_types(
    BOOK,
    "llama.cpp",
    Dialect(
        words=wrong_parameter,
        source=SOURCE,
        members=PARAMETERS,
        known={"parameter-type": ("reported", SCHEMA)},
    ),
    SAMPLES,
    prefix="anthropic-",
    rules=ONLY_PARAMETERS,
    table=RULES_OF_MESSAGES,
)


def _content_type(context: RequestContext) -> Breach | None:
    for index, message in conversation(context):
        content = message.get("content", "")
        if content is not None and not isinstance(content, str | list):
            sentence = "Failed to parse messages: Expected 'content' to be a string or an array"
            return Breach(f"messages[{index}].content", sentence)
    return None


def _content_missing(context: RequestContext) -> Breach | None:
    for index, message in conversation(context):
        if "content" not in message and message.get("role") != "assistant":
            return Breach(f"messages[{index}].content", "All non-assistant messages must contain 'content'")
    return None


def _role_missing(context: RequestContext) -> Breach | None:
    for index, message in conversation(context):
        if "role" not in message and isinstance(message.get("content"), str):
            return Breach(f"messages[{index}].role", "Failed to parse messages: Missing 'role' in message")
    return None


def _two_assistants(context: RequestContext) -> Breach | None:
    last = conversation(context)[-2:]
    if [message.get("role") for _, message in last] != ["assistant", "assistant"]:
        return None
    return Breach(f"messages[{last[1][0]}]", "Cannot have 2 or more assistant messages at the end of the list.")


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


# A table: two rows are to be compared.
# fmt: off
BOOK.row("llama.cpp/anthropic-content-type", "The content of a message is neither a string nor a list of blocks.",
    ANY_MESSAGE, _content_type, checked=CHECKED,
    wrong=SAMPLES.at("messages.0.content", {"text": "Hello"}), right=SAMPLES.at("messages.0.content", "Hello"),
    reported={SOURCE: "Expected 'content' to be a string or an array"})
BOOK.row("llama.cpp/anthropic-content-missing", "A message of the user has no content.",
    ANY_MESSAGE, _content_missing, checked=CHECKED,
    wrong={"model": MODEL, "messages": [{"role": "user"}]},
    right={"model": MODEL, "messages": [{"role": "user", "content": "Hello"}]},
    reported={SOURCE: "All non-assistant messages must contain 'content'"})
BOOK.row("llama.cpp/anthropic-role-missing", "A message has no role.",
    ANY_MESSAGE, _role_missing, checked=CHECKED,
    wrong={"model": MODEL, "messages": [{"content": "Hello"}]},
    right={"model": MODEL, "messages": [{"content": "Hello", "role": "user"}]},
    reported={SOURCE: "Missing 'role' in message"})
BOOK.row("llama.cpp/anthropic-two-assistants", "The last two messages are both assistant messages.",
    NEAR_MESSAGES, _two_assistants, checked=CHECKED,
    wrong={"model": MODEL,
        "messages": [{"role": "assistant", "content": "It is"}, {"role": "assistant", "content": "raining."}]},
    right={"model": MODEL,
        "messages": [{"role": "user", "content": "It is"}, {"role": "assistant", "content": "raining."}]},
    inferred={"deduced from `llama.cpp/two-assistants`: both paths lead to one handler": ""})
# fmt: on


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
    ),
    too_long=lambda tokens, window: (
        f"request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it"
    ),
    body_of=body_of,
    envelope=error_body.but(type=ByStatus(KINDS, "invalid_request_error")),
    sentences=SENTENCES,
)
