"""The envelope and the rules of Ollama's `/v1/chat/completions`, which turns a request into one of `/api/chat`.

Unlike `/api/chat`, it reads parts of a content and arguments as text.
"""

from dataclasses import replace
from typing import Any, Final

from fake_providers.providers.shared.chat_reading import listed, messages
from fake_providers.providers.shared.unread_body import MESSAGES, refuse_unread
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.ollama_chat.model_names import parse_name
from fake_providers.wires.openai_chat.rules.samples import TOOL, USER, cite, sample_request

MODEL: Final = "qwen3:8b"
CHECKED: Final = "2026-11-22"
KINDS: Final = {400: "invalid_request_error", 404: "not_found_error"}
SOURCE: Final = "ollama/ollama openai/openai.go and middleware/openai.go"


def error_body(message: str, status: int = 400) -> dict[str, Any]:
    kind = KINDS.get(status, "api_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def envelope(rule: Rule, found: Breach, _context: RequestContext) -> Any:
    return error_body(found.message, rule.status)


BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "ollama",
    replace(MESSAGES, rules="chat-"),
    model=MODEL,
    not_json=Breach("body", "unexpected EOF"),
    missing=lambda body: Breach("messages", "[] is too short - 'messages'"),
    source=SOURCE,
)


@BOOK.rule(
    "ollama/chat-content-part",
    why="A part of a content is no object, such as a bare text.",
    confidence="recorded",
    evidence=cite("recording, mistral-small3.1, of crmne/ruby_llm", "invalid message format"),
    breaking=sample_request({**USER, "content": ["Hello"]}, model=MODEL),
    accepted=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}, model=MODEL),
    checked=CHECKED,
)
def _content_part(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        for number, part in enumerate(listed(message.get("content"))):
            if not isinstance(part, dict):
                return Breach(f"messages[{index}].content[{number}]", "invalid message format")
    return None


@BOOK.rule(
    "ollama/chat-no-tools",
    why="There are tools and the model does not support them; an empty list counts as none.",
    models="those of `ollama/no-tools`",
    confidence="inferred",
    evidence=cite("deduced from `ollama/no-tools`: both paths lead to one handler"),
    breaking=sample_request(model="gemma3:4b", tools=[TOOL]),
    accepted=sample_request(model=MODEL, tools=[TOOL]),
    checked=CHECKED,
)
def _no_tools(context: RequestContext) -> Breach | None:
    name = parse_name(context.model)
    if name is None or "no-tools" not in context.traits or not context.body.get("tools"):
        return None
    return Breach("tools", f"{name.full} does not support tools")
