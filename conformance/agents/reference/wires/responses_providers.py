"""What single providers of Responses want back, and others do not know: a thought in full, or a seal of their own.

Knows items of this wire and mends no history.
"""

from typing import Any

from conformance.agents.reference.turns import Thought

IN_FULL = frozenset({"deepseek"})
"""Who seals nothing, takes thoughts back as they were written, and refuses calls without any: an empty one will do."""


def thoughts_back(thoughts: tuple[Thought, ...], provider: str, *, calls: bool) -> list[dict[str, Any]]:
    """The items for what the model thought in one turn. Elsewhere one without a seal says nothing, and is left out."""
    if provider in IN_FULL:
        written = "".join(thought.text for thought in thoughts)
        part = {"type": "reasoning_text", "text": written}
        return [{"type": "reasoning", "summary": [], "content": [part]}] if written or calls else []
    return [_sealed(thought) for thought in thoughts if thought.signature]


def _sealed(thought: Thought) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": thought.text}] if thought.text else []
    return {"type": "reasoning", "summary": summary, "encrypted_content": thought.signature}
