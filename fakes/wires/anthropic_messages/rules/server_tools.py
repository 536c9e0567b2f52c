"""Rules on calls that the provider answers itself, and on references to tools. Knows no result of the client's own."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from fakes.rule import Citation
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.anthropic_messages import conversation
from fakes.wires.anthropic_messages.conversation import Block, Run
from fakes.wires.anthropic_messages.errors import envelope
from fakes.wires.anthropic_messages.rules.pairing import is_server_result
from fakes.wires.anthropic_messages.rules.tool_examples import ask, assistant, result, text, use, user, with_tool
from fakes.wires.anthropic_messages.rules.tools import listed

BOOK = Rulebook(envelope)

ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")
STOPPING = "https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons"
RESULTS = {
    "tool_search_tool_bm25": "tool_search_tool_result",
    "tool_search_tool_regex": "tool_search_tool_result",
}
"""The results of tools whose names their results do not repeat."""


def search(id: str = "srvtoolu_1") -> dict[str, Any]:
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "q"}}


def found(id: str = "srvtoolu_1") -> dict[str, Any]:
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": []}


def called_by(id: str) -> dict[str, Any]:
    """A conversation in which code that was run calls the client's tool; `id` is whose code is said to call."""
    run = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {"code": "f()"}}
    call = use(caller={"type": "code_execution_20260120", "tool_id": id})
    return with_tool(user("a"), assistant(run, call), user(result()))


def referring(name: str) -> dict[str, Any]:
    """A conversation in which the result of a call tells of a tool."""
    told = [{"type": "tool_reference", "tool_name": name}]
    return with_tool(user("a"), assistant(use()), user(result(content=told)))


@BOOK.rule(
    "anthropic/server-tool-use-id",
    why="the id of a call that the provider answers is its own: a text that begins with `srvtoolu_`",
    confidence="verbatim",
    evidence=(
        Citation(
            "ding113/claude-code-hub#470",
            "content.2.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
        ),
    ),
    breaking=ask(user("a"), assistant(search("toolu_1"), found(), text("b")), user("c")),
    accepted=ask(user("a"), assistant(search("srvtoolu_1"), found(), text("b")), user("c")),
)
def server_tool_use_id(context: RequestContext) -> Breach | None:
    for block in conversation.blocks(context, "server_tool_use"):
        if not ID.fullmatch(block.text("id")):
            at = f"{block.at}.server_tool_use.id"
            return Breach(at, f"{at}: String should match pattern '^{ID.pattern}$'")
    return None


@BOOK.rule(
    "anthropic/server-tool-result-without-use",
    why="what one of the provider's own tools gave back comes after its call, also where a history is cut",
    confidence="verbatim",
    evidence=(
        Citation("anthropics/claude-code#80439", "unexpected `tool_use_id` found in `advisor_tool_result` blocks"),
        Citation("anthropics/claude-code#64383"),
        Citation("anthropics/claude-code#95406"),
    ),
    breaking=ask(user("a"), assistant(found(), text("b")), user("c")),
    accepted=ask(user("a"), assistant(search(), found(), text("b")), user("c")),
)
def server_tool_result_without_use(context: RequestContext) -> Breach | None:
    called: set[str] = set()
    for block in conversation.blocks(context):
        if block.type == "server_tool_use":
            called.add(block.text("id"))
        answered = block.text("tool_use_id")
        if is_server_result(block) and ID.fullmatch(answered) and answered not in called:
            return Breach(
                block.at,
                f"{block.at}: unexpected `tool_use_id` found in `{block.type}` blocks: {answered}. Each `{block.type}` "
                "block must have a corresponding `server_tool_use` block before it.",
            )
    return None


@BOOK.rule(
    "anthropic/server-tool-unanswered",
    why="a call that the provider is to answer waits for its result: nothing but results of the client's own tools "
    "comes after it, and no text",
    confidence="verbatim",
    evidence=(
        Citation(STOPPING, "was found without a corresponding `web_search_tool_result` block"),
        Citation("anthropics/anthropic-sdk-python#1062", "messages.N: `text_editor_code_execution` tool use with id"),
    ),
    breaking=ask(user("a"), assistant(text("b"), search()), user("c")),
    accepted=ask(user("a"), assistant(text("b"), search(), found()), user("c")),
)
def server_tool_unanswered(context: RequestContext) -> Breach | None:
    runs = conversation.runs(context)
    answered = {block.text("tool_use_id") for run in runs for block in run.blocks if is_server_result(block)}
    for run, after in pairwise(runs):
        if after.role != "user" or all(block.type == "tool_result" for block in after.blocks):
            continue
        for block in _waiting(run, answered | _running(run)):
            at = f"messages.{block.message}"
            tool = block.text("name")
            return Breach(
                at,
                f"{at}: `{tool}` tool use with id `{block.text('id')}` was found without a corresponding "
                f"`{RESULTS.get(tool, f'{tool}_tool_result')}` block",
            )
    return None


@BOOK.rule(
    "anthropic/tool-caller-unknown",
    why="a call that was made by code which the provider ran comes after the call that ran it",
    confidence="recorded",
    evidence=(
        Citation(
            "vercel/ai#12504, recorded refusal (claude-opus-4-5)",
            "source tool `srvtoolu_01Issue12504Source` not found for tool use block `toolu_01Issue12504Lookup`",
        ),
    ),
    breaking=called_by("srvtoolu_2"),
    accepted=called_by("srvtoolu_1"),
)
def tool_caller_unknown(context: RequestContext) -> Breach | None:
    called: set[str] = set()
    for block in conversation.blocks(context):
        if block.type == "server_tool_use":
            called.add(block.text("id"))
        caller = _caller(block)
        if block.type in ("tool_use", "server_tool_use") and caller and caller not in called:
            sentence = f"source tool `{caller}` not found for tool use block `{block.text('id')}`"
            return Breach(f"{block.at}.caller", sentence)
    return None


@BOOK.rule(
    "anthropic/tool-reference-unknown",
    why="a tool that a history tells of is offered, however long ago it was told of",
    confidence="recorded",
    evidence=(
        Citation("vercel/ai, recorded refusal of 2026-10", "Tool reference 'lookup_documents' not found in available"),
        Citation("anthropics/claude-code#81863", "Tool reference 'DesignSync' not found in available tools"),
    ),
    breaking=referring("g"),
    accepted=referring("f"),
)
def tool_reference_unknown(context: RequestContext) -> Breach | None:
    offered = {tool.get("name") for tool in listed(context) if isinstance(tool, dict)}
    elsewhere = context.body.get("mcp_servers") or None in offered or conversation.blocks(context, "tool_addition")
    for at, name in () if elsewhere else _references(context):
        if name not in offered:
            return Breach(at, f"Tool reference '{name}' not found in available tools")
    return None


def _waiting(run: Run, answered: set[str]) -> Iterator[Block]:
    """The calls for the provider without a result. One right after the call is its own, whatever its id."""
    beside = {block.at for block, follower in pairwise(run.blocks) if is_server_result(follower)}
    for block in run.of("server_tool_use"):
        if block.at not in beside and block.text("id") not in answered:
            yield block


def _running(run: Run) -> set[str]:
    """The calls whose code waits for the client's tools."""
    return {caller for block in run.blocks if block.type == "tool_use" and (caller := _caller(block))}


def _caller(block: Block) -> str:
    caller = block.body.get("caller")
    named = caller.get("tool_id") if isinstance(caller, dict) else None
    return named if isinstance(named, str) else ""


def _references(context: RequestContext) -> Iterator[tuple[str, str]]:
    """Every reference to a tool in a result, with its place."""
    for block in conversation.blocks(context):
        content = block.body.get("content")
        parts = content.get("tool_references") if isinstance(content, dict) else content
        for index, part in enumerate(parts if isinstance(parts, list) else ()):
            name = part.get("tool_name") if isinstance(part, dict) and part.get("type") == "tool_reference" else None
            if isinstance(name, str):
                yield f"{block.at}.content.{index}", name
