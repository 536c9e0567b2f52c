"""Where the replies of a `ScriptedFake` come from: a list in order, a function of the request, or nothing at all.

It remembers nothing. Everything follows from the request, so conversations cannot disturb each other.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from fake_providers.http import compact
from fake_providers.reply import Call, Reply
from fake_providers.serving.matched_replies import MatchedReplies
from fake_providers.serving.when import When
from fake_providers.values.minimal_value import minimal_value
from fake_providers.values.tokens import LETTERS, tokens_of
from fake_providers.view import View, ViewMessage, ViewTool

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
"""In order; by the request; or made by a function, for which None is the reply that comes without a script."""


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
    """In the order of arrival. After the last one, the last that is text alone, else `The script is over.`"""

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
    if view.forbids_calls:
        return None
    allowed = view.forces or view.allows
    return next((tool for tool in view.tools if not allowed or tool.name in allowed), None)


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
