"""What the servers share that offer Anthropic's Messages beside their own wire. Knows no provider."""

from dataclasses import replace
from typing import Any, Final

from fake_providers.providers.shared.chat_reading import MESSAGES, ConversationMember, PlacedItem, listed
from fake_providers.providers.shared.types_elsewhere import MessageSamples
from fake_providers.rulebook import RequestContext

CONVERSATION: Final[ConversationMember] = replace(MESSAGES, rules="anthropic-")
REQUIRED: Final = ("messages[].role", "messages[].content", "tools[].name")


def blocks(context: RequestContext, kind: str) -> list[tuple[str, dict[str, Any]]]:
    """Each block of this type, with its place."""
    return [
        (f"messages[{index}].content[{number}]", block)
        for index, message in enumerate(listed(context.body.get("messages")))
        if isinstance(message, dict)
        for number, block in enumerate(listed(message.get("content")))
        if isinstance(block, dict) and block.get("type") == kind
    ]


def conversation(context: RequestContext) -> list[PlacedItem]:
    """Each message that is an object, with its index."""
    return [(i, one) for i, one in enumerate(listed(context.body.get("messages"))) if isinstance(one, dict)]


def sample(model: str, *messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    hello = {"role": "user", "content": "Hello"}
    return {"model": model, "max_tokens": 16, "messages": list(messages) or [hello], **fields}


def samples(model: str) -> MessageSamples:
    return MessageSamples(model)
