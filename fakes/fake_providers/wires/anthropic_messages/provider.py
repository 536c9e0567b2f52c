"""What defines a provider of this wire beside Anthropic: paths, key, error envelope, rules, what its responses lack.

Its responses are those of Anthropic's API, with other ids, and without some members.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct, field

from fake_providers.http import Request
from fake_providers.ids import Ids
from fake_providers.replies.documents import ByStatus, Envelope
from fake_providers.reply import Reply
from fake_providers.rule import Rule
from fake_providers.rulebook import Rulebook
from fake_providers.wire import ReplyContext
from fake_providers.wires.anthropic_messages.errors import KINDS


def has_key(request: Request) -> bool:
    """Depending on their version and cloud, SDKs send the key in one of three headers."""
    return any(request.headers.get(name) for name in ("x-api-key", "authorization", "api-key"))


KIND: Final = ByStatus({status: kind for status, (kind, _) in KINDS.items()}, KINDS[400][0])
SENTENCES: Final = {status: sentence for status, (_, sentence) in KINDS.items()}
ENVELOPE: Final = Envelope({"type": "error", "error": {"type": "<type>", "message": "<message>"}}, type=KIND)
"""Anthropic's, without the id of the request."""


def as_it_is(request: Request) -> Request | None:
    """A request in the form of Anthropic's API, or None for another path."""
    path = request.path.partition("?")[0]
    return request if request.method.upper() == "POST" and path.endswith("/v1/messages") else None


class Answers(Struct, frozen=True):
    """`left_out` are the members of a message, block, delta or usage that this provider does not send, `added` those
    of a message that it has besides. `complete_reply` adds to a scripted reply what its models always send."""

    id: Callable[[Ids], str]
    call_id: Callable[[Ids], str]
    left_out: frozenset[str] = frozenset(("stop_details", "caller", "service_tier", "inference_geo", "cache_creation"))
    pings: bool = False
    complete_reply: Callable[[Reply, ReplyContext], Reply] = lambda reply, context: reply


class Provider(Struct, frozen=True):
    """One provider of the wire. `books` check the body; `own_request` returns the request as Anthropic's API has it,
    for a provider with a part of it in the path; `envelope` is the body of an error, and `sentences` are the messages
    by status that are not Anthropic's. `missing_key` is None for a server that needs no key, `key_sentence` what it
    says without one."""

    name: str
    base_path: str
    books: tuple[Rulebook, ...]
    traits: Callable[[str], frozenset[str]]
    answers: Answers
    window: Rule
    too_long: Callable[[int, int], str]
    body_of: Callable[[Request], Any]
    missing_key: Rule | None = None
    key_sentence: str = ""
    envelope: Envelope = ENVELOPE
    sentences: dict[int, str] = field(default_factory=dict)
    own_request: Callable[[Request], Request | None] = as_it_is

    @property
    def rules(self) -> tuple[Rule, ...]:
        """In the order of the checks; rules without sample requests come last."""
        own = (rule for book in self.books for rule in book.rules)
        return (*own, *((self.missing_key,) if self.missing_key else ()), self.window)
