"""Which families of models on Bedrock refuse the breaking request of each rule, and which accept it."""

from collections.abc import Iterator, Mapping
from typing import Final

from fake_providers.rule import Rule
from tests.docs.model_families import differing

FAMILIES: Final = {
    "Claude 5": "us.anthropic.claude-sonnet-5",
    "Claude 4.6": "us.anthropic.claude-sonnet-4-6",
    "Claude 4.5": "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "Claude 3": "anthropic.claude-3-haiku-20240307-v1:0",
    "Nova 1": "us.amazon.nova-pro-v1:0",
    "Nova 2": "us.amazon.nova-2-lite-v1:0",
    "Titan": "amazon.titan-text-express-v1",
    "Llama 3.3": "us.meta.llama3-3-70b-instruct-v1:0",
    "Llama 3.2 1B": "us.meta.llama3-2-1b-instruct-v1:0",
    "Mistral Large": "mistral.mistral-large-2402-v1:0",
    "Pixtral": "us.mistral.pixtral-large-2502-v1:0",
    "Qwen": "qwen.qwen3-32b-v1:0",
    "Writer": "us.writer.palmyra-x5-v1:0",
    "Cohere": "cohere.command-r-plus-v1:0",
    "AI21": "ai21.jamba-1-5-large-v1:0",
    "DeepSeek": "deepseek.v3-v1:0",
    "gpt-oss": "openai.gpt-oss-120b-1:0",
    "GPT-5": "openai.gpt-5-v1:0",
    "Gemma": "google.gemma-3-27b-it",
    "GLM": "zai.glm-4-7-v1:0",
    "Kimi": "moonshot.kimi-k2-v1:0",
    "Nemotron": "nvidia.nemotron-nano-9b-v2",
}
"""One model of each."""
VENDORS: Final = ("Claude", "Nova", "Llama")
"""Those with several families, which are named once where all of them are meant."""


def rules_of_families() -> Iterator[tuple[Rule, Mapping[str, str | None]]]:
    """What each family says of the breaking request of a rule, for the rules that some refuse it by and some accept."""
    return differing("bedrock", "bedrock-converse", FAMILIES)


def rows() -> Iterator[tuple[str, str, str, str]]:
    for rule, by in rules_of_families():
        refused = [name for name, found in by.items() if found == rule.id]
        accepted = [name for name, found in by.items() if found is None]
        yield f"`{rule.id.removeprefix('bedrock/')}`", rule.why.rstrip("."), named(refused), named(accepted)


def named(families: list[str]) -> str:
    """The families in short: those of a vendor with all of its own by its name, and most of all by what is missing."""
    if len(families) > len(FAMILIES) * 2 / 3:
        return f"all but {named([name for name in FAMILIES if name not in families])}"
    for vendor in VENDORS:
        own = [name for name in FAMILIES if name.startswith(vendor)]
        if set(own) <= set(families):
            families = [vendor if name == own[0] else name for name in families if name == own[0] or name not in own]
    return ", ".join(families)
