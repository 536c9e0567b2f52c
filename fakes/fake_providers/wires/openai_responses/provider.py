"""What defines a provider of this wire: paths, key, error envelope and messages, rules, and the shape of its
responses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fake_providers.http import compact
from fake_providers.ids import Ids
from fake_providers.reply import Reply
from fake_providers.rule import Rule
from fake_providers.rulebook import Rulebook
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_shared.provider_errors import Errors, Headers

Members = dict[str, Any]
Event = tuple[str, Members]
"""The full name of an event and its members, without type and number."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """`thinking` is part of `output`, `cached` of `input`."""

    input: int
    output: int
    thinking: int
    cached: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output

    def counts(self) -> Members:
        """The first members of every provider's `usage`."""
        return {
            "input_tokens": self.input,
            "input_tokens_details": {"cached_tokens": self.cached},
            "output_tokens": self.output,
            "output_tokens_details": {"reasoning_tokens": self.thinking},
            "total_tokens": self.total,
        }


def tokens_of_reply(reply: Reply, context: ReplyContext, view: Any) -> Tokens:
    calls = (len(call.name) + len(call.arguments_text or compact(call.arguments or {})) for call in reply.calls)
    characters = len(reply.text or "") + sum(calls)
    return Tokens(*counted(reply, context.view or view, characters))


def ordered_event(name: str, members: Members, number: int) -> Members:
    """The type, then the members in alphabetical order, as OpenAI has them."""
    return {"type": name, **dict(sorted({**members, "sequence_number": number}.items()))}


def failed(error: Members, initial: Members) -> Event:
    """The last event of a reply that failed in the middle. `error` has `code` and `message`."""
    return "response.failed", {"response": {**initial, "status": "failed", "error": error}}


def as_it_is(reply: Reply, context: ReplyContext) -> Reply:
    return reply


def unchanged(item: Members) -> Members:
    return item


@dataclass(frozen=True, slots=True)
class Answers:
    """How a provider's responses look; the order of members is the provider's.

    `item_id` makes the id of an item from its kind, the response's id and the number of earlier items of its kind.
    `unfinished_response` is the response before any output, plain (False) or in a stream. `reasoning_item`,
    `message_item` and `call_item` make the items, each from its id and content, `text_part` a part of a message;
    `final_item` is an item in the finished response, and `reasoning_member` is the member with the reasoning.
    `order_event` arranges the members of an event; with `names_events` an `event:` line comes before its data.
    `failure_event` is the event for an error in the middle of a stream. A delta has about `text_size` or `call_size`
    characters; with 0 the arguments of a call come in one piece. `complete_reply` adds to a scripted reply what this
    provider's models always send.
    """

    id: Callable[[Ids], str]
    call_id: Callable[[Ids, int], str]
    item_id: Callable[[str, str, int, Ids], str]
    unfinished_response: Callable[[ReplyContext, str, bool], Members]
    reasoning_item: Callable[[str, str, str | None], Members]
    message_item: Callable[[str, Members, bool], Members]
    call_item: Callable[[str, str, str, str], Members]
    text_part: Callable[[str], Members]
    usage: Callable[[Tokens], Members]
    reasoning_member: Literal["summary", "content"] = "summary"
    order_event: Callable[[str, Members, int], Members] = ordered_event
    names_events: bool = True
    names_calls: bool = False
    first_chunks: tuple[bytes, ...] = ()
    last_chunks: tuple[bytes, ...] = ()
    failure_event: Callable[[Members, Members], Event] = failed
    text_size: int = 5
    call_size: int = 5
    final_item: Callable[[Members], Members] = unchanged
    stream_content_type: str = "text/event-stream"
    encrypt_reasoning: Callable[[str, ReplyContext], str | None] = lambda thinking, context: None
    complete_reply: Callable[[Reply, ReplyContext], Reply] = as_it_is


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider of the wire. `books` check the body, `conversation_books` the `Conversation` that it is part of.

    With `stores_responses` a later request can continue a response. `headers` come with replies, not with refusals.
    """

    name: str
    base_path: str
    errors: Errors
    answers: Answers
    books: tuple[Rulebook, ...]
    traits: Callable[[str], frozenset[str]]
    conversation_books: tuple[Rulebook, ...] = ()
    stores_responses: bool = False
    headers: Headers = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """In the order of the checks; rules without sample requests come last."""
        own = (rule for book in (*self.books, *self.conversation_books) for rule in book.rules)
        key = (self.errors.missing_key,) if self.errors.missing_key else ()
        return (*own, *key, self.errors.window)


def members(body: Mapping[str, Any], name: str) -> Members:
    """The object under this name, or an empty one, because a client may send anything."""
    value = body.get(name)
    return value if isinstance(value, dict) else {}


def functions(body: Mapping[str, Any], render: Callable[[Members], Members]) -> list[Any]:
    """The request's tools as the response repeats them: functions as `render` makes them, others unchanged."""
    tools = body.get("tools")
    tools = tools if isinstance(tools, list) else []
    return [render(tool) if isinstance(tool, dict) and tool.get("type") == "function" else tool for tool in tools]


def requested_value(body: Mapping[str, Any], name: str, default: Any = None) -> Any:
    """The request's value under this name, as the response repeats it; the default if it is missing or null."""
    value = body.get(name)
    return default if value is None else value
