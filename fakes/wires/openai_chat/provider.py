"""What it takes to be a provider of this wire: paths, key, envelope, sentences, rules and the shape of its answers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fakes.http import Request, compact
from fakes.ids import Ids
from fakes.models import traits
from fakes.reply import Reply
from fakes.rule import Citation, Confidence, Rule, Violation
from fakes.rulebook import Rulebook
from fakes.wire import ReplyContext
from fakes.wires.openai_chat.rendered_reply import RenderedReply
from fakes.wires.openai_chat.request import body_of, model_of

Headers = tuple[tuple[str, str], ...]
Chunk = dict[str, Any] | bytes
"""The JSON of one event, or bytes that stand for themselves."""


def event(chunk: Chunk) -> bytes:
    return chunk if isinstance(chunk, bytes) else f"data: {compact(chunk)}\n\n".encode(errors="replace")


def bearer(request: Request) -> str:
    """The key in the Authorization header, or nothing."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def model_in_body(request: Request) -> str:
    return model_of(body_of(request))


def families_of(provider: str) -> Callable[[str], frozenset[str]]:
    """What is special about a model of this provider, by its families in `models.json`."""
    return lambda model: traits(f"openai-chat:{provider}", model)


def bodiless_rule(
    id: str, *, status: int, why: str, confidence: Confidence, evidence: tuple[Citation, ...], models: str = "all"
) -> Rule:
    """A rule that no body shows: a key, a window, a server's flag, what the model itself wrote."""
    return Rule(id, status, why, models, confidence, evidence, "2026-11-21", None, None)


@dataclass(frozen=True, slots=True)
class Errors:
    """How a provider says no. The functions are pure and never raise.

    `missing_key` None asks for no key, as servers of one's own do. `too_long` gives the sentence and the body for a
    conversation of so many tokens in such a window; `failure` the body (JSON, or text) for a scripted fault with a
    status; `words` a sentence in the envelope of a 400. `label` is the content type of an error, `told` the same error
    in the middle of a stream. `limits` are the headers of a 429. `at` is where a conversation that is too long stands.
    """

    failure: Callable[[int, ReplyContext, float | None], Any]
    words: Callable[[str], Any]
    window: Rule
    too_long: Callable[[Request, int, int], tuple[str, Any]]
    missing_key: Rule | None = None
    no_key: tuple[str, Any] = ("", None)
    key: Callable[[Request], str] = bearer
    key_at: str = "headers.authorization"
    label: Callable[[int, Any], str] = lambda status, body: "application/json"
    stream_error: Callable[[Any, ReplyContext], bytes] = lambda body, context: event(body)
    limits: Mapping[str, str] | None = None
    at: str = "messages"

    def without_key(self, request: Request) -> Violation | None:
        rule = self.missing_key
        if rule is None or self.key(request):
            return None
        message, body = self.no_key
        return Violation(rule.id, rule.status, body, message, self.key_at, rule.confidence)

    def beyond_window(self, request: Request, *, tokens: int, window: int) -> Violation:
        message, body = self.too_long(request, tokens, window)
        return Violation(self.window.id, self.window.status, body, message, self.at, self.window.confidence)


@dataclass(frozen=True, slots=True)
class Answers:
    """How a provider's answers look; the order of members is the provider's.

    `deltas` are the chunks up to the last word, `ending` those after it. `size` is how many characters a delta has,
    about; `opening` comes before them all. `refusal` is the error body where the provider refuses what its own model
    wrote, and `completed` adds to a scripted reply what this provider's models never leave out.
    """

    id: Callable[[Ids], str]
    call_id: Callable[[Ids], str]
    completion: Callable[[RenderedReply], dict[str, Any]]
    deltas: Callable[[RenderedReply], Iterator[Chunk]]
    ending: Callable[[RenderedReply], Iterator[Chunk]]
    size: int = 5
    label: str = "application/json"
    events: str = "text/event-stream; charset=utf-8"
    opening: tuple[bytes, ...] = ()
    refusal: Callable[[Reply, ReplyContext], Any] = lambda reply, context: None
    completed: Callable[[Reply, ReplyContext], Reply] = lambda reply, context: reply


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider of the wire. `beside` are rules that no body shows.

    `headers` come with answers, not with refusals. `model` names the model that a request asks for and `traits` what is
    special about it; `seen` is the body that the rules look at, where a part of it stands in the path.
    """

    name: str
    base_path: str
    errors: Errors
    answers: Answers
    books: tuple[Rulebook, ...]
    traits: Callable[[str], frozenset[str]]
    beside: tuple[Rule, ...] = ()
    headers: Callable[[Ids], Headers] = lambda ids: ()
    model: Callable[[Request], str] = model_in_body
    seen: Callable[[Request], Any] = body_of

    @property
    def rules(self) -> tuple[Rule, ...]:
        """In the order of the checks; those that no body shows come last."""
        own = (rule for book in self.books for rule in book.rules)
        key = (self.errors.missing_key,) if self.errors.missing_key else ()
        return (*own, *self.beside, *key, self.errors.window)
