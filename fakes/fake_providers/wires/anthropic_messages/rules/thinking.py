"""Rules on thinking: its settings, and thinking blocks that must come back unchanged."""

from typing import Any

from fake_providers.rulebook import ALL_MESSAGES, ANY_PARAMETER, NEAR_MESSAGES, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages import conversation, thinking_signatures
from fake_providers.wires.anthropic_messages.conversation import Block, Run
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.samples import (
    SMALL,
    TOOL,
    assistant,
    sample_request,
    sample_with_tool,
    text_block,
    tool_result,
    tool_use,
    user,
)

BOOK = Rulebook(envelope)

THINKING = ("thinking", "redacted_thinking")
ENABLED = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}
LARGE = "claude-opus-4-8"
GUIDE = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"


def thinking_block(thinking: str = "b", signature: str | None = None) -> dict[str, Any]:
    return {"type": "thinking", "thinking": thinking, "signature": signature or thinking_signatures.sign(thinking)}


def thinking_mode(context: RequestContext) -> Any:
    thinking = context.body.get("thinking")
    return thinking.get("type") if isinstance(thinking, dict) else None


def forces_call(context: RequestContext) -> bool:
    choice = context.body.get("tool_choice")
    return isinstance(choice, dict) and choice.get("type") in ("any", "tool")


def budget(context: RequestContext) -> int | None:
    tokens = context.body["thinking"].get("budget_tokens") if thinking_mode(context) == "enabled" else None
    return tokens if isinstance(tokens, int) else None


def thinking_budget_small(context: RequestContext) -> Breach | None:
    tokens = budget(context)
    if tokens is None or tokens >= 1024:
        return None
    at = "thinking.enabled.budget_tokens"
    return Breach(at, f"{at}: Input should be greater than or equal to 1024")


def thinking_budget_large(context: RequestContext) -> Breach | None:
    tokens = budget(context)
    if tokens is None or tokens < context.body["max_tokens"]:
        return None
    return Breach(
        "max_tokens",
        "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at "
        f"{GUIDE}#max-tokens-and-context-window-size",
    )


FORCED = "Thinking may not be enabled when tool_choice forces tool use."


def thinking_forced_tool(context: RequestContext) -> Breach | None:
    if thinking_mode(context) != "enabled" or not forces_call(context):
        return None
    return Breach("tool_choice", FORCED)


def adaptive_forced_tool(context: RequestContext) -> Breach | None:
    if thinking_mode(context) != "adaptive" or "adaptive-yields" in context.traits or not forces_call(context):
        return None
    return Breach("tool_choice", FORCED)


def thinking_temperature(context: RequestContext) -> Breach | None:
    if thinking_mode(context) not in ("enabled", "adaptive") or context.body.get("temperature", 1) == 1:
        return None
    return Breach(
        "temperature",
        "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our "
        "documentation at https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
    )


def thinking_last(context: RequestContext) -> Breach | None:
    for run in conversation.runs(context):
        if run.role == "assistant" and run.blocks and run.blocks[-1].type in THINKING:
            last = run.blocks[-1]
            at = f"messages.{last.message}"
            return Breach(at, f"{at}: The final block in an assistant message cannot be `{last.type}`.")
    return None


def thinking_missing(context: RequestContext) -> Breach | None:
    if thinking_mode(context) != "enabled" or "thinking-first" not in context.traits:
        return None
    # The assistant runs of the turn whose calls the last message answers, the latest first; empty if it
    # answers none
    found: list[Run] = []
    rest = list(conversation.runs(context))
    while (
        len(rest) > 1 and rest[-1].role == "user" and rest[-1].of_type("tool_result") and rest[-2].role == "assistant"
    ):
        rest.pop()
        found.append(rest.pop())
    answered = [run for run in found if run.blocks]
    if not answered or any(run.blocks[0].type in THINKING for run in answered):
        return None
    start = answered[-1].blocks[0]
    return Breach(
        f"{start.at}.type",
        f"{start.at}.type: Expected `thinking` or `redacted_thinking`, but found `{start.type}`. When `thinking` is "
        "enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of "
        "`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid "
        f"this requirement, disable `thinking`. Please consult our documentation at {GUIDE}",
    )


def thinking_signature(context: RequestContext) -> Breach | None:
    latest = _latest_thinking(context)
    for block in conversation.blocks(context, "thinking"):
        state = thinking_signatures.verify(block.text("signature"), block.text("thinking"))
        unsigned = not block.text("signature") and block.text("thinking")
        if state in ("damaged", "foreign") or unsigned or (state == "other-thinking" and block not in latest):
            return Breach(f"{block.at}.signature", f"{block.at}: Invalid `signature` in `thinking` block")
    return None


def thinking_modified(context: RequestContext) -> Breach | None:
    for block in _latest_thinking(context):
        if thinking_signatures.verify(block.text("signature"), block.text("thinking")) == "other-thinking":
            return Breach(
                block.at,
                f"{block.at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
                "modified. These blocks must remain as they were in the original response.",
            )
    return None


def _latest_thinking(context: RequestContext) -> tuple[Block, ...]:
    """The thinking blocks of the latest assistant message."""
    runs = conversation.runs(context)
    latest = next((run for run in reversed(runs) if run.role == "assistant"), None)
    return latest.of_type("thinking") if latest else ()


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/thinking-budget-small", "The budget of enabled thinking is less than 1024 tokens.",
    ANY_PARAMETER, thinking_budget_small, needs="thinking",
    wrong=sample_request(model=SMALL, max_tokens=4096, thinking={"type": "enabled", "budget_tokens": 100}),
    right=sample_request(model=SMALL, max_tokens=4096, thinking=ENABLED),
    verbatim={"danny-avila/LibreChat#8346":
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"})
BOOK.row("anthropic/thinking-budget-large", "The budget for thinking is not smaller than `max_tokens`.",
    ANY_PARAMETER, thinking_budget_large, needs="thinking",
    wrong=sample_request(model=SMALL, max_tokens=1024, thinking=ENABLED),
    right=sample_request(model=SMALL, max_tokens=4096, thinking=ENABLED),
    recorded={"pydantic/pydantic-ai test_pause_turn_web_search_vcr.yaml":
        "`max_tokens` must be greater than `thinking.budget_tokens`."})
BOOK.row("anthropic/thinking-forced-tool", "`tool_choice` forces a call while thinking is enabled with a budget.",
    ANY_PARAMETER, thinking_forced_tool, needs="thinking",
    wrong=sample_request(model=SMALL, max_tokens=4096, thinking=ENABLED, tools=[TOOL], tool_choice={"type": "any"}),
    right=sample_request(model=SMALL, max_tokens=4096, thinking=ENABLED, tools=[TOOL], tool_choice={"type": "auto"}),
    recorded={"maruel/genai GenSync-Tools-SquareRoot-1.yaml (claude-sonnet-4 to claude-opus-4-6)": FORCED})
BOOK.row("anthropic/adaptive-forced-tool",
    "`tool_choice` forces a call with adaptive thinking. The refusal was recorded in the middle of 2026, but since "
        "August Anthropic documents that the request is accepted.",
    ANY_PARAMETER, adaptive_forced_tool, needs="thinking",
    models="claude-sonnet-4-6, claude-opus-4-7, claude-opus-4-8; claude-opus-4-6 was recorded to accept it",
    checked="2026-11-22",
    wrong=sample_request(model=LARGE, thinking=ADAPTIVE, tools=[TOOL], tool_choice={"type": "any"}),
    right=sample_request(model=LARGE, thinking=ADAPTIVE, tools=[TOOL], tool_choice={"type": "auto"}),
    inferred={"maruel/genai GenSync-Tools-SquareRoot-1.yaml (claude-opus-4-8)": FORCED,
        "https://platform.claude.com/docs/en/build-with-claude/thinking, of 2026-08-09":
        "Adaptive thinking, including on models where thinking is on by default, supports forced tool use"})
BOOK.row("anthropic/thinking-temperature", "`temperature` is not 1 while thinking is enabled.",
    ANY_PARAMETER, thinking_temperature, needs="thinking",
    wrong=sample_request(model=SMALL, max_tokens=4096, thinking=ENABLED, temperature=0),
    right=sample_request(model=SMALL, max_tokens=4096, thinking=ENABLED, temperature=1),
    verbatim={"MayDay-wpf/snow-app#42": "may only be set to 1 when thinking is enabled or in adaptive mode",
        "MartialBE/one-hub#529": "`temperature` may only be set to 1 when thinking is enabled."})
BOOK.row("anthropic/thinking-last", "An assistant message ends with thinking; leave out thinking that was interrupted.",
    NEAR_MESSAGES, thinking_last, needs=("redacted_thinking", "thinking"),
    wrong=sample_request(user("a"), assistant(thinking_block()), user("c")),
    right=sample_request(user("a"), assistant(thinking_block(), text_block("d")), user("c")),
    verbatim={"tailcallhq/forgecode#2107": "messages.1: The final block in an assistant message cannot be `thinking`.",
        "NousResearch/hermes-agent#13010": ""})
BOOK.row("anthropic/thinking-missing",
    "Thinking is enabled, and the calls that are being answered do not have their thinking before them.",
    NEAR_MESSAGES, thinking_missing, even_usual=True, needs="thinking", models="claude-3-7 to claude-4-5",
    wrong=sample_with_tool(user("a"), assistant(tool_use()), user(tool_result()), model=SMALL, max_tokens=4096,
        thinking=ENABLED),
    right=sample_with_tool(user("a"), assistant(thinking_block(), tool_use()), user(tool_result()), model=SMALL,
        max_tokens=4096, thinking=ENABLED),
    verbatim={"deepset-ai/haystack-core-integrations#2146": "Expected `thinking` or `redacted_thinking`"})
BOOK.row("anthropic/thinking-signature",
    "The signature of a thinking block is missing or damaged, or another provider issued it, or in an earlier "
        "message it belongs to other thinking. Of Anthropic's own signatures only the form is checked.",
    ALL_MESSAGES, thinking_signature, needs="thinking",
    wrong=sample_request(user("a"),
        assistant(thinking_block(signature=thinking_signatures.sign("b")[:-4] + "AAAA"), text_block("c")), user("d")),
    right=sample_request(user("a"), assistant(thinking_block(), text_block("c")), user("d")),
    verbatim={"anthropics/claude-code#10627": "messages.1.content.0: Invalid `signature` in `thinking` block",
        "anthropics/anthropic-sdk-python#1598": "the check fails when a block differs in any way",
        "openclaw/openclaw#99382": "",
        "can1357/oh-my-pi#6379": "messages.1.content.0: Invalid `signature` in `thinking` block",
        "MadAppGang/claudish#182: reasoning of another provider in a session with several": "",
        "openclaw/openclaw#92201: one that was cut when it was stored; the form shows it": ""})
BOOK.row("anthropic/thinking-modified", "The thinking of the latest assistant message was changed.",
    ALL_MESSAGES, thinking_modified, needs="thinking",
    wrong=sample_request(user("a"), assistant(thinking_block("e", thinking_signatures.sign("b")), text_block("c")),
        user("d")),
    right=sample_request(user("a"), assistant(thinking_block("b", thinking_signatures.sign("b")), text_block("c")),
        user("d")),
    verbatim={"anthropics/claude-code#63203": "blocks in the latest assistant message cannot be modified.",
        "vybestack/llxprt-code#1653": ""})
# fmt: on
