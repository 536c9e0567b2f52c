"""Scripts of `serve`: the format of their entries, and reading them: a list of replies in order, or with conditions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Meta, ValidationError, field

from agent_conformance.run.provider.model_script import reply_of
from agent_conformance.scenario.base_model import Strict
from agent_conformance.scenario.cases import features_of_reply
from agent_conformance.scenario.checks import Found
from agent_conformance.scenario.checks.consistency import mistakes_in_reply
from agent_conformance.scenario.loading import line_of
from agent_conformance.scenario.model import ReplySpec
from agent_conformance.scenario.yaml_files.reading import KeyPath, read, read_data
from agent_conformance.scenario.yaml_files.validation_messages import messages_of
from fake_providers import Reply, StreamTiming, When
from fake_providers.features import Feature
from fake_providers.reply_rules import in_full, why_unsent
from fake_providers.serving.reply_sources import MatchedReplies, Replies
from fake_providers.wire_facts import can_express

FromOne = Annotated[int, Meta(ge=1)]


class Timing(Strict, frozen=True):
    """How fast a reply is sent; see `fake_providers.StreamTiming` for each field."""

    NOUN: ClassVar[str] = "`timing`"

    ttft: float = 0.0
    tokens_per_second: float | None = None
    jitter: float = 0.0
    stall: float = 0.0
    stall_after: int = 1


class TimedReply(ReplySpec, frozen=True):
    """A reply as in a scenario's `model`, with what only a server knows."""

    NOUN: ClassVar[str] = "a reply of the model"

    timing: Timing | None = None


OneOrMore = TimedReply | Annotated[list[TimedReply], Meta(min_length=1)]

OF_CASES = {
    "means": "it is for the laws of a scenario",
    "until": "give a list of replies, or the condition `has_tool_result`",
    "spare": "give the replies conditions",
    "forever": "the last reply is repeated anyway",
}
"""Fields of a scenario's replies that do nothing here, and what to do instead."""


class Conditions(Strict, frozen=True):
    """Which requests a reply is for; see `fake_providers.When` for each field."""

    NOUN: ClassVar[str] = "`when`"

    user: str | None = None
    system: str | None = None
    model: str | None = None
    tools: str | list[str] = field(default_factory=list)
    has_tool_result: bool | None = None
    result_of: str | None = None
    result: str | None = None
    turn: FromOne | None = None
    request: FromOne | None = None


class ConditionalEntry(Strict, frozen=True):
    NOUN: ClassVar[str] = "a reply with conditions"

    when: Conditions
    reply: OneOrMore
    times: FromOne | None = None


class DefaultEntry(Strict, frozen=True):
    NOUN: ClassVar[str] = "the default"

    default: OneOrMore


Entry = TimedReply | ConditionalEntry | DefaultEntry


def type_of(entry: object) -> type[Entry]:
    """The type that an entry is meant as."""
    if isinstance(entry, dict) and "default" in entry:
        return DefaultEntry
    return ConditionalEntry if isinstance(entry, dict) and ("when" in entry or "reply" in entry) else TimedReply


def specs_of(entry: Entry) -> list[tuple[tuple[str | int, ...], TimedReply]]:
    """The replies of an entry, each with its path in the entry."""
    if isinstance(entry, TimedReply):
        return [((), entry)]
    name, replies = ("default", entry.default) if isinstance(entry, DefaultEntry) else ("reply", entry.reply)
    if isinstance(replies, TimedReply):
        return [((name,), replies)]
    return [((name, index), reply) for index, reply in enumerate(replies)]


def mistakes_in(entry: Entry) -> Found:
    """What is wrong with an entry whose fields are right each by itself."""
    if isinstance(entry, ConditionalEntry) and not entry.when.given:
        yield ("when",), "`when` has no condition. Write `default:` for what nothing else matches."
    for path, spec in specs_of(entry):
        for name, instead in OF_CASES.items():
            if name in spec.given:
                yield (*path, name), f"`{name}` does nothing in a script of `serve`: {instead}. Leave it out."
        for at, message in mistakes_in_reply(spec):
            yield (*path, *at), message
        try:
            _timing_of(spec)
        except ValueError as error:
            yield (*path, "timing"), str(error)


def replies_of(entry: Entry, place: str) -> Iterator[Reply]:
    """The replies as the fakes take them, each as often as it says."""
    for _, spec in specs_of(entry):
        for repetition in range(1, spec.times + 1):
            yield replace(reply_of(spec, repetition, names={})[0], timing=_timing_of(spec), place=place)


def _timing_of(spec: TimedReply) -> StreamTiming | None:
    """Raises `ValueError` for what no stream can be."""
    return None if spec.timing is None else StreamTiming(**spec.timing.data())


def when_of(entry: ConditionalEntry | DefaultEntry, place: str) -> When:
    replies = tuple(replies_of(entry, place))
    if isinstance(entry, DefaultEntry):
        return When(reply=replies, place=place)
    return When(reply=replies, times=entry.times, place=place, **entry.when.data(only_given=True))


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
