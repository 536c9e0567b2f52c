"""Where the replies of a `ScriptedFake` come from: a list in order, those that match the request, a function of the
request, or nothing at all.

Everything follows from the request, so conversations cannot disturb each other. A request is at a place: its messages,
as far as an agent does not change them when it sends them again. The place before is that of the longest beginning
which a request had. So it does not matter in which order requests of several conversations arrive, and a request that
is sent again is at the same place. The newest places are remembered.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import permutations
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct, field

from fake_providers.http import compact
from fake_providers.reply import Call, Reply
from fake_providers.serving.when import When, conditions_of, last_user_text, number_in_turn, pattern_of, turn_of
from fake_providers.values.bounded_store import BoundedStore
from fake_providers.values.minimal_value import minimal_value
from fake_providers.values.patterns import SlowPattern, found
from fake_providers.values.tokens import LETTERS, tokens_of
from fake_providers.view import View, ViewMessage, ViewTool
from fake_providers.wire_neutral_lines import offered_tools

MOST = 5_000


class Position(Struct):
    """For each script how many replies were sent in the conversation: before this request, and with it.

    `spoilt` are those of this request that went wrong on purpose, after which a client sends it again.
    """

    before: dict[int, int]
    after: dict[int, int]
    spoilt: dict[int, int] = field(default_factory=dict)

    def next_number(self, script: int) -> int:
        return self.before.get(script, 0) + self.spoilt.get(script, 0)

    def sent(self, script: int, *, is_spoilt: bool) -> None:
        """Count the next reply of the script as sent."""
        self.after[script] = self.next_number(script) + 1
        if is_spoilt:
            self.spoilt[script] = self.spoilt.get(script, 0) + 1


class ConversationPositions:
    """Positions by conversation. Not thread-safe."""

    def __init__(self) -> None:
        self._stored: BoundedStore[Position] = BoundedStore(most=MOST, most_bytes=MOST)

    def at(self, messages: Sequence[ViewMessage]) -> Position:
        """The position of a request with these messages."""
        *beginnings, place = ["", *_digests(messages)]
        position = self._stored.get(place)
        if position is None:
            earlier = next((self._stored[one].after for one in reversed(beginnings) if one in self._stored), {})
            position = Position(dict(earlier), dict(earlier))
            self._stored.put(place, position, 1)
        return position


def _digests(messages: Sequence[ViewMessage]) -> Iterator[str]:
    """One for the messages up to each. Agents shorten results and leave reasoning out: only their numbers count."""
    digest = blake2b(digest_size=16)
    for message in messages:
        said = message.text.strip() if message.role == "user" else ""
        names = [call.name for call in message.calls]
        digest.update(repr((message.role, said, names, len(message.results))).encode(errors="backslashreplace"))
        yield digest.hexdigest()


LONGEST = 100
"""Characters of the user's message in an error."""


class _Chosen(Struct, frozen=True):
    index: int
    reply: Reply
    position: Position


class MatchedReplies:
    """Replies with conditions on the request. Where several match, the request is stopped, and the message names them.

    A reply without conditions is for what nothing else matches. Not thread-safe.

    Raises `ValueError` for what is wrong with a reply, with its place.
    """

    def __init__(self, replies: Sequence[When]) -> None:
        self._replies = tuple(replies)
        self._places = [when.place or f"replies[{index}]" for index, when in enumerate(self._replies)]
        self._positions = ConversationPositions()
        self._chosen: _Chosen | None = None
        self._used: set[tuple[int, int]] = set()
        for when, place in zip(self._replies, self._places, strict=True):
            # Raises `ValueError`
            if not callable(when.reply):
                wrong = next((reply for reply in when.replies if not isinstance(reply, Reply)), None)
                if wrong is not None or not when.replies:
                    shown = "an empty list" if wrong is None else repr(wrong)
                    raise ValueError(
                        f"{place}: `reply` is {shown}; expected a reply, a list of replies, or a function."
                    )
            for name in ("turn", "request", "times"):
                number = getattr(when, name)
                if number is not None and number < 1:
                    raise ValueError(f"{place}: `{name}` is {number}. It is counted from 1.")
            if when.times is not None and when.times < len(when.replies):
                raise ValueError(
                    f"{place}: `times: {when.times}` leaves {len(when.replies)} replies no room. Make it larger."
                )
            for text in (when.user, when.system, when.result, when.model):
                try:
                    if text is not None and (pattern := pattern_of(text)) is not None:
                        found(pattern, "")
                except (re.error, OverflowError, RecursionError, MemoryError) as error:
                    raise ValueError(f"{place}: {str(text)[:LONGEST]!r} is no regular expression: {error}.") from None
                except Exception as error:  # of `regex`, which reads a few patterns otherwise than `re`
                    raise ValueError(f"{place}: {str(text)[:LONGEST]!r} cannot be matched: {error}.") from None
        check_overlaps(self._replies, self._places)

    @property
    def unused(self) -> Sequence[Reply]:
        numbered = ((index, n, one) for index, when in enumerate(self._replies) for n, one in enumerate(when.replies))
        return tuple(reply for index, n, reply in numbered if (index, n) not in self._used)

    def next_reply(self, view: View) -> Reply | str:
        self._chosen = None
        position = self._positions.at(view.messages)
        try:
            matching = [
                index
                for index, when in enumerate(self._replies)
                if when.matches(view) and (when.times is None or position.next_number(index) < when.times)
            ]
        except SlowPattern as slow:
            return str(slow)
        conditional = [index for index in matching if not self._replies[index].is_default]
        if len(conditional) > 1:
            return _several(view, [self._places[index] for index in conditional])
        if not matching:
            return f"no reply of the script matches this request ({_described(view)}). Add one for it, or a default."
        index = (conditional or matching)[0]
        reply = self._reply(index, position, view)
        self._chosen = _Chosen(index, reply, position)
        return reply

    def sent(self) -> None:
        if self._chosen is None:
            return
        index, reply, position = self._chosen.index, self._chosen.reply, self._chosen.position
        self._used.add((index, self._number(index, position)))
        position.sent(index, is_spoilt=reply.fault is not None and reply.fault.is_harmful)

    def _number(self, index: int, position: Position) -> int:
        """Which reply of a list is next; the last one is repeated."""
        return min(position.next_number(index), len(self._replies[index].replies) - 1)

    def _reply(self, index: int, position: Position, view: View) -> Reply:
        when = self._replies[index]
        if not callable(when.reply):
            return when.replies[self._number(index, position)]
        made = when.reply(view)
        if not isinstance(made, Reply):
            raise TypeError(f"{self._places[index]}: the function returned {made!r}; expected a `Reply`")
        return made


def _several(view: View, places: Sequence[str]) -> str:
    return (
        f"{', '.join(places[:-1])} and {places[-1]} both match this request ({_described(view)}). "
        "Add a condition to one of them, such as `has_tool_result` or `turn`."
    )


def _described(view: View) -> str:
    text = last_user_text(view)
    user = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    place = f"turn {turn_of(view)}, request {number_in_turn(view)}"
    return f"{place}; user: {user!r}; model: {view.model}; offers {offered_tools(view)}"


OVERLAPS_MOST = 300
"""Replies of which each is compared with each. Of more, a request that two of them match says so."""

Placed = tuple[dict[str, Any], str]
"""The conditions of a reply, and where it is written."""


def check_overlaps(replies: Sequence[When], places: Sequence[str]) -> None:
    """Raises `ValueError` for a reply that gets no request which is not ambiguous."""
    placed = [(conditions_of(reply), place) for reply, place in zip(replies, places, strict=True)]
    _check_equal(placed)
    conditional = [one for one in placed if one[0]]
    if len(conditional) > OVERLAPS_MOST:
        return
    for (wide, wide_place), (narrow, narrow_place) in permutations(conditional, 2):
        if wide.keys() <= narrow.keys() and all(_implies(name, narrow[name], value) for name, value in wide.items()):
            raise ValueError(
                f"{narrow_place}: {wide_place} matches every request that this matches. Add a condition to "
                f"{wide_place}, such as `has_tool_result` or `turn`, or make it the default."
            )


def _check_equal(placed: Sequence[Placed]) -> None:
    """Raises `ValueError` for two replies with the same conditions."""
    earlier: dict[frozenset[tuple[str, Any]], str] = {}
    for conditions, place in placed:
        key = frozenset((name, id(value) if name == "predicate" else value) for name, value in conditions.items())
        first = earlier.get(key)
        if first is None:
            earlier[key] = place
            continue
        if not conditions:
            raise ValueError(f"{place}: {first} is the default already. Keep one of them.")
        raise ValueError(
            f"{place}: {first} has the same conditions. Put the replies into one list: "
            "they are sent in order within a conversation."
        )


def _implies(name: str, narrow: Any, wide: Any) -> bool:
    if narrow == wide:
        return True
    if name == "tools":
        return bool(wide <= narrow)
    if name in ("user", "system", "result") and isinstance(narrow, str) and isinstance(wide, str):
        return pattern_of(narrow) is None and pattern_of(wide) is None and wide in narrow
    return False


OVER = Reply(text="The script is over.")


@runtime_checkable
class ReplySource(Protocol):
    """Not thread-safe: `next_reply` and `sent` are called in turns."""

    @property
    def unused(self) -> Sequence[Reply]:
        """The replies that no request got yet."""

    def next_reply(self, view: View) -> Reply | str:
        """The reply to this request, or the message that it is stopped with."""

    def sent(self) -> None:
        """The last reply has reached its client, as far as it was meant to."""


Replies = Iterable[Reply] | Iterable[When] | ReplySource | Callable[[View], Reply | None]
"""Replies in order, by the request, or made by a function, whose None is the reply that comes without a script."""


def source_of(replies: Replies | None) -> ReplySource:
    """Raises `ValueError` for replies that contradict each other, and `TypeError` for what is no reply."""
    if replies is None:
        return FunctionReplies(default_reply)
    if isinstance(replies, ReplySource):
        return replies
    if isinstance(replies, Iterable):
        return _listed(tuple(replies))
    if not callable(replies):
        raise TypeError(f"replies: {replies!r} is neither a list of replies nor a function of the request")
    return FunctionReplies(replies)


def _listed(replies: tuple[Reply | When, ...]) -> ReplySource:
    ordered = tuple(reply for reply in replies if isinstance(reply, Reply))
    matched = tuple(reply for reply in replies if isinstance(reply, When))
    if len(ordered) == len(replies):
        return OrderedReplies(ordered)
    if len(matched) == len(replies):
        return MatchedReplies(matched)
    other = next((reply for reply in replies if not isinstance(reply, Reply | When)), None)
    if other is not None:
        raise TypeError(f"replies: {other!r} is no reply. Give `Reply(...)`, or `When(..., reply=Reply(...))`.")
    raise TypeError("replies: some have conditions and some have none. Write `When(reply=...)` for the others.")


class OrderedReplies:
    """Replies in the order of arrival; after them the last that is text alone comes again, or `The script is over.`"""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self._replies = replies
        self._last = next((reply for reply in reversed(replies) if _is_text(reply)), OVER)
        self._sent = 0

    @property
    def unused(self) -> Sequence[Reply]:
        return self._replies[self._sent :]

    def next_reply(self, view: View) -> Reply | str:
        if self._sent < len(self._replies):
            return self._replies[self._sent]
        return self._last

    def sent(self) -> None:
        self._sent += 1


class FunctionReplies:
    """What a function makes of each request."""

    unused: Sequence[Reply] = ()

    def __init__(self, function: Callable[[View], Reply | None]) -> None:
        self._function = function

    def next_reply(self, view: View) -> Reply | str:
        reply = self._function(view)
        if reply is not None and not isinstance(reply, Reply):
            raise TypeError(f"the function of replies returned {reply!r}; expected a `Reply`, or None for the default")
        return default_reply(view) if reply is None else reply

    def sent(self) -> None:
        """Nothing is counted."""


def _is_text(reply: Reply) -> bool:
    harmful = reply.fault is not None and reply.fault.is_harmful
    return bool(reply.text) and not reply.calls and not harmful


DONE = "Done."


def default_reply(view: View) -> Reply:
    """A call of the first tool that may be called, where the user asks something or a call is forced; else an answer.

    The answer is the smallest value that fits, where the request has a schema for it. A text that is longer than
    `max_tokens` is cut, with the finish reason for that.
    """
    tool = _tool_to_call(view)
    if tool is not None and (view.forces or _has_new_question(view.messages)):
        arguments = minimal_value(tool.parameters)
        return Reply(calls=(Call(tool.name, arguments if isinstance(arguments, dict) else {}),))
    return shortened(Reply(text=_answer(view)), view.max_tokens)


def shortened(reply: Reply, max_tokens: int | None) -> Reply:
    """The reply with as much of its text as fits into so many tokens."""
    text = reply.text or ""
    if max_tokens is None or tokens_of(len(text)) <= max_tokens:
        return reply
    return replace(reply, text=text[: max(max_tokens, 1) * LETTERS], blocks=(), finish="length")


def _tool_to_call(view: View) -> ViewTool | None:
    return next((tool for tool in view.callable_tools if not view.forces or tool.name in view.forces), None)


def _has_new_question(messages: Sequence[ViewMessage]) -> bool:
    """Whether the user has the word, and no tool has answered since the model spoke: a reminder that an agent sends
    with the results is no question.
    """
    for message in reversed(messages):
        if message.results:
            return False
        if message.role == "assistant":
            return message is not messages[-1]
    return True


def _answer(view: View) -> str:
    if view.answer_format == "text":
        return DONE
    value = {} if view.schema is None else minimal_value(view.schema)
    return value if view.answer_format == "enum" and isinstance(value, str) else compact(value)
