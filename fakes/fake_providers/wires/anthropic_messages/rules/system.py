"""Rules on system messages inside `messages`, which newer models accept in some places. Knows no other role."""

from collections.abc import Iterator
from typing import Any

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages import conversation
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.samples import assistant, measured, sample_request, text_block, user

BOOK = Rulebook(envelope)

BLOCKS = ("text", "tool_addition", "tool_removal")
DIRECTIVE = "the directive-only form (content: [] with output_config) is accepted at any position"


def system(content: Any) -> dict[str, Any]:
    return {"role": "system", "content": content}


def system_messages(context: RequestContext) -> Iterator[tuple[int, dict[str, Any]]]:
    """The system messages that must have content: all but the directive-only ones."""
    for index, message in conversation.messages(context):
        if message["role"] == "system" and not (message["content"] == [] and "output_config" in message):
            yield index, message


@BOOK.rule(
    "anthropic/system-message-empty",
    why="A system message has no content block.",
    confidence="recorded",
    evidence=measured("messages.0: system content must contain at least one block"),
    breaking=sample_request(user("a"), system([])),
    accepted=sample_request(user("a"), system([text_block("b")])),
)
def system_message_empty(context: RequestContext) -> Breach | None:
    for index, message in system_messages(context):
        if not message["content"]:
            return Breach(f"messages.{index}", f"messages.{index}: system content must contain at least one block")
    return None


@BOOK.rule(
    "anthropic/system-message-block",
    why="A system message contains a block other than text and changes of tools, such as an image or a result.",
    confidence="recorded",
    evidence=measured("messages.1: role 'system' supports text, tool_addition, and tool_removal blocks only"),
    breaking=sample_request(user("a"), system([text_block("b"), {"type": "container_upload", "file_id": "c"}])),
    accepted=sample_request(user("a"), system([text_block("b")])),
)
def system_message_block(context: RequestContext) -> Breach | None:
    for block in conversation.blocks(context):
        if block.role == "system" and block.type not in BLOCKS:
            at = f"messages.{block.message}"
            return Breach(at, f"{at}: role 'system' supports text, tool_addition, and tool_removal blocks only")
    return None


@BOOK.rule(
    "anthropic/system-message-first",
    why="The first message is a system message; the initial system prompt belongs in the top-level `system`.",
    confidence="recorded",
    evidence=measured("messages.0: use the top-level 'system' parameter for the initial system prompt"),
    breaking=sample_request(system("a"), assistant("b"), user("c")),
    accepted=sample_request(user("a"), assistant("b"), user("c")),
)
def system_message_first(context: RequestContext) -> Breach | None:
    if all(index for index, _ in system_messages(context)):
        return None
    return Breach(
        "messages.0", f"messages.0: use the top-level 'system' parameter for the initial system prompt; {DIRECTIVE}"
    )


@BOOK.rule(
    "anthropic/system-message-model",
    why="There is a system message in `messages`, which older models do not support.",
    models="before claude-opus-4-8",
    confidence="verbatim",
    evidence=(
        Citation("docs.rs/gproxy-transform claude_mid_conv_system", "role 'system' is not supported on this model"),
        Citation("https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-8"),
    ),
    breaking=sample_request(user("a"), system("b"), model="claude-sonnet-4-5"),
    accepted=sample_request(user("a"), system("b")),
)
def system_message_model(context: RequestContext) -> Breach | None:
    index = next((index for index, _ in system_messages(context)), None)
    if index is None or "system-messages" in context.traits:
        return None
    return Breach(f"messages.{index}.role", "role 'system' is not supported on this model")


@BOOK.rule(
    "anthropic/system-message-place",
    why=(
        "A user message follows a system message; a run of system messages must end the conversation or precede an "
        "assistant message."
    ),
    confidence="recorded",
    evidence=measured("messages.1: role 'system' must precede an 'assistant' message or end the array"),
    breaking=sample_request(user("a"), system("b"), user("c")),
    accepted=sample_request(user("a"), system("b")),
)
def system_message_place(context: RequestContext) -> Breach | None:
    listed = context.body["messages"]
    for index, _ in system_messages(context):
        if index + 1 < len(listed) and listed[index + 1]["role"] == "user":
            return Breach(
                f"messages.{index}",
                f"messages.{index}: role 'system' must precede an 'assistant' message or end the array; {DIRECTIVE}",
            )
    return None


@BOOK.rule(
    "anthropic/system-message-blank",
    why="A text of a system message is only white space.",
    confidence="recorded",
    evidence=measured("messages.1: system text blocks must contain non-whitespace text"),
    breaking=sample_request(user("a"), system("  ")),
    accepted=sample_request(user("a"), system("b")),
)
def system_message_blank(context: RequestContext) -> Breach | None:
    for run in conversation.runs(context):
        for block in run.of_type("text"):
            if run.role == "system" and not block.text("text").strip():
                at = f"messages.{block.message}"
                return Breach(at, f"{at}: system text blocks must contain non-whitespace text")
    return None
