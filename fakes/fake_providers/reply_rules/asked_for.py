"""What a provider sends only where the request asks for it: thinking of Claude and Gemini, tools that it runs."""

import re
from collections.abc import Mapping
from typing import Any

from fake_providers.reply import Reply, ServerCall
from fake_providers.reply_rules.book import ReplyBook, Sample, Sending

BOOK = ReplyBook()

ASKED_TO_THINK = re.compile(r"claude-(3|opus-4|sonnet-4|haiku-4)")
"""Claude's models that think only if they are asked to; the later ones think unless they are asked not to."""


def _thinks_unasked(sending: Sending) -> Any:
    assert sending.view is not None
    thinks = sending.reply.thought_blocks and ASKED_TO_THINK.search(sending.view.model)
    return thinks and not sending.view.thinks


def _asks_claude(**members: Any) -> Mapping[str, Any]:
    asked = {"model": "claude-sonnet-4-6", "max_tokens": 4000, "messages": [{"role": "user", "content": "Which?"}]}
    return {**asked, **members}


THOUGHT = Reply(text="A pear.", thinking="It is a fruit.")
BOOK.row(
    "thinking-that-is-not-asked-for",
    "Claude up to 4.8 shows its thinking where the request has `thinking`.",
    {"anthropic-messages": ("anthropic",)},
    _thinks_unasked,
    "{provider} sends thinking of this model where the request has `thinking`, and this one has none",
    instead="The same reply without its thinking.",
    hides="thinking",
    wrong=Sample(THOUGHT, _asks_claude()),
    right=Sample(THOUGHT, _asks_claude(thinking={"type": "enabled", "budget_tokens": 2000})),
    elsewhere=True,
    recorded={
        "https://platform.claude.com/docs/en/build-with-claude/thinking": "Where it is off by default, set thinking to "
        "turn it on.",
    },
)


def _shows_thoughts(sending: Sending) -> bool:
    config = sending.body.get("generationConfig", sending.body.get("generation_config"))
    thinking = config.get("thinkingConfig", config.get("thinking_config")) if isinstance(config, dict) else None
    asked = (thinking.get("includeThoughts"), thinking.get("include_thoughts")) if isinstance(thinking, dict) else ()
    return any(asked)


BOOK.row(
    "thoughts-that-are-not-asked-for",
    "Gemini shows its thoughts where the request has `includeThoughts`.",
    {"gemini-generate": ("gemini", "vertex")},
    lambda sending: sending.reply.thought_blocks and not _shows_thoughts(sending),
    "{provider} sends thoughts where the request has `includeThoughts`, and this one has none",
    instead="The same reply without its thoughts.",
    hides="words",
    wrong=Sample(THOUGHT, {"contents": [{"role": "user", "parts": [{"text": "Which?"}]}]}),
    right=Sample(
        THOUGHT,
        {
            "contents": [{"role": "user", "parts": [{"text": "Which?"}]}],
            "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
        },
    ),
    elsewhere=True,
    recorded={
        "https://ai.google.dev/gemini-api/docs/thinking": "44 recorded replies with thoughts answer requests with "
        "`includeThoughts`, and 118 without it have none.",
    },
)


SEARCH = ServerCall("web_search", {"query": "pears"}, "A pear is a fruit.")


def has_own_tools(sending: Sending) -> bool:
    """Whether the request has tools that the provider runs, or servers of them."""
    tools = sending.body.get("tools")
    kinds = [tool.get("type", "custom") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return bool(sending.body.get("mcp_servers")) or not set(kinds) <= {"custom", "function"}


def _own_call(sending: Sending) -> Any:
    called = next((f"calls {call.name}" for call in sending.reply.server_calls), None)
    found = called or (sending.reply.finish == "pause" and "pauses for one")
    return found and not has_own_tools(sending) and found


BOOK.row(
    "tool-of-the-provider-that-is-not-asked-for",
    "A provider runs a tool of its own, or pauses for one, where the request has such a tool.",
    {"anthropic-messages": ("anthropic",), "openai-responses": ("openai",)},
    _own_call,
    "{provider} runs tools of its own where the request has them; this one has none, and the reply {found}",
    instead="An answer, or a call of a tool of the request.",
    wrong=Sample(Reply(text="A pear.", server_calls=(SEARCH,)), _asks_claude()),
    right=Sample(
        Reply(text="A pear.", server_calls=(SEARCH,)),
        _asks_claude(tools=[{"type": "web_search_20250305", "name": "web_search"}]),
    ),
    elsewhere=True,
    recorded={
        "https://github.com/maruel/genai": "All recorded replies with a call of a tool of the provider, there and in "
        "pydantic-ai's cassettes, answer a request that has the tool.",
    },
)
