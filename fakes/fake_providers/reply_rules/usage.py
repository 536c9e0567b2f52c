"""What providers never count: cached tokens where nothing is cached, reasoning of models that do not reason."""

import re
from collections.abc import Mapping
from typing import Any

from fake_providers.reply import Reply, Usage
from fake_providers.reply_rules.book import ReplyBook, Sample, Sending

BOOK = ReplyBook()

LEAST_CACHED = 1024
"""Of how many tokens a prompt has to be at OpenAI before a part of it is cached."""
DO_NOT_REASON = re.compile(r"(gpt-3\.5|gpt-4|chatgpt-4o)")
"""OpenAI's models that count no reasoning."""


def _asks(model: str, **members: Any) -> Mapping[str, Any]:
    return {"model": model, "max_tokens": 4000, "messages": [{"role": "user", "content": "Which?"}], **members}


def _counted(**tokens: int) -> Reply:
    return Reply(text="A pear.", usage=Usage(**tokens))


def _cached(sending: Sending) -> int:
    return (sending.reply.usage and sending.reply.usage.cached) or 0


def _cached_of_little(sending: Sending) -> Any:
    usage = sending.reply.usage
    return usage is not None and _cached(sending) and (usage.input or 0) < LEAST_CACHED and usage.input


BOOK.row(
    "cached-tokens-of-a-short-prompt",
    "OpenAI caches nothing of a prompt of fewer than 1024 tokens.",
    {"openai-chat": ("openai",), "openai-responses": ("openai",)},
    _cached_of_little,
    "{provider} caches prompts of 1024 tokens or more, and this reply says that some of {found} were cached",
    instead="The same reply without cached tokens.",
    hides="cached",
    wrong=Sample(_counted(input=900, cached=512)),
    right=Sample(_counted(input=2000, cached=512)),
    elsewhere=True,
    documented={
        "https://developers.openai.com/api/docs/guides/prompt-caching": "Caching is available for prompts containing "
        "1024 tokens or more.",
    },
)


def _cached_unasked(sending: Sending) -> Any:
    assert sending.view is not None
    mark = b"cachePoint" if sending.wire == "bedrock-converse" else b"cache_control"
    is_claude = "claude" in sending.view.model
    return is_claude and sending.request is not None and mark not in sending.request.body and _cached(sending)


BOOK.row(
    "cached-tokens-that-are-not-asked-for",
    "Of Claude's prompt only that is cached which the request marks.",
    {"anthropic-messages": ("anthropic",), "bedrock-converse": ("bedrock",)},
    _cached_unasked,
    "{provider} caches what the request marks, and this one marks nothing; the reply says that {found} tokens were "
    "cached",
    instead="The same reply without cached tokens.",
    hides="cached",
    wrong=Sample(_counted(input=6000, cached=5000), _asks("claude-sonnet-4-6")),
    right=Sample(_counted(input=6000, cached=5000), _asks("claude-sonnet-4-6", cache_control={"type": "ephemeral"})),
    elsewhere=True,
    recorded={
        "https://platform.claude.com/docs/en/build-with-claude/prompt-caching": "164 recorded replies to requests "
        "without `cache_control` count no cached tokens, and 59 of Bedrock without a cache point.",
    },
)


def _reasons(sending: Sending) -> Any:
    assert sending.view is not None
    bare = sending.view.model.rpartition("/")[2]
    counted = sending.reply.usage and sending.reply.usage.reasoning
    return counted and DO_NOT_REASON.match(bare) and f"{counted} of {bare}"


BOOK.row(
    "reasoning-of-a-model-that-does-not-reason",
    "OpenAI counts no reasoning of GPT-3.5, GPT-4, GPT-4o and GPT-4.1.",
    {"openai-chat": ("openai",), "openai-responses": ("openai",)},
    _reasons,
    "{provider} counts reasoning of models that reason, and this reply has {found}",
    instead="The same reply without tokens of reasoning.",
    wrong=Sample(_counted(output=90, reasoning=64), _asks("gpt-4.1")),
    right=Sample(_counted(output=90, reasoning=64), _asks("gpt-5-mini")),
    elsewhere=True,
    recorded={
        "https://developers.openai.com/api/docs/guides/reasoning": "79 recorded replies of these models count none, "
        "and 33 of GPT-5 and o4-mini do.",
    },
)
