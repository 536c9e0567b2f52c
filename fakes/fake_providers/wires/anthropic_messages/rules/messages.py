"""Rules on `messages` and on the fields of each message."""

from collections.abc import Iterator
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Citation, Remedy
from fake_providers.rulebook import (
    ALL_TOOLS,
    ANY_MESSAGE,
    ANY_PARAMETER,
    NEAR_MESSAGES,
    RequestContext,
    Rulebook,
    Selector,
)
from fake_providers.values.lenient import listed
from fake_providers.wires.anthropic_messages.betas import of_known_names
from fake_providers.wires.anthropic_messages.conversation import BLOCK, MESSAGE, RUN, Block, messages, runs
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.samples import (
    SMALL,
    TOOL,
    USER,
    measured,
    sample_request,
    text_block,
)

BOOK = Rulebook(envelope)

KEYS = frozenset({"role", "content"})
SYSTEM_KEYS = KEYS | {"output_config", "clear_at"}
OLD_WORDS = "words-of-2025"
"""The trait of models whose recorded refusals, all of them older, have the sentences of that time."""


def worded(context: RequestContext, old: str, new: str) -> str:
    return old if OLD_WORDS in context.traits else new


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/messages-missing", "The request has no `messages`.",
    ANY_PARAMETER, lambda body: "messages" not in body, "messages: Field required", "messages",
    remedy=remedies.CONVERSATION,
    wrong=sample_request(messages=...), right=sample_request(),
    recorded=measured("messages: Field required"))
BOOK.row("anthropic/messages-type", "`messages` is not a list.",
    ANY_PARAMETER, lambda body: not isinstance(body.get("messages"), list), "messages: Input should be a valid array",
    "messages", remedy=remedies.MESSAGE_LIST,
    wrong=sample_request(messages="a"), right=sample_request(),
    recorded=measured("messages: Input should be a valid array"))
BOOK.row("anthropic/messages-empty", "`messages` is empty, which is often the result of pruning the history.",
    ANY_PARAMETER, lambda body: not body["messages"], "messages: at least one message is required", "messages",
    remedy=remedies.CONVERSATION,
    wrong=sample_request(messages=[]), right=sample_request(),
    recorded=measured("messages: at least one message is required"))
BOOK.row("anthropic/message-type", "A message is not an object.",
    ANY_MESSAGE, lambda body: [i for i, one in enumerate(body["messages"]) if not isinstance(one, dict)],
    f"{{at}}: {values.SHAPE}", "messages.{found[0]}", remedy=remedies.MESSAGE_LIST,
    wrong=sample_request(messages=["a"]), right=sample_request(),
    recorded={"DataDog/dd-trace-py tests/contrib/anthropic/cassettes/anthropic_completion_error.yaml":
        "messages.0: Input does not match the expected shape."})
BOOK.row("anthropic/role-missing", "A message has no role.",
    MESSAGE, lambda message: "role" not in message, "{at}: Field required", ".role", remedy=remedies.ROLE_OF_MESSAGE,
    wrong=sample_request(messages=[{"content": "a"}]), right=sample_request("a"),
    recorded=measured("messages.0.role: Field required"))
BOOK.row("anthropic/role-unknown",
    "A message has an unknown role; results are blocks of a user message, not messages of a role `tool`.",
    MESSAGE, lambda message: message["role"] not in ("user", "assistant", "system"),
    'messages: Unexpected role "{item[role]}". Allowed roles are "user" or "assistant"', ".role",
    remedy=remedies.USER_AND_ASSISTANT,
    wrong=sample_request({"role": "tool", "content": "a"}), right=sample_request("a"),
    recorded=measured('messages: Unexpected role "bogus". Allowed roles are "user" or "assistant"'))
BOOK.row("anthropic/content-missing", "A message has no content.",
    MESSAGE, lambda message: "content" not in message, "{at}: Field required", ".content",
    remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request({"role": "user"}), right=sample_request("a"),
    recorded=measured("messages.0.content: Field required"))
BOOK.row("anthropic/content-type",
    "The content is neither a string nor a list of blocks; null, as in OpenAI's messages with calls, is refused.",
    MESSAGE,
    lambda message, context: not isinstance(message["content"], str | list) and worded(context, "list", "array"),
    "{at}: Input should be a valid {found}", ".content", remedy=remedies.CONTENT_SHAPE,
    wrong=sample_request(None), right=sample_request("a"),
    recorded=(*measured("messages.0.content: Input should be a valid array"),
        Citation("crmne/ruby_llm chat_real_error_scenarios (claude-3-5-haiku)",
        "messages.0.content: Input should be a valid list")))
BOOK.row("anthropic/message-extra-key",
    "A message has a key other than `role` and `content`, such as `name`, `id` or `tool_calls`.",
    MESSAGE, lambda message: values.unknown_key(message, SYSTEM_KEYS if message["role"] == "system" else KEYS),
    "{at}: Extra inputs are not permitted", ".{found[0]}", given=of_known_names, remedy=remedies.OWN_MEMBERS,
    wrong=sample_request(USER | {"name": "b"}), right=sample_request("a"),
    recorded=measured("messages.0.bogus: Extra inputs are not permitted"))
# fmt: on


LAST_MESSAGE_BOOK = Rulebook(envelope)


def _prefill(context: RequestContext) -> Block | None:
    """The text at the end of the conversation, if the last message is the assistant's.

    A turn that the provider paused, while it ran its own tools, comes back as it is, whatever it ends with.
    """
    last = runs(context)[-1]
    if last.role != "assistant" or last.of_type("server_tool_use") or not last.blocks or last.blocks[-1].type != "text":
        return None
    return last.blocks[-1]


def _trailing_space(_: Any, context: RequestContext) -> Block | None:
    block = _prefill(context)
    return block if block and block.text("text") != block.text("text").rstrip() else None


def _unknown_choice(body: Any) -> bool:
    choice = body.get("tool_choice")
    if choice is None or choice["type"] != "tool" or body.get("mcp_servers"):
        return False
    return all(tool.get("name") != choice["name"] for tool in listed(body.get("tools")))


# A table: two rows are to be compared.
# fmt: off
LAST_MESSAGE_BOOK.row("anthropic/prefill",
    "The conversation ends with an assistant message; newer models do not support prefill.",
    NEAR_MESSAGES, lambda _, context: "prefill" not in context.traits and _prefill(context),
    "This model does not support assistant message prefill. The conversation must end with a user message.",
    "messages.{found.message}", needs="assistant", models="claude-opus-4-6 and later", remedy=remedies.END_WITH_USER,
    wrong=sample_request("a", "b", model="claude-sonnet-5"), right=sample_request("a", "b", model=SMALL),
    recorded={"activeagents/activeagent anthropic_json.yml (claude-sonnet-5)":
        "This model does not support assistant message prefill. The conversation must end with a user message.",
        "https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6": "Prefill removal",
        "strands-agents/sdk-python#1694": ""})
LAST_MESSAGE_BOOK.row("anthropic/trailing-whitespace", "The prefilled assistant text ends in white space.",
    NEAR_MESSAGES, _trailing_space, "messages: final assistant content cannot end with trailing whitespace",
    "messages.{found.message}", needs="assistant", models="before claude-opus-4-6",
    remedy=Remedy("order-of-turns", "Strip the end of the last assistant message."),
    wrong=sample_request("a", "b ", model=SMALL), right=sample_request("a", "b", model=SMALL),
    verbatim={"tailcallhq/forgecode#1872": "messages: final assistant content cannot end with trailing whitespace"})
LAST_MESSAGE_BOOK.row("anthropic/tool-choice-without-tools",
    "`tool_choice` is set and there are no tools; leave it out together with the tools.",
    ANY_PARAMETER,
    lambda body: (choice := body.get("tool_choice")) and choice["type"] != "none"
        and not (body.get("tools") or body.get("mcp_servers")),
    "tool_choice.{item[tool_choice][type]} may only be specified while providing tools", "tool_choice",
    needs="tool_choice", remedy=remedies.CHOICE_WITH_TOOLS,
    wrong=sample_request(tools=[], tool_choice={"type": "auto"}),
    right=sample_request(tools=[TOOL], tool_choice={"type": "auto"}),
    reported={"comments in public clients": "tool_choice.any may only be specified while providing tools",
        "Bedrock, raw": "tool_choice may only be specified while providing tools."})
LAST_MESSAGE_BOOK.row("anthropic/tool-choice-unknown-tool", "`tool_choice` names a tool that is not in `tools`.",
    ALL_TOOLS, _unknown_choice, "Tool '{item[tool_choice][name]}' not found in provided tools", "tool_choice.name",
    even_usual=True, needs="tool_choice", remedy=remedies.OFFERED_CHOICE,
    wrong=sample_request(tools=[TOOL], tool_choice={"type": "tool", "name": "g"}),
    right=sample_request(tools=[TOOL], tool_choice={"type": "tool", "name": "f"}),
    reported={"error tables of public proxies": "Tool 'web_search' not found in provided tools"})
# fmt: on


SYSTEM_BOOK = Rulebook(envelope)

DIRECTIVE = "the directive-only form (content: [] with output_config) is accepted at any position"


def system(content: Any) -> dict[str, Any]:
    return {"role": "system", "content": content}


def _system_messages(context: RequestContext) -> Iterator[tuple[dict[str, Any], int]]:
    """The system messages that must have content: all but the directive-only ones."""
    for index, message in messages(context):
        if message["role"] == "system" and not (message["content"] == [] and "output_config" in message):
            yield message, index


def _before_user(body: Any, context: RequestContext) -> list[int]:
    found = body["messages"]
    return [i for _, i in _system_messages(context) if any(one["role"] == "user" for one in found[i + 1 : i + 2])]


SYSTEM_MESSAGE = Selector(_system_messages, "messages.{i}", ("i",), "parts", ("conversation",))


# A table: two rows are to be compared.
# fmt: off
SYSTEM_BOOK.row("anthropic/system-message-empty", "A system message has no content block.",
    SYSTEM_MESSAGE, lambda message: not message["content"], "{at}: system content must contain at least one block",
    needs="system", remedy=remedies.JOIN_INSTRUCTIONS,
    wrong=sample_request("a", system([])), right=sample_request("a", system([text_block("b")])),
    recorded=measured("messages.0: system content must contain at least one block"))
SYSTEM_BOOK.row("anthropic/system-message-block",
    "A system message contains a block other than text and changes of tools, such as an image or a result.",
    BLOCK, lambda block: block.role == "system" and block.type not in ("text", "tool_addition", "tool_removal"),
    "{at}: role 'system' supports text, tool_addition, and tool_removal blocks only", "/messages.{item.message}",
    needs="system", remedy=remedies.TOP_LEVEL_SYSTEM,
    wrong=sample_request("a", system([text_block("b"), {"type": "container_upload", "file_id": "c"}])),
    right=sample_request("a", system([text_block("b")])),
    recorded=measured("messages.1: role 'system' supports text, tool_addition, and tool_removal blocks only"))
SYSTEM_BOOK.row("anthropic/system-message-first",
    "The first message is a system message; the initial system prompt belongs in the top-level `system`.",
    NEAR_MESSAGES, lambda _, context: not all(i for _, i in _system_messages(context)),
    f"messages.0: use the top-level 'system' parameter for the initial system prompt; {DIRECTIVE}", "messages.0",
    needs="system", remedy=remedies.TOP_LEVEL_SYSTEM,
    wrong=sample_request(system("a"), "b", "c"), right=sample_request("a", "b", "c"),
    recorded=measured("messages.0: use the top-level 'system' parameter for the initial system prompt"))
SYSTEM_BOOK.row("anthropic/system-message-model",
    "There is a system message in `messages`, which older models do not support.",
    SYSTEM_MESSAGE, lambda _, context: "system-messages" not in context.traits,
    "role 'system' is not supported on this model", ".role", needs="system", models="before claude-opus-4-8",
    remedy=remedies.TOP_LEVEL_SYSTEM,
    wrong=sample_request("a", system("b"), model="claude-sonnet-4-5"), right=sample_request("a", system("b")),
    verbatim={"docs.rs/gproxy-transform claude_mid_conv_system": "role 'system' is not supported on this model",
        "https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-8": ""})
SYSTEM_BOOK.row("anthropic/system-message-place",
    "A user message follows a system message; a run of system messages must end the conversation or precede an "
        "assistant message.",
    NEAR_MESSAGES, _before_user,
    f"{{at}}: role 'system' must precede an 'assistant' message or end the array; {DIRECTIVE}", "messages.{found[0]}",
    needs="system", remedy=remedies.TOP_LEVEL_SYSTEM,
    wrong=sample_request("a", system("b"), "c"), right=sample_request("a", system("b")),
    recorded=measured("messages.1: role 'system' must precede an 'assistant' message or end the array"))
SYSTEM_BOOK.row("anthropic/system-message-blank", "A text of a system message is only white space.",
    RUN, lambda run: run.role == "system" and [one for one in run.of_type("text") if not one.text("text").strip()],
    "{at}: system text blocks must contain non-whitespace text", "/messages.{found[0].message}", needs="system",
    remedy=remedies.JOIN_INSTRUCTIONS,
    wrong=sample_request("a", system("  ")), right=sample_request("a", system("b")),
    recorded=measured("messages.1: system text blocks must contain non-whitespace text"))
# fmt: on
