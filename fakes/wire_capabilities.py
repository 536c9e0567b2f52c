"""What a wire cannot say: reply feature x wire x mode. A test compares the encoders with this table.

And what a provider does not let its own model say, whatever the wire.
"""

from typing import Literal, get_args

from fakes.call_validation import CallFault
from fakes.provider_facts import facts_by_provider

Feature = Literal[
    "arguments-not-json",
    "arguments-not-object",
    "call-id-null",
    "call-id-verbatim",
    "thinking",
    "finish-refusal",
    "finish-malformed",
    "finish-content-filter",
    "error-event",
    "early-end",
    "noise-crlf",
    "noise-comments",
    "noise-pings",
    "noise-unknown-events",
]

TABLE: dict[Feature, dict[str, tuple[str, ...]]] = {
    "arguments-not-json": {
        "openai-chat": ("plain", "stream"),
        "openai-responses": ("plain", "stream"),
        "anthropic-messages": ("stream",),
    },
    "arguments-not-object": {
        "openai-chat": ("plain", "stream"),
        "openai-responses": ("plain", "stream"),
        "anthropic-messages": ("stream",),
    },
    "call-id-null": {
        "openai-chat": ("plain", "stream"),
        "gemini-generate": ("plain", "stream"),
        "ollama-chat": ("plain", "stream"),
    },
    "call-id-verbatim": {
        "openai-chat": ("plain", "stream"),
        "openai-responses": ("plain", "stream"),
        "anthropic-messages": ("plain", "stream"),
        "gemini-generate": ("plain", "stream"),
        "ollama-chat": ("plain", "stream"),
    },
    "thinking": {
        "openai-chat": ("plain", "stream"),
        "openai-responses": ("plain", "stream"),
        "anthropic-messages": ("plain", "stream"),
        "gemini-generate": ("plain", "stream"),
        "ollama-chat": ("plain", "stream"),
    },
    "finish-refusal": {
        "openai-chat": ("plain", "stream"),
        "openai-responses": ("plain", "stream"),
        "anthropic-messages": ("plain", "stream"),
        "gemini-generate": ("plain", "stream"),
    },
    "finish-malformed": {"gemini-generate": ("plain", "stream")},
    "finish-content-filter": {
        "openai-chat": ("plain", "stream"),
        "openai-responses": ("plain", "stream"),
        "gemini-generate": ("plain", "stream"),
    },
    "error-event": {
        "openai-chat": ("stream",),
        "openai-responses": ("stream",),
        "anthropic-messages": ("stream",),
        "gemini-generate": ("stream",),
        "ollama-chat": ("stream",),
    },
    "early-end": {
        "openai-chat": ("stream",),
        "openai-responses": ("stream",),
        "anthropic-messages": ("stream",),
        "gemini-generate": ("stream",),
        "ollama-chat": ("stream",),
    },
    "noise-crlf": {
        "openai-chat": ("stream",),
        "openai-responses": ("stream",),
        "anthropic-messages": ("stream",),
        "gemini-generate": ("stream",),
        "ollama-chat": ("stream",),
    },
    "noise-comments": {
        "openai-chat": ("stream",),
        "openai-responses": ("stream",),
        "anthropic-messages": ("stream",),
    },
    "noise-pings": {"anthropic-messages": ("stream",)},
    "noise-unknown-events": {
        "openai-chat": ("stream",),
        "openai-responses": ("stream",),
        "anthropic-messages": ("stream",),
        "gemini-generate": ("stream",),
    },
}
"""In which modes each wire can say it; a wire that is missing cannot."""


def can_express(feature: Feature, *, wire: str, mode: str) -> bool:
    return mode in TABLE[feature].get(wire, ())


REFUSED: dict[str, frozenset[CallFault]] = {
    name: frozenset(get_args(CallFault)) for name, facts in facts_by_provider().items() if facts.refuses_own_calls
}
"""Providers that answer such a call of their model with an error of their own, so that no client ever sees it."""
