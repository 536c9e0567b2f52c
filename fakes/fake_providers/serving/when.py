"""A reply with its conditions: which requests it is for."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import fields

from fake_providers.reply import Reply
from fake_providers.values.patterns import found
from fake_providers.view import View, ViewResult

Text = str | re.Pattern[str]
"""A text that is contained, or a regular expression: compiled, or written `/such as this/i`."""

NO_CONDITION = ("reply", "times", "place")

_WRITTEN = re.compile(r"/(.+)/([imsx]*)", re.DOTALL)


class When(Struct, frozen=True, kw_only=True):
    """`reply` to requests that meet every condition given; without a condition, to those that nothing else is for.

    - `user`: in the last message of the user. `system`: in the system prompt.
    - `model`: its name, or a regular expression for it.
    - `tools`: the names of tools, all of which the request offers.
    - `has_tool_result`: whether tools have answered since the model spoke last. `result_of`: the name of one that has.
      `result`: in the text of such a result.
    - `turn`: the number of the user's message in the conversation. `request`: the number of the request in its turn.
      Both are counted from 1.
    - `predicate`: any other question to the request.

    Several replies are sent in order within one conversation, and the last one for ever. With `times` they are for as
    many requests of a conversation. A function of the request makes the reply itself. `place` is where it is written.
    """

    reply: Reply | Sequence[Reply] | Callable[[View], Reply]
    user: Text | None = None
    system: Text | None = None
    model: Text | None = None
    tools: str | Sequence[str] = ()
    has_tool_result: bool | None = None
    result_of: str | None = None
    result: Text | None = None
    turn: int | None = None
    request: int | None = None
    predicate: Callable[[View], bool] | None = None
    times: int | None = None
    place: str = ""

    @property
    def is_default(self) -> bool:
        return not conditions_of(self)

    @property
    def replies(self) -> tuple[Reply, ...]:
        """Empty where a function makes them."""
        if isinstance(self.reply, Reply):
            return (self.reply,)
        return () if callable(self.reply) else tuple(self.reply)

    @property
    def tool_names(self) -> tuple[str, ...]:
        return (self.tools,) if isinstance(self.tools, str) else tuple(self.tools)

    def matches(self, view: View) -> bool:
        """Whether the request meets every condition. Raises `SlowPattern`, and what the predicate raises."""
        return all(self._checks(view))

    def _checks(self, view: View) -> Iterator[bool]:
        """The cheap ones first."""
        if self.turn is not None:
            yield self.turn == turn_of(view)
        if self.request is not None:
            yield self.request == number_in_turn(view)
        if self.model is not None:
            yield self.model == view.model if pattern_of(self.model) is None else is_in(self.model, view.model)
        if self.tools:
            yield {*self.tool_names} <= {tool.name for tool in view.tools}
        if self.has_tool_result is not None:
            yield self.has_tool_result == any(True for _ in newest_results(view))
        if self.result_of is not None:
            yield any(name_of(result, view) == self.result_of for result in newest_results(view))
        if self.user is not None:
            yield is_in(self.user, last_user_text(view))
        if self.system is not None:
            yield is_in(self.system, view.system)
        if self.result is not None:
            text = self.result
            yield any(is_in(text, result.text) for result in newest_results(view))
        if self.predicate is not None:
            yield bool(self.predicate(view))


def conditions_of(when: When) -> dict[str, object]:
    """The conditions that are given, by name."""
    given = {field.name: getattr(when, field.name) for field in fields(when) if field.name not in NO_CONDITION}
    given["tools"] = frozenset(when.tool_names) or None
    return {name: value for name, value in given.items() if value is not None}


def last_user_text(view: View) -> str:
    return next((message.text for message in reversed(view.messages) if message.role == "user"), "")


def turn_of(view: View) -> int:
    """The number of the user's last message."""
    return sum(_begins_turn(view, index) for index in range(len(view.messages)))


def number_in_turn(view: View) -> int:
    """The number of the request within its turn: one more than the model has replied since the user's message."""
    number = 1
    for index in range(len(view.messages) - 1, -1, -1):
        if _begins_turn(view, index):
            break
        number += view.messages[index].role == "assistant"
    return number


def _begins_turn(view: View, index: int) -> bool:
    """Whether this is a new message of the user's, and not what an agent sends along with results."""
    is_with_results = index > 0 and bool(view.messages[index - 1].results)
    return view.messages[index].role == "user" and not is_with_results


def newest_results(view: View) -> Iterator[ViewResult]:
    """The results of tools since the model spoke last."""
    for message in reversed(view.messages):
        if message.role == "assistant":
            return
        yield from message.results


def name_of(result: ViewResult, view: View) -> str | None:
    """The name of the tool that a result is of, by itself or by the call that it answers."""
    if result.name is not None or result.id is None:
        return result.name
    calls = (call for message in reversed(view.messages) for call in message.calls)
    return next((call.name for call in calls if call.id == result.id), None)


def is_in(wanted: Text, text: str) -> bool:
    """Raises `SlowPattern`."""
    pattern = pattern_of(wanted)
    return wanted in text if pattern is None and isinstance(wanted, str) else found(pattern or wanted, text)


@lru_cache(maxsize=1024)
def pattern_of(wanted: Text) -> re.Pattern[str] | None:
    """The regular expression, or None for a plain text. Raises `re.error`."""
    if isinstance(wanted, re.Pattern):
        return wanted
    written = _WRITTEN.fullmatch(wanted)
    return None if written is None else re.compile(f"(?{written[2]}){written[1]}" if written[2] else written[1])
