"""An answer of the model, why it stopped, and what that allows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agent_conformance.adapter.types import AgentError
from agent_conformance.agents.reference.history import Call, Entry, Thought

Finish = Literal["stop", "length", "withheld", "paused"]
"""`withheld`: by a content filter, a refusal, or since the provider could not read the model's own call; `paused`: the
provider goes on once it has the answer back."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One complete answer of the model, independent of the wire. `signature` belongs to its text, `blocks` are its
    content as it came, where the provider's own tools are in it. `provider` is who answered."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    finish: Finish = "stop"
    reason: str | None = None
    signature: str | None = None
    blocks: tuple[Mapping[str, Any], ...] = ()
    provider: str = ""


def entry_of(answer: Answer, text: str) -> Entry:
    """The answer for the history under this text, with what its provider wants back."""
    thoughts, signature, blocks = answer.thoughts, answer.signature, answer.blocks
    return Entry("model", text, thoughts=thoughts, signature=signature, blocks=blocks, provider=answer.provider)


def may_run(answer: Answer) -> bool:
    """Whether the calls of this answer are complete: the last call of a message that was cut off may not be."""
    return answer.finish == "stop"


def is_to_be_continued(answer: Answer) -> bool:
    """Whether the answer goes back as it is, and the provider goes on with it."""
    return answer.finish == "paused"


def fallback_reply(answer: Answer, *, closing: bool) -> str:
    """The reply to the user if the model wrote no text."""
    if closing:
        return "I could not finish this: I kept calling tools without getting to an answer."
    reasons = {"withheld": "was withheld by the provider", "length": "was cut off before it began"}
    return f"The model's answer {reasons.get(answer.finish, 'was empty')}."


class DeltaTracker:
    """The deltas of one answer over all attempts: a repeated attempt continues where the last one broke off."""

    def __init__(self) -> None:
        self._delivered = ""
        self._current = ""

    def begin(self) -> None:
        self._current = ""

    def add(self, text: str) -> str:
        """The part of `text` that the user does not have yet. Raises `AgentError` if the attempts differ."""
        self._current += text
        if self._delivered.startswith(self._current):
            return ""
        if not self._current.startswith(self._delivered):
            raise AgentError("the answer broke off, and the second attempt was different")
        new = self._current.removeprefix(self._delivered)
        self._delivered = self._current
        return new

    def end(self) -> None:
        if self._current != self._delivered:
            raise AgentError("the answer broke off, and the second attempt was shorter")
