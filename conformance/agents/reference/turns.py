"""The agent's own history, in no wire's words. Knows no provider, no tool and no adapter but its messages."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from conformance.adapter.types import Message, Part


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `arguments` is None where the model's text was no JSON object; `problem` then says why.

    `signature` is Gemini's `thoughtSignature`, sent back as it came.
    """

    id: str | None
    name: str
    arguments: Mapping[str, Any] | None
    problem: str = ""
    signature: str | None = None

    @property
    def key(self) -> str:
        """Equal for calls of one tool with equal arguments, whatever the order of keys."""
        return f"{self.name} {json.dumps(self.arguments, sort_keys=True)}{self.problem}"


@dataclass(frozen=True, slots=True)
class Result:
    """What one call brought. `parts` are images and texts, where the tool gave more than text."""

    call_id: str | None
    name: str | None
    text: str
    is_error: bool = False
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Thought:
    """Reasoning as the provider gave it. `signature` vouches for it; `redacted` is all there is of a hidden one."""

    text: str = ""
    signature: str | None = None
    redacted: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: `results` answers the calls of the model turn before it. `signature` belongs to a model's text."""

    role: Literal["system", "user", "model", "results"]
    text: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    signature: str | None = None

    @property
    def blank(self) -> bool:
        return not (self.text.strip() or self.calls or self.results)


Turns = tuple[Turn, ...]


def restored(messages: Iterable[Message]) -> Turns:
    """A history that was handed over; results in a row become one turn. Nothing is mended here."""
    from conformance.agents.reference.arguments import read_arguments

    turns: list[Turn] = []
    for message in messages:
        if message.role == "tool":
            result = Result(message.tool_call_id, message.name, message.text, message.is_error)
            if turns and turns[-1].role == "results":
                result_turn = turns.pop()
                turns.append(Turn("results", results=(*result_turn.results, result)))
            else:
                turns.append(Turn("results", results=(result,)))
        elif message.role == "assistant":
            calls = []
            for call in message.tool_calls:
                given = call.arguments if call.arguments is not None else call.arguments_text
                arguments, problem = read_arguments(given)
                calls.append(Call(call.id, call.name, arguments, problem))
            turns.append(Turn("model", message.text, calls=tuple(calls)))
        else:
            turns.append(Turn(message.role, message.text))
    return tuple(turns)
