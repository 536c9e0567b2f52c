"""Rules on calls that the provider answers itself, and on references to tools."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from fake_providers.rulebook import NEAR_MESSAGES, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.conversation import Block, blocks, blocks_of, listed, runs
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.pairing import is_server_result
from fake_providers.wires.anthropic_messages.rules.samples import (
    sample_request,
    sample_with_tool,
    text_block,
    tool_result,
    tool_use,
)

BOOK = Rulebook(envelope)

ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")
RESULTS = {
    "tool_search_tool_bm25": "tool_search_tool_result",
    "tool_search_tool_regex": "tool_search_tool_result",
}
"""Result types that do not follow from the tool's name."""


def _server_call(id: str = "srvtoolu_1") -> dict[str, Any]:
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "q"}}


SERVER_RESULT = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def _answered_with(*blocks: Any) -> dict[str, Any]:
    return sample_request("a", [*blocks], "c")


def _called_by_code(id: str) -> dict[str, Any]:
    """A conversation in which code run by the provider calls the client's tool; `id` is the caller that the call
    names."""
    run = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {"code": "f()"}}
    call = tool_use(caller={"type": "code_execution_20260120", "tool_id": id})
    return sample_with_tool("a", [run, call], tool_result())


def _with_reference(name: str) -> dict[str, Any]:
    """A conversation in which a result refers to a tool."""
    content = [{"type": "tool_reference", "tool_name": name}]
    return sample_with_tool("a", tool_use(), tool_result(content=content))


def _uncalled_result(_: Any, context: RequestContext) -> Block | None:
    call_ids: set[str] = set()
    for block in blocks(context):
        if block.type == "server_tool_use":
            call_ids.add(block.text("id"))
        answered = block.text("tool_use_id")
        if is_server_result(block) and ID.fullmatch(answered) and answered not in call_ids:
            return block
    return None


def _unanswered_call(_: Any, context: RequestContext) -> dict[str, Any] | None:
    """A result right after a call belongs to it, whatever its id; a call may run code that waits for the client's."""
    answered = {block.text("tool_use_id") for run in runs(context) for block in run.blocks if is_server_result(block)}
    for run, after in pairwise(runs(context)):
        if after.role != "user" or all(block.type == "tool_result" for block in after.blocks):
            continue
        with_result = {block.at for block, follower in pairwise(run.blocks) if is_server_result(follower)}
        callers = {_caller(block) for block in run.of_type("tool_use")} - {""}
        for block in run.of_type("server_tool_use"):
            if block.at not in with_result and block.text("id") not in answered | callers:
                tool = block.text("name")
                result = RESULTS.get(tool, f"{tool}_tool_result")
                return {"i": block.message, "tool": tool, "id": block.text("id"), "result": result}
    return None


def _unknown_caller(_: Any, context: RequestContext) -> dict[str, str] | None:
    call_ids: set[str] = set()
    for block in blocks(context):
        if block.type == "server_tool_use":
            call_ids.add(block.text("id"))
        caller = _caller(block)
        if block.type in ("tool_use", "server_tool_use") and caller and caller not in call_ids:
            return {"block": block.at, "caller": caller, "id": block.text("id")}
    return None


def _caller(block: Block) -> str:
    caller = block.body.get("caller")
    tool_id = caller.get("tool_id") if isinstance(caller, dict) else None
    return tool_id if isinstance(tool_id, str) else ""


def _unknown_reference(body: Any, context: RequestContext) -> tuple[str, str] | None:
    names = [tool.get("name") for tool in listed(body.get("tools")) if isinstance(tool, dict)]
    offered = {name for name in names if name is None or isinstance(name, str)}
    if body.get("mcp_servers") or None in offered or blocks(context, "tool_addition"):
        return None
    return next(((at, name) for at, name in _references(context) if name not in offered), None)


def _references(context: RequestContext) -> Iterator[tuple[str, str]]:
    """Every reference to a tool in a result, with its place."""
    for block in blocks(context):
        content = block.body.get("content")
        parts = content.get("tool_references") if isinstance(content, dict) else content
        for index, part in enumerate(listed(parts)):
            name = part.get("tool_name") if isinstance(part, dict) and part.get("type") == "tool_reference" else None
            if isinstance(name, str):
                yield f"{block.at}.content.{index}", name


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/server-tool-use-id",
    "The id of a call to a provider's tool does not match `srvtoolu_` and letters, digits or underscores.",
    blocks_of("server_tool_use"), lambda call: not ID.fullmatch(call.text("id")),
    f"{{at}}: String should match pattern '^{ID.pattern}$'", ".server_tool_use.id", needs="server_tool_use",
    wrong=_answered_with(_server_call("toolu_1"), SERVER_RESULT, text_block("b")),
    right=_answered_with(_server_call(), SERVER_RESULT, text_block("b")),
    verbatim={"ding113/claude-code-hub#470":
        "content.2.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"})
BOOK.row("anthropic/server-tool-result-without-use",
    "A result of one of the provider's own tools has no call before it, for example after pruning.",
    NEAR_MESSAGES, _uncalled_result,
    "{at}: unexpected `tool_use_id` found in `{found.type}` blocks: {found.body[tool_use_id]}. Each `{found.type}` "
        "block must have a corresponding `server_tool_use` block before it.", "{found.at}",
    wrong=_answered_with(SERVER_RESULT, text_block("b")),
    right=_answered_with(_server_call(), SERVER_RESULT, text_block("b")),
    verbatim={"anthropics/claude-code#80439": "unexpected `tool_use_id` found in `advisor_tool_result` blocks",
        "anthropics/claude-code#64383": "", "anthropics/claude-code#95406": ""})
BOOK.row("anthropic/server-tool-unanswered",
    "A call to a provider's tool has no result, and something other than results of the client's tools follows it, "
        "such as text.",
    NEAR_MESSAGES, _unanswered_call,
    "{at}: `{tool}` tool use with id `{id}` was found without a corresponding `{result}` block", "messages.{i}",
    needs="server_tool_use",
    wrong=_answered_with(text_block("b"), _server_call()),
    right=_answered_with(text_block("b"), _server_call(), SERVER_RESULT),
    verbatim={"https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons":
        "was found without a corresponding `web_search_tool_result` block",
        "anthropics/anthropic-sdk-python#1062": "messages.N: `text_editor_code_execution` tool use with id"})
BOOK.row("anthropic/tool-caller-unknown", "A call made by code names a `code_execution` call that is not before it.",
    NEAR_MESSAGES, _unknown_caller, "source tool `{caller}` not found for tool use block `{id}`", "{block}.caller",
    needs="caller",
    wrong=_called_by_code("srvtoolu_2"), right=_called_by_code("srvtoolu_1"),
    recorded={"vercel/ai#12504, recorded refusal (claude-opus-4-5)":
        "source tool `srvtoolu_01Issue12504Source` not found for tool use block `toolu_01Issue12504Lookup`"})
BOOK.row("anthropic/tool-reference-unknown",
    "A result in the history refers to a tool that is not in `tools`, even if it is long ago.",
    NEAR_MESSAGES, _unknown_reference, "Tool reference '{found[1]}' not found in available tools", "{found[0]}",
    needs="tool_reference",
    wrong=_with_reference("g"), right=_with_reference("f"),
    recorded={"vercel/ai, recorded refusal of 2026-10": "Tool reference 'lookup_documents' not found in available",
        "anthropics/claude-code#81863": "Tool reference 'DesignSync' not found in available tools"})
# fmt: on
