"""What single providers of Responses require and others do not know: thoughts in plain text, or encrypted ones.

Knows items of this wire and repairs no history.
"""

from typing import Any

from agent_conformance.agents.reference.history import Thought

PLAIN_THOUGHTS = frozenset({"deepseek"})
"""Providers that do not encrypt thoughts, and refuse calls without any. An empty one is accepted."""


def thought_items(thoughts: tuple[Thought, ...], provider: str, *, calls: bool) -> list[dict[str, Any]]:
    """The items for the thoughts of one message. Other providers need an encrypted thought; one without is left out."""
    if provider in PLAIN_THOUGHTS:
        written = "".join(thought.text for thought in thoughts)
        part = {"type": "reasoning_text", "text": written}
        return [{"type": "reasoning", "summary": [], "content": [part]}] if written or calls else []
    return [_encrypted(thought) for thought in thoughts if thought.signature]


def _encrypted(thought: Thought) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": thought.text}] if thought.text else []
    return {"type": "reasoning", "summary": summary, "encrypted_content": thought.signature}
