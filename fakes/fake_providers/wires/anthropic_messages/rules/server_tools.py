"""Rules on calls that the provider answers itself, and on references to tools."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from fake_providers.rulebook import ANY_MESSAGE, NEAR_MESSAGES, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages import conversation
from fake_providers.wires.anthropic_messages.conversation import Block, Run
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.pairing import is_server_result
from fake_providers.wires.anthropic_messages.rules.samples import (
    assistant,
    sample_request,
    sample_with_tool,
    text_block,
    tool_result,
    tool_use,
    user,
)
from fake_providers.wires.anthropic_messages.rules.tools import all_tools

BOOK = Rulebook(envelope)

ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")
STOP_REASONS_DOC = "https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons"
RESULTS = {
    "tool_search_tool_bm25": "tool_search_tool_result",
    "tool_search_tool_regex": "tool_search_tool_result",
}
"""Result types that do not follow from the tool's name."""


def server_tool_use(id: str = "srvtoolu_1") -> dict[str, Any]:
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "q"}}


def server_tool_result(id: str = "srvtoolu_1") -> dict[str, Any]:
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": []}


def sample_called_by_code(id: str) -> dict[str, Any]:
    """A conversation in which code run by the provider calls the client's tool; `id` is the caller that the call
    names."""
    run = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {"code": "f()"}}
    call = tool_use(caller={"type": "code_execution_20260120", "tool_id": id})
    return sample_with_tool(user("a"), assistant(run, call), user(tool_result()))


def sample_with_reference(name: str) -> dict[str, Any]:
    """A conversation in which a result refers to a tool."""
    content = [{"type": "tool_reference", "tool_name": name}]
    return sample_with_tool(user("a"), assistant(tool_use()), user(tool_result(content=content)))


def server_tool_use_id(context: RequestContext) -> Breach | None:
    for block in conversation.blocks(context, "server_tool_use"):
        if not ID.fullmatch(block.text("id")):
            at = f"{block.at}.server_tool_use.id"
            return Breach(at, f"{at}: String should match pattern '^{ID.pattern}$'")
    return None


def server_tool_result_without_use(context: RequestContext) -> Breach | None:
    call_ids: set[str] = set()
    for block in conversation.blocks(context):
        if block.type == "server_tool_use":
            call_ids.add(block.text("id"))
        answered = block.text("tool_use_id")
        if is_server_result(block) and ID.fullmatch(answered) and answered not in call_ids:
            return Breach(
                block.at,
                f"{block.at}: unexpected `tool_use_id` found in `{block.type}` blocks: {answered}. Each `{block.type}` "
                "block must have a corresponding `server_tool_use` block before it.",
            )
    return None


def server_tool_unanswered(context: RequestContext) -> Breach | None:
    runs = conversation.runs(context)
    answered = {block.text("tool_use_id") for run in runs for block in run.blocks if is_server_result(block)}
    for run, after in pairwise(runs):
        if after.role != "user" or all(block.type == "tool_result" for block in after.blocks):
            continue
        for block in _calls_without_result(run, answered | _calls_running_code(run)):
            at = f"messages.{block.message}"
            tool = block.text("name")
            return Breach(
                at,
                f"{at}: `{tool}` tool use with id `{block.text('id')}` was found without a corresponding "
                f"`{RESULTS.get(tool, f'{tool}_tool_result')}` block",
            )
    return None


def tool_caller_unknown(context: RequestContext) -> Breach | None:
    call_ids: set[str] = set()
    for block in conversation.blocks(context):
        if block.type == "server_tool_use":
            call_ids.add(block.text("id"))
        caller = _caller(block)
        if block.type in ("tool_use", "server_tool_use") and caller and caller not in call_ids:
            sentence = f"source tool `{caller}` not found for tool use block `{block.text('id')}`"
            return Breach(f"{block.at}.caller", sentence)
    return None


def tool_reference_unknown(context: RequestContext) -> Breach | None:
    names = [tool.get("name") for tool in all_tools(context) if isinstance(tool, dict)]
    offered = {name for name in names if name is None or isinstance(name, str)}
    has_other_tools = (
        context.body.get("mcp_servers") or None in offered or conversation.blocks(context, "tool_addition")
    )
    for at, name in () if has_other_tools else _references(context):
        if name not in offered:
            return Breach(at, f"Tool reference '{name}' not found in available tools")
    return None


def _calls_without_result(run: Run, answered: set[str]) -> Iterator[Block]:
    """The calls to the provider's tools without a result. A result right after a call belongs to it, whatever its
    id."""
    with_result_after = {block.at for block, follower in pairwise(run.blocks) if is_server_result(follower)}
    for block in run.of_type("server_tool_use"):
        if block.at not in with_result_after and block.text("id") not in answered:
            yield block


def _calls_running_code(run: Run) -> set[str]:
    """The ids of the calls whose code waits for results of the client's tools."""
    return {caller for block in run.blocks if block.type == "tool_use" and (caller := _caller(block))}


def _caller(block: Block) -> str:
    caller = block.body.get("caller")
    tool_id = caller.get("tool_id") if isinstance(caller, dict) else None
    return tool_id if isinstance(tool_id, str) else ""


def _references(context: RequestContext) -> Iterator[tuple[str, str]]:
    """Every reference to a tool in a result, with its place."""
    for block in conversation.blocks(context):
        content = block.body.get("content")
        parts = content.get("tool_references") if isinstance(content, dict) else content
        for index, part in enumerate(parts if isinstance(parts, list) else ()):
            name = part.get("tool_name") if isinstance(part, dict) and part.get("type") == "tool_reference" else None
            if isinstance(name, str):
                yield f"{block.at}.content.{index}", name


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/server-tool-use-id",
    "The id of a call to a provider's tool does not match `srvtoolu_` and letters, digits or underscores.",
    ANY_MESSAGE, server_tool_use_id, needs="server_tool_use",
    wrong=sample_request(user("a"), assistant(server_tool_use("toolu_1"), server_tool_result(), text_block("b")),
        user("c")),
    right=sample_request(user("a"), assistant(server_tool_use("srvtoolu_1"), server_tool_result(), text_block("b")),
        user("c")),
    verbatim={"ding113/claude-code-hub#470":
        "content.2.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"})
BOOK.row("anthropic/server-tool-result-without-use",
    "A result of one of the provider's own tools has no call before it, for example after pruning.",
    NEAR_MESSAGES, server_tool_result_without_use,
    wrong=sample_request(user("a"), assistant(server_tool_result(), text_block("b")), user("c")),
    right=sample_request(user("a"), assistant(server_tool_use(), server_tool_result(), text_block("b")), user("c")),
    verbatim={"anthropics/claude-code#80439": "unexpected `tool_use_id` found in `advisor_tool_result` blocks",
        "anthropics/claude-code#64383": "", "anthropics/claude-code#95406": ""})
BOOK.row("anthropic/server-tool-unanswered",
    "A call to a provider's tool has no result, and something other than results of the client's tools follows it, "
        "such as text.",
    NEAR_MESSAGES, server_tool_unanswered, needs="server_tool_use",
    wrong=sample_request(user("a"), assistant(text_block("b"), server_tool_use()), user("c")),
    right=sample_request(user("a"), assistant(text_block("b"), server_tool_use(), server_tool_result()), user("c")),
    verbatim={STOP_REASONS_DOC: "was found without a corresponding `web_search_tool_result` block",
        "anthropics/anthropic-sdk-python#1062": "messages.N: `text_editor_code_execution` tool use with id"})
BOOK.row("anthropic/tool-caller-unknown", "A call made by code names a `code_execution` call that is not before it.",
    NEAR_MESSAGES, tool_caller_unknown, needs="caller",
    wrong=sample_called_by_code("srvtoolu_2"), right=sample_called_by_code("srvtoolu_1"),
    recorded={"vercel/ai#12504, recorded refusal (claude-opus-4-5)":
        "source tool `srvtoolu_01Issue12504Source` not found for tool use block `toolu_01Issue12504Lookup`"})
BOOK.row("anthropic/tool-reference-unknown",
    "A result in the history refers to a tool that is not in `tools`, even if it is long ago.",
    NEAR_MESSAGES, tool_reference_unknown, needs="tool_reference",
    wrong=sample_with_reference("g"), right=sample_with_reference("f"),
    recorded={"vercel/ai, recorded refusal of 2026-10": "Tool reference 'lookup_documents' not found in available",
        "anthropics/claude-code#81863": "Tool reference 'DesignSync' not found in available tools"})
# fmt: on
