"""What defines a provider of this wire: paths, key, error envelope and messages, rules, and the shape of its
responses."""

import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Final, Literal

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from fake_providers.http import AS_ESCAPE, Request, Response, compact
from fake_providers.ids import Ids
from fake_providers.replies.documents import ABSENT, Document, mark_of
from fake_providers.reply import Reply
from fake_providers.rule import Rule
from fake_providers.rulebook import Rulebook
from fake_providers.wire import ReplyContext, ServedModels
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedCall, RenderedReply
from fake_providers.wires.openai_shared.other_endpoints import models_response
from fake_providers.wires.openai_shared.provider_errors import Errors
from fake_providers.wires.openai_shared.request_body import Chunk, body_of, model_of


def model_in_body(request: Request) -> str:
    return model_of(body_of(request))


class PlacedCall(Struct, frozen=True):
    """A call, or the first of it in a stream: what a document of a call is filled in from."""

    rendered: RenderedReply
    call: RenderedCall
    index: int
    arguments: str
    type: ClassVar = "function"

    @property
    def id(self) -> Any:
        return ABSENT if self.call.id is None else self.call.id

    @property
    def name(self) -> str:
        return self.call.name

    @property
    def function(self) -> dict[str, str]:
        return {"name": self.call.name, "arguments": self.arguments}


class Said(Struct, frozen=True):
    """What a message is filled in from, or a delta, which has a piece of one of the three."""

    rendered: RenderedReply
    content: Any = ABSENT
    reasoning: Any = ABSENT
    tool_calls: Any = ABSENT
    is_first: bool = False
    role: ClassVar = "assistant"

    # Values of members in which providers differ.

    @property
    def text(self) -> str:
        return self.rendered.content or ""

    @property
    def content_or_null(self) -> str | None:
        """Null beside calls."""
        return None if self.rendered.calls and not self.rendered.content else self.rendered.content

    @property
    def content_if_any(self) -> Any:
        return ABSENT if self.rendered.content is None else self.rendered.content

    @property
    def role_if_first(self) -> Any:
        return "assistant" if self.is_first else ABSENT


class Step(Struct, frozen=True):
    """What a completion and its choice are filled in from, and each chunk of a stream and its choice: `delta` is the
    whole message in a completion. A chunk with `ends` has the end of the choice, one that is `counted` the usage."""

    answers: "Answers"
    rendered: RenderedReply
    object: str
    delta: Any
    finish_reason: str | None = None
    opens: bool = False
    ends: bool = False
    counted: bool = False
    has_choice: bool = True
    created: ClassVar = CREATED
    index: ClassVar = 0

    @property
    def id(self) -> str:
        return self.rendered.id

    @property
    def model(self) -> str:
        return self.rendered.model

    @property
    def message(self) -> Any:
        return self.delta

    @property
    def choices(self) -> list[Any]:
        choice = self.answers.choice.fill if self.object == PLAIN else self.answers.step.fill
        return [choice(self)] if self.has_choice else []

    @property
    def usage(self) -> Any:
        return self.answers.usage.fill(self.rendered) if self.counted else ABSENT

    @property
    def usage_or_null(self) -> Any:
        """Null until the end, if it is asked for."""
        if self.counted:
            return self.usage
        return None if self.rendered.is_counted else ABSENT

    @property
    def finish_at_end(self) -> Any:
        return self.finish_reason if self.ends else ABSENT


PLAIN: Final = "chat.completion"
MARK: Final = re.compile(r'"\\u0000filled in later:(\w+)"')
"""What is put into the JSON of a chunk later."""


USAGE: Final = "prompt_tokens completion_tokens total_tokens prompt_tokens_details:cached_details"
USAGE_AND_REASONING: Final = f"{USAGE} completion_tokens_details:reasoning_details_if_any?"


class Answers(Struct, frozen=True):
    """How a provider's responses look, as documents.

    A `completion` has a `choice` with the `message`, each `chunk` a `step` with a delta: unless given, they have the
    members of the completion and of its choice. `call` is a call in a message, `opened_call` the first of it in a
    stream. A stream is `first_chunks` and `leading`, then the deltas: `opening`, those with a piece of a `thought`,
    `thought_end`, those of `text`, those with `calling`, and the `last` one. `calls` says how calls come: opened and
    then continued in pieces, opened with the first piece, each in a chunk, or all in one. With `finishes_early` the
    last of what was said has the reason to finish, and with `says_nothing` there is an empty delta where nothing was.

    The usage comes in a chunk `apart` if it is asked for, or `always_apart`, `with_finish` if it is, `always` with the
    reason to finish (`always_and_apart`: and in a chunk apart, if it is asked for), or in a second chunk like that one
    (`again`). A delta has about `delta_size` characters. `varies`
    are the members beside the delta in which chunks differ: functions of the step. `refusal_of` returns the error body
    if the provider refuses its own model's output, and `complete_reply` adds to a scripted reply what this provider's
    models always send.
    """

    id: Callable[[Ids], str]
    call_id: Callable[[Ids], str]
    completion: Document = Document("id object created model choices usage?")
    choice: Document = Document("index message finish_reason")
    message: Document = Document("role content:content_or_null reasoning_content:reasoning? tool_calls?")
    call: Document = Document("index id? type function")
    usage: Document = Document(USAGE)
    chunk: Document = ABSENT
    step: Document = ABSENT
    leading: tuple[Chunk, ...] = ()
    opening: Document | None = Document("role content", content="")
    thought: Document | None = Document("reasoning_content:reasoning")
    thought_end: Document | None = None
    text: Document = Document("content")
    calling: Document = Document("tool_calls")
    opened_call: Document = Document("index id? type function")
    continued_call: Document = Document("index function", function=lambda call: {"arguments": call.arguments})
    calls: Literal["in_pieces", "after_the_first_piece", "each", "together"] = "in_pieces"
    last: Document = Document("content", content="")
    usage_comes: Literal["apart", "always_apart", "with_finish", "always", "always_and_apart", "again"] = "apart"
    finishes_early: bool = False
    says_nothing: bool = False
    delta_size: int = 5
    content_type: str = "application/json"
    stream_content_type: str = "text/event-stream"
    first_chunks: tuple[bytes, ...] = ()
    varies: tuple[str, ...] = ()
    framed: "Answers | None" = None
    """The same with marks for what varies; made from the others."""
    refusal_of: Callable[[Reply, ReplyContext], Any] = lambda reply, context: None
    complete_reply: Callable[[Reply, ReplyContext], Reply] = lambda reply, context: reply

    def __post_init__(self) -> None:
        if self.chunk is ABSENT:
            force_setattr(self, "chunk", self.completion)
        if self.step is ABSENT:
            force_setattr(self, "step", self.choice.renamed("message", "delta"))
        if self.varies and self.framed is None:
            documents = {"chunk": self.chunk.marked(self.varies), "step": self.step.marked(self.varies)}
            force_setattr(self, "framed", replace(self, varies=(), **documents))

    def whole(self, rendered: RenderedReply) -> dict[str, Any]:
        """The body of a plain response."""
        calls = [self.call.fill(PlacedCall(rendered, call, i, call.arguments)) for i, call in enumerate(rendered.calls)]
        thinking = ABSENT if rendered.thinking is None else rendered.thinking
        message = self.message.fill(Said(rendered, rendered.content, thinking, calls or ABSENT))
        return self.completion.fill(Step(self, rendered, PLAIN, message, rendered.finish, ends=True, counted=True))

    def streamed(self, rendered: RenderedReply) -> Iterator[Chunk]:
        """All chunks; those before the end of the choice where an error replaces it."""
        yield from self.leading
        if self.opening is not None:
            yield self.chunk.fill(self.step_of(rendered, self.opening.fill(Said(rendered)), opens=True))
        said = self._said(rendered)
        ends = not rendered.interrupted
        last = said.pop() if self.finishes_early and ends else self.last.fill(Said(rendered))
        if len(said) > 2:
            yield from self._in_chunks(said, rendered)
        else:
            yield from (self.chunk.fill(self.step_of(rendered, delta)) for delta in said)
        if ends:
            yield from self._ending(last, rendered)

    def _in_chunks(self, deltas: list[Any], rendered: RenderedReply) -> Iterator[bytes]:
        """The deltas, each in the JSON of a chunk: encoded by itself, as what all chunks have takes as long again."""
        framed = self.framed or self
        chunk = framed.chunk.fill(framed.step_of(rendered, mark_of("delta")))
        first, *rest = MARK.split(f"data: {compact(chunk)}\n\n")
        names, between = rest[::2], rest[1::2]
        for delta in deltas:
            sent = first
            for name, after in zip(names, between, strict=True):
                value = delta
                if name != "delta":
                    function = self.chunk.function_of(name) or self.step.function_of(name)
                    value = function(self.step_of(rendered, delta)) if function else None
                sent += compact(value) + after
            yield sent.encode(errors=AS_ESCAPE)

    def _ending(self, delta: Any, rendered: RenderedReply) -> Iterator[Chunk]:
        comes = self.usage_comes
        counted = comes in ("always", "always_and_apart") or (comes == "with_finish" and rendered.is_counted)
        last = self.step_of(rendered, delta, finish_reason=rendered.finish, ends=True, counted=counted)
        yield self.chunk.fill(last)
        if comes == "again":
            yield self.chunk.fill(replace(last, counted=True))
        elif comes == "always_apart" or (comes in ("apart", "always_and_apart") and rendered.is_counted):
            yield self.chunk.fill(self.step_of(rendered, None, counted=True, has_choice=False))

    def step_of(self, rendered: RenderedReply, delta: Any, **more: Any) -> Step:
        return Step(self, rendered, "chat.completion.chunk", delta, **more)

    def _said(self, rendered: RenderedReply) -> list[Any]:
        """The deltas between the first and the last."""
        said = [*self._pieces(rendered)]
        if not said and self.says_nothing:
            said = [(self.text, {"content": ""})]
        return [document.fill(Said(rendered, is_first=not at, **piece)) for at, (document, piece) in enumerate(said)]

    def _pieces(self, rendered: RenderedReply) -> Iterator[tuple[Document, dict[str, Any]]]:
        if self.thought is not None:
            for piece in rendered.thoughts():
                yield self.thought, {"reasoning": piece}
            if self.thought_end is not None and rendered.thinking is not None:
                yield self.thought_end, {}
        for piece in rendered.texts():
            yield self.text, {"content": piece}
        for calls in self._calls(rendered):
            yield self.calling, {"tool_calls": calls}

    def _calls(self, rendered: RenderedReply) -> Iterator[list[Any]]:
        if self.calls in ("each", "together"):
            whole = [PlacedCall(rendered, call, i, call.arguments) for i, call in enumerate(rendered.calls)]
            made = [self.opened_call.fill(call) for call in whole]
            yield from ([call] for call in made) if self.calls == "each" else filter(None, [made])
            return
        for index, call, arguments in rendered.calls_in_pieces():
            first = arguments[0] if arguments and self.calls == "after_the_first_piece" else ""
            yield [self.opened_call.fill(PlacedCall(rendered, call, index, first))]
            for piece in arguments[1 if self.calls == "after_the_first_piece" else 0 :]:
                yield [self.continued_call.fill(PlacedCall(rendered, call, index, piece))]


class Provider(Struct, frozen=True):
    """One provider of the wire. `bodiless_rules` are the rules without sample requests.

    `headers` come with replies, not with refusals, and are filled in from the rendered reply. `model` returns the model
    that a request names and `traits` its traits; `body_of` returns the body that the rules check, for a provider with a
    part of it in the path. `models` answers questions about models.
    """

    name: str
    base_path: str
    errors: Errors
    answers: Answers
    books: tuple[Rulebook, ...]
    traits: Callable[[str], frozenset[str]]
    bodiless_rules: tuple[Rule, ...] = ()
    headers: Document = Document()
    models: Callable[[Request, ServedModels], Response | None] = models_response
    model: Callable[[Request], str] = model_in_body
    body_of: Callable[[Request], Any] = body_of
    completes_texts: bool = False
    """Whether it answers `/completions` too, which knows no chat."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """In the order of the checks; rules without sample requests come last."""
        own = (rule for book in self.books for rule in book.rules)
        key = (self.errors.missing_key,) if self.errors.missing_key else ()
        return (*own, *self.bodiless_rules, *key, self.errors.window)
