"""What single providers of Chat Completions require and others refuse: ids, thoughts, signatures, order of roles.

One small function for each; a provider that is not named here gets the plain form. Knows messages of this wire and
repairs no history.
"""

import hashlib
import re
from typing import Any

from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.history import Call, Thought

THOUGHTS = {
    "deepseek": "reasoning_content",
    "moonshot": "reasoning_content",
    "xai": "reasoning_content",
    "llama.cpp": "reasoning_content",
    "ollama": "reasoning",
    "cerebras": "reasoning",
    "vllm": "reasoning",
    "openrouter": "reasoning",
}
"""The field in which a provider accepts its model's thoughts. Others refuse it as unknown."""
NEEDS_THOUGHTS = frozenset({"deepseek"})
"""Providers that refuse calls without a thought. An empty one is accepted."""
NINE_CHARACTERS = re.compile("[A-Za-z0-9]{9}")
SHORT_IDS = frozenset({"mistral"})
NO_USER_AFTER_RESULT = frozenset({"mistral"})
"""Providers that refuse a user message right after a tool result."""
NEEDS_SIGNATURES = frozenset({"gemini"})


def provider_id(call_id: str | None, provider: str) -> str | None:
    """The id of a call, and of its result, in the form that the provider accepts: always the same for the same id."""
    if provider not in SHORT_IDS or call_id is None or NINE_CHARACTERS.fullmatch(call_id):
        return call_id
    return hashlib.sha256(call_id.encode()).hexdigest()[:9]


def thought_fields(thoughts: tuple[Thought, ...], provider: str) -> dict[str, str]:
    """The field of a message with calls for the thoughts before them."""
    member = THOUGHTS.get(provider)
    text = "".join(thought.text for thought in thoughts)
    return {member: text} if member and (text or provider in NEEDS_THOUGHTS) else {}


def signature_fields(call: Call, place: int, provider: str, placeholder_signature: str) -> dict[str, Any]:
    """Google's signature of the first call of an answer, or the documented one for calls without."""
    if provider not in NEEDS_SIGNATURES or (place and not call.signature):
        return {}
    return {"extra_content": {"google": {"thought_signature": call.signature or placeholder_signature}}}


def signature_of(call: Any) -> str | None:
    extra = call.get("extra_content")
    google = extra.get("google") if isinstance(extra, dict) else None
    return google.get("thought_signature") if isinstance(google, dict) else None


def with_reply_before_user(messages: list[dict[str, Any]], provider: str) -> list[dict[str, Any]]:
    """The messages, with one of the model between a tool result and the user if the provider requires it."""
    if provider not in NO_USER_AFTER_RESULT:
        return messages
    placed: list[dict[str, Any]] = []
    for message in messages:
        if placed and message["role"] == "user" and placed[-1]["role"] == "tool":
            placed.append({"role": "assistant", "content": prompts.UNANSWERED})
        placed.append(message)
    return placed


def text_and_thoughts(content: Any) -> tuple[str, str]:
    """Text and thoughts of a content that is a string or a list of parts."""
    if not isinstance(content, list):
        return content or "", ""
    parts = [part for part in content if isinstance(part, dict)]
    text = "".join(part.get("text") or "" for part in parts if part.get("type") == "text")
    thoughts = [piece for part in parts if part.get("type") == "thinking" for piece in part.get("thinking") or ()]
    return text, "".join(piece.get("text") or "" for piece in thoughts if isinstance(piece, dict))
