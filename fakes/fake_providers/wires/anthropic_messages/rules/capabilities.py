"""Rules on what some models accept and others do not: the longest reply, types of thinking, effort, and sampling.

An unknown model has no limit.
"""

import re
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Citation, Remedy
from fake_providers.rulebook import ANY_PARAMETER, ANY_TOOL, RequestContext, Rulebook
from fake_providers.values.lenient import listed, members
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.samples import SMALL, TOOL, sample_request
from fake_providers.wires.anthropic_messages.rules.thinking import ADAPTIVE, ENABLED, LARGE, forces_call, mode

BOOK = Rulebook(envelope)
LAST = Rulebook(envelope)
"""What is refused after the schemas were read."""

FORMAT = {"type": "json_schema", "schema": {"type": "object", "properties": {}, "additionalProperties": False}}
THINKING_REQUEST = sample_request(model=SMALL, max_tokens=4096, thinking=ENABLED)
GUIDE = (
    "https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-"
    "thinking"
)
LEAST_TOP_P = 0.95
DEFAULT_TOP_P = 0.99
"""The one value that claude-haiku-5-5 accepts."""
EFFORTS = ("low", "medium", "high", "xhigh", "max")
EFFORTS_BY_TRAIT = {
    "effort-but-xhigh": ("high", "low", "max", "medium"),
    "effort-to-high": ("high", "low", "medium"),
}
"""The efforts that models with the trait support, in the order of the error message."""
NEWEST = "claude-sonnet-5-5"
COMPUTER = {"type": "computer_20251124", "name": "computer", "display_width_px": 800, "display_height_px": 600}
BETWEEN_TOOLS = {"type": "between_tools"}
DISABLED = {"type": "disabled"}
MODELS = "https://platform.claude.com/docs/en/models"
TURNED_OFF = Citation(f"{MODELS}/sonnet-5-5/whats-new-sonnet-5-5#turn-off-up-front-thinking")
LONG_OUTPUT = "output-128k-2025-02-19"
LONG = 128_000
DATED = {
    4096: ("claude-3-haiku-20240307", "claude-3-sonnet-20240229", "claude-3-opus-20240229"),
    8192: ("claude-3-5-haiku-20241022", "claude-3-5-sonnet-20241022"),
    32_000: ("claude-opus-4-20250514", "claude-opus-4-1-20250805"),
    64_000: (
        *("claude-3-7-sonnet-20250219", "claude-sonnet-4-20250514", "claude-opus-4-5-20251101"),
        *("claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"),
    ),
}
WITHOUT_DATES = (
    *("opus-4-6", "opus-4-7", "opus-4-8", "opus-5", "opus-5-5", "sonnet-4-6", "sonnet-5", "sonnet-5-5", "haiku-5-5"),
    *("fable-5", "fable-5-1", "fable-5-2", "mythos-5", "mythos-5-1", "mythos-5-2"),
)
LIMITS = {name[: -len("-20250514")]: (most, name) for most, names in DATED.items() for name in names}
"""The longest reply, and the dated name that a name without a date stands for."""
LIMITS |= {f"claude-{name}": (LONG, f"claude-{name}") for name in WITHOUT_DATES}
for _name in ("opus", "sonnet"):
    LIMITS |= dict.fromkeys((f"claude-4-{_name}", f"claude-{_name}-4-0"), LIMITS[f"claude-{_name}-4"])
ONLY_DATED = ("claude-opus-4", "claude-sonnet-4")
"""Names that the API only knows with a date."""
NAME = re.compile(r"(?P<base>.+?)(?:-latest|(?P<date>-\d{8}))?")


def _above_limit(body: Any, context: RequestContext) -> dict[str, Any] | None:
    match = NAME.fullmatch(context.model.rsplit("/", 1)[-1])
    limit = LIMITS.get(match["base"]) if match else None
    if match is None or limit is None or (match["base"] in ONLY_DATED and not match["date"]):
        return None
    has_long_output = match["base"] == "claude-3-7-sonnet" and LONG_OUTPUT in context.headers.get("anthropic-beta", "")
    most = LONG if has_long_output else limit[0]
    return {"most": most, "named": match[0] if match["date"] else limit[1]} if body["max_tokens"] > most else None


EARLIER_EDITOR = "text_editor_20250429"


def _editor(version: str) -> dict[str, str]:
    return {"type": f"text_editor_{version}", "name": "str_replace_based_edit_tool"}


def _earlier_computer_tool(body: Any) -> tuple[int, str] | None:
    kinds = [tool.get("type") for tool in listed(body.get("tools"))]
    earlier = next((kind for kind in kinds if isinstance(kind, str) and kind.startswith("computer_20")), None)
    return None if earlier is None else (kinds.index(earlier), earlier)


def _refused_thinking(body: Any, context: RequestContext) -> dict[str, str] | None:
    requested, traits = mode(body), context.traits
    if requested == "between_tools":
        refuses = traits.isdisjoint(("between-tools", "between-tools-perhaps"))
    else:
        refusing = {"enabled": ("adaptive-only",), "disabled": ("always-thinks", "between-tools")}
        refuses = isinstance(requested, str) and not traits.isdisjoint(refusing.get(requested, ()))
    lowest = requested == "disabled" and "between-tools" in traits
    advice = '"thinking.type.between_tools" for the lowest thinking setting, or ' if lowest else ""
    return {"kind": requested, "advice": advice} if refuses else None


def _effort(body: Any) -> str | None:
    """The requested effort, if it is one of the known words."""
    requested = members(body.get("output_config")).get("effort")
    return requested if requested in EFFORTS else None


def _unsupported_effort(body: Any, context: RequestContext) -> dict[str, Any] | None:
    requested = _effort(body)
    for trait, levels in EFFORTS_BY_TRAIT.items():
        if requested is not None and trait in context.traits and requested not in levels:
            return {"effort": requested, "levels": ", ".join(levels)}
    return None


def _deprecated(body: Any, context: RequestContext) -> str | None:
    for name, harmless in (("temperature", 1), ("top_p", LEAST_TOP_P), ("top_k", None)):
        value = body.get(name)
        if value is not None and value >= 0 and (harmless is None or value < harmless):
            return name
    accepted = "default-top-p" not in context.traits or body.get("top_p", DEFAULT_TOP_P) in (DEFAULT_TOP_P, -1)
    return None if accepted else "top_p"


def _is_set(body: Any, name: str) -> bool:
    return body.get(name) is not None and body[name] >= 0


def _asks_for_format(body: Any) -> str | None:
    """The member that does."""
    config = body.get("output_config")
    asked = {"output_format": body.get("output_format"), "output_config": config}
    if isinstance(config, dict):
        asked["output_config"] = config.get("format")
    return next((name for name, value in asked.items() if value), None)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/max-tokens-large", "`max_tokens` is larger than the model's limit.",
    ANY_PARAMETER, _above_limit,
    "max_tokens: {item[max_tokens]} > {most}, which is the maximum allowed number of output tokens for {named}",
    "max_tokens", models="those whose limit is known: 4096 of claude-3 to 128000 since claude-opus-4-6",
    remedy=remedies.WHOLE_NUMBER,
    wrong=sample_request(model=SMALL, max_tokens=64_001), right=sample_request(model=SMALL, max_tokens=64_000),
    verbatim={"anthropics/claude-code#24451 (claude-opus-4-5)":
        "max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens for "
        "claude-opus-4-5-20251101", "OpenHands/OpenHands#11090 (claude-sonnet-4)": "",
        "Natively-AI-assistant/natively-cluely-ai-assistant#54 (claude-sonnet-4-5)": "",
        "continuedev/continue#10724 (claude-3-haiku)": "", "anthropics/claude-code#11302 (claude-3-opus)": "",
        "public clients that probed it on 2026-09-15 (claude-opus-4-7, claude-fable-5-1 and between)": "128001",
        "https://platform.claude.com/docs/en/models/overview, of 2026-11": "Max output: 128K tokens",
        "recordings in which the limit itself was accepted (claude-sonnet-4-6, 128000)": ""})
BOOK.row("anthropic/tool-choice-unsupported",
    "`tool_choice` forces a call, which the newest models never support; `auto` and `none` are accepted.",
    ANY_PARAMETER, forces_call, 'tool_choice: type "tool" and "any" are not supported for this model.', "tool_choice",
    needs="tool_choice", trait="no-forced-call",
    models="claude-opus-5-5, claude-sonnet-5-5, claude-fable-5-1 and -5-2, claude-mythos-5-1 and -5-2",
    checked="2026-11-22", remedy=remedies.AUTO_CHOICE,
    wrong=sample_request(model=NEWEST, tools=[TOOL], tool_choice={"type": "any"}),
    right=sample_request(model=NEWEST, tools=[TOOL], tool_choice={"type": "auto"}),
    verbatim={"can1357/oh-my-pi#12939 (claude-opus-5-5)":
        'tool_choice: type "tool" and "any" are not supported for this model.',
        "anthropics/claude-cookbooks#854 (claude-fable-5-1; the same requests succeed on claude-fable-5)": "",
        f"{MODELS}/sonnet-5-5/whats-new-sonnet-5-5#forced-tool-use-is-not-supported": "",
        f"{MODELS}/haiku-5-5/migration-guide: claude-haiku-5-5 accepts it": ""})
BOOK.row("anthropic/computer-tool-unsupported",
    "A tool is an earlier one for computer use; the newest models have the toolset `computer_toolset_20260801`.",
    ANY_TOOL, _earlier_computer_tool, "'{model}' does not support tool types: {found[1]}.", "tools.{found[0]}",
    trait="computer-toolset",
    models="claude-opus-5-5, claude-sonnet-5-5, claude-haiku-5-5, claude-fable-5-2, claude-mythos-5-2",
    checked="2026-11-22", remedy=Remedy("server-tools", "Offer the toolset for computer use that this model has."),
    wrong=sample_request(model=NEWEST, tools=[COMPUTER]),
    right=sample_request(model="claude-sonnet-5", tools=[COMPUTER]),
    reported={f"{MODELS}/sonnet-5-5/whats-new-sonnet-5-5#computer-20251124-is-not-supported, how the message begins":
        "'claude-sonnet-5-5' does not support tool types: computer_20251124.",
        f"{MODELS}/haiku-5-5/migration-guide#computer-use-toolset": "",
        f"{MODELS}/fable-5-2/whats-new-fable-5-2#computer-20251124-is-not-supported": ""})
BOOK.row("anthropic/editor-tool-unsupported", "The tool for editing texts is that of an earlier model.",
    ANY_TOOL, lambda body, context: context.model.startswith("claude-opus-4-6")
        and [place for place, tool in enumerate(listed(body.get("tools"))) if tool.get("type") == EARLIER_EDITOR],
    f"'{{model}}' does not support tool types: {EARLIER_EDITOR}. Did you mean one of bash_20250124, "
        "text_editor_20250728, web_search_20250305?", "tools.{found[0]}", models="claude-opus-4-6",
    checked="2026-11-30", remedy=Remedy("server-tools", "Offer the tool for editing texts that this model has."),
    wrong=sample_request(model="claude-opus-4-6", tools=[_editor("20250429")]),
    right=sample_request(model="claude-opus-4-6", tools=[_editor("20250728")]),
    verbatim={"UKGovernmentBEIS/inspect_ai#3179": "does not support tool types: text_editor_20250429."})
BOOK.row("anthropic/thinking-type-unsupported",
    "Newer models decide for themselves how long to think: they refuse a budget, and the newest also refuse "
        "`disabled`, for which claude-sonnet-5-5 alone has `between_tools`.",
    ANY_PARAMETER, _refused_thinking,
    '"thinking.type.{kind}" is not supported for this model. Use {advice}"thinking.type.adaptive" and '
        '"output_config.effort" to control thinking behavior.', "thinking.type", needs="thinking",
    models="claude-opus-4-7 and later, claude-sonnet-5*, claude-haiku-5-5, claude-fable-5*, claude-mythos-5*; "
        "`disabled`: claude-opus-5-5, claude-sonnet-5-5, claude-fable-5*, claude-mythos-5*; `between_tools`: "
        "those before claude-sonnet-5-5", checked="2026-11-22",
    remedy=Remedy("reasoning-settings",
        'Send `{"type":"adaptive"}` and an effort to this model, in place of a budget or of `disabled`.'),
    wrong=sample_request(model=LARGE, max_tokens=4096, thinking=ENABLED), right=THINKING_REQUEST,
    verbatim=(
        Citation("earendil-works/pi#3297 (claude-opus-4-7)",
        '"thinking.type.enabled" is not supported for this model.'),
        Citation("Sylinko/Everywhere#410 (claude-opus-4-8)"), Citation("AAClause/nvda-OpenAI#126 (claude-sonnet-5)"),
        Citation("openclaw/openclaw#117871 (claude-opus-5)"),
        Citation("live responses of claude-opus-5-5 of 2026-10-06", '"thinking.type.disabled" is not supported'),
        Citation(f"{MODELS}/fable-5/migration-guide: both types return a 400 on claude-fable-5 and claude-mythos-5"),
        Citation(f"{MODELS}/haiku-5-5/migration-guide#configure-thinking"), TURNED_OFF,
        Citation("openclaw, tests of recovery (claude-sonnet-5-5)",
        'Use "thinking.type.between_tools" for the lowest thinking setting'),
        Citation("a probe of every active model on 2026-09-29: claude-sonnet-5-5 alone accepts it",
        '"thinking.type.between_tools" is not supported for this model')))
BOOK.row("anthropic/thinking-between-tools-extra",
    "`between_tools` has another field beside it, such as `display` or `budget_tokens`.",
    ANY_PARAMETER, lambda body: mode(body) == "between_tools" and values.unknown_key(body["thinking"], ("type",)),
    "thinking.between_tools.{found[0]}: Extra inputs are not permitted", "thinking.{found[0]}", needs="between_tools",
    trait="between-tools", models="claude-sonnet-5-5, which alone has `between_tools`", checked="2026-11-22",
    remedy=Remedy("reasoning-settings", 'Send `{"type":"between_tools"}` alone.'),
    wrong=sample_request(model=NEWEST, thinking={**BETWEEN_TOOLS, "display": "summarized"}),
    right=sample_request(model=NEWEST, thinking=BETWEEN_TOOLS),
    verbatim=(Citation("a client for Rust", "thinking.between_tools.display: Extra inputs are not permitted"),
        TURNED_OFF))
BOOK.row("anthropic/effort-without-thinking", "The effort is `xhigh` or `max` while thinking is turned off.",
    ANY_PARAMETER, lambda body: mode(body) in ("disabled", "between_tools") and _effort(body) in ("xhigh", "max"),
    "output_config.effort '{item[output_config][effort]}' is not supported when thinking is disabled on this model. "
        "Use effort 'high' or below, or enable thinking.", "output_config.effort", needs="output_config",
    trait="thinks-from-xhigh", models="claude-opus-5, claude-haiku-5-5; with `between_tools` claude-sonnet-5-5",
    checked="2026-11-22", remedy=Remedy("reasoning-settings", "Lower the effort to `high`, or turn thinking on."),
    wrong=sample_request(model="claude-opus-5", thinking=DISABLED, output_config={"effort": "xhigh"}),
    right=sample_request(model="claude-opus-5", thinking=DISABLED, output_config={"effort": "high"}),
    verbatim=(
        Citation("anthropics/claude-code#81084 (claude-opus-5)",
        "output_config.effort 'xhigh' is not supported when thinking is disabled on this model."),
        Citation("pydantic/pydantic-ai, profiles: claude-opus-4-8 accepts it"),
        Citation("https://platform.claude.com/docs/en/build-with-claude/prompt-engineering/prompting-claude-haiku-5-5"),
        TURNED_OFF))
BOOK.row("anthropic/thinking-adaptive-unsupported", "Models that think with a budget do not support adaptive thinking.",
    ANY_PARAMETER, lambda body: mode(body) == "adaptive", "adaptive thinking is not supported on this model",
    "thinking.type", needs="adaptive", trait="thinking-first", models="claude-3-7 to claude-4-5",
    remedy=Remedy("reasoning-settings", 'Send `{"type":"enabled"}` with `budget_tokens` to this model.'),
    wrong=sample_request(model=SMALL, thinking=ADAPTIVE), right=sample_request(model=LARGE, thinking=ADAPTIVE),
    verbatim={"pensarai/apex#890 (claude-haiku-4-5)": "adaptive thinking is not supported on this model",
        "docker/docker-agent#3381": ""})
BOOK.row("anthropic/effort-unsupported",
    "The model does not support this effort: `xhigh` came with claude-opus-4-7, `max` with claude-opus-4-6.",
    ANY_PARAMETER, _unsupported_effort,
    "This model does not support effort level '{effort}'. Supported levels: {levels}.", "output_config.effort",
    needs="output_config", models="claude-opus-4-5, claude-opus-4-6, claude-sonnet-4-6",
    remedy=remedies.EFFORT_OF_MODEL,
    wrong=sample_request(model="claude-opus-4-6", output_config={"effort": "xhigh"}),
    right=sample_request(model="claude-opus-4-6", output_config={"effort": "high"}),
    recorded={"pydantic/pydantic-ai, recording, claude-opus-4-6":
        "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
        "BerriAI/litellm#27223 (claude-sonnet-4-6)": "",
        "SkillfulAgents/SuperAgent#1142, live (claude-sonnet-4-6, claude-opus-4-6)": "",
        "askalf/dario#491 (claude-opus-4-5)": "'max'. Supported levels: high, low, medium."})
BOOK.row("anthropic/effort-unknown",
    "Older and small models do not support `effort`, not even with the value that is the default elsewhere.",
    ANY_PARAMETER, _effort, "This model does not support the effort parameter.", "output_config.effort",
    needs="output_config", trait="no-effort",
    models="claude-opus-4-1, claude-sonnet-4-5, claude-haiku-4-5, and claude-4-0", remedy=remedies.NO_EFFORT,
    wrong=sample_request(model=SMALL, output_config={"effort": "low"}),
    right=sample_request(model="claude-opus-4-5", output_config={"effort": "low"}),
    verbatim={"Oaklight/llm-rosetta#289, live (claude-haiku-4-5)": "does not support the effort parameter.",
        "anthropics/claude-code#30760": "", "oratis/LISA#218": "",
        "sigoden/aichat#1519, capabilities of the models before claude-opus-4-5": '"supported":false'})
BOOK.row("anthropic/sampling-deprecated",
    "Newer models refuse sampling parameters: `temperature` and `top_p` must be the default or left out, and "
        "`top_k` left out.",
    ANY_PARAMETER, _deprecated, "`{found}` is deprecated for this model.", "{found}",
    needs=("temperature", "top_k", "top_p"), trait="no-sampling",
    models="claude-opus-4-7 and later, claude-sonnet-5*, claude-haiku-5-5, claude-fable-5*, claude-mythos-5*",
    remedy=remedies.NO_SAMPLING,
    wrong=sample_request(model=LARGE, temperature=0), right=sample_request(model=LARGE, temperature=1),
    verbatim={"BoltAI/BoltAI#410 (claude-opus-4-7)": "`temperature` is deprecated for this model.",
        "router-for-me/CLIProxyAPI#4383": "`top_p` is deprecated for this model",
        "quarkiverse/quarkus-langchain4j#2692 (claude-opus-4-8)": "`top_k` is deprecated for this model.",
        f"{MODELS}/sonnet-5/migration-guide": "set to a non-default value",
        f"{MODELS}/haiku-5-5/migration-guide#remove-sampling-parameters": "including a `top_p` of `1`"})
BOOK.row("anthropic/temperature-and-top-p", "`temperature` and `top_p` are both set.",
    ANY_PARAMETER, lambda body: _is_set(body, "temperature") and _is_set(body, "top_p"),
    "`temperature` and `top_p` cannot both be specified for this model. Please use only one.", "top_p", needs="top_p",
    trait="one-way-to-sample",
    models="claude-opus-4-1, claude-sonnet-4-5, claude-haiku-4-5, claude-opus-4-5, claude-haiku-5-5",
    remedy=remedies.TEMPERATURE_OR_TOP_P,
    wrong=sample_request(model=SMALL, temperature=0.1, top_p=0.9), right=sample_request(model=SMALL, temperature=0.1),
    verbatim={"langfuse/langfuse#9882 (claude-sonnet-4-5)": "temperature and top_p cannot both be specified",
        "NeatChat/NeatChat#72": "`temperature` and `top_p` cannot both be specified for this model.",
        "2FastLabs/agent-squad#392": ""})
BOOK.row("anthropic/thinking-top-k", "`top_k` is set while thinking is enabled.",
    ANY_PARAMETER, lambda body: mode(body) == "enabled" and body.get("top_k", -1) >= 0,
    f"`top_k` must be unset when thinking is enabled. Please consult our documentation at {GUIDE}", "top_k",
    needs="thinking", remedy=remedies.NO_SAMPLING.of("reasoning-settings"),
    wrong=THINKING_REQUEST | {"top_k": 40}, right=THINKING_REQUEST,
    verbatim={"quarkiverse/quarkus-langchain4j#1812": "`top_k` must be unset when thinking is enabled."})
BOOK.row("anthropic/thinking-top-p", "`top_p` is below 0.95 while thinking is enabled.",
    ANY_PARAMETER, lambda body: mode(body) == "enabled" and _is_set(body, "top_p") and body["top_p"] < LEAST_TOP_P,
    "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled. Please consult our "
        f"documentation at {GUIDE}", "top_p", needs="thinking", remedy=remedies.NO_SAMPLING.of("reasoning-settings"),
    wrong=THINKING_REQUEST | {"top_p": 0.5}, right=THINKING_REQUEST | {"top_p": 0.95},
    reported={"comments in public gateways":
        "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled"})
LAST.row("anthropic/output-format-unsupported",
    "A format of the answer is asked for, which came with claude-opus-4-1 and claude-sonnet-4-5.",
    ANY_PARAMETER, _asks_for_format, "'{model}' does not support output format.", "{found}", trait="no-output-format",
    models="claude-instant, claude-2*, claude-3*, claude-4-*, claude-sonnet-4-0, claude-opus-4-0, claude-sonnet-4-2, "
        "claude-opus-4-2", checked="2026-11-23", remedy=remedies.FORMAT_IN_WORDS,
    wrong=sample_request(model="claude-sonnet-4-20250514", output_config={"format": FORMAT}),
    right=sample_request(model="claude-sonnet-4-5", output_config={"format": FORMAT}),
    recorded={"recordings, claude-sonnet-4-20250514, claude-3-5-haiku-20241022":
        "'claude-sonnet-4-20250514' does not support output format."})
# fmt: on
