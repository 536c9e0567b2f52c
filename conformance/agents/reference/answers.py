"""An answer of the model, why it stopped, and what that allows. Knows no wire and runs nothing."""

from dataclasses import dataclass
from typing import Literal

from conformance.agents.reference.history import Call, Thought

Finish = Literal["stop", "length", "withheld", "malformed"]
"""`withheld`: a content filter or a refusal; `malformed`: a call that the provider itself could not read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One complete answer of the model, independent of the wire. `signature` belongs to its text."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    finish: Finish = "stop"
    reason: str = ""
    signature: str | None = None


def may_run(answer: Answer) -> bool:
    """Whether the calls of this answer are complete: the last call of a message that was cut off may not be."""
    return answer.finish == "stop"


def fallback_reply(answer: Answer, *, closing: bool) -> str:
    """The reply to the user if the model wrote no text."""
    if closing:
        return "I could not finish this: I kept calling tools without getting to an answer."
    reasons = {"withheld": "was withheld by the provider", "length": "was cut off before it began"}
    return f"The model's answer {reasons.get(answer.finish, 'was empty')}."
