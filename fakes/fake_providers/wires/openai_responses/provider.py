"""What defines a provider of this wire: paths, key, error envelope and messages, rules, and the shape of its
responses."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

from msgspec import Struct

from fake_providers.http import compact
from fake_providers.ids import Ids
from fake_providers.replies.call_validation import arguments_as_json, id_of_call
from fake_providers.reply import Reply, pieces
from fake_providers.rule import Rule
from fake_providers.rulebook import Rulebook
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses.request import names_of, offered_tools, view_of
from fake_providers.wires.openai_responses.response import CREATED, CUT_SHORT
from fake_providers.wires.openai_shared.provider_errors import Errors, Headers
from fake_providers.wires.openai_shared.request_body import body_of

Members = dict[str, Any]
Event = tuple[str, Members]
"""The full name of an event and its members, without type and number."""


class Tokens(Struct, frozen=True):
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


def tokens_of_reply(reply: Reply, context: ReplyContext) -> Tokens:
    calls = (len(call.name) + len(call.arguments_text or compact(call.arguments or {})) for call in reply.calls)
    characters = len(reply.text or "") + sum(calls)
    return Tokens(*counted(reply, context.prompt_tokens(view_of), characters))


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


class Answers(Struct, frozen=True):
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


class Provider(Struct, frozen=True):
    """One provider of the wire. `books` check the body, `conversation_books` the `Conversation` that it is part of.

    With `stores_responses` a later request can continue a response. `headers` come with replies, not with refusals.
    `answers` is None where they are OpenAI's own.
    """

    name: str
    base_path: str
    errors: Errors
    answers: Answers | None
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


class RenderedReply(Struct, frozen=True):
    """`initial` is the response before the first item, `done` the finished one."""

    answers: Answers
    context: ReplyContext
    reply: Reply
    initial: Members
    items: list[Members]
    done: Members

    def events(self) -> Iterator[Event]:
        """All events before the last one, which is `ending`."""
        yield "response.created", {"response": self.initial}
        yield "response.in_progress", {"response": self.initial}
        for index, item in enumerate(self.items):
            yield from self._item(index, item)

    def opening(self) -> Iterator[Event]:
        """Only the first events, for a reply that fails before its first item."""
        yield "response.created", {"response": self.initial}
        yield "response.in_progress", {"response": self.initial}

    def ending(self) -> Event:
        return f"response.{self.done['status']}", {"response": self.done}

    def _item(self, index: int, item: Members) -> Iterator[Event]:
        at = {"output_index": index}
        without_content = {name: value for name, value in item.items() if name not in ("encrypted_content",)}
        empty: Members = {"arguments": ""} if item["type"] == "function_call" else {"content": []}
        if item["type"] == "reasoning":
            empty = {name: [] for name in ("summary", "content")}
        empty_members = {
            name: value for name, value in {"status": "in_progress", **empty}.items() if name in without_content
        }
        yield "response.output_item.added", {**at, "item": {**without_content, **empty_members}}
        pieces_of = {"reasoning": self._thought, "message": self._message, "function_call": self._call}[item["type"]]
        for name, members in pieces_of(item):
            yield f"response.{name}", {**at, "item_id": item["id"], **members}
        yield "response.output_item.done", {**at, "item": item}

    def _thought(self, item: Members) -> Iterator[Event]:
        if self.answers.reasoning_member == "content":
            yield from self._parts(item["content"], "content_part", "reasoning_text", "content_index")
        else:
            yield from self._parts(item["summary"], "reasoning_summary_part", "reasoning_summary_text", "summary_index")

    def _parts(self, parts: list[Members], part_name: str, text_name: str, index_name: str) -> Iterator[Event]:
        for index, part in enumerate(parts):
            at = {index_name: index}
            yield f"{part_name}.added", {**at, "part": {**part, "text": ""}}
            for piece in pieces(part["text"], self.context.split, size=self.answers.text_size):
                yield f"{text_name}.delta", {**at, "delta": piece}
            yield f"{text_name}.done", {**at, "text": part["text"]}
            yield f"{part_name}.done", {**at, "part": part}

    def _message(self, item: Members) -> Iterator[Event]:
        at, part = {"content_index": 0}, item["content"][0]
        refused = part["type"] == "refusal"
        member, name = ("refusal", "refusal") if refused else ("text", "output_text")
        logprobs: Members = {} if refused else {"logprobs": []}
        yield "content_part.added", {**at, "part": {**part, member: ""}}
        given = tuple(self.reply.chunks)
        for piece in pieces(part[member], self.context.split, given=given, size=self.answers.text_size):
            yield f"{name}.delta", {**at, "delta": piece, **logprobs}
        yield f"{name}.done", {**at, member: part[member], **logprobs}
        yield "content_part.done", {**at, "part": part}

    def _call(self, item: Members) -> Iterator[Event]:
        arguments = item["arguments"]
        size = self.answers.call_size
        for piece in pieces(arguments, self.context.split, size=size) if size else [arguments]:
            yield "function_call_arguments.delta", {"delta": piece}
        name = {"name": item["name"]} if self.answers.names_calls else {}
        yield "function_call_arguments.done", {**name, "arguments": arguments}


def render(reply: Reply, context: ReplyContext, answers: Answers, *, streamed: bool) -> RenderedReply:
    """Raises `CannotExpress` for a call without an id."""
    reply = answers.complete_reply(reply, context)
    response_id = reply.id or answers.id(context.ids)
    initial = answers.unfinished_response(context, response_id, streamed)
    items = list(_items(reply, context, answers, response_id))
    reason = CUT_SHORT.get(reply.finish or "")
    if reason:
        items[-1]["status"] = "incomplete"
    done = {
        **initial,
        "status": "incomplete" if reason else "completed",
        "completed_at": None if reason else CREATED + 1,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": [answers.final_item(item) for item in items],
        "usage": answers.usage(tokens_of_reply(reply, context)),
    }
    return RenderedReply(answers, context, reply, initial, items, done)


def _items(reply: Reply, context: ReplyContext, answers: Answers, response_id: str) -> Iterator[Members]:
    """The reasoning, then the message, then the calls."""

    def item_id(kind: str, number: int = 0) -> str:
        return answers.item_id(kind, response_id, number, context.ids)

    for number, thought in enumerate(reply.thought_blocks):
        yield answers.reasoning_item(item_id("rs", number), thought, answers.encrypt_reasoning(thought, context))
    if reply.text is not None or not (reply.calls or reply.thinking):
        text = reply.text or ""
        part = {"type": "refusal", "refusal": text} if reply.finish == "refusal" else answers.text_part(text)
        yield answers.message_item(item_id("msg"), part, bool(reply.calls))
    keys_by_name = {name: key for key, name in names_of(offered_tools(body_of(context.request))).items()}
    for number, call in enumerate(reply.calls):
        namespace, name = keys_by_name.get(call.name, ("", call.name))
        call_id = id_of_call(call, partial(answers.call_id, context.ids, number))
        item = answers.call_item(item_id("fc", number), call_id, name, arguments_as_json(call))
        yield {**item, "namespace": namespace} if namespace else item


def message_of(body: Any) -> str:
    """The message in an error's body, whatever its envelope."""
    found = body.get("error", body) if isinstance(body, dict) else body
    return str(found.get("message", "")) if isinstance(found, dict) else str(found)
