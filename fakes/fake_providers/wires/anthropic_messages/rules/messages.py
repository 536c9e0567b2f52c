"""Rules on `messages` and on the fields of each message."""

from collections.abc import Iterator
from typing import Any

from fake_providers.rule import Citation
from fake_providers.rulebook import (
    ALL_TOOLS,
    ANY_MESSAGE,
    ANY_PARAMETER,
    NEAR_MESSAGES,
    Breach,
    RequestContext,
    Rulebook,
)
from fake_providers.wires.anthropic_messages import conversation
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.samples import (
    SMALL,
    TOOL,
    assistant,
    measured,
    sample_request,
    text_block,
    user,
)
from fake_providers.wires.anthropic_messages.rules.tools import all_tools
from fake_providers.wires.anthropic_messages.rules.values import uses_newer_beta

BOOK = Rulebook(envelope)

ROLES = ("user", "assistant", "system")
KEYS = frozenset({"role", "content"})
SYSTEM_KEYS = KEYS | {"output_config", "clear_at"}
OLD_WORDS = "words-of-2025"
"""The trait of models whose recorded refusals, all of them older, have the sentences of that time."""


def messages_missing(context: RequestContext) -> Breach | None:
    return None if "messages" in context.body else Breach("messages", "messages: Field required")


def messages_type(context: RequestContext) -> Breach | None:
    listed = isinstance(context.body.get("messages"), list)
    return None if listed else Breach("messages", "messages: Input should be a valid array")


def messages_empty(context: RequestContext) -> Breach | None:
    return None if context.body["messages"] else Breach("messages", "messages: at least one message is required")


def message_type(context: RequestContext) -> Breach | None:
    for index, message in enumerate(context.body["messages"]):
        if not isinstance(message, dict):
            return Breach(f"messages.{index}", f"messages.{index}: {values.SHAPE}")
    return None


def role_missing(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        if "role" not in message:
            return Breach(f"messages.{index}.role", f"messages.{index}.role: {values.REQUIRED}")
    return None


def role_unknown(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        if message["role"] not in ROLES:
            return Breach(
                f"messages.{index}.role",
                f'messages: Unexpected role "{message["role"]}". Allowed roles are "user" or "assistant"',
            )
    return None


def content_missing(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        if "content" not in message:
            return Breach(f"messages.{index}.content", f"messages.{index}.content: {values.REQUIRED}")
    return None


def content_type(context: RequestContext) -> Breach | None:
    for index, message in conversation.messages(context):
        if not isinstance(message["content"], str | list):
            kind = "list" if OLD_WORDS in context.traits else "array"
            return Breach(f"messages.{index}.content", f"messages.{index}.content: Input should be a valid {kind}")
    return None


def message_extra_key(context: RequestContext) -> Breach | None:
    if uses_newer_beta(context.headers):
        return None
    for index, message in conversation.messages(context):
        key = values.unknown_key(message, SYSTEM_KEYS if message["role"] == "system" else KEYS)
        if key is not None:
            return Breach(f"messages.{index}.{key}", f"messages.{index}.{key}: {values.EXTRA}")
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/messages-missing", "The request has no `messages`.",
    ANY_PARAMETER, messages_missing,
    wrong=sample_request(messages=...), right=sample_request(),
    recorded=measured("messages: Field required"))
BOOK.row("anthropic/messages-type", "`messages` is not a list.",
    ANY_PARAMETER, messages_type,
    wrong=sample_request(messages="a"), right=sample_request(),
    recorded=measured("messages: Input should be a valid array"))
BOOK.row("anthropic/messages-empty", "`messages` is empty, which is often the result of pruning the history.",
    ANY_PARAMETER, messages_empty,
    wrong=sample_request(messages=[]), right=sample_request(),
    recorded=measured("messages: at least one message is required"))
BOOK.row("anthropic/message-type", "A message is not an object.",
    ANY_MESSAGE, message_type,
    wrong=sample_request("a"), right=sample_request(user("a")),
    recorded={"DataDog/dd-trace-py tests/contrib/anthropic/cassettes/anthropic_completion_error.yaml":
        "messages.0: Input does not match the expected shape."})
BOOK.row("anthropic/role-missing", "A message has no role.",
    ANY_MESSAGE, role_missing,
    wrong=sample_request({"content": "a"}), right=sample_request(user("a")),
    recorded=measured("messages.0.role: Field required"))
BOOK.row("anthropic/role-unknown",
    "A message has an unknown role; results are blocks of a user message, not messages of a role `tool`.",
    ANY_MESSAGE, role_unknown,
    wrong=sample_request({"role": "tool", "content": "a"}), right=sample_request(user("a")),
    recorded=measured('messages: Unexpected role "bogus". Allowed roles are "user" or "assistant"'))
BOOK.row("anthropic/content-missing", "A message has no content.",
    ANY_MESSAGE, content_missing,
    wrong=sample_request({"role": "user"}), right=sample_request(user("a")),
    recorded=measured("messages.0.content: Field required"))
BOOK.row("anthropic/content-type",
    "The content is neither a string nor a list of blocks; null, as in OpenAI's messages with calls, is refused.",
    ANY_MESSAGE, content_type,
    wrong=sample_request(user(None)), right=sample_request(user("a")),
    recorded=(*measured("messages.0.content: Input should be a valid array"),
        Citation("crmne/ruby_llm chat_real_error_scenarios (claude-3-5-haiku)",
        "messages.0.content: Input should be a valid list")))
BOOK.row("anthropic/message-extra-key",
    "A message has a key other than `role` and `content`, such as `name`, `id` or `tool_calls`.",
    ANY_MESSAGE, message_extra_key,
    wrong=sample_request(user("a") | {"name": "b"}), right=sample_request(user("a")),
    recorded=measured("messages.0.bogus: Extra inputs are not permitted"))
# fmt: on


LAST_MESSAGE_BOOK = Rulebook(envelope)


def prefill_text(context: RequestContext) -> conversation.Block | None:
    """The text at the end of the conversation, if the last message is the assistant's.

    A turn that the provider paused, while it ran its own tools, comes back as it is, whatever it ends with.
    """
    runs = conversation.runs(context)
    if runs[-1].of_type("server_tool_use"):
        return None
    if runs[-1].role != "assistant" or not runs[-1].blocks or runs[-1].blocks[-1].type != "text":
        return None
    return runs[-1].blocks[-1]


def prefill(context: RequestContext) -> Breach | None:
    block = prefill_text(context)
    if block is None or "prefill" in context.traits:
        return None
    return Breach(
        f"messages.{block.message}",
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    )


def trailing_whitespace(context: RequestContext) -> Breach | None:
    block = prefill_text(context)
    text = block.text("text") if block else ""
    if text == text.rstrip():
        return None
    return Breach(
        f"messages.{block.message}" if block else "messages",
        "messages: final assistant content cannot end with trailing whitespace",
    )


def tool_choice_without_tools(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or choice["type"] == "none" or context.body.get("tools") or context.body.get("mcp_servers"):
        return None
    return Breach("tool_choice", f"tool_choice.{choice['type']} may only be specified while providing tools")


def tool_choice_unknown_tool(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or choice["type"] != "tool" or context.body.get("mcp_servers"):
        return None
    if any(tool.get("name") == choice["name"] for tool in all_tools(context)):
        return None
    return Breach("tool_choice.name", f"Tool '{choice['name']}' not found in provided tools")


# A table: two rows are to be compared.
# fmt: off
LAST_MESSAGE_BOOK.row("anthropic/prefill",
    "The conversation ends with an assistant message; newer models do not support prefill.",
    NEAR_MESSAGES, prefill, needs="assistant", models="claude-opus-4-6 and later",
    wrong=sample_request(user("a"), assistant("b"), model="claude-sonnet-5"),
    right=sample_request(user("a"), assistant("b"), model=SMALL),
    recorded={"activeagents/activeagent anthropic_json.yml (claude-sonnet-5)":
        "This model does not support assistant message prefill. The conversation must end with a user message.",
        "https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6": "Prefill removal",
        "strands-agents/sdk-python#1694": ""})
LAST_MESSAGE_BOOK.row("anthropic/trailing-whitespace", "The prefilled assistant text ends in white space.",
    NEAR_MESSAGES, trailing_whitespace, needs="assistant", models="before claude-opus-4-6",
    wrong=sample_request(user("a"), assistant("b "), model=SMALL),
    right=sample_request(user("a"), assistant("b"), model=SMALL),
    verbatim={"tailcallhq/forgecode#1872": "messages: final assistant content cannot end with trailing whitespace"})
LAST_MESSAGE_BOOK.row("anthropic/tool-choice-without-tools",
    "`tool_choice` is set and there are no tools; leave it out together with the tools.",
    ANY_PARAMETER, tool_choice_without_tools, needs="tool_choice",
    wrong=sample_request(tools=[], tool_choice={"type": "auto"}),
    right=sample_request(tools=[TOOL], tool_choice={"type": "auto"}),
    reported={"comments in public clients": "tool_choice.any may only be specified while providing tools",
        "Bedrock, raw": "tool_choice may only be specified while providing tools."})
LAST_MESSAGE_BOOK.row("anthropic/tool-choice-unknown-tool", "`tool_choice` names a tool that is not in `tools`.",
    ALL_TOOLS, tool_choice_unknown_tool, even_usual=True, needs="tool_choice",
    wrong=sample_request(tools=[TOOL], tool_choice={"type": "tool", "name": "g"}),
    right=sample_request(tools=[TOOL], tool_choice={"type": "tool", "name": "f"}),
    reported={"error tables of public proxies": "Tool 'web_search' not found in provided tools"})
# fmt: on


SYSTEM_BOOK = Rulebook(envelope)

BLOCKS = ("text", "tool_addition", "tool_removal")
DIRECTIVE = "the directive-only form (content: [] with output_config) is accepted at any position"


def system(content: Any) -> dict[str, Any]:
    return {"role": "system", "content": content}


def system_messages(context: RequestContext) -> Iterator[tuple[int, dict[str, Any]]]:
    """The system messages that must have content: all but the directive-only ones."""
    for index, message in conversation.messages(context):
        if message["role"] == "system" and not (message["content"] == [] and "output_config" in message):
            yield index, message


def system_message_empty(context: RequestContext) -> Breach | None:
    for index, message in system_messages(context):
        if not message["content"]:
            return Breach(f"messages.{index}", f"messages.{index}: system content must contain at least one block")
    return None


def system_message_block(context: RequestContext) -> Breach | None:
    for block in conversation.blocks(context):
        if block.role == "system" and block.type not in BLOCKS:
            at = f"messages.{block.message}"
            return Breach(at, f"{at}: role 'system' supports text, tool_addition, and tool_removal blocks only")
    return None


def system_message_first(context: RequestContext) -> Breach | None:
    if all(index for index, _ in system_messages(context)):
        return None
    return Breach(
        "messages.0", f"messages.0: use the top-level 'system' parameter for the initial system prompt; {DIRECTIVE}"
    )


def system_message_model(context: RequestContext) -> Breach | None:
    index = next((index for index, _ in system_messages(context)), None)
    if index is None or "system-messages" in context.traits:
        return None
    return Breach(f"messages.{index}.role", "role 'system' is not supported on this model")


def system_message_place(context: RequestContext) -> Breach | None:
    listed = context.body["messages"]
    for index, _ in system_messages(context):
        if index + 1 < len(listed) and listed[index + 1]["role"] == "user":
            return Breach(
                f"messages.{index}",
                f"messages.{index}: role 'system' must precede an 'assistant' message or end the array; {DIRECTIVE}",
            )
    return None


def system_message_blank(context: RequestContext) -> Breach | None:
    for run in conversation.runs(context):
        for block in run.of_type("text"):
            if run.role == "system" and not block.text("text").strip():
                at = f"messages.{block.message}"
                return Breach(at, f"{at}: system text blocks must contain non-whitespace text")
    return None


# A table: two rows are to be compared.
# fmt: off
SYSTEM_BOOK.row("anthropic/system-message-empty", "A system message has no content block.",
    ANY_MESSAGE, system_message_empty, needs="system",
    wrong=sample_request(user("a"), system([])), right=sample_request(user("a"), system([text_block("b")])),
    recorded=measured("messages.0: system content must contain at least one block"))
SYSTEM_BOOK.row("anthropic/system-message-block",
    "A system message contains a block other than text and changes of tools, such as an image or a result.",
    ANY_MESSAGE, system_message_block, needs="system",
    wrong=sample_request(user("a"), system([text_block("b"), {"type": "container_upload", "file_id": "c"}])),
    right=sample_request(user("a"), system([text_block("b")])),
    recorded=measured("messages.1: role 'system' supports text, tool_addition, and tool_removal blocks only"))
SYSTEM_BOOK.row("anthropic/system-message-first",
    "The first message is a system message; the initial system prompt belongs in the top-level `system`.",
    NEAR_MESSAGES, system_message_first, needs="system",
    wrong=sample_request(system("a"), assistant("b"), user("c")),
    right=sample_request(user("a"), assistant("b"), user("c")),
    recorded=measured("messages.0: use the top-level 'system' parameter for the initial system prompt"))
SYSTEM_BOOK.row("anthropic/system-message-model",
    "There is a system message in `messages`, which older models do not support.",
    ANY_MESSAGE, system_message_model, needs="system", models="before claude-opus-4-8",
    wrong=sample_request(user("a"), system("b"), model="claude-sonnet-4-5"),
    right=sample_request(user("a"), system("b")),
    verbatim={"docs.rs/gproxy-transform claude_mid_conv_system": "role 'system' is not supported on this model",
        "https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-8": ""})
SYSTEM_BOOK.row("anthropic/system-message-place",
    "A user message follows a system message; a run of system messages must end the conversation or precede an "
        "assistant message.",
    NEAR_MESSAGES, system_message_place, needs="system",
    wrong=sample_request(user("a"), system("b"), user("c")), right=sample_request(user("a"), system("b")),
    recorded=measured("messages.1: role 'system' must precede an 'assistant' message or end the array"))
SYSTEM_BOOK.row("anthropic/system-message-blank", "A text of a system message is only white space.",
    ANY_MESSAGE, system_message_blank, needs="system",
    wrong=sample_request(user("a"), system("  ")), right=sample_request(user("a"), system("b")),
    recorded=measured("messages.1: system text blocks must contain non-whitespace text"))
# fmt: on
