"""The rule that OpenAI checks last of all: every message has content or a substitute for it."""

from typing import Final

from fake_providers.rulebook import Breach, RequestContext
from fake_providers.wires.openai_chat.rules.samples import USER, cite_probe, sample_request
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.item_rules import ItemRules
from fake_providers.wires.openai_shared.wording import breach

ITEM_RULES = ItemRules(envelope, "messages")

CONTENT_SUBSTITUTES: Final = ("tool_calls", "function_call", "refusal", "audio")
"""What an assistant message may have instead of content. Null does not count; an empty text is content."""


@ITEM_RULES.rule(
    "openai/content-null",
    why="A message has no content, or null, and no substitute for it.",
    confidence="recorded",
    evidence=cite_probe("a bad role at a later index beats a missing content at an earlier one"),
    breaking=sample_request(USER, {"role": "assistant", "content": None}),
    accepted=sample_request(USER, {"role": "assistant", "content": ""}),
)
def _content_null(context: RequestContext) -> Breach | None:
    message = context.body.value
    if message.get("content") is not None:
        return None
    if message["role"] == "assistant" and any(message.get(key) is not None for key in CONTENT_SUBSTITUTES):
        return None
    sentence = "Invalid value for 'content': expected a string, got null."
    return breach(f"messages.[{context.body.index}].content", sentence)
