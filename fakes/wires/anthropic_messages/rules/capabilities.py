"""Rules on what one model takes and another does not: ways to think, effort, and sampling. Knows no message."""

from fakes.rule import Citation
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.anthropic_messages.errors import envelope
from fakes.wires.anthropic_messages.rules.thinking import ENABLED, kind
from fakes.wires.anthropic_messages.rules.tool_examples import SMALL, ask

BOOK = Rulebook(envelope)

ADAPTIVE = {"type": "adaptive"}
THOUGHTFUL = ask(model=SMALL, max_tokens=4096, thinking=ENABLED)
LARGE = "claude-opus-4-8"
GUIDE = (
    "https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-"
    "thinking"
)
LEAST_TOP_P = 0.95
EFFORTS = ("low", "medium", "high", "xhigh", "max")
LEVELS = {
    "effort-but-xhigh": ("high", "low", "max", "medium"),
    "effort-to-high": ("high", "low", "medium"),
}
"""What a trait leaves of the efforts, in the order of the message."""


@BOOK.rule(
    "anthropic/thinking-type-unsupported",
    why="newer models decide for themselves how long they think: no budget, and of the newest no switching off",
    models="claude-opus-4-7 and later, claude-sonnet-5, claude-fable-5; `disabled`: claude-opus-5-5",
    confidence="verbatim",
    evidence=(
        Citation(
            "earendil-works/pi#3297 (claude-opus-4-7)", '"thinking.type.enabled" is not supported for this model.'
        ),
        Citation("Sylinko/Everywhere#410 (claude-opus-4-8)"),
        Citation("AAClause/nvda-OpenAI#126 (claude-sonnet-5)"),
        Citation("openclaw/openclaw#117871 (claude-opus-5)"),
        Citation("live responses of claude-opus-5-5 of 2026-10-06", '"thinking.type.disabled" is not supported'),
    ),
    breaking=ask(model=LARGE, max_tokens=4096, thinking=ENABLED),
    accepted=THOUGHTFUL,
)
def thinking_type_unsupported(context: RequestContext) -> Breach | None:
    refused = {"enabled": "adaptive-only", "disabled": "always-thinks"}
    wanted = kind(context)
    if not isinstance(wanted, str) or refused.get(wanted) not in context.traits:
        return None
    return Breach(
        "thinking.type",
        f'"thinking.type.{wanted}" is not supported for this model. Use "thinking.type.adaptive" and '
        '"output_config.effort" to control thinking behavior.',
    )


@BOOK.rule(
    "anthropic/thinking-adaptive-unsupported",
    why="models that think by a budget do not know adaptive thinking",
    models="claude-3-7 to claude-4-5",
    confidence="verbatim",
    evidence=(
        Citation("pensarai/apex#890 (claude-haiku-4-5)", "adaptive thinking is not supported on this model"),
        Citation("docker/docker-agent#3381"),
    ),
    breaking=ask(model=SMALL, thinking=ADAPTIVE),
    accepted=ask(model=LARGE, thinking=ADAPTIVE),
)
def thinking_adaptive_unsupported(context: RequestContext) -> Breach | None:
    if kind(context) != "adaptive" or "thinking-first" not in context.traits:
        return None
    return Breach("thinking.type", "adaptive thinking is not supported on this model")


def effort(context: RequestContext) -> str | None:
    """How hard the model is asked to try, where that is a word for it."""
    config = context.body.get("output_config")
    wanted = config.get("effort") if isinstance(config, dict) else None
    return wanted if wanted in EFFORTS else None


@BOOK.rule(
    "anthropic/effort-unsupported",
    why="the model does not know this effort: `xhigh` came with claude-opus-4-7, `max` with claude-opus-4-6",
    models="claude-opus-4-5, claude-opus-4-6, claude-sonnet-4-6",
    confidence="recorded",
    evidence=(
        Citation(
            "pydantic/pydantic-ai, recorded exchange, claude-opus-4-6",
            "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
        ),
        Citation("BerriAI/litellm#27223 (claude-sonnet-4-6)"),
        Citation("SkillfulAgents/SuperAgent#1142, live (claude-sonnet-4-6, claude-opus-4-6)"),
        Citation("askalf/dario#491 (claude-opus-4-5)", "'max'. Supported levels: high, low, medium."),
    ),
    breaking=ask(model="claude-opus-4-6", output_config={"effort": "xhigh"}),
    accepted=ask(model="claude-opus-4-6", output_config={"effort": "high"}),
)
def effort_unsupported(context: RequestContext) -> Breach | None:
    wanted = effort(context)
    for trait, levels in LEVELS.items():
        if wanted is not None and trait in context.traits and wanted not in levels:
            sentence = f"This model does not support effort level '{wanted}'. Supported levels: {', '.join(levels)}."
            return Breach("output_config.effort", sentence)
    return None


@BOOK.rule(
    "anthropic/effort-unknown",
    why="older models and the small ones know no effort, not even the one that is the default elsewhere",
    models="claude-opus-4-1, claude-sonnet-4-5, claude-haiku-4-5, and claude-4-0",
    confidence="verbatim",
    evidence=(
        Citation("Oaklight/llm-rosetta#289, live (claude-haiku-4-5)", "does not support the effort parameter."),
        Citation("anthropics/claude-code#30760"),
        Citation("oratis/LISA#218"),
        Citation("sigoden/aichat#1519, capabilities of the models before claude-opus-4-5", '"supported":false'),
    ),
    breaking=ask(model=SMALL, output_config={"effort": "low"}),
    accepted=ask(model="claude-opus-4-5", output_config={"effort": "low"}),
)
def effort_unknown(context: RequestContext) -> Breach | None:
    if "no-effort" not in context.traits or effort(context) is None:
        return None
    return Breach("output_config.effort", "This model does not support the effort parameter.")


@BOOK.rule(
    "anthropic/sampling-deprecated",
    why="newer models are not told how to sample: `temperature` and `top_p` are 1 or left out, as is `top_k`",
    models="claude-opus-4-7 and later, claude-sonnet-5, claude-fable-5",
    confidence="verbatim",
    evidence=(
        Citation("BoltAI/BoltAI#410 (claude-opus-4-7)", "`temperature` is deprecated for this model."),
        Citation("router-for-me/CLIProxyAPI#4383", "`top_p` is deprecated for this model"),
        Citation("quarkiverse/quarkus-langchain4j#2692 (claude-opus-4-8)", "`top_k` is deprecated for this model."),
        Citation("https://platform.claude.com/docs/en/models/sonnet-5/migration-guide", "set to a non-default value"),
    ),
    breaking=ask(model=LARGE, temperature=0),
    accepted=ask(model=LARGE, temperature=1),
)
def sampling_deprecated(context: RequestContext) -> Breach | None:
    if "no-sampling" not in context.traits:
        return None
    for name, harmless in (("temperature", 1), ("top_p", LEAST_TOP_P), ("top_k", None)):
        value = context.body.get(name)
        if value is not None and value >= 0 and (harmless is None or value < harmless):
            return Breach(name, f"`{name}` is deprecated for this model.")
    return None


@BOOK.rule(
    "anthropic/temperature-and-top-p",
    why="one of the two ways to sample is given, not both",
    models="claude-opus-4-1, claude-sonnet-4-5, claude-haiku-4-5, claude-opus-4-5",
    confidence="verbatim",
    evidence=(
        Citation("langfuse/langfuse#9882 (claude-sonnet-4-5)", "temperature and top_p cannot both be specified"),
        Citation("NeatChat/NeatChat#72", "`temperature` and `top_p` cannot both be specified for this model."),
        Citation("2FastLabs/agent-squad#392"),
    ),
    breaking=ask(model=SMALL, temperature=0.1, top_p=0.9),
    accepted=ask(model=SMALL, temperature=0.1),
)
def temperature_and_top_p(context: RequestContext) -> Breach | None:
    given = [context.body.get(name) for name in ("temperature", "top_p")]
    if "one-way-to-sample" not in context.traits or any(value is None or value < 0 for value in given):
        return None
    return Breach("top_p", "`temperature` and `top_p` cannot both be specified for this model. Please use only one.")


@BOOK.rule(
    "anthropic/thinking-top-k",
    why="thinking allows no `top_k`",
    confidence="verbatim",
    evidence=(Citation("quarkiverse/quarkus-langchain4j#1812", "`top_k` must be unset when thinking is enabled."),),
    breaking=THOUGHTFUL | {"top_k": 40},
    accepted=THOUGHTFUL,
)
def thinking_top_k(context: RequestContext) -> Breach | None:
    if kind(context) != "enabled" or context.body.get("top_k", -1) < 0:
        return None
    return Breach(
        "top_k", f"`top_k` must be unset when thinking is enabled. Please consult our documentation at {GUIDE}"
    )


@BOOK.rule(
    "anthropic/thinking-top-p",
    why="thinking allows no `top_p` below 0.95",
    confidence="reported",
    evidence=(
        Citation(
            "comments in public gateways",
            "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled",
        ),
    ),
    breaking=THOUGHTFUL | {"top_p": 0.5},
    accepted=THOUGHTFUL | {"top_p": 0.95},
)
def thinking_top_p(context: RequestContext) -> Breach | None:
    top_p = context.body.get("top_p")
    if kind(context) != "enabled" or top_p is None or not 0 <= top_p < LEAST_TOP_P:
        return None
    return Breach(
        "top_p",
        "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled. Please consult our "
        f"documentation at {GUIDE}",
    )
