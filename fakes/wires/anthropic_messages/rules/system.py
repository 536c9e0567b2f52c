"""Rules on system messages among the messages, which newer models take in some places. Knows no other role."""

from collections.abc import Iterator
from typing import Any

from fakes.rule import Citation
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.anthropic_messages import conversation
from fakes.wires.anthropic_messages.errors import envelope
from fakes.wires.anthropic_messages.rules.tool_examples import ask, assistant, measured, text, user

BOOK = Rulebook(envelope)

BLOCKS = ("text", "tool_addition", "tool_removal")
DIRECTIVE = "the directive-only form (content: [] with output_config) is accepted at any position"


def system(content: Any) -> dict[str, Any]:
    return {"role": "system", "content": content}


def spoken(context: RequestContext) -> Iterator[tuple[int, dict[str, Any]]]:
    """The system messages that say something, or ought to: all but the directive-only ones."""
    for index, message in conversation.messages(context):
        if message["role"] == "system" and not (message["content"] == [] and "output_config" in message):
            yield index, message


@BOOK.rule(
    "anthropic/system-message-empty",
    why="a system message has at least one block",
    confidence="recorded",
    evidence=measured("messages.0: system content must contain at least one block"),
    breaking=ask(user("a"), system([])),
    accepted=ask(user("a"), system([text("b")])),
)
def system_message_empty(context: RequestContext) -> Breach | None:
    for index, message in spoken(context):
        if not message["content"]:
            return Breach(f"messages.{index}", f"messages.{index}: system content must contain at least one block")
    return None


@BOOK.rule(
    "anthropic/system-message-block",
    why="a system message has texts and changes of tools, no images and no results",
    confidence="recorded",
    evidence=measured("messages.1: role 'system' supports text, tool_addition, and tool_removal blocks only"),
    breaking=ask(user("a"), system([text("b"), {"type": "container_upload", "file_id": "c"}])),
    accepted=ask(user("a"), system([text("b")])),
)
def system_message_block(context: RequestContext) -> Breach | None:
    for block in conversation.blocks(context):
        if block.role == "system" and block.type not in BLOCKS:
            at = f"messages.{block.message}"
            return Breach(at, f"{at}: role 'system' supports text, tool_addition, and tool_removal blocks only")
    return None


@BOOK.rule(
    "anthropic/system-message-first",
    why="what the conversation begins with belongs into the top-level `system`",
    confidence="recorded",
    evidence=measured("messages.0: use the top-level 'system' parameter for the initial system prompt"),
    breaking=ask(system("a"), assistant("b"), user("c")),
    accepted=ask(user("a"), assistant("b"), user("c")),
)
def system_message_first(context: RequestContext) -> Breach | None:
    if all(index for index, _ in spoken(context)):
        return None
    return Breach(
        "messages.0", f"messages.0: use the top-level 'system' parameter for the initial system prompt; {DIRECTIVE}"
    )


@BOOK.rule(
    "anthropic/system-message-model",
    why="older models take no system message among the messages",
    models="before claude-opus-4-8",
    confidence="verbatim",
    evidence=(
        Citation("docs.rs/gproxy-transform claude_mid_conv_system", "role 'system' is not supported on this model"),
        Citation("https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-8"),
    ),
    breaking=ask(user("a"), system("b"), model="claude-sonnet-4-5"),
    accepted=ask(user("a"), system("b")),
)
def system_message_model(context: RequestContext) -> Breach | None:
    index = next((index for index, _ in spoken(context)), None)
    if index is None or "system-messages" in context.traits:
        return None
    return Breach(f"messages.{index}.role", "role 'system' is not supported on this model")


@BOOK.rule(
    "anthropic/system-message-place",
    why="a run of system messages ends the conversation or comes before an assistant message",
    confidence="recorded",
    evidence=measured("messages.1: role 'system' must precede an 'assistant' message or end the array"),
    breaking=ask(user("a"), system("b"), user("c")),
    accepted=ask(user("a"), system("b")),
)
def system_message_place(context: RequestContext) -> Breach | None:
    listed = context.body["messages"]
    for index, _ in spoken(context):
        if index + 1 < len(listed) and listed[index + 1]["role"] == "user":
            return Breach(
                f"messages.{index}",
                f"messages.{index}: role 'system' must precede an 'assistant' message or end the array; {DIRECTIVE}",
            )
    return None


@BOOK.rule(
    "anthropic/system-message-blank",
    why="every text of a system message has more than white space",
    confidence="recorded",
    evidence=measured("messages.1: system text blocks must contain non-whitespace text"),
    breaking=ask(user("a"), system("  ")),
    accepted=ask(user("a"), system("b")),
)
def system_message_blank(context: RequestContext) -> Breach | None:
    for run in conversation.runs(context):
        for block in run.of("text"):
            if run.role == "system" and not block.text("text").strip():
                at = f"messages.{block.message}"
                return Breach(at, f"{at}: system text blocks must contain non-whitespace text")
    return None
