"""What single providers of Chat Completions want, and others refuse: ids, thoughts, signatures, who may speak when.

One small function for each, all of which give the plain form to a provider that is not named here. Knows messages of
this wire and mends no history.
"""

import hashlib
import re
from typing import Any

from conformance.agents.reference import notes
from conformance.agents.reference.turns import Call, Thought

THOUGHTS = {
    "deepseek": "reasoning_content",
    "xai": "reasoning_content",
    "llama.cpp": "reasoning_content",
    "vllm": "reasoning",
    "openrouter": "reasoning",
}
"""The member in which a provider takes its model's thoughts back. Others refuse any, as unknown fields."""
WANTS_THOUGHTS = frozenset({"deepseek"})
"""Who refuses calls that come back without a thought; an empty one will do where there is none."""
NINE_CHARACTERS = re.compile("[A-Za-z0-9]{9}")
SHORT_IDS = frozenset({"mistral"})
ANSWERED_FIRST = frozenset({"mistral"})
"""Where no user may speak right after a tool result."""
SIGNED = frozenset({"gemini"})


def fitting_id(call_id: str | None, provider: str) -> str | None:
    """The id of a call, and of its result, in the form that the provider takes: always the same for the same id."""
    if provider not in SHORT_IDS or call_id is None or NINE_CHARACTERS.fullmatch(call_id):
        return call_id
    return hashlib.sha256(call_id.encode()).hexdigest()[:9]


def thoughts_back(thoughts: tuple[Thought, ...], provider: str) -> dict[str, str]:
    """What a message with calls says of the thinking before them."""
    member = THOUGHTS.get(provider)
    text = "".join(thought.text for thought in thoughts)
    return {member: text} if member and (text or provider in WANTS_THOUGHTS) else {}


def signature_back(call: Call, place: int, provider: str, unsigned: str) -> dict[str, Any]:
    """Google's signature of the first call of an answer, or what Google documents for calls without one."""
    if provider not in SIGNED or (place and not call.signature):
        return {}
    return {"extra_content": {"google": {"thought_signature": call.signature or unsigned}}}


def signature_of(call: Any) -> str | None:
    extra = call.get("extra_content")
    google = extra.get("google") if isinstance(extra, dict) else None
    return google.get("thought_signature") if isinstance(google, dict) else None


def seated(messages: list[dict[str, Any]], provider: str) -> list[dict[str, Any]]:
    """The messages with a word of the model's between a tool result and the user, where the provider wants one."""
    if provider not in ANSWERED_FIRST:
        return messages
    made: list[dict[str, Any]] = []
    for message in messages:
        if made and message["role"] == "user" and made[-1]["role"] == "tool":
            made.append({"role": "assistant", "content": notes.UNANSWERED})
        made.append(message)
    return made


def told(content: Any) -> tuple[str, str]:
    """Text and thoughts of a content that is text, or a list of parts."""
    if not isinstance(content, list):
        return content or "", ""
    parts = [part for part in content if isinstance(part, dict)]
    text = "".join(part.get("text") or "" for part in parts if part.get("type") == "text")
    thoughts = [piece for part in parts if part.get("type") == "thinking" for piece in part.get("thinking") or ()]
    return text, "".join(piece.get("text") or "" for piece in thoughts if isinstance(piece, dict))
