"""Rules on calls and their results: every call has exactly one result, in the next message, and every result has a
call.

Last come those on calls that the provider answers itself, and on references to tools.
Works on runs of messages. The recorded and quoted sentences name the message as the client sent it.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise, takewhile
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import NEAR_MESSAGES, RequestContext, Rulebook, Selector
from fake_providers.values.lenient import listed
from fake_providers.wires.anthropic_messages.conversation import CALL, RESULT, RUN, Block, Run, blocks, blocks_of, runs
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.messages import OLD_WORDS
from fake_providers.wires.anthropic_messages.rules.samples import (
    DOCS,
    SMALL,
    TOOL_PROBES,
    sample_request,
    sample_with_tool,
    text_block,
    tool_result,
    tool_use,
)

BOOK = Rulebook(envelope)

UNANSWERED = (
    "`tool_use` ids were found without `tool_result` blocks immediately after: {found}. Each `tool_use` block must "
    "have a corresponding `tool_result` block in the next message."
)
INTERLEAVED = "interleaved-thinking"
"""A value of the header `anthropic-beta`; newer models interleave without it."""


def is_server_result(block: Block) -> bool:
    """Whether it is the result of one of the provider's own tools; results of MCP servers are not."""
    return block.type.endswith("_tool_result") and block.type != "mcp_tool_result"


def _calling(context: RequestContext) -> Iterator[tuple[Run, Run | None, int, int]]:
    """Each assistant run with calls, with the user run right after it, and the index of the first call's message.

    The sentences count messages from 1 if the first one is the assistant's, as if there were a user message before it.
    """
    found = runs(context)
    for run, after in zip(found, (*found[1:], None), strict=True):
        if run.role == "assistant" and (calls := run.of_type("tool_use")):
            index = calls[0].message
            answer = after if after is not None and after.role == "user" else None
            yield run, answer, index, index + (found[0].role == "assistant")


CALLING = Selector(_calling, "messages.{i}", ("after", "i", "counted"), "exchanges", ("conversation",))


def without_result(calls: Iterable[Block], answered: Collection[str]) -> str:
    """The ids of the calls that are not among the answered ones."""
    return ", ".join([block.body["id"] for block in calls if block.body["id"] not in answered])


def results(blocks: Iterable[Block]) -> set[str]:
    """The ids of the calls that these results answer."""
    return {block.body["tool_use_id"] for block in blocks}


def leading(blocks: Iterable[Block]) -> set[str]:
    """The same of the results that no other block comes before."""
    return results(takewhile(lambda block: block.type == "tool_result", blocks))


def _repeated(blocks: Iterable[Block], id: str) -> Block | None:
    """The first block whose `id` an earlier one has."""
    seen: set[str] = set()
    for block in blocks:
        if block.body[id] in seen:
            return block
        seen.add(block.body[id])
    return None


def _uncalled(run: Run, before: Run | None) -> Block | None:
    called = {block.body["id"] for block in before.of_type("tool_use")} if before else set()
    found = run.of_type("tool_result") if run.role == "user" else ()
    return next((block for block in found if block.body["tool_use_id"] not in called), None)


def _separated(run: Run, context: RequestContext) -> str:
    """The ids of the calls that another block separates from their results: thinking and unknown blocks do not."""
    interleaves = OLD_WORDS not in context.traits or INTERLEAVED in context.headers.get("anthropic-beta", "")
    last = -1
    for i, block in enumerate(run.blocks):
        of_provider = block.type == "server_tool_use" or is_server_result(block)
        if of_provider or (block.type == "text" and not interleaves):
            last = i
    return without_result((block for block in run.blocks[: last + 1] if block.type == "tool_use"), ())


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/tool-result-in-assistant",
    "An assistant message contains a result; results belong in user messages.",
    RESULT, lambda block: block.role != "user", "{at}: `tool_result` blocks can only be in `user` messages",
    "/messages.{item.message}", needs="tool_result", remedy=remedies.CALLS_OF_ASSISTANT,
    wrong=sample_with_tool("a", [text_block("b"), tool_result()], "c"),
    right=sample_with_tool("a", text_block("b"), "c"),
    recorded={TOOL_PROBES: "messages.1: `tool_result` blocks can only be in `user` messages"})
BOOK.row("anthropic/tool-use-in-user", "A user message contains a call; calls belong in assistant messages.",
    CALL, lambda block: block.role != "assistant", "{at}: `tool_use` blocks can only be in `assistant` messages",
    "/messages.{item.message}", needs="tool_use", remedy=remedies.CALLS_OF_ASSISTANT,
    wrong=sample_with_tool([text_block("a"), tool_use()]), right=sample_with_tool(text_block("a")),
    verbatim={"chat clients that lose the role between turns":
        "messages.0: `tool_use` blocks can only be in `assistant` messages"})
BOOK.row("anthropic/tool-use-ids-unique",
    "Two calls of one message have the same id. Every known refusal is about a block after a message's first one; "
        "an id that comes again in a later message is accepted, as recorded (messages 1 and 3 of the last source).",
    RUN, lambda run: _repeated(run.of_type("tool_use"), "id"), "{at}: `tool_use` ids must be unique", "/{found.at}",
    needs="tool_use", remedy=remedies.ONE_ID_EACH,
    wrong=sample_with_tool("a", [tool_use("toolu_1"), tool_use("toolu_1")], tool_result()),
    right=sample_with_tool("a", tool_use("toolu_1"), tool_result()),
    verbatim={"anthropics/claude-code#28515": "messages.43.content.2: tool_use ids must be unique",
        "trycua/cua#524": "messages.1.content.1: `tool_use` ids must be unique", "BerriAI/litellm#23510": "",
        "NachoSEO/claudegram#12": "",
        "pydantic/pydantic-ai, tests/cassettes/test_tool_search/"
        "test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-claude-sonnet-4-5].yaml": ""})
BOOK.row("anthropic/tool-result-without-use",
    "A result has no call in the message before it, which often happens when the call is pruned and its result "
        "kept.",
    RUN, _uncalled,
    "{at}: unexpected `tool_use_id` found in `tool_result` blocks: {found.body[tool_use_id]}. Each `tool_result` block "
        "must have a corresponding `tool_use` block in the previous message.", "/{found.at}", needs="tool_result",
    remedy=remedies.RESULT_WITH_CALL,
    wrong=sample_with_tool("a", "b", tool_result()), right=sample_with_tool("a", "b", "c"),
    verbatim={"anthropics/claude-code#13460": "unexpected `tool_use_id` found in `tool_result` blocks",
        "anthropics/claude-code#18947": "", "tghamm/Anthropic.SDK#184": ""})
BOOK.row("anthropic/tool-result-twice", "A call has more than one result.",
    RUN, lambda run: _repeated(run.of_type("tool_result"), "tool_use_id"),
    "{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
        "{found.body[tool_use_id]}", "/{found.at}", needs="tool_result", remedy=remedies.ONE_ID_EACH,
    wrong=sample_with_tool("a", tool_use(), [tool_result(), tool_result()]),
    right=sample_with_tool("a", tool_use(), tool_result()),
    verbatim={"vectorize-io/hindsight#4250": "each tool_use must have a single result. Found multiple `tool_result`"})
BOOK.row("anthropic/tool-use-unanswered",
    "A call has no result in the next message; a tool that failed, was refused or was interrupted needs a result "
        "too.",
    CALLING,
    lambda run, after: without_result(run.of_type("tool_use"), results(after.of_type("tool_result")) if after else ()),
    "messages.{counted}: " + UNANSWERED, needs="tool_use", remedy=remedies.ANSWER_CALLS,
    wrong=sample_with_tool("a", tool_use(), "c"), right=sample_with_tool("a", tool_use(), tool_result()),
    recorded={"anthropics/claude-code#8210": "`tool_use` ids were found without `tool_result` blocks immediately after",
        TOOL_PROBES: "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after",
        "OpenHands/OpenHands#7512": ""})
BOOK.row("anthropic/tool-use-not-last",
    "Something separates a call from its result: a call of the provider's own tools after it or, on older models "
        "without interleaved thinking, text.",
    CALLING, _separated, "messages.{counted}: " + UNANSWERED, needs="tool_use",
    models="all; of those after claude-4-5 text after a call is accepted",
    remedy=Remedy("pairing", "Send the message of the model back in its own order, with the calls of your tools last."),
    wrong=sample_with_tool("a", [tool_use(), text_block("b")], tool_result(), model=SMALL),
    right=sample_with_tool("a", tool_use(), tool_result(), model=SMALL),
    recorded={"pydantic/pydantic-ai test_anthropic_web_search_tool.yaml": "messages.1: `tool_use` ids were found",
        "anomalyco/opencode, recording of 2026-05-05, claude-haiku-4-5: a text after the call": "",
        "vercel/ai#13013 and its recorded refusal of 2026-07: a search after the call": "",
        "gotgenes/pi-anthropic-auth#66: text after calls accepted, with the header for interleaved thinking": ""})
BOOK.row("anthropic/tool-results-not-first", "A result comes after text; results must come first in their message.",
    CALLING, lambda run, after: after and without_result(run.of_type("tool_use"), leading(after.blocks)),
    "messages.{counted}: " + UNANSWERED, needs="tool_use",
    remedy=Remedy("pairing", "Put results first in their message, and the text after them."),
    wrong=sample_with_tool("a", tool_use(), [text_block("b"), tool_result()]),
    right=sample_with_tool("a", tool_use(), tool_result()),
    verbatim={DOCS: "put all result blocks before any text in that user message",
        "hermes-agent, session of 2026-07-05": "[text, tool_result]: HTTP 400, `tool_use` ids were found",
        "1jehuang/jcode#276": ""})
# fmt: on


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
    remedy=remedies.HOSTED_BLOCKS,
    wrong=_answered_with(_server_call("toolu_1"), SERVER_RESULT, text_block("b")),
    right=_answered_with(_server_call(), SERVER_RESULT, text_block("b")),
    verbatim={"ding113/claude-code-hub#470":
        "content.2.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"})
BOOK.row("anthropic/server-tool-result-without-use",
    "A result of one of the provider's own tools has no call before it, for example after pruning.",
    NEAR_MESSAGES, _uncalled_result,
    "{at}: unexpected `tool_use_id` found in `{found.type}` blocks: {found.body[tool_use_id]}. Each `{found.type}` "
        "block must have a corresponding `server_tool_use` block before it.", "{found.at}",
        remedy=remedies.HOSTED_BLOCKS,
    wrong=_answered_with(SERVER_RESULT, text_block("b")),
    right=_answered_with(_server_call(), SERVER_RESULT, text_block("b")),
    verbatim={"anthropics/claude-code#80439": "unexpected `tool_use_id` found in `advisor_tool_result` blocks",
        "anthropics/claude-code#64383": "", "anthropics/claude-code#95406": ""})
BOOK.row("anthropic/server-tool-unanswered",
    "A call to a provider's tool has no result, and something other than results of the client's tools follows it, "
        "such as text.",
    NEAR_MESSAGES, _unanswered_call,
    "{at}: `{tool}` tool use with id `{id}` was found without a corresponding `{result}` block", "messages.{i}",
    needs="server_tool_use", remedy=remedies.HOSTED_BLOCKS,
    wrong=_answered_with(text_block("b"), _server_call()),
    right=_answered_with(text_block("b"), _server_call(), SERVER_RESULT),
    verbatim={"https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons":
        "was found without a corresponding `web_search_tool_result` block",
        "anthropics/anthropic-sdk-python#1062": "messages.N: `text_editor_code_execution` tool use with id"})
BOOK.row("anthropic/tool-caller-unknown", "A call made by code names a `code_execution` call that is not before it.",
    NEAR_MESSAGES, _unknown_caller, "source tool `{caller}` not found for tool use block `{id}`", "{block}.caller",
    needs="caller", remedy=remedies.HOSTED_BLOCKS,
    wrong=_called_by_code("srvtoolu_2"), right=_called_by_code("srvtoolu_1"),
    recorded={"vercel/ai#12504, recorded refusal (claude-opus-4-5)":
        "source tool `srvtoolu_01Issue12504Source` not found for tool use block `toolu_01Issue12504Lookup`"})
BOOK.row("anthropic/tool-reference-unknown",
    "A result in the history refers to a tool that is not in `tools`, even if it is long ago.",
    NEAR_MESSAGES, _unknown_reference, "Tool reference '{found[1]}' not found in available tools", "{found[0]}",
    needs="tool_reference",
    remedy=Remedy("server-tools",
        "Offer the tool again as long as the history refers to it, or drop the result that does."),
    wrong=_with_reference("g"), right=_with_reference("f"),
    recorded={"vercel/ai, recorded refusal of 2026-10": "Tool reference 'lookup_documents' not found in available",
        "anthropics/claude-code#81863": "Tool reference 'DesignSync' not found in available tools"})
# fmt: on
