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


FAMILIES = ("code_execution", "tool_search_tool")
"""Tools of Anthropic whose calls have names of their own: `bash_code_execution`."""


def own_kinds(sending: Sending) -> set[str]:
    """The types of the tools in the request that the provider runs."""
    tools = sending.body.get("tools")
    kinds = (
        {str(tool.get("type", "custom")) for tool in tools if isinstance(tool, dict)} if isinstance(tools, list) else {}
    )
    return {*kinds} - {"custom", "function"}


def _servers(sending: Sending) -> set[Any]:
    """The names of the MCP servers in the request: Anthropic's, and OpenAI's among the tools."""
    listed = [*_listed(sending.body.get("mcp_servers")), *_listed(sending.body.get("tools"))]
    return {server.get("server_label", server.get("name")) for server in listed if server.get("type") in ("url", "mcp")}


def _listed(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _is_offered(call: ServerCall, sending: Sending) -> bool:
    if call.server is not None:
        return call.server in _servers(sending)
    families = [family for family in FAMILIES if family in call.name]
    return any(kind.startswith((call.name, *families)) or call.name.startswith(kind) for kind in own_kinds(sending))


def _own_call(sending: Sending) -> Any:
    called = next((call.name for call in sending.reply.server_calls if not _is_offered(call, sending)), None)
    if called is not None:
        return f"calls {called}"
    has_own = own_kinds(sending) or sending.body.get("mcp_servers")
    return sending.reply.finish == "pause" and not has_own and "pauses for one"


BOOK.row(
    "tool-of-the-provider-that-is-not-asked-for",
    "A provider runs a tool of its own, or of an MCP server, or pauses for one, where the request has it.",
    {"anthropic-messages": ("anthropic",), "openai-responses": ("openai",)},
    _own_call,
    "{provider} runs those of its own tools that the request has; this one has none such, and the reply {found}",
    instead="An answer, or a call of a tool of the request.",
    wrong=Sample(Reply(text="A pear.", server_calls=(SEARCH,)), _asks_claude()),
    right=Sample(
        Reply(text="A pear.", server_calls=(SEARCH,)),
        _asks_claude(tools=[{"type": "web_search_20250305", "name": "web_search"}]),
    ),
    elsewhere=True,
    recorded={
        "https://github.com/maruel/genai": "All 23 recorded replies with a call of a tool of the provider, or of an "
        "MCP server, there and in pydantic-ai's cassettes, answer a request that has it.",
    },
)
