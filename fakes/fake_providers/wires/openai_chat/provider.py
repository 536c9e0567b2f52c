"""What defines a provider of this wire: paths, key, error envelope and messages, rules, and the shape of its
responses."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from fake_providers.http import Request, Response
from fake_providers.ids import Ids
from fake_providers.reply import Reply
from fake_providers.rule import Rule
from fake_providers.rulebook import Rulebook
from fake_providers.wire import ReplyContext, ServedModels
from fake_providers.wires.openai_chat.rendered_reply import RenderedReply
from fake_providers.wires.openai_shared.other_endpoints import models_response
from fake_providers.wires.openai_shared.provider_errors import Errors, Headers
from fake_providers.wires.openai_shared.request_body import Chunk, body_of, model_of


def model_in_body(request: Request) -> str:
    return model_of(body_of(request))


class Answers(Struct, frozen=True):
    """How a provider's responses look; the order of members is the provider's.

    A stream is `first_chunks`, then `deltas`, then `final_chunks`; a delta has about `delta_size` characters.
    `refusal_of` returns the error body if the provider refuses its own model's output, and `complete_reply` adds to a
    scripted reply what this provider's models always send.
    """

    id: Callable[[Ids], str]
    call_id: Callable[[Ids], str]
    completion: Callable[[RenderedReply], dict[str, Any]]
    deltas: Callable[[RenderedReply], Iterator[Chunk]]
    final_chunks: Callable[[RenderedReply], Iterator[Chunk]]
    delta_size: int = 5
    content_type: str = "application/json"
    stream_content_type: str = "text/event-stream; charset=utf-8"
    first_chunks: tuple[bytes, ...] = ()
    refusal_of: Callable[[Reply, ReplyContext], Any] = lambda reply, context: None
    complete_reply: Callable[[Reply, ReplyContext], Reply] = lambda reply, context: reply


class Provider(Struct, frozen=True):
    """One provider of the wire. `bodiless_rules` are the rules without sample requests.

    `headers` come with replies, not with refusals. `model` returns the model that a request names and `traits` its
    traits; `body_of` returns the body that the rules check, for a provider with a part of it in the path. `models`
    answers questions about models.
    """

    name: str
    base_path: str
    errors: Errors
    answers: Answers
    books: tuple[Rulebook, ...]
    traits: Callable[[str], frozenset[str]]
    bodiless_rules: tuple[Rule, ...] = ()
    headers: Callable[[Ids], Headers] = lambda ids: ()
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
