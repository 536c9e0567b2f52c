"""The rules of llama.cpp's `/v1/messages`, which turns a request into one of chat completions, and reads little of it.

It needs no `max_tokens`, takes what it does not know, and takes nothing for a member of another type than it expects.
"""

from typing import Any, Final

from fake_providers.providers.llama_cpp.chat_rules import MODEL, error_body
from fake_providers.providers.shared.chat_reading import refuse_unread
from fake_providers.providers.shared.messages_rules import CONVERSATION, conversation, samples
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import cite

CHECKED: Final = "2026-11-23"
SOURCE: Final = "ggml-org/llama.cpp tools/server/server-chat.cpp"
SAMPLES: Final = samples(MODEL)


def envelope(rule: Rule, found: Breach, _context: RequestContext) -> Any:
    kind = "server_error" if rule.status >= 500 else "invalid_request_error"
    return error_body(found.message, rule.status, kind)


BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "llama.cpp",
    CONVERSATION,
    model=MODEL,
    not_json=Breach("body", "[json.exception.parse_error.101] parse error: syntax error while parsing value"),
    missing=lambda body: Breach("messages", "'messages' is required"),
    source=SOURCE,
)


@BOOK.rule(
    "llama.cpp/anthropic-content-type",
    why="The content of a message is neither a string nor a list of blocks.",
    confidence="reported",
    evidence=cite(SOURCE, "Expected 'content' to be a string or an array"),
    breaking=SAMPLES.at("messages.0.content", {"text": "Hello"}),
    accepted=SAMPLES.at("messages.0.content", "Hello"),
    checked=CHECKED,
)
def _content_type(context: RequestContext) -> Breach | None:
    for index, message in conversation(context):
        content = message.get("content", "")
        if content is not None and not isinstance(content, str | list):
            sentence = "Failed to parse messages: Expected 'content' to be a string or an array"
            return Breach(f"messages[{index}].content", sentence)
    return None


@BOOK.rule(
    "llama.cpp/anthropic-content-missing",
    why="A message of the user has no content.",
    confidence="reported",
    evidence=cite(SOURCE, "All non-assistant messages must contain 'content'"),
    breaking={"model": MODEL, "messages": [{"role": "user"}]},
    accepted={"model": MODEL, "messages": [{"role": "user", "content": "Hello"}]},
    checked=CHECKED,
)
def _content_missing(context: RequestContext) -> Breach | None:
    for index, message in conversation(context):
        if "content" not in message and message.get("role") != "assistant":
            return Breach(f"messages[{index}].content", "All non-assistant messages must contain 'content'")
    return None


@BOOK.rule(
    "llama.cpp/anthropic-role-missing",
    why="A message has no role.",
    confidence="reported",
    evidence=cite(SOURCE, "Missing 'role' in message"),
    breaking={"model": MODEL, "messages": [{"content": "Hello"}]},
    accepted={"model": MODEL, "messages": [{"content": "Hello", "role": "user"}]},
    checked=CHECKED,
)
def _role_missing(context: RequestContext) -> Breach | None:
    for index, message in conversation(context):
        if "role" not in message and isinstance(message.get("content"), str):
            return Breach(f"messages[{index}].role", "Failed to parse messages: Missing 'role' in message")
    return None


@BOOK.rule(
    "llama.cpp/anthropic-two-assistants",
    why="The last two messages are both assistant messages.",
    confidence="inferred",
    evidence=cite("deduced from `llama.cpp/two-assistants`: both paths lead to one handler"),
    breaking={
        "model": MODEL,
        "messages": [{"role": "assistant", "content": "It is"}, {"role": "assistant", "content": "raining."}],
    },
    accepted={
        "model": MODEL,
        "messages": [{"role": "user", "content": "It is"}, {"role": "assistant", "content": "raining."}],
    },
    checked=CHECKED,
)
def _two_assistants(context: RequestContext) -> Breach | None:
    last = conversation(context)[-2:]
    if [message.get("role") for _, message in last] != ["assistant", "assistant"]:
        return None
    return Breach(f"messages[{last[1][0]}]", "Cannot have 2 or more assistant messages at the end of the list.")
