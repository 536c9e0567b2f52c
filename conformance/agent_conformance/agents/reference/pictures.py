"""The pictures of a history, and the words that stand for those that a provider refuses."""

from collections.abc import Iterable
from dataclasses import replace

from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.history import Entry, History, Result


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
