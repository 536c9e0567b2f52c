"""The smallest request of each wire, which no provider of it refuses: where it is posted, and its body."""

from typing import Any

from fake_providers.models import default_model
from fake_providers.wire_facts import WIRE_FACTS

USER = {"role": "user", "content": "Hi."}
BODIES: dict[str, dict[str, Any]] = {
    "openai-chat": {"messages": [USER]},
    "openai-responses": {"input": [USER]},
    "anthropic-messages": {"max_tokens": 9, "messages": [USER]},
    "gemini-generate": {"contents": [{"role": "user", "parts": [{"text": "Hi."}]}]},
    "ollama-chat": {"stream": False, "messages": [USER]},
    "bedrock-converse": {"messages": [{"role": "user", "content": [{"text": "Hi."}]}]},
    "cohere-chat": {"messages": [USER]},
}
"""Without a model, which some wires have in the path."""
PATHS = {wire: facts.path_for(default_model(wire)) for wire, facts in WIRE_FACTS.items()}


def sample_request(wire: str, *, stream: bool) -> tuple[str, dict[str, Any]]:
    """Path and body of a plain or of a streamed request to the wire's default model."""
    facts, model = WIRE_FACTS[wire], default_model(wire)
    path = facts.path_for(model, stream=stream)
    return path, BODIES[wire] if facts.has_model_in_path else {**BODIES[wire], "model": model, "stream": stream}
