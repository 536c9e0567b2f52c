"""Rules on how a conversation ends, and on a `tool_choice` among tools that do not exist. Knows no result."""

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages import conversation
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.samples import SMALL, TOOL, assistant, sample_request, user
from fake_providers.wires.anthropic_messages.rules.tools import all_tools

BOOK = Rulebook(envelope)


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


@BOOK.rule(
    "anthropic/prefill",
    why="The conversation ends with an assistant message; newer models do not support prefill.",
    models="claude-opus-4-6 and later",
    confidence="recorded",
    evidence=(
        Citation(
            "activeagents/activeagent anthropic_json.yml (claude-sonnet-5)",
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        ),
        Citation("https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6", "Prefill removal"),
        Citation("strands-agents/sdk-python#1694"),
    ),
    breaking=sample_request(user("a"), assistant("b"), model="claude-sonnet-5"),
    accepted=sample_request(user("a"), assistant("b"), model=SMALL),
)
def prefill(context: RequestContext) -> Breach | None:
    block = prefill_text(context)
    if block is None or "prefill" in context.traits:
        return None
    return Breach(
        f"messages.{block.message}",
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    )


@BOOK.rule(
    "anthropic/trailing-whitespace",
    why="The prefilled assistant text ends in white space.",
    models="before claude-opus-4-6",
    confidence="verbatim",
    evidence=(
        Citation("tailcallhq/forgecode#1872", "messages: final assistant content cannot end with trailing whitespace"),
    ),
    breaking=sample_request(user("a"), assistant("b "), model=SMALL),
    accepted=sample_request(user("a"), assistant("b"), model=SMALL),
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


@BOOK.rule(
    "anthropic/tool-choice-without-tools",
    why="`tool_choice` is set and there are no tools; leave it out together with the tools.",
    confidence="reported",
    evidence=(
        Citation("comments in public clients", "tool_choice.any may only be specified while providing tools"),
        Citation("Bedrock, raw", "tool_choice may only be specified while providing tools."),
    ),
    breaking=sample_request(tools=[], tool_choice={"type": "auto"}),
    accepted=sample_request(tools=[TOOL], tool_choice={"type": "auto"}),
)
def tool_choice_without_tools(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or choice["type"] == "none" or context.body.get("tools") or context.body.get("mcp_servers"):
        return None
    return Breach("tool_choice", f"tool_choice.{choice['type']} may only be specified while providing tools")


@BOOK.rule(
    "anthropic/tool-choice-unknown-tool",
    why="`tool_choice` names a tool that is not in `tools`.",
    confidence="reported",
    evidence=(Citation("error tables of public proxies", "Tool 'web_search' not found in provided tools"),),
    breaking=sample_request(tools=[TOOL], tool_choice={"type": "tool", "name": "g"}),
    accepted=sample_request(tools=[TOOL], tool_choice={"type": "tool", "name": "f"}),
)
def tool_choice_unknown_tool(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or choice["type"] != "tool" or context.body.get("mcp_servers"):
        return None
    if any(tool.get("name") == choice["name"] for tool in all_tools(context)):
        return None
    return Breach("tool_choice.name", f"Tool '{choice['name']}' not found in provided tools")
