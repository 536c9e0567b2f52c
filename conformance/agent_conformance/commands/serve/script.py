"""Reading the scripts of `serve`: a list of replies in order, or of replies with conditions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import ValidationError

from agent_conformance.commands.serve.script_format import (
    Entry,
    mistakes_in,
    replies_of,
    specs_of,
    type_of,
    when_of,
)
from agent_conformance.scenario.cases import features_of_reply
from agent_conformance.scenario.loading import line_of
from agent_conformance.scenario.model import ReplySpec
from agent_conformance.scenario.yaml_files.reading import KeyPath, read, read_data
from agent_conformance.scenario.yaml_files.validation_messages import messages_of
from fake_providers import Reply, When
from fake_providers.features import Feature
from fake_providers.reply_rules import in_full, why_unsent
from fake_providers.serving.reply_sources import MatchedReplies, Replies
from fake_providers.wire_facts import can_express

MOST_MISTAKES = 100
MOST_REPLIES = 10_000
SHAPE = (
    "a script is a list: of replies, each as in a scenario's `model`, or of replies with conditions, "
    "`{when: {user: ...}, reply: {text: ...}}`."
)

Place = Callable[[KeyPath], str]
"""Where a path of the data is written: `replies.yaml:3`."""


@dataclass(frozen=True, slots=True)
class Need:
    """What a wire must be able to express for a reply."""

    place: str
    feature: Feature


@dataclass(frozen=True, slots=True)
class Script:
    """Replies in order, or with conditions: all of one kind."""

    ordered: tuple[Reply, ...] = ()
    matched: tuple[When, ...] = ()
    needs: tuple[Need, ...] = ()

    def new_replies(self) -> Replies:
        """From the beginning, for one fake."""
        return MatchedReplies(self.matched) if self.matched else self.ordered

    def check_for(self, served: Sequence[tuple[str, str]], *, any_reply: bool = False) -> None:
        """Raises `ValueError` for a reply that none of these wires can express, plain or streamed; and, unless it may
        be `any_reply`, for one that none of these providers sends on its wire."""
        wires = list(dict.fromkeys(wire for _, wire in served))
        for need in self.needs:
            if not any(can_express(need.feature, wire=wire, mode="stream") for wire in wires):
                cannot = f"{' or '.join(wires)} cannot express this reply ({need.feature})"
                raise ValueError(f"{need.place}: {cannot}. Leave it out, or serve another provider.")
        scripted = (reply for when in self.matched if not callable(when.reply) for reply in when.replies)
        for reply in () if any_reply else (*self.ordered, *scripted):
            why = [why_unsent(reply, provider=provider, wire=wire) for provider, wire in served]
            unsent = next(iter(why), None)
            if unsent is not None and all(why):
                raise ValueError(f"{in_full(unsent, reply)} `--any-reply` sends it all the same.")


def read_script(path: Path) -> Script:
    """The script of a YAML or JSON file. Raises `ValueError` with file and line, and `OSError`."""
    document = read(read_data(path))
    if document.mistakes:
        raise ValueError("\n".join(f"{path}:{mistake.line}: {mistake.message}" for mistake in document.mistakes))
    return script_of(document.value, lambda at: f"{path}:{line_of(at, document.lines)}")


def script_of(data: Any, place: Place) -> Script:
    """The script that the data says. Raises `ValueError` with all its mistakes, each with its place."""
    if not isinstance(data, list):
        raise ValueError(f"{place(())}: {SHAPE}")
    read_entries = [_read_entry(value, (index,), place) for index, value in enumerate(data)]
    mistakes = [message for _, messages in read_entries for message in messages]
    entries = [entry for entry, _ in read_entries if entry is not None]
    mistakes = mistakes or [*_mixed(entries, place), *_too_many(entries, place)]
    if mistakes:
        raise ValueError("\n".join(mistakes[:MOST_MISTAKES]))
    matched = [when_of(entry, place((at,))) for at, entry in enumerate(entries) if not isinstance(entry, ReplySpec)]
    ordered = [
        reply
        for at, entry in enumerate(entries)
        if isinstance(entry, ReplySpec)
        for reply in replies_of(entry, place((at,)))
    ]
    script = Script(tuple(ordered), tuple(matched), tuple(_needs(entries, place)))
    script.new_replies()
    return script


def _read_entry(value: Any, path: KeyPath, place: Place) -> tuple[Entry | None, list[str]]:
    """The entry, if it has the right shape, and what is wrong with it."""
    kind = type_of(value)
    try:
        entry = kind.read(value)
    except ValidationError as error:
        found: Iterable[tuple[KeyPath, str]] = messages_of(error, value, kind)
        return None, [f"{place((*path, *at))}: {message}" for at, message in found]
    return entry, [f"{place((*path, *at))}: {message}" for at, message in mistakes_in(entry)]


def _mixed(entries: Sequence[Entry], place: Place) -> Iterator[str]:
    plain = [index for index, entry in enumerate(entries) if isinstance(entry, ReplySpec)]
    if plain and len(plain) < len(entries):
        yield f"{place((plain[0],))}: this reply has no conditions, and others have. Give it `when:`, or `default:`."


def _too_many(entries: Sequence[Entry], place: Place) -> Iterator[str]:
    total = 0
    for index, entry in enumerate(entries):
        for path, spec in specs_of(entry):
            total += spec.times
            if total > MOST_REPLIES:
                yield f"{place((index, *path))}: with `times`, there are more than {MOST_REPLIES:,} replies up to here."
                return


def _needs(entries: Sequence[Entry], place: Place) -> Iterator[Need]:
    for index, entry in enumerate(entries):
        for path, spec in specs_of(entry):
            yield from (Need(place((index, *path)), feature) for feature in features_of_reply(spec))
