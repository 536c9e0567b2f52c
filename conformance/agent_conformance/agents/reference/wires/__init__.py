"""The wires of the reference agent, by name. Each is imported when it is used."""

from collections.abc import Mapping
from importlib import import_module

from agent_conformance.agents.reference.wires.wire import Wire

WIRES = (
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "gemini-generate",
    "ollama-chat",
    "bedrock-converse",
    "cohere-chat",
)
"""The module of each has its `BY_PROVIDER`: what the wire is on providers whose paths, keys or abilities are not those
of the others, and, under "", on all others."""


def wire_of(name: str, provider: str) -> Wire:
    by_provider: Mapping[str, Wire] = import_module(f"{__name__}.{name.replace('-', '_')}").BY_PROVIDER
    return by_provider.get(provider, by_provider[""])
