"""What each wire can express, and what a provider never lets its models send, on any wire."""

from functools import cache
from importlib import import_module
from typing import get_args

from fake_providers.provider_facts import facts_by_provider
from fake_providers.registry import WIRES
from fake_providers.replies.call_validation import CallFault
from fake_providers.replies.wire_limits import Feature, WireLimits


@cache
def limits_of(wire: str) -> WireLimits:
    """The limits of a wire, without the rest of it."""
    limits: WireLimits = import_module(f"{WIRES[wire]}.limits").LIMITS
    return limits


def can_express(feature: Feature, *, wire: str, mode: str) -> bool:
    return limits_of(wire).can_say(feature, mode)


HOLD_HALF_CHARACTERS = ("openai-chat", "openai-responses")
"""Wires on which half of a surrogate pair can go to a client and back. Anthropic refuses it in a request; Gemini and
Ollama hold calls as objects in which there is none."""

SIGN_REASONING = ("openai-responses", "anthropic-messages", "gemini-generate", "bedrock-converse")
"""Wires whose own provider signs or encrypts reasoning: `SignsReasoning`."""

FORCE_CALLS = ("openai-chat", "openai-responses", "anthropic-messages", "gemini-generate", "bedrock-converse")
"""Wires on which a request can make the model call a tool. Ollama drops a `tool_choice`: ollama/ollama#11171."""

REFUSED: dict[str, frozenset[CallFault]] = {
    name: frozenset(get_args(CallFault)) for name, facts in facts_by_provider().items() if facts.refuses_own_calls
}
"""Providers that answer such a call of their model with an error of their own, so that no client ever sees it."""
