"""The format of a script's entries as types, and as what a fake takes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, ClassVar

from msgspec import Meta, field

from agent_conformance.run.provider.model_script import reply_of
from agent_conformance.scenario.base_model import Strict
from agent_conformance.scenario.checks import Found
from agent_conformance.scenario.checks.consistency import mistakes_in_reply
from agent_conformance.scenario.model import ReplySpec
from fake_providers import Reply, StreamTiming, When

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


Replies = TimedReply | Annotated[list[TimedReply], Meta(min_length=1)]

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
    reply: Replies
    times: FromOne | None = None


class DefaultEntry(Strict, frozen=True):
    NOUN: ClassVar[str] = "the default"

    default: Replies


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
