"""The chat completions of a server that sends what OpenAI's clients read, and little else."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from fake_providers.ids import Ids
from fake_providers.wires.openai_chat.provider import Answers
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_shared.request_body import Chunk


class PlainAnswers(Struct, frozen=True):
    """`order` are the members of an answer in the provider's order, `members` and `choice` further ones of the answer
    and of its choice. `reasoning` is the member with the thoughts, `calls_content` the content of an answer that only
    calls. Without a name for `reasoning` thoughts are not sent. With `counts_thoughts` the usage has the tokens of a
    reasoning that there was. The last chunk of a stream has the usage with `always_counts`, whether it was asked for or
    not, and with `counts_with_finish` if it was.
    """

    id: Callable[[Ids], str]
    call_id: Callable[[Ids], str]
    order: tuple[str, ...] = ("id", "object", "created", "model", "choices", "usage")
    members: Mapping[str, Any] = field(default_factory=dict)
    choice: Mapping[str, Any] = field(default_factory=dict)
    reasoning: str = "reasoning_content"
    calls_content: str | None = None
    always_counts: bool = False
    counts_with_finish: bool = False
    counts_thoughts: bool = False
    content_type: str = "application/json"
    stream_content_type: str = "text/event-stream"

    def answers(self) -> Answers:
        return Answers(
            id=self.id,
            call_id=self.call_id,
            completion=self.completion,
            deltas=self.deltas,
            final_chunks=self.ending,
            content_type=self.content_type,
            stream_content_type=self.stream_content_type,
        )

    def completion(self, rendered: RenderedReply) -> dict[str, Any]:
        content = self.calls_content if rendered.calls and not rendered.content else rendered.content
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if rendered.thinking is not None and self.reasoning:
            message[self.reasoning] = rendered.thinking
        if rendered.calls:
            message["tool_calls"] = [
                {"index": index, **call.with_id, "type": "function", "function": call.function}
                for index, call in enumerate(rendered.calls)
            ]
        choice = {"index": 0, "message": message, "finish_reason": rendered.finish, **self.choice}
        return self._ordered(rendered, "chat.completion", choices=[choice], usage=self._usage(rendered))

    def _ordered(self, rendered: RenderedReply, kind: str, **more: Any) -> dict[str, Any]:
        known = {"id": rendered.id, "object": kind, "created": CREATED, "model": rendered.model, **self.members, **more}
        return {name: known[name] for name in self.order if name in known}

    def _usage(self, rendered: RenderedReply) -> dict[str, Any]:
        tokens = rendered.tokens
        thought = (
            {"completion_tokens_details": {"reasoning_tokens": tokens.thinking}}
            if self.counts_thoughts and tokens.thinking
            else {}
        )
        return {**tokens.counts, "prompt_tokens_details": {"cached_tokens": tokens.cached}, **thought}

    def _step(self, rendered: RenderedReply, delta: dict[str, Any], finish: str | None = None, **more: Any) -> Chunk:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, **self.choice}
        return self._ordered(rendered, "chat.completion.chunk", choices=[choice], **more)

    def deltas(self, rendered: RenderedReply) -> Iterator[Chunk]:
        """A call is opened without arguments, which follow in pieces."""
        yield self._step(rendered, {"role": "assistant", "content": ""})
        for piece in rendered.thoughts() if self.reasoning else ():
            yield self._step(rendered, {self.reasoning: piece})
        for piece in rendered.texts():
            yield self._step(rendered, {"content": piece})
        for index, call, arguments in rendered.calls_in_pieces():
            yield self._step(rendered, {"tool_calls": [call.delta(index, "")]})
            for piece in arguments:
                yield self._step(rendered, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})

    def ending(self, rendered: RenderedReply) -> Iterator[Chunk]:
        if self.always_counts or (self.counts_with_finish and rendered.is_counted):
            yield self._step(rendered, {"content": ""}, rendered.finish, usage=self._usage(rendered))
            return
        yield self._step(rendered, {"content": ""}, rendered.finish)
        if rendered.is_counted:
            yield self._ordered(rendered, "chat.completion.chunk", choices=[], usage=self._usage(rendered))


def failure_of(
    sentences: Mapping[int, str], body: Callable[[int, str], Any], other: str
) -> Callable[[int, Any, float | None], Any]:
    """`Errors.failure` of a provider whose errors differ by status in their sentence alone; `other` for the rest."""

    def failure(status: int, context: Any, retry_after: float | None) -> Any:
        known = sentences.get(status) or (sentences.get(500) if status >= 500 else None)
        return body(status, known or other)

    return failure
