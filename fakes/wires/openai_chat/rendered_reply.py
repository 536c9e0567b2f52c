"""A reply as the completion it becomes, before a provider arranges it: ids made, texts cut, tokens counted.

Knows what all providers of this wire share; in which members it stands, and in what order, the provider says.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from fakes.chunking import pieces
from fakes.ids import Ids
from fakes.reply import Reply
from fakes.tokens import count_tokens, tokens_of
from fakes.wire import Telling
from fakes.wires.openai_chat.completion_parts import CREATED, arguments_text, content, finish_reason
from fakes.wires.openai_chat.request import body_of, view_of

__all__ = ["CREATED", "Tokens", "Told", "ToldCall", "told"]

HEXADECIMAL: Final = "0123456789abcdef"
DIGITS: Final = "0123456789"


@dataclass(frozen=True, slots=True)
class ToldCall:
    """`id` None is left out."""

    id: str | None
    name: str
    arguments: str

    @property
    def with_id(self) -> dict[str, str]:
        return {} if self.id is None else {"id": self.id}

    @property
    def function(self) -> dict[str, str]:
        return {"name": self.name, "arguments": self.arguments}


@dataclass(frozen=True, slots=True)
class Tokens:
    """Counted as the fakes count: a token for every four characters. `thinking` is part of `completion`."""

    prompt: int
    completion: int
    thinking: int

    @property
    def total(self) -> int:
        return self.prompt + self.completion

    @property
    def counts(self) -> dict[str, int]:
        """The three members that every provider's `usage` has."""
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "total_tokens": self.total,
        }


@dataclass(frozen=True, slots=True)
class Told:
    """What a provider makes its completion, or its chunks, of."""

    telling: Telling
    id: str
    model: str
    content: str | None
    thinking: str | None
    calls: tuple[ToldCall, ...]
    finish: str
    tokens: Tokens
    given: tuple[str, ...]
    size: int
    broken: bool
    """Whether an error comes in place of the ending."""

    @property
    def ids(self) -> Ids:
        return self.telling.ids

    @property
    def is_counted(self) -> bool:
        """Whether a stream is to end with its usage."""
        options = body_of(self.telling.request).get("stream_options")
        return isinstance(options, dict) and options.get("include_usage") is True

    def texts(self) -> tuple[str, ...]:
        """The content in the pieces of a stream."""
        return pieces(self.content or "", self.telling.split, given=self.given, size=self.size)

    def thoughts(self) -> tuple[str, ...]:
        return pieces(self.thinking or "", self.telling.split, size=self.size)

    def opened(self) -> Iterator[tuple[int, ToldCall, tuple[str, ...]]]:
        """Each call with its index and the pieces of its arguments."""
        for index, call in enumerate(self.calls):
            yield index, call, pieces(call.arguments, self.telling.split, size=self.size)


def told(
    reply: Reply, telling: Telling, *, id: str, model: str, call_id: Callable[[Ids], str], size: int, broken: bool
) -> Told:
    """`call_id` makes an id for a call; `size` is how many characters a delta of this provider has, about."""
    calls = tuple(
        ToldCall(
            call.id if call.id is None or isinstance(call.id, str) else call_id(telling.ids),
            call.name,
            arguments_text(call),
        )
        for call in reply.calls
    )
    thinking = tokens_of(len(reply.thinking or ""))
    written = len(reply.text or "") + sum(len(call.name) + len(call.arguments) for call in calls)
    tokens = Tokens(count_tokens(telling.view or view_of(telling.request)), thinking + tokens_of(written), thinking)
    finish = finish_reason(reply, telling)
    given = tuple(reply.chunks)
    return Told(telling, id, model, content(reply), reply.thinking, calls, finish, tokens, given, size, broken)


def uuid(ids: Ids) -> str:
    """Five groups of hexadecimal digits."""
    digits = ids.make("", 32, HEXADECIMAL)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
