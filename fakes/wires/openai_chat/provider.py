"""What it takes to be a provider of this wire: paths, key, envelope, sentences, rules and the shape of its answers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fakes.http import Request, compact
from fakes.ids import Ids
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


def bodiless_rule(
    id: str, *, status: int, why: str, confidence: Confidence, evidence: tuple[Citation, ...], models: str = "all"
) -> Rule:
    """A rule that no request body can show: a key, a window, a server's flag, what the model itself wrote."""
    return Rule(id, status, why, models, confidence, evidence, "2026-11-21", None, None)


@dataclass(frozen=True, slots=True)
class Errors:
    """How a provider refuses and fails. The functions are pure and never raise.

    `missing_key` is None for a server that needs no key. `too_long` returns the sentence and the body for a
    conversation of so many tokens in such a window, `failure` the body (JSON, or text) for a scripted fault with a
    status, and `envelope_of` the body of a 400 with this sentence. `content_type` is that of an error, `stream_error`
    the same error in the middle of a stream. `limits` are the headers of a 429. `path` is the member that a
    conversation beyond the window is reported at.
    """

    failure: Callable[[int, ReplyContext, float | None], Any]
    envelope_of: Callable[[str], Any]
    window: Rule
    too_long: Callable[[Request, int, int], tuple[str, Any]]
    missing_key: Rule | None = None
    no_key: tuple[str, Any] = ("", None)
    key: Callable[[Request], str] = bearer
    key_path: str = "headers.authorization"
    content_type: Callable[[int, Any], str] = lambda status, body: "application/json"
    stream_error: Callable[[Any, ReplyContext], bytes] = lambda body, context: event(body)
    limits: Mapping[str, str] | None = None
    path: str = "messages"

    def missing_key_violation(self, request: Request) -> Violation | None:
        rule = self.missing_key
        if rule is None or self.key(request):
            return None
        message, body = self.no_key
        return Violation(rule.id, rule.status, body, message, self.key_path, rule.confidence)

    def window_violation(self, request: Request, *, tokens: int, window: int) -> Violation:
        message, body = self.too_long(request, tokens, window)
        return Violation(self.window.id, self.window.status, body, message, self.path, self.window.confidence)


@dataclass(frozen=True, slots=True)
class Answers:
    """How a provider's answers look; the order of members is the provider's.

    A stream is `first_chunks`, then `deltas` up to the last word, then `final_chunks`; a delta has about `delta_size`
    characters. `refusal_of` returns the error body where the provider refuses what its own model wrote, and
    `complete_reply` adds to a scripted reply what this provider's models never leave out.
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


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider of the wire. `bodiless_rules` are those that no request body can show.

    `headers` come with answers, not with refusals. `model` returns the model that a request names and `traits` what is
    special about it; `body_of` the body that the rules check, for a provider that keeps a part of it in the path.
    """

    name: str
    base_path: str
    errors: Errors
    answers: Answers
    books: tuple[Rulebook, ...]
    traits: Callable[[str], frozenset[str]]
    bodiless_rules: tuple[Rule, ...] = ()
    headers: Callable[[Ids], Headers] = lambda ids: ()
    model: Callable[[Request], str] = model_in_body
    body_of: Callable[[Request], Any] = body_of

    @property
    def rules(self) -> tuple[Rule, ...]:
        """In the order of the checks; those that no body can show come last."""
        own = (rule for book in self.books for rule in book.rules)
        key = (self.errors.missing_key,) if self.errors.missing_key else ()
        return (*own, *self.bodiless_rules, *key, self.errors.window)
