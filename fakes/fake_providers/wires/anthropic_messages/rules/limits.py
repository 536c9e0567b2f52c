"""The rule on the largest `max_tokens` of each model. An unknown model has no limit."""

import re
from typing import NamedTuple

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules.samples import SMALL, sample_request

BOOK = Rulebook(envelope)

LONG_OUTPUT = "output-128k-2025-02-19"
LONG = 128_000


class Limit(NamedTuple):
    """`dated` is the dated name that a name without a date stands for."""

    maximum: int
    dated: str


LIMITS = {
    "claude-3-haiku": Limit(4096, "claude-3-haiku-20240307"),
    "claude-3-sonnet": Limit(4096, "claude-3-sonnet-20240229"),
    "claude-3-opus": Limit(4096, "claude-3-opus-20240229"),
    "claude-3-5-haiku": Limit(8192, "claude-3-5-haiku-20241022"),
    "claude-3-5-sonnet": Limit(8192, "claude-3-5-sonnet-20241022"),
    "claude-3-7-sonnet": Limit(64_000, "claude-3-7-sonnet-20250219"),
    "claude-4-opus": Limit(32_000, "claude-opus-4-20250514"),
    "claude-opus-4": Limit(32_000, "claude-opus-4-20250514"),
    "claude-opus-4-0": Limit(32_000, "claude-opus-4-20250514"),
    "claude-opus-4-1": Limit(32_000, "claude-opus-4-1-20250805"),
    "claude-opus-4-5": Limit(64_000, "claude-opus-4-5-20251101"),
    "claude-4-sonnet": Limit(64_000, "claude-sonnet-4-20250514"),
    "claude-sonnet-4": Limit(64_000, "claude-sonnet-4-20250514"),
    "claude-sonnet-4-0": Limit(64_000, "claude-sonnet-4-20250514"),
    "claude-sonnet-4-5": Limit(64_000, "claude-sonnet-4-5-20250929"),
    "claude-haiku-4-5": Limit(64_000, "claude-haiku-4-5-20251001"),
    **{
        name: Limit(LONG, name)
        for name in (
            "claude-opus-4-6",
            "claude-opus-4-7",
            "claude-opus-4-8",
            "claude-opus-5",
            "claude-sonnet-4-6",
            "claude-opus-5-5",
            "claude-sonnet-5",
            "claude-sonnet-5-5",
            "claude-haiku-5-5",
            "claude-fable-5",
            "claude-fable-5-1",
            "claude-fable-5-2",
            "claude-mythos-5",
            "claude-mythos-5-1",
            "claude-mythos-5-2",
        )
    },
}
ONLY_DATED = ("claude-opus-4", "claude-sonnet-4")
"""Names that the API only knows with a date."""
NAME = re.compile(r"(?P<base>.+?)(?:-latest|(?P<date>-\d{8}))?")


@BOOK.rule(
    "anthropic/max-tokens-large",
    why="`max_tokens` is larger than the model's limit.",
    models="those whose limit is known: 4096 of claude-3 to 128000 since claude-opus-4-6",
    confidence="verbatim",
    evidence=(
        Citation(
            "anthropics/claude-code#24451 (claude-opus-4-5)",
            "max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens for "
            "claude-opus-4-5-20251101",
        ),
        Citation("OpenHands/OpenHands#11090 (claude-sonnet-4)"),
        Citation("Natively-AI-assistant/natively-cluely-ai-assistant#54 (claude-sonnet-4-5)"),
        Citation("continuedev/continue#10724 (claude-3-haiku)"),
        Citation("anthropics/claude-code#11302 (claude-3-opus)"),
        Citation(
            "public clients that probed it on 2026-09-15 (claude-opus-4-7, claude-fable-5-1 and between)", "128001"
        ),
        Citation("https://platform.claude.com/docs/en/models/overview, of 2026-11", "Max output: 128K tokens"),
        Citation("recordings in which the limit itself was accepted (claude-sonnet-4-6, 128000)"),
    ),
    breaking=sample_request(model=SMALL, max_tokens=64_001),
    accepted=sample_request(model=SMALL, max_tokens=64_000),
)
def max_tokens_large(context: RequestContext) -> Breach | None:
    match = NAME.fullmatch(context.model.rsplit("/", 1)[-1])
    limit = LIMITS.get(match["base"]) if match else None
    if match is None or limit is None or (match["base"] in ONLY_DATED and not match["date"]):
        return None
    has_long_output = match["base"] == "claude-3-7-sonnet" and LONG_OUTPUT in context.headers.get("anthropic-beta", "")
    maximum, requested = LONG if has_long_output else limit.maximum, context.body["max_tokens"]
    if requested <= maximum:
        return None
    model = match[0] if match["date"] else limit.dated
    return Breach(
        "max_tokens",
        f"max_tokens: {requested} > {maximum}, which is the maximum allowed number of output tokens for {model}",
    )
