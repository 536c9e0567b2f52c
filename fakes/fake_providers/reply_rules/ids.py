"""What ids providers never give to calls."""

import re
from typing import Any

from fake_providers.reply import Call, Reply
from fake_providers.reply_rules.book import ReplyBook, Sample, Sending, Where
from fake_providers.reply_rules.calls import (
    ANTHROPIC_MESSAGES,
    CLAUDE,
    ONE,
    OPENAI,
    OPENAI_CALLING,
    OPENAI_CHAT,
    everywhere,
)

BOOK = ReplyBook()

RECORDED_CHAT: Where = {
    "openai-chat": ("openai", "azure", "deepseek", "groq", "mistral", "xai", "cerebras", "dashscope"),
    "openai-responses": ("openai", "azure", "xai"),
}
"""Whose calls are recorded."""


def _without_id(sending: Sending) -> Any:
    if "functions" in sending.body:  # of 2023, whose calls have no ids
        return None
    return next((call.name for call in sending.reply.calls if not call.id), None)


BOOK.row(
    "call-without-an-id",
    "A call has an id.",
    everywhere(RECORDED_CHAT, CLAUDE, {"cohere-chat": ("cohere",)}),
    _without_id,
    "{provider} sends each call with an id, and the call of {found} has none",
    instead="An id of the provider's own.",
    wrong=Sample(Reply(calls=(Call("look_up", {"word": "pear"}, id=None),))),
    right=Sample(Reply(calls=(ONE,))),
    elsewhere=True,
    recorded={
        OPENAI_CHAT: "id: string. The ID of the tool call.",
        "https://github.com/langchain-ai/langchain/issues/40608": "Local servers leave ids out.",
    },
)


BEGINNINGS = {
    "openai": "call_",
    "azure": "call_",
    "deepseek": "call_",
    "anthropic": "toolu_",
    "bedrock": "tooluse_",
}
"""With which the id of each call begins, of the providers whose recorded calls all begin alike."""


def _ids(sending: Sending) -> list[str]:
    """Those that the script gives; where it gives none, the provider makes one."""
    return [call.id for call in sending.reply.calls if isinstance(call.id, str) and call.id]


def _foreign_id(sending: Sending) -> Any:
    beginning = BEGINNINGS[sending.provider]
    foreign = next((id for id in _ids(sending) if not id.startswith(beginning)), None)
    return foreign and f"`{beginning}`, and this one is {foreign}"


BOOK.row(
    "id-of-another-form",
    "The ids of calls begin as the provider begins each: `call_`, `toolu_`, `tooluse_`.",
    {
        "openai-chat": ("openai", "azure", "deepseek"),
        "openai-responses": ("openai", "azure", "deepseek"),
        "anthropic-messages": ("anthropic",),
        "bedrock-converse": ("bedrock",),
    },
    _foreign_id,
    "the ids of {provider}'s calls begin with {found}",
    instead="An id of this form.",
    wrong=Sample(Reply(calls=(Call("look_up", {"word": "pear"}, id="look_up:0"),))),
    right=Sample(Reply(calls=(Call("look_up", {"word": "pear"}, id="call_0"),))),
    elsewhere=True,
    recorded={
        OPENAI_CALLING: "call_12345xyz",
        ANTHROPIC_MESSAGES: "toolu_01D7FLrfh4GYq7yT1ULFeyMV",
        "https://github.com/crmne/ruby_llm": "18 recorded calls of Bedrock's Converse begin with `tooluse_`, and 24 of "
        "DeepSeek with `call_`, there and elsewhere.",
    },
)


NINE = re.compile(r"[a-zA-Z0-9]{9}")


def _not_nine(sending: Sending) -> Any:
    return next((id for id in _ids(sending) if not NINE.fullmatch(id)), None)


BOOK.row(
    "id-of-more-or-less-than-nine",
    "The ids of Mistral's calls are nine letters and digits.",
    {"openai-chat": ("mistral",)},
    _not_nine,
    "the ids of {provider}'s calls are nine letters and digits, and this one is {found}",
    instead="An id of this form.",
    wrong=Sample(Reply(calls=(Call("look_up", {"word": "pear"}, id="call_0"),))),
    right=Sample(Reply(calls=(Call("look_up", {"word": "pear"}, id="a1B2c3D4e"),))),
    elsewhere=True,
    recorded={
        "https://github.com/crmne/ruby_llm": "All 10 recorded calls whose ids were not taken out, there and elsewhere."
    },
)


def _twice(sending: Sending) -> Any:
    """An id that two calls of the reply have, or that a call of the conversation has."""
    before = sending.view.messages if sending.view is not None else ()
    known = {call.id for message in before for call in message.calls}
    for call in sending.reply.calls:
        if isinstance(call.id, str) and call.id in known:
            return call.id
        known.add(call.id if isinstance(call.id, str) else None)
    return None


BOOK.row(
    "id-that-comes-twice",
    "No two calls of a conversation have one id.",
    everywhere(OPENAI, CLAUDE),
    _twice,
    "{provider} gives each call an id of its own, and {found} comes twice",
    instead="Another id for each call.",
    wrong=Sample(Reply(calls=tuple(Call("look_up", {"word": word}, id="call_1") for word in ("pear", "fig")))),
    right=Sample(Reply(calls=tuple(Call("look_up", {"word": word}, id=f"call_{word}") for word in ("pear", "fig")))),
    elsewhere=True,
    recorded={ANTHROPIC_MESSAGES: "A unique identifier for this particular tool use block."},
)
