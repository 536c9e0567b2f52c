"""Why the model stopped, and what that allows. Knows answers; knows no wire and runs nothing."""

from dataclasses import dataclass
from typing import Literal

from conformance.agents.reference.turns import Call, Thought

Finish = Literal["stop", "length", "withheld", "malformed"]
"""`withheld` is a content filter or a refusal; `malformed` is a call that the provider itself could not read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the model, complete, in no wire's words. `signature` belongs to its text."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    finish: Finish = "stop"
    reason: str = ""
    signature: str | None = None


def may_run(answer: Answer) -> bool:
    """Whether the calls of this answer are whole: the last one of a message that was cut off may not be."""
    return answer.finish == "stop"


def honest_words(answer: Answer, *, closing: bool) -> str:
    """What the user is told where the model itself says nothing."""
    if closing:
        return "I could not finish this: I kept calling tools without getting to an answer."
    reasons = {"withheld": "was withheld by the provider", "length": "was cut off before it began"}
    return f"The model's answer {reasons.get(answer.finish, 'was empty')}."
