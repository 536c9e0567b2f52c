"""The wires of the reference agent, by name. Each is imported when it is used."""

from collections.abc import Callable
from functools import cache
from importlib import import_module

from agent_conformance.agents.reference.wires.wire import Wire

WIRES = {
    "openai-chat": "OpenAIChat",
    "openai-responses": "OpenAIResponses",
    "anthropic-messages": "AnthropicMessages",
    "gemini-generate": "GeminiGenerate",
    "ollama-chat": "OllamaChat",
    "bedrock-converse": "BedrockConverse",
    "cohere-chat": "CohereChat",
}
"""The class of each, which is in the module of its name."""

PROVIDERS = {("gemini-generate", "vertex"): "VertexGenerate", ("anthropic-messages", "vertex"): "VertexMessages"}
"""Wires of providers whose paths or keys are not those of their wire."""


@cache
def wire_of(name: str, provider: str) -> Wire:
    module = import_module(f"{__name__}.{name.replace('-', '_')}")
    make: Callable[..., Wire] = getattr(module, PROVIDERS.get((name, provider), WIRES[name]))
    return make(takes_schema_beside_tools=False) if (name, provider) == ("openai-chat", "cohere") else make()
