"""A reply with its ids, pieces and token counts, before a provider arranges it as a completion.

The members and their order are the provider's.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from fake_providers.ids import Ids
from fake_providers.replies.call_validation import arguments_as_json
from fake_providers.replies.documents import ABSENT
from fake_providers.reply import Reply, pieces
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.request import view_of
from fake_providers.wires.openai_chat.response import CREATED, content, finish_reason
from fake_providers.wires.openai_shared.request_body import body_of

__all__ = ["CREATED", "RenderedCall", "RenderedReply", "Tokens", "render"]


class RenderedCall(Struct, frozen=True):
    """A call with its id and arguments; an `id` of None is left out."""

    id: str | None
    name: str
    arguments: str


class Tokens(Struct, frozen=True):
    """`thinking` is part of `completion`, `cached` of `prompt`."""

    prompt: int
    completion: int
    thinking: int
    cached: int = 0

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


class RenderedReply(Struct, frozen=True):
    """Everything from which a provider builds its completion or its chunks."""

    context: ReplyContext
    id: str
    model: str
    content: str | None
    thinking: str | None
    calls: tuple[RenderedCall, ...]
    finish: str | None
    tokens: Tokens
    chunks: tuple[str, ...]
    size: int
    interrupted: bool
    """Whether an error replaces the end."""
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int

    @property
    def ids(self) -> Ids:
        return self.context.ids

    @property
    def cached_details(self) -> dict[str, int]:
        return {"cached_tokens": self.tokens.cached}

    @property
    def cached_details_if_any(self) -> Any:
        return self.cached_details if self.tokens.cached else ABSENT

    @property
    def reasoning_details_if_any(self) -> Any:
        return {"reasoning_tokens": self.tokens.thinking} if self.tokens.thinking else ABSENT

    @property
    def is_counted(self) -> bool:
        """Whether the stream must end with its usage."""
        options = body_of(self.context.request).get("stream_options")
        return isinstance(options, dict) and options.get("include_usage") is True

    def texts(self) -> tuple[str, ...]:
        """The content in the pieces of a stream."""
        return pieces(self.content or "", self.context.split, given=self.chunks, size=self.size)

    def thoughts(self) -> tuple[str, ...]:
        return pieces(self.thinking or "", self.context.split, size=self.size)

    def calls_in_pieces(self) -> Iterator[tuple[int, RenderedCall, tuple[str, ...]]]:
        """Each call with its index and the pieces of its arguments."""
        for index, call in enumerate(self.calls):
            yield index, call, pieces(call.arguments, self.context.split, size=self.size)


def render(
    reply: Reply,
    context: ReplyContext,
    *,
    id: str,
    model: str,
    call_id: Callable[[Ids], str],
    size: int,
    interrupted: bool,
) -> RenderedReply:
    """Renders the reply. `call_id` makes an id for a call; `size` is the approximate length of this provider's
    deltas."""
    calls = tuple(
        RenderedCall(
            call.id if call.id is None or isinstance(call.id, str) else call_id(context.ids),
            call.name,
            arguments_as_json(call),
        )
        for call in reply.calls
    )
    characters = len(reply.text or "") + sum(len(call.name) + len(call.arguments) for call in calls)
    tokens = Tokens(*counted(reply, context.prompt_tokens(view_of), characters))
    finish = finish_reason(reply, context)
    chunks = tuple(reply.chunks)
    return RenderedReply(
        context,
        id,
        model,
        content(reply),
        reply.thinking,
        calls,
        finish,
        tokens,
        chunks,
        size,
        interrupted,
        tokens.prompt,
        tokens.completion,
        tokens.total,
    )
