"""Rules on how a conversation ends and on a choice among tools that are not there. Knows no result."""

from fakes.rule import Citation
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.anthropic_messages import conversation
from fakes.wires.anthropic_messages.errors import envelope
from fakes.wires.anthropic_messages.rules.tool_examples import SMALL, TOOL, ask, assistant, user
from fakes.wires.anthropic_messages.rules.tools import listed

BOOK = Rulebook(envelope)


def last_text(context: RequestContext) -> conversation.Block | None:
    """The text that the conversation ends with, where the assistant has the last word."""
    runs = conversation.runs(context)
    if runs[-1].role != "assistant" or not runs[-1].blocks or runs[-1].blocks[-1].type != "text":
        return None
    return runs[-1].blocks[-1]


@BOOK.rule(
    "anthropic/prefill",
    why="newer models do not go on with a message that the client has begun: the user has the last word",
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
    breaking=ask(user("a"), assistant("b"), model="claude-sonnet-5"),
    accepted=ask(user("a"), assistant("b"), model=SMALL),
)
def prefill(context: RequestContext) -> Breach | None:
    block = last_text(context)
    if block is None or "prefill" in context.traits:
        return None
    return Breach(
        f"messages.{block.message}",
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    )


@BOOK.rule(
    "anthropic/trailing-whitespace",
    why="what the client has begun for the assistant does not end in white space",
    models="before claude-opus-4-6",
    confidence="verbatim",
    evidence=(
        Citation("tailcallhq/forgecode#1872", "messages: final assistant content cannot end with trailing whitespace"),
    ),
    breaking=ask(user("a"), assistant("b "), model=SMALL),
    accepted=ask(user("a"), assistant("b"), model=SMALL),
)
def trailing_whitespace(context: RequestContext) -> Breach | None:
    block = last_text(context)
    said = block.text("text") if block else ""
    if said == said.rstrip():
        return None
    return Breach(
        f"messages.{block.message}" if block else "messages",
        "messages: final assistant content cannot end with trailing whitespace",
    )


@BOOK.rule(
    "anthropic/tool-choice-without-tools",
    why="a choice needs tools to choose from; leave `tool_choice` out together with the tools",
    confidence="reported",
    evidence=(
        Citation("comments in public clients", "tool_choice.any may only be specified while providing tools"),
        Citation("Bedrock, raw", "tool_choice may only be specified while providing tools."),
    ),
    breaking=ask(tools=[], tool_choice={"type": "auto"}),
    accepted=ask(tools=[TOOL], tool_choice={"type": "auto"}),
)
def tool_choice_without_tools(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or choice["type"] == "none" or context.body.get("tools") or context.body.get("mcp_servers"):
        return None
    return Breach("tool_choice", f"tool_choice.{choice['type']} may only be specified while providing tools")


@BOOK.rule(
    "anthropic/tool-choice-unknown-tool",
    why="the tool that is chosen is one of those offered",
    confidence="reported",
    evidence=(Citation("error tables of public proxies", "Tool 'web_search' not found in provided tools"),),
    breaking=ask(tools=[TOOL], tool_choice={"type": "tool", "name": "g"}),
    accepted=ask(tools=[TOOL], tool_choice={"type": "tool", "name": "f"}),
)
def tool_choice_unknown_tool(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or choice["type"] != "tool" or context.body.get("mcp_servers"):
        return None
    if any(tool.get("name") == choice["name"] for tool in listed(context)):
        return None
    return Breach("tool_choice.name", f"Tool '{choice['name']}' not found in provided tools")
