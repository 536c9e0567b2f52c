"""The wires of the reference agent, by name."""

from agent_conformance.agents.reference.wires.anthropic_messages import AnthropicMessages, VertexMessages
from agent_conformance.agents.reference.wires.bedrock_converse import BedrockConverse
from agent_conformance.agents.reference.wires.cohere_chat import CohereChat
from agent_conformance.agents.reference.wires.gemini_generate import GeminiGenerate, VertexGenerate
from agent_conformance.agents.reference.wires.ollama_chat import OllamaChat
from agent_conformance.agents.reference.wires.openai_chat import OpenAIChat
from agent_conformance.agents.reference.wires.openai_responses import OpenAIResponses
from agent_conformance.agents.reference.wires.wire import Wire

WIRES: dict[str, Wire] = {
    wire.name: wire
    for wire in (
        OpenAIChat(),
        OpenAIResponses(),
        AnthropicMessages(),
        GeminiGenerate(),
        OllamaChat(),
        BedrockConverse(),
        CohereChat(),
    )
}

PROVIDERS: dict[tuple[str, str], Wire] = {
    ("gemini-generate", "vertex"): VertexGenerate(),
    ("anthropic-messages", "vertex"): VertexMessages(),
    ("openai-chat", "cohere"): OpenAIChat(takes_schema_beside_tools=False),
}
"""Wires of providers whose paths, keys or abilities are not those of their wire."""


def wire_of(name: str, provider: str) -> Wire:
    return PROVIDERS.get((name, provider)) or WIRES[name]
