"""Rules on calls and their results: every call has exactly one result, in the next message, and every result has a
call.

Works on runs of messages. The recorded and quoted sentences name the message as the client sent it.
"""

from fake_providers.rulebook import ANY_MESSAGE, NEAR_MESSAGES, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages import conversation
from fake_providers.wires.anthropic_messages.conversation import Block, Run
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.messages import OLD_WORDS
from fake_providers.wires.anthropic_messages.rules.samples import (
    DOCS,
    SMALL,
    TOOL_PROBES,
    assistant,
    sample_with_tool,
    text_block,
    tool_result,
    tool_use,
    user,
)

BOOK = Rulebook(envelope)

UNANSWERED = (
    "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have "
    "a corresponding `tool_result` block in the next message."
)
INTERLEAVED = "interleaved-thinking"
"""A value of the header `anthropic-beta`; newer models interleave without it."""


def is_server_result(block: Block) -> bool:
    """Whether it is the result of one of the provider's own tools; results of MCP servers are not."""
    return block.type.endswith("_tool_result") and block.type != "mcp_tool_result"


def calling_runs(context: RequestContext) -> list[tuple[Run, Run | None]]:
    """Every assistant run that contains calls, with the user run right after it, if there is one. Found once."""
    found: list[tuple[Run, Run | None]] | None = context.read.get("calling runs")
    if found is None:
        runs = conversation.runs(context)
        found = context.read["calling runs"] = [
            (run, after if after is not None and after.role == "user" else None)
            for run, after in zip(runs, (*runs[1:], None), strict=True)
            if run.role == "assistant" and run.of_type("tool_use")
        ]
    return found


def unanswered_breach(context: RequestContext, run: Run, ids: list[str]) -> Breach:
    """The sentence counts messages from 1 if the first message is the assistant's, as if there were a user message
    before it."""
    index = run.of_type("tool_use")[0].message
    counted = index + (conversation.runs(context)[0].role == "assistant")
    return Breach(f"messages.{index}", f"messages.{counted}: {UNANSWERED.format(ids=', '.join(ids))}")


def tool_result_in_assistant(context: RequestContext) -> Breach | None:
    return _misplaced(context, "tool_result", "user")


def tool_use_in_user(context: RequestContext) -> Breach | None:
    return _misplaced(context, "tool_use", "assistant")


def tool_use_ids_unique(context: RequestContext) -> Breach | None:
    for run in conversation.runs(context):
        seen: set[str] = set()
        for block in run.of_type("tool_use"):
            if block.body["id"] in seen:
                return Breach(block.at, f"{block.at}: `tool_use` ids must be unique")
            seen.add(block.body["id"])
    return None


def tool_result_without_use(context: RequestContext) -> Breach | None:
    called: set[str] = set()
    for run in conversation.runs(context):
        for block in run.of_type("tool_result") if run.role == "user" else ():
            if block.body["tool_use_id"] not in called:
                return Breach(
                    block.at,
                    f"{block.at}: unexpected `tool_use_id` found in `tool_result` blocks: {block.body['tool_use_id']}. "
                    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
                )
        called = {block.body["id"] for block in run.of_type("tool_use")}
    return None


def tool_result_twice(context: RequestContext) -> Breach | None:
    for run in conversation.runs(context):
        seen: set[str] = set()
        for block in run.of_type("tool_result"):
            if block.body["tool_use_id"] in seen:
                return Breach(
                    block.at,
                    f"{block.at}: each tool_use must have a single result. Found multiple `tool_result` blocks with "
                    f"id: {block.body['tool_use_id']}",
                )
            seen.add(block.body["tool_use_id"])
    return None


def tool_use_unanswered(context: RequestContext) -> Breach | None:
    for run, after in calling_runs(context):
        answered = {block.body["tool_use_id"] for block in after.of_type("tool_result")} if after else set()
        missing = [block.body["id"] for block in run.of_type("tool_use") if block.body["id"] not in answered]
        if missing:
            return unanswered_breach(context, run, missing)
    return None


def tool_use_not_last(context: RequestContext) -> Breach | None:
    interleaves = OLD_WORDS not in context.traits or INTERLEAVED in context.headers.get("anthropic-beta", "")
    for run, _ in calling_runs(context):
        last = max((i for i, block in enumerate(run.blocks) if _separates(block, interleaves=interleaves)), default=-1)
        before = [block.body["id"] for block in run.blocks[: last + 1] if block.type == "tool_use"]
        if before:
            return unanswered_breach(context, run, before)
    return None


def tool_results_not_first(context: RequestContext) -> Breach | None:
    for run, after in calling_runs(context):
        answered = _leading(after.blocks) if after else set()
        called = [block.body["id"] for block in run.of_type("tool_use")] if after else []
        if missing := [one for one in called if one not in answered]:
            return unanswered_breach(context, run, missing)
    return None


def _separates(block: Block, *, interleaves: bool) -> bool:
    """Whether the block, after a call, separates it from its result. Thinking and unknown blocks do not."""
    of_provider = block.type == "server_tool_use" or is_server_result(block)
    return of_provider or (block.type == "text" and not interleaves)


def _leading(blocks: tuple[Block, ...]) -> set[str]:
    """The call ids of the results at the beginning."""
    ids: set[str] = set()
    for block in blocks:
        if block.type != "tool_result":
            break
        ids.add(block.body["tool_use_id"])
    return ids


def _misplaced(context: RequestContext, kind: str, role: str) -> Breach | None:
    for block in conversation.blocks(context, kind):
        if block.role != role:
            at = f"messages.{block.message}"
            return Breach(at, f"{at}: `{kind}` blocks can only be in `{role}` messages")
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/tool-result-in-assistant",
    "An assistant message contains a result; results belong in user messages.",
    ANY_MESSAGE, tool_result_in_assistant, needs="tool_result",
    wrong=sample_with_tool(user("a"), assistant(text_block("b"), tool_result()), user("c")),
    right=sample_with_tool(user("a"), assistant(text_block("b")), user("c")),
    recorded={TOOL_PROBES: "messages.1: `tool_result` blocks can only be in `user` messages"})
BOOK.row("anthropic/tool-use-in-user", "A user message contains a call; calls belong in assistant messages.",
    ANY_MESSAGE, tool_use_in_user, needs="tool_use",
    wrong=sample_with_tool(user(text_block("a"), tool_use())), right=sample_with_tool(user(text_block("a"))),
    verbatim={"chat clients that lose the role between turns":
        "messages.0: `tool_use` blocks can only be in `assistant` messages"})
BOOK.row("anthropic/tool-use-ids-unique",
    "Two calls of one message have the same id. Every known refusal is about a block after a message's first one; "
        "an id that comes again in a later message is accepted, as recorded (messages 1 and 3 of the last source).",
    NEAR_MESSAGES, tool_use_ids_unique, needs="tool_use",
    wrong=sample_with_tool(user("a"), assistant(tool_use("toolu_1"), tool_use("toolu_1")), user(tool_result())),
    right=sample_with_tool(user("a"), assistant(tool_use("toolu_1")), user(tool_result())),
    verbatim={"anthropics/claude-code#28515": "messages.43.content.2: tool_use ids must be unique",
        "trycua/cua#524": "messages.1.content.1: `tool_use` ids must be unique", "BerriAI/litellm#23510": "",
        "NachoSEO/claudegram#12": "",
        "pydantic/pydantic-ai, tests/cassettes/test_tool_search/"
        "test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-claude-sonnet-4-5].yaml": ""})
BOOK.row("anthropic/tool-result-without-use",
    "A result has no call in the message before it, which often happens when the call is pruned and its result "
        "kept.",
    NEAR_MESSAGES, tool_result_without_use, needs="tool_result",
    wrong=sample_with_tool(user("a"), assistant("b"), user(tool_result())),
    right=sample_with_tool(user("a"), assistant("b"), user("c")),
    verbatim={"anthropics/claude-code#13460": "unexpected `tool_use_id` found in `tool_result` blocks",
        "anthropics/claude-code#18947": "", "tghamm/Anthropic.SDK#184": ""})
BOOK.row("anthropic/tool-result-twice", "A call has more than one result.",
    NEAR_MESSAGES, tool_result_twice, needs="tool_result",
    wrong=sample_with_tool(user("a"), assistant(tool_use()), user(tool_result(), tool_result())),
    right=sample_with_tool(user("a"), assistant(tool_use()), user(tool_result())),
    verbatim={"vectorize-io/hindsight#4250": "each tool_use must have a single result. Found multiple `tool_result`"})
BOOK.row("anthropic/tool-use-unanswered",
    "A call has no result in the next message; a tool that failed, was refused or was interrupted needs a result "
        "too.",
    NEAR_MESSAGES, tool_use_unanswered, needs="tool_use",
    wrong=sample_with_tool(user("a"), assistant(tool_use()), user("c")),
    right=sample_with_tool(user("a"), assistant(tool_use()), user(tool_result())),
    recorded={"anthropics/claude-code#8210": "`tool_use` ids were found without `tool_result` blocks immediately after",
        TOOL_PROBES: "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after",
        "OpenHands/OpenHands#7512": ""})
BOOK.row("anthropic/tool-use-not-last",
    "Something separates a call from its result: a call of the provider's own tools after it or, on older models "
        "without interleaved thinking, text.",
    NEAR_MESSAGES, tool_use_not_last, needs="tool_use",
    models="all; of those after claude-4-5 text after a call is accepted",
    wrong=sample_with_tool(user("a"), assistant(tool_use(), text_block("b")), user(tool_result()), model=SMALL),
    right=sample_with_tool(user("a"), assistant(tool_use()), user(tool_result()), model=SMALL),
    recorded={"pydantic/pydantic-ai test_anthropic_web_search_tool.yaml": "messages.1: `tool_use` ids were found",
        "anomalyco/opencode, recording of 2026-05-05, claude-haiku-4-5: a text after the call": "",
        "vercel/ai#13013 and its recorded refusal of 2026-07: a search after the call": "",
        "gotgenes/pi-anthropic-auth#66: text after calls accepted, with the header for interleaved thinking": ""})
BOOK.row("anthropic/tool-results-not-first", "A result comes after text; results must come first in their message.",
    NEAR_MESSAGES, tool_results_not_first, needs="tool_use",
    wrong=sample_with_tool(user("a"), assistant(tool_use()), user(text_block("b"), tool_result())),
    right=sample_with_tool(user("a"), assistant(tool_use()), user(tool_result())),
    verbatim={DOCS: "put all result blocks before any text in that user message",
        "hermes-agent, session of 2026-07-05": "[text, tool_result]: HTTP 400, `tool_use` ids were found",
        "1jehuang/jcode#276": ""})
# fmt: on
