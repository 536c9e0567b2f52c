"""Rules on the content of messages: empty content, blank text, and cache marks. Knows no call and no result."""

from collections.abc import Iterator
from typing import Any

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages import conversation
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.messages import OLD_WORDS
from fake_providers.wires.anthropic_messages.rules.samples import (
    SMALL,
    assistant,
    measured,
    sample_request,
    sample_with_tool,
    text_block,
    tool_result,
    tool_use,
    user,
)

BOOK = Rulebook(envelope)

OLD_EMPTY = "all messages must have non-empty content except for the optional final assistant message"
EMPTY = "text content blocks must be non-empty"
BLANK = "text content blocks must contain non-whitespace text"
CACHED = {"cache_control": {"type": "ephemeral"}}
LONG = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
NOT_CONTENT = ("input", "input_schema")
"""Values that the client defines, in which `cache_control` has no meaning."""


def _sample_with_image_result(*, is_error: bool) -> dict[str, Any]:
    """A conversation with one call whose result contains an image."""
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    return sample_with_tool(user("a"), assistant(tool_use()), user(tool_result(content=[image], is_error=is_error)))


@BOOK.rule(
    "anthropic/user-content-empty",
    why="A user message is empty; an empty message next to a user message with content is accepted.",
    confidence="recorded",
    evidence=(
        *measured("messages.0: user messages must have non-empty content"),
        Citation("Mirascope/mirascope empty-call (claude-haiku-4-5)", f"messages.0: {OLD_EMPTY}"),
    ),
    breaking=sample_request(user("")),
    accepted=sample_request(user("a")),
)
def user_content_empty(context: RequestContext) -> Breach | None:
    for run in conversation.runs(context):
        if run.role == "user" and not run.blocks:
            sentence = OLD_EMPTY if OLD_WORDS in context.traits else "user messages must have non-empty content"
            return Breach(f"messages.{run.first}", f"messages.{run.first}: {sentence}")
    return None


@BOOK.rule(
    "anthropic/assistant-content-empty",
    why="An assistant message that is not the last one is empty; only older models refuse it.",
    models="before claude-opus-4-6",
    confidence="verbatim",
    evidence=(Citation("corespeed-io/zypher-agent#122", OLD_EMPTY),),
    breaking=sample_request(user("a"), assistant(""), user("b"), model=SMALL),
    accepted=sample_request(user("a"), assistant("c"), user("b"), model=SMALL),
)
def assistant_content_empty(context: RequestContext) -> Breach | None:
    if OLD_WORDS not in context.traits:
        return None
    for run in conversation.runs(context)[:-1]:
        if run.role == "assistant" and not run.blocks:
            return Breach(f"messages.{run.first}", f"messages.{run.first}: {OLD_EMPTY}")
    return None


@BOOK.rule(
    "anthropic/text-empty",
    why="A text block is empty; leave the block out if the model wrote no text with a call.",
    confidence="verbatim",
    evidence=(
        Citation("anthropics/claude-code#59812", f"messages: {EMPTY}"),
        Citation("anthropics/claude-code#62379", "text: cache_control cannot be set for empty text blocks"),
    ),
    breaking=sample_request(user(text_block(""))),
    accepted=sample_request(user(text_block("a"))),
)
def text_empty(context: RequestContext) -> Breach | None:
    for block in conversation.blocks(context, "text"):
        if block.body["text"] == "" and block.body.get("cache_control"):
            return Breach(block.at, f"{block.at}.text: cache_control cannot be set for empty text blocks")
        if block.body["text"] == "":
            return Breach(block.at, f"messages: {EMPTY}")
    return None


@BOOK.rule(
    "anthropic/text-blank",
    why="A message has nothing but white space; a blank block next to text, a call, a result or thinking is accepted.",
    confidence="verbatim",
    evidence=(
        Citation("LibreChat-AI/agents#124", "I confirmed the API rules by hitting `messages.create` directly"),
        Citation("anthropics/claude-code#23440", f"messages: {BLANK}"),
        Citation("anomalyco/opencode#31260: a single space between signed thinking blocks is kept"),
    ),
    breaking=sample_request(user(" \n")),
    accepted=sample_request(user("a")),
)
def text_blank(context: RequestContext) -> Breach | None:
    runs = conversation.runs(context)
    for run in runs:
        is_prefill = run is runs[-1] and run.role == "assistant"
        if run.blocks and not is_prefill and all(_is_blank_text(block) for block in run.blocks):
            return Breach(run.blocks[0].at, f"messages: {BLANK}")
    return None


@BOOK.rule(
    "anthropic/system-text-blank",
    why="A block of `system` is only white space; an empty string as the whole `system` is accepted.",
    confidence="verbatim",
    evidence=(Citation("a benchmark of system prompts, 2026-09-09", f"system: {BLANK}"),),
    breaking=sample_request(system=[text_block(" ")]),
    accepted=sample_request(system=[text_block("b")]),
)
def system_text_blank(context: RequestContext) -> Breach | None:
    listed = context.body.get("system")
    for index, block in enumerate(listed if isinstance(listed, list) else ()):
        text = block.get("text")
        if isinstance(text, str) and not text.strip():
            return Breach(f"system.{index}", f"system: {BLANK if text else EMPTY}")
    return None


@BOOK.rule(
    "anthropic/cache-control-count",
    why="More than four blocks of the request have `cache_control`.",
    confidence="verbatim",
    evidence=(
        Citation("tghamm/Anthropic.SDK#50", "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    ),
    breaking=sample_request(user(*(text_block(word) | CACHED for word in "abcde"))),
    accepted=sample_request(user(*(text_block(word) | CACHED for word in "abcd"), text_block("e"))),
)
def cache_control_count(context: RequestContext) -> Breach | None:
    found = sum(1 for field in ("tools", "system", "messages") for _ in _with_cache_control(context.body.get(field)))
    if found <= 4:
        return None
    return Breach("cache_control", f"A maximum of 4 blocks with cache_control may be provided. Found {found}.")


@BOOK.rule(
    "anthropic/cache-ttl-order",
    why=(
        "A block with the one-hour cache comes after one with five minutes (the default); the order is tools, system, "
        "messages."
    ),
    confidence="verbatim",
    evidence=(
        Citation(
            "cnighswonger/claude-code-cache-fix#44",
            "messages.0.content.4.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'",
        ),
        Citation("kristianvast/hermes-claude-auth#31", "system.1.cache_control.ttl: a ttl='1h' cache_control block"),
    ),
    breaking=sample_request(user(text_block("a") | CACHED, text_block("b") | LONG)),
    accepted=sample_request(user(text_block("a") | CACHED, text_block("b") | CACHED)),
)
def cache_ttl_order(context: RequestContext) -> Breach | None:
    short = False
    for at, block in _cacheable(context):
        mark = block.get("cache_control")
        ttl = mark.get("ttl") if isinstance(mark, dict) else None
        if short and ttl == "1h":
            return Breach(
                f"{at}.cache_control.ttl",
                f"{at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control "
                "block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
            )
        short = short or (isinstance(mark, dict) and ttl in (None, "5m"))
    return None


@BOOK.rule(
    "anthropic/failed-result-of-text",
    why="A result with `is_error` contains something other than text.",
    confidence="reported",
    evidence=(
        Citation("vellum-ai/vellum-assistant#18387", "all content must be type `text` if `is_error` is true"),
        Citation("caozhiyuan/copilot-api#196"),
    ),
    breaking=_sample_with_image_result(is_error=True),
    accepted=_sample_with_image_result(is_error=False),
)
def failed_result_of_text(context: RequestContext) -> Breach | None:
    for block in conversation.blocks(context, "tool_result"):
        parts = block.body.get("content")
        if block.body.get("is_error") is not True or not isinstance(parts, list):
            continue
        if any(part["type"] != "text" for part in parts):
            at = f"{block.at}.tool_result"
            return Breach(at, f"{at}: all content must be type `text` if `is_error` is true")
    return None


@BOOK.rule(
    "anthropic/failed-result-empty",
    why="A result with `is_error` has no content, as of a tool that raised an error without a text.",
    confidence="verbatim",
    evidence=(
        Citation(
            "four public projects, sessions of the Claude Agent SDK among them",
            "messages.150.content.0.tool_result: content cannot be empty if `is_error` is true",
        ),
        Citation("aws-samples …agentcore#15: the same on Bedrock's Converse"),
    ),
    breaking=sample_with_tool(user("a"), assistant(tool_use()), user(tool_result(is_error=True, content=""))),
    accepted=sample_with_tool(user("a"), assistant(tool_use()), user(tool_result(is_error=True, content="b"))),
    checked="2026-11-23",
)
def failed_result_empty(context: RequestContext) -> Breach | None:
    for block in conversation.blocks(context, "tool_result"):
        if block.body.get("is_error") is True and block.body.get("content") in (None, "", []):
            at = f"{block.at}.tool_result"
            return Breach(at, f"{at}: content cannot be empty if `is_error` is true")
    return None


def _is_blank_text(block: conversation.Block) -> bool:
    return block.type == "text" and not block.text("text").strip()


def _cacheable(context: RequestContext) -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything that can have `cache_control`, with its place, in the provider's order."""
    for name in ("tools", "system"):
        listed = context.body.get(name)
        yield from ((f"{name}.{index}", one) for index, one in enumerate(listed if isinstance(listed, list) else ()))
    yield from ((block.at, block.body) for block in conversation.blocks(context))


def _with_cache_control(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            if node.get("cache_control") is not None:
                yield node
            waiting += [member for key, member in node.items() if key not in NOT_CONTENT]
