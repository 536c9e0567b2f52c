"""What OpenAI looks at last of all: that every message has content, or what stands for it."""

from typing import Final

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_chat.errors import envelope
from fakes.wires.openai_chat.rules.samples import USER, asking, probed
from fakes.wires.openai_shared.item_rules import ItemRules
from fakes.wires.openai_shared.wording import breach

ITEM_RULES = ItemRules(envelope, "messages")

INSTEAD: Final = ("tool_calls", "function_call", "refusal", "audio")
"""What an assistant's message may have in place of content; null does not count, and an empty text is content."""


@ITEM_RULES.rule(
    "openai/content-null",
    why="a message has no content, or null, and nothing in its place",
    confidence="recorded",
    evidence=probed("a bad role at a later index beats a missing content at an earlier one"),
    breaking=asking(USER, {"role": "assistant", "content": None}),
    accepted=asking(USER, {"role": "assistant", "content": ""}),
)
def _content_null(context: RequestContext) -> Breach | None:
    message = context.body.value
    if message.get("content") is not None:
        return None
    if message["role"] == "assistant" and any(message.get(key) is not None for key in INSTEAD):
        return None
    sentence = "Invalid value for 'content': expected a string, got null."
    return breach(f"messages.[{context.body.index}].content", sentence)
