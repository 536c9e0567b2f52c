"""The agent's own history, independent of any wire."""

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from agent_conformance.adapter.types import Message, Part
from agent_conformance.agents.reference import prompts

VISIBLE = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""The media types that every provider takes. The only other one that tools return is SVG, which is text."""


def text_and_pictures(parts: Iterable[Part]) -> tuple[str, tuple[Part, ...]]:
    """The texts, with the source of what no model can see, and the pictures."""
    texts, pictures = [], []
    for part in parts:
        if part.type == "text":
            texts.append(part.text)
        elif part.media_type in VISIBLE:
            pictures.append(part)
        else:
            texts.append(base64.b64decode(part.data).decode())
    return "\n".join(texts), tuple(pictures)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `arguments` is None if the model's text was no JSON object; `problem` then says why.

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
    """The result of one call, with the `pictures` that the tool returned beside its text.

    A `pending` one stands for a call that the user has not allowed or denied yet.
    """

    call_id: str | None
    name: str | None
    text: str
    is_error: bool = False
    pictures: tuple[Part, ...] = ()
    pending: bool = False


def error_result(call: Call, text: str) -> Result:
    """What the model reads where a call has failed or did not run."""
    return Result(call.id, call.name, text, is_error=True)


@dataclass(frozen=True, slots=True)
class Thought:
    """Reasoning as the provider sent it, with its `signature`."""

    text: str = ""
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One message. Role `results`: the results of the calls before it. `signature` belongs to a model's text, and
    `pictures` are a user's.

    `blocks` are a model's content as it came, where the provider's own tools are in it; half of them is refused.
    `provider` is who answered, if that is known: what it signed, no other provider accepts. A user's message that
    `is_within` a turn begins none: what was said while a tool ran, or a note to the model.
    """

    role: Literal["system", "user", "model", "results"]
    text: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    signature: str | None = None
    pictures: tuple[Part, ...] = ()
    blocks: tuple[Mapping[str, Any], ...] = ()
    provider: str = ""
    is_within: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.text.strip() or self.calls or self.results or self.pictures or self.blocks)


History = tuple[Entry, ...]


def restored_history(messages: Iterable[Message]) -> History:
    """The entries of a history from the setup; results in a row become one entry. Nothing is repaired here."""
    from agent_conformance.agents.reference.arguments import read_arguments

    history: list[Entry] = []
    for message in messages:
        text, pictures = text_and_pictures(message.parts) if message.parts else (message.text, ())
        if message.role == "tool":
            result = Result(message.tool_call_id, message.name, text, message.is_error, pictures)
            if history and history[-1].role == "results":
                previous = history.pop()
                history.append(Entry("results", results=(*previous.results, result)))
            else:
                history.append(Entry("results", results=(result,)))
        elif message.role == "assistant":
            calls: list[Call] = []
            for call in message.tool_calls:
                given = call.arguments if call.arguments is not None else call.arguments_text
                arguments, problem = read_arguments(given)
                calls.append(Call(call.id, call.name, arguments, problem, None if calls else message.signature))
            thoughts = (Thought(message.thinking, message.signature),) if message.thinking else ()
            signature = None if calls else message.signature
            by = message.signed_by or ""
            history.append(
                Entry("model", text, calls=tuple(calls), thoughts=thoughts, signature=signature, provider=by)
            )
        else:
            history.append(Entry(message.role, text, pictures=pictures))
    return tuple(history)


def readable_reasoning(history: History, provider: str) -> History:
    """The history without what another provider has signed: this one refuses it. Texts, calls and results stay."""
    return tuple(entry if entry.provider in ("", provider) else without_signatures(entry) for entry in history)


def without_signatures(entry: Entry) -> Entry:
    calls = tuple(replace(call, signature=None) for call in entry.calls)
    return replace(entry, calls=calls, thoughts=(), signature=None, blocks=())


def has_pictures(history: History) -> bool:
    return any(entry.pictures or any(result.pictures for result in entry.results) for entry in history)


def leave_out_pictures(history: History) -> History:
    """The history with words in place of the pictures since the user's last message; of every picture where these have
    none, as which of them the provider refused is not known."""
    asked = max((i for i, entry in enumerate(history) if entry.role == "user"), default=0)
    start = asked if has_pictures(history[asked:]) else 0
    return (*history[:start], *map(_without_pictures, history[start:]))


def _without_pictures(entry: Entry) -> Entry:
    results = tuple(
        replace(result, text=_with_words(result.text, result.pictures), pictures=()) for result in entry.results
    )
    return replace(entry, text=_with_words(entry.text, entry.pictures), pictures=(), results=results)


def _with_words(text: str, pictures: Iterable[Part]) -> str:
    words = (prompts.LEFT_OUT.format(media_type=picture.media_type) for picture in pictures)
    return "\n".join(filter(None, (text, *words)))


def identity(result: Result) -> str:
    """What tells this result from another of the same call: the next screenshot may have the same text."""
    return result.text + "".join(picture.data for picture in result.pictures)


def of_results(entry: Entry) -> tuple[Part, ...]:
    return tuple(picture for result in entry.results for picture in result.pictures)
