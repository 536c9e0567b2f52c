"""Rules on thinking: its settings, and thinking blocks that must come back unchanged."""

from typing import Any

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, NEAR_MESSAGES, RequestContext, Rulebook, Selector
from fake_providers.values.lenient import members
from fake_providers.wires.anthropic_messages.conversation import RUN, Block, Run, blocks, runs
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.samples import (
    SMALL,
    TOOL,
    sample_request,
    sample_with_tool,
    text_block,
    tool_result,
    tool_use,
)
from fake_providers.wires.anthropic_messages.thinking_signatures import sign, verify

BOOK = Rulebook(envelope)

THINKING = ("thinking", "redacted_thinking")
ENABLED = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}
LARGE = "claude-opus-4-8"
GUIDE = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
FORCED = "Thinking may not be enabled when tool_choice forces tool use."


def thinking_block(thinking: str = "b", signature: str | None = None) -> dict[str, Any]:
    return {"type": "thinking", "thinking": thinking, "signature": signature or sign(thinking)}


def _enabled(**fields: Any) -> dict[str, Any]:
    return sample_request(**{"model": SMALL, "max_tokens": 4096, "thinking": ENABLED, **fields})


def _after_thought(block: dict[str, Any]) -> dict[str, Any]:
    """A conversation with this block of thinking before an answer."""
    return sample_request("a", [block, text_block("c")], "d")


def mode(body: Any) -> Any:
    """The type of thinking."""
    return members(body.get("thinking")).get("type")


def forces_call(body: Any) -> bool:
    return members(body.get("tool_choice")).get("type") in ("any", "tool")


def _budget(body: Any) -> int | None:
    tokens = body["thinking"].get("budget_tokens") if mode(body) == "enabled" else None
    return tokens if isinstance(tokens, int) else None


def _unthought(body: Any, context: RequestContext) -> Block | None:
    """The first block of the turn whose calls the last message answers, where nothing of it was thought before."""
    if mode(body) != "enabled":
        return None
    found: list[Run] = []
    rest = list(runs(context))
    while (
        len(rest) > 1 and rest[-1].role == "user" and rest[-1].of_type("tool_result") and rest[-2].role == "assistant"
    ):
        rest.pop()
        found.append(rest.pop())
    answered = [run for run in found if run.blocks]
    if not answered or any(run.blocks[0].type in THINKING for run in answered):
        return None
    return answered[-1].blocks[0]


def _thoughts(context: RequestContext) -> list[tuple[Block, str, bool]]:
    """Each block of thinking, with what its signature is, and whether it is in the latest assistant message."""
    found: list[tuple[Block, str, bool]] | None = context.read.get("thoughts")
    if found is None:
        latest = next((run.of_type("thinking") for run in reversed(runs(context)) if run.role == "assistant"), ())
        found = context.read["thoughts"] = [
            (block, verify(block.text("signature"), block.text("thinking")), block in latest)
            for block in blocks(context, "thinking")
        ]
    return found


THOUGHT = Selector(_thoughts, "{item.at}", ("state", "is_latest"), "request", ("conversation",))


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/thinking-budget-small", "The budget of enabled thinking is less than 1024 tokens.",
    ANY_PARAMETER, lambda body: (tokens := _budget(body)) is not None and tokens < 1024,
    "{at}: Input should be greater than or equal to 1024", "thinking.enabled.budget_tokens", needs="thinking",
    remedy=remedies.LEAST_BUDGET,
    wrong=_enabled(thinking={"type": "enabled", "budget_tokens": 100}), right=_enabled(),
    verbatim={"danny-avila/LibreChat#8346":
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"})
BOOK.row("anthropic/thinking-temperature", "`temperature` is not 1 while thinking is enabled.",
    ANY_PARAMETER, lambda body: mode(body) in ("enabled", "adaptive") and body.get("temperature", 1) != 1,
    "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation "
        "at https://platform.claude.com/docs/en/build-with-claude/extended-thinking", "temperature", needs="thinking",
    remedy=remedies.NO_SAMPLING.of("reasoning-settings"),
    wrong=_enabled(temperature=0), right=_enabled(temperature=1),
    verbatim={"MayDay-wpf/snow-app#42": "may only be set to 1 when thinking is enabled or in adaptive mode",
        "MartialBE/one-hub#529": "`temperature` may only be set to 1 when thinking is enabled."})
BOOK.row("anthropic/thinking-budget-large", "The budget for thinking is not smaller than `max_tokens`.",
    ANY_PARAMETER, lambda body: (tokens := _budget(body)) is not None and tokens >= body["max_tokens"],
    "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at "
        f"{GUIDE}#max-tokens-and-context-window-size", "max_tokens", needs="thinking",
        remedy=remedies.BUDGET_BELOW_MAX_TOKENS,
    wrong=_enabled(max_tokens=1024), right=_enabled(),
    recorded={"pydantic/pydantic-ai test_pause_turn_web_search_vcr.yaml":
        "`max_tokens` must be greater than `thinking.budget_tokens`."})
BOOK.row("anthropic/thinking-forced-tool", "`tool_choice` forces a call while thinking is enabled with a budget.",
    ANY_PARAMETER, lambda body: mode(body) == "enabled" and forces_call(body), FORCED, "tool_choice", needs="thinking",
    remedy=remedies.CHOICE_WHILE_THINKING.of("reasoning-settings"),
    wrong=_enabled(tools=[TOOL], tool_choice={"type": "any"}),
    right=_enabled(tools=[TOOL], tool_choice={"type": "auto"}),
    recorded={"maruel/genai GenSync-Tools-SquareRoot-1.yaml (claude-sonnet-4 to claude-opus-4-6)": FORCED})
BOOK.row("anthropic/adaptive-forced-tool",
    "`tool_choice` forces a call with adaptive thinking. The refusal was recorded in the middle of 2026, but since "
        "August Anthropic documents that the request is accepted.",
    ANY_PARAMETER,
    lambda body, context: mode(body) == "adaptive" and "adaptive-yields" not in context.traits and forces_call(body),
    FORCED, "tool_choice", needs="thinking",
    models="claude-sonnet-4-6, claude-opus-4-7, claude-opus-4-8; claude-opus-4-6 was recorded to accept it",
    checked="2026-11-22", remedy=remedies.CHOICE_WHILE_THINKING.of("reasoning-settings"),
    wrong=sample_request(model=LARGE, thinking=ADAPTIVE, tools=[TOOL], tool_choice={"type": "any"}),
    right=sample_request(model=LARGE, thinking=ADAPTIVE, tools=[TOOL], tool_choice={"type": "auto"}),
    inferred={"maruel/genai GenSync-Tools-SquareRoot-1.yaml (claude-opus-4-8)": FORCED,
        "https://platform.claude.com/docs/en/build-with-claude/thinking, of 2026-08-09":
        "Adaptive thinking, including on models where thinking is on by default, supports forced tool use"})
BOOK.row("anthropic/thinking-last", "An assistant message ends with thinking; leave out thinking that was interrupted.",
    RUN, lambda run: run.role == "assistant" and run.blocks and run.blocks[-1].type in THINKING and run.blocks[-1],
    "{at}: The final block in an assistant message cannot be `{found.type}`.", "/messages.{found.message}",
    needs=("redacted_thinking", "thinking"),
    remedy=Remedy("reasoning-sent-back",
        "Leave out thinking that was interrupted before the model wrote anything else."),
    wrong=sample_request("a", thinking_block(), "c"),
    right=sample_request("a", [thinking_block(), text_block("d")], "c"),
    verbatim={"tailcallhq/forgecode#2107": "messages.1: The final block in an assistant message cannot be `thinking`.",
        "NousResearch/hermes-agent#13010": ""})
BOOK.row("anthropic/thinking-missing",
    "Thinking is enabled, and the calls that are being answered do not have their thinking before them.",
    NEAR_MESSAGES, _unthought,
    "{at}: Expected `thinking` or `redacted_thinking`, but found `{found.type}`. When `thinking` is enabled, a final "
        "`assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and "
        "`tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this "
        "requirement, disable `thinking`. Please consult our documentation at " + GUIDE, "{found.at}.type",
    trait="thinking-first", even_usual=True, needs="thinking", models="claude-3-7 to claude-4-5",
    remedy=remedies.THINKING_BEFORE_CALLS,
    wrong=sample_with_tool("a", tool_use(), tool_result(), model=SMALL, max_tokens=4096, thinking=ENABLED),
    right=sample_with_tool("a", [thinking_block(), tool_use()], tool_result(), model=SMALL, max_tokens=4096,
        thinking=ENABLED),
    verbatim={"deepset-ai/haystack-core-integrations#2146": "Expected `thinking` or `redacted_thinking`"})
BOOK.row("anthropic/thinking-signature",
    "The signature of a thinking block is missing or damaged, or another provider issued it, or in an earlier "
        "message it belongs to other thinking. Of Anthropic's own signatures only the form is checked.",
    THOUGHT,
    lambda block, state,
        is_latest: state in ("damaged", "foreign") or (state == "other-thinking" and not is_latest)
        or (block.text("thinking") and not block.text("signature")),
    "{item.at}: Invalid `signature` in `thinking` block", ".signature", needs="thinking",
    remedy=remedies.THINKING_UNCHANGED,
    wrong=_after_thought(thinking_block(signature=sign("b")[:-4] + "AAAA")), right=_after_thought(thinking_block()),
    verbatim={"anthropics/claude-code#10627": "messages.1.content.0: Invalid `signature` in `thinking` block",
        "anthropics/anthropic-sdk-python#1598": "the check fails when a block differs in any way",
        "openclaw/openclaw#99382": "",
        "can1357/oh-my-pi#6379": "messages.1.content.0: Invalid `signature` in `thinking` block",
        "MadAppGang/claudish#182: reasoning of another provider in a session with several": "",
        "openclaw/openclaw#92201: one that was cut when it was stored; the form shows it": ""})
BOOK.row("anthropic/thinking-modified", "The thinking of the latest assistant message was changed.",
    THOUGHT, lambda _, state, is_latest: is_latest and state == "other-thinking",
    "{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks "
        "must remain as they were in the original response.", "", needs="thinking", remedy=remedies.THINKING_UNCHANGED,
    wrong=_after_thought(thinking_block("e", sign("b"))), right=_after_thought(thinking_block("b", sign("b"))),
    verbatim={"anthropics/claude-code#63203": "blocks in the latest assistant message cannot be modified.",
        "vybestack/llxprt-code#1653": ""})
# fmt: on
